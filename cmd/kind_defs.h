/*
 * The kinds of options: K(NAME, type), the type of the member that the option sets.
 *
 * Simple ones: FLAG sets true and OFF false; TEXT takes any argument; DIR, FILE and PATH (either)
 * want it to exist; OPTIONAL may have an argument after a =, and is "" without. LIST appends its
 * argument each time that it is given.
 *
 * Numbers: COUNT, UINT and NUMBER differ in their type; PERCENT is one from 0 to 100, and GROWTH
 * a percentage of any size; SECONDS and MILLISECONDS are stored in seconds; LEVEL is one of zstd;
 * PAGES is a ring size in pages or, with a unit, in bytes; MEMORY is a size with a unit. ROWS,
 * SHARE and STEP are COUNT, PERCENT and MILLISECONDS of options whose default is 0 in the library:
 * 0 on the command line becomes the value for none.
 *
 * Filters: EVENTS, NAMES and RANGES append what stands between commas, TIMES a time span, and
 * PATTERN a regular expression.
 *
 * The others: FORMAT finds a format by its name, and SHORT_FORMAT is the format with the option's
 * own name. JSON and MARKDOWN set the style of a document. UNWIND, WEIGHT, COLOR, FORM and LABELS
 * take words from a list, CLOCK a name or a number; NO_FORM is FORM with the word none. PATH_MAP
 * appends FROM=TO, DIRS each of DIR:DIR, and TAG KEY=VALUE. FREQUENCY, CALL_GRAPH and USER_REGS
 * set several members; FRAME_POINTERS is the default of CALL_GRAPH. FILTER also notes how many
 * events were given before it, and SEPARATOR how many inputs. HELP, MAN and VERSION print
 * something and end the program.
 */
/* clang-format off */
#define CMD_KINDS(K)                               \
	K(FLAG, bool)                              \
	K(OFF, bool)                               \
	K(TEXT, const char *)                      \
	K(DIR, const char *)                       \
	K(FILE, const char *)                      \
	K(PATH, const char *)                      \
	K(OPTIONAL, const char *)                  \
	K(LIST, struct cmd_list)                   \
	K(COUNT, size_t)                           \
	K(UINT, unsigned)                          \
	K(NUMBER, uint64_t)                        \
	K(PERCENT, double)                         \
	K(GROWTH, double)                          \
	K(SECONDS, double)                         \
	K(MILLISECONDS, double)                    \
	K(ROWS, size_t)                            \
	K(SHARE, double)                           \
	K(STEP, double)                            \
	K(LEVEL, int)                              \
	K(PAGES, size_t)                           \
	K(MEMORY, uint64_t)                        \
	K(EVENTS, struct cmd_list)                 \
	K(NAMES, struct cmd_list)                  \
	K(RANGES, struct cmd_ranges)               \
	K(TIMES, struct cmd_list)                  \
	K(PATTERN, struct cmd_list)                \
	K(FORMAT, const struct out_format *)       \
	K(SHORT_FORMAT, const struct out_format *) \
	K(JSON, enum pd_style)                     \
	K(MARKDOWN, enum pd_style)                 \
	K(UNWIND, bool)                            \
	K(WEIGHT, bool)                            \
	K(COLOR, enum cmd_when)                    \
	K(FORM, enum pd_name_form)                 \
	K(NO_FORM, enum pd_name_form)              \
	K(LABELS, struct cmd_list)                 \
	K(CLOCK, int)                              \
	K(PATH_MAP, struct cmd_path_maps)          \
	K(DIRS, struct cmd_list)                   \
	K(TAG, struct cmd_labels)                  \
	K(FREQUENCY, struct cap_sampling)          \
	K(CALL_GRAPH, struct cap_sampling)         \
	K(FRAME_POINTERS, struct cap_sampling)     \
	K(USER_REGS, struct cap_sampling)          \
	K(FILTER, struct cmd_event_filters)        \
	K(SEPARATOR, size_t)                       \
	K(HELP, enum cmd_action)                   \
	K(MAN, enum cmd_action)                    \
	K(VERSION, enum cmd_action)
/* clang-format on */

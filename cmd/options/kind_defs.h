/*
 * The kinds of options: K(NAME, type, function), the type of the member that the option sets, and
 * the function of cmd/options/arguments.c that sets it from the argument.
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
 * own name. JSON and MARKDOWN set the style of a document; ERRORFORMAT, GITHUB and SARIF the form
 * of notes. UNWIND, WEIGHT, COLOR, FORM, OFFSETS and LABELS
 * take words from a list, CLOCK a name or a number; NO_FORM is FORM with the word none. PATH_MAP
 * appends FROM=TO, DIRS each of DIR:DIR, and TAG KEY=VALUE. FREQUENCY, CALL_GRAPH and USER_REGS
 * set several members; FRAME_POINTERS is the default of CALL_GRAPH. FILTER also notes how many
 * events were given before it, and SEPARATOR how many inputs. HELP, MAN and VERSION print
 * something and end the program.
 */
/* clang-format off */
#define CMD_KINDS(K)                                                  \
	K(FLAG, bool, take_true)                                      \
	K(OFF, bool, take_false)                                      \
	K(TEXT, const char *, take_text)                              \
	K(DIR, const char *, take_dir)                                \
	K(FILE, const char *, take_file)                              \
	K(PATH, const char *, take_path)                              \
	K(OPTIONAL, const char *, take_optional)                      \
	K(LIST, struct cmd_list, take_item)                           \
	K(COUNT, size_t, take_count)                                  \
	K(UINT, unsigned, take_uint)                                  \
	K(NUMBER, uint64_t, take_number)                              \
	K(PERCENT, double, take_percent)                              \
	K(GROWTH, double, take_growth)                                \
	K(SECONDS, double, take_seconds)                              \
	K(MILLISECONDS, double, take_milliseconds)                    \
	K(ROWS, size_t, take_rows)                                    \
	K(SHARE, double, take_share)                                  \
	K(STEP, double, take_step)                                    \
	K(LEVEL, int, take_level)                                     \
	K(PAGES, size_t, take_pages)                                  \
	K(MEMORY, uint64_t, take_memory)                              \
	K(EVENTS, struct cmd_list, take_events)                       \
	K(NAMES, struct cmd_list, take_names)                         \
	K(RANGES, struct cmd_ranges, take_ranges)                     \
	K(TIMES, struct cmd_list, take_times)                         \
	K(PATTERN, struct cmd_list, take_pattern)                     \
	K(FORMAT, const struct out_format *, take_format)             \
	K(SHORT_FORMAT, const struct out_format *, take_short_format) \
	K(JSON, enum pd_style, take_json)                             \
	K(MARKDOWN, enum pd_style, take_markdown)                     \
	K(ERRORFORMAT, enum pd_line_notes, take_errorformat)          \
	K(GITHUB, enum pd_line_notes, take_github)                    \
	K(SARIF, enum pd_line_notes, take_sarif)                      \
	K(UNWIND, bool, take_choice)                                  \
	K(WEIGHT, bool, take_choice)                                  \
	K(COLOR, enum cmd_when, take_color)                           \
	K(FORM, enum pd_name_form, take_form)                         \
	K(NO_FORM, enum pd_name_form, take_no_form)                   \
	K(OFFSETS, enum sym_text_offsets, take_offsets)               \
	K(LABELS, struct cmd_list, take_labels)                       \
	K(CLOCK, int, take_clock)                                     \
	K(PATH_MAP, struct cmd_path_maps, take_path_map)              \
	K(DIRS, struct cmd_list, take_dirs)                           \
	K(TAG, struct cmd_labels, take_tag)                           \
	K(FREQUENCY, struct cap_sampling, take_frequency)             \
	K(CALL_GRAPH, struct cap_sampling, take_call_graph)           \
	K(FRAME_POINTERS, struct cap_sampling, take_frame_pointers)   \
	K(USER_REGS, struct cap_sampling, take_user_regs)             \
	K(FILTER, struct cmd_event_filters, take_filter)              \
	K(SEPARATOR, size_t, take_separator)                          \
	K(HELP, enum cmd_action, take_help)                           \
	K(MAN, enum cmd_action, take_man)                             \
	K(VERSION, enum cmd_action, take_version)
/* clang-format on */

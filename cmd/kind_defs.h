/*
 * The kinds of options: K(NAME, type), the type of the member that the option sets.
 *
 * FLAG sets true. FORMAT finds a format by its name; SHORT_FORMAT is the format with the
 * option's own name. TEXT takes any argument. DIR, FILE, and PATH (either) want it to exist.
 * OPTIONAL may have an argument after a =, and is "" without. COUNT and NUMBER are numbers,
 * PERCENT is one from 0 to 100, SECONDS and MILLISECONDS are stored in seconds. LIST appends
 * its argument each time that it is given, DIRS each of DIR:DIR, and FILTER also notes how
 * many events were given before it. HELP, MAN and VERSION print something and end the program.
 */
/* clang-format off */
#define CMD_KINDS(K)                        \
	K(FLAG, bool)                       \
	K(FORMAT, const struct out_format *) \
	K(SHORT_FORMAT, const struct out_format *) \
	K(TEXT, const char *)               \
	K(DIR, const char *)                \
	K(FILE, const char *)               \
	K(PATH, const char *)               \
	K(OPTIONAL, const char *)           \
	K(COUNT, size_t)                    \
	K(NUMBER, uint64_t)                 \
	K(PERCENT, double)                  \
	K(SECONDS, double)                  \
	K(MILLISECONDS, double)             \
	K(LIST, struct cmd_list)            \
	K(DIRS, struct cmd_list)            \
	K(FILTER, struct cmd_list)          \
	K(HELP, bool)                       \
	K(MAN, bool)                        \
	K(VERSION, bool)
/* clang-format on */

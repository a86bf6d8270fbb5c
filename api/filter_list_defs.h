/*
 * The lists of struct pd_filter_opts: L(type, name). Each has its name in struct prof_filter, too.
 * The types are ranges of numbers, names, patterns (regular expressions) and times.
 */
/* clang-format off */
#define PD_FILTER_LISTS(L)  \
	L(ranges, pids)     \
	L(ranges, tids)     \
	L(ranges, cpus)     \
	L(times, times)     \
	L(names, events)    \
	L(names, comms)     \
	L(names, dsos)      \
	L(names, symbols)   \
	L(names, roots)     \
	L(patterns, focus)  \
	L(patterns, ignore) \
	L(patterns, hide)
/* clang-format on */

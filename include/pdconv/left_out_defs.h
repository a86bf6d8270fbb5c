/*
 * Why samples of a recording are not in its profile or output.
 *
 * PD_SKIPS: samples that cannot be counted, S(NAME, "name", "samples that are ...").
 *
 * PD_FILTERS: filters of the caller, F(NAME, "name", type, list, stage), in the order in which they
 * are applied. A sample that several filters exclude is counted for the first. The list is a member
 * of struct pd_filter_opts: ranges of numbers, times, names, or patterns (regular expressions). The
 * stage is SAMPLE, before a stack is unwound, or NAMES, when frames have names.
 *
 * PD_FRAME_FILTERS: the same for filters that leave out frames, and no samples.
 */
/* clang-format off */
#define PD_SKIPS(S)                                                               \
	S(DAMAGED, "damaged", "damaged")                                          \
	S(UNKNOWN_EVENT, "unknown_event", "of unknown events")                    \
	S(NOTHING_COUNTED, "nothing_counted", "in which no counter had advanced")

#define PD_FILTERS(F)                                   \
	F(EVENT, "event", names, events, SAMPLE)        \
	F(TIME, "time", times, times, SAMPLE)           \
	F(CPU, "cpu", ranges, cpus, SAMPLE)             \
	F(PID, "pid", ranges, pids, SAMPLE)             \
	F(TID, "tid", ranges, tids, SAMPLE)             \
	F(COMM, "comms", names, comms, SAMPLE)          \
	F(DSO, "dsos", names, dsos, SAMPLE)             \
	F(SYMBOL, "symbols", names, symbols, NAMES)     \
	F(FOCUS, "focus", patterns, focus, NAMES)       \
	F(IGNORE, "ignore", patterns, ignore, NAMES)    \
	F(ROOT, "root", names, roots, NAMES)

#define PD_FRAME_FILTERS(F)                             \
	F(HIDE, "hide", patterns, hide, NAMES)
/* clang-format on */

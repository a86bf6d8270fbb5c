/*
 * Why samples of a recording are not in its profile or output.
 *
 * PD_SKIPS: samples that cannot be counted, S(NAME, "name", "samples that are ...").
 *
 * PD_FILTERS: filters of the caller, F(NAME, "name"), in the order in which they are applied. A
 * sample that several filters exclude is counted for the first.
 */
/* clang-format off */
#define PD_SKIPS(S)                                                               \
	S(DAMAGED, "damaged", "damaged")                                          \
	S(UNKNOWN_EVENT, "unknown_event", "of unknown events")                    \
	S(NOTHING_COUNTED, "nothing_counted", "in which no counter had advanced")

#define PD_FILTERS(F)           \
	F(EVENT, "event")       \
	F(TIME, "time")         \
	F(CPU, "cpu")           \
	F(PID, "pid")           \
	F(TID, "tid")           \
	F(COMM, "comms")        \
	F(DSO, "dsos")          \
	F(SYMBOL, "symbols")    \
	F(FOCUS, "focus")       \
	F(IGNORE, "ignore")     \
	F(ROOT, "root")
/* clang-format on */

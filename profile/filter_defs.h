/*
 * The filters: F(NAME, "name"), in the order in which they are applied. A sample that several
 * filters exclude is counted for the first.
 */
/* clang-format off */
#define PROF_FILTERS(F)            \
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

/*
 * What samples may be left out for: F(name, "option"). In the order in which they are asked: of a
 * sample that several would leave out, the first is counted.
 */
/* clang-format off */
#define PROF_FILTERS(F)            \
	F(EVENT, "--event")       \
	F(TIME, "--time")         \
	F(CPU, "--cpu")           \
	F(PID, "--pid")           \
	F(TID, "--tid")           \
	F(COMM, "--comms")        \
	F(DSO, "--dsos")          \
	F(SYMBOL, "--symbols")
/* clang-format on */

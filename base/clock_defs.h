/*
 * Clocks of clock_gettime(2) that a recording may use, by their numbers on Linux and with perf's
 * names, one row each: C(id, "name", "short name" or NULL).
 */
/* clang-format off */
#define PD_CLOCKS(C)                    \
	C(0, "realtime", "real")        \
	C(1, "monotonic", "mono")       \
	C(4, "monotonic_raw", "raw")    \
	C(7, "boottime", "boot")        \
	C(11, "tai", NULL)
/* clang-format on */

/*
 * Clocks of clock_gettime(2) that a recording may use, with perf's names, one row each:
 * C(id, "name", "short name" or NULL).
 */
/* clang-format off */
#define PD_CLOCKS(C)                                        \
	C(CLOCK_REALTIME, "realtime", "real")               \
	C(CLOCK_MONOTONIC, "monotonic", "mono")             \
	C(CLOCK_MONOTONIC_RAW, "monotonic_raw", "raw")      \
	C(CLOCK_BOOTTIME, "boottime", "boot")               \
	C(CLOCK_TAI, "tai", NULL)
/* clang-format on */

/*
 * The clocks of clock_gettime(2) that recordings may go by: C(id, "name", "short name" or NULL). perf's names.
 */
/* clang-format off */
#define PD_CLOCKS(C)                                        \
	C(CLOCK_REALTIME, "realtime", "real")               \
	C(CLOCK_MONOTONIC, "monotonic", "mono")             \
	C(CLOCK_MONOTONIC_RAW, "monotonic_raw", "raw")      \
	C(CLOCK_BOOTTIME, "boottime", "boot")               \
	C(CLOCK_TAI, "tai", NULL)
/* clang-format on */

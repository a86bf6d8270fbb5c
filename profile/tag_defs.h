/*
 * What samples of a profile may be told apart by, besides stack, thread and event; only if that is
 * asked for: T(name, "name", "what it is").
 */
/* clang-format off */
#define PROF_TAGS(T)                                                      \
	T(CPU, "cpu", "number of the CPU")                               \
	T(CGROUP, "cgroup", "path of the control group")                 \
	T(TIME, "time", "nanoseconds on the recording's clock")
/* clang-format on */

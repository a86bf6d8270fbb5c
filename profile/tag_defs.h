/*
 * Properties by which samples are kept apart if requested, in addition to stack, thread and event:
 * T(NAME, "name", "description").
 */
/* clang-format off */
#define PROF_TAGS(T)                                                      \
	T(CPU, "cpu", "number of the CPU")                               \
	T(CGROUP, "cgroup", "path of the control group")                 \
	T(TIME, "time", "nanoseconds on the recording's clock")         \
	T(PARALLELISM, "parallelism", "number of threads that were running")
/* clang-format on */

/*
 * Keys that the report can sort by, named as in perf report: K(NAME, "name", "title", tag,
 * is_of_frame, "description").
 *
 *   tag          the bit of the enum prof_tag that samples must be kept apart by; 0: none
 *   is_of_frame  it is a property of a frame, so a sample has it once for each of its frames
 */
/* clang-format off */
#define OUT_SORT_KEYS(K)                                                                           \
	K(COMM, "comm", "Command", 0, false, "name of the thread")                                 \
	K(PID, "pid", "Pid:Command", 0, false, "process, with the name of the thread")             \
	K(TID, "tid", "Tid:Command", 0, false, "thread, with its name")                            \
	K(CPU, "cpu", "CPU", 1u << PROF_TAG_CPU, false, "number of the CPU")                       \
	K(CGROUP, "cgroup", "Cgroup", 1u << PROF_TAG_CGROUP, false, "path of the control group")   \
	K(TIME, "time", "Time", 1u << PROF_TAG_TIME, false, "time in seconds, in steps")           \
	K(DSO, "dso", "Shared Object", 0, true, "binary")                                          \
	K(SYM, "sym", "Symbol", 0, true, "function")                                               \
	K(SRCFILE, "srcfile", "Source File", 0, true, "source file")                               \
	K(SRCLINE, "srcline", "Source:Line", 0, true, "source file and line")
/* clang-format on */

/*
 * Commands for questions to recordings (query/question_defs.h).
 *
 * R(NAME, "options"): pdconv record with these options records what is missing to answer it.
 *
 * D(NAME, "what to do"): what else to do about it, or what must be true on the recorded machine.
 *
 * C(NAME, "command"): this command answers it, and no tool does.
 */
/* clang-format off */
#define CMD_QUESTION_RECORD(R) \
	R(FUNCTIONS, "--call-graph dwarf") \
	R(CALLERS, "--call-graph dwarf") \
	R(ROOTS, "--call-graph dwarf,65528") \
	R(LOSSES, "-m 16M") \
	R(TIMELINE, "-F 999") \
	R(THREADS, "--switch-events") \
	R(WAITS, "--off-cpu") \
	R(WAKERS, "--off-cpu --wakers") \
	R(CRITICAL_PATH, "--off-cpu --wakers -a") \
	R(KERNEL, "-e cpu-clock") \
	R(PAGE_FAULTS, "-e page-faults -c 1") \
	R(CACHE_MISSES, "-e cache-misses") \
	R(BRANCHES, "--call-graph lbr") \
	R(CONTAINERS, "--all-cgroups -a") \
	R(SYSCALLS, "-e raw_syscalls:sys_enter,raw_syscalls:sys_exit") \
	R(ALLOCATIONS, "-e probe:malloc=/lib/x86_64-linux-gnu/libc.so.6:malloc -c 100")

#define CMD_QUESTION_ADVICE(D) \
	D(NAMES, "pdconv archive on the machine of the recording, or pdconv report --debuginfod") \
	D(LINES, "build with -g, or install debug symbols; then ask again") \
	D(INLINED, "build with -g, or install debug symbols; then ask again") \
	D(BUILDS, "pdconv archive on the machine of the recording") \
	D(KERNEL, "with kernel.perf_event_paranoid at 1 or less, or as root") \
	D(KERNEL_NAMES, "sudo cat /proc/kallsyms >kallsyms on its machine; then --kallsyms kallsyms") \
	D(ACCESSES, "perf mem record COMMAND, on a machine that can")

#define CMD_QUESTION_COMMAND(C) \
	C(ACCESSES, "pdconv report --sort local_weight,sym") \
	C(BRANCHES, "pdconv report --sort sym_from,sym_to") \
	C(CONTAINERS, "pdconv report --sort cgroup") \
	C(SYSCALLS, "pdconv report --intervals")
/* clang-format on */

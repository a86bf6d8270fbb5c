/*
 * Questions that a recording may not answer: Q(NAME, "name", "question", fact, "what answers", "what is
 * missing", "options", "advice").
 *
 * The fact is the one of F() that the recording must have. With it, a tool or command answers. Without
 * it, recording again with the options does, if there are any; otherwise the advice is followed. Options
 * are those of pdconv record, and take the place of options of the same kind.
 *
 * F(NAME): facts about a recording, which query/why_not.c looks for.
 */
/* clang-format off */
#define QRY_FACTS(F) \
	F(ON_CPU) F(STACKS) F(ROOTED) F(NAMED) F(LINES) F(INLINED) F(TIMES) F(WAITS) F(STATES) F(WAKERS) F(KERNEL) \
	F(KERNEL_NAMES) F(PAGE_FAULTS) F(CACHE_MISSES) F(ACCESSES) F(BRANCHES) F(CGROUPS) F(SYSCALLS) F(ALLOCATIONS) \
	F(RIGHT_BUILDS) F(COMPLETE)

#define QRY_QUESTIONS(Q) \
	Q(FUNCTIONS, "functions", "Which functions take the CPU time?", ON_CPU, "functions", \
		"no samples of time or cycles", "--call-graph dwarf", NULL) \
	Q(CALLERS, "callers", "Who calls them?", STACKS, "callers", \
		"only addresses were recorded, no stacks", "--call-graph dwarf", NULL) \
	Q(ROOTS, "roots", "Are the call paths complete, up to main?", ROOTED, "path", \
		"more than 5 % of the stacks end before their root; quality says which and why", "--call-graph dwarf,65528", NULL) \
	Q(NAMES, "names", "What are the functions called?", NAMED, "functions", \
		"more than 5 % of the frames have no name; quality says which and why", NULL, \
		"pdconv archive on the machine of the recording, or pdconv report --debuginfod") \
	Q(LINES, "lines", "Which source lines?", LINES, "lines", \
		"no debug information was found", NULL, "build with -g, or install debug symbols; then ask again") \
	Q(INLINED, "inlined", "Which inlined calls?", INLINED, "functions", \
		"no inlined call is in the stacks: none ran, or debug information is missing", NULL, \
		"build with -g, or install debug symbols; then ask again") \
	Q(BUILDS, "builds", "Are the names those of the binaries that ran?", RIGHT_BUILDS, "quality", \
		"a binary is missing, or was found only in another build", NULL, "pdconv archive on the machine of the recording") \
	Q(LOSSES, "losses", "Is the recording complete?", COMPLETE, "quality", \
		"records or samples were lost or damaged", "-m 16M", NULL) \
	Q(TIMELINE, "timeline", "When did it happen?", TIMES, "timeline", \
		"samples have no times", "-F 999", NULL) \
	Q(THREADS, "threads", "For how long did each thread run, wait, or get no CPU?", STATES, "threads", \
		"no context switches were recorded", "--switch-events", NULL) \
	Q(WAITS, "waits", "Where do threads wait, and what for?", WAITS, "waits", \
		"no stacks of waits were recorded", "--off-cpu", NULL) \
	Q(WAKERS, "wakers", "Who ended the waits?", WAKERS, "wakers", \
		"no wakeups were recorded", "--off-cpu --wakers", NULL) \
	Q(CRITICAL_PATH, "critical_path", "What did the end of a thread have to wait for?", WAKERS, "critical_path", \
		"no wakeups were recorded", "--off-cpu --wakers -a", NULL) \
	Q(KERNEL, "kernel", "What did the kernel do for the program?", KERNEL, "functions", \
		"no frames of the kernel: the event excludes it, or perf_event_paranoid does", "-e cpu-clock", \
		"with kernel.perf_event_paranoid at 1 or less, or as root") \
	Q(KERNEL_NAMES, "kernel_names", "Which functions of the kernel?", KERNEL_NAMES, "functions", \
		"the symbols of the kernel were not found", NULL, "sudo cat /proc/kallsyms >kallsyms on its machine; then --kallsyms kallsyms") \
	Q(PAGE_FAULTS, "page_faults", "Which code causes page faults?", PAGE_FAULTS, "functions event=page-faults", \
		"no page faults were recorded", "-e page-faults -c 1", NULL) \
	Q(CACHE_MISSES, "cache_misses", "Which code misses the cache?", CACHE_MISSES, "functions event=cache-misses", \
		"no cache misses were counted; virtual machines often cannot", "-e cache-misses", NULL) \
	Q(ACCESSES, "memory", "Which data is slow to access?", ACCESSES, "pdconv report --sort local_weight,sym", \
		"samples have no data addresses", NULL, "perf mem record COMMAND, on a machine that can") \
	Q(BRANCHES, "branches", "Which branches are taken?", BRANCHES, "pdconv report --sort sym_from,sym_to", \
		"no branches were recorded", "--call-graph lbr", NULL) \
	Q(CONTAINERS, "containers", "What does each container or control group cost?", CGROUPS, "pdconv report --sort cgroup", \
		"samples have no control groups", "--all-cgroups -a", NULL) \
	Q(SYSCALLS, "syscalls", "How long do system calls take?", SYSCALLS, "pdconv report --intervals", \
		"their begin and end were not recorded", "-e raw_syscalls:sys_enter,raw_syscalls:sys_exit", NULL) \
	Q(ALLOCATIONS, "allocations", "Who allocates memory?", ALLOCATIONS, "callers function=malloc", \
		"malloc was not traced", "-e probe:malloc=/lib/x86_64-linux-gnu/libc.so.6:malloc -c 100", NULL)
/* clang-format on */

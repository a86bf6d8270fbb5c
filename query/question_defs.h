/*
 * Questions that a recording may not answer: Q(NAME, "name", "question", fact, "tool", "what is
 * missing"). With the fact, which is one of F(), the tool answers; "" if none does. The program
 * knows the commands that record what is missing.
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
		"no samples of time or cycles") \
	Q(CALLERS, "callers", "Who calls them?", STACKS, "callers", \
		"only addresses were recorded, no stacks") \
	Q(ROOTS, "roots", "Are the call paths complete, up to main?", ROOTED, "path", \
		"more than 5 % of the stacks end before their root; quality says which and why") \
	Q(NAMES, "names", "What are the functions called?", NAMED, "functions", \
		"more than 5 % of the frames have no name; quality says which and why") \
	Q(LINES, "lines", "Which source lines?", LINES, "lines", \
		"no debug information was found") \
	Q(INLINED, "inlined", "Which inlined calls?", INLINED, "functions", \
		"no inlined call is in the stacks: none ran, or debug information is missing") \
	Q(BUILDS, "builds", "Are the names those of the binaries that ran?", RIGHT_BUILDS, "quality", \
		"a binary is missing, or was found only in another build") \
	Q(LOSSES, "losses", "Is the recording complete?", COMPLETE, "quality", \
		"records or samples were lost or damaged") \
	Q(TIMELINE, "timeline", "When did it happen?", TIMES, "timeline", \
		"samples have no times") \
	Q(THREADS, "threads", "For how long did each thread run, wait, or get no CPU?", STATES, "threads", \
		"no context switches were recorded") \
	Q(WAITS, "waits", "Where do threads wait, and what for?", WAITS, "waits", \
		"no stacks of waits were recorded") \
	Q(WAKERS, "wakers", "Who ended the waits?", WAKERS, "wakers", \
		"no wakeups were recorded") \
	Q(CRITICAL_PATH, "critical_path", "What did the end of a thread have to wait for?", WAKERS, "critical_path", \
		"no wakeups were recorded") \
	Q(KERNEL, "kernel", "What did the kernel do for the program?", KERNEL, "functions", \
		"no frames of the kernel: the event excludes it, or perf_event_paranoid does") \
	Q(KERNEL_NAMES, "kernel_names", "Which functions of the kernel?", KERNEL_NAMES, "functions", \
		"the symbols of the kernel were not found") \
	Q(PAGE_FAULTS, "page_faults", "Which code causes page faults?", PAGE_FAULTS, "functions event=page-faults", \
		"no page faults were recorded") \
	Q(CACHE_MISSES, "cache_misses", "Which code misses the cache?", CACHE_MISSES, "functions event=cache-misses", \
		"no cache misses were counted; virtual machines often cannot") \
	Q(ACCESSES, "memory", "Which data is slow to access?", ACCESSES, "", \
		"samples have no data addresses") \
	Q(BRANCHES, "branches", "Which branches are taken?", BRANCHES, "", \
		"no branches were recorded") \
	Q(CONTAINERS, "containers", "What does each container or control group cost?", CGROUPS, "", \
		"samples have no control groups") \
	Q(SYSCALLS, "syscalls", "How long do system calls take?", SYSCALLS, "", \
		"their begin and end were not recorded") \
	Q(ALLOCATIONS, "allocations", "Who allocates memory?", ALLOCATIONS, "callers function=malloc", \
		"malloc was not traced")
/* clang-format on */

/*
 * Commands that do what a hint suggests. Kinds without a row have none.
 *
 * R(KIND, "options", "replaced"): record again with these options. The words of "replaced",
 * separated by '|', are options that the new ones take the place of, with their arguments if they
 * end with '='. %u in the options is the size of a captured stack in bytes.
 *
 * C(KIND, "command"): run this with the names of the recordings as arguments. An archive is made on
 * the recorded machine, where the command of KERNEL begins, too. That of perf archive lacks the
 * binaries that stacks only pass through.
 */
/* clang-format off */
#define CMD_RECORD_AGAIN(R) \
	R(CUT, "--call-graph dwarf,%u", "-g|--call-graph=") \
	R(CHAINS, "--call-graph dwarf", "-g|--call-graph=") \
	R(FULL_CHAINS, "--call-graph dwarf,65528", "-g|--call-graph=") \
	R(REGISTERS, "--call-graph dwarf", "-g|--call-graph=|--user-regs=") \
	R(REPLACED, "--buildid-mmap", "") \
	R(LOST, "-m 16M", "--mmap-pages=") \
	R(MAPPINGS, "-m 16M", "--mmap-pages=") \
	R(SHORT_LIVES, "-a", "")

#define CMD_ADVICE(C) \
	C(FILES, "pdconv archive") \
	C(OTHER_BUILD, "pdconv archive") \
	C(DEBUG_FILES, "pdconv report --debuginfod=https://debuginfod.elfutils.org") \
	C(SYMBOLS, "pdconv report --debuginfod=https://debuginfod.elfutils.org") \
	C(KERNEL, "sudo cat /proc/kallsyms >kallsyms; pdconv report --kallsyms kallsyms") \
	C(CUT_AT_MOST, "pdconv report --stitch") \
	C(STITCH, "pdconv report --stitch") \
	C(LIMIT, "pdconv report --max-stack 16384")

/*
 * A(RUNTIME, LACKS, "program", "arguments"): record again, with these arguments after the name of
 * the program. The first row whose LACKS the hint has is used.
 */
#define CMD_RUNTIME_ARGUMENTS(A) \
	A(JAVA, CODE, "java", \
		"-XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit -XX:+PreserveFramePointer") \
	A(JAVA, NAMES, "java", "-XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit") \
	A(JAVA, CALLERS, "java", "-XX:+PreserveFramePointer") \
	A(V8, NAMES, "node", "--perf-basic-prof") \
	A(V8, FRAMES, "node", "--perf-basic-prof --interpreted-frames-native-stack") \
	A(RUBY, NAMES, "ruby", "--yjit --yjit-perf") \
	A(PHP, NAMES, "php", "-d opcache.jit_debug=16") \
	A(ERLANG, CALLERS, "erl", "+JPperf true") \
	A(ERLANG, NAMES, "erl", "+JPperf true")

/*
 * Options of `perf record` and `pdconv record`, separated by '|': those that say what is recorded,
 * which a new recording keeps, with and without an argument, and others that take one. A word that
 * belongs to no option is the program. -d takes an argument of pdconv only.
 */
#define CMD_TARGET_OPTIONS "-p|--pid|-t|--tid|-C|--cpu|-G|--cgroup|-u|--uid"
#define CMD_TARGET_FLAGS "-a|--all-cpus|--no-inherit"
#define CMD_ARGUMENT_OPTIONS "-e|--event|-F|--freq|-c|--count|-o|--output|-m|--mmap-pages|-k|--clockid|-D|--delay|" \
	"-j|--branch-filter|--call-graph|--filter|--user-regs|--intr-regs|--max-size|--duration"
/* clang-format on */

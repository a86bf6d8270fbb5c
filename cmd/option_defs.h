/*
 * The options: O(long, short, kind, argument, member, "help"), in the order of the help text.
 *
 * kind: FLAG sets the bool `member`; TEXT and NUMBER take an argument; FORMAT sets the format of
 * the option's own name; HELP, MAN and VERSION print and end. short is 0 where there is none. An option
 * whose help is NULL is another name for the one before it.
 */
/* clang-format off */
#define CMD_OPTIONS(O)                                                                             \
	O("input", 'i', TEXT, "FILE", input, "recording to read (default: perf.data)")             \
	O("format", 'f', TEXT, "FORMAT", format, "what to write; see below (default: report)")     \
	O("output", 'o', TEXT, "FILE", output, "where to write it; - is standard output")          \
	O("pprof", 0, FORMAT, NULL, format, "short for -f pprof")                                  \
	O("folded", 0, FORMAT, NULL, format, "short for -f folded")                                \
	O("report", 0, FORMAT, NULL, format, "short for -f report")                                \
	O("event", 'e', TEXT, "NAME", event, "event that folded and report show (default: the first)") \
	O("max-stack", 0, NUMBER, "N", max_stack, "user frames at most (default: 1024)")           \
	O("max-frames", 0, NUMBER, "N", max_stack, NULL)                                           \
	O("no-kernel", 0, FLAG, NULL, no_kernel, "leave out kernel frames")                        \
	O("no-user", 0, FLAG, NULL, no_user, "leave out user frames")                              \
	O("symfs", 0, TEXT, "DIR", symfs, "root directory of the recording machine's binaries")    \
	O("sysroot", 0, TEXT, "DIR", symfs, NULL)                                                  \
	O("debug-paths", 0, TEXT, "DIR[:DIR]", debug_dirs, "further places of binaries and debug files") \
	O("symbol-dir", 0, TEXT, "DIR", debug_dirs, NULL)                                          \
	O("buildid-dir", 0, TEXT, "DIR", buildid_dir, "perf's build-id cache (default: ~/.debug)")  \
	O("kallsyms", 0, TEXT, "FILE", kallsyms, "kallsyms of the recorded kernel")                \
	O("no-inline", 0, FLAG, NULL, no_inline, "leave out inlined functions")                    \
	O("no-lines", 0, FLAG, NULL, no_lines, "leave out files and lines")                        \
	O("no-demangle", 0, FLAG, NULL, no_demangle, "names as the linker knows them")             \
	O("jobs", 'j', NUMBER, "N", jobs, "threads (default: one for each processor)")             \
	O("nthreads", 'n', NUMBER, "N", jobs, NULL)                                                \
	O("strict", 0, FLAG, NULL, strict, "exit with 3 if anything was damaged or left out")      \
	O("stats", 0, FLAG, NULL, stats, "say how the stacks ended, and how long it took")         \
	O("quiet", 'q', FLAG, NULL, quiet, "no warnings")                                          \
	O("help", 'h', HELP, NULL, quiet, "this text")                                             \
	O("man", 0, MAN, NULL, quiet, "the manual page, for man(1)")                               \
	O("version", 0, VERSION, NULL, quiet, "version")
/* clang-format on */

/*
 * The options: O(commands, long, short, kind, argument, member, "help"), in the order of the help
 * text.
 *
 * commands: CONVERT, DUMP, INFO, or ALL of them. kind: FLAG sets the bool `member`; TEXT, NUMBER and
 * PERCENT take an argument; LIST takes one each time that it is given; OPTIONAL may have one, behind
 * a =, and is "" without; FORMAT sets the format of the option's own name; HELP, MAN and VERSION print and
 * end. short is 0 where there is none. An option whose help is NULL is another name for the one
 * before it.
 *
 * The commands: C(NAME, name, arguments, "summary", "description").
 */
/* clang-format off */
#define CMD_OPTIONS(O)                                                                             \
	O(ALL, "input", 'i', TEXT, "FILE", input,                                                  \
		"recording to read (default: a pipe on standard input, else perf.data)")           \
	O(CONVERT, "format", 'f', TEXT, "FORMAT", format,                                          \
		"what to write; see below (default: report)")                                      \
	O(ALL, "output", 'o', TEXT, "FILE", output, "where to write it; - is standard output")     \
	O(DUMP | INFO, "json", 0, FLAG, NULL, json, "JSON; of a dump an object a line")            \
	O(INFO, "binaries", 0, FLAG, NULL, binaries,                                               \
		"only this: which files were tried for which binary, and why not")                 \
	O(DUMP, "type", 0, TEXT, "TYPE[,TYPE]", types,                                             \
		"only parts of these types, by name or number")                                    \
	O(DUMP, "offset", 0, NUMBER, "N", offset, "only what begins there in the file or later")   \
	O(DUMP, "limit", 0, NUMBER, "N", limit, "so many parts at most")                           \
	O(DUMP, "fields", 'l', FLAG, NULL, by_field, "a line for each field")                      \
	O(DUMP, "hex", 'x', FLAG, NULL, hex, "all bytes in full, as a hex view")                   \
	O(CONVERT, "pprof", 0, FORMAT, NULL, format, "short for -f pprof")                         \
	O(CONVERT, "folded", 0, FORMAT, NULL, format, "short for -f folded")                       \
	O(CONVERT, "script", 0, FORMAT, NULL, format, "short for -f script")                       \
	O(CONVERT, "report", 0, FORMAT, NULL, format, "short for -f report")                       \
	O(CONVERT, "event", 'e', TEXT, "NAME", event,                                              \
		"event that folded and report show (default: the first)")                          \
	O(CONVERT, "fields", 'F', LIST, "[TYPE:]FIELD[,FIELD]", script_fields,                     \
		"fields of script, +FIELD and -FIELD change them; see pdconv help fields")         \
	O(CONVERT, "ns", 0, FLAG, NULL, script_ns, "times of script to the nanosecond")            \
	O(CONVERT, "hide-call-graph", 'G', FLAG, NULL, hide_call_graph,                            \
		"script shows where samples were, not the stacks behind")                          \
	O(CONVERT, "header", 0, FLAG, NULL, header,                                                \
		"script begins with what the recording says of its machine and events")            \
	O(CONVERT, "header-only", 0, FLAG, NULL, header_only, "script is that, and no samples")    \
	O(CONVERT, "show-mmap-events", 0, FLAG, NULL, show_mmap,                                   \
		"script shows mappings among the samples")                                         \
	O(CONVERT, "show-task-events", 0, FLAG, NULL, show_task,                                   \
		"script shows names, forks and exits of threads among the samples")                \
	O(CONVERT, "show-switch-events", 0, FLAG, NULL, show_switch,                               \
		"script shows switches between threads among the samples")                         \
	O(CONVERT, "show-lost-events", 0, FLAG, NULL, show_lost,                                   \
		"script shows where records were lost among the samples")                          \
	O(CONVERT | INFO, "max-stack", 0, NUMBER, "N", max_stack, "user frames at most (default: 1024)")  \
	O(CONVERT | INFO, "max-frames", 0, NUMBER, "N", max_stack, NULL)                                  \
	O(CONVERT | INFO, "unwind", 0, TEXT, "MODE", unwind,                                       \
		"auto: frame pointers where there is no call frame information; cfi: never")       \
	O(CONVERT, "stitch", 0, FLAG, NULL, stitch,                                                \
		"complete stacks that were cut from neighbouring samples; marks the place")        \
	O(CONVERT, "no-truncated", 0, FLAG, NULL, no_truncated,                                    \
		"no [truncated] at the root of stacks that were cut")                              \
	O(CONVERT, "no-kernel", 0, FLAG, NULL, no_kernel, "leave out kernel frames")               \
	O(CONVERT, "no-user", 0, FLAG, NULL, no_user, "leave out user frames")                     \
	O(CONVERT | INFO, "symfs", 0, TEXT, "DIR", symfs,                                                 \
		"root directory of the recording machine's binaries")                              \
	O(CONVERT | INFO, "sysroot", 0, TEXT, "DIR", symfs, NULL)                                         \
	O(CONVERT | INFO, "path-map", 0, LIST, "FROM=TO", path_maps,                                      \
		"what was recorded below FROM is below TO here; may be given again")               \
	O(CONVERT | INFO, "symbol-dir", 0, LIST, "DIR[:DIR]", debug_dirs,                                 \
		"further places of binaries and debug files; may be given again")                  \
	O(CONVERT | INFO, "debug-paths", 0, LIST, "DIR[:DIR]", debug_dirs, NULL)                          \
	O(CONVERT | INFO, "buildid-dir", 0, TEXT, "DIR", buildid_dir,                                     \
		"perf's build-id cache (default: ~/.debug)")                                       \
	O(CONVERT | INFO, "debuginfod", 0, OPTIONAL, "URLS", debuginfod,                                  \
		"fetch what is missing from these servers (default: $DEBUGINFOD_URLS)")            \
	O(CONVERT | INFO, "debuginfod-timeout", 0, NUMBER, "SECONDS", debuginfod_timeout,                 \
		"give up where less than 100 KiB come in that time (default: 30)")                 \
	O(CONVERT | INFO, "offline", 0, FLAG, NULL, offline, "fetch nothing, whatever else says so")      \
	O(CONVERT | INFO, "no-progress", 0, FLAG, NULL, no_progress, "no progress line on a terminal")    \
	O(CONVERT | INFO, "force-mismatch", 0, FLAG, NULL, force_mismatch,                                \
		"use a binary of another build where there is no other; its functions are marked") \
	O(CONVERT | INFO, "vmlinux", 'k', TEXT, "FILE", vmlinux, "vmlinux of the recorded kernel")        \
	O(CONVERT | INFO, "kallsyms", 0, TEXT, "FILE", kallsyms, "kallsyms of the recorded kernel")       \
	O(CONVERT | INFO, "modules", 0, TEXT, "FILE", modules,                                            \
		"/proc/modules of the recorded kernel, for modules that the recording does not place") \
	O(CONVERT | INFO, "ignore-vmlinux", 0, FLAG, NULL, ignore_vmlinux, "look for no vmlinux")         \
	O(CONVERT, "perf-map-path", 0, TEXT, "DIR", perf_map_dir,                                  \
		"where perf-PID.map files are (default: /tmp, if the recording is of this machine)") \
	O(CONVERT, "no-cache", 0, FLAG, NULL, no_cache,                                            \
		"neither use nor keep names in $XDG_CACHE_HOME/pdconv")                            \
	O(CONVERT, "no-inline", 0, FLAG, NULL, no_inline, "leave out inlined functions")           \
	O(CONVERT, "no-lines", 0, FLAG, NULL, no_lines, "leave out files and lines")               \
	O(CONVERT, "demangle", 0, TEXT, "FORM", demangle,                                          \
		"names as ns::f<int> (templates, the default, as perf), ns::f (short, as pprof), " \
		"void ns::f<int>(int) (full), or as the linker knows them (none)")                 \
	O(CONVERT, "no-demangle", 0, FLAG, NULL, no_demangle, "short for --demangle none")         \
	O(CONVERT | INFO, "jobs", 'j', NUMBER, "N", jobs, "threads (default: one for each processor)")    \
	O(CONVERT | INFO, "nthreads", 'n', NUMBER, "N", jobs, NULL)                                       \
	O(CONVERT, "strict", 0, FLAG, NULL, strict,                                                \
		"exit with 3 if anything was damaged or left out")                                 \
	O(CONVERT | INFO, "fail-under-rooted", 0, PERCENT, "PCT", fail_under_rooted,               \
		"exit with 3 if less than PCT % of the unwound stacks reach the root")             \
	O(CONVERT, "stats", 0, FLAG, NULL, stats,                                                  \
		"say how the stacks ended, and how long it took")                                  \
	O(ALL, "quiet", 'q', FLAG, NULL, quiet, "no warnings")                                     \
	O(ALL, "help", 'h', HELP, NULL, quiet, "this text")                                        \
	O(ALL, "man", 0, MAN, NULL, quiet, "the manual page, for man(1)")                          \
	O(ALL, "version", 0, VERSION, NULL, quiet, "version")

#define CMD_COMMANDS(C)                                                                            \
	C(CONVERT, "", "[INPUT] [-f FORMAT] [-o OUTPUT] [OPTIONS]",                                \
		"convert a recording of Linux perf, without the machine it is from",               \
		"Reads the perf.data INPUT, unwinds the captured stacks, names the frames and "    \
		"writes the result. INPUT is a file, a stream of perf record -o -, or a directory " \
		"of perf record --threads, compressed by gzip, zstd or xz or not; - is standard "  \
		"input. Text goes to standard output; a binary format too, unless that is a "      \
		"terminal: then to a file named after the input. A file is complete or not there.") \
	C(DUMP, "dump", "[INPUT] [OPTIONS]",                                                       \
		"show every record of a recording, field by field",                                \
		"Shows the file header, the attrs, the records and the features in the order of "  \
		"the file, a line each: where it is, its type, and its fields as they are decoded. " \
		"An offset with a z is that of the compressed record that holds it. What does not " \
		"decode, or is not known, follows as a hex view.")                                 \
	C(INFO, "info", "[INPUT] [OPTIONS]",                                                       \
		"tell what is in a recording",                                                     \
		"Tells what the header and its features say, which events there are, how many "    \
		"records of which type, what was lost, when, which processes, which build ids, "   \
		"and how far the captured stacks can be unwound.")
/* clang-format on */

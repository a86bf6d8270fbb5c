/*
 * The options: O(commands, long, short, kind, argument, member, "help"), in the order of the help
 * text.
 *
 * commands: CONVERT, DUMP, INFO, DIFF, PERF_TO_PROFILE, RECORD; SHOW: those that write a profile; READ: those
 * that make one; or ALL of them. kind: FLAG sets the bool `member`; TEXT, NUMBER and
 * PERCENT take an argument; LIST takes one each time that it is given, FILTER too, and notes its place; OPTIONAL may have one, behind
 * a =, and is "" without; FORMAT sets the format of the option's own name; HELP, MAN and VERSION print and
 * end. short is 0 where there is none. An option whose help is NULL is another name for the one
 * before it.
 *
 * The commands: C(NAME, name, arguments, "summary", "description").
 */
/* clang-format off */
#define CMD_OPTIONS(O)                                                                     \
	O(READ | DUMP | PERF_TO_PROFILE, "input", 'i', TEXT, "FILE", input,                \
		"recording to read (default: a pipe on standard input, else perf.data)")   \
	O(SHOW, "format", 'f', TEXT, "FORMAT", format,                                     \
		"what to write; see below (default: report)")                              \
	O(READ | DUMP | PERF_TO_PROFILE, "output", 'o', TEXT, "FILE", output, "where to write it; - is standard output") \
	O(DUMP | INFO, "json", 0, FLAG, NULL, json, "JSON; of a dump an object a line")    \
	O(INFO, "binaries", 0, FLAG, NULL, binaries,                                       \
		"only this: which files were tried for which binary, and why not")         \
	O(DUMP, "type", 0, TEXT, "TYPE[,TYPE]", types,                                     \
		"only parts of these types, by name or number")                            \
	O(DUMP, "offset", 0, NUMBER, "N", offset, "only what begins there in the file or later") \
	O(DUMP, "limit", 0, NUMBER, "N", limit, "so many parts at most")                   \
	O(DUMP, "fields", 'l', FLAG, NULL, by_field, "a line for each field")              \
	O(DUMP, "hex", 'x', FLAG, NULL, hex, "all bytes in full, as a hex view")           \
	O(CONVERT | RECORD, "pprof", 0, FORMAT, NULL, format, "short for -f pprof")        \
	O(SHOW | RECORD, "folded", 0, FORMAT, NULL, format, "short for -f folded")         \
	O(CONVERT | RECORD, "script", 0, FORMAT, NULL, format, "short for -f script")      \
	O(CONVERT | RECORD, "perfdata", 0, FORMAT, NULL, format, "short for -f perfdata")  \
	O(SHOW | RECORD, "report", 0, FORMAT, NULL, format, "short for -f report")         \
	O(READ, "event", 'e', LIST, "NAME[,NAME]", events,                                 \
		"only samples of these events (default of folded and report: the first)")  \
	O(SHOW, "event-filter", 0, LIST, "NAME[,NAME]", events, NULL)                      \
	O(READ, "pid", 0, LIST, "PID[,PID]", pids, "only samples of these processes")      \
	O(READ, "tid", 0, LIST, "TID[,TID]", tids, "only samples of these threads")        \
	O(READ, "comms", 0, LIST, "COMM[,COMM]", comms,                                    \
		"only samples of threads that are called so")                              \
	O(READ, "comm", 0, LIST, "COMM[,COMM]", comms, NULL)                               \
	O(READ, "cpu", 'C', LIST, "CPU[-CPU][,CPU]", cpus, "only samples of these CPUs")   \
	O(READ, "time", 0, LIST, "FROM,TO", times,                                         \
		"only samples of that time: 12.5,13.25 seconds on the recording's clock; 10%-20% or " \
		"10%/2 of its length; 1s-10s or 1s+9s after the first sample")             \
	O(READ, "time-range", 0, LIST, "FROM-TO", times, NULL)                             \
	O(READ, "dsos", 0, LIST, "DSO[,DSO]", dsos,                                        \
		"only samples in these binaries, by path or last part of it")              \
	O(READ, "dso", 0, LIST, "DSO[,DSO]", dsos, NULL)                                   \
	O(SHOW, "symbols", 'S', LIST, "SYMBOL[,SYMBOL]", symbols,                          \
		"only samples in these functions")                                         \
	O(CONVERT, "fields", 'F', LIST, "[TYPE:]FIELD[,FIELD]", script_fields,             \
		"fields of script, +FIELD and -FIELD change them; see pdconv help fields") \
	O(CONVERT, "ns", 0, FLAG, NULL, script.ns, "times of script to the nanosecond")    \
	O(CONVERT, "hide-call-graph", 'G', FLAG, NULL, script.hide_call_graph,             \
		"script shows where samples were, not the stacks behind")                  \
	O(CONVERT, "header", 0, FLAG, NULL, script.header,                                 \
		"script begins with what the recording says of its machine and events")    \
	O(CONVERT, "header-only", 0, FLAG, NULL, script.header_only, "script is that, and no samples") \
	O(CONVERT, "show-mmap-events", 0, FLAG, NULL, script.show_mmap,                    \
		"script shows mappings among the samples")                                 \
	O(CONVERT, "show-task-events", 0, FLAG, NULL, script.show_task,                    \
		"script shows names, forks and exits of threads among the samples")        \
	O(CONVERT, "show-switch-events", 0, FLAG, NULL, script.show_switch,                \
		"script shows switches between threads among the samples")                 \
	O(CONVERT, "show-lost-events", 0, FLAG, NULL, script.show_lost,                    \
		"script shows where records were lost among the samples")                  \
	O(READ, "max-stack", 0, NUMBER, "N", max_stack, "user frames at most (default: 1024)") \
	O(READ, "max-frames", 0, NUMBER, "N", max_stack, NULL)                             \
	O(READ, "unwind", 0, TEXT, "MODE", unwind,                                         \
		"auto: frame pointers where there is no call frame information; cfi: never") \
	O(SHOW, "stitch", 0, FLAG, NULL, stitch,                                           \
		"complete stacks that were cut from neighbouring samples; marks the place") \
	O(SHOW, "no-truncated", 0, FLAG, NULL, no_truncated,                               \
		"no [truncated] at the root of stacks that were cut")                      \
	O(SHOW, "no-kernel", 0, FLAG, NULL, no_kernel, "leave out kernel frames")          \
	O(SHOW, "no-user", 0, FLAG, NULL, no_user, "leave out user frames")                \
	O(READ, "symfs", 0, TEXT, "DIR", symfs,                                            \
		"root directory of the recording machine's binaries")                      \
	O(READ, "sysroot", 0, TEXT, "DIR", symfs, NULL)                                    \
	O(READ, "path-map", 0, LIST, "FROM=TO", path_maps,                                 \
		"what was recorded below FROM is below TO here; may be given again")       \
	O(READ, "symbol-dir", 0, LIST, "DIR[:DIR]", debug_dirs,                            \
		"further places of binaries and debug files; may be given again")          \
	O(READ, "debug-paths", 0, LIST, "DIR[:DIR]", debug_dirs, NULL)                     \
	O(READ, "buildid-dir", 0, TEXT, "DIR", buildid_dir,                                \
		"perf's build-id cache (default: ~/.debug)")                               \
	O(READ, "debuginfod", 0, OPTIONAL, "URLS", debuginfod,                             \
		"fetch what is missing from these servers (default: $DEBUGINFOD_URLS)")    \
	O(READ, "debuginfod-timeout", 0, NUMBER, "SECONDS", debuginfod_timeout,            \
		"give up where less than 100 KiB come in that time (default: 30)")         \
	O(READ, "offline", 0, FLAG, NULL, offline, "fetch nothing, whatever else says so") \
	O(READ, "no-progress", 0, FLAG, NULL, no_progress, "no progress line on a terminal") \
	O(READ, "force-mismatch", 0, FLAG, NULL, force_mismatch,                           \
		"use a binary of another build where there is no other; its functions are marked") \
	O(READ, "vmlinux", 'k', TEXT, "FILE", vmlinux, "vmlinux of the recorded kernel")   \
	O(READ, "kallsyms", 0, TEXT, "FILE", kallsyms, "kallsyms of the recorded kernel")  \
	O(READ, "modules", 0, TEXT, "FILE", modules,                                       \
		"/proc/modules of the recorded kernel, for modules that the recording does not place") \
	O(READ, "ignore-vmlinux", 0, FLAG, NULL, ignore_vmlinux, "look for no vmlinux")    \
	O(SHOW, "perf-map-path", 0, TEXT, "DIR", perf_map_dir,                             \
		"where perf-PID.map files are (default: /tmp, if the recording is of this machine)") \
	O(SHOW, "no-cache", 0, FLAG, NULL, no_cache,                                       \
		"neither use nor keep names in $XDG_CACHE_HOME/pdconv")                    \
	O(SHOW, "no-inline", 0, FLAG, NULL, no_inline, "leave out inlined functions")      \
	O(SHOW, "no-lines", 0, FLAG, NULL, no_lines, "leave out files and lines")          \
	O(SHOW, "demangle", 0, TEXT, "FORM", demangle,                                     \
		"names as ns::f<int> (templates, the default, as perf), ns::f (short, as pprof), " \
		"void ns::f<int>(int) (full), or as the linker knows them (none)")         \
	O(SHOW, "no-demangle", 0, FLAG, NULL, no_demangle, "short for --demangle none")    \
	O(READ, "jobs", 'j', NUMBER, "N", jobs, "threads (default: one for each processor)") \
	O(READ, "nthreads", 'n', NUMBER, "N", jobs, NULL)                                  \
	O(CONVERT, "labels", 0, TEXT, "LABEL[,LABEL]", labels,                             \
		"pprof: tell samples apart further; see pdconv help labels")               \
	O(CONVERT | RECORD, "tag", 0, LIST, "KEY=VALUE", tags,                             \
		"pprof: give every sample this label; may be given again; a recording keeps it") \
	O(SHOW, "weight", 0, TEXT, "WHAT", weight,                                         \
		"folded: what lines weigh: period (the default) or samples")               \
	O(SHOW, "folded-pid", 0, FLAG, NULL, folded.pid, "folded: COMM-PID for COMM")      \
	O(SHOW, "folded-tid", 0, FLAG, NULL, folded.tid, "folded: COMM-PID/TID for COMM")  \
	O(SHOW, "kernel", 0, FLAG, NULL, folded.mark_kernel, "folded: _[k] behind the kernel's functions") \
	O(SHOW, "jit", 0, FLAG, NULL, folded.mark_jit, "folded: _[j] behind generated functions") \
	O(SHOW, "all", 0, FLAG, NULL, mark_all, "folded: short for --kernel --jit")        \
	O(SHOW, "inline", 0, FLAG, NULL, folded.mark_inlined, "folded: _[i] behind inlined functions") \
	O(SHOW, "addrs", 0, FLAG, NULL, folded.addrs, "folded: addresses where there are no names") \
	O(SHOW, "context", 0, FLAG, NULL, folded.context, "folded: :FILE:LINE behind functions") \
	O(SHOW, "srcline", 0, FLAG, NULL, folded.context, NULL)                            \
	O(SHOW, "skip-after", 0, LIST, "FUNCTION", skip_after,                             \
		"folded: leave out the callers of this function; may be given again")      \
	O(DIFF, "normalize", 0, FLAG, NULL, normalize,                                     \
		"folded: scale what was before to weigh as much as what is after")         \
	O(CONVERT, "keep-stacks", 0, FLAG, NULL, perfdata.keep_stacks,                     \
		"in perfdata: leave captured registers and stacks there, beside the call chains") \
	O(CONVERT, "strip-hostname", 0, FLAG, NULL, perfdata.strip_hostname,               \
		"in perfdata: leave out what the machine was called")                      \
	O(CONVERT, "strip-cmdline", 0, FLAG, NULL, perfdata.strip_cmdline,                 \
		"in perfdata: leave out the command line of the recorder")                 \
	O(CONVERT, "compress", 'z', OPTIONAL, "LEVEL", compress,                           \
		"in perfdata: compress records as perf record -z does, level 1 to 22 (default: 1)") \
	O(CONVERT, "strict", 0, FLAG, NULL, strict,                                        \
		"exit with 3 if anything was damaged or left out")                         \
	O(READ, "fail-under-rooted", 0, PERCENT, "PCT", fail_under_rooted,                 \
		"exit with 3 if less than PCT % of the unwound stacks reach the root")     \
	O(CONVERT, "stats", 0, FLAG, NULL, stats,                                          \
		"say how the stacks ended, and how long it took")                          \
	O(ALL, "quiet", 'q', FLAG, NULL, quiet, "no warnings")                             \
	O(RECORD, "output", 'o', TEXT, "FILE", output, "where to write it (default: perf.data); - is standard output, as a stream") \
	O(RECORD, "format", 'f', TEXT, "FORMAT", format, "convert what was recorded, and keep only that; see pdconv help formats") \
	O(RECORD, "event", 'e', LIST, "EVENT[,EVENT]", events,                             \
		"what to record, as perf record takes it, or probe:[NAME=]PATH:FUNCTION [ARG ...] for a uprobe (default: cycles, or cpu-clock if there are none)") \
	O(RECORD, "filter", 0, FILTER, "FILTER", record.filters, "of the -e before it: tracepoints only") \
	O(RECORD, "pid", 'p', LIST, "PID[,PID]", record.pids, "record these processes")    \
	O(RECORD, "tid", 't', LIST, "TID[,TID]", record.tids, "record these threads")      \
	O(RECORD, "uid", 'u', TEXT, "USER", record.user, "record all processes of this user") \
	O(RECORD, "cgroup", 'G', LIST, "NAME[,NAME]", record.cgroups, "record all processes of these control groups") \
	O(RECORD, "user-regs", 0, TEXT, "REG[,REG]", record.user_regs,                     \
		"registers of user space to record (default: what --call-graph dwarf needs)") \
	O(RECORD, "all-cpus", 'a', FLAG, NULL, record.all_cpus, "record everything on all CPUs") \
	O(RECORD, "cpu", 'C', TEXT, "CPU[-CPU][,CPU]", record.cpus, "record on these CPUs only") \
	O(RECORD, "freq", 'F', TEXT, "HZ", record.freq, "samples a second, or max (default: 999)") \
	O(RECORD, "count", 'c', NUMBER, "N", record.count, "a sample every so many events instead") \
	O(RECORD, "stacks", 'g', FLAG, NULL, record.has_stacks, "short for --call-graph fp") \
	O(RECORD, "call-graph", 0, TEXT, "KIND", record.call_graph,                        \
		"stacks by frame pointers (fp), copies to be unwound later (dwarf[,BYTES]), lbr") \
	O(RECORD, "mmap-pages", 'm', TEXT, "N", record.ring,                               \
		"each CPU's ring buffer: pages, or bytes with B, K, M or G behind (default: 512K; 4M for copies of stacks, if root)") \
	O(RECORD, "compression-level", 'z', OPTIONAL, "LEVEL", record.level,               \
		"compress records, level 1 to 22 of zstd (default: 1)")                    \
	O(RECORD, "duration", 'd', TEXT, "SECONDS", record.duration, "end after that time") \
	O(RECORD, "delay", 'D', NUMBER, "MS", record.delay_ms, "count nothing for so long") \
	O(RECORD, "clockid", 'k', TEXT, "CLOCK", record.clock,                             \
		"clock of times: monotonic, monotonic_raw, realtime, boottime, tai or a number") \
	O(RECORD, "switch-events", 0, FLAG, NULL, record.with_switches, "record context switches") \
	O(RECORD, "off-cpu", 0, FLAG, NULL, record.offcpu, "where threads waited and how long, too") \
	O(RECORD, "all-cgroups", 0, FLAG, NULL, record.with_cgroups, "samples tell their cgroup") \
	O(RECORD, "namespaces", 0, FLAG, NULL, record.with_namespaces, "record namespaces") \
	O(RECORD, "no-inherit", 0, FLAG, NULL, record.no_inherit,                          \
		"not what recorded threads and processes make")                            \
	O(RECORD, "no-buildid", 0, FLAG, NULL, record.no_build_ids, "mappings tell no build ids") \
	O(RECORD, "verbose", 'v', FLAG, NULL, record.verbose, "tell what the recorder itself cost, and what was not read") \
	O(PERF_TO_PROFILE, "force", 'f', FLAG, NULL, force, "overwrite the output if it is there") \
	O(PERF_TO_PROFILE, "jit", 'j', FLAG, NULL, unaligned_jit,                          \
		"accepted: JIT mappings need not be aligned")                              \
	O(ALL, "help", 'h', HELP, NULL, quiet, "this text")                                \
	O(ALL, "man", 0, MAN, NULL, quiet, "the manual page, for man(1)")                  \
	O(ALL, "version", 0, VERSION, NULL, quiet, "version")

#define CMD_COMMANDS(C)                                                                    \
	C(CONVERT, "", "[INPUT ...] [-f FORMAT] [-o OUTPUT] [OPTIONS]",                    \
		"convert a recording of Linux perf, without the machine it is from",       \
		"Reads the perf.data INPUT, unwinds the captured stacks, names the frames and " \
		"writes the result. INPUT is a file, a stream of perf record -o -, or a directory " \
		"of perf record --threads, compressed by gzip, zstd or xz or not; - is standard " \
		"input. Several become one profile, whose samples say from which they are. Text " \
		"goes to standard output; a binary format too, unless that is a terminal: then to " \
		"a file named after the input. A file is complete or not there.")          \
	C(DUMP, "dump", "[INPUT] [OPTIONS]",                                               \
		"show every record of a recording, field by field",                        \
		"Shows the file header, the attrs, the records and the features in the order of " \
		"the file, a line each: where it is, its type, and its fields as they are decoded. " \
		"An offset with a z is that of the compressed record that holds it. What does not " \
		"decode, or is not known, follows as a hex view.")                         \
	C(INFO, "info", "[INPUT] [OPTIONS]",                                               \
		"tell what is in a recording",                                             \
		"Tells what the header and its features say, which events there are, how many " \
		"records of which type, what was lost, when, which processes, which build ids, " \
		"and how far the captured stacks can be unwound.")                         \
	C(DIFF, "diff", "BEFORE AFTER [-f FORMAT] [-o OUTPUT] [OPTIONS]",                  \
		"show how two recordings differ",                                          \
		"Reads both, and shows which functions have another share of the samples than " \
		"before (report), or each stack with its weight before and after, as flamegraph.pl " \
		"takes it for a differential flame graph (folded).")                       \
	C(RECORD, "record", "[OPTIONS] [-- COMMAND ...]",                                  \
		"record a program, processes or the machine",                              \
		"Samples the program COMMAND from its start to its end, or processes that run, or " \
		"all that runs, until it is interrupted, into perf.data, as perf record does. With " \
		"a format the recording is converted as soon as it has ended. A COMMAND that has " \
		"not ended by then is told to (SIGTERM).")                                                             \
	C(PERF_TO_PROFILE, "perf_to_profile", "-i INPUT -o OUTPUT [-f] [-j]",              \
		"what pprof calls to read a recording",                                    \
		"Writes the recording INPUT to OUTPUT, which must not exist (but for -f), in the " \
		"format of pprof. This is the program by that name: with it on the PATH, pprof " \
		"perf.data works, for recordings with captured stacks too.")
/* clang-format on */

/*
 * The command line: options, commands, and what else the help texts and manual pages are made
 * of.
 *
 * An option is O(commands, topic, formats, name, letter, kind, argument, member, "help",
 * "details"), in the order of the help text within its topic.
 *
 *   commands  the commands that have it: CONVERT, which is CMD_CONVERT and BATCH, REPORT, ANNOTATE,
 *             DUMP, INFO, DIFF, VIEW, ARCHIVE, PERF_TO_PROFILE, RECORD, QUERY, MCP; SHOW: those
 *             that write a profile; READ: those that make one, except ASK: QUERY and MCP; NAME:
 *             those that name addresses; FIND: those that look for binaries; or ALL
 *   topic     its group in the help text, see CMD_TOPICS
 *   formats   the formats that heed it: ANY, one (TEXT_REPORT is the report), or NAMED, which are
 *             those that print names
 *   letter    its short name; 0: none. On record, options of conversions have none.
 *   kind      how its argument is parsed, and the type of the member; see cmd/options/kind_defs.h
 *   member    of struct cmd_options
 *   help      a verb phrase of 60 columns at most; NULL: it is another name for the option
 *             before it
 *   details   for the manual page; NULL: the help says everything
 */
/* clang-format off */

/* Details of --source-dir, which annotate and the page have with different conditions. */
#define CMD_SOURCE_DIR_DETAILS \
	"The last parts of a path in the debug information are looked for below DIR, as many as exist " \
	"there. Can be given several times."

#define CMD_OPTIONS(O) \
	O((READ & ~BATCH) | DUMP | PERF_TO_PROFILE, INPUT, ANY, "input", 'i', TEXT, "FILE", input, \
		"read this recording", \
		"The default is standard input if that is a pipe, and otherwise perf.data. The " \
		"recording can also be given without an option.") \
	O(CMD_CONVERT | REPORT | VIEW, INPUT, NAMED, "from-folded", 0, FLAG, NULL, from_folded, \
		"read folded stacks, not a recording", \
		"Each line is names with ; between them, a space and a number. The first name is that of a thread. Queries to many recordings " \
		"and other profilers write such text. Options for events, times, binaries and unwinding have no effect on it.") \
	O(SYMBOLIZE, INPUT, ANY, "offsets", 0, OFFSETS, "KIND", offsets, \
		"numbers in text are auto, file or vaddr", \
		"file: offsets in the file, as BPF writes them with build ids; vaddr: addresses as in the ELF file, as sanitizers and " \
		"backtrace_symbols() write them with paths; auto, the default: file after a build id, and vaddr after a path.") \
	O(DIFF, INPUT, ANY, "to", 0, SEPARATOR, NULL, n_before, \
		"compare the recordings before it to those after it", \
		"Each side may have several recordings. Two recordings need no --to.") \
	O(BATCH, INPUT, ANY, "shard", 0, TEXT, "INDEX/COUNT", batch.shard, \
		"convert one of COUNT parts of the recordings", \
		"INDEX is 0 to COUNT - 1. A recording belongs to a part by the hash of its name as it is given, or by that of its path " \
		"below the folder that is given. Machines with the same names convert disjoint parts without talking to each other.") \
	O(CMD_CONVERT | DIFF, OUTPUT, ANY, "format", 'f', FORMAT, "FORMAT", format, \
		"write this format (default: report)", \
		"See pdconv help formats.") \
	O(BATCH, OUTPUT, ANY, "format", 'f', FORMAT, "FORMAT", format, \
		"write this format (default: parquet)", \
		"See pdconv help formats.") \
	O(BATCH, OUTPUT, ANY, "output", 'o', TEXT, "DIR", output, \
		"write below this folder, which may exist", \
		"It has DIR/TABLE/LABELS/ID.parquet, or DIR/LABELS/ID and the suffix of another format.") \
	O(BATCH, OUTPUT, ANY, "label", 0, LIST, "NAME=RULE", batch.labels, \
		"put recordings into folders NAME=VALUE (default: date={date})", \
		"Engines read such folders as a column. RULE is text with {host}, {kernel} and {arch} of the recording, {date}, the day of its " \
		"first sample in UTC, or of the last change of the file if that was not recorded, {file}, {dir1}, the folder of the " \
		"recording, {dir2}, the folder that has this one, and so on. Can be given several times.") \
	O(BATCH, OUTPUT, ANY, "tables", 0, NAMES, "TABLE[,TABLE]", batch.tables, \
		"write these tables, too; all: all of pdconv sql", \
		"Always written are folded, recording, losses, quality, events, binaries, functions, function_totals and wait_functions.") \
	O(RECORD, OUTPUT, ANY, "format", 'f', FORMAT, "FORMAT", format, \
		"convert to this format while recording, and keep only that", \
		"Samples are unwound and dropped as they come, in a second process, so neither memory nor " \
		"temporary files grow with the length of the recording. If that is too slow, stacks become " \
		"shorter before samples are lost. The format perfdata needs the whole recording in a temporary file, and so does " \
		"what follows when a process maps a jitdump. See pdconv help formats. pdconv --help lists the options of " \
		"conversions. Those for stacks, symbols and the format apply here, too, by their long names: --symbol-dir, " \
		"--no-inline, --sort and so on.") \
	O(CMD_CONVERT | RECORD, OUTPUT, ANY, "send", 0, TEXT, "URL", send.url, \
		"send the profile to this server", \
		"It is not written. The path of the URL says what the server is: /v1development/profiles, or none, one that takes OTLP, such as a collector of " \
		"OpenTelemetry; /ingest, Pyroscope; /api/profiles/writeraw, Parca. --tag describes the profile: --tag service.name=api. " \
		"If the server does not answer or is busy, pdconv tries for a minute; then the profile waits for the next --send to this " \
		"server. What the server may have is never sent again.") \
	O(RECORD, OUTPUT, ANY, "every", 0, SECONDS, "SECONDS", send.every, \
		"record until it is stopped, and send a profile each time", \
		"For --send. A recording of SECONDS is converted and sent while the next one is made, so memory and files do not grow. " \
		"Between two recordings some milliseconds are missing. SIGINT and SIGTERM end it; what was recorded by then is sent.") \
	O(CMD_CONVERT | RECORD, OUTPUT, ANY, "send-headers", 0, FILE, "FILE", send.headers, \
		"send these headers, one NAME: VALUE a line", \
		"They are for passwords and tokens, which other users could see in a command line. The default is $PDCONV_SEND_HEADERS.") \
	O(CMD_CONVERT | RECORD, OUTPUT, ANY, "spool", 0, TEXT, "DIR", send.spool, \
		"let profiles wait in this folder",\
		"The default is $XDG_STATE_HOME/pdconv/spool or ~/.local/state/pdconv/spool.") \
	O(CMD_CONVERT | RECORD, OUTPUT, ANY, "spool-size", 0, MEMORY, "SIZE", send.spool_bytes, \
		"let at most this much wait (default: 256M)", \
		"The oldest profiles are dropped then. SIZE is a number with the unit K, M, G or T, at least 16M.") \
	O(CONVERT | RECORD, OUTPUT, ANY, "pprof", 0, SHORT_FORMAT, NULL, format, "short for -f pprof", NULL) \
	O(CONVERT | DIFF | RECORD, OUTPUT, ANY, "folded", 0, SHORT_FORMAT, NULL, format, \
		"short for -f folded", NULL) \
	O(CONVERT | RECORD, OUTPUT, ANY, "script", 0, SHORT_FORMAT, NULL, format, "short for -f script", NULL) \
	O(CONVERT | RECORD, OUTPUT, ANY, "perfdata", 0, SHORT_FORMAT, NULL, format, \
		"short for -f perfdata", NULL) \
	O(CONVERT | DIFF | RECORD, OUTPUT, ANY, "report", 0, SHORT_FORMAT, NULL, format, \
		"short for -f report", NULL) \
	O(VIEW, OUTPUT, ANY, "no-open", 0, FLAG, NULL, no_open, \
		"do not open the page, only print where it is", NULL) \
	O((READ & ~(ARCHIVE | BATCH)) | DUMP | PERF_TO_PROFILE | SYMBOLIZE, OUTPUT, ANY, "output", 'o', TEXT, "FILE", output, \
		"write to this file (- is standard output)", \
		"The file appears under its name when it is complete.") \
	O(ARCHIVE, OUTPUT, ANY, "output", 'o', TEXT, "FILE", output, \
		"write to this file (default: INPUT.tar.zst)", \
		"The default is the name by which all commands find the archive. - is standard output.") \
	O(ARCHIVE | RECORD, OUTPUT, ANY, "debug", 0, FLAG, NULL, with_debug, \
		"add the separate debug files that are found", \
		"They have inlined functions, source files and lines, and the names of static functions; .dwo and .dwp files are among " \
		"them. pdconv record needs --archive.") \
	O(RECORD, OUTPUT, ANY, "output", 'o', TEXT, "FILE", output, \
		"write to this file (default: perf.data)", \
		"- is standard output, to which a stream is written (pipe mode of perf). An older " \
		"recording of that name is renamed to FILE.old.") \
	O(PERF_TO_PROFILE, OUTPUT, ANY, "force", 'f', FLAG, NULL, force, \
		"overwrite an existing output file", NULL) \
	O(DUMP, OUTPUT, ANY, "json", 0, FLAG, NULL, dump.json, "write JSON, one object per line", NULL) \
	O(INFO | SQL, OUTPUT, ANY, "json", 0, FLAG, NULL, json, "write JSON", \
		"pdconv sql writes an array of objects for each statement. Blobs are hexadecimal.") \
	O(SQL, OUTPUT, ANY, "csv", 0, FLAG, NULL, csv, "write CSV with a line of names", \
		"NULL is empty, and blobs are hexadecimal.") \
	O(SQL, OUTPUT, ANY, "schema", 0, FLAG, NULL, schema, "print tables, columns and their meanings", \
		"No recording is read.") \
	O(INFO, OUTPUT, ANY, "limit", 0, COUNT, "N", limit, \
		"list at most this many commands, build ids and so on", \
		"The default is 40 for texts. JSON lists all commands, build ids, threads and binaries by " \
		"default, and counts in left_out what the limit leaves out. It has no effect on --binaries.") \
	O(INFO, OUTPUT, ANY, "binaries", 0, FLAG, NULL, binaries, \
		"list the files tried for each binary, with the verdicts", \
		"Nothing else is shown.") \
	O(DUMP, OUTPUT, ANY, "fields", 'l', FLAG, NULL, dump.by_field, "write one line per field", NULL) \
	O(DUMP, OUTPUT, ANY, "hex", 'x', FLAG, NULL, dump.hex, "show all bytes as a hex view", \
		"Without it only unknown and invalid bytes are shown.") \
	O(DUMP, FILTERS, ANY, "type", 0, TEXT, "TYPE[,TYPE]", dump.types, \
		"only show parts of these types, by name or number", NULL) \
	O(DUMP, FILTERS, ANY, "offset", 0, NUMBER, "N", dump.offset, \
		"only show parts from this file offset on, in bytes", NULL) \
	O(DUMP, FILTERS, ANY, "limit", 0, NUMBER, "N", dump.limit, "show at most this many parts", NULL) \
	O(READ, FILTERS, ANY, "event", 'e', EVENTS, "NAME[,NAME]", filter.events, \
		"only include samples of these events", \
		"By default folded shows the first event, and so does the report for tracepoints; the other formats " \
		"show all events.") \
	O(READ, FILTERS, ANY, "event-filter", 0, EVENTS, "NAME[,NAME]", filter.events, NULL, NULL) \
	O(READ, FILTERS, ANY, "pid", 0, RANGES, "PID[,PID]", filter.pids, "only include samples of these processes", \
		"Ranges like 100-199 are possible.") \
	O(READ, FILTERS, ANY, "tid", 0, RANGES, "TID[,TID]", filter.tids, "only include samples of these threads", \
		"Ranges like 100-199 are possible.") \
	O(READ, FILTERS, ANY, "comms", 0, NAMES, "COMM[,COMM]", filter.comms, \
		"only include threads with these names", NULL) \
	O(READ, FILTERS, ANY, "comm", 0, NAMES, "COMM[,COMM]", filter.comms, NULL, NULL) \
	O(READ, FILTERS, ANY, "cpu", 'C', RANGES, "CPU[-CPU][,CPU]", filter.cpus, \
		"only include samples of these CPUs", NULL) \
	O(READ, FILTERS, ANY, "time", 0, TIMES, "FROM,TO", filter.times, "only include samples of this time span", \
		"12.5,13.25 are seconds on the clock of the recording. 10%-20% and 10%/2 (the second " \
		"slice of 10 %) are shares of its length. 1s-10s and 1s+9s count from the first " \
		"sample; the units are ns, us, ms, s, m and h.") \
	O(READ, FILTERS, ANY, "time-range", 0, TIMES, "FROM-TO", filter.times, NULL, NULL) \
	O(READ, FILTERS, ANY, "dsos", 0, NAMES, "DSO[,DSO]", filter.dsos, "only include samples in these binaries", \
		"A binary is given by its path or by the last part of that.") \
	O(READ, FILTERS, ANY, "dso", 0, NAMES, "DSO[,DSO]", filter.dsos, NULL, NULL) \
	O(SHOW | RECORD, FILTERS, ANY, "symbols", 'S', NAMES, "SYMBOL[,SYMBOL]", filter.symbols, \
		"only include samples in these functions", \
		"Inlined functions are not compared. A name may lack template arguments, namespaces, packages and classes: " \
		"Index::add, ns::add and add all stand for ns::Index<int>::add. It may be shortened as in a report, " \
		"ns::Index<...>::add, and be a regular expression, /REGEX/. If several functions have it, all of them are taken.") \
	O(SHOW | RECORD, FILTERS, ANY, "focus", 0, PATTERN, "REGEX", filter.focus, \
		"only include samples with a matching frame in their stack", \
		"A frame matches by a function, also an inlined one, by its source file, or by its " \
		"binary. With several patterns one of them must match. A pattern that matches nothing " \
		"is taken for a name as in --symbols.") \
	O(SHOW | RECORD, FILTERS, ANY, "ignore", 0, PATTERN, "REGEX", filter.ignore, \
		"leave out samples with a matching frame in their stack", \
		"Patterns are those of --focus.") \
	O(SHOW | RECORD, STACKS, NAMED, "hide", 0, PATTERN, "REGEX", filter.hide, \
		"leave out matching frames", \
		"Patterns are those of --focus. What the frames cost is that of their callers.") \
	O(SHOW | RECORD, STACKS, NAMED, "hide-scaffolding", 0, FLAG, NULL, profile.filter.hides_scaffolding, \
		"leave out functions that only pass control on", \
		"These are functions of standard libraries and runtimes such as std::__invoke, " \
		"start_thread and runtime.goexit, and entries of the kernel.") \
	O(SHOW | RECORD, STACKS, NAMED, "root", 0, NAMES, "FUNCTION[,FUNCTION]", filter.roots, \
		"begin stacks at these functions", \
		"Their callers are left out, and so are samples of stacks without these functions. Names " \
		"are those of --symbols, also of inlined functions.") \
	O(READ | ASK | RECORD, STACKS, ANY, "max-stack", 0, COUNT, "N", profile.unwind.max_stack, \
		"keep at most this many user frames (default: 1024)", NULL) \
	O(READ | ASK | RECORD, STACKS, ANY, "max-frames", 0, COUNT, "N", profile.unwind.max_stack, NULL, NULL) \
	O(READ | ASK | RECORD, STACKS, ANY, "unwind", 0, UNWIND, "MODE", profile.unwind.cfi_only, \
		"follow frame pointers without CFI (auto) or never (cfi)", \
		"auto is the default. Frames found only by frame pointers are marked as guesses.") \
	O(SHOW | ASK | RECORD, STACKS, ANY, "stitch", 0, FLAG, NULL, profile.stitch, \
		"complete truncated stacks from neighbouring samples", \
		"The frame [stitched] marks the place.") \
	O(SHOW | ASK | RECORD, STACKS, NAMED, "no-truncated", 0, FLAG, NULL, profile.no_truncated, \
		"omit [truncated] at the root of truncated stacks", NULL) \
	O(SHOW | ASK | RECORD, STACKS, ANY, "no-kernel", 0, FLAG, NULL, profile.unwind.no_kernel, "omit kernel frames", NULL) \
	O(SHOW | ASK | RECORD, STACKS, ANY, "no-user", 0, FLAG, NULL, profile.unwind.no_user, "omit user frames", NULL) \
	O(FIND, SYMBOLS, ANY, "symfs", 0, DIR, "DIR", profile.search.symfs, \
		"take binaries from this root of the recording machine", NULL) \
	O(FIND, SYMBOLS, ANY, "sysroot", 0, DIR, "DIR", profile.search.symfs, NULL, NULL) \
	O(FIND, SYMBOLS, ANY, "no-own-paths", 0, FLAG, NULL, profile.search.no_own_paths, \
		"look for no file at its recorded path", \
		"Paths of another machine may be on a network mount of this one. Directories that other options " \
		"name, build-id caches, archives and servers are still used.") \
	O(FIND, SYMBOLS, ANY, "path-map", 0, PATH_MAP, "FROM=TO", search.path_maps, \
		"look below TO for what was recorded below FROM", \
		"Can be given several times.") \
	O(FIND, SYMBOLS, ANY, "symbol-dir", 0, DIRS, "DIR[:DIR]", search.dirs, \
		"look here for binaries and debug files", \
		"Can be given several times. A tarball of perf archive is accepted like a directory.") \
	O(FIND, SYMBOLS, ANY, "debug-paths", 0, DIRS, "DIR[:DIR]", search.dirs, NULL, NULL) \
	O(FIND, SYMBOLS, ANY, "buildid-dir", 0, PATH, "DIR", profile.search.buildid_dir, \
		"use this build-id cache of perf (default: ~/.debug)", \
		"A tarball of perf archive is accepted like a directory. The default is $PERF_BUILDID_DIR, or buildid.dir of " \
		"perf's configuration, or ~/.debug.") \
	O(FIND, SYMBOLS, ANY, "debuginfod", 0, OPTIONAL, "URLS", profile.search.debuginfod_urls, \
		"fetch missing files (default: $DEBUGINFOD_URLS)", \
		"URLS are those of debuginfod servers. Without this option nothing is fetched.") \
	O(FIND, SYMBOLS, ANY, "debuginfod-timeout", 0, UINT, "SECONDS", profile.search.debuginfod_timeout, \
		"give up on a slow server (default: 30)", \
		"A server is slow if it sends less than 100 KiB in this time.") \
	O(FIND, SYMBOLS, ANY, "offline", 0, FLAG, NULL, search.offline, \
		"fetch nothing, even if another option says so", NULL) \
	O(FIND, SYMBOLS, ANY, "no-progress", 0, FLAG, NULL, search.no_progress, \
		"do not show the progress of downloads", NULL) \
	O(FIND, SYMBOLS, ANY, "force-mismatch", 0, FLAG, NULL, profile.search.force_mismatch, \
		"use a binary of another build as the last resort", \
		"Its functions are marked [mismatch].") \
	O((READ & ~ARCHIVE) | ASK | RECORD, SYMBOLS, ANY, "vmlinux", 'k', FILE, "FILE", profile.search.vmlinux, \
		"use this vmlinux of the recorded kernel", NULL) \
	O(READ | ASK | RECORD, SYMBOLS, ANY, "kallsyms", 0, FILE, "FILE", profile.search.kallsyms, \
		"use this kallsyms of the recorded kernel", NULL) \
	O(READ | ASK | RECORD, SYMBOLS, ANY, "modules", 0, FILE, "FILE", profile.search.modules, \
		"use this /proc/modules of the recorded kernel", \
		"It gives the addresses of modules for which the recording has none.") \
	O((READ & ~ARCHIVE) | ASK | RECORD, SYMBOLS, ANY, "ignore-vmlinux", 0, FLAG, NULL, profile.search.ignore_vmlinux, "do not look for a vmlinux", NULL) \
	O(SHOW | ASK | RECORD, SYMBOLS, NAMED, "perf-map-path", 0, DIR, "DIR", profile.search.perf_map_dir, \
		"look here for perf-PID.map files", \
		"By default they are read from /tmp if the recording is of this machine.") \
	O(NAME, SYMBOLS, ANY, "no-cache", 0, FLAG, NULL, search.no_cache, \
		"neither read nor write the cache of names and answers", \
		"The cache is $XDG_CACHE_HOME/pdconv or ~/.cache/pdconv.") \
	O(NAME, SYMBOLS, NAMED, "no-inline", 0, FLAG, NULL, profile.names.no_inline, "omit inlined functions", NULL) \
	O(NAME, SYMBOLS, NAMED, "no-lines", 0, FLAG, NULL, profile.names.no_lines, "omit files and lines", NULL) \
	O(NAME, SYMBOLS, ANY, "demangle", 0, FORM, "FORM", profile.names.form, \
		"print names as templates, short, full or none", \
		"templates is the default and the form of perf, ns::f<int>; short is that of pprof, " \
		"ns::f; full is void ns::f<int>(int); none is the name in the symbol table.") \
	O(NAME, SYMBOLS, ANY, "no-demangle", 0, NO_FORM, NULL, profile.names.form, "short for --demangle none", NULL) \
	O(CONVERT | REPORT | RECORD, REPORT, TEXT_REPORT, "sort", 's', NAMES, "KEY[,KEY]", sort, \
		"show a table by these properties", \
		"See pdconv help keys. Keys that are sums become columns, and rows are sorted by the first " \
		"of them.") \
	O(CONVERT | REPORT | RECORD, REPORT, TEXT_REPORT, "group-by", 0, NAMES, "KEY[,KEY]", group_by, \
		"group the rows of the table by these properties", \
		"A row that sums up its group precedes the rows of the group. --limit counts the rows of " \
		"each group.") \
	O(CONVERT | REPORT | RECORD, REPORT, TEXT_REPORT, "latency", 0, FLAG, NULL, profile.format.report.latency, \
		"sort by latency: what takes time on the clock", \
		"A sample counts less the more threads were running: its period is divided by their number. That " \
		"needs context switches: perf record --switch-events or --latency. Without --sort, the table is by " \
		"thread name and function.") \
	O(CONVERT | REPORT | RECORD, REPORT, TEXT_REPORT, "parent", 0, TEXT, "REGEX", profile.format.report.parent, \
		"functions that the key parent shows (default: system calls)", NULL) \
	O(CONVERT | REPORT | RECORD, REPORT, TEXT_REPORT, "time-quantum", 0, STEP, "MS", profile.format.report.time_quantum, \
		"steps of the key time in milliseconds (default: 100)", NULL) \
	O(CONVERT | REPORT | RECORD, REPORT, TEXT_REPORT, "no-children", 0, FLAG, NULL, profile.format.report.no_children, \
		"count only functions at the leaf, and show no totals", NULL) \
	O(CONVERT | REPORT | RECORD, REPORT, TEXT_REPORT, "children", 0, OFF, NULL, profile.format.report.no_children, \
		"count callers as well (default)", NULL) \
	O(CONVERT | REPORT | RECORD, REPORT, TEXT_REPORT, "sample-counts", 0, FLAG, NULL, profile.format.report.sample_counts, \
		"show the number of samples as a column of tables", NULL) \
	O(CONVERT | REPORT | RECORD, REPORT, TEXT_REPORT, "show-nr-samples", 0, FLAG, NULL, profile.format.report.sample_counts, NULL, NULL) \
	O(CONVERT | REPORT | RECORD, REPORT, TEXT_REPORT, "total-period", 0, FLAG, NULL, profile.format.report.total_period, \
		"show the sum of the periods as a column of tables", NULL) \
	O(CONVERT | REPORT | RECORD, REPORT, TEXT_REPORT, "show-total-period", 0, FLAG, NULL, profile.format.report.total_period, NULL, NULL) \
	O(CONVERT | REPORT | RECORD, REPORT, TEXT_REPORT, "tree", 0, FLAG, NULL, profile.format.report.tree, \
		"show the call tree instead of tables", \
		"A function that calls itself, directly or not, is shown once.") \
	O(CONVERT | REPORT | RECORD, REPORT, TEXT_REPORT, "callers", 0, OPTIONAL, "FUNCTION", profile.format.report.callers, \
		"show what calls this function (default: the leaves)", \
		"Names are those of --symbols, also of inlined functions.") \
	O(CONVERT | REPORT | RECORD, REPORT, TEXT_REPORT, "callees", 0, OPTIONAL, "FUNCTION", profile.format.report.callees, \
		"show what this function calls (default: the roots)", \
		"Names are those of --symbols, also of inlined functions.") \
	O(CONVERT | REPORT | RECORD, REPORT, TEXT_REPORT, "ledger", 0, FLAG, NULL, profile.format.report.ledger, \
		"show where the time of each thread and CPU went", \
		"A thread is running, runnable, blocked, or its state is unknown; a CPU is busy or idle. " \
		"That needs switches of the scheduler: perf record --switch-events, or the events " \
		"sched:sched_switch, sched:sched_wakeup and sched:sched_wakeup_new with -a.") \
	O(CONVERT | REPORT | RECORD, REPORT, TEXT_REPORT, "pgo", 0, FLAG, NULL, profile.format.report.pgo, \
		"show what optimizers can do with the recording", \
		"The formats bolt, autofdo and gcov write what they need: how much of the time that covers, which code has " \
		"no debug information, whether there are enough samples, and what to do next.") \
	O(CONVERT | REPORT | RECORD, REPORT, TEXT_REPORT, "new-build", 0, FILE, "FILE", profile.format.report.new_build, \
		"like --pgo, with how much of the code is the same in FILE", \
		"FILE is a newer build, not stripped, with the file name of one of the binaries. Functions are the same if " \
		"their names and sizes are.") \
	O(CONVERT | REPORT | RECORD, REPORT, TEXT_REPORT, "intervals", 0, FLAG, NULL, profile.format.report.has_intervals, \
		"show how long system calls, locks, requests and interrupts took", \
		"That needs the events in which they begin and end: perf trace record has those of system calls, and " \
		"perf record -a -e lock:contention_begin,lock:contention_end those of locks of the kernel.") \
	O(CONVERT | REPORT | RECORD, REPORT, TEXT_REPORT, "interval", 0, LIST, "NAME=BEGIN,END[,KEY]", intervals, \
		"show how long it took from the event BEGIN to the event END", \
		"They belong together if all of the KEYs are the same, which are fields of both events, or tid, pid or cpu. " \
		"Probes at the entry and the return of a function show how long it takes, with the key tid.") \
	O(CONVERT | REPORT | RECORD, REPORT, TEXT_REPORT, "critical-path", 0, OPTIONAL, "THREAD", \
		profile.format.report.critical_path, \
		"show what the end of a thread had to wait for", \
		"THREAD is the number of a thread or its name; by default it is the main thread of the " \
		"recorded command. The path goes from a wait to the thread that ended it. It needs the events " \
		"sched:sched_switch and sched:sched_waking, recorded with -a, and -g to name functions.") \
	O(ANNOTATE, ANNOTATE, ANY, "symbol", 's', TEXT, "FUNCTION", annotate.function, \
		"annotate this function (default: the hottest)", \
		"A function can also be given without an option, unless a file has its name. Names are those of " \
		"--symbols, also of inlined functions.") \
	O(ANNOTATE, ANNOTATE, ANY, "lines", 0, FLAG, NULL, annotate.lines, \
		"show source lines by file, not instructions", \
		"They are those of all functions, unless a function is given.") \
	O(ANNOTATE, ANNOTATE, ANY, "whole", 0, FLAG, NULL, annotate.whole, \
		"show all instructions of long functions", \
		"By default only those near samples are shown.") \
	O(ANNOTATE, ANNOTATE, ANY, "no-source", 0, FLAG, NULL, annotate.no_source, \
		"show no source lines between instructions", NULL) \
	O(ANNOTATE, ANNOTATE, ANY, "errorformat", 0, ERRORFORMAT, NULL, annotate.notes, \
		"write FILE:LINE: MESSAGE for the hottest lines, as compilers do", \
		"Editors jump to such lines: vim -q FILE. Paths below the current directory are relative to it.") \
	O(ANNOTATE, ANNOTATE, ANY, "github", 0, GITHUB, NULL, annotate.notes, \
		"write the hottest lines as annotations for GitHub's workflows", \
		"Lines of files that are not below the current directory are left out.") \
	O(ANNOTATE, ANNOTATE, ANY, "sarif", 0, SARIF, NULL, annotate.notes, \
		"write the hottest lines as SARIF 2.1.0", NULL) \
	O(ANNOTATE, ANNOTATE, ANY, "source-dir", 0, DIRS, "DIR[:DIR]", source_dirs, \
		"look here for source files", CMD_SOURCE_DIR_DETAILS) \
	O(CONVERT | VIEW | RECORD, HTML, HTML, "embed-source", 0, FLAG, NULL, profile.format.html.embeds_source, \
		"put source text and instructions into the page", \
		"They are those of functions with at least 0.5 % of an event, and the page then shows them on " \
		"machines that have neither the sources nor the binaries.") \
	O(CONVERT | VIEW | RECORD, HTML, HTML, "source-dir", 0, DIRS, "DIR[:DIR]", source_dirs, \
		"look here for source files", CMD_SOURCE_DIR_DETAILS " It needs --embed-source.") \
	O(CONVERT | REPORT | ANNOTATE | DIFF | RECORD, REPORT, TEXT_REPORT, "limit", 0, ROWS, "N", profile.format.report.limit, \
		"show at most this many rows of each table", \
		"The default is 20. The overview, which the report shows if no table or tree is asked for, fits " \
		"a screen: it has 4 commands, 4 binaries, 8 functions by their own samples, 6 by their totals, " \
		"and 6 threads and 6 functions that wait. Of trees, the largest calls are shown, by default all. " \
		"Call paths are not limited.") \
	O(CONVERT | REPORT | RECORD, REPORT, TEXT_REPORT, "scaffolding", 0, FLAG, NULL, profile.format.report.shows_scaffolding, \
		"show functions that only pass control on", \
		"Without this option, functions of standard libraries and runtimes such as std::__invoke and " \
		"start_thread are not among the functions with the largest totals, and not in the hottest call " \
		"paths, unless a tenth of their samples is their own.") \
	O(CONVERT | REPORT | DIFF | RECORD, REPORT, TEXT_REPORT, "percent-limit", 0, SHARE, "PCT", profile.format.report.percent_limit, \
		"leave out rows below this share, and sum up nodes of trees", \
		"The default is 0 for tables and 0.5 for trees and for diff, which does not compare " \
		"functions below it.") \
	O(CONVERT | REPORT | ANNOTATE | DIFF | QUERY | RECORD, REPORT, TEXT_REPORT, "json", 0, JSON, NULL, profile.format.text.style, "write JSON", NULL) \
	O(CONVERT | REPORT | ANNOTATE | DIFF | RECORD, REPORT, TEXT_REPORT, "markdown", 0, MARKDOWN, NULL, profile.format.text.style, \
		"write Markdown, as for a pull request", NULL) \
	O(SHOW | RECORD, REPORT, TEXT_REPORT, "full-names", 0, FLAG, NULL, full_names, \
		"do not shorten names to the width of the terminal", \
		"Without a terminal they are never shortened.") \
	O(SHOW | RECORD, REPORT, TEXT_REPORT, "color", 0, COLOR, "WHEN", color, \
		"colour the text: auto, always or never (default: auto)", \
		"auto colours it on a terminal, unless TERM is dumb or NO_COLOR is set.") \
	O(SHOW | RECORD, FOLDED, FOLDED, "weight", 0, WEIGHT, "WHAT", profile.format.folded.counts_samples, \
		"sum up the period (the default) or count samples", \
		"WHAT is period or samples.") \
	O(CONVERT | SHOW, FOLDED, FOLDED, "wakers", 0, FLAG, NULL, profile.format.folded.wakers, \
		"write waits, and the stacks of the threads that ended them", \
		"Each line is a wait with its time in ns, and after \"--\" the waker, leaf first. That needs " \
		"perf record -a -g -e sched:sched_switch,sched:sched_waking.") \
	O(SHOW | RECORD, FOLDED, FOLDED, "folded-pid", 0, FLAG, NULL, profile.format.folded.pid, "print COMM-PID instead of COMM", NULL) \
	O(SHOW | RECORD, FOLDED, FOLDED, "folded-tid", 0, FLAG, NULL, profile.format.folded.tid, \
		"print COMM-PID/TID instead of COMM", NULL) \
	O(SHOW | RECORD, FOLDED, FOLDED, "kernel", 0, FLAG, NULL, profile.format.folded.mark_kernel, \
		"append _[k] to kernel functions", NULL) \
	O(SHOW | RECORD, FOLDED, FOLDED, "jit", 0, FLAG, NULL, profile.format.folded.mark_jit, \
		"append _[j] to generated functions", NULL) \
	O(SHOW | RECORD, FOLDED, FOLDED, "all", 0, FLAG, NULL, mark_all, "short for --kernel --jit", NULL) \
	O(SHOW | RECORD, FOLDED, FOLDED, "inline", 0, FLAG, NULL, profile.format.folded.mark_inlined, \
		"append _[i] to inlined functions", NULL) \
	O(SHOW | RECORD, FOLDED, FOLDED, "addrs", 0, FLAG, NULL, profile.format.folded.addrs, \
		"print addresses of functions without names", NULL) \
	O(SHOW | RECORD, FOLDED, FOLDED, "context", 0, FLAG, NULL, profile.format.folded.context, "append :FILE:LINE to functions", NULL) \
	O(SHOW | RECORD, FOLDED, FOLDED, "srcline", 0, FLAG, NULL, profile.format.folded.context, NULL, NULL) \
	O(SHOW | RECORD, FOLDED, FOLDED, "skip-after", 0, LIST, "FUNCTION", skip_after, \
		"omit the callers of this function", \
		"Can be given several times.") \
	O(DIFF, FILTERS, ANY, "map", 0, PATH_MAP, "OLD=NEW", pairs, \
		"compare the binary OLD of BEFORE with NEW of AFTER", \
		"Binaries are named by their paths or file names. Can be given several times. Without it, binaries of one " \
		"file name are compared, and those that the recordings ran.") \
	O(DIFF, FOLDED, FOLDED, "normalize", 0, FLAG, NULL, normalizes, \
		"scale weights of BEFORE to the total of AFTER", NULL) \
	O(CONVERT | RECORD, PPROF, PPROF, "labels", 0, LABELS, "LABEL[,LABEL]", labels, "add these labels to samples", \
		"See pdconv help labels.") \
	O(CONVERT, PPROF, PPROF | OTLP, "tag", 0, TAG, "KEY=VALUE", tags, "add this label to all samples", \
		"Can be given several times. In OTLP it is an attribute of the resource: service.name=api.") \
	O(CONVERT | RECORD, SCRIPT, SCRIPT, "fields", 'F', LIST, "[TYPE:]FIELD[,FIELD]", script_fields, \
		"show these fields", \
		"+FIELD and -FIELD change the default ones. See pdconv help fields.") \
	O(CONVERT | RECORD, SCRIPT, SCRIPT, "ns", 0, FLAG, NULL, profile.format.script.ns, "print times in nanoseconds", NULL) \
	O(CONVERT | RECORD, SCRIPT, SCRIPT, "hide-call-graph", 'G', FLAG, NULL, profile.format.script.hide_call_graph, \
		"print only the first frame, on the line of the sample", NULL) \
	O(CONVERT | RECORD, SCRIPT, SCRIPT, "header", 0, FLAG, NULL, profile.format.script.header, \
		"print the header of the recording first", \
		"It describes the machine, perf and the events.") \
	O(CONVERT | RECORD, SCRIPT, SCRIPT, "header-only", 0, FLAG, NULL, profile.format.script.header_only, \
		"print only the header", NULL) \
	O(CONVERT | RECORD, SCRIPT, SCRIPT, "show-mmap-events", 0, FLAG, NULL, profile.format.script.show_mmap, \
		"print mappings in addition to samples", NULL) \
	O(CONVERT | RECORD, SCRIPT, SCRIPT, "show-task-events", 0, FLAG, NULL, profile.format.script.show_task, \
		"print thread names, forks and exits, too", NULL) \
	O(CONVERT | RECORD, SCRIPT, SCRIPT, "show-switch-events", 0, FLAG, NULL, profile.format.script.show_switch, \
		"print context switches, too", NULL) \
	O(CONVERT | RECORD, SCRIPT, SCRIPT, "show-lost-events", 0, FLAG, NULL, profile.format.script.show_lost, \
		"print where records were lost, too", NULL) \
	O(CONVERT | RECORD, PERFDATA, PERFDATA, "keep-stacks", 0, FLAG, NULL, profile.format.perfdata.keep_stacks, \
		"keep captured registers and stacks", \
		"By default call chains replace them.") \
	O(CONVERT | RECORD, PERFDATA, PERFDATA, "strip-hostname", 0, FLAG, NULL, profile.format.perfdata.strip_hostname, \
		"remove the name of the machine", NULL) \
	O(CONVERT | RECORD, PERFDATA, PERFDATA, "strip-cmdline", 0, FLAG, NULL, profile.format.perfdata.strip_cmdline, \
		"remove the command line of the recorder", NULL) \
	O(CONVERT, PERFDATA, PERFDATA, "compress", 'z', LEVEL, "LEVEL", profile.format.perfdata.level, \
		"compress records with zstd, level 1 to 22 (default: 1)", \
		"Like perf record -z.") \
	O(RECORD, TARGET, ANY, "event", 'e', LIST, "EVENT[,EVENT]", record.events, \
		"record these events (default: cycles, or cpu-clock)", \
		"Events are written as for perf record. probe:[NAME=]PATH:FUNCTION [ARG ...] defines " \
		"a uprobe. cpu-clock is recorded if cycles cannot be counted.") \
	O(RECORD, TARGET, ANY, "filter", 0, FILTER, "FILTER", record.filters, \
		"filter the tracepoints of the -e before it", NULL) \
	O(RECORD, TARGET, ANY, "pid", 'p', LIST, "PID[,PID]", record.pids, "record these processes", NULL) \
	O(RECORD, TARGET, ANY, "tid", 't', LIST, "TID[,TID]", record.tids, "record these threads", NULL) \
	O(RECORD, TARGET, ANY, "uid", 'u', TEXT, "USER", record.user, \
		"record all processes of this user, by name or number", NULL) \
	O(RECORD, TARGET, ANY, "cgroup", 'G', LIST, "NAME[,NAME]", record.cgroups, \
		"record all processes of these control groups", NULL) \
	O(RECORD, TARGET, ANY, "all-cpus", 'a', FLAG, NULL, record.all_cpus, \
		"record everything on all CPUs", NULL) \
	O(RECORD, TARGET, ANY, "cpu", 'C', TEXT, "CPU[-CPU][,CPU]", record.cpus, \
		"record only on these CPUs", NULL) \
	O(RECORD, TARGET, ANY, "no-inherit", 0, OFF, NULL, record.sampling.inherit, \
		"do not record new threads and child processes", NULL) \
	O(RECORD, TARGET, ANY, "duration", 'd', SECONDS, "SECONDS", record.opts.duration, \
		"stop after this time", NULL) \
	O(RECORD, TARGET, ANY, "delay", 'D', MILLISECONDS, "MS", record.opts.delay, \
		"enable events after this time", NULL) \
	O(RECORD, SAMPLING, ANY, "freq", 'F', FREQUENCY, "HZ", record.sampling, \
		"take this many samples per second, or max (default: 999)", NULL) \
	O(RECORD, SAMPLING, ANY, "count", 'c', NUMBER, "N", record.sampling.period, \
		"take a sample each time an event has counted N", NULL) \
	O(RECORD, SAMPLING, ANY, "stacks", 'g', FRAME_POINTERS, NULL, record.sampling, "short for --call-graph fp", NULL) \
	O(RECORD, SAMPLING, ANY, "call-graph", 0, CALL_GRAPH, "KIND", record.sampling, \
		"record stacks: fp, dwarf[,BYTES], bpf, lbr or none", \
		"By default bpf, or dwarf where BPF does not work. The kernel follows frame pointers for fp. dwarf copies registers and BYTES of the " \
		"stack, to be unwound later. bpf unwinds when the sample is taken, by tables made " \
		"from the binaries. lbr reads the last branches from the processor. none leaves stacks out.") \
	O(RECORD, SAMPLING, ANY, "live", 0, FLAG, NULL, record.live, \
		"unwind --call-graph dwarf while recording", \
		"Call chains are written instead of registers and stacks: the recording has a fiftieth of the size, " \
		"and no memory of processes. It copies 64 KiB of each stack unless a size is given. If unwinding is too slow, stacks become shorter before samples are " \
		"lost. Code of jitdumps is followed by frame pointers. With -f, stacks are unwound while recording in any case.") \
	O(RECORD, SAMPLING, ANY, "bpf-memory", 0, MEMORY, "SIZE", record.opts.table_bytes, \
		"let tables for --call-graph bpf take this much (default: 256M)", \
		"SIZE is a number with the unit K, M, G or T, at least 16M. Tables that were not used for " \
		"longest are dropped, and made again when they are needed again.") \
	O(RECORD, SAMPLING, ANY, "user-regs", 0, USER_REGS, "REG[,REG]", record.sampling, \
		"record these user registers", \
		"By default those that dwarf stacks need.") \
	O(RECORD, SAMPLING, ANY, "clockid", 'k', CLOCK, "CLOCK", record.sampling.clock, "take times from this clock", \
		"CLOCK is monotonic, monotonic_raw, realtime, boottime, tai or a number. The names of " \
		"clock_gettime(2) work as well: CLOCK_MONOTONIC.") \
	O(RECORD, SAMPLING, ANY, "off-cpu", 0, FLAG, NULL, record.offcpu, \
		"record where threads wait, and for how long", \
		"Context switches are recorded as well.") \
	O(RECORD, SAMPLING, ANY, "switch-events", 0, FLAG, NULL, record.opts.keep_switches, \
		"record context switches", NULL) \
	O(RECORD, SAMPLING, ANY, "no-switch-events", 0, FLAG, NULL, record.drops_switches, \
		"do not record context switches with --off-cpu", \
		"They let report --ledger show for how long threads ran, and were kept from running.") \
	O(RECORD, SAMPLING, ANY, "wakers", 0, FLAG, NULL, record.wakers, \
		"record which threads end the waits of others", \
		"For --off-cpu or --switch-events, to be shown by report --ledger. It needs the right to use " \
		"tracepoints. Without -a, only threads that are recorded count.") \
	O(RECORD, SAMPLING, ANY, "all-cgroups", 0, FLAG, NULL, record.sampling.with_cgroups, \
		"record the control group of each sample", NULL) \
	O(RECORD, SAMPLING, ANY, "namespaces", 0, FLAG, NULL, record.sampling.with_namespaces, "record namespaces", NULL) \
	O(RECORD, OUTPUT, ANY, "mmap-pages", 'm', PAGES, "N", record.sampling.pages, \
		"set the size of each CPU's ring buffer", \
		"N is a number of pages, or of bytes with the suffix B, K, M or G. The default is " \
		"512K, or 4M for root with copies of stacks.") \
	O(RECORD, OUTPUT, ANY, "compression-level", 'z', LEVEL, "LEVEL", record.opts.level, \
		"compress records with zstd, level 1 to 22 (default: 1)", NULL) \
	O(RECORD, OUTPUT, ANY, "no-buildid", 0, OFF, NULL, record.sampling.with_build_ids, \
		"omit build ids from mappings", NULL) \
	O(RECORD, OUTPUT, ANY, "no-buildid-cache", 'N', FLAG, NULL, record.no_buildid_cache, \
		"do not put the binaries into perf's build-id cache", \
		"By default the binaries that samples are in are linked or copied to $PERF_BUILDID_DIR, to buildid.dir of " \
		"perf's configuration, or to ~/.debug, where perf archive looks for them.") \
	O(RECORD, OUTPUT, ANY, "archive", 0, FLAG, NULL, record.with_archive, \
		"pack the binaries at once, like pdconv archive", \
		"The tarball FILE.tar.zst also has binaries that were deleted, programs that were started from memory, and " \
		"those of containers, if processes that use them still run when the recording ends.") \
	O(RECORD, OUTPUT, PPROF | OTLP, "tag", 0, TAG, "KEY=VALUE", tags, "store this label for all samples", \
		"Can be given several times. pprof shows it.") \
	O(CMD_CONVERT | REPORT, GENERAL, ANY, "strict", 0, FLAG, NULL, strict, \
		"exit with 3 if anything was damaged or left out", NULL) \
	O(BATCH, GENERAL, ANY, "strict", 0, FLAG, NULL, strict, \
		"do not convert what is damaged or incomplete", \
		"Such recordings fail, and are tried again by the next batch.") \
	O(CMD_CONVERT | REPORT | INFO, GENERAL, ANY, "fail-under-rooted", 0, PERCENT, "PCT", fail_under_rooted, \
		"exit with 3 if fewer stacks reach the root", \
		"PCT is the share of stacks that were unwound or recorded, 0 to 100. A recorded call chain " \
		"reaches the root if it has main() or the start of a thread. pdconv info looks up no names " \
		"and counts unwound stacks only.") \
	O(CMD_CONVERT | REPORT | RECORD, GENERAL, ANY, "stats", 0, FLAG, NULL, stats, \
		"print how stacks ended, and how long it took", NULL) \
	O(DIFF, GENERAL, TEXT_REPORT, "fail-over", 0, GROWTH, "PCT", fail_over, \
		"exit with 3 if a function takes longer by more than this", \
		"Only changes beyond noise count: of a function, by itself or with what it calls, and the " \
		"common change if there are several recordings on each side.") \
	O(BATCH, GENERAL, ANY, "jobs", 'j', COUNT, "N", profile.jobs, \
		"convert this many at once (default: one per processor)", NULL) \
	O(FIND & ~BATCH, GENERAL, ANY, "jobs", 'j', COUNT, "N", profile.jobs, \
		"use this many threads (default: one per processor)", NULL) \
	O(FIND & ~BATCH, GENERAL, ANY, "nthreads", 0, COUNT, "N", profile.jobs, NULL, NULL) \
	O(READ | ASK | DUMP | SYMBOLIZE, GENERAL, ANY, "max-memory", 0, MEMORY, "SIZE", max_memory, \
		"use at most this much memory (default: half of it)", \
		"SIZE is a number with the unit K, M, G or T, at least 16M. The default is half of the memory of the " \
		"machine, or of the control group if that has less. Records, stacks and names of a recording are " \
		"counted; stacks of threads and 64 MiB for the program are in addition. Single samples move to a " \
		"temporary file before that. Without enough memory pdconv fails and says what takes most.") \
	O(PERF_TO_PROFILE, GENERAL, ANY, "jit", 'j', FLAG, NULL, unaligned_jit, \
		"accepted for compatibility, without effect", NULL) \
	O(RECORD, GENERAL, ANY, "verbose", 'v', FLAG, NULL, record.verbose, \
		"print the costs of recording, and what was not read", NULL) \
	O(ALL, GENERAL, ANY, "no-pager", 0, FLAG, NULL, no_pager, "write text to the terminal itself", \
		"Otherwise text on a terminal is shown by $PDCONV_PAGER, $PAGER, or less if it is installed. If " \
		"that command is empty or cat, or the terminal is dumb (TERM), no pager is used.") \
	O(FIND | DUMP | PERF_TO_PROFILE, GENERAL, ANY, "no-sandbox", 0, FLAG, NULL, no_sandbox, \
		"keep rights that a conversion does not need", \
		"Otherwise the kernel is asked to refuse everything else from then on: to start programs, to " \
		"reach the network or other processes, and to write anywhere but to the folder of the output, " \
		"the cache and $TMPDIR. With --debuginfod, the network and the cache of its clients can be used.") \
	O(ALL, GENERAL, ANY, "quiet", 'q', FLAG, NULL, quiet, "print no warnings", NULL) \
	O(ALL, GENERAL, ANY, "help", 'h', HELP, NULL, action, "print this text", NULL) \
	O(ALL, GENERAL, ANY, "man", 0, MAN, NULL, action, "print the manual page, for man(1)", NULL) \
	O(ALL, GENERAL, ANY, "version", 0, VERSION, NULL, action, "print the version", NULL)

/* The groups of options in the help text: T(NAME, "title"). */
#define CMD_TOPICS(T) \
	T(INPUT, "Input") \
	T(TARGET, "What is recorded") \
	T(SAMPLING, "How it is recorded") \
	T(OUTPUT, "Output") \
	T(FILTERS, "Filters") \
	T(STACKS, "Stacks") \
	T(SYMBOLS, "Binaries and symbols") \
	T(ANNOTATE, "Annotation") \
	T(REPORT, "Report") \
	T(FOLDED, "Format folded") \
	T(PPROF, "Format pprof") \
	T(SCRIPT, "Format script") \
	T(HTML, "Format html") \
	T(PERFDATA, "Format perfdata") \
	T(GENERAL, "General")

/* The commands: C(NAME, "name", "arguments", function, "summary", "description"). */
#define CMD_COMMANDS(C) \
	C(CONVERT, "", "[INPUT ...] [-f FORMAT] [-o OUTPUT] [OPTIONS]", cmd_convert, \
		"convert a perf.data recording to pprof, folded stacks or text", \
		"Reads recordings of Linux perf, unwinds the captured stacks, names the frames and writes the " \
		"result. An INPUT is a file, a stream of perf record -o -, or a directory of perf record " \
		"--threads. It may be compressed with gzip, zstd or xz; - is standard input. Several inputs " \
		"become one profile, whose samples are labelled with their input. Text is written to standard " \
		"output. A binary format is, too, unless standard output is a terminal: then it is written to " \
		"a file named after the input. An output file appears under its name when it is complete.") \
	C(REPORT, "report", "[INPUT ...] [-o OUTPUT] [OPTIONS]", cmd_report, \
		"show the functions with most samples, and how stacks ended", \
		"Shows what ran and for how long, which commands, binaries and functions took the time, the call " \
		"paths that took most of it, " \
		"and how far the stacks could be unwound. This is what pdconv does without a command or a format.") \
	C(ANNOTATE, "annotate", "[FUNCTION] [INPUT ...] [-o OUTPUT] [OPTIONS]", cmd_annotate, \
		"show the instructions and source lines of a function", \
		"Shows how many samples each instruction and each source line of a function has, with the source " \
		"between the instructions, arrows for jumps, and inlined calls. Shares are of the samples in the " \
		"function. Without a FUNCTION it is the one with most samples. A name without template " \
		"arguments, without namespaces, or of an inlined function will do.") \
	C(DIFF, "diff", "BEFORE [BEFORE ... --to] AFTER ... [OPTIONS]", cmd_diff, \
		"show what changed between recordings", \
		"Shows which functions and call paths take more or less than before (format report), or each stack " \
		"with its weight before and after, as flamegraph.pl takes it for a differential flame graph (format " \
		"folded). Changes that noise explains are only counted. Noise is estimated from the time slices of " \
		"each recording and, better, from several recordings on each side. Changes of functions are those " \
		"beyond the common change, by which most functions changed alike.") \
	C(VIEW, "view", "[INPUT [AFTER]] [-o OUTPUT] [OPTIONS]", cmd_view, \
		"show a recording, or what changed, in the browser", \
		"Writes a page with the recording, prints where it is, and opens it: flame graphs, what each thread " \
		"and CPU did at each moment, callers and callees, and search, for any selection of time and threads. " \
		"With two recordings it shows what the second one has more and less of. The page is a single file, which needs no " \
		"network and can be passed on. Without -o it is a new file in $TMPDIR or /tmp that only the user can read, and it " \
		"stays there. -f html writes the same page.") \
	C(BATCH, "batch", "INPUT ... -o DIR [-f FORMAT] [OPTIONS]", cmd_batch, \
		"convert many recordings, each to separate files", \
		"An INPUT is a recording, a folder, or - for a list of both on standard input, one a line. In folders, and those below, " \
		"recordings are known by their first bytes. Each one is converted by a separate process, so that one that fails costs no other " \
		"anything, and memory does not grow with their number. The format parquet becomes tables of all recordings, " \
		"in folders that DuckDB, ClickHouse and Spark read as columns. A recording whose output exists is not converted again, unless " \
		"its content or the options have changed: a batch that was interrupted is started again. DIR/manifest.jsonl has " \
		"a line for each recording that was converted or failed.") \
	C(SYMBOLIZE, "symbolize", "INPUT [-o OUTPUT] [OPTIONS]", cmd_symbolize, \
		"name the addresses of a profile of another program", \
		"Reads a profile of pprof or OpenTelemetry, a heap profile, folded stacks or other text, from a file or standard input (-), " \
		"compressed or not, and writes the same with functions, inlined calls, files and lines. Text has addresses like " \
		"/path/lib.so+0x1234 and [BUILD-ID]+0x1234. All else is copied. A file whose build id is not that of the profile is not used. " \
		"What has no name is counted, with the reason.") \
	C(SQL, "sql", "[INPUT] [QUERY] [OPTIONS]", cmd_sql, \
		"ask a recording questions in SQL", \
		"Runs the statements of QUERY, or of standard input without one, on the tables of the recording: samples, " \
		"stacks, functions, threads, waits and so on. --schema lists them. Nothing is copied: what a " \
		"statement does not use is not computed. Statements only read. They are those of SQLite, whose " \
		"functions can be used. -f sqlite writes the same tables to a file.") \
	C(ARCHIVE, "archive", "[INPUT] [-o OUTPUT] [OPTIONS]", cmd_archive, \
		"put the binaries of a recording into one tarball", \
		"Writes INPUT.tar.zst with every binary that samples or their unwound stacks are in, with the kernel's " \
		"symbols (kallsyms), jitdumps and maps of generated code (perf-PID.map). Next to the recording, every command finds it, on any machine. Unpacked in ~/.debug, " \
		"perf finds its files, too: tar xf perf.data.tar.zst -C ~/.debug. Binaries that are not found here are " \
		"counted: info --binaries lists them.") \
	C(RECORD, "record", "[OPTIONS] [-- COMMAND ...]", cmd_record, \
		"record a program, processes or the whole machine", \
		"Samples the program COMMAND from its start to its end, or running processes, or everything, and " \
		"writes perf.data like perf record. With a format, the recording is converted while it is made, and most " \
		"options of pdconv for stacks, symbols and that format can be given, too, by their long names. " \
		"With --pid, --tid, --uid, --cgroup or --all-cpus, COMMAND is not recorded itself: those are, while it " \
		"runs. The recording ends when COMMAND or all recorded processes have, on SIGINT and SIGTERM, and after " \
		"--duration. A COMMAND that still runs then gets SIGTERM.") \
	C(INFO, "info", "[INPUT] [OPTIONS]", cmd_info, \
		"describe a recording", \
		"Shows the header and its features, the events, the number of records of each type, losses, times, " \
		"processes, build ids, and how far the captured stacks can be unwound.") \
	C(DUMP, "dump", "[INPUT] [OPTIONS]", cmd_dump, \
		"show every record of a recording, field by field", \
		"Shows the file header, the attributes, the records and the features in the order of the file, one " \
		"per line, with file offset, type and decoded fields. An offset that ends in z is that of the " \
		"compressed record that holds the part. Bytes that are invalid or unknown follow as a hex view.") \
	C(LIST, "list", "[TEXT] [OPTIONS]", cmd_list, \
		"show the events that this machine can record", \
		"Shows events that record --event takes, one per line: those of hardware, software and caches that open " \
		"here, those of PMUs, and tracepoints. With TEXT, only events whose names contain it. The folder of " \
		"tracepoints can often be read by root only.") \
	C(QUERY, "query", "FILE [TOOL [NAME=VALUE ...]] [OPTIONS]", cmd_query, \
		"ask a recording a question, in few words", \
		"Answers one question, the TOOL, about the recording FILE; the default is summary. Answers are for scripts and " \
		"language models: they have a bounded size, the same text each time, ids that later questions take, and say how " \
		"far they can be trusted. A word without a NAME= is the main argument of the tool. pdconv mcp answers the same " \
		"questions.") \
	C(MCP, "mcp", "[DIRECTORY ...] [OPTIONS]", cmd_mcp, \
		"answer questions of a language model (MCP server)", \
		"A server of the Model Context Protocol on standard input and output, for recordings below the DIRECTORIES, " \
		"by default the current one. Clients such as editors and agents start it. Profiles stay in memory and in the " \
		"cache, so that the next answer takes a fraction of a second. It ends at the end of its input. The tools and " \
		"their arguments are:") \
	C(PERF_TO_PROFILE, "perf_to_profile", "-i INPUT -o OUTPUT [-f] [-j]", cmd_perf_to_profile, \
		"convert a recording when pprof asks for it", \
		"Writes the recording INPUT to OUTPUT in the format of pprof. pprof runs the program of this name " \
		"on the PATH when it is given a perf.data. An existing OUTPUT is only overwritten with -f.")

/* Examples: E(commands, "command line", "what it does"). */
#define CMD_EXAMPLES(E) \
	E(CMD_CONVERT, "pdconv perf.data -f pprof -o cpu.pb.gz", "profile for go tool pprof") \
	E(CMD_CONVERT, "pdconv --folded | flamegraph.pl > flame.svg", "flame graph of ./perf.data") \
	E(CMD_CONVERT, "pdconv a.data b.data -f pprof -o both.pb.gz", "two recordings in one profile") \
	E(CMD_CONVERT, "pdconv -f perfdata -z -o small.data", "small recording without stack copies") \
	E(CMD_CONVERT, "pdconv --send http://localhost:4318", "to a collector of OpenTelemetry") \
	E(REPORT, "pdconv report", "report of ./perf.data") \
	E(REPORT, "pdconv report --comm server --time 10%-20%", "one program, a tenth of the time") \
	E(ANNOTATE, "pdconv annotate", "the hottest function of ./perf.data") \
	E(ANNOTATE, "pdconv annotate memcpy app.data", "a function of another recording") \
	E(ANNOTATE, "pdconv annotate --lines --source-dir src", "the hottest lines of each file") \
	E(DIFF, "pdconv diff before.data after.data", "functions that changed") \
	E(DIFF, "pdconv diff a*.data --to b*.data", "several recordings on each side") \
	E(DIFF, "pdconv diff a.data b.data --fail-over 5%", "check for CI") \
	E(DIFF, "pdconv diff a.data b.data --folded | flamegraph.pl", "differential flame graph") \
	E(VIEW, "pdconv view", "./perf.data in the browser") \
	E(VIEW, "pdconv view before.data after.data", "what changed") \
	E(VIEW, "pdconv view --no-open -o page.html", "page to pass on") \
	E(VIEW, "pdconv view --embed-source --source-dir src", "with source text and instructions") \
	E(SYMBOLIZE, "pdconv symbolize cpu.pb.gz -o named.pb.gz", "profile of pprof") \
	E(SYMBOLIZE, "pdconv symbolize bare.otlp -o named.otlp", "profile of OpenTelemetry, in protocol buffers") \
	E(SYMBOLIZE, "pdconv symbolize - <stacks.txt | flamegraph.pl >flame.svg", "folded stacks of an eBPF profiler") \
	E(SQL, "pdconv sql 'select * from top_functions order by self_period desc limit 10'", "hottest functions") \
	E(BATCH, "pdconv batch /recordings -o lake", "all recordings below a folder, for DuckDB") \
	E(BATCH, "find /recordings -name '*.data' | pdconv batch - -o lake --shard 0/8", "an eighth of a list") \
	E(BATCH, "pdconv batch /recordings -o lake --label service={dir2}", "/recordings/api/host1/perf.data is of api") \
	E(SQL, "pdconv sql --csv app.data <query.sql", "for a spreadsheet") \
	E(ARCHIVE, "pdconv archive", "./perf.data.tar.zst with the binaries of ./perf.data") \
	E(LIST, "pdconv list cache", "events with cache in their names") \
	E(ARCHIVE, "pdconv archive --debug -o all.tar.zst", "with debug files") \
	E(RECORD, "pdconv record -g -- ./server", "frame pointer stacks of a program") \
	E(RECORD, "pdconv record -f pprof -o cpu.pb.gz -- ./server", "record and convert") \
	E(RECORD, "pdconv record --call-graph dwarf -p 42 -d 10", "a process for ten seconds") \
	E(RECORD, "pdconv record -a --send http://localhost:4318 --every 60", "send a profile each minute") \
	E(INFO, "pdconv info", "contents of ./perf.data") \
	E(INFO, "pdconv info --binaries", "why a binary was not found") \
	E(DUMP, "pdconv dump --type FORK,EXIT", "records of two types") \
	E(DUMP, "pdconv dump --json | jq .type", "one JSON object per record") \
	E(QUERY, "pdconv query perf.data", "what ran, and what to ask next") \
	E(QUERY, "pdconv query perf.data functions sort=total limit=5", "five functions") \
	E(QUERY, "pdconv query perf.data callers f-1 depth=3", "what calls the hottest one") \
	E(MCP, "claude mcp add pdconv -- pdconv mcp $PWD", "add it to a client") \
	E(PERF_TO_PROFILE, "pprof perf.data", "runs perf_to_profile")

/* Exit statuses: S(commands, "status", "meaning"). */
#define CMD_STATUSES(S) \
	S(ALL, "0", "Done, perhaps with warnings.") \
	S(ALL & ~(CMD_RECORD | CMD_BATCH), "1", "Failed, and no output was written.") \
	S(BATCH, "1", "Failed; what had been converted before is kept.") \
	S(RECORD, "1", "Failed; what had been recorded before is kept.") \
	S(ALL & ~CMD_SQL, "2", "The command line is invalid.") \
	S(CMD_CONVERT | REPORT, "3", "The recording was damaged or incomplete (--strict), or too few stacks reach the root (--fail-under-rooted).") \
	S(SQL, "2", "The command line or the query is invalid.") \
	S(BATCH, "3", "Recordings could not be converted; all others were.") \
	S(DIFF, "3", "A function takes longer by more than --fail-over.") \
	S((READ & ~BATCH) | QUERY, "4", "The recording has nothing of what was asked for: filters exclude all samples, or no function has the name.") \
	S(INFO, "3", "Too few stacks reach the root (--fail-under-rooted).") \
	S(RECORD, "N", "Exit status of COMMAND if it ended before the recording did, or 128+N if signal N killed it.")

/* Files that commands read and write by themselves: S(commands, "path", "what it is"). */
#define CMD_FILES(S) \
	S((READ & ~BATCH) | DUMP, "perf.data", "The input if no other is given.") \
	S(RECORD, "perf.data", "The output if no other is given.") \
	S(RECORD, "~/.debug", "The build-id cache of perf, which gets the binaries that samples are in.") \
	S(CMD_CONVERT | RECORD, "~/.local/state/pdconv/spool", "Profiles that --send has not sent yet.") \
	S(READ | ASK, "INPUT.tar.bz2, .gz, .xz, .zst", "The tarball that perf archive or pdconv archive leaves next to a recording.") \
	S(READ | ASK | SYMBOLIZE, "~/.debug", "The build-id cache of perf.") \
	S(READ | ASK | SYMBOLIZE, "/usr/lib/debug", "Debug files of this machine.") \
	S(SHOW | ASK | SYMBOLIZE, "~/.cache/pdconv", "Names that were looked up, and profiles of recordings, up to 1 GiB.") \
	S(SHOW | ASK, "/tmp/perf-PID.map", "Names of generated code, read if the recording is of this machine.")

/* The environment: S(commands, "variable", "what it means"). */
#define CMD_ENVIRONMENT(S) \
	S(FIND, "PERF_BUILDID_DIR", "Directory of perf's build-id cache, instead of ~/.debug.") \
	S(FIND, "PERF_CONFIG", "Configuration of perf, instead of ~/.perfconfig and /etc/perfconfig; buildid.dir is read.") \
	S(READ | ASK | SYMBOLIZE, "DEBUGINFOD_URLS", "Servers of --debuginfod without an argument.") \
	S(READ | ASK | SYMBOLIZE, "DEBUGINFOD_MAXSIZE, DEBUGINFOD_MAXTIME", "Largest size in bytes of a file that is fetched, and longest time in seconds (default: 4 GiB, 1800).") \
	S(READ | ASK | SYMBOLIZE, "DEBUGINFOD_CACHE_PATH", "Where debuginfod clients keep the files that they fetched.") \
	S(SHOW | ASK | SYMBOLIZE, "XDG_CACHE_HOME", "Directory of the cache, instead of ~/.cache.") \
	S(SHOW | ASK, "PDCONV_INDEX_SECONDS", "How long reading a recording takes at least for its profile to be kept (default: 0.2).") \
	S(CMD_CONVERT | RECORD, "PDCONV_SEND_HEADERS", "Header lines for --send, separated by line ends.") \
	S(CMD_CONVERT | RECORD, "PDCONV_SEND_SECONDS", "How long --send tries to reach a server (default: 60).") \
	S(CMD_CONVERT | RECORD, "SSL_CERT_FILE", "Certificates of authorities that --send trusts, instead of those of the system.") \
	S(CMD_CONVERT | RECORD, "XDG_STATE_HOME", "Directory of the profiles that wait, instead of ~/.local/state.") \
	S(VIEW, "BROWSER", "Programs that show the page, separated by ':'; %s stands for the file.") \
	S(VIEW, "DISPLAY, WAYLAND_DISPLAY", "With either one, the page is opened by xdg-open if $BROWSER does not.") \
	S(VIEW, "TMPDIR", "Directory of the page, instead of /tmp.") \
	S((SHOW & ~CMD_VIEW) | ASK | SYMBOLIZE, "TMPDIR", "Directory of temporary files, instead of /var/tmp and /tmp.") \
	S(SHOW & ~CMD_VIEW, "NO_COLOR", "If it is not empty, text is not coloured on a terminal.") \
	S(ALL, "PDCONV_PAGER, PAGER", "Command that shows text on a terminal, the first one that is set; a shell runs it if it has characters of the shell. Empty or cat: no pager. The default is less.") \
	S(ALL, "LESS", "Options of less. The default is FRX: text of one screen is only printed, and colours are passed on.") \
	S(ALL, "TERM", "dumb: text is neither coloured nor shown by a pager.") \
	S(ALL, "COLUMNS", "Width of the help text.")
/* clang-format on */

/*
 * Where binaries and their debug files are searched for, in this order: P(NAME, binary, debug,
 * "name", "what is tried there").
 *
 * binary and debug are suffixes of the functions in binary_paths.c and debug_paths.c that try the
 * candidates of a search path; `none` if it has no files of that kind. Search paths that the user
 * gives come first, then those by build id, then the recorded path.
 */
/* clang-format off */
#define SYM_SEARCH_PATHS(P)                                                                        \
	P(SYMFS, symfs, symfs, "symfs",                                                            \
		"the recorded path below that directory; debug files below its usr/lib/debug")     \
	P(PATH_MAP, path_map, none, "path map", "the recorded path with FROM replaced by TO")      \
	P(SYMBOL_DIR, symbol_dir, symbol_dir, "symbol dir",                                        \
		"in each directory: .build-id/xx/yyy, the recorded path, the name alone")          \
	P(BUILD_ID_CACHE, cache, cache, "build-id cache",                                          \
		"perf's, ~/.debug or the build-id dir, by build id")                               \
	P(ARCHIVE, archive, archive, "archive",                                                    \
		"tarballs of perf archive: INPUT.tar.*, those given as symbol dir or build-id dir") \
	P(SYSTEM_DEBUG, system_debug, system_debug, "/usr/lib/debug",                              \
		"this machine's debug files, by build id")                                         \
	P(DEBUGLINK, none, debuglink, ".gnu_debuglink",                                            \
		"the name in that section: next to the binary and its recorded path, in .debug there, " \
		"below /usr/lib/debug") \
	P(OWN_PATH, own_path, own_path, "own path",                                                \
		"the recorded path on this machine, unless there is a symfs or own paths are off")  \
	P(PROC_ROOT, proc_root, proc_root, "/proc/PID/root",                                       \
		"own paths and usr/lib/debug in the root directory of a recorded process, if it "   \
		"still runs here, and in those of containers")                                      \
	P(PROC_MAP, proc_map, none, "/proc/PID/map_files",                                         \
		"what a recorded process has mapped, if it still runs here: also deleted files")    \
	P(VDSO, vdso, none, "vdso", "what the kernel maps into every process")                     \
	P(DEBUGINFOD_CACHE, debuginfod_cache, debuginfod_cache, "debuginfod cache",                \
		"what a debuginfod client fetched earlier")                                        \
	P(DEBUGINFOD, debuginfod, debuginfod, "debuginfod", "the debuginfod servers, if given")    \
	P(GIVEN, none, none, "given",                                                              \
		"of the kernel: the vmlinux or kallsyms given, or kcore_dir of the recording")     \
	P(KERNEL, none, none, "kernel",                                                            \
		"of the kernel: vmlinux in this machine's default directories, modules at their own " \
		"paths, /proc/kallsyms of the running kernel, under the same condition as own paths")
/* clang-format on */

/*
 * The bounds on what a recording or a binary can make pdconv do, because either may be damaged or
 * made to harm: name, value, unit, what it bounds, and what happens beyond it. L() has values that
 * fit an int, W() others. doc/limits.md has the same tables, which a test compares.
 *
 * Reasons for the values are next to the code that uses them.
 */
/* clang-format off */

/* Records and features of a recording. What is left out here is reported. */
#define PD_RECORDING_LIMITS(L, W) \
	L(AHEAD_RECORDS, 1 << 16, "records", "records of a stream read before the first sample to know its events", \
		"reading begins with the events known so far") \
	L(AHEAD_BYTES, 64 << 20, "bytes", "size of the records read before the first sample", "reading begins with the events known so far") \
	L(RECORD_BYTES, 512 << 20, "bytes", "a record with the data after it in a recording that is not mapped, and all its sections", \
		"the record counts as damaged, the section is left out") \
	L(SEARCHED_RECORDS, 1 << 16, "records", "records checked to find the end of damage, in addition to one for each 4 bytes", \
		"the end is found later") \
	L(SPLIT_BYTES, 256 << 20, "bytes", "a record that simpleperf split", "it is left out") \
	L(XZ_BYTES, 256 << 20, "bytes", "memory to decompress an xz stream", "it counts as damaged") \
	L(EVENTS, 1 << 14, "events", "events of a recording", "further ones are left out") \
	L(EVENT_IDS, 1 << 24, "ids", "ids of events in a stream, or by simpleperf", "samples with others are left out") \
	L(EVENT_TYPES, 1 << 16, "names", "EVENT_TYPE records and old event types", "events have their generic names") \
	L(PPROF_EVENTS, 1 << 10, "events", "events with values of their own in a profile of pprof", \
		"all events share two values, and samples have the label event") \
	L(RENAMED_EVENTS, 1 << 10, "events", "events whose names are looked up in EVENT_DESC of a stream", \
		"events have their generic names") \
	L(BUILD_IDS, 1 << 20, "build ids", "BUILD_ID records of a stream", "binaries are found without them") \
	L(FIELDS, 1024, "fields", "fields of a tracepoint", "the tracepoint has none") \
	L(DECLARATION_BYTES, 256, "bytes", "declaration of such a field", "the tracepoint has none") \
	L(PRINT_NODES, 1 << 18, "nodes", "values and operators in the print formats of all tracepoints", \
		"fields of the others are printed") \
	L(PRINT_DEPTH, 100, "nodes", "nesting of such an expression", "its fields are printed") \
	L(MAPPINGS, 1 << 20, "mappings", "mappings of a process", "further ones are left out") \
	L(MODULES, 1 << 12, "modules", "kernel modules without a mapping", "further ones are left out") \
	L(BPF_AT_ADDRESS, 64, "programs", "BPF programs that had the same address", "older ones are not looked at") \
	L(WAITING_RECORDS, 1 << 22, "records", "records that wait for their order, with a large budget", \
		"the older half is released") \
	L(WAITING_BYTES, 1 << 30, "bytes", "decompressed memory that these records hold", \
		"the older half is released") \
	L(DEFERRED_SAMPLES, 1 << 16, "samples", "samples that wait for their deferred call chains", \
		"the older half continues without") \
	L(SPILL_BYTES, 256 << 20, "bytes", "each list of single samples in memory, with a large budget", \
		"it moves to a temporary file") \
	L(TALLY_SLOTS, 1 << 21, "slots", "table that counts repeated samples, with a large budget", \
		"its counts move to the profile, and it begins anew") \
	L(PROGRAM_BYTES, 64 << 20, "bytes", "private memory of the program in addition to the budget", \
		"out of memory") \
	L(EDIT_BUILD_ID_BYTES, 64 << 20, "bytes", "BUILD_ID records that perfdata makes a feature", \
		"further ones stay records") \
	L(EDIT_EVENT_TYPE_BYTES, 4 << 20, "bytes", "event types that perfdata writes", "further ones are left out")

/*
 * Unwinding. A stack that ends early has a reason, and the reasons are counted. So are frames that
 * were found through the frame pointer because a search of code was given up.
 */
#define PD_UNWIND_LIMITS(L, W) \
	L(FRAMES, 1024, "frames", "user frames of a stack", "the stack ends") \
	L(STACK_BYTES, 256 << 20, "bytes", "distance of a stack pointer from the captured stack", "the stack ends") \
	L(CFA_OPS, 1 << 18, "instructions", "call frame instructions for a row", "the stack ends") \
	L(CFA_MARKED_ROWS, 1 << 14, "rows", "rows kept of long programs of call frame instructions", \
		"these run from the start for each address") \
	L(CFA_STATES, 8, "states", "nesting of DW_CFA_remember_state", "the stack ends") \
	L(EXPRESSION_VALUES, 64, "values", "stack of a DWARF expression", "the stack ends") \
	L(EXPRESSION_OPS, 4096, "operations", "operations of a DWARF expression", "the stack ends") \
	L(EXIDX_OPS, 256, "instructions", "unwind instructions of an .ARM.exidx entry", "the stack ends") \
	L(CODE_STEPS, 4096, "instructions", "machine instructions followed to find a frame without CFI", \
		"the frame pointer is followed") \
	L(CODE_BRANCHES, 48, "branches", "branches followed to find a frame without CFI", "the frame pointer is followed") \
	L(START_TEXT_BYTES, 32 << 20, "bytes", "code that is searched for starts of functions", \
		"starts are those of symbols and CFI") \
	L(ROOT_FUNCTIONS, 64, "functions", "functions of a binary at the base of a stack", "stacks do not end in further ones") \
	L(GO_STACK_CHANGES, 1 << 14, "changes", "changes of the stack pointer in a function of Go", "the stack ends") \
	L(WALKER_FRAMES, 1 << 18, "frames", "frames that a thread remembers", "it forgets them, and finds them again") \
	L(UNWINDER_MAPPINGS, 1 << 17, "mappings and threads", "those that an unwinder of the library keeps in addition to twice the living", \
		"it forgets those of exited processes") \
	L(UNWINDER_BINARIES, 1 << 13, "binaries", "binaries that an unwinder of the library keeps open", \
		"it closes all, and opens them again") \
	L(WITNESS_FRAMES, 1 << 23, "frames", "frames of complete stacks that exclude wrong callers of truncated ones", "further ones exclude none") \
	L(STITCHED_FRAMES, 1 << 20, "frames", "frames of stacks that complete truncated ones", "they are forgotten") \
	L(RUNTIME_STEPS, 1 << 22, "mappings", "mappings that are searched for language runtimes", \
		"advice about them is missing")

/* Binaries and their names. Frames without a name are counted in the report. */
#define PD_BINARY_LIMITS(L, W) \
	L(TEXT_FILE_BYTES, 256 << 20, "bytes", "kallsyms, perf maps and other text files", "the rest is not read") \
	L(SOURCE_BYTES, 16 << 20, "bytes", "a source file that is shown", "it is not shown") \
	L(LISTED_CODE_BYTES, 1 << 20, "bytes", "code of a function that annotate shows", "the rest is left out, which is said") \
	L(COMPARED_BYTES, 64 << 20, "bytes", "a file of /proc or the like whose contents the index compares", "answers are not kept") \
	W(FILE_BYTES, 1ULL << 40, "bytes", "a binary or another file", "it is not used") \
	L(PATH_BYTES, 4096, "bytes", "a path of a file", "the file is not found, or has no name") \
	L(PATH_LINKS, 40, "links", "symbolic links in a path", "the file is not used") \
	L(PATH_STEPS, 10000, "steps", "folders that are opened for a path with links", "the file is not used") \
	L(REPORTED_FILES, 100, "files", "files that are reported because they could not be read as a whole", "further ones are not listed") \
	L(SECTIONLESS_SEGMENTS, 256, "segments", "program headers of a file without section headers", "it has neither symbols nor call frame information") \
	L(SECTION_RATIO, 1100, "times", "ratio of a compressed section", "the section counts as damaged") \
	L(SECTION_BYTES, 256 << 20, "bytes", "decompressed sections that may have any ratio", "the ratio is checked") \
	/* The largest programs have about 8 GiB. */ \
	W(DEBUG_BYTES, 16ULL << 30, "bytes", "decompressed debug information of a binary", "functions have no inlined calls and lines") \
	L(MINIDEBUG_BYTES, 512 << 20, "bytes", "decompressed .gnu_debugdata", "its symbols are left out") \
	L(MINIDEBUG_ANY_RATIO, 16 << 20, "bytes", "decompressed .gnu_debugdata that may have any ratio", "the ratio is checked") \
	L(MINIDEBUG_RATIO, 200, "times", "ratio of .gnu_debugdata", "its symbols are left out") \
	L(MINIDEBUG_DECODER_BYTES, 96 << 20, "bytes", "memory to decompress it", "its symbols are left out") \
	L(PACKAGE_SEARCHES, 1 << 14, "mappings", "mappings of packages of applications whose libraries are looked for", "further ones have no names") \
	L(ARCHIVE_MEMBERS, 1 << 16, "files", "files of an archive that may be wanted", "further ones are not used") \
	W(ARCHIVE_MEMBER_BYTES, 8ULL << 30, "bytes", "a file of an archive", "it is not used") \
	W(ARCHIVE_BYTES, 16ULL << 30, "bytes", "all files that are kept of an archive", "further ones are not used") \
	L(ARCHIVE_ANY_RATIO, 1 << 30, "bytes", "a decompressed archive that may have any ratio", "the ratio is checked") \
	L(ARCHIVE_RATIO, 100, "times", "ratio of an archive", "the rest is not read") \
	W(DEBUGINFOD_BYTES, 4ULL << 30, "bytes", "a file of a debuginfod server, without DEBUGINFOD_MAXSIZE", "it is not used") \
	L(DEBUGINFOD_SECONDS, 1800, "seconds", "time for such a file, without DEBUGINFOD_MAXTIME", "it is not used") \
	L(MODULE_BYTES, 1 << 30, "bytes", "a decompressed kernel module that is relocated", "it is not used") \
	L(PACKED_KERNEL_BYTES, 512 << 20, "bytes", "a compressed kernel or module, decompressed", "it is not used") \
	L(CACHE_FILE_BYTES, 256 << 20, "bytes", "a file of the cache of names or of the index", "it is not written") \
	L(NAME_TABLE_BYTES, 1 << 29, "bytes", "names in the table of a binary", "further names are left out") \
	L(FOREIGN_BYTES, 1 << 30, "bytes", "a profile of another program, decompressed", "it is refused") \
	L(FOREIGN_MODULES, 1 << 14, "mappings", "mappings and binaries of a profile of another program", "addresses in further ones have no names") \
	L(MANGLED_BYTES, 4096, "bytes", "a mangled name that is demangled, in C++ without template arguments", "it is shown as it is") \
	L(DEMANGLED_BYTES, 16384, "bytes", "a demangled name", "it is shown mangled") \
	L(FUNCTION_NAME_BYTES, 1 << 17, "bytes", "a name of a function or variable", "it is cut or left out") \
	L(LONG_NAMES_BYTES, 256 << 20, "bytes", "all names of a symbol table that are longer than 8 KiB", "further ones are left out") \
	L(NAME_BYTES, 1 << 18, "bytes", "a name in debug information", "it is left out") \
	L(PLT_RELOCATIONS, 1 << 26, "relocations", "relocations for names of PLT entries", "further entries have no names") \
	L(NESTED_SYMBOLS, 32, "symbols", "symbols around an address", "the innermost ones are used") \
	L(DIE_DEPTH, 256, "entries", "depth of debug information entries", "deeper entries are skipped") \
	L(NAME_PARTS, 32, "parts", "namespaces and classes of a name", "the outermost ones are left out") \
	L(DIE_ORIGINS, 8, "entries", "specifications and abstract origins followed for a name", "the function may have no name") \
	L(ABBREVIATION_SPECS, 1 << 18, "attributes", "attributes of a table of abbreviations", "its units are skipped") \
	L(KEPT_SPECS, 1 << 24, "attributes", "attributes of all tables in memory", "its units are skipped") \
	L(ENTRY_ATTRIBUTES, 256, "attributes", "attributes of an entry", "its table of abbreviations ends before it") \
	L(ABBREVIATION_READS, 16, "times", "readings of .debug_abbrev, whose tables may overlap", "further units are skipped") \
	L(BINARY_RANGES, 1 << 23, "ranges", "address ranges of all units", "further ones are skipped") \
	L(RANGE_LIST_READS, 16, "times", "readings of .debug_ranges and .debug_rnglists, whose lists may be shared", \
		"further ranges are skipped") \
	L(UNIT_RANGES, 1 << 24, "ranges", "address ranges of the entries of a unit", "further ones are skipped") \
	L(UNIT_WORK, 1 << 24, "steps", "work to order the ranges of a unit", "further ones are skipped") \
	L(BYTE_WORK, 64, "steps", "work to order the ranges of a unit, for each of its bytes", "further ones are skipped") \
	L(UNIT_LOCATIONS, 1 << 24, "locations", "locations of units that are read at once", "further ones are skipped") \
	L(LINE_TABLE_READS, 8, "times", "readings of a line table that units share", "lines are left out") \
	L(LINE_ENTRY_FORMATS, 16, "forms", "forms of an entry for a file or directory in a line table", "files have no names") \
	L(PACKAGE_PROBES, 256, "slots", "slots of the index of a .dwp file that are tried for a unit", "the unit is not found") \
	L(SPLIT_UNITS, 1 << 24, "units", "units in .dwo and .dwp files of a binary", "further ones are skipped") \
	L(GO_CANDIDATES, 64, "tables", "places that may hold the function table of Go", "further ones are not tried") \
	L(GO_VALUES, 1 << 27, "values", "values in tables of Go that are decoded for a binary", "names without inlined calls") \
	L(GO_TREE_FUNCTIONS, 1 << 16, "functions", "functions of Go that are searched for how inlined calls are stored", \
		"the format is guessed") \
	L(GO_TREE_VALUES, 1 << 12, "values", "changes of the inlined call in one of these functions that are examined", "the rest is not examined") \
	L(GO_INLINE_DEPTH, 256, "calls", "inlined calls of Go around an address", "the code has only the name of its symbol")

#define PD_LIMITS(L, W) \
	PD_RECORDING_LIMITS(L, W) \
	PD_UNWIND_LIMITS(L, W) \
	PD_BINARY_LIMITS(L, W)
/* clang-format on */

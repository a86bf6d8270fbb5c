/* Why frames have no names: U(NAME, "what it is", "what a person can do about it, or nothing"). */
/* clang-format off */
#define PROF_UNNAMED(U)                                                                             \
	U(NO_MAPPING, "address in no mapping", "")                                                 \
	U(NO_FILE, "binary not found", "pdconv info --binaries says where it was looked for")      \
	U(NO_SYMBOL, "no symbol covers it", "the binary is stripped: install its debug symbols, or --debuginfod") \
	U(GENERATED, "code that is in no file", "have the program write a jitdump or a perf-PID.map") \
	U(KERNEL, "kernel without symbols", "--vmlinux FILE or --kallsyms FILE")
/* clang-format on */

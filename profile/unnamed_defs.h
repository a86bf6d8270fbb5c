/* Why frames have no names: U(NAME, "what it is", "what a person can do about it, or nothing"). */
/* clang-format off */
#define PROF_UNNAMED(U)                                                                             \
	U(NO_MAPPING, "address in no mapping", "")                                                 \
	U(NO_FILE, "binary not found", "pdconv info lists the files that were tried")      \
	U(NO_SYMBOL, "no symbol covers it", "the binary is stripped: install its debug symbols, or use debuginfod") \
	U(GENERATED, "code that is in no file", "have the program write a jitdump or a perf-PID.map") \
	U(KERNEL, "kernel without symbols", "give its vmlinux or kallsyms")
/* clang-format on */

/* Why frames have no names: U(NAME, "what it is", "what a person can do about it, or nothing"). */
/* clang-format off */
#define PROF_UNNAMED(U)                                                                            \
	U(NO_MAPPING, "address in no mapping", "")                                                 \
	U(NO_FILE, "binary not found", "pdconv info lists the files that were tried")              \
	U(NO_SYMBOL, "no symbol covers it", "debug symbols have more names: install them, or use debuginfod") \
	U(GENERATED, "code that is in no file", "")                                                \
	U(KERNEL, "kernel without symbols", "give its vmlinux or kallsyms")
/* clang-format on */

/*
 * Why frames have no names: U(NAME, "name", "what it is", "what a person can do about it, or
 * nothing").
 */
/* clang-format off */
#define ADVICE_UNNAMED(U) \
	U(NO_MAPPING, "no_mapping", "address in no mapping", "") \
	U(NO_FILE, "no_file", "binary not found", "pdconv info lists the files that were tried") \
	U(NO_SYMBOL, "no_symbol", "no symbol covers it", "debug symbols have more names: install them, or use debuginfod") \
	U(GENERATED, "generated", "code that is in no file", "") \
	U(KERNEL, "kernel", "kernel without symbols", "its vmlinux or kallsyms has them")
/* clang-format on */

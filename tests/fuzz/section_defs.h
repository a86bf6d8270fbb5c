/*
 * Table of the sections that the targets `sections` and `listing` make: S(name, type, link), in the order of their numbers. link is
 * the section that sh_link stands for.
 */
#ifndef PD_TESTS_FUZZ_SECTION_DEFS_H
#define PD_TESTS_FUZZ_SECTION_DEFS_H

/* clang-format off */
#define FUZZ_SECTIONS(S)                                       \
	S(".symtab", SHT_SYMTAB, ".strtab")                    \
	S(".strtab", SHT_STRTAB, NULL)                         \
	S(".dynsym", SHT_DYNSYM, ".dynstr")                    \
	S(".dynstr", SHT_STRTAB, NULL)                         \
	S(".debug_info", SHT_PROGBITS, NULL)                   \
	S(".debug_abbrev", SHT_PROGBITS, NULL)                 \
	S(".debug_line", SHT_PROGBITS, NULL)                   \
	S(".debug_str", SHT_PROGBITS, NULL)                    \
	S(".debug_line_str", SHT_PROGBITS, NULL)               \
	S(".debug_str_offsets", SHT_PROGBITS, NULL)            \
	S(".debug_addr", SHT_PROGBITS, NULL)                   \
	S(".debug_ranges", SHT_PROGBITS, NULL)                 \
	S(".debug_rnglists", SHT_PROGBITS, NULL)               \
	S(".debug_aranges", SHT_PROGBITS, NULL)                \
	S(".debug_types", SHT_PROGBITS, NULL)                  \
	S(".gnu_debugdata", SHT_PROGBITS, NULL)                \
	S(".note.gnu.build-id", SHT_NOTE, NULL)                \
	S(".plt", SHT_PROGBITS, NULL)                          \
	S(".rela.plt", SHT_RELA, ".dynsym")                    \
	S(".got.plt", SHT_PROGBITS, NULL)                      \
	S(".gopclntab", SHT_PROGBITS, NULL)                    \
	S(".data.rel.ro", SHT_PROGBITS, NULL)                  \
	S(".comment", SHT_PROGBITS, NULL)                      \
	S(".zdebug_info", SHT_PROGBITS, NULL)                  \
	S(".gnu_debugaltlink", SHT_PROGBITS, NULL)             \
	S(".gnu_debuglink", SHT_PROGBITS, NULL)
/* clang-format on */

#endif

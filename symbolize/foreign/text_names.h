/**
 * @file Names for the addresses in text: folded stacks, and what programs print of stacks.
 *
 * These are addresses, with HEX for hexadecimal digits:
 *
 *     /path/lib.so+0xHEX                     lib.so+0xHEX, /path/lib.so (deleted)+0xHEX
 *     /path/program(+0xHEX)                  backtrace_symbols()
 *     (/path/lib.so+0xHEX) (BuildId: HEX)    sanitizers
 *     [HEX]+0xHEX, HEX+0xHEX, HEX:0xHEX      a build id and an offset
 *
 * In a folded stack, an address becomes the names of its functions, callers first. In other text it
 * becomes "function at file:line (inlined by) caller at file:line". All else is copied.
 */
#ifndef PD_SYMBOLIZE_FOREIGN_TEXT_NAMES_H
#define PD_SYMBOLIZE_FOREIGN_TEXT_NAMES_H

#include <stdio.h>

#include "symbolize/foreign/asked.h"

/** Meaning of the numbers of addresses. */
enum sym_text_offsets {
	/** Offsets in the file after a build id, as BPF has them, otherwise virtual addresses. */
	SYM_OFFSETS_AUTO,
	/** Offsets in the file, in bytes. */
	SYM_OFFSETS_FILE,
	/** Virtual addresses of the ELF file. */
	SYM_OFFSETS_VADDR,
};

struct sym_text;

/**
 * Read the @p len bytes of @p text, which are borrowed, and add its addresses to @p asked. Callers
 * in folded stacks are return addresses, which are looked up one byte earlier. Errors: NOMEM.
 */
struct pd_error *sym_text_read(const char *text, size_t len, enum sym_text_offsets offsets,
	struct sym_asked *asked, struct sym_text **ret) pd_must_check;
void sym_text_destroy(struct sym_text *text);

/** Write the text with the names of the set, which was named since. Errors: NOMEM. */
struct pd_error *sym_text_write(struct sym_text *text, FILE *out) pd_must_check;

#endif

/**
 * @file Marks of code: which bytes are instructions, of which instruction set, and which are data.
 * Private to symbolize/, except for the types.
 *
 * The ABIs of Arm and RISC-V define mapping symbols: "$a" and "$t" begin Arm and Thumb code, "$x"
 * code of aarch64 and RISC-V, "$d" data. Each may be followed by a dot and more text. Without
 * mapping symbols, bit 0 of the value of a function's symbol says that its code is Thumb.
 */
#ifndef PD_SYMBOLIZE_SYMBOLS_MARKS_H
#define PD_SYMBOLIZE_SYMBOLS_MARKS_H

#include <stdbool.h>
#include <stdint.h>

struct sym_image;

/** Kind of the bytes from a mark to the next one. */
enum sym_code_kind {
	/** Instructions; on 32-bit Arm those of the Arm instruction set. */
	SYM_CODE,
	/** Instructions of the Thumb instruction set. */
	SYM_CODE_THUMB,
	SYM_CODE_DATA,
};

/** Start of bytes of one kind. */
struct sym_mark {
	uint64_t vaddr;
	enum sym_code_kind kind;
	/** The mark is a mapping symbol, not the symbol of a function, which it overrides. */
	bool is_mapping;
};

typedef void sym_visit_mark(void *ctx, const struct sym_mark *mark);

/**
 * Call @p visit for each mark in the symbol tables of @p main and of its debug file @p separate,
 * which may be NULL, in no particular order. Marks may be repeated. Only machines with marks have
 * any.
 */
void sym_visit_marks(const struct sym_image *main, const struct sym_image *separate,
	sym_visit_mark *visit, void *ctx);

#endif

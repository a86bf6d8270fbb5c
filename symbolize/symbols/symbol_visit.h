/**
 * @file Visits of the symbols of a binary in the order of its file: its functions, and the marks of
 * its code.
 *
 * Visiting functions takes a few nanoseconds per symbol, far less than sym_symtab_init(), which
 * sorts them.
 *
 * Marks say which bytes are instructions, of which instruction set, and which are data. The ABIs of
 * Arm and RISC-V define mapping symbols: "$a" and "$t" begin Arm and Thumb code, "$x" code of
 * aarch64 and RISC-V, "$d" data. Each may be followed by a dot and more text. Without mapping
 * symbols, bit 0 of the value of a function's symbol says that its code is Thumb.
 */
#ifndef PD_SYMBOLIZE_SYMBOLS_SYMBOL_VISIT_H
#define PD_SYMBOLIZE_SYMBOLS_SYMBOL_VISIT_H

#include <stdbool.h>
#include <stdint.h>

#include <pdconv/build_id.h>
#include <pdconv/error.h>

struct sym_image;

/** Function of a binary: the vaddrs [start, end). @p name is borrowed during the call. */
typedef void sym_visit_function(void *ctx, const char *name, uint64_t start, uint64_t end);

/**
 * Call @p visit for each function with a size in .symtab of @p main, or of its debug file
 * @p separate (may be NULL) if @p main has no .symtab.
 */
void sym_visit_functions(const struct sym_image *main, const struct sym_image *separate,
	sym_visit_function *visit, void *ctx);

/**
 * Like sym_visit_functions() for the file @p path, which need not be in a recording, and store its
 * build id in @p id_ret. Errors: FORMAT, it is not a usable ELF file; NOMEM.
 */
struct pd_error *sym_visit_functions_of_file(const char *path, struct pd_build_id *id_ret,
	sym_visit_function *visit, void *ctx) pd_must_check;

/** Kind of the bytes from a mark to the next one. */
enum sym_code_kind {
	/** Instructions; on 32-bit Arm those of the Arm instruction set. */
	SYM_CODE,
	/** Instructions of the Thumb instruction set. */
	SYM_CODE_THUMB,
	SYM_CODE_DATA,
};

/** Start of bytes of one kind. */
struct sym_mapping_symbol {
	uint64_t vaddr;
	enum sym_code_kind kind;
	/** The mark is a mapping symbol, not the symbol of a function, which it overrides. */
	bool is_mapping;
};

typedef void sym_visit_mapping_symbol(void *ctx, const struct sym_mapping_symbol *mark);

/**
 * Call @p visit for each mapping symbol of @p main and of its debug file @p separate, which may be
 * NULL, in no particular order. Some may be repeated. Only ARM, AArch64 and RISC-V have any.
 */
void sym_visit_mapping_symbols(const struct sym_image *main, const struct sym_image *separate,
	sym_visit_mapping_symbol *visit, void *ctx);

#endif

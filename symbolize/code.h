/**
 * @file Machine code of a binary: bytes, extents of functions, and what the bytes are.
 *
 * Addresses are virtual addresses of the ELF file.
 */
#ifndef PD_SYMBOLIZE_CODE_H
#define PD_SYMBOLIZE_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/error.h>

#include "symbolize/binary.h"
#include "symbolize/symbols/symbol_visit.h"

/** Code of a symbol: the addresses [start, end). Both are 0 if no symbol covers an address. */
struct sym_code_extent {
	uint64_t start;
	uint64_t end;
};

/**
 * Find the symbol that sym_binary_names() names @p vaddr after. One call at a time for one binary.
 * Errors: no memory.
 */
struct pd_error *sym_binary_code_extent(
	struct sym_binary *binary, uint64_t vaddr, struct sym_code_extent *ret) pd_must_check;

/**
 * Bytes of the file at @p vaddr, borrowed from the binary. *n_ret is their number, at most @p size;
 * it is less if the section or segment ends earlier. Returns NULL if the file has no bytes there.
 * One call at a time for one binary.
 */
const uint8_t *sym_binary_code(
	struct sym_binary *binary, uint64_t vaddr, size_t size, size_t *n_ret);

/** Call @p visit for each mark of the binary and its debug file, like sym_visit_marks(). */
void sym_binary_visit_marks(const struct sym_binary *binary, sym_visit_mark *visit, void *ctx);

#endif

/**
 * @file What the call frame information of a binary covers, for those who visit all of it:
 * unwind/table.h.
 */
#ifndef PD_UNWIND_CFI_RANGES_H
#define PD_UNWIND_CFI_RANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/error.h>
#include <pdconv/vec.h>

#include "unwind/cfi.h"
#include "unwind/row.h"

/** Code of a function at the base of a stack: struct unw_root. */
struct unw_base {
	/** Where it is the base. */
	struct unw_range range;
	/** Vaddr at which the function begins. */
	uint64_t function;
	/** struct unw_root.switches */
	bool switches;
};

/** List of vaddrs. */
struct unw_vaddrs {
	PD_VEC(uint64_t) list;
};

/**
 * Append the vaddrs at which FDEs and functions of Go's table begin, sorted and each once. Errors:
 * NOMEM.
 */
struct pd_error *unw_cfi_list_starts(
	const struct unw_cfi *cfi, struct unw_vaddrs *ret) pd_must_check;

/** Callback for rows, which it may change. Returns false to end the visit. */
typedef bool unw_cfi_on_row(void *ctx, struct unw_row *row);

/**
 * Pass the rows of @p range to @p fn, which are those of unw_cfi_find_row() without
 * is_at_call. No FDE or function begins within @p range (unw_cfi_list_starts()). *end_ret is the
 * vaddr up to which rows were passed: what one run of an FDE's program does not find is left to
 * unw_cfi_find_row(). Errors: NOMEM.
 */
struct pd_error *unw_cfi_visit_rows(const struct unw_cfi *cfi, struct unw_range range,
	unw_cfi_on_row *fn, void *ctx, uint64_t *end_ret) pd_must_check;

/**
 * Range of the PLT section number @p i. @p header_ret is the size of its header in bytes. Returns
 * false after the last one.
 */
bool unw_cfi_plt(const struct unw_cfi *cfi, size_t i, struct unw_range *ret, uint64_t *header_ret);

/** Base of the root function number @p i. Returns false after the last one. */
bool unw_cfi_root(const struct unw_cfi *cfi, size_t i, struct unw_base *ret);

/** Whether the function at the vaddr @p start first pushes the frame pointer and sets it. */
bool unw_cfi_sets_fp(const struct unw_cfi *cfi, uint64_t start);

/** Code at the program's entry point that is known without analysis; empty if there is none. */
struct unw_range unw_cfi_entry(const struct unw_cfi *cfi);

/** Code whose instructions are known: unw_cfi_input.text. */
struct unw_range unw_cfi_text(const struct unw_cfi *cfi);

/**
 * Whether rows in the function at the vaddr @p addr may be corrected for single addresses, so that
 * a row does not hold up to its end: see unwind/go_runtime.h.
 */
bool unw_cfi_is_row_corrected(const struct unw_cfi *cfi, uint64_t addr);

#endif

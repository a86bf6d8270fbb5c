/**
 * @file Code of functions, divided by its locations in the source.
 */
#ifndef PD_SYMBOLIZE_CODE_LIST_H
#define PD_SYMBOLIZE_CODE_LIST_H

#include <stddef.h>
#include <stdint.h>

#include <pdconv/error.h>
#include <pdconv/vec.h>

#include "symbolize/binary.h"

/** Code with one location: addresses from start up to, but not including, end. */
struct sym_code {
	uint64_t start;
	uint64_t end;
};

/** Zeroed it is empty. */
struct sym_code_list {
	PD_VEC(struct sym_code) list;
};

void sym_code_list_deinit(struct sym_code_list *list);

/**
 * List the code of the functions that contain the @p n addresses @p addrs, ascending, which have
 * been named. Functions are those of symbols. The list is ascending, and all of its addresses can
 * be named without reading anything. @p bias: difference between all of these addresses and those
 * of the file. One call at a time for one binary. Errors: NOMEM.
 */
struct pd_error *sym_binary_list_code(struct sym_binary *binary, uint64_t bias,
	const uint64_t *addrs, size_t n, struct sym_code_list *ret) pd_must_check;

#endif

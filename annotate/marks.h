/**
 * @file Marks in a piece of code: what its bytes are (see symbolize/symbols/symbol_visit.h).
 */
#ifndef PD_ANNOTATE_MARKS_H
#define PD_ANNOTATE_MARKS_H

#include <stddef.h>
#include <stdint.h>

#include <pdconv/error.h>
#include <pdconv/vec.h>

#include "symbolize/binary.h"

/** Marks by ascending address, at least one. What precedes the second one is of the first kind. */
struct ann_marks {
	PD_VEC(struct sym_mark) list;
};

/**
 * List the marks of @p binary in @p extent, whose addresses are @p bias higher than those of the
 * binary. Without a binary (NULL), or without marks, everything is code. Errors: no memory.
 */
struct pd_error *ann_marks_create(const struct sym_binary *binary, uint64_t bias,
	const struct sym_code_extent *extent, struct ann_marks *ret) pd_must_check;
void ann_marks_deinit(struct ann_marks *marks);

/**
 * Kind of the bytes from @p addr to *@p end_ret, where the next mark is (UINT64_MAX: none follows).
 * Addresses ascend from call to call; *@p at is 0 at first.
 */
enum sym_code_kind ann_marks_kind(
	const struct ann_marks *marks, uint64_t addr, size_t *at, uint64_t *end_ret);

#endif

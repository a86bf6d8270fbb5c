/**
 * @file Growable arrays.
 *
 * `PD_VEC(struct frame) frames = { 0 };` has members `data`, `n` and `cap`; a zeroed one is empty.
 * Elements move when it grows: keep indexes, not pointers.
 */
#ifndef PDCONV_VEC_H
#define PDCONV_VEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#include <pdconv/decls.h>

PD_DECLS_BEGIN

#define PD_VEC(type) \
	struct { \
		type *data; \
		size_t n; \
		size_t cap; \
	}

/** Make room for @p want elements of @p size bytes in all; false if there is no memory. */
bool pd_vec_grow(void **data, size_t *cap, size_t want, size_t size);

#define pd_vec_reserve(v, want) \
	((want) <= (v)->cap || \
		pd_vec_grow((void **)&(v)->data, &(v)->cap, (want), sizeof(*(v)->data)))

/** Append @p value; false if there is no memory. */
#define pd_vec_push(v, value) \
	(pd_vec_reserve(v, (v)->n + 1) ? ((v)->data[(v)->n++] = (value), true) : false)

/** Free the elements' storage and leave it empty. */
#define pd_vec_deinit(v) (free((v)->data), (v)->data = NULL, (v)->n = 0, (v)->cap = 0)

PD_DECLS_END

#endif

/**
 * @file Growable arrays.
 *
 * `PD_VEC(struct frame) frames = { 0 };` has the members `data`, `n` and `cap`. A zeroed one is
 * empty. Growing moves the elements: keep indexes, not pointers.
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

/**
 * Grow the array to a capacity of at least @p want elements of @p size bytes. False if out of
 * memory.
 */
bool pd_vec_grow(void **data, size_t *cap, size_t want, size_t size);

/** Grow the array @p v to a capacity of at least @p want elements. False if out of memory. */
#define pd_vec_reserve(v, want) \
	((want) <= (v)->cap || \
		pd_vec_grow((void **)&(v)->data, &(v)->cap, (want), sizeof(*(v)->data)))

/** Append @p value to the array @p v. False if out of memory. */
#define pd_vec_push(v, value) \
	(pd_vec_reserve(v, (v)->n + 1) ? ((v)->data[(v)->n++] = (value), true) : false)

/** Free the storage of the array @p v and leave it empty. */
#define pd_vec_deinit(v) (free((v)->data), (v)->data = NULL, (v)->n = 0, (v)->cap = 0)

PD_DECLS_END

#endif

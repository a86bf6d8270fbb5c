/**
 * @file Growable arrays that move to a temporary file when they become large.
 *
 * The file is mapped, so that elements are read and written as in memory; the kernel may write them
 * to disk and drop them from memory whenever it needs the memory. The file has no name and is gone
 * with the array.
 *
 * `PD_SPILL_VEC(struct row) rows = { 0 };` has the members `data`, `n` and `cap` of a PD_VEC. A
 * zeroed one is empty and stays in memory. Growing moves the elements.
 */
#ifndef PD_BASE_SPILL_H
#define PD_BASE_SPILL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/error.h>

#include "base/budget.h"
#include "base/system/spill_file.h"

/** Where the elements are. */
struct base_spill {
	/** Bytes that the array may take in memory; 0: any number. Set before the first element. */
	size_t max_bytes;
	/** Account that counts elements in memory; NULL: none. Set before the first element. */
	struct base_account *account;
	/** Bytes in memory that are counted. */
	size_t charged;
	/** Has bytes if the elements are there. */
	struct base_spill_file file;
};

#define PD_SPILL_VEC(type) \
	struct { \
		type *data; \
		size_t n; \
		size_t cap; \
		struct base_spill spill; \
	}

/**
 * Grow the array to a capacity of at least @p want elements of @p size bytes. If no temporary file
 * can be created, it stays in memory. Errors: NOMEM; OS, the file cannot grow.
 */
struct pd_error *base_spill_grow(
	struct base_spill *spill, void **data, size_t *cap, size_t want, size_t size) pd_must_check;

/** Take the first @p size bytes out of memory, if they are in a file. They can still be read. */
void base_spill_drop(const struct base_spill *spill, size_t size);

void base_spill_free(struct base_spill *spill, void *data);

/** Grow the array @p v to a capacity of at least @p want elements. Errors as base_spill_grow(). */
#define base_spill_reserve(v, want) \
	((want) <= (v)->cap ? NULL \
			    : base_spill_grow(&(v)->spill, (void **)&(v)->data, &(v)->cap, (want), \
				      sizeof(*(v)->data)))

/** Append @p value to the array @p v. Errors as base_spill_grow(). */
#define base_spill_push(v, value) \
	({ \
		struct pd_error *spill_err_ = base_spill_reserve((v), (v)->n + 1); \
		if (!spill_err_) \
			(v)->data[(v)->n++] = (value); \
		spill_err_; \
	})

/** Number of elements that are read before those read earlier are taken out of memory. */
enum { PD_SPILL_STEP = 1 << 16 };

/** Say that the elements of @p v are read in order and that number @p i is next. */
#define base_spill_pass(v, i) \
	((v)->spill.file.bytes && (i) % PD_SPILL_STEP == 0 \
			? base_spill_drop(&(v)->spill, (i) * sizeof(*(v)->data)) \
			: (void)0)

/** Free the storage of the array @p v and leave it empty. */
#define base_spill_deinit(v) \
	(base_spill_free(&(v)->spill, (v)->data), (v)->data = NULL, (v)->n = 0, (v)->cap = 0)

#endif

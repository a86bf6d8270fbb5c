/**
 * @file Table of a profile whose entries are referred to by their index, and to which entries are
 * added. Equal entries get the same index.
 */
#ifndef PD_SYMBOLIZE_FOREIGN_ENTRIES_H
#define PD_SYMBOLIZE_FOREIGN_ENTRIES_H

#include <pdconv/error.h>
#include <pdconv/vec.h>

#include "base/containers/intern.h"

/** A zeroed table is empty. Entry 0 is reserved: it stands for none. */
struct sym_entries {
	/** Keys of the entries: bytes that are equal if the entries are. */
	struct base_intern keys;
	/** Index of each key that the profile has. Keys beyond them are added ones. */
	PD_VEC(uint32_t) known;
	/** Number of entries in the profile. */
	uint32_t n;
};

void sym_entries_deinit(struct sym_entries *entries);

/** Append an entry of the profile. No entry may have been added yet. Errors: NOMEM. */
struct pd_error *sym_entries_append(
	struct sym_entries *entries, const void *key, size_t len) pd_must_check;

/**
 * Find or add an entry. Errors: NOMEM; FORMAT, if the index does not fit in 31 bits, about the
 * profile @p path.
 */
struct pd_error *sym_entries_find(struct sym_entries *entries, const char *path, const void *key,
	size_t len, uint32_t *ret) pd_must_check;

/** First added entry. Those from there to keys.n are in the order of their indexes. */
static inline uint32_t sym_entries_first_added(const struct sym_entries *entries)
{
	return (uint32_t)entries->known.n;
}

#endif

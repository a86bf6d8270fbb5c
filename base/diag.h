/**
 * @file Entries of a diag that were stored.
 */
#ifndef PD_BASE_DIAG_H
#define PD_BASE_DIAG_H

#include <pdconv/error.h>

/**
 * Append an entry for @p count occurrences, with copies of the members of @p first. Occurrences
 * that follow are counted in entries of their own. When out of memory, the entry is lost.
 */
void base_diag_restore(struct pd_diag *diag, const struct pd_error *first, uint64_t count);

#endif

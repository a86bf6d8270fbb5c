/**
 * @file Starts of functions in code without symbols: the addresses that its instructions call or
 * take.
 */
#ifndef PD_UNWIND_STARTS_H
#define PD_UNWIND_STARTS_H

#include <stdbool.h>
#include <stdint.h>

struct unw_arch;
struct unw_section;

/** Starts of functions in a section, found in one pass when first needed. Thread-safe. */
struct unw_starts;

/** Create the set for @p text, which is borrowed. Returns NULL if out of memory. */
struct unw_starts *unw_starts_create(const struct unw_section *text, const struct unw_arch *arch);
void unw_starts_destroy(struct unw_starts *starts);

/**
 * Find the last start at or before the vaddr @p addr. Returns false if there is none, if the
 * section is too large, or if memory ran out.
 */
bool unw_starts_find(struct unw_starts *starts, uint64_t addr, uint64_t *ret);

#endif

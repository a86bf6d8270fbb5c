/**
 * @file Names for the addresses of heap profiles, as gperftools (tcmalloc) and jemalloc write them.
 *
 * Stacks are lines with "@ 0xHEX 0xHEX", and the line MAPPED_LIBRARIES: is followed by the mappings
 * of the process as in /proc/PID/maps. The result is what jeprof and pprof write with --raw and
 * read in place of a program: the names, then the profile as it was.
 */
#ifndef PD_SYMBOLIZE_FOREIGN_HEAP_NAMES_H
#define PD_SYMBOLIZE_FOREIGN_HEAP_NAMES_H

#include <stdio.h>

#include "symbolize/foreign/asked.h"

struct sym_heap;

/** Whether the text is a heap profile, by its first line. */
bool sym_heap_is_one(const char *text, size_t len);

/**
 * Read the heap profile of @p len bytes, which are borrowed, and add its addresses to @p asked. All
 * of them are return addresses, which are looked up one byte earlier. Errors: NOMEM.
 */
struct pd_error *sym_heap_read(
	const char *text, size_t len, struct sym_asked *asked, struct sym_heap **ret) pd_must_check;
void sym_heap_destroy(struct sym_heap *heap);

/** Write the profile with the names of the set, which was named since. */
void sym_heap_write(const struct sym_heap *heap, FILE *out);

#endif

/**
 * @file perf-PID.map: what a process called the code that it generated.
 *
 * A line is "START SIZE NAME": hexadecimal numbers, with or without 0x, and a name that may have spaces
 * (tools/perf/Documentation/jit-interface.txt of Linux). Lines are appended as code is made: where two
 * overlap, the later one is what was there last.
 *
 * Addresses are process addresses.
 */
#ifndef PD_SYMBOLIZE_PERF_MAP_H
#define PD_SYMBOLIZE_PERF_MAP_H

#include <stdbool.h>
#include <stdint.h>

#include <pdconv/error.h>

#include "symbolize/find/search.h"

/** Whether code may be generated into what is mapped as @p name: memory without a file. */
bool sym_may_be_generated(const char *name);

/**
 * Look for the map of process @p pid of the recording: where @p search says, and in /tmp if the recording
 * is of this machine, there as the process itself saw it if it still runs. One in /tmp has to belong to
 * root, to the user, or to the one whose process it is. *ret (malloc) is its path, or NULL. Errors: no
 * memory.
 */
struct pd_error *sym_perf_map_find(
	const struct sym_search *search, uint32_t pid, char **ret) pd_must_check;

struct sym_perf_map;

/** Read the map at @p path, as it was found. One that cannot be read is empty. Errors: no memory. */
struct pd_error *sym_perf_map_read(const char *path, struct sym_perf_map **ret) pd_must_check;
/** NULL is fine. */
void sym_perf_map_destroy(struct sym_perf_map *map);

/** The name of the code at @p addr, which begins at @p start_ret, or NULL. Borrowed from the map. */
const char *sym_perf_map_name(const struct sym_perf_map *map, uint64_t addr, uint64_t *start_ret);

#endif

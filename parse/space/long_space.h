/**
 * @file Spaces that are used for long: what they know of living processes, without the others.
 */
#ifndef PD_PARSE_LONG_SPACE_H
#define PD_PARSE_LONG_SPACE_H

#include "parse/space/space.h"

/**
 * Like parse_space_maps(), but do not create a process that is not known: NULL. A space that is
 * used for long has no memory for processes without records.
 */
struct parse_maps *parse_space_known_maps(const struct parse_space *space, uint32_t pid);
/**
 * Create a snapshot without mappings, with one reference, for processes that are not known. NULL if
 * out of memory.
 */
struct parse_maps *parse_space_empty_maps(struct parse_space *space);
/** Name of a thread or, if that is not known, of its process; NULL. Lives as long as the space. */
const char *parse_space_known_comm(const struct parse_space *space, uint32_t pid, uint32_t tid);

/**
 * Take files with the same path and different inodes for different dsos. Recordings are too short
 * for many files to be replaced. Must be called before the first record is applied.
 */
void parse_space_split_inodes(struct parse_space *space);

/**
 * Number of mappings and threads that were ever created, for which the space has memory: nothing is
 * freed before the space.
 */
size_t parse_space_n_created(const struct parse_space *space);
/**
 * Create a space with the kernel and the processes of @p old that have threads which have not
 * exited. Mappings of data, generated code, and programs before an exec are left out. Errors:
 * NOMEM.
 */
struct pd_error *parse_space_copy_living(
	const struct parse_space *old, struct parse_space **ret) pd_must_check;
/** Remove the mappings of process @p pid, if it has any. Errors: NOMEM. */
struct pd_error *parse_space_unmap_all(struct parse_space *space, uint32_t pid) pd_must_check;

#endif

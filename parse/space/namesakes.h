/**
 * @file Files of one path: of several containers, or a file and the one that replaced it.
 *
 * perf records the inode of each, and one build id for all of them, which is that of only one. What
 * of a file was mapped as code can show which one.
 */
#ifndef PD_PARSE_NAMESAKES_H
#define PD_PARSE_NAMESAKES_H

#include <pdconv/error.h>

#include "base/id_origin.h"
#include "base/containers/map.h"

struct parse_dso;
struct pd_file;

/** Zero-initialise. Values are an inode, or UINT64_MAX if there are several. */
struct parse_namesakes {
	/** Key: the hash of a path. */
	struct base_map paths;
	/** Key: the hash of a path, and of the offset and size of a mapping of code. */
	struct base_map regions;
};

/**
 * Read all mappings of code in @p file if it lists a path several times. Nothing is read of a
 * stream. Errors: OS, NOMEM.
 */
struct pd_error *parse_namesakes_read(
	struct pd_file *file, struct parse_namesakes *ret) pd_must_check;

/**
 * Find the source of a build id that was recorded with the path of @p dso. @p namesakes may be
 * NULL.
 */
enum base_id_origin parse_namesakes_origin(
	const struct parse_namesakes *namesakes, const struct parse_dso *dso);

void parse_namesakes_deinit(struct parse_namesakes *namesakes);

#endif

/**
 * @file The directory that `perf record --threads` makes: a recording "data", and beside it bare
 * records of each thread, "data.0" and so on.
 */
#ifndef PD_PARSE_DIRECTORY_H
#define PD_PARSE_DIRECTORY_H

#include <stdbool.h>

#include <pdconv/error.h>
#include <pdconv/vec.h>

/** "data.7": number 7. A name without a number comes behind all others. */
struct pd_directory_entry {
	uint64_t number;
	/** The path with the directory. Owned. */
	char *path;
};

/** Zeroed: empty. */
struct pd_directory {
	/** Ascending. */
	PD_VEC(struct pd_directory_entry) entries;
};

bool pd_directory_is(const char *path);
/** Whether @p path is a regular file: who made a directory may have put a pipe there. */
bool pd_directory_is_file(const char *path);

/** Find the regular files data.* in @p path. */
struct pd_error *pd_directory_read(const char *path, struct pd_directory *ret) pd_must_check;
void pd_directory_deinit(struct pd_directory *directory);

#endif

/**
 * @file Directories of `perf record --threads`: a recording "data", and files "data.0" and so on
 * with the records of each thread, which have no header.
 */
#ifndef PD_PARSE_DIRECTORY_H
#define PD_PARSE_DIRECTORY_H

#include <stdbool.h>

#include <pdconv/error.h>
#include <pdconv/vec.h>

/** File "data.7" has the number 7. Names without a number are sorted after all others. */
struct parse_directory_entry {
	uint64_t number;
	/** Path, including that of the directory. Owned. */
	char *path;
};

/** A zeroed directory is empty. */
struct parse_directory {
	/** Files in ascending order of their numbers. */
	PD_VEC(struct parse_directory_entry) entries;
};

bool parse_directory_is(const char *path);
/**
 * Whether @p path is a regular file. An untrusted directory may contain pipes, which would block.
 */
bool parse_directory_is_file(const char *path);

/** List the regular files data.* in the directory @p path. Errors: OS, NOMEM. */
struct pd_error *parse_directory_read(const char *path, struct parse_directory *ret) pd_must_check;
void parse_directory_deinit(struct parse_directory *directory);

#endif

/**
 * @file The recordings of a batch: files, those in folders, and those in lists.
 *
 * They are found one by one, so that memory does not grow with their number.
 */
#ifndef PD_BATCH_INPUTS_H
#define PD_BATCH_INPUTS_H

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>

#include <pdconv/error.h>
#include <pdconv/vec.h>

/** A recording. Strings are valid until the next one is found. */
struct bat_input {
	const char *path;
	/**
	 * Name by which it belongs to a shard: what was given; for a recording in a folder that was
	 * given, the path from there. It does not depend on where the folder is mounted.
	 */
	const char *name;
};

/** A folder that is read. */
struct bat_folder {
	DIR *list;
	/** Length of its path in bat_inputs.path. */
	size_t len;
};

struct bat_inputs {
	/** Arguments that are left; borrowed. */
	const char *const *arguments;
	size_t n_arguments;
	/** Where "-" reads paths, one a line. Borrowed; NULL: there are none. */
	FILE *list;
	char *line;
	size_t line_size;
	/** Folders from the one that was given to the one that is read. */
	PD_VEC(struct bat_folder) folders;
	PD_VEC(char) path;
	/** A folder that is passed over: the output. */
	struct stat output;
};

/**
 * Begin with @p arguments, which are borrowed. "-" among them stands for the lines of @p list. The
 * folder @p output is passed over if it is below them.
 */
void bat_inputs_init(struct bat_inputs *inputs, const char *const *arguments, size_t n, FILE *list,
	const struct stat *output);
void bat_inputs_deinit(struct bat_inputs *inputs);

/**
 * Find the next recording. In folders these are files that begin like one, compressed ones called
 * *.data.*, and folders of `perf record --threads`; names that begin with a dot and links to
 * folders are passed over. What was given by its own name is not judged. *@p is_end_ret: there are
 * no more. Errors: OS, the list cannot be read; NOMEM.
 */
struct pd_error *bat_inputs_next(
	struct bat_inputs *inputs, struct bat_input *ret, bool *is_end_ret) pd_must_check;

#endif

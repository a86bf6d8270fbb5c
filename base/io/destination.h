/**
 * @file Where an output goes: a directory, and the name of a file in it.
 *
 * In a directory in which everybody can create files, such as /tmp, somebody else may have put a
 * symbolic link or a pipe in the place of the output. The kernel refuses them only if
 * fs.protected_symlinks and fs.protected_fifos are set. Here each part of the path is checked
 * before it is followed, and the directory stays open, so that no part can be replaced later.
 */
#ifndef PD_BASE_DESTINATION_H
#define PD_BASE_DESTINATION_H

#include <stdbool.h>
#include <sys/stat.h>

#include <pdconv/error.h>

struct base_destination {
	/** Directory of the file, opened with O_PATH; AT_FDCWD where directories are not opened. */
	int dir;
	/** Name of the file in the directory: not a symbolic link of the user or of others. */
	char *name;
	/** The file exists already; state is set. */
	bool exists;
	/** The name is a link of the kernel to an open file, as those in /proc/self/fd are. */
	bool is_open_file;
	struct stat state;
};

/**
 * Find the destination of @p path, following the links that can be trusted. @p replaces: a regular
 * file is replaced and not written. On success free the result with base_destination_deinit().
 * Errors: OS, the file cannot be reached; or a link, or a file that would be written, belongs to
 * another user in a directory that everybody can write; NOMEM.
 */
struct pd_error *base_destination_find(
	const char *path, bool replaces, struct base_destination *ret) pd_must_check;

/** Release what base_destination_find() allocated; harmless for one that is all zeros. */
void base_destination_deinit(struct base_destination *destination);

/** Whether the destination is a device, a pipe or an open file, which cannot be replaced. */
bool base_destination_is_special(const struct base_destination *destination);

/** Open the file itself for writing, and truncate it. Returns -1 and sets errno on failure. */
int base_destination_open(const struct base_destination *destination, mode_t mode);

/**
 * Create a new file with another name in the same directory, for writing and reading, with @p mode
 * as open(2) takes it; with S_IFDIR in it, a directory. The caller frees *@p name_ret. Returns -1
 * and sets errno on failure.
 */
int base_destination_create_beside(
	const struct base_destination *destination, mode_t mode, char **name_ret);

#endif

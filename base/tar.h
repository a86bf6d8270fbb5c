/**
 * @file Writer of tarballs that are compressed with zstd.
 *
 * Members belong to root and have the mode 0644. The bytes of a tarball depend only on its members
 * and on the version of libarchive.
 */
#ifndef PD_BASE_TAR_H
#define PD_BASE_TAR_H

#include <stdint.h>
#include <stdio.h>

#include <pdconv/error.h>

struct pd_tar;

/** A member of a tarball. All is borrowed. */
struct pd_tar_member {
	/** Path in the tarball, relative. */
	const char *path;
	/** Target of a symbolic link; NULL: a file. */
	const char *target;
	/** Time of modification in seconds since 1970. */
	int64_t mtime;
	/** Size of a file in bytes. */
	uint64_t size;
};

/**
 * Create a tarball that is written to @p out, which is borrowed until it is destroyed. @p name is
 * used in messages. Errors: UNSUPPORTED (libarchive is not installed), NOMEM.
 */
struct pd_error *pd_tar_create(FILE *out, const char *name, struct pd_tar **ret) pd_must_check;
/** Free @p tar, which may be NULL. Unless it was finished, discard what was written. */
void pd_tar_destroy(struct pd_tar *tar);

/** Begin @p member, whose bytes follow by pd_tar_put(). Errors: OS, NOMEM. */
struct pd_error *pd_tar_begin(struct pd_tar *tar, const struct pd_tar_member *member) pd_must_check;

/** Write the next @p size bytes of the current member, not more than it has. Errors: OS. */
struct pd_error *pd_tar_put(struct pd_tar *tar, const void *bytes, size_t size) pd_must_check;

/** Complete the current member with zeros, if less than its size was written. Errors: OS. */
struct pd_error *pd_tar_end(struct pd_tar *tar) pd_must_check;

/** Complete the tarball. Nothing can be added afterwards. Errors: OS. */
struct pd_error *pd_tar_finish(struct pd_tar *tar) pd_must_check;

#endif

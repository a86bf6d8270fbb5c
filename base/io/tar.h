/**
 * @file libarchive, which reads and writes tarballs and is loaded on first use; and a writer of
 * tarballs that are compressed with zstd.
 *
 * Members belong to root and have the mode 0644. The bytes of a tarball depend only on its members
 * and on the version of libarchive.
 */
#ifndef PD_BASE_TAR_H
#define PD_BASE_TAR_H

#include <archive.h>
#include <archive_entry.h>
#include <stdint.h>
#include <stdio.h>

#include <pdconv/error.h>

/* Functions of libarchive that are in use. */
/* clang-format off */
#define PD_LIBARCHIVE_FUNCTIONS(F) \
	F(archive_read_new) \
	F(archive_read_free) \
	F(archive_read_support_filter_gzip) \
	F(archive_read_support_filter_bzip2) \
	F(archive_read_support_filter_xz) \
	F(archive_read_support_filter_zstd) \
	F(archive_read_support_format_tar) \
	F(archive_read_open_fd) \
	F(archive_read_next_header) \
	F(archive_read_data_block) \
	F(archive_write_new) \
	F(archive_write_free) \
	F(archive_write_close) \
	F(archive_write_add_filter_zstd) \
	F(archive_write_set_filter_option) \
	F(archive_write_set_format_gnutar) \
	F(archive_write_set_bytes_in_last_block) \
	F(archive_write_open) \
	F(archive_write_header) \
	F(archive_write_data) \
	F(archive_write_finish_entry) \
	F(archive_filter_bytes) \
	F(archive_errno) \
	F(archive_error_string) \
	F(archive_entry_new) \
	F(archive_entry_free) \
	F(archive_entry_pathname) \
	F(archive_entry_filetype) \
	F(archive_entry_set_pathname) \
	F(archive_entry_set_filetype) \
	F(archive_entry_set_perm) \
	F(archive_entry_set_size) \
	F(archive_entry_set_mtime) \
	F(archive_entry_set_symlink)
/* clang-format on */

struct base_libarchive {
#define PD_LIBARCHIVE_MEMBER(name) __typeof__(&name) name;
	PD_LIBARCHIVE_FUNCTIONS(PD_LIBARCHIVE_MEMBER)
#undef PD_LIBARCHIVE_MEMBER
};

/**
 * Load libarchive. Returns NULL if it is not installed. Thread-safe. It starts no program and opens
 * no file but the library, so it can be loaded after rights were given up.
 */
const struct base_libarchive *base_libarchive(void);

struct base_tar;

/** A member of a tarball. All is borrowed. */
struct base_tar_member {
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
struct pd_error *base_tar_create(FILE *out, const char *name, struct base_tar **ret) pd_must_check;
/** Free @p tar, which may be NULL. Unless it was finished, discard what was written. */
void base_tar_destroy(struct base_tar *tar);

/** Begin @p member, whose bytes follow by base_tar_put(). Errors: OS, NOMEM. */
struct pd_error *base_tar_begin(
	struct base_tar *tar, const struct base_tar_member *member) pd_must_check;

/** Write the next @p size bytes of the current member, not more than it has. Errors: OS. */
struct pd_error *base_tar_put(struct base_tar *tar, const void *bytes, size_t size) pd_must_check;

/** Complete the current member with zeros, if less than its size was written. Errors: OS. */
struct pd_error *base_tar_end(struct base_tar *tar) pd_must_check;

/** Complete the tarball. Nothing can be added afterwards. Errors: OS. */
struct pd_error *base_tar_finish(struct base_tar *tar) pd_must_check;

#endif

/**
 * @file libarchive, which reads and writes tarballs. It is loaded on first use.
 */
#ifndef PD_BASE_LIBARCHIVE_H
#define PD_BASE_LIBARCHIVE_H

#include <stdbool.h>

#include <archive.h>
#include <archive_entry.h>

/* The functions in use. */
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

struct pd_libarchive {
#define PD_LIBARCHIVE_MEMBER(name) __typeof__(&name) name;
	PD_LIBARCHIVE_FUNCTIONS(PD_LIBARCHIVE_MEMBER)
#undef PD_LIBARCHIVE_MEMBER
};

/**
 * Load libarchive. Returns NULL if it is not installed. Thread-safe. It starts no program and opens
 * no file but the library, so it can be loaded after rights were given up.
 */
const struct pd_libarchive *pd_libarchive(void);

#endif

/**
 * @file Archives of binaries as `perf archive` makes them, read without unpacking them first.
 *
 * perf puts files of its build-id cache into a tarball as PATH/ID/KIND, where KIND is "elf",
 * "debug", "vdso" or "kallsyms". A file without a build id is at PATH/KIND. Other ELF files in a
 * tarball are identified by the build id in their notes. Jitdumps and
 * maps of generated code (perf-PID.map) are at their recorded paths, .dwo and .dwp files at those
 * where they were found.
 *
 * Only members that may be one of these are kept, in a temporary file without a name. A tarball
 * that becomes implausibly large is read up to that point.
 */
#ifndef PD_SYMBOLIZE_FIND_BINARY_ARCHIVE_H
#define PD_SYMBOLIZE_FIND_BINARY_ARCHIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/build_id.h>
#include <pdconv/error.h>

struct sym_archive;
struct sym_deps;

/**
 * Create an archive for the tarball @p path, which is read on first use and then added to @p deps.
 * @p deps is borrowed, and may be NULL. Errors: NOMEM.
 */
struct pd_error *sym_archive_create(
	const char *path, struct sym_deps *deps, struct sym_archive **ret) pd_must_check;
void sym_archive_destroy(struct sym_archive *archive);

/** File in an archive. Borrowed from it. */
struct sym_member {
	struct pd_build_id id;
	/** Path within the archive. */
	const char *path;
	/** Offset in the file of sym_archive_fd(), in bytes; a multiple of the page size. */
	uint64_t offset;
	uint64_t size;
};

/**
 * Find file number @p i of those with the build id @p id and the base name @p kind (NULL: any).
 * Returns NULL if there are fewer, or if the archive cannot be read. Thread-safe.
 */
const struct sym_member *sym_archive_find(
	struct sym_archive *archive, const struct pd_build_id *id, const char *kind, size_t i);

/**
 * Find the binary with the recorded path @p name: the member NAME/ID/KIND, or NAME/KIND of a file
 * without a build id. For recordings that have no build id of it. Returns NULL if there is none, or
 * if there are several. Thread-safe.
 */
const struct sym_member *sym_archive_find_path(
	struct sym_archive *archive, const char *name, const char *kind);

/**
 * Find the member that has the recorded path @p name itself, such as a jitdump or a map of
 * generated code. Returns NULL if there is none. Thread-safe.
 */
const struct sym_member *sym_archive_find_recorded(struct sym_archive *archive, const char *name);

/**
 * Find file number @p i of those whose path ends with the name @p base, in any directory. Returns
 * NULL if there are fewer. Thread-safe.
 */
const struct sym_member *sym_archive_find_base(
	struct sym_archive *archive, const char *base, size_t i);

/** Descriptor of the file that holds the members. Borrowed. */
int sym_archive_fd(const struct sym_archive *archive);

const char *sym_archive_path(const struct sym_archive *archive);
/** Reason why the archive could not be read to its end, or NULL. Borrowed. */
const char *sym_archive_failure(struct sym_archive *archive);

#endif

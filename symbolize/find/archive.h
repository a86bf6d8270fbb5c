/**
 * @file Archives of binaries, as `perf archive` packs them, used as they are.
 *
 * perf puts a file of the build-id cache under PATH/ID/KIND into a tarball: KIND is "elf", "debug",
 * "vdso" or "kallsyms". Other ELF files in a tarball are known by the build id in them.
 */
#ifndef PD_SYMBOLIZE_FIND_ARCHIVE_H
#define PD_SYMBOLIZE_FIND_ARCHIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/build_id.h>
#include <pdconv/error.h>

struct sym_archive;

/** The tarball @p path, which is read when it is asked for something first. Errors: no memory. */
struct pd_error *sym_archive_create(const char *path, struct sym_archive **ret) pd_must_check;
void sym_archive_destroy(struct sym_archive *archive);

/** A file in an archive. Borrowed from it. */
struct sym_member {
	struct pd_build_id id;
	/** In the archive. */
	const char *path;
	/** Where it is in the file that sym_archive_fd gives: a multiple of the page size. */
	uint64_t offset;
	size_t size;
};

/**
 * Number @p i of the files that have the build id @p id and the base name @p kind (NULL: any); NULL:
 * there are not so many. An archive that cannot be read has none. From any thread.
 */
const struct sym_member *sym_archive_find(
	struct sym_archive *archive, const struct pd_build_id *id, const char *kind, size_t i);

/** The file that holds what was found. Borrowed. */
int sym_archive_fd(const struct sym_archive *archive);

const char *sym_archive_path(const struct sym_archive *archive);
/** What kept it from being read to its end, or NULL. Borrowed. */
const char *sym_archive_failure(struct sym_archive *archive);

#endif

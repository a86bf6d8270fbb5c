/**
 * @file Dependencies: the files of this machine that stacks and names were made from, and those
 * that were looked for and did not exist.
 *
 * Stacks and names can be kept as long as none of these files has changed. Every file is
 * opened through sym_open_regular(), which adds it, so the list is complete. The cache of names
 * itself is not in it, because names do not depend on that.
 */
#ifndef PD_SYMBOLIZE_FILE_DEPS_H
#define PD_SYMBOLIZE_FILE_DEPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include <pdconv/error.h>

struct sym_deps;

enum sym_dep_kind {
	/**
	 * A file, whatever links lead to it: its identity and times; its contents if it is in /proc
	 * or /sys; or the reason why it cannot be read.
	 */
	SYM_DEP_FILE,
	/** The file or link of this very name. */
	SYM_DEP_LINK,
	/** The path without links. */
	SYM_DEP_REAL_PATH,
	/** Answer of sym_process_read(); see sym_deps_add_process(). */
	SYM_DEP_PROCESS,
	/** The root directories of all processes; the path is empty. */
	SYM_DEP_ROOTS,
	SYM_N_DEP_KINDS,
};

/** Create an empty list. Errors: NOMEM. */
struct pd_error *sym_deps_create(struct sym_deps **ret) pd_must_check;
/** @p deps may be NULL. */
void sym_deps_destroy(struct sym_deps *deps);

/**
 * Add @p path in its present state, before it is used. Does nothing if @p deps is NULL, or if the
 * path is already known. Thread-safe.
 */
void sym_deps_add(struct sym_deps *deps, enum sym_dep_kind kind, const char *path);

/**
 * Like sym_deps_add(), for a path whose first @p root_len bytes are a root; see
 * symbolize/file/access.h. Links and ".." do not lead out of that.
 */
void sym_deps_add_below(
	struct sym_deps *deps, enum sym_dep_kind kind, const char *path, size_t root_len);

/** Add the answer of sym_process_read() to these arguments. Otherwise like sym_deps_add(). */
void sym_deps_add_process(struct sym_deps *deps, uint32_t pid, int64_t ended_at);

/**
 * Note that something cannot be checked later, such as the answer of a server. @p deps may be NULL.
 * Thread-safe.
 */
void sym_deps_spoil(struct sym_deps *deps);

/** Takes the @p path of a file, which is valid during the call. Returns an error to stop. */
typedef struct pd_error *sym_deps_fn(void *ctx, const char *path);

/**
 * Call @p fn with each file in @p deps that exists, in the order in which they were added. Nothing
 * may be added meanwhile. Errors: NOMEM; those of @p fn.
 */
struct pd_error *sym_deps_visit_files(
	const struct sym_deps *deps, sym_deps_fn *fn, void *ctx) pd_must_check;

/**
 * Write the list to @p ret as bytes from malloc(), 8-byte aligned. *ret is NULL if it cannot be
 * relied on: it was spoilt, something has changed since it was added, or something had been changed
 * so shortly before that a further change would go unnoticed. Errors: NOMEM.
 */
struct pd_error *sym_deps_encode(
	struct sym_deps *deps, uint8_t **ret, size_t *size_ret) pd_must_check;

/** Whether everything in the list @p bytes, which may be damaged, is as it was. */
bool sym_deps_are_current(const uint8_t *bytes, size_t size);

/**
 * State of a file: what differs after a change of the file, or when another one takes its place. It
 * has no padding, so states can be compared by their bytes.
 */
struct sym_file_id {
	uint64_t dev;
	uint64_t ino;
	uint64_t size;
	/** Time of the last change of the contents, and of contents or attributes, in ns. */
	int64_t mtime_ns;
	int64_t ctime_ns;
	uint64_t mode;
};

struct sym_file_id sym_file_identify(const struct stat *st);

/**
 * Whether the file was changed so shortly before now that its times may be the same after another
 * change.
 */
bool sym_file_is_fresh(const struct stat *st);

#endif

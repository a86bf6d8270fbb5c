/**
 * @file The index: answers to questions about recordings, kept for the next time.
 *
 * An entry is a file in the directory of the cache (base/io/cache_dir.h). It holds the profile, the
 * warnings that were printed while it was made, and all that it depends on: the question, the state
 * of the recording, the program, and the files that were looked for (symbolize/file/deps.h). If
 * anything differs, the entry is not used, so an answer never depends on the index.
 */
#ifndef PD_INDEX_INDEX_H
#define PD_INDEX_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/error.h>

#include "profile/profile.h"
#include "symbolize/file/deps.h"

/** End of the names of the files. */
#define INDEX_SUFFIX ".index"

/** Entry of one question about one recording. */
struct index_entry;

/**
 * Create the entry of the question @p question (see resolve/question.h), of @p len bytes, about the
 * recording @p path, in the directory @p dir. Call it before the recording is opened. *ret is NULL
 * if the question cannot have an entry: the recording is not a regular file, or was changed just
 * now. Errors: NOMEM.
 */
struct pd_error *index_entry_create(const char *dir, const char *path, const void *question,
	size_t len, struct index_entry **ret) pd_must_check;
/** @p entry may be NULL. */
void index_entry_destroy(struct index_entry *entry);

/**
 * Read the answer, if the entry has one that is valid. What was reported is appended to @p diag.
 * *ret is NULL if there is none. With @p is_silent only answers without reports count. Errors:
 * NOMEM.
 */
struct pd_error *index_entry_load(const struct index_entry *entry, bool is_silent,
	struct pd_diag *diag, struct profile **ret) pd_must_check;

/**
 * Note what the answer depends on and what was reported, once the profile is made and before it is
 * changed. *ret is false if the answer cannot be kept: something was not reliable, or has changed
 * in the meantime. Errors: NOMEM.
 */
struct pd_error *index_entry_conclude(struct index_entry *entry, struct sym_deps *deps,
	const struct pd_diag *diag, bool *ret) pd_must_check;

/** Directory of the entry. Borrowed. */
const char *index_entry_dir(const struct index_entry *entry);

/** Path of the recording. Borrowed. */
const char *index_entry_path(const struct index_entry *entry);

/**
 * Write the concluded entry with @p profile, replacing an older one. Returns false if it would be
 * larger than PD_LIMIT_CACHE_FILE_BYTES, so it is not written; other failures are ignored.
 */
bool index_entry_save(const struct index_entry *entry, const struct profile *profile);

/**
 * Compute a number from the build ids of the program and the libraries that are loaded, the vdso
 * included. Any change of the code gives another one. Returns false if the program has no build id.
 */
bool index_program_id(uint64_t *ret);

/** Write the entries of @p diag to @p ret, bytes from malloc(). Errors: NOMEM. */
struct pd_error *index_reports_encode(
	const struct pd_diag *diag, uint8_t **ret, size_t *size_ret) pd_must_check;

/**
 * Append the entries in @p bytes to @p diag; NULL: only check the bytes. Returns false if the bytes
 * are damaged.
 */
bool index_reports_decode(const uint8_t *bytes, size_t size, struct pd_diag *diag);

#endif

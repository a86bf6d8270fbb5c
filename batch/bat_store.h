/**
 * @file Where the outputs of a batch are kept, and how it is known what is done.
 *
 *     DIR/TABLE/date=.../ID.parquet    outputs, which appear under their names when complete
 *     DIR/manifest.jsonl               a line for each recording that was converted, or failed
 *     DIR/.pdconv/done/01/23456...     of each recording: options, input, paths of the outputs
 *     DIR/.pdconv/inputs/01/23456...   of each input: its state, id and content
 *     DIR/.pdconv/tmp.XXXXXX/          outputs that are being written, of one batch
 *
 * A recording is done if the file in done/ exists, which is written last. Whatever is interrupted
 * before that is made again, and gives the same files. Several batches can share a DIR: each locks
 * its temporary folder, and removes those that no batch has locked.
 */
#ifndef PD_BATCH_STORE_H
#define PD_BATCH_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/error.h>
#include <pdconv/vec.h>

#include "batch/digest.h"

struct bat_store {
	/** Path of the folder; borrowed. */
	const char *path;
	int dir;
	/** The temporary folder, and its path below the folder. */
	int temporary;
	char *temporary_name;
	int manifest;
	/** Digest of the options that the outputs depend on. */
	char options[BAT_DIGEST_SIZE];
};

/** An output, which is moved to its place. */
struct bat_output {
	/** Name in the slot. Owned. */
	char *from;
	/** Path below the folder. Owned. */
	char *to;
};

struct bat_outputs {
	PD_VEC(struct bat_output) items;
};

/**
 * Open or create the folder @p path, which is borrowed, the file @p manifest in it, and a temporary
 * folder. Close with bat_store_close(). Errors: OS, NOMEM.
 */
struct pd_error *bat_store_open(
	const char *path, const char *manifest, struct bat_store *ret) pd_must_check;
/** Remove the temporary folder. A zeroed store is not permitted. */
void bat_store_close(struct bat_store *store);

/**
 * Make the slot number @p slot an empty folder, in which a recording is converted. *@p path_ret is
 * its path, allocated. Errors: OS, NOMEM.
 */
struct pd_error *bat_store_clear(
	const struct bat_store *store, size_t slot, char **path_ret) pd_must_check;

/** Whether the recording @p id was converted with these options, and its outputs still exist. */
bool bat_store_has(const struct bat_store *store, const char *id);

/**
 * Whether the file @p input is in the state in which it was a recording that is done, so that it
 * does not have to be read.
 */
bool bat_store_knows(const struct bat_store *store, const char *input);

/** An input that is done. Strings are borrowed. */
struct bat_done {
	const char *input;
	/** State in which it was read: see bat_file_state(). */
	uint64_t state;
	const char *id;
	/** Digest of its content. */
	const char *content;
};

/**
 * Remember that an input is done. If it had another id with the same content, because the labels
 * were others, the outputs of that id are removed. A failure only means that the input will be read
 * again.
 */
void bat_store_remember(const struct bat_store *store, const struct bat_done *done);

/** Append an output; both strings are allocated and owned from now on. False: no memory. */
bool bat_outputs_add(struct bat_outputs *outputs, char *from, char *to) pd_must_check;
void bat_outputs_deinit(struct bat_outputs *outputs);

/**
 * Give the outputs of the recording @p id, which are in slot number @p slot, their names, and
 * remove those that it had with other options. *@p bytes_ret is their size. Errors: OS, one could
 * not be moved, and bat_store_has() is still false; NOMEM.
 */
struct pd_error *bat_store_publish(const struct bat_store *store, size_t slot,
	const struct bat_outputs *outputs, const char *id, uint64_t *bytes_ret) pd_must_check;

/** Note that the recording @p id, read from @p input, has all @p outputs. Errors: OS, NOMEM. */
struct pd_error *bat_store_conclude(const struct bat_store *store, const char *id,
	const char *input, const struct bat_outputs *outputs) pd_must_check;

/** Append a line, of @p len bytes with its end, to the manifest. Errors: OS. */
struct pd_error *bat_store_log(
	const struct bat_store *store, const char *line, size_t len) pd_must_check;

#endif

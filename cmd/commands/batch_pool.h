/**
 * @file The processes of a batch, each of which converts one recording.
 */
#ifndef PD_CMD_BATCH_POOL_H
#define PD_CMD_BATCH_POOL_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <pdconv/error.h>

#include "cmd/commands/batch_worker.h"

/** A process that converts, or room for one. */
struct cmd_batch_worker {
	/** 0: none. */
	pid_t pid;
	char *input;
	/** Path of the folder that it may write to. */
	char *slot;
	/** Pipe from which its result comes. */
	int from;
};

struct cmd_batch_pool {
	/** Borrowed. */
	const struct cmd_batch_plan *plan;
	struct cmd_batch_worker *workers;
	size_t n_workers;
	size_t n_busy;
	uint64_t n_converted;
	uint64_t n_skipped;
	uint64_t n_failed;
	/** Bytes of the recordings that were converted, and of their outputs. */
	uint64_t input_bytes;
	uint64_t output_bytes;
};

/** Prepare @p n_workers processes at a time. Errors: NOMEM. */
struct pd_error *cmd_batch_pool_init(struct cmd_batch_pool *pool, const struct cmd_batch_plan *plan,
	size_t n_workers) pd_must_check;
/** End all processes. A zeroed pool is permitted. */
void cmd_batch_pool_deinit(struct cmd_batch_pool *pool);

/**
 * Convert the recording @p path as soon as there is room, unless that was done before. Failures of
 * recordings are printed and counted. Errors: OS, the manifest cannot be written or no process can
 * be created, so that the batch cannot go on; NOMEM.
 */
struct pd_error *cmd_batch_pool_add(struct cmd_batch_pool *pool, const char *path) pd_must_check;

/** Wait for all processes. Errors as cmd_batch_pool_add(). */
struct pd_error *cmd_batch_pool_finish(struct cmd_batch_pool *pool) pd_must_check;

#endif

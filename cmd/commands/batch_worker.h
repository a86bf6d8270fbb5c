/**
 * @file The conversion of one recording of a batch, in a separate process.
 */
#ifndef PD_CMD_BATCH_WORKER_H
#define PD_CMD_BATCH_WORKER_H

#include "batch/labels.h"
#include "batch/result.h"
#include "batch/bat_store.h"
#include "cmd/options/options.h"
#include "output/lake.h"

/** How the recordings of a batch are converted. Members are borrowed. */
struct cmd_batch_plan {
	const struct cmd_options *options;
	const struct out_format *format;
	/** The tables that are written instead of the format; NULL: the format is not parquet. */
	const struct out_lake *lake;
	const struct bat_labels *labels;
	const struct bat_store *store;
	/** Memory that the process may use, in bytes. */
	uint64_t max_memory;
};

/** Name of the output in the slot, unless it is tables. */
#define CMD_BATCH_OUTPUT "output"

/**
 * Convert the recording @p input to files in the folder @p slot, and set @p result. The calling
 * process enters the sandbox, in which it can only write to that folder and to the cache.
 */
void cmd_batch_convert(const struct cmd_batch_plan *plan, const char *input, const char *slot,
	struct bat_result *result);

#endif

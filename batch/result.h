/**
 * @file What became of a recording of a batch: a line of the manifest.
 */
#ifndef PD_BATCH_RESULT_H
#define PD_BATCH_RESULT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "batch/digest.h"
#include "batch/labels.h"

enum bat_outcome {
	/** The process that converted it ended before it could say. */
	BAT_CRASHED,
	BAT_CONVERTED,
	/** It was converted before, with the same options. */
	BAT_SKIPPED,
	BAT_FAILED,
};

/** Bytes of texts, with their NULs. */
enum { BAT_FACT_SIZE = 256, BAT_ERROR_SIZE = 1024 };

/**
 * Result of a conversion, without pointers: the process that converts sends it as it is.
 * Zero-initialise.
 */
struct bat_result {
	enum bat_outcome outcome;
	/** Digest of the recording, which is its id; "": it could not be read. */
	char id[BAT_DIGEST_SIZE];
	/** Digest of its content alone. */
	char content[BAT_DIGEST_SIZE];
	/** Values of variables that the recording has. */
	char facts[BAT_N_VARIABLES][BAT_FACT_SIZE];
	/** Why it failed. */
	char error[BAT_ERROR_SIZE];
	/** State of the input: see bat_file_state(). */
	uint64_t state;
	uint64_t input_bytes;
	uint64_t output_bytes;
	/** Wall-clock time of the first sample in ns since 1970; 0: not recorded. */
	uint64_t start_ns;
	uint64_t length_ns;
	uint64_t n_events;
	/** Samples in the output. */
	uint64_t n_samples;
	/** Samples that filters and damage left out, and that the recorder lost. */
	uint64_t n_left_out;
	uint64_t n_lost;
	/** Samples with a stack, and those that reach the root. */
	uint64_t n_stacks;
	uint64_t n_rooted;
	/** Frames of all samples, and those without names. */
	uint64_t n_frames;
	uint64_t n_unnamed;
	/** Kinds of damage. */
	uint64_t n_warnings;
	double seconds;
	/** Largest memory of the process, in bytes. */
	uint64_t memory_bytes;
};

/** End all texts of @p result, which another process wrote, within their arrays. */
void bat_result_secure(struct bat_result *result);

/**
 * Write @p result, which is not BAT_SKIPPED, as a line of JSON. @p input: path of the recording. @p
 * output: its outputs, with "*" for the table; NULL: there are none.
 */
void bat_result_write(const struct bat_result *result, const char *input, const char *output,
	const struct bat_labels *labels, FILE *out);

/** Facts of @p result and of the path @p input, both of which are borrowed. */
struct bat_facts bat_result_facts(const struct bat_result *result, const char *input);

#endif

/**
 * @file The output formats: a table, one row each.
 */
#ifndef PD_OUTPUT_FORMATS_H
#define PD_OUTPUT_FORMATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <pdconv/error.h>

#include "output/profile.h"

struct out_write_opts {
	/** What formats of one event show; the first event with samples if PROF_NONE. */
	uint32_t event;
	/** The recording's name, for people. */
	const char *input;
	/** Threads; 0: one for each processor. */
	size_t jobs;
};

/** Writes all of @p profile to @p out. Whether the bytes arrived is for the caller to ask. */
typedef struct pd_error *out_write_fn(
	const struct profile *profile, const struct out_write_opts *opts, FILE *out);

struct out_format {
	const char *name;
	/** For a file named after the input. */
	const char *suffix;
	/** Not for a terminal. */
	bool is_binary;
	/** Shows one event only. */
	bool has_one_event;
	/** Needs single samples: profile.rows. */
	bool has_rows;
	const char *help;
	out_write_fn *write;
};

/** All formats; the first is the default. */
const struct out_format *out_formats(size_t *n_ret);
/** The format of that name, or NULL. */
const struct out_format *out_format_find(const char *name);

/** The event that a format of one event shows; PROF_NONE if there is none. */
uint32_t out_event(const struct profile *profile, const struct out_write_opts *opts);

out_write_fn out_write_pprof;
out_write_fn out_write_folded;
out_write_fn out_write_report;
out_write_fn out_write_script;

#endif

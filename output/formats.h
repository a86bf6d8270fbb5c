/**
 * @file The output formats: a table, one row each.
 */
#ifndef PD_OUTPUT_FORMATS_H
#define PD_OUTPUT_FORMATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <pdconv/error.h>

#include "output/build.h"
#include "output/format_defs.h"
#include "output/profile.h"
#include "output/script.h"

/** What to write, and how. Zero it; what is borrowed lives until the output is written. */
struct out_write_opts {
	/** What formats of one event show; the first event with samples if PROF_NONE. */
	uint32_t event;
	/** The recording's name, for people. */
	const char *input;
	/** Threads; 0: one for each processor. */
	size_t jobs;
	struct out_script_opts script;
};

struct out_format {
	const char *name;
	/** For a file named after the input. */
	const char *suffix;
	/** Not for a terminal. */
	bool is_binary;
	/** Shows one event only. */
	bool has_one_event;
	/** Says itself what was lost, cut or not found. */
	bool tells_quality;
	/** One line. */
	const char *help;
	/**
	 * Ask of @p build what the format needs of the profile; NULL: it needs nothing special. Errors:
	 * USAGE, @p opts make no sense.
	 */
	struct pd_error *(*prepare)(const struct out_write_opts *opts, struct out_opts *build);
	/**
	 * Write all of @p profile to @p out. Whether the bytes arrived is for the caller to ask. Errors:
	 * no memory, and what the format says.
	 */
	struct pd_error *(*write)(
		const struct profile *profile, const struct out_write_opts *opts, FILE *out);
};

#define OUT_DECLARE_FORMAT(name) extern const struct out_format out_format_##name;
OUT_FORMATS(OUT_DECLARE_FORMAT)
#undef OUT_DECLARE_FORMAT

/** All formats; the first is the default. */
const struct out_format *const *out_formats(size_t *n_ret);
/** The format of that name, or NULL. */
const struct out_format *out_format_find(const char *name);

/** The event that a format of one event shows; PROF_NONE if there is none. */
uint32_t out_event(const struct profile *profile, const struct out_write_opts *opts);

#endif

/**
 * @file A directory with a profile of each binary for an optimizer, and a table of these.
 */
#ifndef PD_OUTPUT_PGO_FILES_H
#define PD_OUTPUT_PGO_FILES_H

#include <stdio.h>

#include <pdconv/error.h>

#include "output/formats.h"
#include "pgo/flow.h"

/** Name of the table. */
#define OUT_PGO_LIST "binaries.tsv"

/** How the profile of a binary is written. */
struct out_pgo_kind {
	/** Suffix of its file. */
	const char *suffix;
	/** Text by which the table is known. */
	const char *mark;
	/** Write the profile of image @p i. @p event: the name of the event of samples. */
	struct pd_error *(*write)(
		const struct pgo_flow *flow, size_t i, const char *event, FILE *out);
};

/** Set in @p request what all kinds need. */
void out_pgo_request(struct prof_request *request);

/**
 * Write a file for each binary with a flow to @p to, then the table. Errors: OS, NOMEM.
 */
struct pd_error *out_pgo_write(const struct profile *profile, const struct out_write_opts *opts,
	const struct out_pgo_kind *kind, const struct out_directory *to) pd_must_check;

#endif

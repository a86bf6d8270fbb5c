/**
 * @file Comparisons of profiles, as pd_diff() and the command share them.
 */
#ifndef PD_API_PROFILE_DIFF_H
#define PD_API_PROFILE_DIFF_H

#include <stdio.h>

#include <pdconv/diff.h>

#include "api/profile_read.h"

/** Recordings that are compared, and how the result is written. Borrowed. */
struct api_comparison {
	/** A format that shows differences. */
	const struct out_format *format;
	/** Profile of all recordings, made with PD_PARTS_FOR_DIFF. */
	const struct pd_profile *profile;
	/** Label (pd_profile_opts.input) of each recording; those before the change come first. */
	char *const *labels;
	size_t n_before;
	size_t n_after;
	bool normalizes;
	/** Binaries to compare although they have different names, by path or file name. */
	const struct pd_path_map *pairs;
	size_t n_pairs;
	/** NULL: the report suggests no commands. */
	out_find_command *find_command;
	/** Its limit is set, and the rest zeroed. NULL: growth is not looked for. */
	struct out_growth *growth;
};

/** Write what changed to @p to. Errors: those of the format and of @p to; NOMEM. */
struct pd_error *api_comparison_write(
	const struct api_comparison *comparison, const struct api_target *to) pd_must_check;

/**
 * Add @p profile, which was made for the format html, to a page: see output/html/html.h. What was
 * not found of its sources is noted in @p diag, which may be NULL. Errors: those of out_html_add().
 */
struct pd_error *api_page_add(
	const struct pd_profile *profile, struct pd_diag *diag, FILE *out) pd_must_check;

#endif

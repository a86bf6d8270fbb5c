/**
 * @file The page of the html format with several profiles. The format itself writes a page with
 * one.
 *
 * A page is out_html_begin(), out_html_add() for each profile, and out_html_end().
 */
#ifndef PD_OUTPUT_HTML_HTML_H
#define PD_OUTPUT_HTML_HTML_H

#include <stdio.h>

#include <pdconv/error.h>

#include "output/formats.h"
#include "profile/profile.h"

/** Write the beginning of a page. Errors of the FILE are left for its owner to check. */
void out_html_begin(FILE *out);
/**
 * Write @p profile, which was made for the format html. Its name is opts->input. Errors: NOMEM, or
 * a thread cannot be started.
 */
struct pd_error *out_html_add(
	const struct profile *profile, const struct out_write_opts *opts, FILE *out) pd_must_check;
/** Write the end of a page. */
void out_html_end(FILE *out);

#endif

/**
 * @file Instructions of an annotation, with the source lines between them.
 */
#ifndef PD_OUTPUT_ANNOTATE_ANNOTATE_LISTING_H
#define PD_OUTPUT_ANNOTATE_ANNOTATE_LISTING_H

#include "output/annotate/annotate_doc.h"

/** Add the instructions with their source lines. Errors: NOMEM. */
struct pd_error *out_annotate_add_listing(struct out_doc *doc, const struct out_annotation *a,
	const struct out_annotate_opts *opts, const struct prof_value *whole) pd_must_check;

#endif

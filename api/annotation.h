/**
 * @file Annotations of a profile's functions, as pd_annotate() and the command share them.
 */
#ifndef PD_API_ANNOTATION_H
#define PD_API_ANNOTATION_H

#include <pdconv/annotate.h>

#include "api/profile_read.h"

/** Stands in for a format: what annotations need of a profile. */
extern const struct out_format api_annotation_needs;

/**
 * Write the annotation that @p opts asks for, of a profile that was made for api_annotation_needs,
 * to @p to. @p input is the path of the recording for messages, or NULL. Source text is shown only
 * if @p opens_sources is set: the paths of its files come from the binaries. What was not found of
 * code and sources is noted in @p diag. Errors: USAGE for a function without samples; UNSUPPORTED
 * if no sample is in a function with a name; those of @p to; NOMEM.
 */
struct pd_error *api_annotation_write(const struct pd_profile *profile,
	const struct pd_annotate_opts *opts, const char *input, bool opens_sources,
	struct pd_diag *diag, const struct api_target *to) pd_must_check;

#endif

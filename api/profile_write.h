/**
 * @file Profiles that are written in a format, and what became of their samples.
 */
#ifndef PD_API_PROFILE_WRITE_H
#define PD_API_PROFILE_WRITE_H

#include "api/output_sink.h"
#include "api/profile_read.h"

/** Find the format @p name. Errors: USAGE. */
struct pd_error *api_format_find(const char *name, const struct out_format **ret) pd_must_check;

/** Find the format @p name, whose output is a stream. Errors: USAGE; UNSUPPORTED: a directory. */
struct pd_error *api_stream_format_find(
	const char *name, const struct out_format **ret) pd_must_check;

/**
 * Write @p profile to @p to, with the source text that the options ask for. What was not found is
 * noted in @p diag, which may be NULL. Errors: those of the format and of @p to.
 */
struct pd_error *api_profile_emit(const struct pd_profile *profile, const struct out_format *format,
	struct pd_diag *diag, const struct api_target *to) pd_must_check;

/** Like pd_profile_get_stats(). */
struct pd_error *api_profile_count(const struct pd_profile *profile,
	const struct out_format *format, struct pd_profile_stats *ret) pd_must_check;

#endif

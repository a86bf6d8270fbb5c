/**
 * @file What a recording says of what was there before, and of itself.
 */
#ifndef PD_CAPTURE_ABOUT_H
#define PD_CAPTURE_ABOUT_H

#include <pdconv/error.h>

#include "capture/sink.h"
#include "capture/recording.h"

/** As cap_record_opts.before, .during and .after want it; their ctx is a struct cap_recording. */
struct pd_error *cap_about_before(
	void *ctx, struct cap_sink *sink, const struct cap_session *session) pd_must_check;
struct pd_error *cap_about_during(void *ctx, bool *has_more_ret) pd_must_check;
struct pd_error *cap_about_after(void *ctx, struct pd_writer *writer,
	const struct cap_session *session, const struct cap_counts *counts) pd_must_check;

#endif

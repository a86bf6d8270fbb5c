/**
 * @file What the functions of pdconv/capture.h share: from what is asked for to events that are open,
 * and from bytes in a ring to records.
 */
#ifndef PD_CAPTURE_ASK_H
#define PD_CAPTURE_ASK_H

#include <pdconv/capture.h>

#include "capture/recording.h"

/**
 * Have @p recording, of which nothing but the target is set, hold the events of @p opts and how they are
 * sampled. Errors: USAGE, no such event.
 */
struct pd_error *cap_ask(
	const struct pd_capture_opts *opts, struct cap_recording *recording) pd_must_check;

/** The same, and open them, to be read by ourselves. Close the session whatever comes of it. */
struct pd_error *cap_ask_open(
	const struct pd_capture_opts *opts, struct cap_recording *recording) pd_must_check;

/** Append the events of @p session, which are open, to @p events, to be read. Errors: no memory. */
struct pd_error *cap_list_open(
	const struct cap_session *session, struct pd_events *events) pd_must_check;

/** The record that begins at @p bytes, of which @p size are there; false if these are no record. */
bool cap_record_at(const struct pd_events *events, const uint8_t *bytes, size_t size,
	struct pd_record *ret) pd_must_check;

#endif

/**
 * @file The preamble of a recording: records of the kernel, its modules, and the processes that
 * existed before it began.
 */
#ifndef PD_CAPTURE_PREAMBLE_H
#define PD_CAPTURE_PREAMBLE_H

#include <stdbool.h>

#include <pdconv/error.h>

#include "capture/recording.h"
#include "capture/sink.h"

/**
 * Write the preamble of @p recording to @p sink, once its events are open and before they are
 * enabled. Mappings that take too long to read are postponed.
 */
struct pd_error *cap_preamble_write(
	struct cap_recording *recording, struct cap_sink *sink) pd_must_check;

/**
 * Write mappings that were postponed and are needed by now: those of processes that have samples in
 * the rings drained since the last round. @p has_more_ret: some are left, but the rings have to be
 * drained first.
 */
struct pd_error *cap_preamble_write_postponed(
	struct cap_recording *recording, bool *has_more_ret) pd_must_check;

#endif

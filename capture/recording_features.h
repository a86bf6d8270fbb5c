/**
 * @file The features of a recording: collects what capture/features.h encodes.
 */
#ifndef PD_CAPTURE_RECORDING_FEATURES_H
#define PD_CAPTURE_RECORDING_FEATURES_H

#include <pdconv/error.h>
#include <pdconv/writer.h>

#include "capture/recording.h"

/**
 * Add the features of @p recording, whose events have been opened, to @p writer. @p counts has the
 * times of the first and the last sample; NULL: there are no samples yet.
 */
struct pd_error *cap_recording_add_features(const struct cap_recording *recording,
	struct pd_writer *writer, const struct cap_counts *counts) pd_must_check;

#endif

/**
 * @file From the command line of `pdconv record` to a recording.
 */
#ifndef PD_CMD_RECORD_SETUP_H
#define PD_CMD_RECORD_SETUP_H

#include <pdconv/error.h>

#include "capture/run/recording.h"
#include "cmd/options/options.h"

/**
 * Set up the initialised @p recording from @p options, which are borrowed. Errors: USAGE; something
 * cannot be recorded.
 */
struct pd_error *cmd_record_setup(
	struct cap_recording *recording, const struct cmd_options *options) pd_must_check;

#endif

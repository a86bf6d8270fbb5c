/**
 * @file What the command line says is to be recorded, and how.
 */
#ifndef PD_CMD_RECORD_SETUP_H
#define PD_CMD_RECORD_SETUP_H

#include <pdconv/error.h>

#include "capture/recording.h"
#include "cmd/options.h"

/**
 * Set @p recording, which is as its init leaves it, up as @p options say, which are borrowed. Errors:
 * USAGE, and why something cannot be recorded.
 */
struct pd_error *cmd_record_setup(
	struct cap_recording *recording, const struct cmd_options *options) pd_must_check;

#endif

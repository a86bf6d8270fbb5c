/**
 * @file What the command line says is to be recorded, and how.
 */
#ifndef PD_CMD_RECORD_SETUP_H
#define PD_CMD_RECORD_SETUP_H

#include <pdconv/error.h>

#include "capture/events.h"
#include "capture/open.h"
#include "capture/probe.h"
#include "capture/recorder.h"
#include "capture/sampling.h"
#include "capture/session.h"
#include "capture/target.h"
#include "cmd/options.h"

struct cmd_record_setup {
	const struct cmd_options *options;
	struct cap_target target;
	struct cap_sampling sampling;
	struct cap_events events;
	/** Made for this recording; NULL: none were. */
	struct cap_probes *probes;
	/** Nobody asked for events: the usual one was taken; its strings belong to the events. */
	bool is_usual;
	struct cap_default usual;
	/** Prepared, not open. */
	struct cap_session session;
	/** Without what is written before and after. */
	struct cap_record_opts opts;
};

/** What @p options say, which are borrowed. Call the deinit whatever comes of it. Errors: USAGE, and why
 * something cannot be recorded. */
struct pd_error *cmd_record_setup_init(
	struct cmd_record_setup *setup, const struct cmd_options *options) pd_must_check;
/** What was made for the recording goes, now that nothing is open. Errors: it cannot be removed. */
struct pd_error *cmd_record_setup_remove(struct cmd_record_setup *setup) pd_must_check;
void cmd_record_setup_deinit(struct cmd_record_setup *setup);

#endif

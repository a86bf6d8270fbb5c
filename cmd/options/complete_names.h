/**
 * @file Candidates for a word of a command line: from a recording, and events of this machine.
 */
#ifndef PD_CMD_COMPLETE_NAMES_H
#define PD_CMD_COMPLETE_NAMES_H

#include <stddef.h>
#include <stdio.h>

#include "cmd/options/options.h"

/** A word that is being completed. Strings are borrowed. */
struct cmd_completion {
	FILE *out;
	/** The part of the word that stays as it is: "--sort=comm,". */
	const char *lead;
	size_t lead_len;
	/** The part that is completed. */
	const char *text;
};

/**
 * Write @p name as a candidate if it begins with the text and is printable, with the explanation
 * @p help, which may be NULL.
 */
void cmd_completion_offer(
	const struct cmd_completion *completion, const char *name, const char *help);

/** Names in a recording. */
enum cmd_recorded_names { CMD_RECORDED_COMMS, CMD_RECORDED_DSOS, CMD_RECORDED_FUNCTIONS };

/** Offer the events of the recording at @p path. Nothing is offered if it cannot be read. */
void cmd_complete_events(const struct cmd_completion *completion, const char *path);

/**
 * Offer names that samples of the recording at @p path have. @p options say where binaries are
 * looked for. A large recording, which would take long, offers nothing.
 */
void cmd_complete_names(const struct cmd_completion *completion, const struct cmd_options *options,
	const char *path, enum cmd_recorded_names names);

/** Offer the events that this machine can record: hardware and software events, tracepoints. */
void cmd_complete_recordable(const struct cmd_completion *completion);

#endif

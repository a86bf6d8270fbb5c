/**
 * @file Answers: profiles of recordings, from the index or made now.
 */
#ifndef PD_CMD_ANSWER_H
#define PD_CMD_ANSWER_H

#include <pdconv/error.h>

#include "api/profile_read.h"
#include "api/reading.h"
#include "cmd/input_file.h"
#include "index/index.h"

/** A recording, and how its profile is made. All members are borrowed. */
struct cmd_answering {
	const char *path;
	/** Opened instead of @ref path, and without the index, if not NULL. */
	const struct cmd_input_file *only;
	/** One of several inputs, whose reports are counted together. */
	bool is_one_of_several;
	/** With the request of the profile. */
	struct pd_reading *reading;
	bool is_quiet;
	struct pd_diag *diag;
};

/**
 * Complete a planned profile with that of the recording, from the index if that has it. Filters of
 * names have been applied. *pending_ret is an entry of the index for cmd_answer_keep(), or NULL.
 */
struct pd_error *cmd_answer(const struct cmd_answering *answering, struct pd_profile *profile,
	struct index_entry **pending_ret) pd_must_check;

/**
 * Write @p pending, which may be NULL, with its @p profile to the index, and destroy it. Call it
 * when the output is complete, so that the user does not wait for it. Unless @p is_quiet, an entry
 * that is too large is reported: the next question takes as long as this one.
 */
void cmd_answer_keep(struct index_entry *pending, const struct pd_profile *profile, bool is_quiet);

#endif

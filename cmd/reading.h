/**
 * @file From the recordings of the command line to one profile.
 */
#ifndef PD_CMD_READING_H
#define PD_CMD_READING_H

#include <pdconv/error.h>

#include "cmd/commands.h"
#include "cmd/answer.h"
#include "cmd/input_file.h"

/** Inputs and how they are read. */
struct cmd_reading {
	const struct cmd_options *options;
	/** The format that the profile is read for. */
	const struct out_format *format;
	/** The format writes a comparison. */
	bool is_diff;
	/** Stands for the only input; NULL: the inputs of the options are opened by their paths. */
	const struct cmd_input_file *only;
	/** Takes what was damaged. */
	struct pd_diag *diag;
};

/**
 * Return the label of the samples of input @p i if there are several inputs: its path, or
 * "PATH (2)" if the path is given twice. Allocated; NULL: no memory.
 */
char *cmd_input_label(const struct cmd_options *options, size_t i) pd_must_check;

/**
 * Read all inputs into one profile. If there are several, prof_tags.input is the label of each
 * sample's input. *@p times_ret: the sum of all inputs. *@p pending_ret is an entry of the index
 * for cmd_answer_keep(), or NULL, as it always is for several inputs. Errors: reading, USAGE.
 */
struct pd_error *cmd_read_profile(const struct cmd_reading *reading,
	struct resolve_times *times_ret, struct profile **ret,
	struct index_entry **pending_ret) pd_must_check;

#endif

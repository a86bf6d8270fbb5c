/**
 * @file From the recordings of the command line to one profile.
 */
#ifndef PD_CMD_READ_PROFILE_H
#define PD_CMD_READ_PROFILE_H

#include <pdconv/error.h>

#include "api/profile_read.h"
#include "api/reading.h"
#include "cmd/options/commands.h"
#include "cmd/process/input_file.h"
#include "index/index.h"

/** Inputs and how they are read. */
struct cmd_reading {
	const struct cmd_options *options;
	/** Those of the options, or a copy that the caller changed. */
	const struct pd_profile_opts *opts;
	/** The format that the profile is read for. */
	const struct out_format *format;
	enum api_profile_parts parts;
	/** Needs of tables in addition (enum tab_need); NULL: no tables are wanted. */
	const unsigned *table_needs;
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

/** A profile of inputs. Zeroed members are valid. */
struct cmd_profile {
	/** Owned. */
	struct pd_profile *profile;
	/** Entry of the index that is written at the end, or NULL, as it always is for several. */
	struct index_entry *pending;
	/** Sum of all inputs. */
	struct resolve_times times;
	/** The user wants no messages. */
	bool is_quiet;
};

/**
 * Read all inputs into one profile. If there are several, prof_tags.input is the label of each
 * sample's input. Errors: reading, USAGE.
 */
struct pd_error *cmd_read_profile(
	const struct cmd_reading *reading, struct cmd_profile *ret) pd_must_check;

/** Write the entry of the index, and return the profile, which the caller destroys. */
struct pd_profile *cmd_profile_take(struct cmd_profile *profile);

/** Write the entry of the index, for which the user does not wait, and destroy the profile. */
void cmd_profile_finish(struct cmd_profile *profile);

#endif

/* pdconv diff BEFORE AFTER: how two recordings differ. */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "cmd/commands.h"
#include "cmd/output_file.h"
#include "cmd/reading.h"
#include "cmd/writing.h"

static struct pd_error *check(const struct cmd_options *options, const struct out_format *format)
{
	if (!format->write_diff)
		return pd_error_create(PD_ERROR_USAGE, NULL,
			"the format %s cannot show differences", format->name);
	if (options->inputs.items.n != OUT_N_SIDES)
		return pd_error_create(PD_ERROR_USAGE, NULL, "diff needs two recordings");
	return NULL;
}

/* The number of a side's label in the profile. One without samples has none. */
static struct pd_error *find_side(const struct cmd_options *options, struct profile *profile,
	size_t side, struct out_sides *sides)
{
	_cleanup_free_ char *label = cmd_input_label(options, side);

	sides->inputs[side] = label ? profile_add_string(profile, label) : prof_no_string();
	return prof_is_none(sides->inputs[side]) ? &pd_enomem : NULL;
}

static struct pd_error *write_diff(const struct cmd_options *options,
	const struct out_format *format, const struct out_write_opts *write_opts,
	struct profile *profile)
{
	struct out_sides sides = { .normalizes = options->normalize };
	struct cmd_output_file file;
	struct pd_error *err = NULL;

	for (size_t side = 0; side < OUT_N_SIDES && !err; side++)
		err = find_side(options, profile, side, &sides);
	if (!err)
		err = cmd_output_open(options, options->output ? options->output : "-", &file);
	if (err)
		return err;
	err = format->write_diff(profile, write_opts, &sides, file.stream);
	if (!err)
		return cmd_output_commit(&file);
	cmd_output_discard(&file);
	return err;
}

struct pd_error *cmd_diff(const struct cmd_options *options, struct cmd_result *result)
{
	const struct out_format *format =
		options->format ? options->format : out_formats(&(size_t){ 0 })[0];
	struct cmd_writing writing;
	struct profile *profile = NULL;
	struct resolve_times times;
	struct pd_error *err = check(options, format);

	if (!err)
		err = cmd_writing_init(&writing, options);
	if (err)
		return err;
	err = cmd_read_profile(options, format, &writing.opts, NULL, result, &times, &profile);
	if (!err)
		err = write_diff(options, format, &writing.opts, profile);
	profile_destroy(profile);
	cmd_writing_deinit(&writing);
	return err;
}

/* pdconv diff BEFORE AFTER: the difference between two recordings. */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "cmd/commands.h"
#include "cmd/output_file.h"
#include "cmd/reading.h"

static struct pd_error *check(const struct cmd_options *options, const struct out_format *format)
{
	if (!format->write_diff)
		return pd_error_create(PD_ERROR_USAGE, NULL,
			"the format %s cannot show differences", format->name);
	if (options->inputs.items.n != OUT_N_SIDES)
		return pd_error_create(PD_ERROR_USAGE, NULL, "diff needs two recordings");
	return NULL;
}

/* Find the string that labels the samples of a side. A side without samples has none yet. */
static struct pd_error *find_side(const struct cmd_options *options, struct profile *profile,
	size_t side, struct out_sides *sides)
{
	_cleanup_free_ char *label = cmd_input_label(options, side);

	sides->inputs[side] = label ? profile_add_string(profile, label) : prof_no_string();
	return prof_is_none(sides->inputs[side]) ? &pd_enomem : NULL;
}

static struct pd_error *write_diff(
	const struct cmd_options *options, const struct out_format *format, struct profile *profile)
{
	const struct cmd_output_opts output_opts = { .inputs = &options->inputs };
	struct out_sides sides = { .normalizes = options->normalize };
	struct cmd_output_file file;
	struct pd_error *err;

	for (size_t side = 0; side < OUT_N_SIDES; side++) {
		err = find_side(options, profile, side, &sides);
		if (err)
			return err;
	}
	err = cmd_output_open(options->output, &output_opts, &file);
	if (err)
		return err;
	err = format->write_diff(profile, &options->write, &sides, file.stream);
	return cmd_output_finish(&file, err);
}

struct pd_error *cmd_diff(const struct cmd_options *options, struct cmd_result *result)
{
	const struct cmd_reading reading = {
		.options = options,
		.format = options->format ? options->format : out_formats(&(size_t){ 0 })[0],
		.diag = result->diag,
	};
	struct profile *profile;
	struct resolve_times times;
	struct pd_error *err = check(options, reading.format);

	if (err)
		return err;
	err = cmd_read_profile(&reading, &times, &profile);
	if (err)
		return err;
	err = write_diff(options, reading.format, profile);
	profile_destroy(profile);
	return err;
}

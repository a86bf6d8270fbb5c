/* pdconv [INPUT]: read a recording, write a profile. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "cmd/commands.h"
#include "cmd/output_file.h"
#include "cmd/reading.h"
#include "cmd/unwinding.h"
#include "cmd/writing.h"
#include "output/account.h"
#include "output/build.h"
#include "output/formats.h"
#include "output/quality.h"
#include "output/text.h"

static const char prefix[] = "pdconv: ";

/* Samples that a format of one event does not show. */
static void warn_other_events(const struct profile *profile, const struct out_write_opts *opts,
	const struct out_format *format)
{
	for (uint32_t i = 0; i < profile->events.n; i++) {
		const struct prof_event *event = &profile->events.data[i];

		if (out_shows_event(profile, opts, i) || !event->total.samples)
			continue;
		fprintf(stderr, "%s%" PRIu64 " samples of event ", prefix, event->total.samples);
		out_text(stderr, profile_string(profile, event->name));
		fprintf(stderr, " are not in the %s; see --event\n", format->name);
	}
}

/* Where the output goes without -o. Allocated; NULL if there is no memory. */
static char *default_output(const struct out_format *format, const char *input)
{
	char *path = NULL;

	if (!format->is_binary || !isatty(STDOUT_FILENO))
		return strdup("-");
	if (asprintf(&path, "%s%s", strcmp(input, "-") ? input : "perf.data", format->suffix) < 0)
		return NULL;
	fprintf(stderr, "%swriting %s\n", prefix, path);
	return path;
}

static struct pd_error *write_profile(const struct profile *profile,
	const struct out_format *format, const struct out_write_opts *opts,
	const struct cmd_options *options)
{
	_cleanup_free_ char *output =
		options->output ? strdup(options->output) : default_output(format, options->input);
	struct cmd_output_file file;

	if (!output)
		return &pd_enomem;
	struct pd_error *err = options->in_place ? cmd_output_open_in_place(output, &file)
						 : cmd_output_open(output, &file);
	if (err)
		return err;
	err = format->write(profile, opts, file.stream);
	if (err) {
		cmd_output_discard(&file);
		return err;
	}
	return cmd_output_commit(&file);
}

static void tell(const struct cmd_options *options, const struct out_format *format,
	const struct profile *profile, const struct out_accounts *accounts,
	const struct out_write_opts *write_opts)
{
	if (options->quiet)
		return;
	if (format->has_one_event)
		warn_other_events(profile, write_opts, format);
	/* The report and the statistics say it themselves. */
	if (!format->tells_quality && !options->stats)
		out_quality_warn(profile, accounts, prefix, stderr);
}

static bool is_flawless(const struct profile *profile, const struct pd_diag *diag)
{
	const struct prof_stats *stats = &profile->stats;

	for (size_t i = 0; i < PROF_N_SKIPS; i++) {
		if (i != PROF_SKIP_NOTHING_COUNTED && stats->skipped[i])
			return false;
	}
	return !pd_diag_n(diag) && !stats->n_lost_records && !stats->n_lost_samples;
}

/* What there is to say of a profile that was written. */
static struct pd_error *judge(const struct cmd_options *options, const struct out_format *format,
	const struct profile *profile, const struct out_write_opts *write_opts,
	struct cmd_result *result)
{
	struct out_accounts accounts;
	struct pd_error *err = out_accounts_make(profile, &accounts);

	if (err)
		return err;
	tell(options, format, profile, &accounts, write_opts);
	if (options->stats)
		err = out_quality_write(profile, &accounts, stderr);
	if (options->strict && !is_flawless(profile, result->diag))
		result->status = CMD_MISSED;
	if (!cmd_is_rooted_enough(options, &accounts))
		result->status = CMD_MISSED;
	out_accounts_deinit(&accounts);
	return err;
}

static struct pd_error *convert(const struct cmd_options *options, const struct out_format *format,
	const struct out_write_opts *write_opts, struct cmd_result *result)
{
	struct profile *profile = NULL;
	struct out_times times = { 0 };
	struct pd_error *err =
		cmd_read_profile(options, format, write_opts, result, &times, &profile);
	double profiled = pd_clock_now();

	if (!err)
		err = write_profile(profile, format, write_opts, options);
	if (!err)
		err = judge(options, format, profile, write_opts, result);
	if (!err && options->stats)
		fprintf(stderr, "Read and unwound in %.3f s, named in %.3f s, written in %.3f s\n",
			times.unwound, times.named, pd_clock_now() - profiled);
	profile_destroy(profile);
	return err;
}

struct pd_error *cmd_convert(const struct cmd_options *options, struct cmd_result *result)
{
	const struct out_format *format =
		options->format ? out_format_find(options->format) : out_formats(&(size_t){ 0 })[0];
	struct cmd_writing writing;

	if (!format)
		return pd_error_create(
			PD_ERROR_USAGE, NULL, "unknown format \"%s\"", options->format);
	struct pd_error *err = cmd_writing_init(&writing, options);
	if (err)
		return err;
	err = convert(options, format, &writing.opts, result);
	cmd_writing_deinit(&writing);
	return err;
}

/* pdconv [INPUT]: read a recording, write a profile. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pdconv/file.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "cmd/commands.h"
#include "cmd/output_file.h"
#include "cmd/unwinding.h"
#include "output/account.h"
#include "output/build.h"
#include "output/formats.h"
#include "output/quality.h"
#include "output/text.h"

static const char prefix[] = "pdconv: ";

static struct pd_error *read_file(const char *input, const struct out_opts *opts,
	struct cmd_result *result, struct profile **ret)
{
	struct pd_file *file;
	struct pd_error *err = pd_file_open(input, result->diag, &file);

	if (err)
		return err;
	err = out_build(file, opts, ret);
	pd_file_close(file);
	return err;
}

static struct pd_error *read_profile(const struct cmd_options *options,
	const struct out_format *format, const struct out_write_opts *write_opts,
	struct cmd_result *result, struct out_times *times, struct profile **ret)
{
	struct cmd_search search;
	struct out_opts opts;
	struct pd_error *err = cmd_search_init(&search, options);

	if (err)
		return err;
	err = cmd_out_opts(options, &search, &opts);
	opts.times = times;
	if (!err && format->prepare)
		err = format->prepare(write_opts, &opts);
	if (!err)
		err = read_file(options->input, &opts, result, ret);
	cmd_search_tell(&search, result->diag);
	cmd_search_deinit(&search);
	return err;
}

static struct pd_error *find_event(const struct profile *profile, const char *name, uint32_t *ret)
{
	*ret = PROF_NONE;
	if (!name)
		return NULL;
	for (uint32_t i = 0; i < profile->events.n; i++) {
		if (strcmp(profile_string(profile, profile->events.data[i].name), name) == 0) {
			*ret = i;
			return NULL;
		}
	}
	return pd_error_create(
		PD_ERROR_USAGE, NULL, "--event: the recording has no event \"%s\"", name);
}

/* Samples that a format of one event does not show. */
static void warn_other_events(
	const struct profile *profile, uint32_t shown, const struct out_format *format)
{
	for (uint32_t i = 0; i < profile->events.n; i++) {
		const struct prof_event *event = &profile->events.data[i];

		if (i == shown || !event->total.samples)
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
	const struct out_format *format, const struct out_write_opts *opts, const char *path)
{
	_cleanup_free_ char *output = path ? strdup(path) : default_output(format, opts->input);
	struct cmd_output_file file;

	if (!output)
		return &pd_enomem;
	struct pd_error *err = cmd_output_open(output, &file);
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
	const struct profile *profile, const struct out_accounts *accounts, uint32_t event)
{
	if (options->quiet)
		return;
	if (format->has_one_event)
		warn_other_events(profile, event, format);
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
	const struct profile *profile, uint32_t event, struct cmd_result *result)
{
	struct out_accounts accounts;
	struct pd_error *err = out_accounts_make(profile, &accounts);

	if (err)
		return err;
	tell(options, format, profile, &accounts, event);
	if (options->stats)
		err = out_quality_write(profile, &accounts, stderr);
	if (options->strict && !is_flawless(profile, result->diag))
		result->status = CMD_MISSED;
	if (!cmd_is_rooted_enough(options, &accounts))
		result->status = CMD_MISSED;
	out_accounts_deinit(&accounts);
	return err;
}

/* What the format script is told; it makes no sense to others. */
static struct pd_error *set_script(const struct cmd_options *options,
	const struct out_format *format, struct out_script_opts *ret)
{
	*ret = (struct out_script_opts){
		.fields = options->script_fields.items.data,
		.n_fields = options->script_fields.items.n,
		.no_inline = options->no_inline,
		.ns = options->script_ns,
		.hide_call_graph = options->hide_call_graph,
		.header = options->header,
		.header_only = options->header_only,
		.show_mmap = options->show_mmap,
		.show_task = options->show_task,
		.show_switch = options->show_switch,
		.show_lost = options->show_lost,
	};
	bool is_told = ret->n_fields || ret->ns || ret->hide_call_graph || ret->header ||
		       ret->header_only || ret->show_mmap || ret->show_task || ret->show_switch ||
		       ret->show_lost;
	if (!is_told || format == &out_format_script)
		return NULL;
	return pd_error_create(PD_ERROR_USAGE, NULL,
		"--fields and other options of the format script go with --script");
}

struct pd_error *cmd_convert(const struct cmd_options *options, struct cmd_result *result)
{
	const struct out_format *format =
		options->format ? out_format_find(options->format) : out_formats(&(size_t){ 0 })[0];
	const char *input = options->input;
	struct out_write_opts write_opts = { .input = input, .jobs = options->jobs };
	struct profile *profile = NULL;
	struct out_times times = { 0 };

	if (!format)
		return pd_error_create(
			PD_ERROR_USAGE, NULL, "unknown format \"%s\"", options->format);
	struct pd_error *err = set_script(options, format, &write_opts.script);
	if (!err)
		err = read_profile(options, format, &write_opts, result, &times, &profile);
	double profiled = pd_clock_now();
	if (!err)
		err = find_event(profile, options->event, &write_opts.event);
	if (!err)
		err = write_profile(profile, format, &write_opts, options->output);
	if (!err)
		err = judge(options, format, profile, out_event(profile, &write_opts), result);
	if (!err && options->stats)
		fprintf(stderr, "Read and unwound in %.3f s, named in %.3f s, written in %.3f s\n",
			times.unwound, times.named, pd_clock_now() - profiled);
	profile_destroy(profile);
	return err;
}

/* pdconv [INPUT ...]: read recordings, write a profile. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "cmd/commands.h"
#include "cmd/input_file.h"
#include "cmd/output_file.h"
#include "cmd/reading.h"
#include "cmd/unwinding.h"
#include "cmd/writing.h"
#include "profile/unwind_summary.h"
#include "output/formats.h"
#include "profile/quality.h"
#include "base/text.h"

static const char prefix[] = "pdconv: ";

/* A conversion under way. */
struct conversion {
	const struct cmd_options *options;
	const struct out_format *format;
	struct cmd_result *result;
	/** The only input, if it is read again. */
	struct cmd_input_file input;
	struct cmd_writing writing;
	struct resolve_times times;
	struct profile *profile;
};

/* Samples that a format of one event does not show. */
static void warn_other_events(const struct conversion *c)
{
	const struct profile *profile = c->profile;

	for (struct prof_event_id id = { 0 }; id.i < profile->events.n; id.i++) {
		const struct prof_event *event = profile_event(profile, id);

		if (out_shows_event(profile, &c->writing.opts, id) || !event->total.samples)
			continue;
		fprintf(stderr, "%s%" PRIu64 " samples of event ", prefix, event->total.samples);
		pd_text_write(stderr, profile_string(profile, event->name));
		fprintf(stderr, " are not in the %s; see --event\n", c->format->name);
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

static struct pd_error *write_output(const struct conversion *c)
{
	const struct cmd_options *options = c->options;
	_cleanup_free_ char *output = options->output ? strdup(options->output)
						      : default_output(c->format, options->input);
	struct cmd_output_file file;

	if (!output)
		return &pd_enomem;
	struct pd_error *err = cmd_output_open(options, output, &file);
	if (err)
		return err;
	err = c->format->write(c->profile, &c->writing.opts, file.stream);
	if (err) {
		cmd_output_discard(&file);
		return err;
	}
	return cmd_output_commit(&file);
}

/* What is wrong with the input has been told when it was read the first time. */
static struct pd_error *write_profile(struct conversion *c)
{
	struct out_perfdata_opts *again = &c->writing.opts.perfdata;
	struct pd_error *err = NULL;

	again->diag = c->result->diag;
	if (c->format->rereads_input)
		err = cmd_input_open(&c->input, NULL, &again->file);
	if (!err)
		err = write_output(c);
	pd_file_close(take_ptr(again->file));
	return err;
}

static void tell(const struct conversion *c, const struct prof_unwind_summary *accounts)
{
	if (c->options->quiet)
		return;
	if (c->format->has_one_event)
		warn_other_events(c);
	/* The report and the statistics say it themselves. */
	if (!c->format->tells_quality && !c->options->stats)
		prof_quality_warn(c->profile, accounts, prefix, stderr);
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
static struct pd_error *judge(const struct conversion *c)
{
	struct prof_unwind_summary accounts;
	struct pd_error *err = prof_unwind_summary_create(c->profile, &accounts);

	if (err)
		return err;
	tell(c, &accounts);
	if (c->options->stats)
		err = prof_quality_write(c->profile, &accounts, stderr);
	if (c->options->strict && !is_flawless(c->profile, c->result->diag))
		c->result->status = CMD_MISSED;
	if (!cmd_is_rooted_enough(c->options, &accounts))
		c->result->status = CMD_MISSED;
	prof_unwind_summary_deinit(&accounts);
	return err;
}

static struct pd_error *convert(struct conversion *c)
{
	struct pd_error *err = cmd_read_profile(c->options, c->format, &c->writing.opts,
		c->input.fd >= 0 || c->format->rereads_input ? &c->input : NULL, c->result,
		&c->times, &c->profile);
	double profiled = pd_clock_now();

	if (!err)
		err = write_profile(c);
	if (!err)
		err = judge(c);
	if (!err && c->options->stats)
		fprintf(stderr, "Read and unwound in %.3f s, named in %.3f s, written in %.3f s\n",
			c->times.unwound, c->times.named, pd_clock_now() - profiled);
	return err;
}

static struct pd_error *check(const struct conversion *c)
{
	if (c->format->takes_one && c->options->inputs.items.n > 1)
		return pd_error_create(
			PD_ERROR_USAGE, NULL, "format \"%s\" takes one recording", c->format->name);
	return NULL;
}

struct pd_error *cmd_convert(const struct cmd_options *options, struct cmd_result *result)
{
	struct conversion c = {
		.options = options,
		.format = options->format ? options->format : out_formats(&(size_t){ 0 })[0],
		.result = result,
		.input = { .fd = -1 },
	};
	struct pd_error *err = check(&c);

	if (!err)
		err = cmd_writing_init(&c.writing, options);
	if (err)
		return err;
	if (options->recorded_fd)
		err = cmd_input_use(options->input, options->recorded_fd, &c.input);
	else
		err = cmd_input_init(options->input, c.format->rereads_input, &c.input);
	if (!err)
		err = convert(&c);
	profile_destroy(c.profile);
	cmd_input_deinit(&c.input);
	cmd_writing_deinit(&c.writing);
	return err;
}

struct pd_error *cmd_report(const struct cmd_options *options, struct cmd_result *result)
{
	struct cmd_options report = *options;

	report.format = &out_format_report;
	return cmd_convert(&report, result);
}

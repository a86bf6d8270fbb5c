/* pdconv [INPUT ...] and pdconv report: recordings become a profile, which is written. */
#include "cmd/commands/convert_command.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "advice/quality.h"
#include "api/profile_write.h"
#include "base/array.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/format.h"
#include "base/limit.h"
#include "base/plural.h"
#include "base/text.h"
#include "cmd/commands/advice.h"
#include "cmd/options/message.h"
#include "cmd/process/output_directory.h"
#include "cmd/process/output_file.h"
#include "cmd/commands/read_profile.h"
#include "cmd/process/sandbox.h"
#include "output/quality_text.h"

bool cmd_is_rooted_enough(const struct cmd_options *options, const struct cmd_rooted *rooted)
{
	double percent = 0;

	if (rooted->n_stacks)
		percent = 100 * (double)rooted->n_rooted / (double)rooted->n_stacks;
	if (percent >= options->fail_under_rooted)
		return true;
	if (!options->quiet)
		cmd_say("%.2f %% of %" PRIu64 " stacks reach the root", percent, rooted->n_stacks);
	return false;
}

/* A conversion that runs. */
struct run {
	const struct cmd_conversion *conversion;
	const struct cmd_options *options;
	/* Options of the profile; the title is that of the recording. */
	struct pd_profile_opts opts;
	const struct out_format *format;
	struct cmd_result *result;
	/* The only input, if it is read again. */
	struct cmd_input_file input;
	struct cmd_output_opts output;
	/* Path of the output, or "-". */
	char *path;
	struct cmd_profile read;
	/* Quality of the profile, which another thread looks for while the profile is written. */
	struct advice_quality_search search;
};

/* Warn about samples that a format of one event does not show. @p is_shown: one for each event. */
static void warn_other_events(const struct run *r, bool *is_shown)
{
	const struct profile *profile = r->read.profile->profile;

	r->format->find_shown(profile, &r->read.profile->write, is_shown);
	for (struct prof_event_id id = { 0 }; id.i < profile->events.n; id.i++) {
		const struct prof_event *event = prof_event(profile, id);

		if (is_shown[id.i] || !event->total.samples)
			continue;
		fprintf(cmd_begin(), "%" PRIu64 " sample%s of event ", event->total.samples,
			base_plural(event->total.samples));
		base_text_write_message(stderr, prof_string(profile, event->name));
		fprintf(stderr, " %s not in the %s; see --event\n",
			event->total.samples == 1 ? "is" : "are", r->format->name);
	}
}

/* Find out where the output goes. Allocated; NULL: no memory. */
static char *find_output(const struct run *r)
{
	const char *given = r->options->output, *input = r->input.path;

	if (!given && r->format->is_binary && isatty(STDOUT_FILENO))
		return base_format(
			"%s%s", strcmp(input, "-") ? input : "perf.data", r->format->suffix);
	char *path = strdup(given ? given : "-");
	if (path && r->output.is_directory)
		cmd_output_directory_trim(path);
	return path;
}

/* Whether something is said about the quality of the profile, or checked, besides the output. */
static bool needs_quality(const struct run *r)
{
	return r->options->stats || r->options->fail_under_rooted > 0 ||
	       (!r->options->quiet && !r->format->reports_quality);
}

/* Write to the stream @p out, or to @p directory. */
static struct pd_error *write_to(struct run *r, FILE *out, const struct out_directory *directory)
{
	const struct pd_profile *profile = r->read.profile;
	const struct api_target to = { .stream = out };

	return directory ? r->format->write_directory(profile->profile, &profile->write, directory)
			 : api_profile_emit(profile, r->format, r->result->diag, &to);
}

/* Write, and find the quality. Whatever can fail comes before the output gets its name. */
static struct pd_error *emit(struct run *r, FILE *out, const struct out_directory *directory)
{
	if (!needs_quality(r))
		return write_to(r, out, directory);
	struct pd_error *err = advice_quality_search_start(
		r->read.profile->profile, r->options->stats, r->opts.jobs, &r->search);

	return err ? err : advice_quality_search_finish(&r->search, write_to(r, out, directory));
}

static struct pd_error *write_directory(struct run *r)
{
	struct cmd_output_directory directory;
	struct pd_error *err = cmd_output_directory_open(r->path, r->format, &directory);

	return err ? err : cmd_output_directory_finish(&directory, emit(r, NULL, &directory.to));
}

static struct pd_error *write_output(struct run *r)
{
	struct cmd_output_file file;

	if (!r->options->output && !cmd_output_is_stdout(r->path)) {
		fputs("writing ", cmd_begin());
		base_text_write_message(stderr, r->path);
		fputc('\n', stderr);
	}
	if (r->output.is_directory)
		return write_directory(r);
	struct pd_error *err = cmd_output_open(r->path, &r->output, &file);
	if (err)
		return err;
	return cmd_output_finish(&file, emit(r, file.stream, NULL));
}

/* The second reading has no diag, because the first one reported all damage. */
static struct pd_error *write_profile(struct run *r)
{
	struct out_write_opts *write = &r->read.profile->write;
	struct out_perfdata_input *again = &write->perfdata;

	write->find_command = cmd_advice;
	write->diag = r->result->diag;
	write->message_bytes = r->options->send.request_bytes;
	if (r->format->chooses_binaries) {
		write->dsos = r->options->profile.filter.dsos;
		write->n_dsos = r->options->profile.filter.n_dsos;
	}
	again->name = cmd_output_is_stdout(r->path) ? "standard output" : r->path;
	if (r->format->rereads_input) {
		struct pd_error *err = cmd_input_open(&r->input, NULL, &again->file);

		if (err)
			return err;
		pd_file_set_budget(again->file, r->opts.budget);
	}
	struct pd_error *err = write_output(r);
	pd_file_close(take_ptr(again->file));
	return err;
}

static void warn_about_result(const struct run *r, bool *is_shown)
{
	if (r->options->quiet)
		return;
	if (r->format->find_shown)
		warn_other_events(r, is_shown);
	/* The report and the statistics have the same figures. */
	if (!r->format->reports_quality && !r->options->stats)
		out_quality_warn(r->read.profile->profile, &r->search.quality, CMD_PREFIX, stderr);
}

/*
 * Whether something is missing according to @p diag. Names that cannot be kept for the next run are
 * not missing in this one.
 */
static bool has_loss(const struct pd_diag *diag)
{
	const char *not_kept = base_limit_name(PD_LIMIT_ID_CACHE_FILE_BYTES);

	for (size_t i = 0; i < pd_diag_n(diag); i++) {
		const char *what = pd_diag_get(diag, i).first->what;

		if (!what || strcmp(what, not_kept) != 0)
			return true;
	}
	return false;
}

bool cmd_is_flawless(const struct profile *profile, const struct pd_diag *diag)
{
	const struct prof_stats *stats = &profile->stats;

	for (size_t i = 0; i < PROF_N_SKIPS; i++) {
		if (i != PROF_SKIP_NOTHING_COUNTED && stats->skipped[i])
			return false;
	}
	return !has_loss(diag) && !stats->n_gaps && !stats->n_lost_records &&
	       !stats->n_lost_samples;
}

/* Report on the profile that was written, and compare it with the user's thresholds. */
static void judge(const struct run *r, bool *is_shown)
{
	warn_about_result(r, is_shown);
	if (r->options->stats)
		out_quality_write(r->read.profile->profile, &r->search.quality, stderr);
	if (r->options->strict && !cmd_is_flawless(r->read.profile->profile, r->result->diag))
		r->result->status = CMD_MISSED;
	const struct cmd_rooted rooted = {
		.n_stacks = advice_quality_n_stacks(&r->search.quality),
		.n_rooted = advice_quality_n_rooted(&r->search.quality),
	};
	if (!cmd_is_rooted_enough(r->options, &rooted))
		r->result->status = CMD_MISSED;
}

static struct pd_error *read_and_write(struct run *r)
{
	const struct cmd_reading reading = {
		.options = r->options,
		.opts = &r->opts,
		.format = r->format,
		.only = r->input.fd >= 0 || r->format->rereads_input ? &r->input : NULL,
		.diag = r->result->diag,
	};
	struct pd_error *err = cmd_read_profile(&reading, &r->read);
	double read_at = base_clock_now();

	if (!err && r->conversion->check_end)
		err = r->conversion->check_end();
	if (err)
		return err;
	size_t n_events = r->read.profile->profile->events.n;
	_cleanup_free_ bool *is_shown = base_calloc_n(n_events, sizeof(*is_shown));
	if (!is_shown)
		return &pd_enomem;
	err = write_profile(r);
	if (err)
		return err;
	judge(r, is_shown);
	if (r->options->stats)
		fprintf(stderr, "Read and unwound in %.3f s, named in %.3f s, written in %.3f s\n",
			r->read.times.unwound, r->read.times.named, base_clock_now() - read_at);
	return NULL;
}

static struct pd_error *confine(struct run *r)
{
	r->output = (struct cmd_output_opts){
		.options = r->options,
		.is_text = !r->format->is_binary,
		.is_directory = r->format->write_directory,
		.in_place = r->conversion->in_place,
		.is_private = r->opts.format.perfdata.keep_stacks,
	};
	r->path = find_output(r);
	if (!r->path)
		return &pd_enomem;
	if (r->output.is_directory) {
		struct pd_error *err = cmd_output_directory_check(r->path, r->format);

		if (err)
			return err;
	}
	return cmd_sandbox_enter(r->path, &r->output);
}

static struct pd_error *open_input(struct run *r)
{
	if (!r->conversion->recording)
		return cmd_input_init(r->options->input, r->format->rereads_input, &r->input);
	r->opts.title = r->conversion->recording->path;
	return cmd_input_use(
		r->conversion->recording->path, r->conversion->recording->fd, &r->input);
}

struct pd_error *cmd_conversion_run(
	const struct cmd_conversion *conversion, struct cmd_result *result)
{
	struct run r = {
		.conversion = conversion,
		.options = conversion->options,
		.format = conversion->format,
		.opts = conversion->options->profile,
		.result = result,
	};

	if (r.format->takes_one && r.options->inputs.items.n > 1)
		return pd_error_create(PD_ERROR_USAGE, NULL,
			"the format %s takes only one recording", r.format->name);
	if (r.format->chooses_binaries)
		r.opts.filter.n_dsos = 0;
	struct pd_error *err = open_input(&r);
	if (err)
		return err;
	err = confine(&r);
	if (!err)
		err = read_and_write(&r);
	free(r.path);
	advice_quality_deinit(&r.search.quality);
	cmd_profile_finish(&r.read);
	cmd_input_deinit(&r.input);
	return err;
}

struct pd_error *cmd_convert(const struct cmd_options *options, struct cmd_result *result)
{
	const struct cmd_conversion conversion = {
		.options = options,
		.format = options->format ? options->format : out_format_default(),
	};

	return cmd_conversion_run(&conversion, result);
}

struct pd_error *cmd_report(const struct cmd_options *options, struct cmd_result *result)
{
	const struct cmd_conversion conversion = {
		.options = options,
		.format = &out_format_report,
	};

	return cmd_conversion_run(&conversion, result);
}

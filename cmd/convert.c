/* pdconv [INPUT]: read a recording, write a profile. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pdconv/file.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "cmd/commands.h"
#include "cmd/input_file.h"
#include "cmd/output_file.h"
#include "cmd/unwinding.h"
#include "output/account.h"
#include "output/build.h"
#include "output/formats.h"
#include "output/quality.h"
#include "output/text.h"

static const char prefix[] = "pdconv: ";

static struct pd_error *read_file(const struct cmd_input_file *input, const struct out_opts *opts,
	struct cmd_result *result, struct profile **ret)
{
	struct pd_file *file;
	struct pd_error *err = cmd_input_open(input, result->diag, &file);

	if (err)
		return err;
	err = out_build(file, opts, ret);
	pd_file_close(file);
	return err;
}

/* A conversion under way. */
struct conversion {
	const struct cmd_options *options;
	const struct out_format *format;
	struct cmd_result *result;
	struct cmd_input_file input;
	struct out_write_opts write_opts;
	struct out_times times;
	struct profile *profile;
};

static struct pd_error *read_profile(struct conversion *c)
{
	const struct cmd_options *options = c->options;
	struct cmd_search search;
	struct out_opts opts;
	struct pd_error *err = cmd_search_init(&search, options);

	if (err)
		return err;
	err = cmd_out_opts(options, &search, &opts);
	opts.times = &c->times;
	if (!err && c->format->prepare)
		err = c->format->prepare(&c->write_opts, &opts);
	if (!err)
		err = read_file(&c->input, &opts, c->result, &c->profile);
	cmd_search_tell(&search, c->result->diag);
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

static struct pd_error *write_output(const struct conversion *c)
{
	const char *path = c->options->output;
	_cleanup_free_ char *output =
		path ? strdup(path) : default_output(c->format, c->options->input);
	struct cmd_output_file file;

	if (!output)
		return &pd_enomem;
	struct pd_error *err = cmd_output_open(output, &file);
	if (err)
		return err;
	err = c->format->write(c->profile, &c->write_opts, file.stream);
	if (err) {
		cmd_output_discard(&file);
		return err;
	}
	return cmd_output_commit(&file);
}

/* What is wrong with the input has been told when it was read the first time. */
static struct pd_error *write_profile(struct conversion *c)
{
	struct out_perfdata_opts *again = &c->write_opts.perfdata;
	struct pd_error *err = NULL;

	if (c->format->rereads_input)
		err = cmd_input_open(&c->input, NULL, &again->file);
	if (!err)
		err = write_output(c);
	pd_file_close(take_ptr(again->file));
	return err;
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

static struct pd_error *set_level(const char *text, int *ret)
{
	enum { USUAL = 1, HIGHEST = 22 };
	char *end;

	if (!text)
		return NULL;
	long level = text[0] ? strtol(text, &end, 10) : USUAL;
	if (text[0] && (*end || level < 1 || level > HIGHEST))
		return pd_error_create(PD_ERROR_USAGE, NULL,
			"--compress: \"%s\" is no level from 1 to %d", text, HIGHEST);
	*ret = (int)level;
	return NULL;
}

static struct pd_error *set_write_opts(struct conversion *c)
{
	const struct cmd_options *options = c->options;

	c->write_opts = (struct out_write_opts){
		.input = options->input,
		.jobs = options->jobs,
		.perfdata = {
			.diag = c->result->diag,
			.keep_stacks = options->keep_stacks,
			.strip_hostname = options->strip_hostname,
			.strip_cmdline = options->strip_cmdline,
			.no_kernel = options->no_kernel,
			.no_user = options->no_user,
		},
	};
	return set_level(options->compress, &c->write_opts.perfdata.level);
}

static struct pd_error *convert(struct conversion *c)
{
	struct pd_error *err = read_profile(c);
	double profiled = pd_clock_now();

	if (!err)
		err = find_event(c->profile, c->options->event, &c->write_opts.event);
	if (!err)
		err = write_profile(c);
	if (!err)
		err = judge(c->options, c->format, c->profile,
			out_event(c->profile, &c->write_opts), c->result);
	if (!err && c->options->stats)
		fprintf(stderr, "Read and unwound in %.3f s, named in %.3f s, written in %.3f s\n",
			c->times.unwound, c->times.named, pd_clock_now() - profiled);
	return err;
}

struct pd_error *cmd_convert(const struct cmd_options *options, struct cmd_result *result)
{
	struct conversion c = {
		.options = options,
		.format = options->format ? out_format_find(options->format)
					  : out_formats(&(size_t){ 0 })[0],
		.result = result,
		.input = { .fd = -1 },
	};

	if (!c.format)
		return pd_error_create(
			PD_ERROR_USAGE, NULL, "unknown format \"%s\"", options->format);
	struct pd_error *err = set_write_opts(&c);
	if (!err)
		err = cmd_input_init(options->input, c.format->rereads_input, &c.input);
	if (!err)
		err = convert(&c);
	profile_destroy(c.profile);
	cmd_input_deinit(&c.input);
	return err;
}

#include "cmd/reading.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/profile_read.h"
#include "base/cleanup.h"
#include "base/format.h"
#include "base/memstream.h"
#include "base/plural.h"
#include "cmd/answer.h"
#include "symbolize/file/deps.h"

/* An input and its label; NULL: it is the only one. */
struct input {
	const char *path;
	const char *label;
};

/* Complete a planned profile. The search depends on the recording, so each input has its own. */
static struct pd_error *complete(const struct cmd_reading *r, const struct input *input,
	struct sym_deps *deps, struct pd_profile *profile, struct cmd_profile *all)
{
	_cleanup_(pd_reading_deinit) struct pd_reading reading = { 0 };
	const struct cmd_answering answering = {
		.path = input->path,
		.only = r->only,
		.is_one_of_several = input->label,
		.reading = &reading,
		.is_quiet = r->options->quiet,
		.diag = r->diag,
	};
	struct pd_error *err = pd_reading_init(&profile->opts, input->path, deps, &reading);

	if (err)
		return err;
	reading.resolve.request = profile->request;
	err = cmd_answer(&answering, profile, &all->pending);
	all->times.unwound += reading.times.unwound;
	all->times.named += reading.times.named;
	return err;
}

static struct pd_error *read_input(const struct cmd_reading *r, const struct input *input,
	struct cmd_profile *all, struct pd_profile **ret)
{
	struct pd_profile_opts opts = *r->opts;
	const struct pd_origin origin = { input->path, input->path };
	struct sym_deps *deps = NULL;

	opts.input = input->label;
	/* Only what is kept has to be checked later. */
	struct pd_error *err = opts.search.cache_dir ? sym_deps_create(&deps) : NULL;
	if (err)
		return err;
	err = pd_profile_plan(&opts, r->format, r->parts, &origin, ret);
	if (!err) {
		err = complete(r, input, deps, *ret, all);
		if (err)
			pd_profile_destroy(*ret);
	}
	sym_deps_destroy(deps);
	return err;
}

char *cmd_input_label(const struct cmd_options *options, size_t i)
{
	const struct cmd_list *inputs = &options->inputs;
	const char *input = inputs->items.data[i];
	size_t n = 1;

	for (size_t k = 0; k < i; k++)
		n += strcmp(inputs->items.data[k], input) == 0;
	if (n == 1)
		return strdup(input);
	return pd_format("%s (%zu)", input, n);
}

/* Merge input number @p i into the profile; the first input creates it. */
static struct pd_error *add_input(const struct cmd_reading *r, size_t i, struct cmd_profile *all)
{
	const struct cmd_list *inputs = &r->options->inputs;
	_cleanup_free_ char *label = NULL;
	struct pd_profile *one;

	if (inputs->items.n > 1) {
		label = cmd_input_label(r->options, i);
		if (!label)
			return &pd_enomem;
	}
	const struct input input = { r->only ? r->only->path : inputs->items.data[i], label };
	struct pd_error *err = read_input(r, &input, all, &one);
	if (err)
		return err;
	/* The label is copied to the profile, and does not live as long. */
	one->opts.input = NULL;
	if (!all->profile) {
		all->profile = one;
		return NULL;
	}
	err = pd_profile_merge(all->profile, one);
	pd_profile_destroy(one);
	return err;
}

/* Write "518 samples by time, 3 samples by comms". */
static void write_excluded(const struct prof_stats *stats, FILE *out)
{
	const char *separator = "";

	for (size_t i = 0; i < PROF_N_FILTERS; i++) {
		if (!stats->filtered[i])
			continue;
		fprintf(out, "%s%" PRIu64 " sample%s by %s", separator, stats->filtered[i],
			pd_plural(stats->filtered[i]), prof_filter_name(i));
		separator = ", ";
	}
}

/* Whether all samples were left out because nothing has the names or the times asked for. */
static bool has_nothing_of(const struct profile *profile)
{
	const uint64_t *filtered = profile->stats.filtered;

	/* Samples that --ignore excludes passed the other filters. */
	if (profile->samples.n || filtered[PROF_FILTER_IGNORE])
		return false;
	return *prof_string(profile, profile->about.choices) || filtered[PROF_FILTER_SYMBOL] ||
	       filtered[PROF_FILTER_FOCUS] || filtered[PROF_FILTER_ROOT];
}

/* Fail if has_nothing_of(), and list the times, names or numbers of the recording. */
static struct pd_error *check_filters(const struct profile *profile, const char *path)
{
	char *text = NULL;
	size_t size;

	if (!has_nothing_of(profile))
		return NULL;
	FILE *out = pd_memstream_open(&text, &size);
	if (!out)
		return &pd_enomem;
	fputs("filters exclude all samples: ", out);
	write_excluded(&profile->stats, out);
	const char *choices = prof_string(profile, profile->about.choices);
	if (*choices)
		fprintf(out, "; the recording has %s", choices);
	struct pd_error *err = pd_memstream_close(out, &text)
				       ? pd_error_create(PD_ERROR_USAGE, path, "%s", text)
				       : &pd_enomem;
	free(text);
	return err;
}

struct pd_error *cmd_read_profile(const struct cmd_reading *reading, struct cmd_profile *ret)
{
	size_t n = reading->only ? 1 : reading->options->inputs.items.n;

	*ret = (struct cmd_profile){ .is_quiet = reading->options->quiet };
	for (size_t i = 0; i < n; i++) {
		struct pd_error *err = add_input(reading, i, ret);

		if (err) {
			pd_profile_destroy(take_ptr(ret->profile));
			return err;
		}
	}
	struct pd_error *err =
		check_filters(ret->profile->profile, n == 1 ? ret->profile->path : NULL);
	if (err)
		cmd_profile_finish(ret);
	return err;
}

void cmd_profile_finish(struct cmd_profile *profile)
{
	cmd_answer_keep(take_ptr(profile->pending), profile->profile, profile->is_quiet);
	pd_profile_destroy(take_ptr(profile->profile));
}

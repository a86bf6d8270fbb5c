#include "cmd/reading.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/format.h"
#include "cmd/answer.h"
#include "cmd/search.h"
#include "profile/merge.h"

/* An input and its label; NULL: it is the only one. */
struct input {
	const char *path;
	const char *label;
};

static struct pd_error *prepare(const struct cmd_reading *r, struct prof_request *request)
{
	struct pd_error *(*fill)(const struct out_write_opts *, struct prof_request *) =
		r->is_diff ? r->format->prepare_diff : r->format->prepare;

	return fill ? fill(&r->options->write, request) : NULL;
}

/* The search depends on the recording, so each input has its own. */
static struct pd_error *read_input(const struct cmd_reading *r, const struct input *input,
	struct resolve_times *times, struct profile **ret, struct index_entry **pending_ret)
{
	struct resolve_opts opts = r->options->resolve;
	struct cmd_search search;
	const struct cmd_answering answering = {
		.path = input->path,
		.only = r->only,
		.is_one_of_several = input->label,
		.search = &search,
		.opts = &opts,
		.diag = r->diag,
	};
	struct pd_error *err = prepare(r, &opts.request);

	if (err)
		return err;
	err = cmd_search_init(&search, r->options, input->path);
	if (err)
		return err;
	opts.search = search.search;
	opts.times = times;
	opts.input = input->label;
	err = cmd_answer(&answering, ret, pending_ret);
	cmd_search_deinit(&search);
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

/* Merge input number @p i into *@p profile; the first input creates it. */
static struct pd_error *add_input(const struct cmd_reading *r, size_t i,
	struct resolve_times *times, struct profile **profile, struct index_entry **pending_ret)
{
	const struct cmd_list *inputs = &r->options->inputs;
	_cleanup_free_ char *label = NULL;
	struct profile *one = NULL;

	if (inputs->items.n > 1) {
		label = cmd_input_label(r->options, i);
		if (!label)
			return &pd_enomem;
	}
	const struct input input = { r->only ? r->only->path : inputs->items.data[i], label };
	struct pd_error *err = read_input(r, &input, times, &one, pending_ret);
	if (err)
		return err;
	if (!*profile) {
		*profile = one;
		return NULL;
	}
	err = profile_merge(*profile, one);
	profile_destroy(one);
	return err;
}

struct pd_error *cmd_read_profile(const struct cmd_reading *reading,
	struct resolve_times *times_ret, struct profile **ret, struct index_entry **pending_ret)
{
	size_t n = reading->only ? 1 : reading->options->inputs.items.n;
	struct profile *profile = NULL;

	*times_ret = (struct resolve_times){ 0 };
	for (size_t i = 0; i < n; i++) {
		struct resolve_times times = { 0 };
		struct pd_error *err = add_input(reading, i, &times, &profile, pending_ret);

		if (err) {
			profile_destroy(profile);
			return err;
		}
		times_ret->unwound += times.unwound;
		times_ret->named += times.named;
	}
	*ret = profile;
	return NULL;
}

#include "cmd/reading.h"

#include <string.h>

#include <pdconv/file.h>

#include "base/cleanup.h"
#include "cmd/unwinding.h"
#include "profile/merge.h"

struct reading {
	const struct cmd_options *options;
	const struct out_format *format;
	const struct out_write_opts *write_opts;
	/** NULL: inputs are opened by their paths. */
	const struct cmd_input_file *only;
	struct cmd_result *result;
};

static struct pd_error *read_file(const struct reading *r, const struct cmd_options *options,
	const struct resolve_opts *opts, struct profile **ret)
{
	struct pd_file *file;
	struct pd_error *err = r->only ? cmd_input_open(r->only, r->result->diag, &file)
				       : pd_file_open(options->input, r->result->diag, &file);

	if (err)
		return err;
	err = resolve_profile(file, opts, ret);
	pd_file_close(file);
	return err;
}

static struct pd_error *read_found(const struct reading *r, const struct cmd_options *options,
	struct cmd_filter *filter, const char *label, struct resolve_times *times,
	struct profile **ret)
{
	struct cmd_search search;
	struct resolve_opts opts;
	struct pd_error *err = cmd_search_init(&search, options);

	if (err)
		return err;
	err = cmd_out_opts(options, &search, filter, &opts);
	opts.times = times;
	opts.input = label;
	if (!err && r->format->prepare)
		err = r->format->prepare(r->write_opts, &opts.request);
	if (!err)
		err = read_file(r, options, &opts, ret);
	cmd_search_tell(&search, r->result->diag);
	cmd_search_deinit(&search);
	return err;
}

/* Filters and places depend on the recording, so each has its own. */
static struct pd_error *read_input(const struct reading *r, const char *input, const char *label,
	struct resolve_times *times, struct profile **ret)
{
	struct cmd_options options = *r->options;
	struct cmd_filter filter;

	options.input = input;
	struct pd_error *err = cmd_filter_init(&filter, &options);
	if (err)
		return err;
	err = read_found(r, &options, &filter, label, times, ret);
	cmd_filter_deinit(&filter);
	return err;
}

char *cmd_input_label(const struct cmd_options *options, size_t i)
{
	const struct cmd_list *inputs = &options->inputs;
	const char *input = inputs->items.data[i];
	size_t n = 1;
	char *label;

	for (size_t k = 0; k < i; k++)
		n += strcmp(inputs->items.data[k], input) == 0;
	if (n == 1)
		return strdup(input);
	return asprintf(&label, "%s (%zu)", input, n) < 0 ? NULL : label;
}

/* Add input number @p i to *@p profile; the first makes it. */
static struct pd_error *add_input(
	const struct reading *r, size_t i, struct resolve_times *times, struct profile **profile)
{
	const struct cmd_list *inputs = &r->options->inputs;
	_cleanup_free_ char *label = NULL;
	struct profile *one = NULL;

	if (inputs->items.n > 1) {
		label = cmd_input_label(r->options, i);
		if (!label)
			return &pd_enomem;
	}
	struct pd_error *err = read_input(r, inputs->items.data[i], label, times, &one);
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

struct pd_error *cmd_read_profile(const struct cmd_options *options,
	const struct out_format *format, const struct out_write_opts *write_opts,
	const struct cmd_input_file *only, struct cmd_result *result,
	struct resolve_times *times_ret, struct profile **ret)
{
	const struct reading r = {
		.options = options,
		.format = format,
		.write_opts = write_opts,
		.only = only,
		.result = result,
	};
	struct profile *profile = NULL;
	struct pd_error *err = NULL;

	*times_ret = (struct resolve_times){ 0 };
	for (size_t i = 0; i < options->inputs.items.n && !err; i++) {
		struct resolve_times times = { 0 };

		err = add_input(&r, i, &times, &profile);
		times_ret->unwound += times.unwound;
		times_ret->named += times.named;
	}
	if (err) {
		profile_destroy(profile);
		return err;
	}
	*ret = profile;
	return NULL;
}

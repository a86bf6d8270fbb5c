/* pd_diff(): recordings before and after a change. */
#include "api/profile_diff.h"

#include <stdlib.h>

#include "analyze/comparison/sides.h"
#include "api/profile_write.h"
#include "api/reading.h"
#include "base/cleanup.h"
#include "base/format.h"
#include "base/reserved.h"
#include "output/html/html.h"
#include "parse/open_file.h"
#include "resolve/naming/apart.h"

/* A comparison that is written. */
struct written {
	const struct api_comparison *comparison;
	const struct ana_sides *sides;
	/* Names of the binaries that are compared under one name, or NULL. Owned. */
	char *pairs;
};

static struct pd_error *write_changes(const void *what, FILE *out)
{
	const struct written *written = what;
	const struct api_comparison *c = written->comparison;
	struct out_write_opts write = c->profile->write;

	write.growth = c->growth;
	write.find_command = c->find_command;
	write.normalizes = c->normalizes;
	write.pairs = written->pairs;
	return c->format->write_diff(c->profile->profile, &write, written->sides, out);
}

/* Find the labels of the recordings. Those of recordings without samples are new to the profile. */
static struct pd_error *find_labels(const struct api_comparison *c, struct prof_string_id *ret)
{
	for (size_t i = 0; i < c->n_before + c->n_after; i++) {
		ret[i] = prof_add_string(c->profile->profile, c->labels[i]);
		if (prof_is_none(ret[i]))
			return &pd_enomem;
	}
	return NULL;
}

/* Let the binary before a change have the name of the one after it, and note both in @p text. */
static struct pd_error *pair(struct profile *profile, const struct ana_pair *pair, char **text)
{
	if (prof_is_none(pair->before) || prof_is_none(pair->after))
		return NULL;
	char *more = base_format("%s%s%s is compared with %s", *text ? *text : "",
		*text ? "; " : "", prof_binary_base(profile, pair->before),
		prof_binary_base(profile, pair->after));
	if (!more)
		return &pd_enomem;
	free(*text);
	*text = more;
	profile->binaries.data[pair->before.i].name = prof_binary(profile, pair->after)->name;
	return NULL;
}

/* Pair binaries that have different names. Functions of one name may meet in them. */
static struct pd_error *pair_binaries(
	const struct api_comparison *c, const struct ana_sides *sides, char **text)
{
	struct profile *profile = c->profile->profile;
	struct ana_pair found;

	for (size_t i = 0; i < c->n_pairs; i++) {
		struct pd_error *err = ana_pair_named(profile, sides, &c->pairs[i], &found);

		if (err)
			return err;
		err = pair(profile, &found, text);
		if (err)
			return err;
	}
	struct pd_error *err = ana_pair_programs(profile, sides, &found);
	if (err)
		return err;
	err = pair(profile, &found, text);
	return err || !*text ? err : resolve_tell_apart(profile);
}

struct pd_error *api_comparison_write(const struct api_comparison *c, const struct api_target *to)
{
	_cleanup_free_ struct prof_string_id *labels =
		calloc(c->n_before + c->n_after, sizeof(*labels));
	_cleanup_(ana_sides_deinit) struct ana_sides sides = { 0 };
	struct pd_error *err = labels ? find_labels(c, labels) : &pd_enomem;

	if (!err)
		err = ana_sides_create(
			c->profile->profile, labels, c->n_before, c->n_after, &sides);
	struct written written = { .comparison = c, .sides = &sides };
	if (!err)
		err = pair_binaries(c, &sides, &written.pairs);
	if (!err)
		err = api_sink_stream(write_changes, &written, to);
	free(written.pairs);
	return err;
}

/* Find out where the code of a page comes from, add it, and report what failed. */
static struct pd_error *add_with_code(
	const struct pd_profile *profile, struct pd_diag *diag, FILE *out)
{
	_cleanup_(api_code_files_deinit) struct api_code_files code = { 0 };
	struct out_write_opts write = profile->write;
	struct pd_error *err = api_code_files_init(&code, &profile->opts, profile->path);

	if (err)
		return err;
	write.html_code = &code.html;
	err = out_html_add(profile->profile, &write, out);
	if (diag)
		api_reading_report(&code.reading, diag);
	return err;
}

struct pd_error *api_page_add(const struct pd_profile *profile, struct pd_diag *diag, FILE *out)
{
	return profile->write.format.html.embeds_source
		       ? add_with_code(profile, diag, out)
		       : out_html_add(profile->profile, &profile->write, out);
}

void pd_growth_deinit(struct pd_growth *growth)
{
	free(growth->name);
	*growth = (struct pd_growth){ 0 };
}

/* Recordings that are compared by the library. */
struct diff {
	/* Those before the change come first. */
	struct pd_file **files;
	char **labels;
	size_t n_before;
	size_t n_after;
	const struct pd_diff_opts *opts;
};

static void diff_deinit(struct diff *d)
{
	for (size_t i = 0; d->labels && i < d->n_before + d->n_after; i++)
		free(d->labels[i]);
	free(d->labels);
	free(d->files);
}

static struct pd_error *diff_init(struct diff *d, const struct pd_diff_side *before,
	const struct pd_diff_side *after, const struct pd_diff_opts *opts)
{
	size_t n = before->n + after->n;

	*d = (struct diff){ .n_before = before->n, .n_after = after->n, .opts = opts };
	d->files = calloc(n, sizeof(*d->files));
	d->labels = calloc(n, sizeof(*d->labels));
	if (!d->files || !d->labels)
		return &pd_enomem;
	for (size_t i = 0; i < n; i++) {
		d->files[i] = i < before->n ? before->files[i] : after->files[i - before->n];
		/* Files may have equal names, or none. */
		d->labels[i] = base_format("%zu", i);
		if (!d->labels[i])
			return &pd_enomem;
	}
	return NULL;
}

/* Read recording @p i. */
static struct pd_error *read_one(
	const struct diff *d, size_t i, const struct out_format *format, struct pd_profile **ret)
{
	struct pd_profile_opts opts = d->opts->profile;

	opts.input = d->labels[i];
	struct pd_error *err = api_profile_read(d->files[i], &opts, format, PD_PARTS_FOR_DIFF, ret);
	/* Labels are copied to the profile. */
	if (!err)
		(*ret)->opts.input = NULL;
	return err;
}

static struct pd_error *read_all(
	const struct diff *d, const struct out_format *format, struct pd_profile **ret)
{
	struct pd_error *err = read_one(d, 0, format, ret);

	for (size_t i = 1; !err && i < d->n_before + d->n_after; i++) {
		struct pd_profile *next;

		err = read_one(d, i, format, &next);
		if (!err) {
			err = pd_profile_merge(*ret, next);
			pd_profile_destroy(next);
		}
		if (err)
			pd_profile_destroy(*ret);
	}
	return err;
}

static struct pd_error *write_diff(const struct diff *d, const struct out_format *format,
	const struct api_target *to, struct pd_growth *growth_ret)
{
	struct out_growth growth = { .limit = d->opts->growth_limit };
	struct api_comparison comparison = {
		.format = format,
		.labels = d->labels,
		.n_before = d->n_before,
		.n_after = d->n_after,
		.normalizes = d->opts->normalizes,
		.growth = growth_ret ? &growth : NULL,
	};
	struct pd_profile *profile;
	struct pd_error *err = read_all(d, format, &profile);

	if (err)
		return err;
	comparison.profile = profile;
	err = api_comparison_write(&comparison, to);
	pd_profile_destroy(profile);
	if (!err && growth.has_failed)
		err = &pd_enomem;
	if (!err && growth_ret)
		*growth_ret = (struct pd_growth){ growth.n, take_ptr(growth.name), growth.percent };
	free(growth.name);
	return err;
}

/* Add recording @p i to a page. */
static struct pd_error *add_recording(const struct diff *d, size_t i, FILE *out)
{
	struct pd_profile *profile;
	struct pd_error *err = api_profile_read(
		d->files[i], &d->opts->profile, &out_format_html, PD_PARTS_OF_FORMAT, &profile);

	if (err)
		return err;
	err = api_page_add(profile, d->files[i]->diag, out);
	pd_profile_destroy(profile);
	return err;
}

static struct pd_error *write_page(const void *what, FILE *out)
{
	const struct diff *d = what;

	out_html_begin(out);
	struct pd_error *err = add_recording(d, 0, out);
	if (!err)
		err = add_recording(d, 1, out);
	out_html_end(out);
	return err;
}

static struct pd_error *check(
	const struct diff *d, const char *name, const struct out_format **format_ret)
{
	struct pd_error *err = api_format_find(name, format_ret);

	if (err)
		return err;
	if (*format_ret != &out_format_html && !(*format_ret)->write_diff)
		return pd_error_create(
			PD_ERROR_USAGE, NULL, "the format %s cannot show differences", name);
	if (*format_ret == &out_format_html && (d->n_before > 1 || d->n_after > 1))
		return pd_error_create(PD_ERROR_USAGE, NULL,
			"a page compares two recordings: there are %zu", d->n_before + d->n_after);
	return NULL;
}

struct pd_error *pd_diff(const struct pd_diff_side *before, const struct pd_diff_side *after,
	const struct pd_diff_opts *opts, const char *format, pd_on_bytes *fn, void *ctx,
	struct pd_growth *growth_ret)
{
	static const struct pd_diff_opts defaults = PD_DEFAULTS;
	const struct api_target to = { .fn = fn, .ctx = ctx };
	const struct out_format *found;
	struct diff d;

	if (growth_ret)
		*growth_ret = (struct pd_growth){ 0 };
	if (!before->n || !after->n)
		return pd_error_create(PD_ERROR_USAGE, NULL,
			"there are no recordings %s the change", before->n ? "after" : "before");
	struct pd_error *err = opts ? PD_CHECK_RESERVED("struct pd_diff_opts", opts) : NULL;
	if (err)
		return err;
	err = diff_init(&d, before, after, opts ? opts : &defaults);
	if (!err)
		err = check(&d, format, &found);
	if (!err)
		err = found == &out_format_html ? api_sink_stream(write_page, &d, &to)
						: write_diff(&d, found, &to, growth_ret);
	diff_deinit(&d);
	return err;
}

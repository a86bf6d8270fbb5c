/* pd_profile: writing a profile in a format, and what became of its samples. */
#include "api/profile_write.h"

#include "api/profile_read.h"

#include <stdlib.h>

#include "advice/quality.h"
#include "api/profile_diff.h"
#include "api/output_sink.h"
#include "base/array.h"
#include "base/cleanup.h"
#include "output/html/html.h"
#include "profile/merge.h"
#include "resolve/naming/apart.h"

const char *pd_format_name(size_t i)
{
	size_t n;
	const struct out_format *const *formats = out_formats(&n);

	for (size_t k = 0; k < n; k++) {
		if (formats[k]->write && i-- == 0)
			return formats[k]->name;
	}
	return NULL;
}

struct pd_error *api_format_find(const char *name, const struct out_format **ret)
{
	*ret = out_format_find(name);
	return *ret ? NULL : pd_error_create(PD_ERROR_USAGE, NULL, "unknown format '%s'", name);
}

/* Whether a profile with the parts @p has is complete for a format that needs @p wants. */
static bool covers(const struct prof_request *has, const struct prof_request *wants)
{
	return !wants->rows && !wants->note_types && !wants->describe && !wants->ledger_changes &&
	       !wants->mappings && (has->edges || !wants->edges) && (has->code || !wants->code) &&
	       (has->waits || !wants->waits) && (has->frame_offsets || !wants->frame_offsets) &&
	       !(wants->tags & ~has->tags);
}

static struct pd_error *check_parts(
	const struct pd_profile *profile, const struct out_format *format)
{
	struct prof_request wants = { 0 };

	if (format == profile->format)
		return NULL;
	struct pd_error *err = format->prepare ? format->prepare(&profile->write, &wants) : NULL;
	if (err || covers(&profile->request, &wants))
		return err;
	return pd_error_create(PD_ERROR_USAGE, NULL,
		"the profile was not created for the format %s, which needs more of the recording",
		format->name);
}

struct pd_error *api_stream_format_find(const char *name, const struct out_format **ret)
{
	struct pd_error *err = api_format_find(name, ret);

	if (err || !(*ret)->write_directory)
		return err;
	return pd_error_create(PD_ERROR_UNSUPPORTED, NULL,
		"the format %s is a directory of files, and cannot be written as a stream", name);
}

struct pd_error *pd_profile_merge(struct pd_profile *to, const struct pd_profile *from)
{
	const struct out_format *format = to->format;

	if (format != from->format || (format && format->takes_one) ||
		to->request.tags != from->request.tags)
		return pd_error_create(PD_ERROR_USAGE, NULL,
			"the profiles were created for different formats or labels, or for a format "
			"that takes only one recording");
	if (!format && to->request.rows)
		return pd_error_create(
			PD_ERROR_USAGE, NULL, "profiles with single samples cannot be merged");
	bool has_pattern_names = to->profile->pattern_names.n || from->profile->pattern_names.n;
	struct pd_error *err = prof_merge(to->profile, from->profile);

	if (!err && has_pattern_names)
		err = resolve_add_pattern_names(to->profile);
	return err ? err : resolve_tell_apart(to->profile);
}

/* A page of one profile, with source text. */
struct page {
	const struct pd_profile *profile;
	struct pd_diag *diag;
};

static struct pd_error *write_page(const void *what, FILE *out)
{
	const struct page *page = what;

	out_html_begin(out);
	struct pd_error *err = api_page_add(page->profile, page->diag, out);
	out_html_end(out);
	return err;
}

struct pd_error *api_profile_emit(const struct pd_profile *profile, const struct out_format *format,
	struct pd_diag *diag, const struct api_target *to)
{
	const struct page page = { profile, diag };

	if (format == &out_format_html)
		return api_sink_stream(write_page, &page, to);
	return api_sink_write(format, profile->profile, &profile->write, to);
}

struct pd_error *pd_profile_write(
	const struct pd_profile *profile, const char *format, pd_on_bytes *fn, void *ctx)
{
	const struct out_format *found;
	struct pd_error *err = api_stream_format_find(format, &found);

	if (err)
		return err;
	const struct api_target to = { .fn = fn, .ctx = ctx };
	err = check_parts(profile, found);
	return err ? err : api_profile_emit(profile, found, NULL, &to);
}

#define LEFT_OUT_NAME(id, name, ...) name,
static const char *const left_out_names[PD_N_LEFT_OUT] = {
	PD_SKIPS(LEFT_OUT_NAME) PD_FILTERS(LEFT_OUT_NAME)[PD_LEFT_OUT_OTHER_EVENT] = "other_event"
};

_Static_assert((int)PD_LEFT_OUT_OTHER_EVENT == (int)PROF_N_SKIPS + (int)PROF_N_FILTERS,
	"reasons are the skips and then the filters");

const char *pd_left_out_name(enum pd_left_out reason)
{
	return (size_t)reason < PD_N_LEFT_OUT ? left_out_names[reason] : "";
}

static void add(struct pd_sum *to, struct pd_sum more)
{
	to->samples += more.samples;
	to->period += more.period;
}

static struct pd_sum sum_of(struct prof_value value)
{
	return (struct pd_sum){ value.samples, value.period };
}

/* Count the samples of events that the format shows, and of others. Errors: NOMEM. */
static struct pd_error *count_events(
	const struct pd_profile *p, const struct out_format *format, struct pd_profile_stats *ret)
{
	const struct profile *profile = p->profile;
	bool shows_all = !format || !format->find_shown;
	_cleanup_free_ bool *is_shown = base_calloc_n(profile->events.n, sizeof(*is_shown));

	if (!is_shown)
		return &pd_enomem;
	if (!shows_all)
		format->find_shown(profile, &p->write, is_shown);
	for (size_t i = 0; i < profile->events.n; i++)
		add(shows_all || is_shown[i] ? &ret->out : &ret->left_out[PD_LEFT_OUT_OTHER_EVENT],
			sum_of(profile->events.data[i].total));
	return NULL;
}

static void count_left_out(const struct prof_stats *stats, struct pd_profile_stats *ret)
{
	for (size_t i = 0; i < PROF_N_SKIPS; i++)
		ret->left_out[i].samples = stats->skipped[i];
	for (size_t i = 0; i < PROF_N_FILTERS; i++)
		ret->left_out[PROF_N_SKIPS + i] =
			(struct pd_sum){ stats->filtered[i], stats->filtered_period[i] };
}

static void count_stacks(const struct advice_quality *quality, struct pd_profile_stats *ret)
{
	const struct advice_unwind_stats *unwinds = &quality->unwinds.all;

	ret->n_stacks = advice_quality_n_stacks(quality);
	ret->n_complete = advice_quality_n_rooted(quality);
	ret->n_guessed = unwinds->ends[PD_UNWIND_END_ROOT_DOUBTFUL].samples;
	ret->n_truncated = ret->n_stacks - ret->n_complete - ret->n_guessed;
	for (size_t i = 0; i < PD_N_UNWIND_ENDS; i++)
		ret->ends[i] = sum_of(unwinds->ends[i]);
}

struct pd_error *api_profile_count(const struct pd_profile *profile,
	const struct out_format *format, struct pd_profile_stats *ret)
{
	const struct prof_stats *stats = &profile->profile->stats;
	_cleanup_(advice_quality_deinit) struct advice_quality quality = { 0 };
	struct pd_error *err = advice_quality_find(profile->profile, false, &quality);

	if (err)
		return err;
	struct pd_profile_stats counted = {
		.n_lost_records = stats->n_lost_records,
		.n_lost_samples = stats->n_lost_samples,
		.n_gaps = stats->n_gaps,
		.n_gap_bytes = stats->gap_bytes,
		.n_after_gaps = stats->n_after_gaps,
		.n_unknown_records = stats->n_unknown_records,
		.n_late_records = stats->n_late_records,
		.n_throttled = stats->n_throttled,
		.n_frames = stats->n_frames,
		.n_guessed_frames = stats->n_fp_frames,
	};
	count_left_out(stats, &counted);
	err = count_events(profile, format, &counted);
	if (err)
		return err;
	count_stacks(&quality, &counted);
	counted.in = counted.out;
	for (size_t i = 0; i < PD_N_LEFT_OUT; i++)
		add(&counted.in, counted.left_out[i]);
	*ret = counted;
	return NULL;
}

struct pd_error *pd_profile_get_stats(
	const struct pd_profile *profile, const char *format, struct pd_profile_stats *ret)
{
	const struct out_format *found = NULL;
	struct pd_error *err = format ? api_format_find(format, &found) : NULL;

	return err ? err : api_profile_count(profile, found, ret);
}

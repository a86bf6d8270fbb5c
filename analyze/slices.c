#include "analyze/slices.h"

#include <stdlib.h>

#include <pdconv/record.h>

/* Times of the first and the last sample, in ns. first > last: no sample has a time. */
struct span {
	uint64_t first;
	uint64_t last;
};

static bool is_in(
	const struct ana_slices_opts *opts, const struct prof_sample *sample, size_t recording)
{
	return prof_same_event(sample->event, opts->event) &&
	       ana_recording_of(opts->sides, sample->tags) == recording;
}

static uint64_t time_of(const struct profile *profile, const struct prof_sample *sample)
{
	const struct prof_tags *tags = prof_tags(profile, sample->tags);

	return tags ? tags->time : PD_NO_TIME;
}

static struct span find_span(const struct ana_slices_opts *opts, size_t recording)
{
	struct span span = { .first = UINT64_MAX };

	for (struct prof_sample_id id = { 0 }; id.i < opts->profile->samples.n; id.i++) {
		const struct prof_sample *sample = prof_sample(opts->profile, id);
		uint64_t time = time_of(opts->profile, sample);

		if (!is_in(opts, sample, recording) || time == PD_NO_TIME)
			continue;
		span.first = time < span.first ? time : span.first;
		span.last = time > span.last ? time : span.last;
	}
	return span;
}

static size_t slice_of(const struct span *span, size_t n, uint64_t time)
{
	if (time == PD_NO_TIME || n < 2)
		return 0;
	double at = (double)(time - span->first) / (double)(span->last - span->first + 1);
	size_t i = (size_t)(at * (double)n);
	return i < n ? i : n - 1;
}

/* Count a sample in all of its columns that @p map keeps; NULL keeps all. */
static void count(struct ana_slices *s, const struct ana_slices_opts *opts,
	struct prof_sample_id id, size_t slice, const uint32_t *map)
{
	const struct prof_value *value = prof_value(opts->profile, id);
	uint32_t n;
	const uint32_t *columns =
		ana_columns_at(opts->columns, prof_sample(opts->profile, id)->stack, &n);

	for (uint32_t i = 0; i < n; i++) {
		uint32_t column = map ? map[columns[i]] : columns[i];

		if (column == PROF_NONE)
			continue;
		s->sums[column].samples += value->samples;
		s->sums[column].period += value->period;
		if (s->amounts)
			s->amounts[column * s->n + slice] += (double)value->period;
	}
}

static void count_samples(struct ana_slices *s, const struct ana_slices_opts *opts,
	size_t recording, const struct span *span, const uint32_t *map)
{
	for (struct prof_sample_id id = { 0 }; id.i < opts->profile->samples.n; id.i++) {
		const struct prof_sample *sample = prof_sample(opts->profile, id);

		if (!is_in(opts, sample, recording))
			continue;
		size_t slice = slice_of(span, s->n, time_of(opts->profile, sample));
		count(s, opts, id, slice, map);
	}
}

struct pd_error *ana_slices_sum(
	const struct ana_slices_opts *opts, size_t recording, struct ana_slices *ret)
{
	const struct span none = { 0 };

	*ret = (struct ana_slices){ .n = 1, .n_columns = opts->columns->list.n };
	ret->sums = calloc(ret->n_columns + 1, sizeof(*ret->sums));
	if (!ret->sums)
		return &pd_enomem;
	count_samples(ret, opts, recording, &none, NULL);
	return NULL;
}

struct pd_error *ana_slices_create(const struct ana_slices_opts *opts, size_t recording,
	const uint32_t *map, size_t n_columns, struct ana_slices *ret)
{
	struct span span = find_span(opts, recording);
	bool has_times = span.first < span.last;

	*ret = (struct ana_slices){
		.n = has_times ? ANA_MAX_SLICES : 1,
		.n_columns = n_columns,
		.duration = has_times ? span.last - span.first : 0,
	};
	ret->sums = calloc(n_columns + 1, sizeof(*ret->sums));
	ret->amounts = calloc(n_columns * ret->n + 1, sizeof(*ret->amounts));
	if (!ret->sums || !ret->amounts) {
		ana_slices_deinit(ret);
		return &pd_enomem;
	}
	count_samples(ret, opts, recording, &span, map);
	return NULL;
}

void ana_slices_deinit(struct ana_slices *slices)
{
	free(slices->sums);
	free(slices->amounts);
	*slices = (struct ana_slices){ 0 };
}

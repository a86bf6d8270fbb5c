/* Columns of tables: which events share a table first, then their sums. */
#include "output/report/report_columns.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/keys/keys.h"
#include "output/report/report_keys.h"
#include "output/report/report_waits.h"

/* Tracepoints and output of BPF programs are not amounts that can be compared by function. */
static bool is_counter(const struct prof_event *event)
{
	return event->total.samples && event->kind != PROF_EVENT_TRACEPOINT && !event->is_dummy &&
	       !event->is_bpf_output;
}

static bool go_together(const struct prof_event *a, const struct prof_event *b)
{
	return is_counter(a) && is_counter(b) && a->has_stacks == b->has_stacks;
}

static bool has_key(const char *const *names, size_t n, enum ana_key key)
{
	for (size_t i = 0; i < n; i++) {
		if (strcmp(names[i], ana_key_row(key)->name) == 0)
			return true;
	}
	return false;
}

struct out_report_events out_report_events(const struct profile *profile,
	const struct out_write_opts *opts, struct prof_event_id event)
{
	const struct pd_report_opts *report = &opts->format.report;
	struct out_report_events ret = { .list = { event }, .n = 1 };

	if (opts->has_all_events || !prof_is_none(opts->event))
		return ret;
	ret.are_rows = has_key(report->sort, report->n_sort, ANA_KEY_EVENT) ||
		       has_key(report->group_by, report->n_group_by, ANA_KEY_EVENT);
	if (ret.are_rows)
		return ret;
	struct prof_event_id waits = out_report_wait_event(profile, opts);
	for (struct prof_event_id id = { 0 }; id.i < profile->events.n; id.i++) {
		if (!prof_same_event(id, event) && !prof_same_event(id, waits) &&
			ret.n < OUT_MAX_EVENTS &&
			go_together(prof_event(profile, event), prof_event(profile, id)))
			ret.list[ret.n++] = id;
	}
	return ret;
}

void out_report_find_shown(
	const struct profile *profile, const struct out_write_opts *opts, bool *shown_ret)
{
	struct prof_event_id first = out_event(profile, opts);
	struct prof_event_id waits = out_report_wait_event(profile, opts);

	out_find_shown(profile, opts, shown_ret);
	if (out_report_is_of_no_event(&opts->format.report) &&
		!out_report_has_section(&opts->format.report)) {
		for (size_t i = 0; i < profile->events.n; i++)
			shown_ret[i] = true;
		return;
	}
	if (!opts->has_all_events && !prof_is_none(first)) {
		const struct out_report_events events = out_report_events(profile, opts, first);

		for (size_t i = 0; i < profile->events.n; i++)
			shown_ret[i] = events.are_rows;
		for (size_t i = 0; i < events.n; i++)
			shown_ret[events.list[i].i] = true;
	}
	if (!prof_is_none(waits))
		shown_ret[waits.i] = true;
}

uint32_t *out_report_event_columns(
	const struct profile *profile, const struct out_report_events *events)
{
	uint32_t *columns = reallocarray(NULL, profile->events.n + 1, sizeof(*columns));

	for (size_t i = 0; columns && i < profile->events.n; i++)
		columns[i] = events->are_rows ? 0 : PROF_NONE;
	for (uint32_t i = 0; columns && !events->are_rows && i < events->n; i++)
		columns[events->list[i].i] = i;
	return columns;
}

/* How the columns of a key are called in JSON. */
static const char *key_name(enum ana_key sum)
{
	switch (sum) {
	case ANA_KEY_OVERHEAD:
		return "self";
	case ANA_KEY_OVERHEAD_CHILDREN:
		return "total";
	case ANA_KEY_SAMPLES:
		return "samples";
	default:
		return ana_key_row(sum)->name;
	}
}

struct out_sums out_sums_begin(
	struct out_doc *doc, const struct profile *profile, const struct out_report_events *events)
{
	return (struct out_sums){ .doc = doc, .profile = profile, .events = events };
}

static const char *event_name(const struct out_sums *s, size_t event)
{
	return prof_string(s->profile, prof_event(s->profile, s->events->list[event])->name);
}

/* Key of a column: with the name of the event if there are several. */
static const char *column_key(
	const struct out_sums *s, size_t event, enum ana_key sum, const char *suffix)
{
	bool is_one = s->events->n == 1;
	char buf[256];

	snprintf(buf, sizeof(buf), "%s%s%s%s%s", key_name(sum), suffix, is_one ? "" : "[",
		is_one ? "" : event_name(s, event), is_one ? "" : "]");
	return out_doc_keep(s->doc, buf);
}

static const char *column_title(
	const struct out_sums *s, size_t event, enum ana_key sum, enum out_sum_titles titles)
{
	char buf[256];

	if (titles == OUT_SUM_HIDDEN)
		return NULL;
	if (s->events->n == 1)
		return ana_key_row(sum)->title;
	if (titles == OUT_SUM_BY_EVENT)
		return event_name(s, event);
	snprintf(buf, sizeof(buf), "%s %s", event_name(s, event), ana_key_row(sum)->title);
	return out_doc_keep(s->doc, buf);
}

static void push(struct out_sums *s, const struct out_sum *sum, const struct out_column *column)
{
	if (s->n == OUT_MAX_SUMS)
		return;
	s->columns[s->n] = *column;
	s->list[s->n++] = *sum;
}

/* Columns without a title are only in JSON. */
static void add_share(struct out_sums *s, enum ana_key sum, size_t event, const char *title)
{
	const struct out_sum of = { .key = sum, .event = event, .is_share = true };

	push(s, &of,
		&(struct out_column){
			.key = column_key(s, event, sum, "_percent"),
			.title = title,
			.kind = OUT_CELL_SHARE,
		});
}

static void add_count(struct out_sums *s, enum ana_key sum, size_t event, const char *title)
{
	const struct out_sum of = { .key = sum, .event = event };

	push(s, &of,
		&(struct out_column){
			.key = column_key(s, event, sum, ""),
			.title = title,
			.kind = OUT_CELL_COUNT,
		});
}

void out_sums_add(struct out_sums *s, enum ana_key sum, enum out_sum_titles titles)
{
	bool is_count = sum == ANA_KEY_SAMPLES || sum == ANA_KEY_PERIOD;

	for (size_t i = 0; i < s->events->n; i++) {
		const char *title = column_title(s, i, sum, titles);

		if (!is_count)
			add_share(s, sum, i, title);
		add_count(s, sum, i, is_count ? title : NULL);
	}
}

void out_sums_add_optional(struct out_sums *s, const struct pd_report_opts *opts)
{
	if (opts->sample_counts)
		out_sums_add(s, ANA_KEY_SAMPLES, OUT_SUM_BY_NAME);
	if (opts->total_period)
		out_sums_add(s, ANA_KEY_PERIOD, OUT_SUM_BY_NAME);
}

/* Index of the event called @p name; the number of events if there is none. */
static size_t find_event(const struct out_sums *s, const char *name)
{
	size_t i = 0;

	while (i < s->events->n && !ana_ratio_is_event(event_name(s, i), name))
		i++;
	return i;
}

void out_sums_add_ratios(struct out_sums *s, enum ana_key sum)
{
	size_t n;
	const struct ana_event_ratio *ratios = ana_ratios(&n);

	for (size_t i = 0; i < n; i++) {
		const struct out_sum of = {
			.key = sum,
			.event = find_event(s, ratios[i].numerator),
			.ratio = &ratios[i],
			.denominator = find_event(s, ratios[i].denominator),
		};

		if (of.event == s->events->n || of.denominator == s->events->n)
			continue;
		push(s, &of,
			&(struct out_column){
				.key = ratios[i].key,
				.title = ratios[i].title,
				.kind = OUT_CELL_RATIO,
			});
	}
}

static void fill_ratio(
	const struct out_sum *sum, struct out_table *table, const struct ana_sums *of_row)
{
	uint64_t numerator = ana_sum_of(sum->key, &of_row[sum->event]);
	uint64_t denominator = ana_sum_of(sum->key, &of_row[sum->denominator]);

	if (denominator)
		out_table_real(table, sum->ratio->scale * (double)numerator / (double)denominator);
	else
		out_table_empty(table);
}

/* The amount that a share is a part of. */
static uint64_t whole_of(
	const struct out_sums *s, const struct out_sum *sum, const uint64_t *wholes)
{
	return ana_is_latency(sum->key) && s->latencies ? s->latencies[sum->event]
							: wholes[sum->event];
}

void out_sums_fill(const struct out_sums *s, struct out_table *table, const struct ana_sums *of_row,
	const uint64_t *wholes)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct out_sum *sum = &s->list[i];
		uint64_t amount = sum->ratio ? 0 : ana_sum_of(sum->key, &of_row[sum->event]);

		if (sum->ratio)
			fill_ratio(sum, table, of_row);
		else if (sum->is_share)
			out_table_share(table, amount, whole_of(s, sum, wholes));
		else if (!sum->ratio && ana_is_latency(sum->key))
			out_table_count(
				table, (amount + ANA_LATENCY_UNITS / 2) / ANA_LATENCY_UNITS);
		else
			out_table_count(table, amount);
	}
}

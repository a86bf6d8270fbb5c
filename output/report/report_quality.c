/* How far the report can be trusted, and what to do about it. */
#include "output/report/report_quality.h"

#include <ctype.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "output/quality_lines.h"

#define SKIP_KEY(id, name, text) "skipped_" name,
static const char *const skip_keys[PROF_N_SKIPS] = { PD_SKIPS(SKIP_KEY) };

static struct pd_error *add_lines(
	struct out_doc *doc, const struct profile *profile, const struct advice_quality *quality)
{
	for (enum out_quality_line i = 0; i < OUT_N_QUALITY_LINES; i++) {
		_cleanup_free_ char *text = out_quality_line(profile, quality, i);

		if (!text)
			return &pd_enomem;
		out_doc_fact(doc, NULL, out_quality_line_name(i), text);
	}
	return NULL;
}

static void add_lower(struct out_table *table, const char *name)
{
	char text[32];
	size_t i = 0;

	for (; i < sizeof(text) - 1 && name[i]; i++)
		text[i] = (char)tolower((unsigned char)name[i]);
	text[i] = 0;
	out_table_text(table, text);
}

static void add_ends(struct out_doc *doc, const struct advice_unwind_stats *stats)
{
	static const struct out_column columns[] = {
		{ .key = "end", .kind = OUT_CELL_TEXT },
		{ .key = "text", .kind = OUT_CELL_TEXT },
		{ .key = "samples", .kind = OUT_CELL_COUNT },
	};
	struct out_table *table = out_doc_table(doc, "ends", NULL, columns, PD_ARRAY_LEN(columns));

	for (unsigned i = 0; i < PD_N_UNWIND_ENDS; i++) {
		if (!stats->ends[i].samples)
			continue;
		out_table_row(table, NULL);
		add_lower(table, pd_unwind_end_name(i));
		out_table_text(table, pd_unwind_end_text(i));
		out_table_count(table, stats->ends[i].samples);
	}
}

static void add_stack_numbers(
	struct out_doc *doc, const struct profile *profile, const struct advice_quality *quality)
{
	const struct advice_chains *chains = &quality->lacks.chains;
	const struct prof_stats *stats = &profile->stats;

	out_doc_begin(doc, "stacks", NULL);
	out_doc_number(doc, "samples", advice_quality_n_stacks(quality));
	out_doc_number(doc, "rooted", advice_quality_n_rooted(quality));
	out_doc_number(doc, "unwound", quality->unwinds.all.walked.samples);
	add_ends(doc, &quality->unwinds.all);
	out_doc_number(doc, "captured_bytes", advice_quality_captured_bytes(profile));
	out_doc_number(doc, "call_chains", chains->n);
	out_doc_number(doc, "cut_call_chains", chains->n_cut);
	out_doc_number(doc, "leaf_only_call_chains", chains->n_leaf_only);
	out_doc_number(doc, "full_call_chains", chains->n_full);
	out_doc_number(doc, "switched_call_chains", chains->n_switched);
	out_doc_number(doc, "unwound_call_chains", chains->n_walked);
	out_doc_number(doc, "stitched", stats->n_stitched);
	out_doc_number(doc, "frames", stats->n_frames);
	out_doc_number(doc, "frames_by_frame_pointer", stats->n_fp_frames);
	out_doc_end(doc);
}

static void add_name_numbers(struct out_doc *doc, const struct advice_quality *quality)
{
	static const struct out_column columns[] = {
		{ .key = "reason", .kind = OUT_CELL_TEXT },
		{ .key = "text", .kind = OUT_CELL_TEXT },
		{ .key = "frames", .kind = OUT_CELL_COUNT },
		{ .key = "samples", .kind = OUT_CELL_COUNT },
	};
	const struct advice_unnamed *unnamed = &quality->unnamed;

	out_doc_begin(doc, "names", NULL);
	out_doc_bool(doc, "looked_up", quality->has_names);
	out_doc_number(doc, "frames", unnamed->n_frames);
	out_doc_number(doc, "unnamed_frames", advice_unnamed_sum(unnamed));
	out_doc_number(doc, "binaries_without_symbols", unnamed->n_bare_binaries);
	struct out_table *table =
		out_doc_table(doc, "unnamed", NULL, columns, PD_ARRAY_LEN(columns));
	for (enum advice_unnamed_why i = 0; i < ADVICE_N_UNNAMED; i++) {
		if (!unnamed->n[i])
			continue;
		out_table_row(table, NULL);
		out_table_text(table, advice_unnamed_key(i));
		out_table_text(table, advice_unnamed_text(i));
		out_table_count(table, unnamed->n[i]);
		out_table_count(table, unnamed->samples[i]);
	}
	out_doc_end(doc);
}

static void add_loss_numbers(struct out_doc *doc, const struct prof_stats *stats)
{
	static const struct out_column columns[] = {
		{ .key = "filter", .kind = OUT_CELL_TEXT },
		{ .key = "samples", .kind = OUT_CELL_COUNT },
	};

	out_doc_begin(doc, "losses", NULL);
	out_doc_number(doc, "lost_records", stats->n_lost_records);
	out_doc_number(doc, "lost_samples", stats->n_lost_samples);
	out_doc_number(doc, "throttled", stats->n_throttled);
	out_doc_number(doc, "late_records", stats->n_late_records);
	out_doc_number(doc, "unknown_records", stats->n_unknown_records);
	out_doc_number(doc, "gaps", stats->n_gaps);
	out_doc_number(doc, "gap_bytes", stats->gap_bytes);
	out_doc_number(doc, "samples_after_gaps", stats->n_after_gaps);
	for (size_t i = 0; i < PROF_N_SKIPS; i++)
		out_doc_number(doc, skip_keys[i], stats->skipped[i]);
	struct out_table *table =
		out_doc_table(doc, "excluded", NULL, columns, PD_ARRAY_LEN(columns));
	for (size_t i = 0; i < PROF_N_FILTERS; i++) {
		if (!stats->filtered[i])
			continue;
		out_table_row(table, NULL);
		out_table_text(table, prof_filter_name((enum prof_filter_kind)i));
		out_table_count(table, stats->filtered[i]);
	}
	out_doc_end(doc);
}

/* Binaries that were not found, as far as the limit allows. */
static void add_missing(struct out_doc *doc, const struct profile *profile, size_t limit)
{
	static const struct out_column columns[] = {
		{ .key = "binary", .kind = OUT_CELL_TEXT },
		{ .key = "why", .kind = OUT_CELL_TEXT },
	};
	struct out_table *table =
		out_doc_table(doc, "missing_binaries", NULL, columns, PD_ARRAY_LEN(columns));
	size_t n = 0;

	for (size_t i = 0; i < profile->binaries.n; i++) {
		const struct prof_binary *binary = &profile->binaries.data[i];
		const char *why = prof_string(profile, binary->why);

		if (!*why || n++ >= limit)
			continue;
		out_table_row(table, NULL);
		out_table_text(table, prof_string(profile, binary->name));
		out_table_text(table, why);
	}
	out_table_set_left_out(table, n > limit ? n - limit : 0);
}

static struct pd_error *find_command(const struct profile *profile, const struct advice_hint *hint,
	const struct out_write_opts *opts, char **ret)
{
	*ret = NULL;
	if (!opts->find_command)
		return NULL;
	return opts->find_command(profile, hint, opts->input ? opts->input : "", ret);
}

/* All hints. The first one, which concerns most samples, is the advice. */
static struct pd_error *add_hints(struct out_doc *doc, const struct profile *profile,
	const struct advice_hints *hints, const struct out_write_opts *opts)
{
	static const struct out_column columns[] = {
		{ .key = "kind", .kind = OUT_CELL_TEXT },
		{ .key = "count", .kind = OUT_CELL_COUNT },
		{ .key = "text", .kind = OUT_CELL_TEXT },
		{ .key = "command", .kind = OUT_CELL_TEXT },
	};
	struct out_table *table = out_doc_table(doc, "hints", NULL, columns, PD_ARRAY_LEN(columns));

	for (size_t i = 0; i < hints->list.n; i++) {
		const struct advice_hint *hint = &hints->list.data[i];
		_cleanup_free_ char *command = NULL;
		struct pd_error *err = find_command(profile, hint, opts, &command);

		if (err)
			return err;
		out_table_row(table, NULL);
		out_table_text(table, advice_hint_kind_name(hint->kind));
		out_table_count(table, hint->n);
		out_table_text(table, hint->text);
		if (command)
			out_table_text(table, command);
		else
			out_table_empty(table);
		if (i == 0) {
			out_doc_fact(doc, NULL, "advice", hint->text);
			out_doc_fact_whole(doc, NULL, "run", command);
		}
	}
	return NULL;
}

struct pd_error *out_report_add_quality(
	struct out_doc *doc, const struct profile *profile, const struct out_write_opts *opts)
{
	_cleanup_(advice_quality_deinit) struct advice_quality quality = { 0 };
	struct pd_error *err = advice_quality_find(profile, true, &quality);

	if (err)
		return err;
	out_doc_begin(doc, "quality", "Quality");
	err = add_lines(doc, profile, &quality);
	add_stack_numbers(doc, profile, &quality);
	add_name_numbers(doc, &quality);
	add_loss_numbers(doc, &profile->stats);
	add_missing(doc, profile, out_report_limit(&opts->format.report, SIZE_MAX));
	if (!err)
		err = add_hints(doc, profile, &quality.hints, opts);
	out_doc_end(doc);
	return err;
}

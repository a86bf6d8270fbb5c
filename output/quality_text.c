#include "output/quality_text.h"

#include <inttypes.h>

#include "base/plural.h"
#include "base/text.h"
#include "output/quality_lines.h"

/* Smallest shares of samples for which a problem is reported by itself, and in a list. */
static const double worth_reporting = 0.01;
static const double worth_listing = 0.001;
/* Smallest share of all frames for which a reason or a binary without names is listed. */
static const double worth_naming = 0.0001;

enum {
	/** Maximum number of missing binaries that are listed by name. */
	MAX_MISSING = 5,
	/** Maximum number of hints among the warnings. */
	MAX_WARNED_HINTS = 3,
	MAX_THREADS = 3,
	/** Maximum number of binaries with unnamed frames that are listed. */
	MAX_UNNAMED = 3,
};

static const char *const skip_texts[PROF_N_SKIPS] = {
	[PROF_SKIP_DAMAGED] = "damaged",
	[PROF_SKIP_UNKNOWN_EVENT] = "their event is not described in the recording",
	[PROF_SKIP_NOTHING_COUNTED] = "no counter of their group had advanced",
};

static double share(uint64_t part, uint64_t whole)
{
	return whole ? (double)part / (double)whole : 0;
}

static void write_filtered(const struct prof_stats *stats, FILE *out)
{
	for (size_t i = 0; i < PROF_N_FILTERS; i++) {
		if (stats->filtered[i])
			fprintf(out, "%" PRIu64 " sample%s excluded by the filter %s\n",
				stats->filtered[i], stats->filtered[i] == 1 ? " was" : "s were",
				prof_filter_name((enum prof_filter_kind)i));
	}
}

static void write_losses(const struct prof_stats *stats, const char *prefix, FILE *out)
{
	for (size_t i = 0; i < PROF_N_SKIPS; i++) {
		if (stats->skipped[i])
			fprintf(out, "%s%" PRIu64 " sample%s left out: %s\n", prefix,
				stats->skipped[i], stats->skipped[i] == 1 ? " is" : "s are",
				skip_texts[i]);
	}
	if (stats->n_gaps)
		fprintf(out,
			"%sdamage: %" PRIu64 " byte%s %s passed over in %" PRIu64
			" place%s; samples after it, whose mappings may be lost: %" PRIu64 "\n",
			prefix, stats->gap_bytes, base_plural(stats->gap_bytes),
			stats->gap_bytes == 1 ? "is" : "are", stats->n_gaps,
			base_plural(stats->n_gaps), stats->n_after_gaps);
	if (stats->n_lost_records || stats->n_lost_samples)
		fprintf(out, "%sthe recorder lost %" PRIu64 " record%s and %" PRIu64 " sample%s\n",
			prefix, stats->n_lost_records, base_plural(stats->n_lost_records),
			stats->n_lost_samples, base_plural(stats->n_lost_samples));
	if (stats->n_throttled)
		fprintf(out,
			"%ssampling was throttled %" PRIu64
			" time%s; record at a lower frequency\n",
			prefix, stats->n_throttled, base_plural(stats->n_throttled));
	if (stats->n_late_records)
		fprintf(out, "%s%" PRIu64 " record%s out of order\n", prefix, stats->n_late_records,
			stats->n_late_records == 1 ? " was" : "s were");
	if (stats->n_unknown_records)
		fprintf(out, "%s%" PRIu64 " record%s\n", prefix, stats->n_unknown_records,
			stats->n_unknown_records == 1 ? " has an unknown type"
						      : "s have unknown types");
}

static void write_value(struct prof_value part, struct prof_value whole, FILE *out)
{
	fprintf(out, "  %6.2f %%  %6.2f %%", 100 * share(part.samples, whole.samples),
		100 * share(part.period, whole.period));
}

static void write_end(const struct advice_unwind_stats *stats, enum pd_unwind_end end, FILE *out)
{
	struct prof_value value = stats->ends[end];

	if (!value.samples && end != PD_UNWIND_END_ROOT)
		return;
	write_value(value, stats->walked, out);
	fprintf(out, "  %s\n", pd_unwind_end_text(end));
}

static void write_unwinds(const struct profile *profile, const struct advice_unwind_stats *stats,
	const struct prof_event *event, FILE *out)
{
	if (!stats->walked.samples)
		return;
	fputs("Stacks of ", out);
	base_text_write_message(out, prof_string(profile, event->name));
	fprintf(out, " unwound from captured bytes: %" PRIu64 "\n   samples    period\n",
		stats->walked.samples);
	for (size_t end = 0; end < PD_N_UNWIND_ENDS; end++)
		write_end(stats, end, out);
}

static bool is_bad(enum pd_unwind_end end)
{
	return !pd_unwind_end_has_root(end) && end != PD_UNWIND_END_STACK_SHORT;
}

static void write_bad_binary(const struct profile *profile, const struct prof_binary *binary,
	struct prof_value whole, FILE *out)
{
	for (size_t end = 0; end < PD_N_UNWIND_ENDS; end++) {
		struct prof_value value = binary->ends[end];

		if (!is_bad(end) || share(value.samples, whole.samples) < worth_listing)
			continue;
		write_value(value, whole, out);
		fputs("  in ", out);
		base_text_write_message(out, prof_string(profile, binary->name));
		fprintf(out, ": %s\n", pd_unwind_end_text(end));
	}
}

static void write_bad_thread(const struct prof_thread *thread,
	const struct advice_unwind_stats *stats, const struct profile *profile, FILE *out)
{
	fprintf(out, "  %6.2f %% of %" PRIu64 " stacks of ",
		100 * share(advice_unwind_stats_not_rooted(stats), stats->walked.samples),
		stats->walked.samples);
	base_text_write_message(out, prof_string(profile, thread->comm));
	fprintf(out, " %" PRId32 "/%" PRId32 " are not complete\n", (int32_t)thread->pid,
		(int32_t)thread->tid);
}

static void write_bad_threads(
	const struct profile *profile, const struct advice_unwind_summary *summary, FILE *out)
{
	for (size_t i = 0; i < summary->worst_threads.n && i < MAX_THREADS; i++) {
		struct prof_thread_id thread = summary->worst_threads.data[i];
		const struct advice_unwind_stats *stats = &summary->threads.data[thread.i];

		if (share(advice_unwind_stats_not_rooted(stats), summary->all.walked.samples) <
			worth_reporting)
			return;
		write_bad_thread(prof_thread(profile, thread), stats, profile, out);
	}
}

static void write_sources(const struct prof_stats *stats, FILE *out)
{
	static const char *const texts[PROF_N_STACK_ORIGINS] = {
		[PROF_STACK_RECORDED] = "Stacks recorded by the kernel",
		[PROF_STACK_BRANCHES] = "Stacks from branch records of the processor",
		[PROF_STACK_NONE] = "Samples without a user stack",
	};

	for (size_t i = 0; i < PROF_N_STACK_ORIGINS; i++) {
		if (texts[i] && stats->origins[i])
			fprintf(out, "%s: %" PRIu64 "\n", texts[i], stats->origins[i]);
	}
}

void out_quality_write_stacks(
	const struct profile *profile, const struct advice_quality *quality, FILE *out)
{
	const struct advice_unwind_summary *summary = &quality->unwinds;
	const struct advice_chains *chains = &quality->lacks.chains;
	const struct prof_stats *stats = &profile->stats;

	for (size_t i = 0; i < profile->events.n; i++)
		write_unwinds(profile, &summary->events.data[i], &profile->events.data[i], out);
	for (size_t i = 0; i < profile->binaries.n; i++)
		write_bad_binary(profile, &profile->binaries.data[i], summary->all.walked, out);
	write_bad_threads(profile, summary, out);
	if (stats->n_stitched)
		fprintf(out,
			"Stacks that were cut and completed from neighbouring samples: %" PRIu64
			"\n",
			stats->n_stitched);
	if (stats->n_fp_frames)
		fprintf(out, "  %6.2f %% of frames were found through frame pointers only\n",
			100 * share(stats->n_fp_frames, stats->n_frames));
	write_sources(stats, out);
	if (chains->n)
		fprintf(out,
			"  %6.2f %% of recorded call chains do not reach main or the start of a thread\n",
			100 * share(chains->n_cut, chains->n));
}

static bool has_wrong_periods(const struct profile *profile)
{
	for (size_t i = 0; i < profile->events.n; i++) {
		const struct prof_event *event = &profile->events.data[i];

		if (event->odd.n_invalid || event->odd.huge.samples ||
			(event->lacks_periods && event->total.samples))
			return true;
	}
	return false;
}

static void write_periods(const struct profile *profile, const char *prefix, FILE *out)
{
	if (!has_wrong_periods(profile))
		return;
	fprintf(out, "%speriods: ", prefix);
	out_quality_write_periods(profile, out);
	fputc('\n', out);
}

/* List binaries that were not found, the first few by name. */
static void write_missing(const struct profile *profile, const struct advice_quality *quality,
	const char *prefix, FILE *out)
{
	size_t n = 0;

	for (size_t i = 0; i < profile->binaries.n; i++) {
		const char *why = prof_string(profile, profile->binaries.data[i].why);

		if (!why[0] || advice_unnamed_is_cold_vdso(profile, &quality->unnamed, i) ||
			n++ >= MAX_MISSING)
			continue;
		fputs(prefix, out);
		base_text_write_message(out, why);
		fputc('\n', out);
	}
	if (n > MAX_MISSING)
		fprintf(out, "%sand %zu more binaries\n", prefix, n - MAX_MISSING);
}

/*
 * Find the next binary by descending number of frames: less than *most, or as many and after *at.
 * Only a few are listed, so this is simpler than sorting.
 */
static bool next_binary(const struct profile *profile, const struct advice_unnamed *unnamed,
	uint64_t *most, size_t *at)
{
	uint64_t best = 0;
	size_t found = 0;

	for (size_t i = 0; i < profile->binaries.n; i++) {
		uint64_t n = unnamed->by_binary[i];
		bool is_left = n < *most || (n == *most && i > *at);

		if (!is_left || n <= best)
			continue;
		best = n;
		found = i;
	}
	*most = best;
	*at = found;
	return share(best, unnamed->n_frames) >= worth_naming;
}

static void write_binaries(
	const struct profile *profile, const struct advice_unnamed *unnamed, FILE *out)
{
	uint64_t most = UINT64_MAX;
	size_t at = 0;

	for (int i = 0; i < MAX_UNNAMED && next_binary(profile, unnamed, &most, &at); i++) {
		fprintf(out, "  %6.2f %%  in ", 100 * share(most, unnamed->n_frames));
		base_text_write_message(out, prof_string(profile, profile->binaries.data[at].name));
		fputc('\n', out);
	}
}

static void write_unnamed(
	const struct profile *profile, const struct advice_unnamed *unnamed, FILE *out)
{
	uint64_t sum = advice_unnamed_sum(unnamed);

	if (!sum)
		return;
	fprintf(out, "Frames without a name: %.2f %% of %" PRIu64 "\n",
		100 * share(sum, unnamed->n_frames), unnamed->n_frames);
	for (enum advice_unnamed_why i = 0; i < ADVICE_N_UNNAMED; i++) {
		double part = share(unnamed->n[i], unnamed->n_frames);

		if (part < worth_naming)
			continue;
		const char *remedy = advice_unnamed_remedy(i);
		fprintf(out, "  %6.2f %%  %s", 100 * part, advice_unnamed_text(i));
		fprintf(out, remedy[0] ? " (%s)\n" : "\n", remedy);
	}
	write_binaries(profile, unnamed, out);
}

/* Write the first @p max hints, each line with @p prefix in front, and how many are left out. */
static void write_hints(const struct advice_hints *hints, size_t max, const char *prefix, FILE *out)
{
	for (size_t i = 0; i < hints->list.n && i < max; i++) {
		fputs(prefix, out);
		base_text_write_message(out, hints->list.data[i].text);
		fputc('\n', out);
	}
	if (hints->list.n > max)
		fprintf(out, "%sand %zu more, which the statistics list\n", prefix,
			hints->list.n - max);
}

void out_quality_write_hints(const struct advice_hints *hints, FILE *out)
{
	if (!hints->list.n)
		return;
	fputs("Hints\n", out);
	write_hints(hints, SIZE_MAX, "  ", out);
}

void out_quality_write(
	const struct profile *profile, const struct advice_quality *quality, FILE *out)
{
	out_quality_write_stacks(profile, quality, out);
	if (quality->has_names)
		write_unnamed(profile, &quality->unnamed, out);
	write_filtered(&profile->stats, out);
	write_losses(&profile->stats, "", out);
	write_periods(profile, "", out);
	write_missing(profile, quality, "Not found: ", out);
	out_quality_write_hints(&quality->hints, out);
}

static void warn_ends(const struct advice_unwind_stats *stats, const char *prefix, FILE *out)
{
	for (size_t end = 0; end < PD_N_UNWIND_ENDS; end++) {
		double part = share(stats->ends[end].samples, stats->walked.samples);

		if (!is_bad(end) || part < worth_reporting)
			continue;
		fprintf(out, "%s%.1f %% of the stacks are not complete: %s\n", prefix, 100 * part,
			pd_unwind_end_text(end));
	}
}

void out_quality_warn(const struct profile *profile, const struct advice_quality *quality,
	const char *prefix, FILE *out)
{
	write_losses(&profile->stats, prefix, out);
	write_periods(profile, prefix, out);
	if (prof_is_counted(profile) && !profile->stats.n_samples)
		fprintf(out,
			"%sthe recording has counters of perf stat record, which the report "
			"shows, and no samples\n",
			prefix);
	warn_ends(&quality->unwinds.all, prefix, out);
	write_missing(profile, quality, prefix, out);
	write_hints(&quality->hints, MAX_WARNED_HINTS, prefix, out);
}

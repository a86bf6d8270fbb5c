#include "output/quality.h"

#include <inttypes.h>
#include <stdlib.h>

#include "output/text.h"

/* Below this share of samples a flaw is not worth a line of its own. */
static const double worth_telling = 0.01;

/* So many binaries that were not found are told by name. */
enum { MAX_MISSING = 5 };

static const char *const skip_texts[PROF_N_SKIPS] = {
	[PROF_SKIP_DAMAGED] = "damaged",
	[PROF_SKIP_UNKNOWN_EVENT] = "of an event that the recording does not describe",
	[PROF_SKIP_NOTHING_COUNTED] = "no counter of their group had moved",
};

static double share(uint64_t part, uint64_t whole)
{
	return whole ? (double)part / (double)whole : 0;
}

static void write_losses(const struct prof_stats *stats, const char *prefix, FILE *out)
{
	for (size_t i = 0; i < PROF_N_SKIPS; i++) {
		if (stats->skipped[i])
			fprintf(out, "%s%" PRIu64 " samples are left out: %s\n", prefix,
				stats->skipped[i], skip_texts[i]);
	}
	if (stats->n_lost_records || stats->n_lost_samples)
		fprintf(out,
			"%sthe recorder lost %" PRIu64 " records and %" PRIu64
			" samples; record with a larger buffer (-m) or less often (-F)\n",
			prefix, stats->n_lost_records, stats->n_lost_samples);
	if (stats->n_throttled)
		fprintf(out, "%ssampling was throttled %" PRIu64 " times; record less often (-F)\n",
			prefix, stats->n_throttled);
	if (stats->n_late_records)
		fprintf(out, "%s%" PRIu64 " records came out of order\n", prefix,
			stats->n_late_records);
	if (stats->n_unknown_records)
		fprintf(out, "%s%" PRIu64 " records are of unknown types\n", prefix,
			stats->n_unknown_records);
}

static void write_end(const struct prof_stats *stats, enum unw_end end, FILE *out)
{
	uint64_t walked = stats->sources[PROF_STACK_UNWOUND];
	uint64_t n = stats->ends[end].samples;

	if (!n && end != UNW_END_ROOT)
		return;
	fprintf(out, "  %6.2f %%  %s", 100 * share(n, walked), unw_end_text(end));
	if (share(n, walked) >= worth_telling && unw_end_advice(end)[0])
		fprintf(out, " (%s)", unw_end_advice(end));
	fputc('\n', out);
}

static uint64_t ended_badly(const struct prof_binary *binary)
{
	uint64_t n = 0;

	for (size_t end = 0; end < UNW_N_ENDS; end++)
		n += end == UNW_END_ROOT || end == UNW_END_STACK_SHORT ? 0 : binary->ends[end];
	return n;
}

static void write_bad_binaries(const struct profile *profile, FILE *out)
{
	uint64_t walked = profile->stats.sources[PROF_STACK_UNWOUND];

	for (size_t i = 0; i < profile->binaries.n; i++) {
		const struct prof_binary *binary = &profile->binaries.data[i];
		uint64_t n = ended_badly(binary);

		if (share(n, walked) < worth_telling)
			continue;
		fprintf(out, "  %6.2f %%  end badly in ", 100 * share(n, walked));
		out_text(out, profile_string(profile, binary->name));
		fputc('\n', out);
	}
}

static void write_stacks(const struct profile *profile, FILE *out)
{
	const struct prof_stats *stats = &profile->stats;
	uint64_t walked = stats->sources[PROF_STACK_UNWOUND];

	if (walked) {
		fprintf(out, "Stacks unwound from captured bytes: %" PRIu64 "\n", walked);
		for (size_t end = 0; end < UNW_N_ENDS; end++)
			write_end(stats, end, out);
		write_bad_binaries(profile, out);
		if (stats->n_fp_frames)
			fprintf(out,
				"  %6.2f %%  of frames were found through frame pointers only\n",
				100 * share(stats->n_fp_frames, stats->n_frames));
	}
	if (stats->sources[PROF_STACK_RECORDED])
		fprintf(out, "Stacks recorded by the kernel: %" PRIu64 "\n",
			stats->sources[PROF_STACK_RECORDED]);
	if (stats->sources[PROF_STACK_BRANCHES])
		fprintf(out, "Stacks from branch records of the processor: %" PRIu64 "\n",
			stats->sources[PROF_STACK_BRANCHES]);
	if (stats->sources[PROF_STACK_NONE])
		fprintf(out, "Samples without a user stack: %" PRIu64 "\n",
			stats->sources[PROF_STACK_NONE]);
}

/* Binaries that were not found, the first few by name. */
static void write_missing(const struct profile *profile, const char *prefix, FILE *out)
{
	size_t n = 0;

	for (size_t i = 0; i < profile->binaries.n; i++) {
		const char *why = profile_string(profile, profile->binaries.data[i].why);

		if (!why[0] || n++ >= MAX_MISSING)
			continue;
		fputs(prefix, out);
		out_text(out, why);
		fputc('\n', out);
	}
	if (n > MAX_MISSING)
		fprintf(out, "%sand %zu binaries more\n", prefix, n - MAX_MISSING);
}

void out_quality_write(const struct profile *profile, FILE *out)
{
	write_stacks(profile, out);
	write_losses(&profile->stats, "", out);
	write_missing(profile, "Not found: ", out);
}

void out_quality_warn(const struct profile *profile, const char *prefix, FILE *out)
{
	const struct prof_stats *stats = &profile->stats;
	uint64_t walked = stats->sources[PROF_STACK_UNWOUND];

	write_losses(stats, prefix, out);
	for (size_t end = 0; end < UNW_N_ENDS; end++) {
		uint64_t n = stats->ends[end].samples;

		if (end == UNW_END_ROOT || share(n, walked) < worth_telling)
			continue;
		fprintf(out, "%s%.1f %% of the stacks are not complete: %s", prefix,
			100 * share(n, walked), unw_end_text(end));
		fprintf(out, unw_end_advice(end)[0] ? " (%s)\n" : "\n", unw_end_advice(end));
	}
	write_missing(profile, prefix, out);
}

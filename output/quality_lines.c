#include "output/quality_lines.h"

#include <inttypes.h>

#include "base/array.h"
#include "base/integer.h"
#include "base/memstream.h"
#include "base/plural.h"
#include "base/text.h"

/* "98.2 % of 1234 reach the root; 1.5 % are cut at 8 KiB; 0.3 % end early" */
static void write_stacks(
	const struct profile *profile, const struct advice_quality *quality, FILE *out)
{
	const struct advice_unwind_stats *unwound = &quality->unwinds.all;
	const struct advice_chains *chains = &quality->lacks.chains;
	uint64_t n = advice_quality_n_stacks(quality);
	uint64_t n_short = unwound->ends[PD_UNWIND_END_STACK_SHORT].samples;
	uint64_t n_doubtful = unwound->ends[PD_UNWIND_END_ROOT_DOUBTFUL].samples;
	uint64_t n_limit = unwound->ends[PD_UNWIND_END_LIMIT].samples;
	uint64_t n_early = advice_unwind_stats_not_rooted(unwound) - n_short - n_doubtful -
			   n_limit + chains->n_walked;
	uint64_t n_unlinked =
		chains->n_cut - chains->n_full - chains->n_switched - chains->n_walked;

	if (!profile->stats.n_samples) {
		fputs("no samples were recorded", out);
		return;
	}
	if (!n) {
		fputs("no call stacks of programs were recorded: record with call graph dwarf to have them",
			out);
		return;
	}
	fprintf(out, "%.1f %% of %" PRIu64 " reach the root",
		base_percent(advice_quality_n_rooted(quality), n), n);
	if (n_short)
		fprintf(out, "; %.1f %% are cut at %g KiB", base_percent(n_short, n),
			advice_quality_captured_bytes(profile) / 1024.0);
	if (n_limit)
		fprintf(out, "; %.1f %% are cut at the frame limit", base_percent(n_limit, n));
	if (n_doubtful)
		fprintf(out, "; %.1f %% may lack a caller", base_percent(n_doubtful, n));
	if (n_early)
		fprintf(out, "; %.1f %% end early", base_percent(n_early, n));
	if (chains->n_full)
		fprintf(out, "; %.1f %% are cut at the kernel's limit of frames",
			base_percent(chains->n_full, n));
	if (chains->n_switched)
		fprintf(out, "; %.1f %% end where Go switches stacks",
			base_percent(chains->n_switched, n));
	if (n_unlinked)
		fprintf(out, "; %.1f %% look cut for lack of frame pointers",
			base_percent(n_unlinked, n));
}

/* "99.1 % of frames are named; 3 binaries are without symbols" */
static void write_names(
	const struct profile *profile, const struct advice_quality *quality, FILE *out)
{
	const struct advice_unnamed *unnamed = &quality->unnamed;
	const struct prof_stats *stats = &profile->stats;

	if (!quality->has_names) {
		fputs("not looked up", out);
		return;
	}
	if (!unnamed->n_frames) {
		fputs("no frames", out);
		return;
	}
	fprintf(out, "%.1f %% of frames are named",
		100 - base_percent(advice_unnamed_sum(unnamed), unnamed->n_frames));
	if (unnamed->n[ADVICE_UNNAMED_NO_MAPPING])
		fprintf(out, "; %.1f %% are in no mapping",
			base_percent(unnamed->n[ADVICE_UNNAMED_NO_MAPPING], unnamed->n_frames));
	if (unnamed->n_bare_binaries)
		fprintf(out, "; %zu %s without symbols", unnamed->n_bare_binaries,
			unnamed->n_bare_binaries == 1 ? "binary is" : "binaries are");
	/* A map of generated code does not say when; a jitdump does. */
	if (stats->n_reused)
		fprintf(out,
			"; %.1f %% of the addresses in generated code were used again, and samples "
			"may have the later name",
			base_percent(stats->n_reused, stats->n_generated));
}

/* "512 bytes of damage passed over; 3 samples after damage; 2 records out of order", or nothing. */
static void write_losses(const struct prof_stats *stats, FILE *out)
{
	const struct {
		uint64_t n;
		const char *noun;
		const char *what;
	} losses[] = {
		{ stats->gap_bytes, "byte", "of damage passed over" },
		{ stats->n_after_gaps, "sample", "after damage" },
		{ stats->n_lost_records, "record", "lost by the recorder" },
		{ stats->n_lost_samples, "sample", "lost by the recorder" },
		{ stats->skipped[PROF_SKIP_DAMAGED], "sample", prof_skip_text(PROF_SKIP_DAMAGED) },
		{ stats->skipped[PROF_SKIP_UNKNOWN_EVENT], "sample",
			prof_skip_text(PROF_SKIP_UNKNOWN_EVENT) },
		{ stats->n_throttled, "time", "throttled" },
		{ stats->n_late_records, "record", "out of order" },
		{ stats->n_unknown_records, "record", "of unknown types" },
	};
	const char *separator = "";

	for (size_t i = 0; i < PD_ARRAY_LEN(losses); i++) {
		if (!losses[i].n)
			continue;
		fprintf(out, "%s%" PRIu64 " %s%s %s", separator, losses[i].n, losses[i].noun,
			base_plural(losses[i].n), losses[i].what);
		separator = "; ";
	}
}

/* "12 samples by pid; 3 samples by time", or nothing. */
static void write_filtered(const struct prof_stats *stats, FILE *out)
{
	const char *separator = "";

	for (size_t i = 0; i < PROF_N_FILTERS; i++) {
		if (!stats->filtered[i])
			continue;
		fprintf(out, "%s%" PRIu64 " sample%s by %s", separator, stats->filtered[i],
			base_plural(stats->filtered[i]),
			prof_filter_name((enum prof_filter_kind)i));
		separator = "; ";
	}
}

static void write_samples(
	const struct profile *profile, const struct prof_event *event, uint64_t n, FILE *out)
{
	fprintf(out, "%" PRIu64 " sample%s of ", n, base_plural(n));
	base_text_write_message(out, prof_string(profile, event->name));
}

static void write_invalid(const struct profile *profile, const struct prof_event *event, FILE *out)
{
	const struct prof_odd_periods *odd = &event->odd;

	write_samples(profile, event, odd->n_invalid, out);
	if (odd->n_invalid == 1)
		fprintf(out, " has the impossible period %" PRIu64 ", which counts as 0",
			odd->invalid);
	else
		fprintf(out, " have impossible periods, the first %" PRIu64 ", which count as 0",
			odd->invalid);
}

static void write_huge(const struct profile *profile, const struct prof_event *event, FILE *out)
{
	const struct prof_value *huge = &event->odd.huge;

	write_samples(profile, event, huge->samples, out);
	if (huge->samples == 1)
		fprintf(out, " has a period far above the others, %" PRIu64, event->odd.largest);
	else
		fprintf(out, " have periods far above the others, up to %" PRIu64,
			event->odd.largest);
	/* Filters may have left them out. */
	if (huge->period <= event->total.period)
		fprintf(out, ": %.1f %% of the event",
			base_percent(huge->period, event->total.period));
}

static void write_lacking(const struct profile *profile, const struct prof_event *event, FILE *out)
{
	fputs("those of ", out);
	base_text_write_message(out, prof_string(profile, event->name));
	fputs(" were not recorded: each sample counts as 1", out);
}

void out_quality_write_periods(const struct profile *profile, FILE *out)
{
	const char *separator = "";

	for (size_t i = 0; i < profile->events.n; i++) {
		const struct prof_event *event = &profile->events.data[i];
		const struct {
			bool is_true;
			void (*write)(const struct profile *, const struct prof_event *, FILE *);
		} faults[] = {
			{ event->odd.n_invalid, write_invalid },
			{ event->odd.huge.samples, write_huge },
			{ event->lacks_periods && event->total.samples, write_lacking },
		};

		for (size_t k = 0; k < PD_ARRAY_LEN(faults); k++) {
			if (!faults[k].is_true)
				continue;
			fputs(separator, out);
			faults[k].write(profile, event, out);
			separator = "; ";
		}
	}
}

const char *out_quality_line_name(enum out_quality_line line)
{
	static const char *const names[OUT_N_QUALITY_LINES] = {
		[OUT_QUALITY_STACKS] = "stacks",
		[OUT_QUALITY_NAMES] = "names",
		[OUT_QUALITY_PERIODS] = "periods",
		[OUT_QUALITY_LOSSES] = "losses",
		[OUT_QUALITY_FILTERED] = "excluded",
	};

	return names[line];
}

char *out_quality_line(const struct profile *profile, const struct advice_quality *quality,
	enum out_quality_line line)
{
	char *text = NULL;
	size_t len;
	FILE *out = base_memstream_open(&text, &len);

	if (!out)
		return NULL;
	switch (line) {
	case OUT_QUALITY_STACKS:
		write_stacks(profile, quality, out);
		break;
	case OUT_QUALITY_NAMES:
		write_names(profile, quality, out);
		break;
	case OUT_QUALITY_PERIODS:
		out_quality_write_periods(profile, out);
		break;
	case OUT_QUALITY_LOSSES:
		write_losses(&profile->stats, out);
		break;
	default:
		write_filtered(&profile->stats, out);
		break;
	}
	return base_memstream_close(out, &text) ? text : NULL;
}

#include "resolve/facts/periods.h"

enum {
	/** A period this many powers of two above the median is far above the others. */
	FAR_BITS = 12,
	/** Number of samples from which the median is known. */
	MIN_SAMPLES = 20,
	/** Largest share of the samples that can be exceptions, in percent. */
	MAX_PERCENT = 5,
	/** Share of the event's sum from which they matter, in percent. */
	MIN_PERCENT = 10,
	/**
	 * Periods below this power of two occur: a sampling frequency of 1 Hz, and counters that
	 * began with a short period.
	 */
	MIN_BITS = 31,
};

/* No counter of a CPU advances faster than this in a second, nor does a clock. */
static const double max_rate = 1e11;
static const double ns_of_second = 1e9;

void resolve_periods_deinit(struct resolve_periods *periods)
{
	pd_vec_deinit(&periods->events);
}

bool resolve_periods_add_event(struct resolve_periods *periods, struct prof_event_id id)
{
	while (periods->events.n <= id.i) {
		if (!pd_vec_push(&periods->events, (struct resolve_event_periods){ 0 }))
			return false;
	}
	return true;
}

void resolve_periods_refuse(
	struct resolve_periods *periods, struct prof_event_id id, uint64_t period)
{
	struct resolve_event_periods *event = &periods->events.data[id.i];

	if (!event->n_invalid++)
		event->invalid = period;
}

/* Sum of the samples whose periods have the highest bit @p from or a higher one. */
static struct prof_value sum_from(const struct resolve_event_periods *event, unsigned from)
{
	struct prof_value sum = { 0 };

	for (unsigned i = from; i < RESOLVE_N_PERIOD_SIZES; i++) {
		sum.samples += event->by_size[i].samples;
		sum.period += event->by_size[i].period;
	}
	return sum;
}

/* Highest bit of the median period. */
static unsigned median_bits(const struct resolve_event_periods *event, uint64_t n_samples)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < RESOLVE_N_PERIOD_SIZES; i++) {
		n += event->by_size[i].samples;
		if (2 * n >= n_samples)
			return i;
	}
	return RESOLVE_N_PERIOD_SIZES - 1;
}

/* Smallest power of two that no counter can have reached in @p ns. */
static unsigned impossible_bits(uint64_t ns)
{
	unsigned bits = MIN_BITS;

	while (bits < RESOLVE_N_PERIOD_SIZES &&
		(double)((uint64_t)1 << bits) < (double)ns / ns_of_second * max_rate)
		bits++;
	return bits;
}

static unsigned largest_of(unsigned a, unsigned b)
{
	return a > b ? a : b;
}

/* Find the periods that are far above the others of the event, or impossible in @p ns. */
static struct prof_value find_huge(const struct resolve_event_periods *event, uint64_t ns)
{
	const struct prof_value none = { 0 };
	struct prof_value all = sum_from(event, 0);
	struct prof_value huge = none;

	if (ns)
		huge = sum_from(event, impossible_bits(ns));
	if (huge.samples || all.samples < MIN_SAMPLES)
		return huge;
	huge = sum_from(event, largest_of(MIN_BITS, median_bits(event, all.samples) + FAR_BITS));
	bool is_rare = huge.samples * 100 <= all.samples * MAX_PERCENT;
	return is_rare && huge.period / MIN_PERCENT >= all.period / 100 ? huge : none;
}

/* Periods of tracepoints and of BPF programs may be anything, such as the length of a wait. */
static bool has_counter(const struct prof_event *event)
{
	return event->kind != PROF_EVENT_TRACEPOINT && !event->is_bpf_output;
}

void resolve_periods_finish(const struct resolve_periods *periods, struct profile *profile)
{
	const struct prof_stats *stats = &profile->stats;

	profile->stats.period_sum = periods->sum;
	for (size_t i = 0; i < periods->events.n && i < profile->events.n; i++) {
		const struct resolve_event_periods *from = &periods->events.data[i];
		struct prof_event *event = &profile->events.data[i];

		event->odd.n_invalid = from->n_invalid;
		event->odd.invalid = from->invalid;
		if (!has_counter(event))
			continue;
		event->odd.huge = find_huge(from, stats->last_ns - stats->first_ns);
		event->odd.largest = event->odd.huge.samples ? from->largest : 0;
	}
}

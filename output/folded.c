/*
 * The folded format: sorted lines "comm;root;...;leaf WEIGHT", as stackcollapse-perf.pl writes them
 * from the output of perf script.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/waits/wakers.h"
#include "base/array.h"
#include "base/cleanup.h"
#include "base/system/libc.h"
#include "output/folded_names.h"
#include "output/formats.h"
#include "output/ledger_text.h"
#include "profile/ahead.h"

struct weight {
	/** Samples or sum of periods, indexed by side. */
	uint64_t of[ANA_N_SIDES];
	/**
	 * Event of the stack. Stacks of different events differ, because they begin with its name.
	 */
	struct prof_event_id event;
};

struct folder {
	const struct profile *profile;
	const struct out_write_opts *opts;
	/** Sides of a comparison; NULL if nothing is compared. */
	const struct ana_sides *sides;
	/** More than one event is written, so each line begins with the event's name. */
	bool names_events;
	struct folded_names names;
	/**
	 * Stacks: arrays of text ids, leaf first, followed by those of the thread and the event.
	 */
	struct base_intern stacks;
	/** Indexed by stack. */
	PD_VEC(struct weight) weights;
	/** Whether the event is written, by event. */
	bool *is_shown;
	/** Factors for the weights before the change, by event. Only set if they are scaled. */
	double *scales;
	/** The stack that is being built. */
	PD_VEC(uint32_t) path;
};

/* Choose the events to write. Returns false if memory ran out. */
static bool choose_events(struct folder *f)
{
	size_t n = 0;

	f->is_shown = base_calloc_n(f->profile->events.n, sizeof(*f->is_shown));
	if (!f->is_shown)
		return false;
	out_find_shown(f->profile, f->opts, f->is_shown);
	for (size_t i = 0; i < f->profile->events.n; i++)
		n += f->is_shown[i];
	f->names_events = n > 1;
	return true;
}

static bool push(struct folder *f, uint32_t name)
{
	return name != PD_INTERN_NONE && pd_vec_push(&f->path, name);
}

static bool push_frames(struct folder *f, struct prof_stack_id stack)
{
	struct folded_frame frame = { 0 };
	uint32_t n;
	const struct prof_frame_id *frames = prof_stack(f->profile, stack, &n);

	for (uint32_t i = 0; i < n && !frame.is_last; i++) {
		if (!folded_names_frame(&f->names, frames[i], &frame))
			return false;
		for (uint32_t k = 0; k < frame.n; k++) {
			if (!push(f, f->names.spelled.data[frame.first + k]))
				return false;
		}
	}
	if (!n || frame.is_last || !folded_names_lost_callers(&f->names, frames[n - 1]))
		return true;
	return push(f, folded_names_mark(&f->names, FOLDED_CALLERS_LOST));
}

/* Without a comparison all samples are on one side. */
static enum ana_side side_of(const struct folder *f, const struct prof_sample *sample)
{
	return f->sides ? ana_side_of(f->sides, ana_recording_of(f->sides, sample->tags))
			: ANA_BEFORE;
}

/* Count the path for @p sample, whose thread and event are added to it. */
static bool add_path(struct folder *f, const struct prof_sample *sample, uint64_t amount)
{
	if (!push(f, folded_names_thread(&f->names, sample->thread)) ||
		(f->names_events && !push(f, folded_names_event(&f->names, sample->event))))
		return false;
	uint32_t stack =
		base_intern_add(&f->stacks, f->path.data, f->path.n * sizeof(*f->path.data));
	if (stack == PD_INTERN_NONE)
		return false;
	const struct weight none = { .event = sample->event };
	if (stack == f->weights.n && !pd_vec_push(&f->weights, none))
		return false;
	f->weights.data[stack].of[side_of(f, sample)] += amount;
	return true;
}

static bool add_sample(struct folder *f, struct prof_sample_id id)
{
	const struct prof_sample *sample = prof_sample(f->profile, id);
	const struct prof_value *value = prof_value(f->profile, id);

	f->path.n = 0;
	return push_frames(f, sample->stack) &&
	       add_path(f, sample,
		       f->opts->format.folded.counts_samples ? value->samples : value->period);
}

/* Push the stack of the waker with its root first, below the leaf of the sleeper. */
static bool push_waker(struct folder *f, const struct prof_wait *wait)
{
	const struct prof_sample *waker;

	if (wait->woken_by == PROF_WOKEN_BY_INTERRUPT)
		return push(f, folded_names_mark(&f->names,
				       out_ledger_interrupt(f->profile, wait->interrupt)));
	if (wait->woken_by == PROF_WOKEN_UNKNOWN)
		return push(f, folded_names_mark(&f->names, OUT_LEDGER_NOT_RECORDED));
	waker = prof_sample(f->profile, wait->waker);
	if (!push(f, folded_names_thread(&f->names, waker->thread)))
		return false;
	size_t first = f->path.n;
	if (!push_frames(f, waker->stack))
		return false;
	for (size_t i = first, k = f->path.n; i + 1 < k; i++) {
		uint32_t name = f->path.data[--k];

		f->path.data[k] = f->path.data[i];
		f->path.data[i] = name;
	}
	return true;
}

/* Add a wait as "sleeper;root;...;leaf;--;leaf;...;root;waker". */
static bool add_wait(struct folder *f, const struct prof_wait *wait)
{
	const struct prof_sample *sample = prof_sample(f->profile, wait->sample);

	f->path.n = 0;
	return push_waker(f, wait) && push(f, folded_names_mark(&f->names, "--")) &&
	       push_frames(f, sample->stack) &&
	       add_path(
		       f, sample, f->opts->format.folded.counts_samples ? wait->n : wait->total_ns);
}

static bool add_waits(struct folder *f)
{
	for (size_t i = 0; i < f->profile->waits.n; i++) {
		const struct prof_wait *wait = &f->profile->waits.data[i];

		if (ana_is_ended_by_waker(wait) && !add_wait(f, wait))
			return false;
	}
	return true;
}

static bool add_samples(struct folder *f)
{
	for (struct prof_sample_id id = { 0 }; id.i < f->profile->samples.n; id.i++) {
		struct prof_event_id event = prof_sample(f->profile, id)->event;

		prof_load_stacks_after(f->profile, id);
		if (f->is_shown[event.i] && !add_sample(f, id))
			return false;
	}
	return true;
}

/*
 * Compare two names as the bytes of their lines compare: in a line a name is followed by ';' unless
 * it is the last one. Comparing names alone would order "a;b" and "a-x" differently from `sort`.
 */
static int compare_names(const struct folder *f, uint32_t a, bool a_last, uint32_t b, bool b_last)
{
	const struct base_intern *texts = &f->names.texts;
	const char *x = base_intern_bytes(texts, a);
	const char *y = base_intern_bytes(texts, b);
	size_t x_len = base_intern_len(texts, a);
	size_t y_len = base_intern_len(texts, b);
	size_t common = x_len < y_len ? x_len : y_len;
	int order = memcmp(x, y, common);

	if (order)
		return order;
	unsigned char x_next = x_len > common ? (unsigned char)x[common] : a_last ? 0 : ';';
	unsigned char y_next = y_len > common ? (unsigned char)y[common] : b_last ? 0 : ';';
	return x_next < y_next ? -1 : x_next > y_next;
}

static int compare_stacks(const void *a, const void *b, void *ctx)
{
	const struct folder *f = ctx;
	uint32_t ids[2] = { *(const uint32_t *)a, *(const uint32_t *)b };
	const uint32_t *x = base_intern_bytes(&f->stacks, ids[0]);
	const uint32_t *y = base_intern_bytes(&f->stacks, ids[1]);
	size_t i = base_intern_len(&f->stacks, ids[0]) / sizeof(*x);
	size_t k = base_intern_len(&f->stacks, ids[1]) / sizeof(*y);

	/* Lines begin with the root, which is at the end of the array. */
	while (i && k && x[i - 1] == y[k - 1]) {
		i--;
		k--;
	}
	if (!i || !k)
		return i ? 1 : k ? -1 : 0;
	return compare_names(f, x[i - 1], i == 1, y[k - 1], k == 1);
}

/*
 * Find the factors that give both sides of each event the same total weight: 1 if one side has no
 * weight. Returns false if out of memory.
 */
static bool find_scales(struct folder *f)
{
	size_t n = f->profile->events.n;
	_cleanup_free_ struct weight *totals = base_calloc_n(n, sizeof(*totals));

	f->scales = base_calloc_n(n, sizeof(*f->scales));
	if (!totals || !f->scales)
		return false;
	for (size_t i = 0; i < f->weights.n; i++) {
		const struct weight *weight = &f->weights.data[i];

		totals[weight->event.i].of[ANA_BEFORE] += weight->of[ANA_BEFORE];
		totals[weight->event.i].of[ANA_AFTER] += weight->of[ANA_AFTER];
	}
	for (size_t i = 0; i < n; i++) {
		double before = (double)totals[i].of[ANA_BEFORE];
		double after = (double)totals[i].of[ANA_AFTER];

		f->scales[i] = before > 0 && after > 0 ? after / before : 1;
	}
	return true;
}

/* Write the weight; in a comparison the weights of both sides, as difffolded.pl does. */
static void write_weight(const struct folder *f, const struct weight *weight, FILE *out)
{
	uint64_t before = weight->of[0];

	if (!f->sides) {
		fprintf(out, "%" PRIu64 "\n", before);
		return;
	}
	if (f->opts->normalizes)
		before = (uint64_t)llround((double)before * f->scales[weight->event.i]);
	fprintf(out, "%" PRIu64 " %" PRIu64 "\n", before, weight->of[1]);
}

static void write_line(const struct folder *f, uint32_t stack, FILE *out)
{
	const struct base_intern *texts = &f->names.texts;
	const uint32_t *path = base_intern_bytes(&f->stacks, stack);

	for (size_t i = base_intern_len(&f->stacks, stack) / sizeof(*path); i-- > 0;) {
		fwrite(base_intern_bytes(texts, path[i]), 1, base_intern_len(texts, path[i]), out);
		putc_unlocked(i ? ';' : ' ', out);
	}
	write_weight(f, &f->weights.data[stack], out);
}

static struct pd_error *write_sorted(struct folder *f, FILE *out)
{
	uint32_t *order = base_calloc_n(f->stacks.n, sizeof(*order));

	if (!order)
		return &pd_enomem;
	for (uint32_t i = 0; i < f->stacks.n; i++)
		order[i] = i;
	base_sort_with(order, f->stacks.n, sizeof(*order), compare_stacks, f);
	for (uint32_t i = 0; i < f->stacks.n && !ferror_unlocked(out); i++)
		write_line(f, order[i], out);
	free(order);
	return NULL;
}

static struct pd_error *write_diff(const struct profile *profile, const struct out_write_opts *opts,
	const struct ana_sides *sides, FILE *out)
{
	struct folder f = {
		.profile = profile,
		.opts = opts,
		.sides = sides,
	};
	struct pd_error *err = &pd_enomem;
	bool is_of_waits = opts->format.folded.wakers;

	if (is_of_waits && !ana_has_wakers(profile))
		return pd_error_create(PD_ERROR_USAGE, NULL,
			"the recording has no wakeups of threads that wait: it lacks "
			"sched:sched_switch or sched:sched_waking");
	if (folded_names_init(&f.names, profile, opts) && choose_events(&f) &&
		(is_of_waits ? add_waits(&f) : add_samples(&f)) &&
		(!sides || !opts->normalizes || find_scales(&f)))
		err = write_sorted(&f, out);
	folded_names_deinit(&f.names);
	base_intern_deinit(&f.stacks);
	pd_vec_deinit(&f.weights);
	free(f.scales);
	free(f.is_shown);
	pd_vec_deinit(&f.path);
	return err;
}

/* Waits are of no event. */
static void find_shown(
	const struct profile *profile, const struct out_write_opts *opts, bool *shown_ret)
{
	out_find_shown(profile, opts, shown_ret);
	for (size_t i = 0; opts->format.folded.wakers && i < profile->events.n; i++)
		shown_ret[i] = true;
}

static struct pd_error *prepare(const struct out_write_opts *opts, struct prof_request *request)
{
	request->waits |= opts->format.folded.wakers;
	return NULL;
}

static struct pd_error *write_folded(
	const struct profile *profile, const struct out_write_opts *opts, FILE *out)
{
	return write_diff(profile, opts, NULL, out);
}

const struct out_format out_format_folded = {
	.name = "folded",
	.suffix = ".folded",
	.find_shown = find_shown,
	.help = "one line per stack with its weight, for flamegraph.pl",
	.prepare = prepare,
	.write = write_folded,
	.write_diff = write_diff,
};

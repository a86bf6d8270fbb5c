/**
 * @file Profiles whose amounts are known: functions f0, f1, ... that main calls, sampled in several
 * recordings.
 */
#ifndef PD_TESTS_UNIT_ANALYZE_SYNTHETIC_H
#define PD_TESTS_UNIT_ANALYZE_SYNTHETIC_H

#include "tests/unit/test.h"

#include <math.h>

#include "analyze/comparison/sides.h"
#include "analyze/symbols.h"
#include "profile/profile.h"

enum { SYNTHETIC_MAX_RECORDINGS = 16, SYNTHETIC_PERIOD = 1000000 };

struct synthetic {
	struct profile *profile;
	struct ana_symbols symbols;
	struct ana_sides sides;
	struct prof_stack_id stacks[64];
	struct prof_tags tags[SYNTHETIC_MAX_RECORDINGS];
	struct prof_thread_id thread;
	uint64_t random;
};

static inline double synthetic_uniform(struct synthetic *s)
{
	s->random ^= s->random << 13;
	s->random ^= s->random >> 7;
	s->random ^= s->random << 17;
	return ((double)(s->random >> 11) + 0.5) / 9007199254740992.0;
}

static inline double synthetic_normal(struct synthetic *s)
{
	return sqrt(-2 * log(synthetic_uniform(s))) * cos(2 * M_PI * synthetic_uniform(s));
}

/* Add a frame with a new function. */
static inline struct prof_frame_id synthetic_frame(
	struct synthetic *s, struct prof_binary_id binary, const char *name)
{
	const struct prof_frame frame = { .addr = 0x1000 + s->profile->frames.n, .binary = binary };
	const struct prof_function function = { .name = prof_add_string(s->profile, name),
		.binary = binary };
	const struct prof_line line = { prof_add_function(s->profile, &function), 0, 0 };
	const struct prof_lines lines = { (uint32_t)s->profile->lines.n, 1 };

	assert_true(pd_vec_push(&s->profile->lines, line));
	assert_true(pd_vec_push(&s->profile->frame_lines, lines));
	return prof_add_frame(s->profile, &frame);
}

/* Begin a profile of @p n functions, and of recordings before and after a change. */
static inline void synthetic_init(
	struct synthetic *s, size_t n, size_t n_before, size_t n_after, uint64_t seed)
{
	struct prof_string_id labels[SYNTHETIC_MAX_RECORDINGS];
	char name[32];

	*s = (struct synthetic){ .random = seed * 0x9e3779b97f4a7c15u | 1 };
	assert_ok(prof_create(&s->profile));
	const struct prof_binary binary = { .name = prof_add_string(s->profile, "/bin/app") };
	struct prof_binary_id app = prof_add_binary(s->profile, &binary);
	struct prof_frame_id main_frame = synthetic_frame(s, app, "main");
	prof_add_event(s->profile, &(struct prof_event){ 0 });
	s->thread = prof_add_thread(s->profile, &(struct prof_thread){ 1, 1, { 0 } });
	for (size_t i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "f%zu", i);
		const struct prof_frame_id frames[] = { synthetic_frame(s, app, name), main_frame };
		s->stacks[i] = prof_add_stack(s->profile, frames, 2);
	}
	for (size_t r = 0; r < n_before + n_after; r++) {
		snprintf(name, sizeof(name), "r%zu", r);
		labels[r] = prof_add_string(s->profile, name);
		s->tags[r] = (struct prof_tags){
			.cpu = PROF_NONE, .input = labels[r], .labels = prof_no_labels()
		};
		prof_add_tags(s->profile, &s->tags[r]);
	}
	assert_ok(ana_symbols_create(s->profile, &s->symbols));
	assert_ok(ana_sides_create(s->profile, labels, n_before, n_after, &s->sides));
}

static inline void synthetic_deinit(struct synthetic *s)
{
	ana_sides_deinit(&s->sides);
	ana_symbols_deinit(&s->symbols);
	prof_destroy(s->profile);
}

/* Add a sample of function @p i at a time in ms. */
static inline void synthetic_sample(struct synthetic *s, size_t recording, size_t i, uint64_t time)
{
	const struct prof_value value = { .samples = 1, .period = SYNTHETIC_PERIOD };
	const struct prof_sample sample = {
		.stack = s->stacks[i],
		.thread = s->thread,
		.end = PD_N_UNWIND_ENDS,
		.tags = prof_add_tags(s->profile, &s->tags[recording]),
	};

	assert_ok(prof_add_samples(s->profile, &sample, time * 1000000, &value, NULL));
}

/*
 * Fill a recording with a sample per ms. Function i takes @p ms[i] on average, at random times.
 * @p noise is the standard deviation of each of these between recordings, as a part of it.
 */
static inline void synthetic_fill(
	struct synthetic *s, size_t recording, const double *ms, size_t n, double noise)
{
	double ends[64], sum = 0;

	for (size_t i = 0; i < n; i++)
		ends[i] = sum += ms[i] * fmax(1 + noise * synthetic_normal(s), 0);
	for (uint64_t time = 0; (double)time < sum; time++) {
		double at = synthetic_uniform(s) * sum;
		size_t i = 0;

		while (i + 1 < n && ends[i] <= at)
			i++;
		synthetic_sample(s, recording, i, time);
	}
}

#endif

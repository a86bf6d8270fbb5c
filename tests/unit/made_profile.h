/**
 * @file Profiles made by hand: samples of threads in binaries, one function each.
 */
#ifndef PD_TESTS_UNIT_MADE_PROFILE_H
#define PD_TESTS_UNIT_MADE_PROFILE_H

#include "tests/unit/test.h"

#include "profile/profile.h"

static inline struct prof_event_id made_event(
	struct profile *profile, const char *name, const char *unit)
{
	const struct prof_event event = {
		.name = prof_add_string(profile, name),
		.unit = prof_add_string(profile, unit),
		.is_wanted = true,
		.has_stacks = true,
	};

	return prof_add_event(profile, &event);
}

/** Return the binary of that name, which is added if the profile does not have it. */
static inline struct prof_binary_id made_binary(struct profile *profile, const char *name)
{
	const struct prof_binary binary = { .name = prof_add_string(profile, name) };

	for (uint32_t i = 0; i < profile->binaries.n; i++) {
		if (profile->binaries.data[i].name.i == binary.name.i)
			return (struct prof_binary_id){ i };
	}
	return prof_add_binary(profile, &binary);
}

/** Return a frame of the only function in a binary. */
static inline struct prof_frame_id made_frame(struct profile *profile, const char *binary)
{
	const struct prof_frame frame = { .addr = 1, .binary = made_binary(profile, binary) };
	const struct prof_function function = {
		.name = prof_add_string(profile, "work"),
		.binary = frame.binary,
	};
	const struct prof_line line = { prof_add_function(profile, &function), 0, 0 };
	const struct prof_lines lines = { (uint32_t)profile->lines.n, 1 };
	struct prof_frame_id id = prof_add_frame(profile, &frame);

	if (id.i == profile->frame_lines.n) {
		assert_true(pd_vec_push(&profile->lines, line));
		assert_true(pd_vec_push(&profile->frame_lines, lines));
	}
	return id;
}

/** Add a sample of a thread in a binary. */
static inline void made_sample(struct profile *profile, struct prof_event_id event,
	const struct prof_thread *thread, const char *binary, uint64_t period)
{
	const struct prof_frame_id frame = made_frame(profile, binary);
	const struct prof_sample sample = {
		.stack = prof_add_stack(profile, &frame, 1),
		.thread = prof_add_thread(profile, thread),
		.event = event,
		.end = PD_N_UNWIND_ENDS,
		.tags = prof_no_tags(),
	};

	assert_ok(prof_add_sample(profile, &sample, period, NULL));
	profile->stats.n_samples++;
}

static inline struct prof_thread made_thread(
	struct profile *profile, uint32_t pid, uint32_t tid, const char *comm)
{
	return (struct prof_thread){ pid, tid, prof_add_string(profile, comm) };
}

#endif

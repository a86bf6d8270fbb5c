/* Stacks that are added in groups get the ids that they get one by one. */
#include "profile/ahead.h"
#include "tests/unit/test.h"

enum { N_STACKS = 20000, LONGEST = 5, N_FRAMES = 9 };

struct list {
	struct prof_frame_id frames[PROF_GROUP * LONGEST];
	size_t ends[PROF_GROUP];
	size_t n;
};

/* Append a stack with some length, which may be 0, and with frames that repeat often. */
static void append(struct list *list, uint64_t *random)
{
	size_t at = list->n ? list->ends[list->n - 1] : 0;

	*random = *random * 6364136223846793005U + 1442695040888963407U;
	for (uint64_t n = (*random >> 33) % (LONGEST + 1), bits = *random >> 40; n--;
		bits /= N_FRAMES)
		list->frames[at++].i = (uint32_t)(bits % N_FRAMES);
	list->ends[list->n++] = at;
}

static void check_group(struct profile *grouped, struct profile *single, const struct list *list)
{
	struct prof_stack_id ids[PROF_GROUP];

	assert_true(prof_add_stacks(grouped, list->frames, list->ends, list->n, ids));
	for (size_t i = 0, at = 0; i < list->n; at = list->ends[i++]) {
		uint32_t n;
		struct prof_stack_id id =
			prof_add_stack(single, list->frames + at, list->ends[i] - at);
		const struct prof_frame_id *frames = prof_stack(grouped, ids[i], &n);

		assert_int_equal(ids[i].i, id.i);
		assert_int_equal(n, list->ends[i] - at);
		assert_memory_equal(frames, list->frames + at, n * sizeof(*frames));
	}
	assert_int_equal(grouped->stacks.n, single->stacks.n);
}

static void groups_are_like_single_stacks(void **state)
{
	struct profile *grouped, *single;
	uint64_t random = 1;

	(void)state;
	assert_ok(prof_create(&grouped));
	assert_ok(prof_create(&single));
	for (size_t i = 0; i < N_STACKS;) {
		struct list list = { .n = 0 };

		/* Groups of all sizes. */
		for (size_t size = 1 + i % PROF_GROUP; list.n < size; i++)
			append(&list, &random);
		check_group(grouped, single, &list);
	}
	assert_true(grouped->stacks.n > 5000);
	prof_destroy(grouped);
	prof_destroy(single);
}

/* Ids of stacks with one frame are found by the frame. Frames have ids in any order. */
static void single_frames_are_stacks(void **state)
{
	struct profile *profile;

	(void)state;
	assert_ok(prof_create(&profile));
	for (uint32_t round = 0; round < 2; round++) {
		for (uint32_t i = 0; i < 1000; i++) {
			const struct prof_frame_id frame = { 999 - i };

			assert_int_equal(prof_add_stack(profile, &frame, 1).i, i);
		}
	}
	prof_destroy(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(groups_are_like_single_stacks),
		cmocka_unit_test(single_frames_are_stacks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Evidence of complete stacks about the callers of cut ones. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "base/array.h"
#include "resolve/batch/witness.h"

enum { TID = 7, SHARED = 0x1000, AT_SHARED = 0x70, VIA_A = 0x2000, VIA_B = 0x3000, MAIN = 0x4000 };

static struct resolve_known_frame frame(uint64_t pc, uint64_t sp)
{
	return (struct resolve_known_frame){ .pc = pc, .sp = sp, .is_return = true };
}

static void see(struct resolve_witness *witness, uint32_t tid, uint64_t via, int times)
{
	const struct resolve_known_frame stack[] = { frame(SHARED, AT_SHARED), frame(via, 0x80),
		frame(MAIN, 0x90) };

	for (int i = 0; i < times; i++)
		assert_true(resolve_witness_add(witness, tid, stack, PD_ARRAY_LEN(stack)));
}

static bool may_join(const struct resolve_witness *witness, uint64_t via, bool is_whole)
{
	const struct resolve_known_frame last = frame(SHARED, AT_SHARED);
	const struct resolve_known_frame rest[] = { frame(via, 0x80), frame(MAIN, 0x90) };

	return resolve_witness_agrees(witness, TID, &last, false, rest, is_whole ? 2 : 1, is_whole);
}

/* Nothing contradicts callers of which no complete stack is known, or which all of them have. */
static void test_agreement(void **state)
{
	struct resolve_witness witness = { 0 };

	(void)state;
	assert_true(may_join(&witness, VIA_A, true));
	see(&witness, TID, VIA_A, 3);
	see(&witness, TID + 1, VIA_B, 3);
	assert_true(may_join(&witness, VIA_A, true));
	assert_true(may_join(&witness, VIA_A, false));
	assert_false(may_join(&witness, VIA_B, true));
	resolve_witness_deinit(&witness);
}

/* Callers that change quickly are not known in between. */
static void test_changes(void **state)
{
	struct resolve_witness witness = { 0 };

	(void)state;
	see(&witness, TID, VIA_A, 1);
	see(&witness, TID, VIA_B, 1);
	assert_false(may_join(&witness, VIA_A, true));
	assert_false(may_join(&witness, VIA_B, true));
	assert_false(may_join(&witness, VIA_B, false));
	see(&witness, TID, VIA_B, 2);
	/* One change in four: two long phases. */
	assert_true(may_join(&witness, VIA_A, true));
	assert_true(may_join(&witness, VIA_B, true));
	see(&witness, TID, VIA_A, 1);
	assert_false(may_join(&witness, VIA_B, true));
	resolve_witness_deinit(&witness);
}

/* A frame of the rest that other callers have, too, excludes it as well. */
static void test_frames_of_the_rest(void **state)
{
	struct resolve_witness witness = { 0 };
	const struct resolve_known_frame last = frame(0x500, 0x60);
	const struct resolve_known_frame rest[] = { frame(SHARED, AT_SHARED), frame(VIA_A, 0x80),
		frame(MAIN, 0x90) };

	(void)state;
	see(&witness, TID, VIA_A, 1);
	assert_true(resolve_witness_agrees(&witness, TID, &last, false, rest, 3, true));
	see(&witness, TID, VIA_B, 1);
	assert_false(resolve_witness_agrees(&witness, TID, &last, false, rest, 3, true));
	resolve_witness_deinit(&witness);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_agreement),
		cmocka_unit_test(test_changes),
		cmocka_unit_test(test_frames_of_the_rest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

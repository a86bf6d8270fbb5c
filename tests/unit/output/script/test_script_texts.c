/* Texts of frames in the script format are found for what they depend on, and only for that. */
#include "output/script/script_texts.h"
#include "tests/unit/made_profile.h"

enum { N_FRAMES = 100, PAGE = 0xfff };

static void keep(struct script_texts *texts, struct base_arena *arena, uint32_t frame,
	const struct script_text_key *key, uint64_t mask)
{
	char bytes[2 * N_FRAMES];
	int n = snprintf(bytes, sizeof(bytes), "%*s%u", (int)(N_FRAMES - frame), "", frame);
	const struct script_text text = { .key = *key, .mask = mask, .len = (uint32_t)n };

	script_texts_keep(texts, arena, (struct prof_frame_id){ frame }, &text, bytes);
}

static bool finds(
	const struct script_texts *texts, uint32_t frame, const struct script_text_key *key)
{
	const struct prof_frame_id id = { frame };
	const struct script_text *text = script_texts_find(texts, id, key);
	char wanted[2 * N_FRAMES];

	if (!text)
		return false;
	int n = snprintf(wanted, sizeof(wanted), "%*s%u", (int)(N_FRAMES - frame), "", frame);
	assert_int_equal(text->len, n);
	assert_memory_equal(text->bytes, wanted, text->len);
	return true;
}

static void finds_texts_by_key(void **state)
{
	struct script_texts texts = { 0 };
	struct base_arena arena = { 0 };
	const struct script_text_key key = { .pc = 0x5123, .shown = 3 };
	struct script_text_key other;

	(void)state;
	assert_false(finds(&texts, 0, &key));
	script_texts_init(&texts, N_FRAMES);
	assert_false(finds(&texts, 0, &key));
	for (uint32_t i = 0; i < N_FRAMES; i++) {
		assert_false(finds(&texts, i, &key));
		keep(&texts, &arena, i, &key, i % 2 ? UINT64_MAX : PAGE);
	}
	for (uint32_t i = 0; i < N_FRAMES; i++) {
		assert_true(finds(&texts, i, &key));
		/* Another page matters only if all of the address does. */
		other = key;
		other.pc += 4 * (PAGE + 1);
		assert_int_equal(finds(&texts, i, &other), i % 2 == 0);
		other.pc++;
		assert_false(finds(&texts, i, &other));
		other = key;
		other.shown = 1;
		assert_false(finds(&texts, i, &other));
		other = key;
		other.is_unwound = true;
		assert_false(finds(&texts, i, &other));
		other = key;
		other.is_location = true;
		assert_false(finds(&texts, i, &other));
	}
	/* The first text of a frame stays. */
	other = key;
	other.shown = 1;
	keep(&texts, &arena, 7, &other, PAGE);
	assert_false(finds(&texts, 7, &other));
	assert_true(finds(&texts, 7, &key));
	/* A frame without an entry has no text. */
	keep(&texts, &arena, N_FRAMES, &key, PAGE);
	assert_false(finds(&texts, N_FRAMES, &key));
	script_texts_deinit(&texts);
	base_arena_deinit(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_texts_by_key),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Texts of frames in the script format are found for what they depend on, and only for that. */
#include "output/script_texts.h"
#include "tests/unit/made_profile.h"

enum { N_FRAMES = 100, PAGE = 0xfff };

static void keep(struct script_texts *texts, const struct profile *profile, uint32_t frame,
	const struct script_text_key *key, uint64_t mask)
{
	FILE *stream = script_texts_begin(texts, profile, (struct prof_frame_id){ frame });

	assert_non_null(stream);
	/* Texts have different lengths, and a shorter one may follow a longer one. */
	fprintf(stream, "%*s%u", (int)(N_FRAMES - frame), "", frame);
	assert_non_null(script_texts_end(texts, (struct prof_frame_id){ frame }, key, mask));
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
	assert_memory_equal(script_texts_bytes(texts, text), wanted, text->len);
	return true;
}

static void finds_texts_by_key(void **state)
{
	struct script_texts texts = { 0 };
	const struct script_text_key key = { .pc = 0x5123, .shown = 3 };
	struct script_text_key other;
	struct profile *profile;

	(void)state;
	assert_ok(profile_create(&profile));
	for (uint32_t i = 0; i < N_FRAMES; i++)
		profile_add_frame(profile, &(struct prof_frame){ .addr = i });
	assert_false(finds(&texts, 0, &key));
	for (uint32_t i = 0; i < N_FRAMES; i++) {
		assert_false(finds(&texts, i, &key));
		keep(&texts, profile, i, &key, i % 2 ? UINT64_MAX : PAGE);
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
	assert_null(script_texts_begin(&texts, profile, (struct prof_frame_id){ 7 }));
	script_texts_deinit(&texts);
	profile_destroy(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_texts_by_key),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

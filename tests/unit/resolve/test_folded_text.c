/* Folded text becomes a profile of the same stacks; what is not a stack is an error. */
#include "tests/unit/test.h"

#include "resolve/folded_text.h"

static struct pd_error *read_text(const char *text, struct profile **ret)
{
	/* fmemopen() refuses a text without bytes. */
	FILE *in = *text ? fmemopen((char *)text, strlen(text), "r") : fopen("/dev/null", "r");

	assert_non_null(in);
	struct pd_error *err = resolve_folded_text(in, "x", NULL, ret);
	fclose(in);
	return err;
}

static const char *name_of(const struct profile *profile, struct prof_frame_id frame)
{
	uint32_t n;
	const struct prof_line *lines = prof_frame_lines(profile, frame, &n);

	assert_int_equal(n, 1);
	return prof_function_name(profile, lines[0].function);
}

static void stacks_are_those_of_the_text(void **state)
{
	struct profile *profile;
	uint32_t n;

	(void)state;
	assert_ok(read_text("a;f;g h 3\n\na;f;g h 4\r\nb;f 5\nc 6", &profile));
	assert_int_equal(profile->samples.n, 3);
	assert_int_equal(profile->stats.n_samples, 4);
	assert_int_equal(profile->values.data[0].period, 7);
	assert_int_equal(profile->values.data[0].samples, 2);
	assert_int_equal(profile->values.data[1].period, 5);
	const struct prof_sample *first = prof_sample(profile, (struct prof_sample_id){ 0 });
	const struct prof_frame_id *frames = prof_stack(profile, first->stack, &n);
	assert_int_equal(n, 2);
	assert_string_equal(name_of(profile, frames[0]), "g h");
	assert_string_equal(name_of(profile, frames[1]), "f");
	assert_string_equal(prof_string(profile, prof_thread(profile, first->thread)->comm), "a");
	const struct prof_sample *last = prof_sample(profile, (struct prof_sample_id){ 2 });
	prof_stack(profile, last->stack, &n);
	assert_int_equal(n, 0);
	prof_destroy(profile);
}

static void an_empty_text_is_an_empty_profile(void **state)
{
	struct profile *profile;

	(void)state;
	assert_ok(read_text("", &profile));
	assert_int_equal(profile->samples.n, 0);
	prof_destroy(profile);
}

static void other_text_is_an_error(void **state)
{
	static const char *const wrong[] = { "a", "a;b", " 1", "a;b 1x", "a;b -1", "a;b 1.5",
		"a;b 9223372036854775808", "a;b 1\na;b\n" };
	struct profile *profile;

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_error(read_text(wrong[i], &profile), PD_ERROR_FORMAT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stacks_are_those_of_the_text),
		cmocka_unit_test(an_empty_text_is_an_empty_profile),
		cmocka_unit_test(other_text_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

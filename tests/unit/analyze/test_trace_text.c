/* Fields in the text of a tracepoint. */
#include "tests/unit/test.h"

#include "analyze/trace_text.h"

static void expect(const char *text, const char *name, const char *value)
{
	struct ana_trace_field field;

	if (!value) {
		assert_false(ana_trace_find(text, name, strlen(name), &field));
		return;
	}
	assert_true(ana_trace_find(text, name, strlen(name), &field));
	assert_int_equal(field.value_len, strlen(value));
	assert_memory_equal(field.value, value, field.value_len);
	assert_memory_equal(field.name, name, field.name_len);
}

static void fields_are_found(void **state)
{
	static const char text[] = "prev_comm=my shell prev_pid=12 list={1,2} empty= last=a b=";

	(void)state;
	expect(text, "prev_comm", "my shell");
	expect(text, "prev_pid", "12");
	expect(text, "list", "{1,2}");
	expect(text, "empty", "");
	expect(text, "last", "a");
	expect(text, "b", "");
	expect(text, "comm", NULL);
	expect(text, "prev_com", NULL);
	expect(text, "shell", NULL);
	expect(text, "", NULL);
	expect("", "a", NULL);
	expect("text without fields", "text", NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fields_are_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

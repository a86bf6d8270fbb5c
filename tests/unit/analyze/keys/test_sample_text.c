/* Texts of parts of samples: memory accesses, and fields of tracepoints. */
#include "tests/unit/test.h"

#include "analyze/keys/sample_text.h"
#include "base/array.h"

/* PERF_MEM_*: where the fields begin. */
enum { LEVEL = 5, NUMBER = 33, REMOTE = 37, HOPS = 43 };
/* Bits of the level. */
enum { NOT_AVAILABLE = 1, HIT = 2, MISS = 4, L1 = 8, LFB = 16, L2 = 32 };

/* A level has its number, its bits, or both; the texts are those of perf 6.12. */
static void test_levels(void **state)
{
	static const struct {
		uint64_t bits, number, remote, hops;
		const char *text;
	} cases[] = {
		{ 0, 0, 0, 0, "N/A" },
		{ NOT_AVAILABLE, 15, 0, 0, "N/A" },
		{ HIT, 0, 0, 0, "N/A" },
		{ HIT | L1, 1, 0, 0, "L1 hit" },
		{ HIT | L1, 0, 0, 0, "L1 hit" },
		{ HIT | L1, 15, 0, 0, "L1 hit" },
		{ MISS | L1 | L2, 0, 0, 0, "L1 or L2 miss" },
		{ HIT | LFB, 12, 0, 0, "LFB/MAB hit" },
		{ MISS, 3, 0, 0, "L3 miss" },
		{ HIT, 11, 1, 1, "Remote core, same node Any cache hit" },
		{ HIT, 13, 1, 0, "Remote RAM hit" },
		{ HIT, 7, 0, 0, "L0 hit" },
	};
	char text[64];

	(void)state;
	for (size_t i = 0; i < PD_ARRAY_LEN(cases); i++) {
		uint64_t data_src = cases[i].bits << LEVEL | cases[i].number << NUMBER |
				    cases[i].remote << REMOTE | cases[i].hops << HOPS;

		assert_string_equal(
			ana_data_src_text(data_src, ANA_DATA_SRC_LEVEL, text, sizeof(text)),
			cases[i].text);
	}
}

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
		cmocka_unit_test(test_levels),
		cmocka_unit_test(fields_are_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Tracing data, and the fields of tracepoints. */
#include "tests/unit/test_recording.h"

#include <pdconv/reader.h>
#include <pdconv/trace_value.h>

#include "base/array.h"
#include "parse/open_file.h"
#include "tests/unit/parse/trace/built_tracing.h"

#define PRINT "\nprint fmt: \"%d\", REC->a\n"

static const char all_kinds[] = HEAD COMMON
	"\tfield:int a;\toffset:4;\tsize:4;\tsigned:1;\n"
	"\tfield:char comm[8];\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:unsigned long where;\toffset:16;\tsize:8;\tsigned:0;\n"
	"\tfield:const char __attribute__((user)) * p;\toffset:24;\tsize:8;\tsigned:0;\n"
	"\tfield:u16 few[2];\toffset:32;\tsize:4;\tsigned:0;\n"
	"\tfield:__data_loc char[] far;\toffset:36;\tsize:4;\tsigned:0;\n"
	"\tfield:__rel_loc u8[] near;\toffset:40;\tsize:4;\tsigned:0;\n"
	"\tfield:s8 tiny;\toffset:44;\tsize:1;\tsigned:1;\n" PRINT;

/* Raw data for all_kinds: far is "abc" at 48, near two bytes at 52. */
static struct bytes raw_of_all_kinds(bool be)
{
	struct bytes b = { 0 };

	number(&b, be, 77, 2);
	number(&b, be, 0, 2);
	number(&b, be, (uint64_t)-5, 4);
	bytes_add(&b, "bash\0xyz", 8);
	number(&b, be, 0xffffffff81000010, 8);
	number(&b, be, 0x7fff0000, 8);
	number(&b, be, 258, 2);
	number(&b, be, 7, 2);
	number(&b, be, 4 << 16 | 48, 4);
	number(&b, be, 2 << 16 | 8, 4);
	put(&b, 0xfe, 1);
	put(&b, 0, 3);
	bytes_add(&b, "abc\0\xca\xfe", 6);
	return b;
}

/* Output of pd_trace_write() for the first n bytes of raw data. Free with free(). */
static char *text_of(const struct pd_tracing *tracing, const uint8_t *raw, size_t n)
{
	struct pd_view view = { .data = raw, .elem_size = 1, .n = n };
	char *ret;
	size_t len;
	FILE *out = open_memstream(&ret, &len);

	assert_non_null(out);
	struct pd_trace_values values =
		pd_trace_values(tracing, pd_tracing_find(tracing, 77), &view);
	pd_trace_write(&values, out);
	assert_int_equal(fclose(out), 0);
	return ret;
}

static void every_kind_of_field_is_read(void **state)
{
	(void)state;
	for (int be = 0; be < 2; be++) {
		struct bytes b = build("0.6", be, all_kinds);
		struct bytes raw = raw_of_all_kinds(be);
		const char *wrong;
		struct pd_tracing *tracing = read_tracing(&b, &wrong);

		assert_null(wrong);
		assert_int_equal(pd_tracing_swap(tracing), be);
		assert_string_equal(pd_tracing_find(tracing, 77)->system, "test");
		assert_string_equal(pd_tracing_find(tracing, 77)->format.name, "probe");
		assert_null(pd_tracing_find(tracing, 78));
		char *got = text_of(tracing, raw.data, raw.n);
		assert_string_equal(got,
			"a=-5 comm=bash where=0xffffffff81000010 p=0x7fff0000 few={258,7} "
			"far=abc near=cafe tiny=-2");
		free(got);
		assert_string_equal(pd_tracing_comm(tracing, 12), "twelve");
		assert_string_equal(pd_tracing_comm(tracing, 13), "thir teen");
		assert_null(pd_tracing_comm(tracing, 14));
		pd_tracing_destroy(tracing);
		bytes_free(&b);
		bytes_free(&raw);
	}
}

static void common_fields_are_marked(void **state)
{
	struct bytes b = build("0.5", false, all_kinds);
	struct bytes raw = raw_of_all_kinds(false);
	const char *wrong;
	struct pd_tracing *tracing = read_tracing(&b, &wrong);
	struct pd_view view = { .data = raw.data, .elem_size = 1, .n = raw.n };
	struct pd_trace_values values =
		pd_trace_values(tracing, pd_tracing_find(tracing, 77), &view);
	struct pd_trace_value value;
	size_t n = 0;

	(void)state;
	assert_null(wrong);
	while (pd_trace_next(&values, &value))
		assert_int_equal(value.is_common, n++ == 0);
	assert_int_equal(n, 9);
	assert_null(pd_tracing_comm(tracing, 12));
	pd_tracing_destroy(tracing);
	bytes_free(&b);
	bytes_free(&raw);
}

/* Truncate the raw data at every length, in a block of that size. */
static void fields_outside_the_data_have_no_value(void **state)
{
	struct bytes b = build("0.6", false, all_kinds);
	struct bytes raw = raw_of_all_kinds(false);
	const char *wrong;
	struct pd_tracing *tracing = read_tracing(&b, &wrong);

	(void)state;
	for (size_t n = 0; n < raw.n; n++) {
		uint8_t *cut = malloc(n + !n);

		assert_non_null(cut);
		memcpy(cut, raw.data, n);
		char *got = text_of(tracing, cut, n);
		assert_non_null(strchr(got, '?'));
		if (n == 0)
			assert_string_equal(
				got, "a=? comm=? where=? p=? few=? far=? near=? tiny=?");
		free(got);
		free(cut);
	}
	pd_tracing_destroy(tracing);
	bytes_free(&b);
	bytes_free(&raw);
}

#define FIELD(declaration) "\tfield:" declaration ";\toffset:8;\tsize:4;\tsigned:0;\n"

/* Texts that kernels do not write. */
static const char *const bad_formats[] = {
	HEAD COMMON FIELD("int"),
	HEAD COMMON FIELD("int [2] x"),
	HEAD COMMON FIELD("* x"),
	HEAD COMMON FIELD("int x[2"),
	HEAD COMMON FIELD("int x]"),
	HEAD COMMON FIELD("int x[2][3]"),
	HEAD COMMON FIELD("int x[2] y z"),
	HEAD COMMON FIELD("int (*x)"),
	HEAD COMMON FIELD("int \"x\""),
	HEAD COMMON FIELD("int x *"),
	HEAD COMMON FIELD("int __attribute__((user) x"),
	HEAD COMMON "\tfield:int x;\toffset:99999;\tsize:4;\tsigned:0;\n",
	HEAD COMMON "\tfield:int x;\toffset:-1;\tsize:4;\tsigned:0;\n",
	HEAD COMMON "\tfield:int x;\toffset:8;\tsize:;\tsigned:0;\n",
	HEAD COMMON "\tfield:int x;\toffset:8;\tsize:4;\tsigned:2;\n",
	HEAD COMMON "\tfield:int x;\toffset:8;\n",
	HEAD COMMON "\tother:int x;\toffset:8;\tsize:4;\tsigned:0;\n",
	HEAD PRINT,
	HEAD,
};

static void invalid_formats_are_left_out(void **state)
{
	(void)state;
	for (size_t i = 0; i < PD_ARRAY_LEN(bad_formats); i++) {
		struct bytes b = build("0.6", false, bad_formats[i]);
		const char *wrong = NULL;
		struct pd_tracing *tracing = read_tracing(&b, &wrong);

		if (!wrong)
			fail_msg("accepted: %s", bad_formats[i]);
		assert_string_equal(pd_tracing_find(tracing, 77)->format.name, "probe");
		assert_int_equal(pd_tracing_find(tracing, 77)->format.fields.n, 0);
		pd_tracing_destroy(tracing);
		bytes_free(&b);
	}
}

static void old_and_odd_formats_are_read(void **state)
{
	const char *const formats[] = {
		HEAD COMMON "\tfield:int x;\toffset:4;\tsize:4;\n" PRINT,
		HEAD COMMON FIELD("unsigned long func.ip") PRINT,
		HEAD COMMON FIELD("struct a_b * const * x"),
		HEAD COMMON FIELD("char x[TASK_COMM_LEN]"),
		HEAD COMMON FIELD("__data_loc unsigned char[] x"),
		HEAD COMMON FIELD("u8 x[(ETH_LEN + 1)]"),
		HEAD COMMON FIELD("unsigned int LOCAL_PR_FMT"),
		HEAD FIELD("int x"),
	};

	(void)state;
	for (size_t i = 0; i < PD_ARRAY_LEN(formats); i++) {
		struct bytes b = build("0.6", false, formats[i]);
		const char *wrong;
		struct pd_tracing *tracing = read_tracing(&b, &wrong);

		if (wrong)
			fail_msg("not accepted: %s", formats[i]);
		assert_true(pd_tracing_find(tracing, 77)->format.fields.n >= 1);
		pd_tracing_destroy(tracing);
		bytes_free(&b);
	}
}

static void arrays_know_the_size_of_their_elements(void **state)
{
	static const struct {
		const char *format;
		uint32_t elem_size;
	} cases[] = {
		{ HEAD COMMON FIELD("u16 x[2]"), 2 },
		{ HEAD COMMON FIELD("__data_loc unsigned int[] x"), 4 },
		{ HEAD COMMON FIELD("__data_loc unsigned long[] x"), 8 },
		{ HEAD COMMON FIELD("__data_loc long long[] x"), 8 },
		{ HEAD COMMON FIELD("__rel_loc __u16[] x"), 2 },
		{ HEAD COMMON FIELD("__data_loc void *[] x"), 0 },
		{ HEAD COMMON FIELD("__data_loc struct in_addr[] x"), 0 },
		{ HEAD COMMON FIELD("struct sockaddr x[3]"), 1 },
		{ HEAD COMMON FIELD("int x"), 0 },
	};

	(void)state;
	for (size_t i = 0; i < PD_ARRAY_LEN(cases); i++) {
		struct bytes b = build("0.6", false, cases[i].format);
		const char *wrong;
		struct pd_tracing *tracing = read_tracing(&b, &wrong);

		assert_null(wrong);
		const struct pd_trace_field *field =
			&pd_tracing_find(tracing, 77)->format.fields.data[1];
		if (field->elem_size != cases[i].elem_size)
			fail_msg("%u bytes: %s", field->elem_size, cases[i].format);
		assert_string_equal(field->name, "x");
		pd_tracing_destroy(tracing);
		bytes_free(&b);
	}
}

/* The tracing data of testdata/tracepoints. */
static struct bytes recorded(void)
{
	struct bytes b = testdata_read("tracepoints", "perf.data"), ret = { 0 };
	struct pd_file *file = recording_open(&b, NULL);
	const struct pd_feature *section = &file->feature[PD_FEATURE_TRACING_DATA];

	bytes_add(&ret, section->bytes, section->size);
	pd_file_close(file);
	bytes_free(&b);
	return ret;
}

static void walk_all(const struct pd_tracing *tracing, uint64_t *random)
{
	size_t n;
	const struct pd_tracepoint *list = pd_tracing_list(tracing, &n);

	for (size_t i = 0; i < n; i++) {
		size_t len = random_next(random) % 100;
		uint8_t *raw = malloc(len + !len);

		assert_non_null(raw);
		for (size_t k = 0; k < len; k++)
			raw[k] = (uint8_t)(random_next(random) % 64);
		struct pd_view view = { .data = raw, .elem_size = 1, .n = len };
		struct pd_trace_values values = pd_trace_values(tracing, &list[i], &view);
		FILE *out = fopen("/dev/null", "w");
		assert_non_null(out);
		pd_trace_write(&values, out);
		fclose(out);
		free(raw);
	}
}

static bool survives(const uint8_t *bytes, size_t n, uint64_t *random)
{
	uint8_t *copy = malloc(n + !n);
	struct pd_tracing *tracing;
	const char *wrong = NULL;

	assert_non_null(copy);
	memcpy(copy, bytes, n);
	struct pd_error *err = pd_tracing_create(copy, n, &tracing, &wrong);
	free(copy);
	if (err) {
		assert_error(err, PD_ERROR_FORMAT);
		return false;
	}
	walk_all(tracing, random);
	pd_tracing_destroy(tracing);
	return !wrong;
}

static void tracing_data_are_cut_anywhere(void **state)
{
	struct bytes b = recorded();
	uint64_t random = 1;

	(void)state;
	assert_true(survives(b.data, b.n, &random));
	for (size_t n = 0; n < b.n; n++)
		assert_false(survives(b.data, n, &random));
	bytes_free(&b);
}

static void tracing_data_are_damaged_anywhere(void **state)
{
	struct bytes b = recorded();
	uint64_t random = 88172645463325252U;

	(void)state;
	for (int round = 0; round < 2000; round++) {
		size_t at = random_next(&random) % b.n;
		uint8_t was = b.data[at];

		b.data[at] ^= (uint8_t)(1 << random_next(&random) % 8);
		survives(b.data, b.n, &random);
		b.data[at] = was;
	}
	bytes_free(&b);
}

static void a_recording_names_its_tracepoints(void **state)
{
	struct bytes b = testdata_read("tracepoints", "perf.data");

	(void)state;
	/* Without EVENT_DESC, events get their names from the tracing data. */
	b.data[AT_FEATURES + PD_FEATURE_EVENT_DESC / 8] &=
		(uint8_t) ~(1 << PD_FEATURE_EVENT_DESC % 8);
	/* Table entries are in the order of the bits, so later features have to be removed, too. */
	for (size_t i = 2; i < 32; i++)
		b.data[AT_FEATURES + i] = 0;
	b.data[AT_FEATURES + 1] &= (1 << PD_FEATURE_EVENT_DESC % 8) - 1;
	struct pd_file *file = recording_open(&b, NULL);
	assert_int_equal(file->events.list.n, 3);
	assert_string_equal(file->events.list.data[0].name, "sched:sched_process_fork");
	assert_string_equal(file->events.list.data[1].name, "sched:sched_process_exec");
	assert_string_equal(file->events.list.data[2].name, "syscalls:sys_enter_execve");
	pd_file_close(file);
	bytes_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_kind_of_field_is_read),
		cmocka_unit_test(common_fields_are_marked),
		cmocka_unit_test(fields_outside_the_data_have_no_value),
		cmocka_unit_test(invalid_formats_are_left_out),
		cmocka_unit_test(old_and_odd_formats_are_read),
		cmocka_unit_test(arrays_know_the_size_of_their_elements),
		cmocka_unit_test(tracing_data_are_cut_anywhere),
		cmocka_unit_test(tracing_data_are_damaged_anywhere),
		cmocka_unit_test(a_recording_names_its_tracepoints),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

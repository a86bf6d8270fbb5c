/* Texts of tracepoints by their print formats. */
#include <stdlib.h>

#include "base/array.h"
#include "parse/trace/trace_print.h"
#include "tests/unit/parse/trace/built_tracing.h"

#define FIELDS \
	HEAD COMMON "\tfield:int n;\toffset:4;\tsize:4;\tsigned:1;\n" \
		    "\tfield:u32 u;\toffset:8;\tsize:4;\tsigned:0;\n" \
		    "\tfield:u8 small[4];\toffset:12;\tsize:4;\tsigned:0;\n" \
		    "\tfield:unsigned long where;\toffset:16;\tsize:8;\tsigned:0;\n" \
		    "\tfield:u64 big;\toffset:24;\tsize:8;\tsigned:0;\n" \
		    "\tfield:char comm[8];\toffset:32;\tsize:8;\tsigned:0;\n" \
		    "\tfield:__data_loc char[] far;\toffset:40;\tsize:4;\tsigned:0;\n" \
		    "\tfield:__data_loc u16[] list;\toffset:44;\tsize:4;\tsigned:0;\n" \
		    "\tfield:__data_loc unsigned long[] mask;\toffset:48;\tsize:4;\tsigned:0;\n" \
		    "\tfield:u8 addr[16];\toffset:52;\tsize:16;\tsigned:0;\n" \
		    "\tfield:s8 tiny;\toffset:68;\tsize:1;\tsigned:1;\n" \
		    "\tfield:const char * name;\toffset:72;\tsize:8;\tsigned:0;\n" \
		    "\nprint fmt: "

/* The raw data: n -5, u 6, small 10.0.0.1, where, big, comm, far "file", list {258, 3}, mask. */
static struct bytes build_raw(bool be)
{
	struct bytes b = { 0 };

	number(&b, be, 77, 2);
	number(&b, be, 0, 2);
	number(&b, be, (uint64_t)-5, 4);
	number(&b, be, 6, 4);
	bytes_add(&b, "\12\0\0\1", 4);
	number(&b, be, 0xffffffff81000010, 8);
	number(&b, be, (uint64_t)1 << 63 | 3, 8);
	bytes_add(&b, "bash\0xyz", 8);
	number(&b, be, 5 << 16 | 80, 4);
	number(&b, be, 4 << 16 | 88, 4);
	number(&b, be, 8 << 16 | 96, 4);
	bytes_add(&b, "\x20\x01\x0d\xb8\0\0\0\0\0\0\0\0\0\0\0\1", 16);
	put(&b, 0xfe, 1);
	put(&b, 0, 3);
	number(&b, be, 0xffffffff82000000, 8);
	bytes_add(&b, "file\0\0\0\0", 8);
	number(&b, be, 258, 2);
	number(&b, be, 3, 2);
	number(&b, be, 0, 4);
	number(&b, be, 0x500000001, 8);
	return b;
}

static bool put_symbol(void *ctx, uint64_t addr, bool with_offset, struct base_line *out)
{
	(void)ctx;
	if (addr != 0xffffffff81000010)
		return false;
	base_line_printf(out, "start%s", with_offset ? "+0x10" : "");
	return true;
}

/* Text of the first @p n_raw bytes of the sample by @p format; NULL: there is none. Free it. */
static char *text_by(const char *format, bool be, size_t n_raw)
{
	enum { BYTES = 1 << 12 };
	char *all = malloc(sizeof(FIELDS) + strlen(format)), *ret = calloc(1, BYTES);
	struct base_line line = { .bytes = ret, .cap = BYTES - 1 };
	struct bytes raw = build_raw(be);
	const struct pd_view view = { .data = raw.data, .elem_size = 1, .n = n_raw };
	const char *wrong;

	strcpy(stpcpy(all, FIELDS), format);
	struct bytes b = build("0.6", be, all);
	struct pd_tracing *tracing = read_tracing(&b, &wrong);
	assert_null(wrong);
	const struct pd_trace_values values =
		pd_trace_values(tracing, pd_tracing_find(tracing, 77), &view);
	if (!parse_trace_print(tracing, &values, put_symbol, NULL, &line)) {
		free(ret);
		ret = NULL;
	} else {
		ret[line.n] = 0;
	}
	pd_tracing_destroy(tracing);
	bytes_free(&b);
	bytes_free(&raw);
	free(all);
	return ret;
}

enum { RAW_BYTES = 104 };

static void assert_text(const char *format, const char *expected)
{
	for (int be = 0; be < 2; be++) {
		char *text = text_by(format, be, RAW_BYTES);

		if (!expected)
			assert_null(text);
		else if (!text)
			fail_msg("no text for %s", format);
		else
			assert_string_equal(text, expected);
		free(text);
	}
}

struct example {
	const char *format;
	/** NULL: the format cannot be evaluated. */
	const char *text;
};

static void assert_texts(const struct example *examples, size_t n)
{
	for (size_t i = 0; i < n; i++)
		assert_text(examples[i].format, examples[i].text);
}

static void conversions_are_those_of_printf(void **state)
{
	static const struct example examples[] = {
		{ "\"%d %u %x %o %i\", REC->n, REC->u, REC->n, REC->u, REC->tiny",
			"-5 6 fffffffb 6 -2" },
		{ "\"%5d|%-5d|%05d|%+d|% d|%#x|%.3d\", REC->n, REC->n, REC->n, REC->u, REC->u, "
		  "REC->u, REC->u",
			"   -5|-5   |-0005|+6| 6|0x6|006" },
		{ "\"%hhu %hu %llu %lu %zu %lld\", REC->n, REC->n, REC->big, REC->where, REC->big, "
		  "REC->big",
			"251 65531 9223372036854775811 18446744071578845200 9223372036854775811 "
			"-9223372036854775805" },
		{ "\"%s|%8s|%-6s|%.2s|%.*s|%c%c 100%%\", REC->comm, REC->comm, REC->comm, "
		  "REC->comm, 3, REC->comm, 'a', 0x62",
			"bash|    bash|bash  |ba|bas|ab 100%" },
		{ "\"%*d\", REC->u, REC->u", "     6" },
		{ "\"%s %s\", __get_str(far), REC->name", "file rcu_sched" },
		{ "\"%s %s\", (void *)0, REC->where", "(null) ffffffff81000010" },
		{ "\"a\\tb\\x41\\101\\n\\n\"", "a bAA" },
		{ "\"%d\" \" and \" \"%u\", REC->n, REC->u", "-5 and 6" },
		{ "\"nothing\"", "nothing" },
		{ "\"%n\", REC->n", NULL },
		{ "\"%f\", REC->n", NULL },
		{ "\"%99999d\", REC->n", NULL },
		{ "\"%\"", NULL },
		{ "\"%d\"", NULL },
		{ "\"open", NULL },
		{ "", NULL },
	};

	(void)state;
	assert_texts(examples, PD_ARRAY_LEN(examples));
}

static void pointers_are_those_of_the_kernel(void **state)
{
	static const struct example examples[] = {
		{ "\"%p %p %pK\", REC->where, (void *)0, REC->where",
			"0xffffffff81000010 (nil) 0xffffffff81000010" },
		{ "\"%pS %ps %pS\", REC->where, (void *)REC->where, REC->where + 1",
			"start+0x10 start 0xffffffff81000011" },
		{ "\"%pI4 %pi4\", REC->small, &REC->small", "10.0.0.1 010.000.000.001" },
		{ "\"%pI6c %pI6 %pi6\", REC->addr, REC->addr, REC->addr",
			"2001:db8::1 2001:0db8:0000:0000:0000:0000:0000:0001 "
			"20010db8000000000000000000000001" },
		{ "\"%pM %pm\", REC->addr, REC->addr", "20:01:0d:b8:00:00 20010db80000" },
		{ "\"%pU %pUL\", REC->addr, REC->addr", "20010db8-0000-0000-0000-000000000001 "
							"B80D0120-0000-0000-0000-000000000001" },
		{ "\"%pI6 %pI4s\", REC->small, REC->small", "? 10.0.0.1s" },
		{ "\"%pd %u\", REC->where, REC->u", "? 6" },
		{ "\"%pZ %u\", REC->where, REC->u", NULL },
	};

	(void)state;
	assert_texts(examples, PD_ARRAY_LEN(examples));
}

static void expressions_follow_the_rules_of_c(void **state)
{
	static const struct example examples[] = {
		{ "\"%d %d %d\", 1 + 2 * 3, (1 + 2) * 3, 10 - 2 - 3", "7 9 5" },
		{ "\"%d %d %d %d\", 7 / 2, -7 / 2, 7 % 4, 1 << 4 >> 2", "3 -3 3 4" },
		{ "\"%d %d %d\", 6 & 3 | 8 ^ 1, ~0 & 0xff, !REC->n", "11 255 0" },
		{ "\"%d%d%d%d%d%d\", 1 < 2, 2 <= 1, 1 == 1, 1 != 1, 2 > 1, 1 >= 2", "101010" },
		{ "\"%d%d%d\", REC->n < 0, (unsigned int)REC->n < 0, REC->n > REC->u", "101" },
		{ "\"%d %d\", REC->n ? 1 : 2, !REC->n ? 1 : REC->u ? 3 : 4", "1 3" },
		{ "\"%d%d%d\", 1 && 0, 0 || 2, 0 && 1 / 0", "010" },
		{ "\"%lld %llu %d\", (long long)REC->n, (u8)REC->n, (bool)REC->u", "-5 251 1" },
		{ "\"%llu\", REC->u - 7", "4294967295" },
		{ "\"%llu\", REC->big >> 60", "8" },
		{ "\"%lld\", (s64)REC->big >> 60", "-8" },
		{ "\"%d %d\", REC->small[3], REC->small[4]", "1 ?" },
		{ "\"%u %u\", REC->n / 0, 1 << 40", "? ?" },
		{ "\"%lu %lu\", sizeof(u16), sizeof(struct page *)", "2 8" },
		{ "\"%d %llx\", 'A', 0xffffffffffffffffULL", "65 ffffffffffffffff" },
		{ "\"%d\", 010 + 0x10", "24" },
		{ "\"%u\", ((((((REC->u))))))", "6" },
		{ "\"%u\", __builtin_expect(!!(REC->u), 1)", "1" },
		{ "\"%u\", (REC)->u", "6" },
		{ "\"%d\", 08", "?" },
		{ "\"%d\", REC->none", "?" },
		{ "\"%d\", REC->u +", NULL },
		{ "\"%d\", (REC->u", NULL },
	};

	(void)state;
	assert_texts(examples, PD_ARRAY_LEN(examples));
}

static void tables_give_names(void **state)
{
	static const struct example examples[] = {
		{ "\"%s\", __print_symbolic(REC->u, { 1, \"one\" }, { 6, \"s\" \"ix\" })", "six" },
		{ "\"%s\", __print_symbolic(REC->u, { 1, \"one\" })", "0x6" },
		{ "\"%s\", __print_symbolic(REC->n, { -5, \"minus\" }, { 0, ((void *)0) })",
			"minus" },
		{ "\"%s\", __print_symbolic(REC->u, { A_NAME, \"one\" }, { 6, \"six\" })", "six" },
		{ "\"%s\", __print_flags(REC->u, \"|\", { 1, \"a\" }, { 2, \"b\" }, { 4, \"c\" })",
			"b|c" },
		{ "\"%s\", __print_flags(REC->u, \"|\", { 2, \"b\" })", "b|0x4" },
		{ "\"%s\", __print_flags(REC->u, \"|\", { 6, \"both\" }, { 2, \"b\" })", "both" },
		{ "\"[%s]\", __print_flags(0, \"|\", { 2, \"b\" })", "[]" },
		{ "\"%s\", __print_flags(0, \"|\", { 0, \"none\" }, { 2, \"b\" })", "none" },
		{ "\"%s\", REC->n ? __print_flags(2, \"|\", { 1UL << 1, \"b\" }) : \"R\"", "b" },
		{ "\"%s\", __print_flags(REC->u, REC->comm, { 2, \"b\" })", NULL },
		{ "\"%s\", __print_symbolic(REC->u, { 6, \"six\" }", NULL },
	};

	(void)state;
	assert_texts(examples, PD_ARRAY_LEN(examples));
}

static void arrays_are_written(void **state)
{
	static const struct example examples[] = {
		{ "\"%s %s\", __print_hex(REC->small, 4), __print_hex_str(REC->small, 3)",
			"0a 00 00 01 0a0000" },
		{ "\"%s\", __print_hex(REC->small, 400)", "0a 00 00 01" },
		{ "\"%s\", __print_array(__get_dynamic_array(list), "
		  "__get_dynamic_array_len(list) / sizeof(u16), sizeof(u16))",
			"{0x102,0x3}" },
		{ "\"%s\", __print_array(REC->small, 4, 3)", "?" },
		{ "\"%s\", __get_bitmask(mask)", NULL },
		{ "\"%d\", __get_dynamic_array_len(list)", "4" },
		{ "\"%s\", REC->small", "?" },
	};

	(void)state;
	for (size_t i = 0; i < PD_ARRAY_LEN(examples); i++) {
		if (examples[i].text)
			assert_text(examples[i].format, examples[i].text);
	}
	char *text = text_by("\"%s\", __get_cpumask(mask)", false, RAW_BYTES);
	assert_string_equal(text, "00000005,00000001");
	free(text);
}

/* A value that the recording does not have is "?", if all fields in it are shown elsewhere. */
static void what_is_not_known_is_marked(void **state)
{
	static const struct example examples[] = {
		{ "\"page=%p pfn=%lu\", ((struct page *)vmemmap_base) + (REC->u), REC->u",
			"page=? pfn=6" },
		{ "\"age=%lu\", (jiffies - REC->u) / 250", NULL },
		{ "\"%s %u %d\", ({ int x = f(\"a,b)\"); x; }), REC->u, REC->n", "? 6 -5" },
		{ "\"%u\", jiffies_to_msecs(REC->u)", NULL },
	};

	(void)state;
	assert_texts(examples, PD_ARRAY_LEN(examples));
}

static void short_raw_data_have_no_values(void **state)
{
	char *text = text_by("\"%d %s %s %pI4 %s\", REC->n, REC->comm, __get_str(far), REC->small, "
			     "__print_hex(__get_dynamic_array(list), 2)",
		false, 8);

	(void)state;
	assert_string_equal(text, "-5 ? ? ? ?");
	free(text);
	for (size_t n = 0; n < RAW_BYTES; n++)
		free(text_by(
			"\"%d %s %s %s\", REC->n, REC->comm, __get_str(far), __get_cpumask(mask)",
			false, n));
}

/* Deep nesting and long chains of operators end at a limit, not at that of the stack. */
static void expressions_are_bounded(void **state)
{
	static const char *const repeated[] = { "(", "!", "1+", "1?1:", "(int)", "1-(", "sizeof(",
		"1[" };
	enum { TIMES = 100000 };
	char *format = malloc(TIMES * 8 + 100);

	(void)state;
	for (size_t i = 0; i < PD_ARRAY_LEN(repeated); i++) {
		char *at = stpcpy(format, "\"%d\", ");

		for (int k = 0; k < TIMES; k++)
			at = stpcpy(at, repeated[i]);
		strcpy(at, "1");
		assert_text(format, "?");
	}
	free(format);
	assert_text("\"%d\", ((((((((((((((((((((((1))))))))))))))))))))))", "1");
}

/* Damage anywhere in a format must not do harm. */
static void formats_are_damaged_anywhere(void **state)
{
	static const char format[] =
		"\"%5s %.*s %pS %d\", __print_flags(REC->u & ~1, \"|\", { 1, \"a\" }, { 2, \"b\" }), 3, "
		"REC->comm, REC->where, REC->n ? (u8)REC->small[1] : 'x'";
	static const char with[] = "\"%(){},*0?\\";
	char copy[sizeof(format)];

	(void)state;
	for (size_t i = 0; i < sizeof(format) - 1; i++) {
		for (size_t k = 0; k < sizeof(with) - 1; k++) {
			memcpy(copy, format, sizeof(format));
			copy[i] = with[k];
			free(text_by(copy, false, RAW_BYTES));
		}
		memcpy(copy, format, sizeof(format));
		copy[i] = 0;
		free(text_by(copy, false, RAW_BYTES));
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(conversions_are_those_of_printf),
		cmocka_unit_test(pointers_are_those_of_the_kernel),
		cmocka_unit_test(expressions_follow_the_rules_of_c),
		cmocka_unit_test(tables_give_names),
		cmocka_unit_test(arrays_are_written),
		cmocka_unit_test(what_is_not_known_is_marked),
		cmocka_unit_test(short_raw_data_have_no_values),
		cmocka_unit_test(expressions_are_bounded),
		cmocka_unit_test(formats_are_damaged_anywhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

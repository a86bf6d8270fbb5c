/**
 * @file Tracing data built for tests: one tracepoint, names of threads, a string of the kernel.
 */
#ifndef PD_TESTS_UNIT_PARSE_BUILT_TRACING_H
#define PD_TESTS_UNIT_PARSE_BUILT_TRACING_H

#include <pdconv/tracing_data.h>

#include "tests/unit/test_recording.h"

static inline struct pd_tracing *read_tracing(const struct bytes *b, const char **wrong_ret)
{
	struct pd_tracing *tracing;

	assert_ok(pd_tracing_create(b->data, b->n, &tracing, wrong_ret));
	return tracing;
}

/* Integers of built tracing data, in either byte order. */
static inline void number(struct bytes *b, bool is_big_endian, uint64_t value, size_t size)
{
	for (size_t i = 0; i < size; i++)
		put(b, value >> (8 * (is_big_endian ? size - 1 - i : i)) & 0xff, 1);
}

static inline void text(struct bytes *b, bool is_big_endian, size_t size_bytes, const char *text)
{
	number(b, is_big_endian, strlen(text), size_bytes);
	bytes_add(b, text, strlen(text));
}

static inline void head(struct bytes *b, const char *version, bool is_big_endian)
{
	bytes_add(b, "\27\10\104tracing", 10);
	bytes_add(b, version, strlen(version) + 1);
	put(b, is_big_endian, 1);
	put(b, 8, 1);
	number(b, is_big_endian, 4096, 4);
	bytes_add(b, "header_page", 12);
	text(b, is_big_endian, 8, "\tfield: u64 timestamp;\n");
	bytes_add(b, "header_event", 13);
	text(b, is_big_endian, 8, "# compressed entry header\n");
}

/* Tracing data of one system with one tracepoint, which has the format @p format. */
static inline struct bytes build(const char *version, bool is_big_endian, const char *format)
{
	struct bytes b = { 0 };

	head(&b, version, is_big_endian);
	number(&b, is_big_endian, 0, 4);
	number(&b, is_big_endian, 1, 4);
	bytes_add(&b, "test", 5);
	number(&b, is_big_endian, 1, 4);
	text(&b, is_big_endian, 8, format);
	text(&b, is_big_endian, 4, "ffffffff81000000 T _text\n");
	text(&b, is_big_endian, 4, "0xffffffff82000000 : \"rcu_sched\"\nbad\n0x : \n");
	if (strcmp(version, "0.5") != 0)
		text(&b, is_big_endian, 8, "12 twelve\n13 thir teen\nbad\n99999999999 far\n14");
	return b;
}

#define HEAD "name: probe\nID: 77\nformat:\n"
#define COMMON "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"
#endif

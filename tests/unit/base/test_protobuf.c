#include "tests/unit/test.h"

#include "base/protobuf.h"

static struct base_proto bytes_of(const uint8_t *bytes, size_t n)
{
	return (struct base_proto){ .at = bytes, .end = bytes + n };
}

static void numbers_come_back(void **state)
{
	(void)state;
	for (unsigned bit = 0; bit < 64; bit++) {
		for (uint64_t value = (UINT64_C(1) << bit) - 1, i = 0; i < 3; i++, value++) {
			uint8_t bytes[BASE_VARINT_BYTES + 8];
			uint8_t *end = base_varint(bytes, value);
			size_t n = (size_t)(end - bytes);
			uint64_t read;

			assert_int_equal(n, base_varint_size(value));
			base_fixed64(end, value);
			struct base_proto proto = bytes_of(bytes, n + 8);
			assert_true(base_proto_take_varint(&proto, &read));
			assert_true(read == value);
			assert_true(base_proto_take_fixed64(&proto, &read));
			assert_true(read == value);
			assert_false(base_proto_take_varint(&proto, &read));
			assert_false(proto.is_damaged);
		}
	}
}

static void fields_of_all_types(void **state)
{
	static const uint8_t message[] = "\x08\x96\x01\x11\1\2\3\4\5\6\7\x80\x1a\2ab\x25\1\0\0\x80";
	static const struct base_proto_field expected[] = {
		{ .number = 1, .type = BASE_PROTO_VARINT, .value = 150 },
		{ .number = 2, .type = BASE_PROTO_FIXED64, .value = 0x8007060504030201 },
		{ .number = 3, .type = BASE_PROTO_LEN, .len = 2 },
		{ .number = 4, .type = BASE_PROTO_FIXED32, .value = 0x80000001 },
	};
	struct base_proto proto = bytes_of(message, sizeof(message) - 1);
	const uint8_t *at = message;
	struct base_proto_field field;

	(void)state;
	for (size_t i = 0; i < sizeof(expected) / sizeof(*expected); i++) {
		assert_true(base_proto_next(&proto, &field));
		assert_int_equal(field.number, expected[i].number);
		assert_int_equal(field.type, expected[i].type);
		assert_true(field.value == expected[i].value);
		assert_int_equal(field.len, expected[i].len);
		assert_ptr_equal(field.start, at);
		at = field.end;
	}
	assert_false(base_proto_next(&proto, &field));
	assert_false(proto.is_damaged);
}

static void damage_is_found(void **state)
{
	static const struct {
		const char *bytes;
		size_t n;
	} messages[] = {
		{ "\x08", 1 },
		{ "\x08\x80", 2 },
		{ "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\1", 12 },
		{ "\x11\0\0\0\0\0\0\0", 8 },
		{ "\x25\0\0\0", 4 },
		{ "\x1a\2a", 3 },
		{ "\x1a\xff\xff\xff\xff\xff\xff\xff\xff\xff\1", 11 },
		/* A field 0, a group and a number of more than 32 bits. */
		{ "\0\0", 2 },
		{ "\x0b\0", 2 },
		{ "\x80\x80\x80\x80\x80\1\0", 7 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(messages) / sizeof(*messages); i++) {
		const uint8_t *bytes = (const uint8_t *)messages[i].bytes;
		struct base_proto proto = bytes_of(bytes, messages[i].n);
		struct base_proto_field field;

		assert_false(base_proto_next(&proto, &field));
		assert_true(proto.is_damaged);
		assert_ptr_equal(proto.at, bytes);
		assert_false(base_proto_next(&proto, &field));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_come_back),
		cmocka_unit_test(fields_of_all_types),
		cmocka_unit_test(damage_is_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

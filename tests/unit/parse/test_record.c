/* Records and attributes: every row of the tables. */
#include "tests/unit/test.h"

#include <pdconv/attr.h>
#include <pdconv/file.h>
#include <pdconv/record.h>

static void layouts_are_unique(void **state)
{
	size_t n;
	const struct pd_layout *const *layouts = pd_layouts(&n);

	(void)state;
	assert_true(n > 40);
	for (size_t i = 0; i < n; i++) {
		assert_ptr_equal(pd_layout_find(layouts[i]->type, layouts[i]->misc), layouts[i]);
		for (size_t k = 0; k < i; k++) {
			assert_string_not_equal(layouts[i]->name, layouts[k]->name);
			assert_false(layouts[i]->type == layouts[k]->type &&
				     layouts[i]->misc == layouts[k]->misc);
		}
	}
}

static void put(uint8_t *to, uint64_t value, size_t size, bool big)
{
	for (size_t i = 0; i < size; i++)
		to[big ? size - 1 - i : i] = (uint8_t)(value >> (8 * i));
}

static void array_counts_are_checked(void **state)
{
	uint8_t bytes[32] = { 0 };
	struct pd_record rec = {
		.type = PD_RECORD_CALLCHAIN_DEFERRED,
		.size = sizeof(bytes),
		.bytes = bytes,
	};
	union pd_body body;
	const char *wrong;

	(void)state;
	put(bytes + 16, UINT64_MAX / 8 + 1, 8, false);
	assert_false(pd_record_decode(&rec, 0, &body, &wrong));
	assert_string_equal(wrong, "array is longer than the record");
}

static size_t decode(const uint8_t *bytes, size_t n, bool swap, struct pd_attr *ret)
{
	const struct pd_view view = { .data = bytes, .elem_size = 1, .swap = swap, .n = n };

	return pd_attr_decode(&view, ret);
}

static void attr_of_any_size(void **state)
{
	uint8_t bytes[256];
	struct pd_attr attr;

	(void)state;
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)i;
	for (uint32_t size = 64; size <= 256; size += 8) {
		put(bytes + 4, size, 4, false);
		assert_int_equal(decode(bytes, sizeof(bytes), false, &attr), size);
		assert_int_equal(attr.config, 0x0f0e0d0c0b0a0908U);
		assert_int_equal(attr.config2 != 0, size >= 72);
		assert_int_equal(attr.sample_stack_user != 0, size >= 96);
		assert_int_equal(attr.config4 != 0, size >= 144);
		assert_int_equal(decode(bytes, size - 1, false, &attr), 0);
	}
	put(bytes + 4, 0, 4, false);
	assert_int_equal(decode(bytes, sizeof(bytes), false, &attr), 64);
	put(bytes + 4, 60, 4, false);
	assert_int_equal(decode(bytes, sizeof(bytes), false, &attr), 0);
	put(bytes + 4, 68, 4, false);
	assert_int_equal(decode(bytes, sizeof(bytes), false, &attr), 0);
}

static void attr_flags_depend_on_the_byte_order(void **state)
{
	uint8_t bytes[64] = { 0 };
	struct pd_attr attr;
	/* sample_id_all, precise_ip = 1 and disabled in the layout of a big-endian compiler. */
	uint64_t flags = (uint64_t)1 << (63 - PD_ATTR_sample_id_all) |
			 (uint64_t)1 << (63 - PD_ATTR_precise_ip - 1) | (uint64_t)1 << 63;

	(void)state;
	put(bytes + 4, 64, 4, true);
	put(bytes + 40, flags, 8, true);
	assert_int_equal(decode(bytes, sizeof(bytes), true, &attr), 64);
	assert_true(pd_attr_has(&attr, PD_ATTR_sample_id_all));
	assert_true(pd_attr_has(&attr, PD_ATTR_disabled));
	assert_false(pd_attr_has(&attr, PD_ATTR_inherit));
	assert_int_equal(attr.flags >> PD_ATTR_precise_ip & 3, 1);
}

static void attr_of_any_size_is_byteswapped_and_back(void **state)
{
	(void)state;
	for (uint32_t size = 64; size <= 256; size += 8) {
		uint8_t bytes[256];
		struct pd_view view = { .data = bytes, .elem_size = 1, .n = size };
		struct pd_bytes big = { .swap = true };
		struct pd_bytes little = { 0 };
		struct pd_attr attr[2];

		for (size_t i = 0; i < sizeof(bytes); i++)
			bytes[i] = (uint8_t)(i * 37);
		/* Reserved field: writers set it to 0, and decoding drops it. */
		memset(bytes + 110, 0, 2);
		put(bytes + 4, size, 4, false);
		pd_attr_transcode(&view, &big);
		assert_int_equal(big.buf.n, size);
		assert_memory_not_equal(big.buf.data, bytes, size);
		assert_int_equal(decode(bytes, size, false, &attr[0]), size);
		assert_int_equal(decode(big.buf.data, size, true, &attr[1]), size);
		assert_memory_equal(&attr[0], &attr[1], sizeof(attr[0]));

		view.data = big.buf.data;
		view.swap = true;
		pd_attr_transcode(&view, &little);
		assert_int_equal(little.buf.n, size);
		assert_memory_equal(little.buf.data, bytes, size);
		pd_bytes_deinit(&big);
		pd_bytes_deinit(&little);
	}
}

static void feature_names(void **state)
{
	(void)state;
	assert_string_equal(pd_feature_name(PD_FEATURE_BUILD_ID), "BUILD_ID");
	assert_null(pd_feature_name(0));
	assert_null(pd_feature_name(200));
	assert_null(pd_feature_layout(200));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(layouts_are_unique),
		cmocka_unit_test(array_counts_are_checked),
		cmocka_unit_test(attr_of_any_size),
		cmocka_unit_test(attr_flags_depend_on_the_byte_order),
		cmocka_unit_test(attr_of_any_size_is_byteswapped_and_back),
		cmocka_unit_test(feature_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Records and attributes: every row of the tables. */
#include "tests/unit/test.h"

#include "parse/attr.h"
#include "parse/file.h"
#include "parse/record.h"

static void layouts_are_unique(void **state)
{
	size_t n;
	const struct pd_layout *layouts = pd_layouts(&n);

	(void)state;
	assert_true(n > 40);
	for (size_t i = 0; i < n; i++) {
		assert_ptr_equal(pd_layout_find(layouts[i].type, layouts[i].misc), &layouts[i]);
		for (size_t k = 0; k < i; k++) {
			assert_string_not_equal(layouts[i].name, layouts[k].name);
			assert_false(layouts[i].type == layouts[k].type &&
				     layouts[i].misc == layouts[k].misc);
		}
	}
}

/* Bytes that each kind takes at least; arrays are given two elements, strings four letters. */
static size_t kind_bytes(enum pd_field_kind kind)
{
	switch (kind) {
	case PD_KIND_u8:
		return 1;
	case PD_KIND_u16:
		return 2;
	case PD_KIND_u32:
		return 4;
	case PD_KIND_u64:
	case PD_KIND_str:
	case PD_KIND_tag:
		return 8;
	case PD_KIND_build_id:
		return 24;
	case PD_KIND_u64s:
		return 16;
	case PD_KIND_pairs:
		return 32;
	case PD_KIND_bytes:
		return 0;
	}
	return 0;
}

static uint64_t pattern(size_t i)
{
	return 0x0102030405060708U * (i + 1);
}

static void put(uint8_t *to, uint64_t value, size_t size, bool big)
{
	for (size_t i = 0; i < size; i++)
		to[big ? size - 1 - i : i] = (uint8_t)(value >> (8 * i));
}

/* A record of that layout with a pattern in every field. Returns its size. */
static size_t build(const struct pd_layout *layout, bool big, uint8_t bytes[static 256])
{
	size_t at = PD_RECORD_HEADER_BYTES;

	memset(bytes, 0, 256);
	for (size_t i = 0; i < layout->n_fields; i++) {
		const struct pd_field *field = &layout->fields[i];
		size_t size = kind_bytes(field->kind);
		bool counts = i + 1 < layout->n_fields &&
			      (layout->fields[i + 1].kind == PD_KIND_u64s ||
				      layout->fields[i + 1].kind == PD_KIND_pairs);

		if (field->kind == PD_KIND_str)
			memcpy(bytes + at, "name", 5);
		else if (field->kind == PD_KIND_build_id)
			memcpy(bytes + at,
				"\x14\0\0\0"
				"abcdefghijklmnopqrst",
				24);
		else if (field->kind <= PD_KIND_u64)
			put(bytes + at, counts ? 2 : pattern(i), size, big);
		at += size;
	}
	put(bytes, layout->type, 4, big);
	put(bytes + 4, layout->misc, 2, big);
	put(bytes + 6, at, 2, big);
	return at;
}

static void check_field(const struct pd_field *field, size_t i, const union pd_body *body)
{
	const char *value = (const char *)body + field->offset;
	uint64_t mask = field->kind == PD_KIND_u32 ? UINT32_MAX : UINT64_MAX;
	uint64_t number = 0;

	switch ((enum pd_field_kind)field->kind) {
	case PD_KIND_str:
		assert_string_equal(((const struct pd_str *)value)->s, "name");
		assert_int_equal(((const struct pd_str *)value)->len, 4);
		break;
	case PD_KIND_build_id:
		assert_int_equal(((const struct pd_build_id *)value)->len, 20);
		assert_memory_equal(((const struct pd_build_id *)value)->bytes, "abcd", 4);
		break;
	case PD_KIND_u64s:
	case PD_KIND_pairs:
		assert_int_equal(((const struct pd_view *)value)->n, 2);
		break;
	case PD_KIND_u32:
	case PD_KIND_u64:
		memcpy(&number, value, field->kind == PD_KIND_u32 ? 4 : 8);
		assert_true(number == (pattern(i) & mask) || number == 2);
		break;
	default:
		break;
	}
}

static void every_layout_decodes_in_both_orders(void **state)
{
	size_t n;
	const struct pd_layout *layouts = pd_layouts(&n);

	(void)state;
	for (size_t i = 0; i < 2 * n; i++) {
		const struct pd_layout *layout = &layouts[i / 2];
		bool big = i % 2;
		uint8_t bytes[256];
		union pd_body body;
		const char *wrong;
		struct pd_record rec = { .type = layout->type, .misc = layout->misc };

		rec.size = (uint16_t)build(layout, big, bytes);
		rec.bytes = bytes;
		assert_true(pd_record_decode(&rec, 0, big, &body, &wrong));
		for (size_t k = 0; k < layout->n_fields; k++)
			check_field(&layout->fields[k], k, &body);
	}
}

static void every_layout_fails_when_cut(void **state)
{
	size_t n;
	const struct pd_layout *layouts = pd_layouts(&n);

	(void)state;
	for (size_t i = 0; i < n; i++) {
		uint8_t bytes[256];
		size_t size = build(&layouts[i], false, bytes);

		for (size_t cut = PD_RECORD_HEADER_BYTES; cut < size; cut++) {
			/* In memory of its own, so that a read past the end is seen. */
			uint8_t *copy = malloc(cut);
			union pd_body body;
			const char *wrong = NULL;
			struct pd_record rec = {
				.type = layouts[i].type,
				.misc = layouts[i].misc,
				.size = (uint16_t)cut,
				.bytes = copy,
			};

			memcpy(copy, bytes, cut);
			if (pd_record_decode(&rec, 0, false, &body, &wrong))
				/* Padding behind a string may go. */
				assert_true(cut + 3 >= size);
			else
				assert_non_null(wrong);
			free(copy);
		}
	}
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
	assert_false(pd_record_decode(&rec, 0, false, &body, &wrong));
	assert_string_equal(wrong, "array is longer than the record");
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
		assert_int_equal(pd_attr_decode(bytes, sizeof(bytes), false, &attr), size);
		assert_int_equal(attr.config, 0x0f0e0d0c0b0a0908U);
		assert_int_equal(attr.config2 != 0, size >= 72);
		assert_int_equal(attr.sample_stack_user != 0, size >= 96);
		assert_int_equal(attr.config4 != 0, size >= 144);
		assert_int_equal(pd_attr_decode(bytes, size - 1, false, &attr), 0);
	}
	put(bytes + 4, 0, 4, false);
	assert_int_equal(pd_attr_decode(bytes, sizeof(bytes), false, &attr), 64);
	put(bytes + 4, 60, 4, false);
	assert_int_equal(pd_attr_decode(bytes, sizeof(bytes), false, &attr), 0);
	put(bytes + 4, 68, 4, false);
	assert_int_equal(pd_attr_decode(bytes, sizeof(bytes), false, &attr), 0);
}

static void attr_flags_turn_with_the_byte_order(void **state)
{
	uint8_t bytes[64] = { 0 };
	struct pd_attr attr;
	/* As a big-endian compiler lays out sample_id_all, precise_ip = 1 and disabled. */
	uint64_t flags = (uint64_t)1 << (63 - PD_ATTR_sample_id_all) |
			 (uint64_t)1 << (63 - PD_ATTR_precise_ip - 1) | (uint64_t)1 << 63;

	(void)state;
	put(bytes + 4, 64, 4, true);
	put(bytes + 40, flags, 8, true);
	assert_int_equal(pd_attr_decode(bytes, sizeof(bytes), true, &attr), 64);
	assert_true(pd_attr_has(&attr, PD_ATTR_sample_id_all));
	assert_true(pd_attr_has(&attr, PD_ATTR_disabled));
	assert_false(pd_attr_has(&attr, PD_ATTR_inherit));
	assert_int_equal(attr.flags >> PD_ATTR_precise_ip & 3, 1);
}

static void feature_names(void **state)
{
	(void)state;
	assert_string_equal(pd_feature_name(PD_FEATURE_BUILD_ID), "BUILD_ID");
	assert_null(pd_feature_name(0));
	assert_null(pd_feature_name(200));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(layouts_are_unique),
		cmocka_unit_test(every_layout_decodes_in_both_orders),
		cmocka_unit_test(every_layout_fails_when_cut),
		cmocka_unit_test(array_counts_are_checked),
		cmocka_unit_test(attr_of_any_size),
		cmocka_unit_test(attr_flags_turn_with_the_byte_order),
		cmocka_unit_test(feature_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#include <pdconv/bitfield.h>

#include <pdconv/sample_defs.h>

#include "base/array.h"

#define FIELD_NAMES(shift, width, name, type, ...) \
	static const char *const NAMES_OF(name)[] = { __VA_ARGS__ };
#define NAMES_OF(name) name##_names
#define FIELD_ROW(shift_, width_, name_, type_, ...) \
	{ .name = #name_, \
		.shift = shift_, \
		.width = width_, \
		.type = PD_BITFIELD_##type_, \
		.n_names = PD_ARRAY_LEN(NAMES_OF(name_)), \
		.names = NAMES_OF(name_) },
#define FIELDS(which, LIST) \
	LIST(FIELD_NAMES) \
	static const struct pd_bitfield which##_fields[] = { LIST(FIELD_ROW) }; \
	const struct pd_bitfields pd_bitfields_##which = { which##_fields, \
		PD_ARRAY_LEN(which##_fields) };

FIELDS(data_src, PD_DATA_SRC_BITFIELDS)
FIELDS(transaction, PD_TRANSACTION_BITFIELDS)
FIELDS(weight_struct, PD_WEIGHT_STRUCT_BITFIELDS)
FIELDS(branch_flags, PD_BRANCH_FLAGS_BITFIELDS)

#define SAMPLE_TYPE_NAME(bit, name, ...) [bit] = #name,
static const char *const sample_type_names[] = { PD_SAMPLE_FIELDS(SAMPLE_TYPE_NAME) };
static const char *const read_format_names[] = { PD_READ_FORMAT_NAMES };
static const char *const branch_sample_type_names[] = { PD_BRANCH_SAMPLE_TYPE_NAMES };

const struct pd_bit_names pd_names_sample_type = { sample_type_names,
	PD_ARRAY_LEN(sample_type_names) };
const struct pd_bit_names pd_names_read_format = { read_format_names,
	PD_ARRAY_LEN(read_format_names) };
const struct pd_bit_names pd_names_branch_sample_type = {
	branch_sample_type_names,
	PD_ARRAY_LEN(branch_sample_type_names),
};

uint64_t pd_bitfields_byteswap(const struct pd_bitfields *fields, uint64_t whole, int from_big)
{
	uint64_t swapped = 0;

	for (int bit = 0; bit < 64; bit++)
		swapped |= (whole >> (63 - bit) & 1) << bit;
	for (size_t i = 0; i < fields->n; i++) {
		const struct pd_bitfield *field = &fields->fields[i];
		uint64_t mask = ~(uint64_t)0 >> (64 - field->width);
		int big = 64 - field->shift - field->width;
		int to = from_big ? field->shift : big;
		int from = from_big ? big : field->shift;

		swapped &= ~(mask << to);
		swapped |= (whole >> from & mask) << to;
	}
	return swapped;
}

#include <pdconv/part.h>

#include <pdconv/sample_defs.h>

#include "base/array.h"

#define PART_NAMES(shift, width, name, type, ...) \
	static const char *const PART_NAMES_OF(name)[] = { __VA_ARGS__ };
#define PART_NAMES_OF(name) name##_names
#define PART_ROW(shift_, width_, name_, type_, ...) \
	{ .name = #name_, \
		.shift = shift_, \
		.width = width_, \
		.type = PD_PART_##type_, \
		.n_names = PD_ARRAY_LEN(PART_NAMES_OF(name_)), \
		.names = PART_NAMES_OF(name_) },
#define PARTS(which, LIST) \
	LIST(PART_NAMES) \
	static const struct pd_int_part which##_parts[] = { LIST(PART_ROW) }; \
	const struct pd_parts pd_parts_##which = { which##_parts, PD_ARRAY_LEN(which##_parts) };

PARTS(data_src, PD_DATA_SRC_PARTS)
PARTS(transaction, PD_TRANSACTION_PARTS)
PARTS(weight_struct, PD_WEIGHT_STRUCT_PARTS)
PARTS(branch_flags, PD_BRANCH_FLAGS_PARTS)

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

uint64_t pd_parts_turn(const struct pd_parts *parts, uint64_t whole, int from_big)
{
	uint64_t turned = 0;

	for (int bit = 0; bit < 64; bit++)
		turned |= (whole >> (63 - bit) & 1) << bit;
	for (size_t i = 0; i < parts->n; i++) {
		const struct pd_int_part *part = &parts->parts[i];
		uint64_t mask = ~(uint64_t)0 >> (64 - part->width);
		int big = 64 - part->shift - part->width;
		int to = from_big ? part->shift : big;
		int from = from_big ? big : part->shift;

		turned &= ~(mask << to);
		turned |= (whole >> from & mask) << to;
	}
	return turned;
}

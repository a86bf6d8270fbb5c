#include <pdconv/bitfield.h>
#include <pdconv/names.h>
#include <pdconv/sample_defs.h>
#include <pdconv/visitor.h>

#include "base/array.h"
#include "parse/layout_tables.h"

#define NAME(number, name) [number] = (name),
#define EVENT_NAME(id, name, other) [id] = (name),
#define CACHE_NAME(id, ops, name, ...) [id] = (name),
#define OP_NAME(id, one, many) [id] = (one),

/* Define an array of names, and the function that looks them up. */
#define DEFINE_NAMES(what, LIST, ROW) \
	static const char *const what##_names[] = { LIST(ROW) }; \
	const char *pd_##what##_name(uint64_t number) \
	{ \
		return number < PD_ARRAY_LEN(what##_names) ? what##_names[number] : NULL; \
	}

DEFINE_NAMES(cpu_mode, PD_CPU_MODES, NAME)
DEFINE_NAMES(attr_type, PD_ATTR_TYPES, NAME)
DEFINE_NAMES(breakpoint_kind, PD_BREAKPOINT_KINDS, NAME)
DEFINE_NAMES(precision, PD_PRECISIONS, NAME)
DEFINE_NAMES(regs_abi, PD_REGS_ABIS, NAME)
DEFINE_NAMES(aux_flag, PD_AUX_FLAGS, NAME)
DEFINE_NAMES(aux_format, PD_AUX_FORMATS, NAME)
DEFINE_NAMES(ksym_type, PD_KSYM_TYPES, NAME)
DEFINE_NAMES(bpf_event, PD_BPF_EVENTS, NAME)
DEFINE_NAMES(hardware_event, PD_HARDWARE_EVENTS, EVENT_NAME)
DEFINE_NAMES(software_event, PD_SOFTWARE_EVENTS, EVENT_NAME)
DEFINE_NAMES(cache, PD_CACHES, CACHE_NAME)
DEFINE_NAMES(cache_op, PD_CACHE_OPS, OP_NAME)
DEFINE_NAMES(cache_result, PD_CACHE_RESULTS, NAME)

#define FORMAT(format, value_type, what) \
	[PD_FMT_##format] = { PD_VALUE_##value_type, what##_names, PD_ARRAY_LEN(what##_names) },

/* Formats whose numbers have names. The others are zero. */
static const struct {
	enum pd_value_type type;
	const char *const *names;
	size_t n_names;
} formats[] = { FORMAT(ATTR_TYPE, ENUM, attr_type) FORMAT(BREAKPOINT, MASK, breakpoint_kind)
		FORMAT(PRECISION, ENUM, precision) FORMAT(REGS_ABI, ENUM, regs_abi)
			FORMAT(AUX_FLAGS, MASK, aux_flag) FORMAT(KSYM_TYPE, ENUM, ksym_type)
				FORMAT(BPF_EVENT, ENUM, bpf_event) };

void parse_value_set_names(struct pd_value *value)
{
	if (value->type != PD_VALUE_UINT || value->format >= PD_ARRAY_LEN(formats) ||
		!formats[value->format].names)
		return;
	value->type = formats[value->format].type;
	value->names = formats[value->format].names;
	value->n_names = formats[value->format].n_names;
}

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

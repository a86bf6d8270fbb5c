#include <pdconv/attr.h>

#include <pdconv/cursor.h>

#include "base/array.h"
#include "base/integer.h"
#include "parse/attr_store.h"
#include "parse/member.h"

#define FLAG_NAME(bit, width, name) [bit] = #name,
static const char *const flag_names[] = {
	PD_ATTR_FLAGS(FLAG_NAME)
		/* precise_ip has two bits; all other flags have one. */
		[PD_ATTR_precise_ip + 1] = "precise_ip.1",
};
static const struct pd_bit_names flag_bits = {
	flag_names,
	PD_ARRAY_LEN(flag_names),
};

#define ATTR_BITS_none NULL
#define ATTR_BITS_flags &flag_bits
#define ATTR_BITS_sample_type &pd_names_sample_type
#define ATTR_BITS_read_format &pd_names_read_format
#define ATTR_BITS_branch_sample_type &pd_names_branch_sample_type
#define ATTR_FIELD(kind, name_, wire, format_, bits, meaning_) \
	{ .name = #name_, \
		.wire_offset = wire, \
		.wire_size = sizeof(PD_TYPE_##kind), \
		.offset = offsetof(struct pd_attr, name_), \
		.format = PD_FMT_##format_, \
		.names = ATTR_BITS_##bits, \
		.meaning = meaning_ },
static const struct pd_attr_field attr_fields[] = { PD_ATTR_FIELDS(ATTR_FIELD) };

enum { N_ATTR_FIELDS = PD_ARRAY_LEN(attr_fields) };

const struct pd_attr_field *pd_attr_fields(size_t *n_ret)
{
	*n_ret = N_ATTR_FIELDS;
	return attr_fields;
}

uint64_t pd_attr_field_get(const struct pd_attr_field *field, const struct pd_attr *attr)
{
	const void *from = (const char *)attr + field->offset;

	return base_load_uint(from, field->wire_size, false);
}

/*
 * Reverse the order of the flags. A big-endian compiler allocates bit-fields from the top: bit b on
 * a little-endian machine is bit 63 - b there. precise_ip is a number of two bits, so its bits keep
 * their order within the field.
 */
static uint64_t flags_swapped(uint64_t flags, int precise_ip_to)
{
	int precise_ip_from = 62 - precise_ip_to;
	uint64_t swapped = 0;

	for (int bit = 0; bit < 64; bit++)
		swapped |= (flags >> (63 - bit) & 1) << bit;
	swapped &= ~((uint64_t)3 << precise_ip_to);
	return swapped | (flags >> precise_ip_from & 3) << precise_ip_to;
}

/* Reverse the order of the three flags of aux_action, as flags_swapped() does. */
static uint32_t aux_action_swapped(uint32_t action)
{
	uint32_t swapped = 0;

	for (int bit = 0; bit < 32; bit++)
		swapped |= (action >> (31 - bit) & 1) << bit;
	return swapped;
}

size_t pd_attr_decode(const struct pd_view *bytes, struct pd_attr *ret)
{
	struct pd_cursor size_at = pd_view_cursor(bytes);
	pd_cursor_bytes(&size_at, 4);
	size_t size = pd_cursor_u32(&size_at);

	/*
	 * The kernel takes size 0 for PERF_ATTR_SIZE_VER0 (perf_copy_attr() in
	 * kernel/events/core.c).
	 */
	if (size == 0)
		size = PD_ATTR_MIN_BYTES;
	if (size_at.overrun || size < PD_ATTR_MIN_BYTES || size % 8 || size > bytes->n)
		return 0;

	*ret = (struct pd_attr){ 0 };
	for (size_t i = 0; i < N_ATTR_FIELDS; i++) {
		const struct pd_attr_field *field = &attr_fields[i];

		/* Fields that the writer did not know yet are zero. */
		if (field->wire_offset + field->wire_size > size)
			continue;
		struct pd_cursor c = pd_cursor_init(
			bytes->data + field->wire_offset, field->wire_size, bytes->swap);
		base_store_uint((char *)ret + field->offset, field->wire_size, false,
			base_cursor_uint(&c, field->wire_size));
	}
	if (pd_is_big_endian(bytes->swap)) {
		ret->flags = flags_swapped(ret->flags, PD_ATTR_precise_ip);
		ret->aux_action = aux_action_swapped(ret->aux_action);
	}
	return size;
}

/* Convert flags and aux_action to the bit order of a writer with that byte order. */
static struct pd_attr as_written(const struct pd_attr *attr, bool swap)
{
	struct pd_attr wire = *attr;

	if (pd_is_big_endian(swap)) {
		wire.flags = flags_swapped(wire.flags, 62 - PD_ATTR_precise_ip);
		wire.aux_action = aux_action_swapped(wire.aux_action);
	}
	return wire;
}

void pd_attr_encode(const struct pd_attr *attr, struct pd_bytes *out)
{
	struct pd_attr wire = as_written(attr, out->swap);
	size_t size = attr->size ? attr->size : PD_ATTR_MIN_BYTES;
	size_t start = out->buf.n;

	for (size_t i = 0; i < N_ATTR_FIELDS; i++) {
		const struct pd_attr_field *field = &attr_fields[i];
		if (field->wire_offset + field->wire_size > size)
			break;
		/* The table is in wire order. Gaps between fields are reserved and must be zero. */
		pd_bytes_zeros(out, start + field->wire_offset - out->buf.n);
		pd_bytes_uint(out, pd_attr_field_get(field, &wire), field->wire_size);
	}
	pd_bytes_zeros(out, start + size - out->buf.n);
}

void parse_attr_store(const struct pd_attr *attr, size_t size, bool swap, uint8_t *to)
{
	struct pd_attr wire = as_written(attr, swap);

	for (size_t i = 0; i < N_ATTR_FIELDS; i++) {
		const struct pd_attr_field *field = &attr_fields[i];

		if (field->wire_offset + field->wire_size > size)
			break;
		base_store_uint(to + field->wire_offset, field->wire_size, swap,
			pd_attr_field_get(field, &wire));
	}
}

void pd_attr_byteswap(const struct pd_view *bytes, uint8_t *ret)
{
	struct pd_attr attr;
	size_t size = pd_attr_decode(bytes, &attr);

	memcpy(ret, bytes->data, bytes->n);
	if (!size)
		return;
	parse_attr_store(&attr, size, !bytes->swap, ret);
	size_t known = size < PD_ATTR_KNOWN_BYTES ? size : PD_ATTR_KNOWN_BYTES;
	for (size_t at = known; at + 8 <= bytes->n; at += 8)
		base_store_uint(
			ret + at, 8, !bytes->swap, pd_load_u64(bytes->data + at, bytes->swap));
}

void pd_attr_transcode(const struct pd_view *bytes, struct pd_bytes *out)
{
	if (bytes->swap == out->swap) {
		pd_bytes_put(out, bytes->data, bytes->n);
		return;
	}
	uint8_t *to = pd_bytes_extend(out, bytes->n);
	if (to)
		pd_attr_byteswap(bytes, to);
}

/* PERF_COUNT_SW_*. */
enum { SW_CPU_CLOCK = 0, SW_TASK_CLOCK = 1 };

const char *pd_attr_unit(const struct pd_attr *attr)
{
	if (attr->type == PD_TYPE_SOFTWARE &&
		(attr->config == SW_CPU_CLOCK || attr->config == SW_TASK_CLOCK))
		return "nanoseconds";
	return "count";
}

uint64_t parse_attr_fixed_period(const struct pd_attr *attr)
{
	static const uint64_t ns_of_second = 1000000000;

	if (!pd_attr_has(attr, PD_ATTR_freq))
		return attr->sample_period;
	if (!attr->sample_period || strcmp(pd_attr_unit(attr), "nanoseconds") != 0)
		return 0;
	return ns_of_second / attr->sample_period;
}

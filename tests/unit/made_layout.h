/**
 * @file Generator of encoded layouts: every field of a record or a feature, by the tables.
 */
#ifndef PD_TESTS_UNIT_MADE_LAYOUT_H
#define PD_TESTS_UNIT_MADE_LAYOUT_H

#include <pdconv/attr.h>
#include <pdconv/layout.h>

#include "parse/layout_tables.h"

enum { N_CPUS = 3, COUNT = 2, BITS = 70, ATTR_BYTES = 144 };

/** State of the generator, whose values are the same in both byte orders. */
struct maker {
	struct pd_bytes out;
	uint64_t next;
	/** Value of all integers, in layouts where an integer selects the form of the bytes. */
	uint64_t variant;
};

static inline uint64_t next_value(struct maker *m)
{
	m->next = m->next * 6364136223846793005U + 1442695040888963407U;
	return m->next;
}

/* Field whose length is the value of field @p i, or NULL. */
static const struct pd_field *counted_by(const struct pd_layout *layout, size_t i)
{
	for (size_t k = i + 1; k < layout->n_fields; k++) {
		if (layout->fields[k].back && k - layout->fields[k].back == i)
			return &layout->fields[k];
	}
	return NULL;
}

static inline bool depends(const struct pd_layout *layout)
{
	for (size_t i = 0; i < layout->n_fields; i++) {
		if (layout->fields[i].select && layout->fields[i].kind == PD_KIND_bytes)
			return true;
	}
	return false;
}

static inline void make(struct maker *m, const struct pd_layout *layout);

static inline uint64_t length_of(const struct pd_field *counted);

static inline uint64_t made_length(const struct pd_layout *layout)
{
	struct maker m = { 0 };

	make(&m, layout);
	uint64_t length = m.out.buf.n;
	pd_bytes_deinit(&m.out);
	return length;
}

/* Value of the field that holds the length of @p counted. */
static inline uint64_t length_of(const struct pd_field *counted)
{
	switch ((enum pd_field_kind)counted->kind) {
	case PD_KIND_bitmap:
		return BITS;
	case PD_KIND_sized:
	case PD_KIND_sized_text:
		if (counted->select)
			return made_length(counted->select(NULL, (struct pd_view){ 0 }));
		return counted->size + 6;
	default:
		return COUNT;
	}
}

static inline void make_int(struct maker *m, const struct pd_layout *layout, size_t i)
{
	const struct pd_field *counted = counted_by(layout, i);
	uint64_t value = next_value(m);

	if (counted)
		value = length_of(counted);
	else if (depends(layout))
		value = m->variant;
	pd_bytes_uint(&m->out, value, pd_field_int_size(&layout->fields[i]));
}

static inline void make_attr(struct maker *m)
{
	struct pd_attr attr;
	uint8_t *bytes = (uint8_t *)&attr;

	for (size_t i = 0; i < sizeof(attr); i++)
		bytes[i] = (uint8_t)next_value(m);
	attr.size = ATTR_BYTES;
	pd_attr_encode(&attr, &m->out);
}

static inline void make_elems(struct maker *m, const struct pd_layout *elem, size_t n)
{
	while (n--)
		make(m, elem);
}

static inline void make_ints(struct maker *m, size_t size, size_t n)
{
	while (n--)
		pd_bytes_uint(&m->out, next_value(m), size);
}

/* Generate an `as` field by the layout that the fields before it select. */
static inline void make_chosen(
	struct maker *m, const struct pd_layout *layout, const struct pd_field *field, size_t start)
{
	union pd_any_struct body = { 0 };
	struct pd_layout_env env = { 0 };
	struct pd_layout_fault fault;
	struct pd_cursor c = pd_cursor_init(m->out.buf.data, m->out.buf.n, m->out.swap);
	const struct pd_layout *chosen = NULL;

	pd_cursor_bytes(&c, start);
	if (pd_layout_decode(layout, &c, &env, &body, &fault))
		chosen = field->select(&body, (struct pd_view){ 0 });
	if (chosen)
		make(m, chosen);
	else
		pd_bytes_put(&m->out, "unknown!", 8);
}

static inline void make_field(
	struct maker *m, const struct pd_layout *layout, size_t i, size_t start)
{
	const struct pd_field *field = &layout->fields[i];
	static const uint8_t build_id[] = "\x14\0\0\0abcdefghijklmnopqrst";

	switch ((enum pd_field_kind)field->kind) {
	case PD_KIND_u8:
	case PD_KIND_u16:
	case PD_KIND_u32:
	case PD_KIND_u64:
		make_int(m, layout, i);
		break;
	case PD_KIND_attr_size:
		pd_bytes_u32(&m->out, ATTR_BYTES);
		break;
	case PD_KIND_str:
		pd_bytes_put(&m->out, "name", 5);
		break;
	case PD_KIND_text:
		pd_bytes_u32(&m->out, 11);
		pd_bytes_put(&m->out, "some text\0", 11);
		break;
	case PD_KIND_chars:
	case PD_KIND_raw:
		pd_bytes_put(&m->out, "abc", 3);
		pd_bytes_zeros(&m->out, field->size - 3);
		break;
	case PD_KIND_build_id:
		pd_bytes_put(&m->out, build_id, 24);
		break;
	case PD_KIND_bytes:
		if (field->select)
			make_chosen(m, layout, field, start);
		break;
	case PD_KIND_sized:
	case PD_KIND_sized_text:
		if (field->select)
			make(m, field->select(NULL, (struct pd_view){ 0 }));
		else
			pd_bytes_put(&m->out, "bytes", 6);
		break;
	case PD_KIND_array:
		make_ints(m, field->size, COUNT);
		break;
	case PD_KIND_bitmap:
		make_ints(m, 8, (BITS + 63) / 64);
		break;
	case PD_KIND_all_array:
		make_ints(m, field->size, 3);
		break;
	case PD_KIND_list:
		make_elems(m, field->elem, COUNT);
		break;
	case PD_KIND_all:
		make_elems(m, field->elem, 1);
		break;
	case PD_KIND_cpus:
		make_elems(m, field->elem, N_CPUS);
		break;
	case PD_KIND_attr:
		make_attr(m);
		break;
	}
}

/** Append the bytes of @p layout to m->out. */
static inline void make(struct maker *m, const struct pd_layout *layout)
{
	size_t start = m->out.buf.n;

	for (size_t i = 0; i < layout->n_fields; i++)
		make_field(m, layout, i, start);
}

#endif

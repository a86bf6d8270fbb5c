#include "parse/trace/trace_fields.h"

#include <inttypes.h>
#include <string.h>

#include <pdconv/cursor.h>

#include "base/integer.h"
#include "parse/trace/c_text.h"

struct pd_trace_values pd_trace_values(const struct pd_tracing *tracing,
	const struct pd_tracepoint *tracepoint, const struct pd_view *raw)
{
	struct pd_trace_values values = { .tracepoint = tracepoint, .raw = *raw };

	/* Tracing data have their own byte order mark, which holds for the raw data too. */
	values.raw.swap = pd_tracing_swap(tracing);
	return values;
}

/* Decode bytes as one integer of 1, 2, 4 or 8 bytes. */
static uint64_t load_number(const struct pd_view *bytes, bool is_signed)
{
	size_t size = bytes->n * bytes->elem_size;
	uint64_t value = base_load_uint(bytes->data, size, bytes->swap);

	return is_signed ? (uint64_t)base_sign_extend(value, size) : value;
}

/* Take size bytes at offset of the raw data. False if they are outside. */
static bool take_bytes(
	const struct pd_view *raw, uint64_t offset, uint64_t size, struct pd_view *ret)
{
	if (offset > raw->n || size > raw->n - offset)
		return false;
	*ret = (struct pd_view){
		.data = raw->data + offset, .elem_size = 1, .swap = raw->swap, .n = size
	};
	return true;
}

bool parse_trace_bytes_of(const struct pd_trace_values *values, const struct pd_trace_field *field,
	struct pd_view *ret)
{
	const struct pd_view *raw = &values->raw;

	if (!field->is_dynamic)
		return take_bytes(raw, field->offset, field->size, ret);
	struct pd_view locator;
	if (!take_bytes(raw, field->offset, 4, &locator))
		return false;
	uint32_t where = pd_load_u32(locator.data, locator.swap);
	uint64_t offset = where & 0xffff;
	if (field->is_relative)
		offset += (uint64_t)field->offset + 4;
	return take_bytes(raw, offset, where >> 16, ret);
}

/* Determine the kind of an array, and adapt data to its elements. */
static enum pd_trace_kind array_kind(const struct pd_trace_field *field, struct pd_view *data)
{
	if (field->is_string) {
		data->n = strnlen((const char *)data->data, data->n);
		return PD_TRACE_STRING;
	}
	if (field->elem_size < 2 || data->n % field->elem_size)
		return PD_TRACE_BYTES;
	data->elem_size = field->elem_size;
	data->n /= field->elem_size;
	return PD_TRACE_ARRAY;
}

static bool is_number(const struct pd_trace_field *field)
{
	return !field->is_array && !field->is_dynamic && parse_c_integer_has_size(field->size);
}

void parse_trace_value_of(const struct pd_trace_values *values, const struct pd_trace_field *field,
	struct pd_trace_value *ret)
{
	*ret = (struct pd_trace_value){
		.name = field->name,
		.is_common = field->is_common,
		.is_address = field->is_address,
		.is_signed = field->is_signed,
		.kind = PD_TRACE_BYTES,
	};
	/* Structs, and numbers that do not have 1, 2, 4 or 8 bytes, stay bytes. */
	if (!parse_trace_bytes_of(values, field, &ret->data)) {
		ret->kind = PD_TRACE_OUTSIDE;
	} else if (is_number(field)) {
		ret->kind = field->is_signed ? PD_TRACE_SIGNED : PD_TRACE_UNSIGNED;
		ret->number.u = load_number(&ret->data, field->is_signed);
	} else if (field->is_array) {
		ret->kind = array_kind(field, &ret->data);
	}
}

bool pd_trace_next(struct pd_trace_values *values, struct pd_trace_value *ret)
{
	const struct pd_trace_format *format =
		values->tracepoint ? &values->tracepoint->format : NULL;

	if (!format || values->next >= format->fields.n)
		return false;
	parse_trace_value_of(values, &format->fields.data[values->next++], ret);
	return true;
}

bool pd_trace_find(
	const struct pd_trace_values *values, const char *name, struct pd_trace_value *ret)
{
	struct pd_trace_values it = *values;
	struct pd_trace_value value;

	it.next = 0;
	while (pd_trace_next(&it, &value)) {
		if (strcmp(value.name, name) == 0) {
			*ret = value;
			return true;
		}
	}
	return false;
}

uint64_t pd_trace_number(const struct pd_trace_value *value, uint64_t i)
{
	struct pd_view number = value->data;

	number.data += i * number.elem_size;
	number.n = 1;
	return load_number(&number, value->is_signed);
}

static void write_number(uint64_t number, const struct pd_trace_value *value, FILE *out)
{
	if (value->is_address)
		fprintf(out, "0x%" PRIx64, number);
	else if (value->is_signed)
		fprintf(out, "%" PRId64, (int64_t)number);
	else
		fprintf(out, "%" PRIu64, number);
}

static void write_array(const struct pd_trace_value *value, FILE *out)
{
	fputc('{', out);
	for (uint64_t i = 0; i < value->data.n; i++) {
		if (i)
			fputc(',', out);
		write_number(pd_trace_number(value, i), value, out);
	}
	fputc('}', out);
}

static void write_value(const struct pd_trace_value *value, FILE *out)
{
	switch (value->kind) {
	case PD_TRACE_UNSIGNED:
	case PD_TRACE_SIGNED:
		write_number(value->number.u, value, out);
		break;
	case PD_TRACE_STRING:
		fwrite(value->data.data, 1, value->data.n, out);
		break;
	case PD_TRACE_BYTES:
		for (uint64_t i = 0; i < value->data.n; i++)
			fprintf(out, "%02x", value->data.data[i]);
		break;
	case PD_TRACE_ARRAY:
		write_array(value, out);
		break;
	case PD_TRACE_OUTSIDE:
		fputc('?', out);
		break;
	}
}

void pd_trace_write(const struct pd_trace_values *values, FILE *out)
{
	struct pd_trace_values it = *values;
	struct pd_trace_value value;
	bool is_first = true;

	while (pd_trace_next(&it, &value)) {
		if (value.is_common)
			continue;
		fprintf(out, "%s%s=", is_first ? "" : " ", value.name);
		write_value(&value, out);
		is_first = false;
	}
}

#include "symbolize/foreign/wire.h"

static bool take_number(struct sym_wire *wire, uint64_t *ret)
{
	uint64_t value = 0;

	for (unsigned shift = 0; shift < 64 && wire->at < wire->end; shift += 7) {
		uint8_t byte = *wire->at++;

		value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80)) {
			*ret = value;
			return true;
		}
	}
	return false;
}

static bool skip(struct sym_wire *wire, uint64_t len)
{
	if (len > (uint64_t)(wire->end - wire->at))
		return false;
	wire->at += len;
	return true;
}

static bool take_value(struct sym_wire *wire, struct sym_field *field)
{
	uint64_t len;

	switch (field->type) {
	case SYM_WIRE_NUMBER:
		return take_number(wire, &field->value);
	case SYM_WIRE_64:
		return skip(wire, 8);
	case SYM_WIRE_32:
		return skip(wire, 4);
	case SYM_WIRE_BYTES:
		if (!take_number(wire, &len))
			return false;
		field->bytes = wire->at;
		field->len = (size_t)len;
		return skip(wire, len);
	}
	return false;
}

bool sym_wire_next(struct sym_wire *wire, struct sym_field *ret)
{
	const uint8_t *start = wire->at;
	uint64_t tag;

	if (wire->is_damaged || start == wire->end)
		return false;
	if (take_number(wire, &tag) && tag >> 3 && tag >> 3 <= UINT32_MAX) {
		*ret = (struct sym_field){
			.start = start,
			.number = (uint32_t)(tag >> 3),
			.type = (enum sym_wire_type)(tag & 7),
		};
		if (take_value(wire, ret)) {
			ret->end = wire->at;
			return true;
		}
	}
	wire->at = start;
	wire->is_damaged = true;
	return false;
}

static uint8_t *put(uint8_t *to, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		*to++ = (uint8_t)(value | 0x80);
	*to++ = (uint8_t)value;
	return to;
}

uint8_t *sym_put_number(uint8_t *to, uint32_t number, uint64_t value)
{
	return value ? put(put(to, (uint64_t)number << 3 | SYM_WIRE_NUMBER), value) : to;
}

uint8_t *sym_put_len(uint8_t *to, uint32_t number, size_t len)
{
	return put(put(to, (uint64_t)number << 3 | SYM_WIRE_BYTES), len);
}

#include "base/protobuf.h"

static bool damage(struct base_proto *proto, const uint8_t *start)
{
	proto->at = start;
	proto->is_damaged = true;
	return false;
}

static bool take_varint(struct base_proto *proto, uint64_t *ret)
{
	uint64_t value = 0;

	for (unsigned shift = 0; shift < 64 && proto->at < proto->end; shift += 7) {
		uint8_t byte = *proto->at++;

		value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80)) {
			*ret = value;
			return true;
		}
	}
	return false;
}

/* Read a number of @p len bytes, little endian. */
static bool take_fixed(struct base_proto *proto, unsigned len, uint64_t *ret)
{
	if ((size_t)(proto->end - proto->at) < len)
		return false;
	*ret = 0;
	for (unsigned i = 0; i < len; i++)
		*ret |= (uint64_t)*proto->at++ << 8 * i;
	return true;
}

static bool take_bytes(struct base_proto *proto, struct base_proto_field *field)
{
	uint64_t len;

	if (!take_varint(proto, &len) || len > (uint64_t)(proto->end - proto->at))
		return false;
	field->bytes = proto->at;
	field->len = (size_t)len;
	proto->at += len;
	return true;
}

static bool take_value(struct base_proto *proto, struct base_proto_field *field)
{
	switch (field->type) {
	case BASE_PROTO_VARINT:
		return take_varint(proto, &field->value);
	case BASE_PROTO_FIXED64:
		return take_fixed(proto, 8, &field->value);
	case BASE_PROTO_LEN:
		return take_bytes(proto, field);
	case BASE_PROTO_FIXED32:
		return take_fixed(proto, 4, &field->value);
	}
	return false;
}

bool base_proto_next(struct base_proto *proto, struct base_proto_field *ret)
{
	const uint8_t *start = proto->at;
	uint64_t tag;

	if (proto->is_damaged || start == proto->end)
		return false;
	if (!take_varint(proto, &tag) || !(tag >> 3) || tag >> 3 > UINT32_MAX)
		return damage(proto, start);
	*ret = (struct base_proto_field){
		.start = start,
		.number = (uint32_t)(tag >> 3),
		.type = (enum base_proto_type)(tag & 7),
	};
	if (!take_value(proto, ret))
		return damage(proto, start);
	ret->end = proto->at;
	return true;
}

bool base_proto_take_varint(struct base_proto *proto, uint64_t *ret)
{
	const uint8_t *start = proto->at;

	if (proto->is_damaged || start == proto->end)
		return false;
	return take_varint(proto, ret) || damage(proto, start);
}

bool base_proto_take_fixed64(struct base_proto *proto, uint64_t *ret)
{
	const uint8_t *start = proto->at;

	if (proto->is_damaged || start == proto->end)
		return false;
	return take_fixed(proto, 8, ret) || damage(proto, start);
}

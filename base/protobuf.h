/**
 * @file Protocol buffers, field by field, for messages from untrusted input, and for those that are
 * too many for protobuf-c.
 */
#ifndef PD_BASE_PROTOBUF_H
#define PD_BASE_PROTOBUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum {
	/** Most bytes of a number. */
	BASE_VARINT_BYTES = 10,
	/** Most bytes of a number with its tag, and of the tag and the size of bytes. */
	BASE_PROTO_NUMBER_BYTES = 1 + BASE_VARINT_BYTES,
};

/** Wire types. Groups, which are 3 and 4, are refused: proto3 has none. */
enum base_proto_type {
	BASE_PROTO_VARINT = 0,
	BASE_PROTO_FIXED64 = 1,
	/** A size that is followed by bytes. */
	BASE_PROTO_LEN = 2,
	BASE_PROTO_FIXED32 = 5,
};

/** Bytes of a message from untrusted input that were not read yet. */
struct base_proto {
	const uint8_t *at;
	const uint8_t *end;
	/** The bytes at @ref at are not a field. */
	bool is_damaged;
};

struct base_proto_field {
	/** The whole field with its tag: [start, end). */
	const uint8_t *start;
	const uint8_t *end;
	uint32_t number;
	enum base_proto_type type;
	/** Numbers: the value; 0 for bytes. */
	uint64_t value;
	/** BASE_PROTO_LEN: the bytes; otherwise NULL and 0. */
	const uint8_t *bytes;
	size_t len;
};

/** Read the next field. Returns false at the end, and at damage. */
bool base_proto_next(struct base_proto *proto, struct base_proto_field *ret);

/** Read a number of a packed field. Returns false at the end, and at damage. */
bool base_proto_take_varint(struct base_proto *proto, uint64_t *ret);
bool base_proto_take_fixed64(struct base_proto *proto, uint64_t *ret);

/** The fields of the message, or the numbers, in a field of bytes. */
static inline struct base_proto base_proto_of(const struct base_proto_field *field)
{
	return (struct base_proto){ .at = field->bytes, .end = field->bytes + field->len };
}

/* Functions write at @p to, which has enough room, and return the end of what they wrote. */

/** Number of bytes of @p value: each has seven bits. */
static inline size_t base_varint_size(uint64_t value)
{
	unsigned bits = 64 - (unsigned)__builtin_clzll(value | 1);

	return (bits + 6) / 7;
}

static inline uint8_t *base_varint(uint8_t *to, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		*to++ = (uint8_t)(value | 0x80);
	*to++ = (uint8_t)value;
	return to;
}

/** Tag of the field @p field, which is less than 16. */
static inline uint8_t base_proto_tag(unsigned field, enum base_proto_type type)
{
	return (uint8_t)(field << 3 | type);
}

/** Write a number, unless it is 0, the default. */
static inline uint8_t *base_proto_int64(uint8_t *to, unsigned field, int64_t value)
{
	if (!value)
		return to;
	*to++ = base_proto_tag(field, BASE_PROTO_VARINT);
	return base_varint(to, (uint64_t)value);
}

/** Write a number in 8 bytes, little endian, without a tag. */
static inline uint8_t *base_fixed64(uint8_t *to, uint64_t value)
{
	for (unsigned i = 0; i < 8; i++)
		*to++ = (uint8_t)(value >> 8 * i);
	return to;
}

/** Write the tag and the size of @p size bytes that follow. */
static inline uint8_t *base_proto_len(uint8_t *to, unsigned field, size_t size)
{
	*to++ = base_proto_tag(field, BASE_PROTO_LEN);
	return base_varint(to, size);
}

/** Write a field of @p size bytes. */
static inline uint8_t *base_proto_bytes(uint8_t *to, unsigned field, const void *bytes, size_t size)
{
	to = base_proto_len(to, field, size);
	if (size)
		memcpy(to, bytes, size);
	return to + size;
}

/** Number of bytes of a field of @p size bytes, with its tag and size. */
static inline uint64_t base_proto_len_size(uint64_t size)
{
	return 1 + base_varint_size(size) + size;
}

/**
 * Complete a field whose bytes are between @p body and @p end, with BASE_PROTO_NUMBER_BYTES of room
 * before them. Return its first byte.
 */
static inline uint8_t *base_proto_seal(uint8_t *body, const uint8_t *end, unsigned field)
{
	size_t size = (size_t)(end - body);
	uint8_t *head = body - 1 - base_varint_size(size);

	base_proto_len(head, field, size);
	return head;
}

#endif

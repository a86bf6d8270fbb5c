/**
 * @file Encoding of protocol buffers, for messages that are too many for protobuf-c.
 *
 * Functions write at @p to, which has enough room, and return the end of what they wrote.
 */
#ifndef PD_OUTPUT_PROTOBUF_H
#define PD_OUTPUT_PROTOBUF_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/** Most bytes of a number. */
enum { OUT_VARINT_BYTES = 10 };

/** Wire types: a number, one of 8 bytes, and a size that is followed by bytes. */
enum out_proto_type { OUT_PROTO_VARINT = 0, OUT_PROTO_FIXED64 = 1, OUT_PROTO_LEN = 2 };

/** Number of bytes of @p value: each has seven bits. */
static inline size_t out_varint_size(uint64_t value)
{
	unsigned bits = 64 - (unsigned)__builtin_clzll(value | 1);

	return (bits + 6) / 7;
}

static inline uint8_t *out_varint(uint8_t *to, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		*to++ = (uint8_t)(value | 0x80);
	*to++ = (uint8_t)value;
	return to;
}

/** Tag of the field @p field, which is less than 16. */
static inline uint8_t out_proto_tag(unsigned field, enum out_proto_type type)
{
	return (uint8_t)(field << 3 | type);
}

/** Write a number, unless it is 0, the default. */
static inline uint8_t *out_proto_int64(uint8_t *to, unsigned field, int64_t value)
{
	if (!value)
		return to;
	*to++ = out_proto_tag(field, OUT_PROTO_VARINT);
	return out_varint(to, (uint64_t)value);
}

/** Write a number in 8 bytes, little endian, without a tag. */
static inline uint8_t *out_fixed64(uint8_t *to, uint64_t value)
{
	for (unsigned i = 0; i < 8; i++)
		*to++ = (uint8_t)(value >> 8 * i);
	return to;
}

/** Write the tag and the size of @p size bytes that follow. */
static inline uint8_t *out_proto_len(uint8_t *to, unsigned field, size_t size)
{
	*to++ = out_proto_tag(field, OUT_PROTO_LEN);
	return out_varint(to, size);
}

/** Write a field of @p size bytes. */
static inline uint8_t *out_proto_bytes(uint8_t *to, unsigned field, const void *bytes, size_t size)
{
	to = out_proto_len(to, field, size);
	if (size)
		memcpy(to, bytes, size);
	return to + size;
}

/** Number of bytes of a field of @p size bytes, with its tag and size. */
static inline size_t out_proto_len_size(size_t size)
{
	return 1 + out_varint_size(size) + size;
}

#endif

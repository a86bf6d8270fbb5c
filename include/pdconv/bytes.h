/**
 * @file Output buffer that grows, for integers in either byte order.
 *
 * When memory runs out, `failed` is set and stays set, and appending has no effect. So an encoder
 * can append everything and check `failed` once at the end.
 */
#ifndef PDCONV_BYTES_H
#define PDCONV_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <pdconv/decls.h>
#include <pdconv/vec.h>

PD_DECLS_BEGIN

/**
 * Whether data is big-endian that is in the opposite of the host byte order if @p swap, otherwise
 * in host byte order.
 */
PD_INLINE bool pd_is_big_endian(bool swap)
{
	return swap == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
}

/** A zeroed one is empty and has host byte order. Free with pd_bytes_deinit(). */
struct pd_bytes {
	PD_VEC(uint8_t) buf;
	/** Write integers in the opposite of the host byte order. */
	bool swap;
	/** Memory has run out. */
	bool failed;
};

/** Free the buffer. */
PD_INLINE void pd_bytes_deinit(struct pd_bytes *bytes)
{
	pd_vec_deinit(&bytes->buf);
}

/**
 * Append @p len uninitialised bytes and return the first, which is valid until the next append.
 * NULL if out of memory.
 */
PD_INLINE uint8_t *pd_bytes_extend(struct pd_bytes *bytes, size_t len)
{
	if (bytes->failed || !pd_vec_reserve(&bytes->buf, bytes->buf.n + len + 1)) {
		bytes->failed = true;
		return NULL;
	}
	bytes->buf.n += len;
	return bytes->buf.data + bytes->buf.n - len;
}

/** Append @p len bytes of @p data unchanged. */
PD_INLINE void pd_bytes_put(struct pd_bytes *bytes, const void *data, size_t len)
{
	uint8_t *to = len ? pd_bytes_extend(bytes, len) : NULL;

	if (to)
		memcpy(to, data, len);
}

/** Append @p len zero bytes. */
PD_INLINE void pd_bytes_zeros(struct pd_bytes *bytes, size_t len)
{
	uint8_t *to = len ? pd_bytes_extend(bytes, len) : NULL;

	if (to)
		memset(to, 0, len);
}

/** Append @p v in the byte order of @p bytes. */
PD_INLINE void pd_bytes_u8(struct pd_bytes *bytes, uint8_t v);
PD_INLINE void pd_bytes_u16(struct pd_bytes *bytes, uint16_t v);
PD_INLINE void pd_bytes_u32(struct pd_bytes *bytes, uint32_t v);
PD_INLINE void pd_bytes_u64(struct pd_bytes *bytes, uint64_t v);

#define PD_BYTES_WRITE(name, type, swapped) \
	PD_INLINE void pd_bytes_##name(struct pd_bytes *bytes, type v) \
	{ \
		v = bytes->swap ? (type)swapped(v) : v; \
		pd_bytes_put(bytes, &v, sizeof(v)); \
	}

PD_BYTES_WRITE(u8, uint8_t, )
PD_BYTES_WRITE(u16, uint16_t, __builtin_bswap16)
PD_BYTES_WRITE(u32, uint32_t, __builtin_bswap32)
PD_BYTES_WRITE(u64, uint64_t, __builtin_bswap64)
#undef PD_BYTES_WRITE

/** Append the lowest @p size bytes of @p v: 1, 2, 4 or 8. */
PD_INLINE void pd_bytes_uint(struct pd_bytes *bytes, uint64_t v, size_t size)
{
	switch (size) {
	case 1:
		pd_bytes_u8(bytes, (uint8_t)v);
		break;
	case 2:
		pd_bytes_u16(bytes, (uint16_t)v);
		break;
	case 4:
		pd_bytes_u32(bytes, (uint32_t)v);
		break;
	default:
		pd_bytes_u64(bytes, v);
		break;
	}
}

PD_DECLS_END

#endif

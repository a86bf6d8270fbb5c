/**
 * @file Integers of 1, 2, 4 or 8 bytes in either byte order, which need not be aligned; sums and
 * shares of integers.
 *
 * `swap` means that the bytes are in the other byte order than this machine's.
 */
#ifndef PD_BASE_INTEGER_H
#define PD_BASE_INTEGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <pdconv/cursor.h>

/** Add @p value to @p sum, which stays at its largest value instead of overflowing. */
static inline void base_add_capped(uint64_t *sum, uint64_t value)
{
	if (__builtin_add_overflow(*sum, value, sum))
		*sum = UINT64_MAX;
}

/** Share of @p part in @p whole, in percent; 0 of nothing. */
static inline double base_percent(uint64_t part, uint64_t whole)
{
	return whole ? 100 * (double)part / (double)whole : 0;
}

static inline bool base_is_integer_size(uint64_t size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

/** Load the unsigned integer of @p size bytes at @p from. Returns 0 for an invalid size. */
static inline uint64_t base_load_uint(const void *from, uint64_t size, bool swap)
{
	uint8_t u8;
	uint16_t u16;

	switch (size) {
	case 1:
		memcpy(&u8, from, sizeof(u8));
		return u8;
	case 2:
		memcpy(&u16, from, sizeof(u16));
		return swap ? __builtin_bswap16(u16) : u16;
	case 4:
		return pd_load_u32(from, swap);
	case 8:
		return pd_load_u64(from, swap);
	default:
		return 0;
	}
}

static inline void base_store_u16(void *to, bool swap, uint16_t v)
{
	v = swap ? __builtin_bswap16(v) : v;
	memcpy(to, &v, sizeof(v));
}

static inline void base_store_u32(void *to, bool swap, uint32_t v)
{
	v = swap ? __builtin_bswap32(v) : v;
	memcpy(to, &v, sizeof(v));
}

static inline void base_store_u64(void *to, bool swap, uint64_t v)
{
	v = swap ? __builtin_bswap64(v) : v;
	memcpy(to, &v, sizeof(v));
}

/** Store the lowest @p size bytes of @p v at @p to. Stores nothing for an invalid size. */
static inline void base_store_uint(void *to, uint64_t size, bool swap, uint64_t v)
{
	switch (size) {
	case 1:
		*(uint8_t *)to = (uint8_t)v;
		break;
	case 2:
		base_store_u16(to, swap, (uint16_t)v);
		break;
	case 4:
		base_store_u32(to, swap, (uint32_t)v);
		break;
	case 8:
		base_store_u64(to, swap, v);
		break;
	default:
		break;
	}
}

/** Read an unsigned integer of @p size bytes. An invalid size is an overrun. */
static inline uint64_t base_cursor_uint(struct pd_cursor *c, uint64_t size)
{
	switch (size) {
	case 1:
		return pd_cursor_u8(c);
	case 2:
		return pd_cursor_u16(c);
	case 4:
		return pd_cursor_u32(c);
	case 8:
		return pd_cursor_u64(c);
	default:
		pd_cursor_bytes(c, UINT64_MAX);
		return 0;
	}
}

/** The integer @p v of @p size bytes as a signed one; @p v itself for an invalid size. */
static inline int64_t base_sign_extend(uint64_t v, uint64_t size)
{
	switch (size) {
	case 1:
		return (int8_t)v;
	case 2:
		return (int16_t)v;
	case 4:
		return (int32_t)v;
	default:
		return (int64_t)v;
	}
}

#endif

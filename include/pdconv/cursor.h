/**
 * @file A bounds-checked cursor over bytes from outside.
 *
 * Reads are in the byte order of the input. A read that would pass the end returns zero, moves to
 * the end and sets `overrun`, which stays set: a decoder reads what it needs and asks once.
 */
#ifndef PDCONV_CURSOR_H
#define PDCONV_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <pdconv/decls.h>

PD_DECLS_BEGIN

struct pd_cursor {
	const uint8_t *pos;
	const uint8_t *end;
	/** The input is in the other byte order than this machine. */
	bool swap;
	bool overrun;
};

static inline struct pd_cursor pd_cursor_init(const void *bytes, size_t len, bool swap)
{
	/* Of nothing, too, there is a first byte: NULL is no place to count from. */
	if (!bytes)
		bytes = "";
	struct pd_cursor c;

	c.pos = (const uint8_t *)bytes;
	c.end = c.pos + len;
	c.swap = swap;
	c.overrun = false;
	return c;
}

static inline size_t pd_cursor_left(const struct pd_cursor *c)
{
	return (size_t)(c->end - c->pos);
}

/** The next @p len bytes, borrowed from the input; NULL and overrun if there are fewer. */
static inline const uint8_t *pd_cursor_bytes(struct pd_cursor *c, uint64_t len)
{
	const uint8_t *p = c->pos;

	if (len > pd_cursor_left(c)) {
		c->overrun = true;
		c->pos = c->end;
		return NULL;
	}
	c->pos += len;
	return p;
}

#define PD_CURSOR_READ(name, type, swapped) \
	static inline type pd_cursor_##name(struct pd_cursor *c) \
	{ \
		const uint8_t *p = pd_cursor_bytes(c, sizeof(type)); \
		type v = 0; \
\
		if (p) \
			memcpy(&v, p, sizeof(v)); \
		return c->swap ? (type)swapped(v) : v; \
	}

PD_CURSOR_READ(u8, uint8_t, )
PD_CURSOR_READ(u16, uint16_t, __builtin_bswap16)
PD_CURSOR_READ(u32, uint32_t, __builtin_bswap32)
PD_CURSOR_READ(u64, uint64_t, __builtin_bswap64)
#undef PD_CURSOR_READ

/** One u64 at @p p, which need not be aligned. */
static inline uint64_t pd_load_u64(const void *p, bool swap)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return swap ? __builtin_bswap64(v) : v;
}

/** The same of a u32. */
static inline uint32_t pd_load_u32(const void *p, bool swap)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return swap ? __builtin_bswap32(v) : v;
}

/**
 * The text up to the next NUL, and past the NUL; NULL and overrun if there is none. Borrowed from
 * the input. @p len_ret does not count the NUL.
 */
static inline const char *pd_cursor_str(struct pd_cursor *c, size_t *len_ret)
{
	const uint8_t *start = c->pos;
	const uint8_t *nul = NULL;

	if (pd_cursor_left(c))
		nul = (const uint8_t *)memchr(start, 0, pd_cursor_left(c));
	if (!nul) {
		c->overrun = true;
		c->pos = c->end;
		return NULL;
	}
	c->pos = nul + 1;
	*len_ret = (size_t)(nul - start);
	return (const char *)start;
}

PD_DECLS_END

#endif

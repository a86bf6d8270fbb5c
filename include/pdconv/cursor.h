/**
 * @file Bounds-checked cursor over untrusted input.
 *
 * Integers are read in the byte order of the input. A read past the end returns zero, moves to the
 * end and sets `overrun`, which stays set. So a decoder can read everything and check `overrun`
 * once.
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
	/** Next byte to read. */
	const uint8_t *pos;
	const uint8_t *end;
	/** The input is in the opposite of the host byte order. */
	bool swap;
	/** A read has passed the end. */
	bool overrun;
};

/** Cursor over @p len bytes, which are borrowed. @p bytes may be NULL if @p len is 0. */
PD_INLINE struct pd_cursor pd_cursor_init(const void *bytes, size_t len, bool swap)
{
	/* Arithmetic on NULL is undefined behaviour, even NULL + 0 in C. */
	if (!bytes)
		bytes = "";
	struct pd_cursor c;

	c.pos = (const uint8_t *)bytes;
	c.end = c.pos + len;
	c.swap = swap;
	c.overrun = false;
	return c;
}

/** Number of bytes that are left. */
PD_INLINE size_t pd_cursor_left(const struct pd_cursor *c)
{
	return (size_t)(c->end - c->pos);
}

/** Skip @p len bytes and return the first of them, borrowed. NULL and overrun if fewer are left. */
PD_INLINE const uint8_t *pd_cursor_bytes(struct pd_cursor *c, uint64_t len)
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

/** Read an integer; 0 and overrun at the end. */
PD_INLINE uint8_t pd_cursor_u8(struct pd_cursor *c);
PD_INLINE uint16_t pd_cursor_u16(struct pd_cursor *c);
PD_INLINE uint32_t pd_cursor_u32(struct pd_cursor *c);
PD_INLINE uint64_t pd_cursor_u64(struct pd_cursor *c);

#define PD_CURSOR_READ(name, type, swapped) \
	PD_INLINE type pd_cursor_##name(struct pd_cursor *c) \
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

/** Load the u64 at @p p, which need not be aligned; byteswapped if @p swap. */
PD_INLINE uint64_t pd_load_u64(const void *p, bool swap)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return swap ? __builtin_bswap64(v) : v;
}

/** Load the u32 at @p p, which need not be aligned; byteswapped if @p swap. */
PD_INLINE uint32_t pd_load_u32(const void *p, bool swap)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return swap ? __builtin_bswap32(v) : v;
}

/**
 * Read text up to the next NUL and skip the NUL. The text is borrowed from the input; @p len_ret
 * does not count the NUL. NULL and overrun if there is no NUL.
 */
PD_INLINE const char *pd_cursor_str(struct pd_cursor *c, size_t *len_ret)
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

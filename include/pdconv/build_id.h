/**
 * @file Build ids: the identity of a binary, from its NT_GNU_BUILD_ID note.
 */
#ifndef PDCONV_BUILD_ID_H
#define PDCONV_BUILD_ID_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <pdconv/decls.h>

PD_DECLS_BEGIN

enum { PD_BUILD_ID_MAX = 20, PD_BUILD_ID_HEX_MAX = 2 * PD_BUILD_ID_MAX + 1 };

struct pd_build_id {
	/** Length in bytes; 0: the build id is not known. */
	uint8_t len;
	uint8_t bytes[PD_BUILD_ID_MAX];
};

/**
 * Whether @p a and @p b are build ids of the same binary. Recordings pad short build ids with
 * zeros, so trailing zeros of the longer one are ignored.
 */
PD_INLINE bool pd_build_id_equal(const struct pd_build_id *a, const struct pd_build_id *b)
{
	const struct pd_build_id *longer = a->len >= b->len ? a : b;
	uint8_t common = a->len < b->len ? a->len : b->len;

	for (uint8_t i = common; i < longer->len; i++) {
		if (longer->bytes[i])
			return false;
	}
	return memcmp(a->bytes, b->bytes, common) == 0;
}

/** Write @p id to @p buf in lower-case hexadecimal, NUL-terminated, and return @p buf. */
PD_INLINE const char *pd_build_id_hex(const struct pd_build_id *id, char buf[PD_BUILD_ID_HEX_MAX])
{
	static const char digits[] = "0123456789abcdef";

	for (uint8_t i = 0; i < id->len; i++) {
		buf[2 * i] = digits[id->bytes[i] >> 4];
		buf[2 * i + 1] = digits[id->bytes[i] & 15];
	}
	buf[2 * id->len] = '\0';
	return buf;
}

PD_DECLS_END

#endif

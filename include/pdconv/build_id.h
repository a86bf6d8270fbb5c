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

/** Maximum length in bytes, and the size of a buffer for pd_build_id_hex(). */
enum { PD_BUILD_ID_MAX = 20, PD_BUILD_ID_HEX_MAX = 2 * PD_BUILD_ID_MAX + 1 };

struct pd_build_id {
	/** Length in bytes; 0 if the build id is unknown. */
	uint8_t len;
	uint8_t bytes[PD_BUILD_ID_MAX];
};

/**
 * Whether two build ids are the same. Some recordings pad short ids with zeros, so zeros at the end
 * of the longer one do not count.
 */
static inline bool pd_build_id_equal(const struct pd_build_id *a, const struct pd_build_id *b)
{
	const struct pd_build_id *longer = a->len >= b->len ? a : b;
	uint8_t common = a->len < b->len ? a->len : b->len;

	for (uint8_t i = common; i < longer->len; i++) {
		if (longer->bytes[i])
			return false;
	}
	return memcmp(a->bytes, b->bytes, common) == 0;
}

/** Write the build id to @p buf as lower-case hexadecimal digits with a NUL, and return @p buf. */
static inline const char *pd_build_id_hex(
	const struct pd_build_id *id, char buf[PD_BUILD_ID_HEX_MAX])
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

/**
 * @file Text of the kernel's C code that is parsed from its beginning, and integer types in it.
 */
#ifndef PD_PARSE_C_TEXT_H
#define PD_PARSE_C_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/span.h"

struct parse_c_integer {
	/** In bytes: 1, 2, 4 or 8; 0: the type is not a known integer. */
	uint32_t size;
	bool is_signed;
	/** Any value but 0 is 1. */
	bool is_bool;
};

/** Whether an integer may have @p size bytes. */
static inline bool parse_c_integer_has_size(uint64_t size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

/**
 * The integer type of the words @p type, such as "unsigned long" or "const u32". @p long_size: size
 * of long on the recorded machine, in bytes.
 */
struct parse_c_integer parse_c_integer(struct base_span type, unsigned long_size);

#endif

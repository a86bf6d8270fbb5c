/**
 * @file Discriminators: which one it is of the blocks of code that a line has. LLVM codes several
 * numbers in one, each with a prefix code; GCC just counts the blocks.
 */
#ifndef PD_PGO_DISCRIMINATOR_H
#define PD_PGO_DISCRIMINATOR_H

#include <stdint.h>

enum pgo_coding {
	PGO_CODING_LLVM,
	PGO_CODING_GCC,
};

/**
 * Decode the lowest number of @p code. An odd code has none, and stands for 0. A number has 5 bits
 * from bit 1 on, and 7 more after a bit 6 that is set.
 */
static inline uint32_t pgo_discriminator_number(uint32_t code)
{
	uint32_t low = code >> 1 & 0x1f;

	if (code & 1)
		return 0;
	return code & 0x40 ? (code >> 2 & 0xfe0) | low : low;
}

/** Return what follows the lowest number of @p code. */
static inline uint32_t pgo_discriminator_rest(uint32_t code)
{
	if (code & 1)
		return code >> 1;
	return code >> (code & 0x40 ? 14 : 7);
}

/** Number of the block on its line. */
static inline uint32_t pgo_discriminator_block(uint32_t code, enum pgo_coding coding)
{
	return coding == PGO_CODING_GCC ? code : pgo_discriminator_number(code);
}

/** How often the compiler has copied the block: every execution is one of so many. At least 1. */
static inline uint32_t pgo_discriminator_copies(uint32_t code, enum pgo_coding coding)
{
	uint32_t n = coding == PGO_CODING_GCC
			     ? 0
			     : pgo_discriminator_number(pgo_discriminator_rest(code));

	return n ? n : 1;
}

#endif

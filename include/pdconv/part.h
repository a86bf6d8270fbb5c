/**
 * @file Integers that are made of parts; see pdconv/part_defs.h.
 */
#ifndef PDCONV_PART_H
#define PDCONV_PART_H

#include <stddef.h>
#include <stdint.h>

#include <pdconv/decls.h>

PD_DECLS_BEGIN

enum pd_part_type { PD_PART_UINT, PD_PART_MASK, PD_PART_ENUM };

struct pd_int_part {
	const char *name;
	uint8_t shift;
	uint8_t width;
	uint8_t type;
	uint8_t n_names;
	/** By bit or by value; gaps are NULL. */
	const char *const *names;
};

struct pd_parts {
	const struct pd_int_part *parts;
	size_t n;
};

extern const struct pd_parts pd_parts_data_src, pd_parts_transaction, pd_parts_weight_struct,
	pd_parts_branch_flags;

/** Bits by name. */
struct pd_bit_names {
	const char *const *names;
	size_t n;
};

extern const struct pd_bit_names pd_names_sample_type, pd_names_read_format,
	pd_names_branch_sample_type;

static inline uint64_t pd_part_get(const struct pd_int_part *part, uint64_t whole)
{
	return whole >> part->shift & (~(uint64_t)0 >> (64 - part->width));
}

/**
 * Turn an integer of bit-fields over: a big-endian compiler allocates the fields from the top, so
 * what begins at bit b of w bits on a little-endian machine begins at bit 64 - b - w there. Bits
 * that are no part turn one by one. @p from_big: to little-endian places, else from them.
 */
uint64_t pd_parts_turn(const struct pd_parts *parts, uint64_t whole, int from_big);

PD_DECLS_END

#endif

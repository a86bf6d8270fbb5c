/**
 * @file Integers that are made of parts; see pdconv/part_defs.h.
 */
#ifndef PDCONV_PART_H
#define PDCONV_PART_H

#include <stddef.h>
#include <stdint.h>

#include <pdconv/decls.h>
#include <pdconv/part_defs.h>

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

/** Places in pd_parts_data_src and so on: pd_parts_data_src.parts[PD_DATA_SRC_mem_lvl]. */
#define PD_DATA_SRC_ENUM(shift, width, name, ...) PD_DATA_SRC_##name,
#define PD_TRANSACTION_ENUM(shift, width, name, ...) PD_TRANSACTION_##name,
#define PD_WEIGHT_ENUM(shift, width, name, ...) PD_WEIGHT_##name,
#define PD_BRANCH_ENUM(shift, width, name, ...) PD_BRANCH_##name,
enum pd_data_src_part { PD_DATA_SRC_PARTS(PD_DATA_SRC_ENUM) PD_N_DATA_SRC };
enum pd_transaction_part { PD_TRANSACTION_PARTS(PD_TRANSACTION_ENUM) PD_N_TRANSACTION };
enum pd_weight_part { PD_WEIGHT_STRUCT_PARTS(PD_WEIGHT_ENUM) PD_N_WEIGHT };
enum pd_branch_part { PD_BRANCH_FLAGS_PARTS(PD_BRANCH_ENUM) PD_N_BRANCH };
#undef PD_DATA_SRC_ENUM
#undef PD_TRANSACTION_ENUM
#undef PD_WEIGHT_ENUM
#undef PD_BRANCH_ENUM

extern const struct pd_parts pd_parts_data_src, pd_parts_transaction, pd_parts_weight_struct,
	pd_parts_branch_flags;

/** Bits by name. */
struct pd_bit_names {
	const char *const *names;
	size_t n;
};

extern const struct pd_bit_names pd_names_sample_type, pd_names_read_format,
	pd_names_branch_sample_type;

/** A part of @p whole, which has its parts where a little-endian machine has them. */
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

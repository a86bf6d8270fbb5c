/**
 * @file Integers that are made of fields; see pdconv/bitfield_defs.h.
 */
#ifndef PDCONV_BITFIELD_H
#define PDCONV_BITFIELD_H

#include <stddef.h>
#include <stdint.h>

#include <pdconv/decls.h>
#include <pdconv/bitfield_defs.h>

PD_DECLS_BEGIN

enum pd_bitfield_type { PD_BITFIELD_UINT, PD_BITFIELD_MASK, PD_BITFIELD_ENUM };

struct pd_bitfield {
	const char *name;
	uint8_t shift;
	uint8_t width;
	uint8_t type;
	uint8_t n_names;
	/** By bit or by value; gaps are NULL. */
	const char *const *names;
};

struct pd_bitfields {
	const struct pd_bitfield *fields;
	size_t n;
};

/** Places in pd_bitfields_data_src and so on: pd_bitfields_data_src.fields[PD_DATA_SRC_mem_lvl]. */
#define PD_DATA_SRC_ENUM(shift, width, name, ...) PD_DATA_SRC_##name,
#define PD_TRANSACTION_ENUM(shift, width, name, ...) PD_TRANSACTION_##name,
#define PD_WEIGHT_ENUM(shift, width, name, ...) PD_WEIGHT_##name,
#define PD_BRANCH_ENUM(shift, width, name, ...) PD_BRANCH_##name,
enum pd_data_src_bitfield { PD_DATA_SRC_BITFIELDS(PD_DATA_SRC_ENUM) PD_N_DATA_SRC };
enum pd_transaction_bitfield { PD_TRANSACTION_BITFIELDS(PD_TRANSACTION_ENUM) PD_N_TRANSACTION };
enum pd_weight_bitfield { PD_WEIGHT_STRUCT_BITFIELDS(PD_WEIGHT_ENUM) PD_N_WEIGHT };
enum pd_branch_bitfield { PD_BRANCH_FLAGS_BITFIELDS(PD_BRANCH_ENUM) PD_N_BRANCH };
#undef PD_DATA_SRC_ENUM
#undef PD_TRANSACTION_ENUM
#undef PD_WEIGHT_ENUM
#undef PD_BRANCH_ENUM

extern const struct pd_bitfields pd_bitfields_data_src, pd_bitfields_transaction,
	pd_bitfields_weight_struct, pd_bitfields_branch_flags;

/** Bits by name. */
struct pd_bit_names {
	const char *const *names;
	size_t n;
};

extern const struct pd_bit_names pd_names_sample_type, pd_names_read_format,
	pd_names_branch_sample_type;

/** A field of @p whole, which has its fields where a little-endian machine has them. */
static inline uint64_t pd_bitfield_get(const struct pd_bitfield *field, uint64_t whole)
{
	return whole >> field->shift & (~(uint64_t)0 >> (64 - field->width));
}

/**
 * Turn an integer of bit-fields over: a big-endian compiler allocates the fields from the top, so
 * what begins at bit b of w bits on a little-endian machine begins at bit 64 - b - w there. Bits
 * that are no field turn one by one. @p from_big: to little-endian places, else from them.
 */
uint64_t pd_bitfields_byteswap(const struct pd_bitfields *fields, uint64_t whole, int from_big);

PD_DECLS_END

#endif

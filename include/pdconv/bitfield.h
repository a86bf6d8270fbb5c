/**
 * @file Integers that consist of bit-fields: data_src, transaction, weight and branch flags.
 *
 * The tables are made from pdconv/bitfield_defs.h. Values are in little-endian layout: the first
 * field of the C declaration has the lowest bits.
 */
#ifndef PDCONV_BITFIELD_H
#define PDCONV_BITFIELD_H

#include <stddef.h>
#include <stdint.h>

#include <pdconv/decls.h>
#include <pdconv/bitfield_defs.h>

PD_DECLS_BEGIN

/** Meaning of the bits of a field: a number, a bit for each name, or one value for each name. */
enum pd_bitfield_type { PD_BITFIELD_UINT, PD_BITFIELD_MASK, PD_BITFIELD_ENUM };

struct pd_bitfield {
	const char *name;
	/** Lowest bit of the field in the integer. */
	uint8_t shift;
	/** Number of bits. */
	uint8_t width;
	/** An enum pd_bitfield_type. */
	uint8_t type;
	uint8_t n_names;
	/** Names indexed by bit (MASK) or by value (ENUM). Entries without a name are NULL. */
	const char *const *names;
};

/** Fields of an integer, from the lowest bit up. */
struct pd_bitfields {
	const struct pd_bitfield *fields;
	size_t n;
};

/** Indexes of fields: pd_bitfields_data_src.fields[PD_DATA_SRC_mem_lvl]. */
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

/** Names of the bits of a mask, indexed by bit. Entries without a name are NULL. */
struct pd_bit_names {
	const char *const *names;
	size_t n;
};

extern const struct pd_bit_names pd_names_sample_type, pd_names_read_format,
	pd_names_branch_sample_type;

/** Value of @p field in the integer @p whole, which is in little-endian layout. */
PD_INLINE uint64_t pd_bitfield_get(const struct pd_bitfield *field, uint64_t whole)
{
	return whole >> field->shift & (~(uint64_t)0 >> (64 - field->width));
}

/**
 * Convert the integer @p whole between the layouts of little-endian and big-endian compilers. A
 * big-endian compiler allocates bit-fields from the top: a field of w bits that begins at bit b in
 * little-endian layout begins at bit 64 - b - w there. Bits outside any field are reversed one by
 * one. @p from_big: convert from big-endian to little-endian layout, otherwise the other way round.
 */
uint64_t pd_bitfields_byteswap(const struct pd_bitfields *fields, uint64_t whole, int from_big);

PD_DECLS_END

#endif

/**
 * @file Encodings of integers in pages: bits of a fixed width, runs, differences.
 *
 * Each function appends to @p out, whose `failed` the caller checks.
 */
#ifndef PD_PARQUET_PACKING_H
#define PD_PARQUET_PACKING_H

#include <stddef.h>
#include <stdint.h>

#include <pdconv/bytes.h>

/** Number of bits of @p value; 0 for 0. */
static inline unsigned pq_n_bits(uint64_t value)
{
	return value ? 64 - (unsigned)__builtin_clzll(value) : 0;
}

/**
 * Append the lowest @p width bits, 0 to 64, of @p n values, the first in the lowest bits. Zeros
 * follow, to a multiple of 8 values. The other bits of the values are 0.
 */
void pq_pack(const uint64_t *values, size_t n, unsigned width, struct pd_bytes *out);

/**
 * Append @p n values of @p width bits, 1 to 32, as the hybrid of runs and packed bits (RLE),
 * without a length before it. @p n is less than 2^31.
 */
void pq_pack_runs(const uint64_t *values, size_t n, unsigned width, struct pd_bytes *out);

/**
 * Append @p n integers as differences from one to the next (DELTA_BINARY_PACKED). @p width: 32 or
 * 64, bits of the type.
 */
void pq_pack_deltas(const uint64_t *values, size_t n, unsigned width, struct pd_bytes *out);

#endif

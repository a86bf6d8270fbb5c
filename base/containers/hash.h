/**
 * @file Hashes of keys that come from recordings.
 *
 * They are seeded at random when the program starts. With a known function, a recording could
 * contain a million keys that collide, and hash tables would take quadratic time. So hashes differ
 * from run to run: they must not be stored, and must not decide an order that can be seen.
 */
#ifndef PD_BASE_HASH_H
#define PD_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

/** Random bytes, constant while the program runs. */
struct base_hash_seed {
	uint64_t mask;
	/** Odd factors. */
	uint64_t factor;
	uint64_t spread;
	/** Secret of XXH3, aligned for it. */
	uint64_t secret[24];
};

extern struct base_hash_seed base_hash_seed;

/** Multiply, and combine the two halves of the product of 128 bits. */
static inline uint64_t base_hash_fold(uint64_t a, uint64_t b)
{
#ifdef __SIZEOF_INT128__
	unsigned __int128 product = (unsigned __int128)a * b;

	return (uint64_t)product ^ (uint64_t)(product >> 64);
#else
	uint64_t low = (a & UINT32_MAX) * (b & UINT32_MAX);
	uint64_t left = (a >> 32) * (b & UINT32_MAX) + (low >> 32);
	uint64_t right = (a & UINT32_MAX) * (b >> 32) + (left & UINT32_MAX);
	uint64_t high = (a >> 32) * (b >> 32) + (left >> 32) + (right >> 32);

	return (right << 32 | (low & UINT32_MAX)) ^ high;
#endif
}

/** Hash @p key; all bits of the result depend on all bits of the key. */
static inline uint64_t base_hash_u64(uint64_t key)
{
	return base_hash_fold(key ^ base_hash_seed.mask, base_hash_seed.factor);
}

/** Hash a pair of numbers. No change of one of them is known to cancel a change of the other. */
static inline uint64_t base_hash_pair(uint64_t key, uint64_t more)
{
	return base_hash_u64(key + more * base_hash_seed.spread);
}

/** Hash @p len bytes. @p bytes must not be NULL. */
uint64_t base_hash_bytes(const void *bytes, size_t len);

/** A hash of 128 bits, for keys that are compared by their hashes only. */
struct base_hash128 {
	uint64_t low;
	uint64_t high;
};

struct base_hash128 base_hash_bytes128(const void *bytes, size_t len);

#endif

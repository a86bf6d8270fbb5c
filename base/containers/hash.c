#include "base/containers/hash.h"

#include <time.h>

#include <xxhash.h>

#include "base/system/libc.h"

struct base_hash_seed base_hash_seed;

/* Fill the seed with numbers that depend on the clock and on where the program was loaded. */
static void seed_by_clock(struct base_hash_seed *seed)
{
	struct timespec now = { 0 };
	uint64_t *words = (uint64_t *)seed;

	clock_gettime(CLOCK_MONOTONIC, &now);
	uint64_t start = (uint64_t)now.tv_nsec << 32 ^ (uintptr_t)&now ^ (uintptr_t)&base_hash_seed;
	for (size_t i = 0; i < sizeof(*seed) / sizeof(*words); i++)
		words[i] = XXH3_64bits_withSeed(&i, sizeof(i), start);
}

/* Runs before main(), so that no thread sees two seeds. */
__attribute__((constructor)) static void seed_hashes(void)
{
	struct base_hash_seed seed;

	if (!base_random(&seed, sizeof(seed)))
		seed_by_clock(&seed);
	seed.factor |= 1;
	seed.spread |= 1;
	base_hash_seed = seed;
}

uint64_t base_hash_bytes(const void *bytes, size_t len)
{
	return XXH3_64bits_withSecret(
		bytes, len, base_hash_seed.secret, sizeof(base_hash_seed.secret));
}

struct base_hash128 base_hash_bytes128(const void *bytes, size_t len)
{
	XXH128_hash_t hash = XXH3_128bits_withSecret(
		bytes, len, base_hash_seed.secret, sizeof(base_hash_seed.secret));

	return (struct base_hash128){ hash.low64, hash.high64 };
}

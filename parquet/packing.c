#include "parquet/packing.h"

#include <string.h>

#include "base/integer.h"
#include "base/leb.h"

/* Packed values come in groups of eight, so that each group has whole bytes. */
enum { GROUP = 8 };

void pq_pack(const uint64_t *values, size_t n, unsigned width, struct pd_bytes *out)
{
	size_t size = (n + GROUP - 1) / GROUP * width;
	uint8_t *to = size ? pd_bytes_extend(out, size) : NULL;
	uint64_t word = 0;
	/* Bits in use of the word. */
	unsigned used = 0;

	if (!to)
		return;
	const uint8_t *end = to + size;
	for (size_t i = 0; i < n; i++) {
		word |= values[i] << used;
		used += width;
		if (used < 64)
			continue;
		base_store_u64(to, pd_is_big_endian(false), word);
		to += sizeof(word);
		used -= 64;
		word = used ? values[i] >> (width - used) : 0;
	}
	for (; to < end; word >>= 8)
		*to++ = (uint8_t)word;
}

/* Number of values from @p values[0] that are equal to it. */
static size_t run_length(const uint64_t *values, size_t n)
{
	size_t i = 1;

	while (i < n && values[i] == values[0])
		i++;
	return i;
}

static void put_run(uint64_t value, size_t n, unsigned width, struct pd_bytes *out)
{
	uint8_t bytes[sizeof(value)];

	base_bytes_uleb(out, (uint64_t)n << 1);
	base_store_u64(bytes, pd_is_big_endian(false), value);
	pd_bytes_put(out, bytes, (width + 7) / 8);
}

static void put_packed(const uint64_t *values, size_t n, unsigned width, struct pd_bytes *out)
{
	if (!n)
		return;
	base_bytes_uleb(out, (uint64_t)((n + GROUP - 1) / GROUP) << 1 | 1);
	pq_pack(values, n, width, out);
}

void pq_pack_runs(const uint64_t *values, size_t n, unsigned width, struct pd_bytes *out)
{
	/*
	 * A run must save more than its value, its header and the header of the packed values after
	 * it, which would otherwise go on.
	 */
	size_t shortest = GROUP * ((width + 7) / 8 + 3) / width;
	/* Begin of the packed values that are not written yet. */
	size_t packed = 0;
	size_t i = 0;

	shortest = shortest < GROUP ? GROUP : shortest;
	while (i < n) {
		size_t run = run_length(values + i, n - i);

		if (run < shortest) {
			i += n - i < GROUP ? n - i : GROUP;
			continue;
		}
		put_packed(values + packed, i - packed, width, out);
		put_run(values[i], run, width, out);
		i += run;
		packed = i;
	}
	put_packed(values + packed, n - packed, width, out);
}

/* A block of differences has a least one, which is subtracted, and a width for each part. */
enum { BLOCK = 128, N_PARTS = 4, PART = BLOCK / N_PARTS };

static void put_block(
	const uint64_t deltas[BLOCK], size_t n, int64_t least, unsigned width, struct pd_bytes *out)
{
	uint64_t mask = width == 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;
	/* The rest of the last part stays zero. */
	uint64_t above[BLOCK] = { 0 };
	uint8_t widths[N_PARTS] = { 0 };

	for (size_t part = 0; part * PART < n; part++) {
		uint64_t bits = 0;

		for (size_t i = part * PART; i < n && i < (part + 1) * PART; i++) {
			above[i] = (deltas[i] - (uint64_t)least) & mask;
			bits |= above[i];
		}
		widths[part] = (uint8_t)pq_n_bits(bits);
	}
	base_bytes_zigzag(out, least);
	pd_bytes_put(out, widths, sizeof(widths));
	for (size_t part = 0; part * PART < n; part++)
		pq_pack(above + part * PART, PART, widths[part], out);
}

void pq_pack_deltas(const uint64_t *values, size_t n, unsigned width, struct pd_bytes *out)
{
	base_bytes_uleb(out, BLOCK);
	base_bytes_uleb(out, N_PARTS);
	base_bytes_uleb(out, n);
	base_bytes_zigzag(out, n ? base_sign_extend(values[0], width / 8) : 0);
	for (size_t begin = 1; begin < n; begin += BLOCK) {
		size_t n_block = n - begin < BLOCK ? n - begin : BLOCK;
		uint64_t deltas[BLOCK] = { 0 };
		int64_t least = INT64_MAX;

		for (size_t i = 0; i < n_block; i++) {
			/* Differences wrap around at the width of the type. */
			int64_t delta = base_sign_extend(
				values[begin + i] - values[begin + i - 1], width / 8);

			deltas[i] = (uint64_t)delta;
			least = delta < least ? delta : least;
		}
		put_block(deltas, n_block, least, width, out);
	}
}

#include "output/gzip.h"

#include <libdeflate.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/pool.h"
#include "output/deflate.h"

enum {
	PIECE_BYTES = 128 << 10,
	N_PIECES = 8,
};

struct piece {
	/** Last bytes of the preceding piece, used as the dictionary. */
	uint8_t window[OUT_DEFLATE_WINDOW];
	size_t n_window;
	uint8_t bytes[PIECE_BYTES];
	size_t n;
	uint8_t packed[OUT_DEFLATE_BOUND(PIECE_BYTES)];
	size_t n_packed;
	bool is_last;
};

/* Pieces that are compressed in parallel. One batch is compressed while the next one is filled. */
struct batch {
	struct piece pieces[N_PIECES];
	size_t n;
};

struct out_gzip {
	FILE *out;
	bool is_zlib;
	struct base_pool *pool;
	/** One compressor for each worker, n_deflates of which exist. */
	struct out_deflate **deflates;
	size_t n_deflates;
	struct batch *filling;
	struct batch *packing;
	/** CRC-32 of what was written for gzip, Adler-32 for zlib. */
	uint32_t checksum;
	uint32_t size;
};

void out_gzip_destroy(struct out_gzip *gzip)
{
	if (!gzip)
		return;
	for (size_t i = 0; i < gzip->n_deflates; i++)
		out_deflate_destroy(gzip->deflates[i]);
	free(gzip->deflates);
	base_pool_destroy(gzip->pool);
	free(gzip->filling);
	free(gzip->packing);
	free(gzip);
}

static void destroy_guard(struct out_gzip **gzip)
{
	out_gzip_destroy(*gzip);
}

static bool set_up(struct out_gzip *gzip)
{
	size_t n = base_pool_n_workers(gzip->pool);

	gzip->filling = calloc(1, sizeof(*gzip->filling));
	gzip->packing = calloc(1, sizeof(*gzip->packing));
	gzip->deflates = calloc(n, sizeof(*gzip->deflates));
	if (!gzip->filling || !gzip->packing || !gzip->deflates)
		return false;
	/* A batch has at least one piece, because even an empty stream needs a last one. */
	gzip->filling->n = 1;
	for (; gzip->n_deflates < n; gzip->n_deflates++) {
		gzip->deflates[gzip->n_deflates] = out_deflate_create();
		if (!gzip->deflates[gzip->n_deflates])
			return false;
	}
	return true;
}

static void write_header(const struct out_gzip *gzip)
{
	/* RFC 1952: magic, deflate, no flags, no time, fastest, Unix. */
	static const uint8_t gzip_header[10] = { 0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 4, 3 };
	/* RFC 1950: deflate with a window of 32 KiB, fastest, and a check of both bytes. */
	static const uint8_t zlib_header[2] = { 0x78, 0x01 };

	if (gzip->is_zlib)
		fwrite(zlib_header, 1, sizeof(zlib_header), gzip->out);
	else
		fwrite(gzip_header, 1, sizeof(gzip_header), gzip->out);
}

struct pd_error *out_gzip_create(FILE *out, const struct out_gzip_opts *opts, struct out_gzip **ret)
{
	size_t jobs = opts->jobs;
	_cleanup_(destroy_guard) struct out_gzip *gzip = calloc(1, sizeof(*gzip));

	if (!gzip)
		return &pd_enomem;
	gzip->out = out;
	gzip->is_zlib = opts->is_zlib;
	gzip->checksum = opts->is_zlib ? 1 : 0;
	struct pd_error *err = base_pool_create(jobs < N_PIECES ? jobs : N_PIECES, &gzip->pool);
	if (err)
		return err;
	if (!set_up(gzip))
		return &pd_enomem;
	write_header(gzip);
	*ret = take_ptr(gzip);
	return NULL;
}

/* Compress piece @p i. All pieces of a batch can be compressed in parallel. */
static void pack(void *ctx, size_t worker, size_t i)
{
	struct out_gzip *gzip = ctx;
	struct piece *piece = &gzip->packing->pieces[i];
	const struct out_deflate_piece input = {
		.window = piece->window,
		.n_window = piece->n_window,
		.bytes = piece->bytes,
		.n = piece->n,
		.is_last = piece->is_last,
	};

	piece->n_packed = out_deflate_pack(gzip->deflates[worker], &input, piece->packed);
}

/* Wait until the batch is compressed, and write it. */
static void drain(struct out_gzip *gzip)
{
	if (gzip->packing->n)
		base_pool_finish(gzip->pool);
	for (size_t i = 0; i < gzip->packing->n; i++)
		fwrite(gzip->packing->pieces[i].packed, 1, gzip->packing->pieces[i].n_packed,
			gzip->out);
	gzip->packing->n = 0;
}

static void keep_window(const struct piece *from, struct piece *to)
{
	to->n = 0;
	to->n_window = from->n < OUT_DEFLATE_WINDOW ? from->n : OUT_DEFLATE_WINDOW;
	memcpy(to->window, from->bytes + from->n - to->n_window, to->n_window);
}

/* Return the checksum of everything up to the end of @p piece. */
static uint32_t checksum(const struct out_gzip *gzip, const struct piece *piece)
{
	return gzip->is_zlib ? libdeflate_adler32(gzip->checksum, piece->bytes, piece->n)
			     : libdeflate_crc32(gzip->checksum, piece->bytes, piece->n);
}

/* Start compressing the filled batch, and begin a new one. */
static void start_packing(struct out_gzip *gzip)
{
	struct batch *filled = gzip->filling;

	for (size_t i = 0; i < filled->n; i++)
		gzip->checksum = checksum(gzip, &filled->pieces[i]);
	drain(gzip);
	gzip->filling = gzip->packing;
	gzip->packing = filled;
	gzip->filling->n = 1;
	keep_window(&filled->pieces[filled->n - 1], &gzip->filling->pieces[0]);
	base_pool_start(gzip->pool, filled->n, pack, gzip);
}

/* Return the piece to fill next, which has room for at least one byte. */
static struct piece *room(struct out_gzip *gzip)
{
	struct batch *batch = gzip->filling;
	struct piece *piece = &batch->pieces[batch->n - 1];

	if (piece->n < PIECE_BYTES)
		return piece;
	if (batch->n == N_PIECES) {
		start_packing(gzip);
		return &gzip->filling->pieces[0];
	}
	keep_window(piece, piece + 1);
	batch->n++;
	return piece + 1;
}

void out_gzip_write(struct out_gzip *gzip, const void *bytes, size_t len)
{
	const uint8_t *from = bytes;

	gzip->size += (uint32_t)len;
	while (len) {
		struct piece *piece = room(gzip);
		size_t n = PIECE_BYTES - piece->n < len ? PIECE_BYTES - piece->n : len;

		memcpy(piece->bytes + piece->n, from, n);
		piece->n += n;
		from += n;
		len -= n;
	}
}

static void write_u32(FILE *out, uint32_t value)
{
	const uint8_t bytes[] = { (uint8_t)value, (uint8_t)(value >> 8), (uint8_t)(value >> 16),
		(uint8_t)(value >> 24) };

	fwrite(bytes, 1, sizeof(bytes), out);
}

void out_gzip_finish(struct out_gzip *gzip)
{
	gzip->filling->pieces[gzip->filling->n - 1].is_last = true;
	start_packing(gzip);
	drain(gzip);
	if (gzip->is_zlib) {
		write_u32(gzip->out, __builtin_bswap32(gzip->checksum));
		return;
	}
	write_u32(gzip->out, gzip->checksum);
	write_u32(gzip->out, gzip->size);
}

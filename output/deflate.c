#include "output/deflate.h"

#include <stdlib.h>
#include <zlib.h>
#ifdef PD_HAS_ISAL
#include <isa-l/igzip_lib.h>
#endif

enum {
	/**
	 * Negative window bits make zlib write raw deflate data, without a header for each piece.
	 */
	RAW_WINDOW_BITS = -15,
	MEM_LEVEL = 8,
};

struct out_deflate {
	bool is_zlib;
	z_stream zlib;
#ifdef PD_HAS_ISAL
	struct isal_zstream isal;
	uint8_t isal_buffer[ISAL_DEF_LVL2_DEFAULT];
#endif
};

#ifdef PD_HAS_ISAL
/* This level of ISA-L takes hardly longer than its first, and its output is as small as zlib's. */
enum { ISAL_LEVEL = 2 };

static void isal_begin(struct out_deflate *packer)
{
	isal_deflate_init(&packer->isal);
	packer->isal.level = ISAL_LEVEL;
	packer->isal.level_buf = packer->isal_buffer;
	packer->isal.level_buf_size = sizeof(packer->isal_buffer);
}

static size_t isal_pack(
	struct out_deflate *packer, const struct out_deflate_piece *piece, uint8_t *to)
{
	struct isal_zstream *z = &packer->isal;
	uint32_t room = (uint32_t)OUT_DEFLATE_BOUND(piece->n);

	isal_deflate_reset(z);
	if (piece->n_window)
		isal_deflate_set_dict(z, (uint8_t *)piece->window, (uint32_t)piece->n_window);
	z->next_in = (uint8_t *)piece->bytes;
	z->avail_in = (uint32_t)piece->n;
	z->next_out = to;
	z->avail_out = room;
	z->end_of_stream = piece->is_last;
	z->flush = piece->is_last ? NO_FLUSH : SYNC_FLUSH;
	isal_deflate(z);
	return room - z->avail_out;
}
#endif

static bool zlib_begin(struct out_deflate *packer, int level)
{
	packer->is_zlib = true;
	return deflateInit2(&packer->zlib, level, Z_DEFLATED, RAW_WINDOW_BITS, MEM_LEVEL,
		       Z_DEFAULT_STRATEGY) == Z_OK;
}

static size_t zlib_pack(
	struct out_deflate *packer, const struct out_deflate_piece *piece, uint8_t *to)
{
	z_stream *z = &packer->zlib;
	uInt room = (uInt)OUT_DEFLATE_BOUND(piece->n);

	deflateReset(z);
	if (piece->n_window)
		deflateSetDictionary(z, piece->window, (uInt)piece->n_window);
	z->next_in = (Bytef *)piece->bytes;
	z->avail_in = (uInt)piece->n;
	z->next_out = to;
	z->avail_out = room;
	/* A sync flush ends the piece at a byte boundary, so that pieces can be concatenated. */
	deflate(z, piece->is_last ? Z_FINISH : Z_SYNC_FLUSH);
	return room - z->avail_out;
}

struct out_deflate *out_deflate_create(int level)
{
	struct out_deflate *packer = calloc(1, sizeof(*packer));

	if (!packer)
		return NULL;
#ifdef PD_HAS_ISAL
	if (level == OUT_DEFLATE_FAST) {
		isal_begin(packer);
		return packer;
	}
#endif
	if (zlib_begin(packer, level))
		return packer;
	free(packer);
	return NULL;
}

void out_deflate_destroy(struct out_deflate *packer)
{
	if (packer && packer->is_zlib)
		deflateEnd(&packer->zlib);
	free(packer);
}

size_t out_deflate_pack(
	struct out_deflate *packer, const struct out_deflate_piece *piece, uint8_t *to)
{
#ifdef PD_HAS_ISAL
	if (!packer->is_zlib)
		return isal_pack(packer, piece, to);
#endif
	return zlib_pack(packer, piece, to);
}

#include "output/deflate.h"

#include <stdlib.h>

#ifdef PD_HAS_ISAL

#include <isa-l/igzip_lib.h>

/* This level of ISA-L takes hardly longer than its first, and its output is as small as zlib's. */
enum { LEVEL = 2 };

struct out_deflate {
	struct isal_zstream stream;
	uint8_t buffer[ISAL_DEF_LVL2_DEFAULT];
};

struct out_deflate *out_deflate_create(void)
{
	struct out_deflate *packer = calloc(1, sizeof(*packer));

	if (!packer)
		return NULL;
	isal_deflate_init(&packer->stream);
	packer->stream.level = LEVEL;
	packer->stream.level_buf = packer->buffer;
	packer->stream.level_buf_size = sizeof(packer->buffer);
	return packer;
}

void out_deflate_destroy(struct out_deflate *packer)
{
	free(packer);
}

size_t out_deflate_pack(
	struct out_deflate *packer, const struct out_deflate_piece *piece, uint8_t *to)
{
	struct isal_zstream *z = &packer->stream;
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

#else

#include <zlib.h>

enum {
	/** Negative: zlib writes raw deflate data, without a header for each piece. */
	RAW_WINDOW_BITS = -15,
	MEM_LEVEL = 8,
};

struct out_deflate {
	z_stream stream;
};

struct out_deflate *out_deflate_create(void)
{
	struct out_deflate *packer = calloc(1, sizeof(*packer));

	if (!packer)
		return NULL;
	if (deflateInit2(&packer->stream, Z_BEST_SPEED, Z_DEFLATED, RAW_WINDOW_BITS, MEM_LEVEL,
		    Z_DEFAULT_STRATEGY) == Z_OK)
		return packer;
	free(packer);
	return NULL;
}

void out_deflate_destroy(struct out_deflate *packer)
{
	if (packer)
		deflateEnd(&packer->stream);
	free(packer);
}

size_t out_deflate_pack(
	struct out_deflate *packer, const struct out_deflate_piece *piece, uint8_t *to)
{
	z_stream *z = &packer->stream;
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

#endif

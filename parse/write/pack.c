#include "parse/write/pack.h"

#include <stdlib.h>

#include <zstd.h>

#include <pdconv/cursor.h>
#include <pdconv/feature.h>
#include <pdconv/record.h>

#include "base/integer.h"
#include "parse/write/padding.h"
#include "parse/write/writer_state.h"

enum {
	/** Block size. Even a block that cannot be compressed fits in a record. */
	PIECE_BYTES = 60 << 10,
	/**
	 * Bytes before compression after which another zstd frame begins. Readers can go on with a
	 * frame after damage in the one before it. Smaller frames would compress less.
	 */
	FRAME_BYTES = 4 << 20,
	ZSTD = 1,
};

struct parse_pack {
	struct pd_writer *writer;
	int level;
	ZSTD_CCtx *zstd;
	/** Records that were not compressed yet. */
	struct pd_bytes plain;
	struct pd_bytes packed;
	/** Number of bytes before compression in the current frame. */
	uint64_t n_in_frame;
	/** Number of bytes before and after compression. */
	uint64_t n_plain;
	uint64_t n_packed;
};

struct pd_error *parse_pack_create(struct pd_writer *writer, int level, struct parse_pack **ret)
{
	if (level < 1 || level > ZSTD_maxCLevel())
		return pd_error_create(PD_ERROR_USAGE, NULL,
			"compression level out of range: expected 1 to %d", ZSTD_maxCLevel());
	struct parse_pack *pack = calloc(1, sizeof(*pack));
	if (!pack)
		return &pd_enomem;
	pack->writer = writer;
	pack->plain.swap = pack->packed.swap = writer->opts.swap;
	pack->level = level;
	pack->zstd = ZSTD_createCCtx();
	if (!pack->zstd ||
		ZSTD_isError(ZSTD_CCtx_setParameter(pack->zstd, ZSTD_c_compressionLevel, level))) {
		parse_pack_destroy(pack);
		return &pd_enomem;
	}
	*ret = pack;
	return NULL;
}

void parse_pack_destroy(struct parse_pack *pack)
{
	if (!pack)
		return;
	ZSTD_freeCCtx(pack->zstd);
	pd_bytes_deinit(&pack->plain);
	pd_bytes_deinit(&pack->packed);
	free(pack);
}

/*
 * Compress a piece. The end of a frame is never written alone: perf rejects a record that
 * decompresses to nothing.
 */
static bool compress(struct parse_pack *pack, const uint8_t *piece, size_t size, bool ends_frame)
{
	size_t room = ZSTD_compressBound(size);
	uint8_t *to = pd_bytes_extend(&pack->packed, room);
	ZSTD_inBuffer in = { .src = piece, .size = size };
	ZSTD_outBuffer out = { .dst = to, .size = room };

	if (!to ||
		ZSTD_compressStream2(pack->zstd, &out, &in, ends_frame ? ZSTD_e_end : ZSTD_e_flush))
		return false;
	pack->packed.buf.n -= room - out.pos;
	return true;
}

/* Write a piece. If records end with it (@p is_last), so does the frame when it is large enough. */
static struct pd_error *write_piece(
	struct parse_pack *pack, const uint8_t *piece, size_t size, bool is_last)
{
	struct pd_bytes *packed = &pack->packed;
	bool ends_frame = is_last && pack->n_in_frame + size >= FRAME_BYTES;

	packed->buf.n = 0;
	pd_bytes_u32(packed, PD_RECORD_COMPRESSED);
	pd_bytes_u16(packed, 0);
	size_t size_at = packed->buf.n;
	pd_bytes_u16(packed, 0);
	if (!compress(pack, piece, size, ends_frame))
		return &pd_enomem;
	pack->n_in_frame = ends_frame ? 0 : pack->n_in_frame + size;
	/* No padding: all bytes after the header belong to the zstd stream. */
	base_store_uint(packed->buf.data + size_at, 2, packed->swap, packed->buf.n);
	pack->n_plain += size;
	pack->n_packed += packed->buf.n;
	return pd_writer_add_records(pack->writer, packed->buf.data, packed->buf.n);
}

struct pd_error *parse_pack_flush(struct parse_pack *pack)
{
	struct pd_bytes *plain = &pack->plain;
	struct pd_error *err = NULL;
	size_t n;

	for (size_t at = 0; at < plain->buf.n && !err; at += n) {
		n = plain->buf.n - at < PIECE_BYTES ? plain->buf.n - at : PIECE_BYTES;
		err = write_piece(pack, plain->buf.data + at, n, at + n == plain->buf.n);
	}
	plain->buf.n = 0;
	return err;
}

struct pd_error *parse_pack_add(struct parse_pack *pack, const void *record, size_t size)
{
	uint32_t type = pd_load_u32((const uint8_t *)record, pack->plain.swap);

	if (!parse_padding_fits(type, size))
		return pd_error_create(PD_ERROR_USAGE, pack->writer->name,
			"the record exceeds 65535 bytes with padding");
	if (pack->plain.buf.n + size > PIECE_BYTES) {
		struct pd_error *err = parse_pack_flush(pack);
		if (err)
			return err;
	}
	parse_padding_put(type, record, size, &pack->plain);
	return pack->plain.failed ? &pd_enomem : NULL;
}

void parse_pack_describe(const struct parse_pack *pack, struct pd_bytes *out)
{
	const struct pd_compression compression = {
		.type = ZSTD,
		.level = (uint32_t)pack->level,
		.ratio = pack->n_packed ? (uint32_t)(pack->n_plain / pack->n_packed) : 0,
		.mmap_len = PIECE_BYTES,
	};

	pd_layout_encode(&pd_layout_compression, &compression, NULL, out);
}

#include "base/io/inflate.h"

#include <string.h>

#include <lzma.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "base/array.h"
#include "base/limit.h"

/* Memory that an xz stream may require. xz itself makes no stream that needs more than 65 MiB. */
enum { XZ_MEMORY_BYTES = PD_LIMIT_XZ_BYTES };

struct base_inflate {
	enum base_codec codec;
	union {
		ZSTD_DStream *zstd;
		z_stream gzip;
		lzma_stream xz;
	};
	const uint8_t *in;
	size_t in_len;
	struct base_window window;
	/** The last call filled the buffer, so the codec may still hold output. */
	bool may_have_more;
	/** The position is within a frame. */
	bool is_inside;
	/** The codec ran out of memory. */
	bool is_out_of_memory;
};

enum base_codec base_codec_detect(const uint8_t *bytes, size_t len)
{
	static const struct {
		enum base_codec codec;
		uint8_t len;
		char magic[PD_CODEC_MAGIC_BYTES];
	} magics[] = {
		{ PD_CODEC_GZIP, 3, "\x1f\x8b\x08" },
		{ PD_CODEC_ZSTD, 4, "\x28\xb5\x2f\xfd" },
		{ PD_CODEC_XZ, 6,
			"\xfd"
			"7zXZ" },
	};

	for (size_t i = 0; i < PD_ARRAY_LEN(magics); i++) {
		if (len >= magics[i].len && !memcmp(bytes, magics[i].magic, magics[i].len))
			return magics[i].codec;
	}
	return PD_CODEC_NONE;
}

static bool start_codec(struct base_inflate *inflate)
{
	switch (inflate->codec) {
	case PD_CODEC_GZIP:
		return inflateInit2(&inflate->gzip, 16 + MAX_WBITS) == Z_OK;
	case PD_CODEC_XZ:
		return lzma_stream_decoder(&inflate->xz, XZ_MEMORY_BYTES, LZMA_CONCATENATED) ==
		       LZMA_OK;
	default:
		inflate->zstd = ZSTD_createDStream();
		return inflate->zstd;
	}
}

struct pd_error *base_inflate_create(enum base_codec codec, struct base_inflate **ret)
{
	struct base_inflate *inflate = calloc(1, sizeof(*inflate));

	if (!inflate)
		return &pd_enomem;
	inflate->codec = codec;
	if (!start_codec(inflate)) {
		free(inflate);
		return &pd_enomem;
	}
	*ret = inflate;
	return NULL;
}

void base_inflate_destroy(struct base_inflate *inflate)
{
	if (!inflate)
		return;
	if (inflate->codec == PD_CODEC_GZIP)
		inflateEnd(&inflate->gzip);
	else if (inflate->codec == PD_CODEC_XZ)
		lzma_end(&inflate->xz);
	else
		ZSTD_freeDStream(inflate->zstd);
	base_window_deinit(&inflate->window);
	free(inflate);
}

void base_inflate_feed(struct base_inflate *inflate, const void *bytes, size_t len)
{
	inflate->in = bytes;
	inflate->in_len = len;
}

struct base_seen base_inflate_peek(const struct base_inflate *inflate)
{
	return base_window_peek(&inflate->window);
}

void base_inflate_take(struct base_inflate *inflate, size_t len)
{
	base_window_take(&inflate->window, len);
}

/* Each run_*() function runs a codec once and returns the number of bytes written. */
static size_t run_zstd(
	struct base_inflate *inflate, uint8_t *to, size_t room, const char **wrong_ret)
{
	ZSTD_inBuffer in = { .src = inflate->in, .size = inflate->in_len };
	ZSTD_outBuffer out = { .dst = to, .size = room };
	size_t result = ZSTD_decompressStream(inflate->zstd, &out, &in);

	if (ZSTD_isError(result)) {
		*wrong_ret = ZSTD_getErrorName(result);
		inflate->is_out_of_memory =
			ZSTD_getErrorCode(result) == ZSTD_error_memory_allocation;
	}
	if (in.pos || out.pos)
		inflate->is_inside = result != 0;
	inflate->in += in.pos;
	inflate->in_len -= in.pos;
	return out.pos;
}

enum { GZIP_MAGIC_0 = 0x1f, ZLIB_STEP_BYTES = 1 << 30 };

static size_t run_gzip(struct base_inflate *state, uint8_t *to, size_t room, const char **wrong_ret)
{
	z_stream *z = &state->gzip;
	size_t in_len = state->in_len < ZLIB_STEP_BYTES ? state->in_len : ZLIB_STEP_BYTES;
	size_t out_len = room < ZLIB_STEP_BYTES ? room : ZLIB_STEP_BYTES;

	/* Another member may follow a member. Anything else is trailing garbage, as for gzip(1). */
	if (!state->is_inside && z->total_in && in_len && state->in[0] != GZIP_MAGIC_0) {
		state->in_len = 0;
		return 0;
	}
	if (!state->is_inside && in_len)
		inflateReset(z);
	z->next_in = (Bytef *)state->in;
	z->avail_in = (uInt)in_len;
	z->next_out = to;
	z->avail_out = (uInt)out_len;
	int result = inflate(z, Z_NO_FLUSH);
	/* Z_BUF_ERROR only means that more input or more room is needed. */
	if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR)
		*wrong_ret = z->msg ? z->msg : "damaged gzip data";
	state->is_out_of_memory = result == Z_MEM_ERROR;
	state->is_inside = result != Z_STREAM_END;
	state->in += in_len - z->avail_in;
	state->in_len -= in_len - z->avail_in;
	return out_len - z->avail_out;
}

static size_t run_xz(struct base_inflate *inflate, uint8_t *to, size_t room, const char **wrong_ret)
{
	lzma_stream *xz = &inflate->xz;

	xz->next_in = inflate->in;
	xz->avail_in = inflate->in_len;
	xz->next_out = to;
	xz->avail_out = room;
	lzma_ret result = lzma_code(xz, LZMA_RUN);
	_Static_assert(PD_LIMIT_XZ_BYTES == 256 << 20, "the message has the value");
	/* LZMA_BUF_ERROR only means that more input or more room is needed. */
	if (result == LZMA_MEMLIMIT_ERROR)
		*wrong_ret = "xz data that needs more than 256 MiB to decompress";
	else if (result != LZMA_OK && result != LZMA_STREAM_END && result != LZMA_BUF_ERROR)
		*wrong_ret = "damaged xz data";
	inflate->is_out_of_memory = result == LZMA_MEM_ERROR;
	inflate->in = xz->next_in;
	inflate->in_len = xz->avail_in;
	return room - xz->avail_out;
}

static size_t run(struct base_inflate *inflate, uint8_t *to, size_t room, const char **wrong_ret)
{
	switch (inflate->codec) {
	case PD_CODEC_GZIP:
		return run_gzip(inflate, to, room, wrong_ret);
	case PD_CODEC_XZ:
		return run_xz(inflate, to, room, wrong_ret);
	default:
		return run_zstd(inflate, to, room, wrong_ret);
	}
}

struct pd_error *base_inflate_fill(
	struct base_inflate *inflate, bool *more_ret, const char **wrong_ret)
{
	size_t in_len = inflate->in_len;
	size_t room;

	*more_ret = false;
	*wrong_ret = NULL;
	if (!in_len && !inflate->may_have_more)
		return NULL;
	uint8_t *to = base_window_room(&inflate->window, &room);
	if (!to)
		return &pd_enomem;
	size_t n = run(inflate, to, room, wrong_ret);
	if (inflate->is_out_of_memory)
		return &pd_enomem;
	if (*wrong_ret) {
		inflate->in_len = 0;
		inflate->may_have_more = false;
		return NULL;
	}
	/*
	 * A codec that neither reads nor writes cannot go on. Drop the input, so that callers stop.
	 */
	*more_ret = n || inflate->in_len < in_len;
	if (!*more_ret)
		inflate->in_len = 0;
	inflate->may_have_more = n == room;
	base_window_add(&inflate->window, n);
	return NULL;
}

bool base_inflate_is_cut(struct base_inflate *inflate)
{
	if (inflate->codec != PD_CODEC_XZ)
		return inflate->is_inside;
	inflate->xz.avail_in = inflate->xz.avail_out = 0;
	return lzma_code(&inflate->xz, LZMA_FINISH) != LZMA_STREAM_END;
}

#include "parse/inflate.h"

#include <string.h>

#include <zstd.h>

/* Room for a good many records; the largest record has 64 KiB. */
enum { CHUNK_BYTES = 512 * 1024 };

struct pd_inflate {
	ZSTD_DStream *zstd;
	ZSTD_inBuffer in;
	/** Unpacked bytes are start to end of chunk. */
	struct pd_chunk *chunk;
	size_t start;
	size_t end;
	/** The last call filled the chunk: zstd may hold back bytes of input it has taken. */
	bool may_have_more;
};

struct pd_error *pd_inflate_create(struct pd_inflate **ret)
{
	struct pd_inflate *inflate = calloc(1, sizeof(*inflate));

	if (!inflate)
		return &pd_enomem;
	inflate->zstd = ZSTD_createDStream();
	inflate->chunk = pd_chunk_create(CHUNK_BYTES);
	if (!inflate->zstd || !inflate->chunk) {
		pd_inflate_destroy(inflate);
		return &pd_enomem;
	}
	*ret = inflate;
	return NULL;
}

void pd_inflate_destroy(struct pd_inflate *inflate)
{
	if (!inflate)
		return;
	ZSTD_freeDStream(inflate->zstd);
	pd_chunk_unref(inflate->chunk);
	free(inflate);
}

void pd_inflate_feed(struct pd_inflate *inflate, const void *bytes, size_t len)
{
	inflate->in = (ZSTD_inBuffer){ .src = bytes, .size = len };
}

struct pd_inflated pd_inflate_peek(const struct pd_inflate *inflate)
{
	return (struct pd_inflated){
		.bytes = inflate->chunk->bytes + inflate->start,
		.len = inflate->end - inflate->start,
		.chunk = inflate->chunk,
	};
}

void pd_inflate_take(struct pd_inflate *inflate, size_t len)
{
	inflate->start += len;
}

/* Records in the full chunk stay where they are; only the unfinished tail moves on. */
static bool change_chunk(struct pd_inflate *inflate)
{
	struct pd_chunk *next = pd_chunk_create(CHUNK_BYTES);
	size_t tail = inflate->end - inflate->start;

	if (!next)
		return false;
	memcpy(next->bytes, inflate->chunk->bytes + inflate->start, tail);
	pd_chunk_unref(inflate->chunk);
	inflate->chunk = next;
	inflate->start = 0;
	inflate->end = tail;
	return true;
}

struct pd_error *pd_inflate_fill(struct pd_inflate *inflate, bool *more_ret, const char **wrong_ret)
{
	*more_ret = false;
	*wrong_ret = NULL;
	if (inflate->in.pos == inflate->in.size && !inflate->may_have_more)
		return NULL;
	if (inflate->end == inflate->chunk->size && !change_chunk(inflate))
		return &pd_enomem;

	ZSTD_outBuffer out = {
		.dst = inflate->chunk->bytes,
		.size = inflate->chunk->size,
		.pos = inflate->end,
	};
	size_t result = ZSTD_decompressStream(inflate->zstd, &out, &inflate->in);
	if (ZSTD_isError(result)) {
		*wrong_ret = ZSTD_getErrorName(result);
		inflate->in.pos = inflate->in.size;
		inflate->may_have_more = false;
		return NULL;
	}
	*more_ret = out.pos > inflate->end || inflate->in.pos < inflate->in.size;
	inflate->may_have_more = out.pos == out.size;
	inflate->end = out.pos;
	return NULL;
}

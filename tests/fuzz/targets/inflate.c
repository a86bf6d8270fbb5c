/*
 * Decompress a stream of any codec, fed in pieces of any size. Input: the codec, the size of
 * pieces, and the stream. Then the same bytes as the contents of a section.
 */
#include <stdlib.h>

#include "base/io/inflate.h"
#include "symbolize/file/image_sections.h"
#include "tests/fuzz/fuzz.h"

/* Bytes that are decompressed before the rest is not of interest. */
enum { MAX_OUTPUT = 1 << 20 };

static void inflate(enum base_codec codec, size_t step, struct fuzz_input in)
{
	struct base_inflate *inflate;
	const char *wrong = NULL;
	struct pd_error *err = base_inflate_create(codec, &inflate);
	size_t n_done = 0;

	while (!err && !wrong && in.size && n_done < MAX_OUTPUT) {
		struct fuzz_input piece = fuzz_take(&in, step);
		uint8_t *bytes = fuzz_copy(&piece);
		bool has_more = true;

		base_inflate_feed(inflate, bytes, piece.size);
		while (!err && !wrong && has_more && n_done < MAX_OUTPUT) {
			err = base_inflate_fill(inflate, &has_more, &wrong);
			size_t n = base_inflate_peek(inflate).len;
			base_inflate_take(inflate, n);
			n_done += n;
		}
		free(bytes);
	}
	if (!err) {
		base_inflate_is_cut(inflate);
		base_inflate_destroy(inflate);
	}
	pd_error_destroy(err);
}

static void unpack(uint32_t algorithm, const void *packed, size_t packed_size, size_t size)
{
	void *bytes = NULL;
	struct pd_error *err = sym_unpack(algorithm, packed, packed_size, size, &bytes);

	if (!err)
		free(bytes);
	pd_error_destroy(err);
}

void fuzz_target_inflate(struct fuzz_input *in)
{
	static const enum base_codec codecs[] = { PD_CODEC_GZIP, PD_CODEC_ZSTD, PD_CODEC_XZ };
	enum base_codec codec = codecs[fuzz_choice(in, 3)];
	size_t step = (size_t)fuzz_byte(in) * 16 + 1;
	uint8_t *bytes = fuzz_copy(in);

	base_codec_detect(bytes, in->size);
	inflate(codec, step, *in);
	unpack(SYM_PACKED_ZLIB, bytes, in->size, step * 16);
	unpack(SYM_PACKED_ZSTD, bytes, in->size, step * 16);
	free(bytes);
}

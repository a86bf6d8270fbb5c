/* Recordings of testdata/: as files, as streams, compressed, and their parts. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#include <pdconv/copy.h>

#include "tests/fuzz/seeds/seeds.h"

enum { MOST = 16000 };

/* Name of a seed made of the file @p path. */
static const char *name_of(const char *path, const char *suffix)
{
	static char name[256];

	snprintf(name, sizeof(name), "%s%s", path, suffix);
	for (char *c = name; (c = strchr(c, '/'));)
		*c = '-';
	return name;
}

/* Copy to a file or a stream in the other byte order, and keep its beginning. */
static void write_copy(const char *path, const struct pd_copy_opts *opts, const char *suffix)
{
	struct pd_file *file = seeds_open(path);
	struct pd_copy_result result;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	struct pd_error *err = out ? pd_copy(file, out, "copy", opts, &result) : &pd_enomem;
	if (err || fclose(out))
		abort();
	size = size < MOST ? size : MOST;
	seeds_write("recording", name_of(path, suffix), text, size);
	if (opts->is_pipe)
		seeds_write("stream", name_of(path, suffix), text, size);
	free(text);
	pd_file_close(file);
}

static void compress_gzip(const struct pd_bytes *in, uint8_t *out, size_t room, size_t *size_ret)
{
	z_stream z = { .next_in = in->buf.data,
		.avail_in = (uInt)in->buf.n,
		.next_out = out,
		.avail_out = (uInt)room };

	if (deflateInit2(&z, 9, Z_DEFLATED, 31, 9, 0) || deflate(&z, Z_FINISH) != Z_STREAM_END)
		abort();
	*size_ret = z.total_out;
	deflateEnd(&z);
}

static void compress_xz(const struct pd_bytes *in, uint8_t *out, size_t room, size_t *size_ret)
{
	*size_ret = 0;
	if (lzma_easy_buffer_encode(6, LZMA_CHECK_CRC32, NULL, in->buf.data, in->buf.n, out,
		    size_ret, room) != LZMA_OK)
		abort();
}

static void compress_zstd(const struct pd_bytes *in, uint8_t *out, size_t room, size_t *size_ret)
{
	*size_ret = ZSTD_compress(out, room, in->buf.data, in->buf.n, 3);
	if (ZSTD_isError(*size_ret))
		abort();
}

/* A compressed stream; for the decompressors also its first bytes, which are enough for them. */
static void write_compressed(const char *path)
{
	static const struct {
		const char *suffix;
		void (*compress)(
			const struct pd_bytes *in, uint8_t *out, size_t room, size_t *size_ret);
	} codecs[] = { { ".gz", compress_gzip }, { ".zst", compress_zstd },
		{ ".xz", compress_xz } };
	enum { ROOM = 65536 };
	static uint8_t packed[ROOM];

	for (size_t i = 0; i < 3; i++) {
		struct pd_bytes in = seeds_read(path, 4096);
		struct pd_bytes seed = { 0 };
		size_t size;

		codecs[i].compress(&in, packed, ROOM, &size);
		seeds_write("stream", name_of(path, codecs[i].suffix), packed, size);
		pd_bytes_u8(&seed, (uint8_t)i);
		pd_bytes_u8(&seed, 7);
		pd_bytes_put(&seed, packed, size);
		seeds_put("inflate", name_of(path, codecs[i].suffix), &seed);
		pd_bytes_deinit(&in);
	}
}

static void write_directory(void)
{
	static const char *const parts[] = { "testdata/parallel/perf.data/data",
		"testdata/parallel/perf.data/data.0", "testdata/parallel/perf.data/data.1" };
	struct pd_bytes seed = { 0 };

	for (size_t i = 0; i < 3; i++) {
		struct pd_bytes part = seeds_read(parts[i], 5000);

		seeds_piece(&seed, part.buf.data, part.buf.n);
		pd_bytes_deinit(&part);
	}
	seeds_put("directory", "parallel", &seed);
}

void seeds_of_recordings(void)
{
	static const struct pd_copy_opts swapped = { .swap = true };
	static const struct pd_copy_opts stream = { .is_pipe = true };

	for (const char *const *path = seeds_recordings; *path; path++) {
		struct pd_bytes bytes = seeds_read(*path, MOST);

		seeds_put("recording", name_of(*path, ""), &bytes);
		write_copy(*path, &swapped, "-swapped");
		write_copy(*path, &stream, "-stream");
	}
	write_compressed("testdata/piped/perf.data");
	write_compressed("testdata/group/perf.data");
	write_directory();
}

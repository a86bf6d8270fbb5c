/* Pieces of a deflate stream, against zlib's inflate. */
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/array.h"
#include "output/deflate.h"
#include "tests/unit/test.h"

enum { PIECE = 128 << 10, N_PIECES = 5 };

enum content { ZEROS, NOISE, NUMBERS, N_CONTENTS };

static void fill(uint8_t *bytes, size_t n, enum content content)
{
	uint32_t state = 1;

	memset(bytes, 0, n);
	for (size_t i = 0; content == NOISE && i < n; i++) {
		state = state * 1103515245 + 12345;
		bytes[i] = (uint8_t)(state >> 16);
	}
	for (size_t i = 0; content == NUMBERS && i + 8 <= n; i += 8)
		snprintf((char *)bytes + i, 8, "%zu", i * i % 9973);
}

/* Compress @p n bytes in pieces, to a stream that must be the same again. Returns its length. */
static size_t pack(const uint8_t *bytes, size_t n, size_t piece_size, uint8_t *to)
{
	struct out_deflate *packer = out_deflate_create();
	size_t len = 0;

	assert_non_null(packer);
	for (size_t at = 0; at == 0 || at < n; at += piece_size) {
		size_t n_window = at < OUT_DEFLATE_WINDOW ? at : OUT_DEFLATE_WINDOW;
		const struct out_deflate_piece piece = {
			.window = bytes + at - n_window,
			.n_window = n_window,
			.bytes = bytes + at,
			.n = n - at < piece_size ? n - at : piece_size,
			.is_last = n - at <= piece_size,
		};
		size_t packed = out_deflate_pack(packer, &piece, to + len);

		assert_true(packed < OUT_DEFLATE_BOUND(piece.n));
		len += packed;
	}
	out_deflate_destroy(packer);
	return len;
}

static void check(const uint8_t *bytes, size_t n, size_t piece_size)
{
	size_t room = (n / piece_size + 1) * OUT_DEFLATE_BOUND(piece_size);
	uint8_t *packed = malloc(room), *unpacked = calloc(1, n + 1);
	z_stream z = { 0 };

	z.next_in = packed;
	z.avail_in = (uInt)pack(bytes, n, piece_size, packed);
	z.next_out = unpacked;
	z.avail_out = (uInt)n + 1;
	assert_int_equal(inflateInit2(&z, -15), Z_OK);
	assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END);
	assert_int_equal(z.avail_in, 0);
	assert_int_equal(z.total_out, n);
	assert_memory_equal(bytes, unpacked, n);
	inflateEnd(&z);
	free(packed);
	free(unpacked);
}

static void pieces_are_one_stream(void **state)
{
	static const size_t sizes[] = { 0, 1, 2, 1000, OUT_DEFLATE_WINDOW, PIECE - 1, PIECE,
		PIECE + 1, (size_t)N_PIECES * PIECE };
	uint8_t *bytes = malloc((size_t)N_PIECES * PIECE);

	(void)state;
	for (enum content content = ZEROS; content < N_CONTENTS; content++) {
		fill(bytes, (size_t)N_PIECES * PIECE, content);
		for (size_t i = 0; i < PD_ARRAY_LEN(sizes); i++)
			check(bytes, sizes[i], PIECE);
		check(bytes, 2000, 1);
		check(bytes, PIECE, 777);
	}
	free(bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pieces_are_one_stream),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

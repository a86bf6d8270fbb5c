/**
 * @file A compressor for pieces of one deflate stream (RFC 1951).
 *
 * A piece does not depend on the compressed form of any other, so several compressors can work on
 * the pieces of a stream at the same time.
 */
#ifndef PD_OUTPUT_DEFLATE_H
#define PD_OUTPUT_DEFLATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	/** Deflate refers back to the last 32 KiB at most. */
	OUT_DEFLATE_WINDOW = 32 << 10,
};

/** Bytes that a piece of @p n bytes takes at most: data that do not compress, and their marks. */
#define OUT_DEFLATE_BOUND(n) ((n) + (n) / 8 + 1024)

/** A piece, and the bytes before it in the stream, of which at most OUT_DEFLATE_WINDOW are used. */
struct out_deflate_piece {
	const uint8_t *window;
	size_t n_window;
	const uint8_t *bytes;
	size_t n;
	/** The stream ends with the piece. */
	bool is_last;
};

struct out_deflate;

/**
 * Create a compressor, which is fast rather than thorough: that of ISA-L if the program was built
 * with it, which takes a quarter of zlib's time for the same size. Returns NULL if out of memory.
 */
struct out_deflate *out_deflate_create(void);
/** NULL is allowed. */
void out_deflate_destroy(struct out_deflate *packer);

/**
 * Compress @p piece to @p to, which has room for OUT_DEFLATE_BOUND(piece->n) bytes. The compressed
 * piece ends at a byte. Returns its length.
 */
size_t out_deflate_pack(
	struct out_deflate *packer, const struct out_deflate_piece *piece, uint8_t *to);

#endif

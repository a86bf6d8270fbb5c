/**
 * @file Streaming decompression of gzip, xz and zstd, with one frame or several.
 *
 * The payloads of COMPRESSED and COMPRESSED2 records form one zstd stream, in which a record may
 * span several payloads. A recording may also be compressed as a whole.
 */
#ifndef PD_BASE_INFLATE_H
#define PD_BASE_INFLATE_H

#include <stdbool.h>

#include <pdconv/error.h>

#include "base/io/window.h"

enum base_codec { PD_CODEC_NONE, PD_CODEC_GZIP, PD_CODEC_ZSTD, PD_CODEC_XZ };

/** Number of bytes that base_codec_detect() needs. */
enum { PD_CODEC_MAGIC_BYTES = 6 };

/** Detect the codec by the first bytes of a stream. */
enum base_codec base_codec_detect(const uint8_t *bytes, size_t len);

struct base_inflate;

struct pd_error *base_inflate_create(
	enum base_codec codec, struct base_inflate **ret) pd_must_check;
void base_inflate_destroy(struct base_inflate *inflate);

/**
 * Provide @p len compressed bytes. They are borrowed until base_inflate_fill() has consumed them.
 */
void base_inflate_feed(struct base_inflate *inflate, const void *bytes, size_t len);

/** Decompressed bytes that were not taken yet. */
struct base_seen base_inflate_peek(const struct base_inflate *inflate);
/** Take @p len of the bytes that base_inflate_peek() returns. */
void base_inflate_take(struct base_inflate *inflate, size_t len);

/**
 * Decompress more bytes and append them to those that base_inflate_peek() returns. @p more_ret is
 * set to false if no input is left. If the stream is damaged, @p wrong_ret receives a description
 * in static storage, else NULL. Errors: NOMEM.
 */
struct pd_error *base_inflate_fill(
	struct base_inflate *inflate, bool *more_ret, const char **wrong_ret) pd_must_check;

/** Whether the stream is truncated: all input was consumed and ended within a frame. */
bool base_inflate_is_cut(struct base_inflate *inflate);

#endif

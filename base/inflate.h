/**
 * @file Unpacking bytes that come piece by piece: gzip, xz, or zstd, of one frame or several.
 *
 * The payloads of a recording's COMPRESSED and COMPRESSED2 records are one zstd stream: a record of
 * the recording may span several of them. A recording may also be compressed as a whole.
 */
#ifndef PD_BASE_INFLATE_H
#define PD_BASE_INFLATE_H

#include <stdbool.h>

#include <pdconv/error.h>

#include "base/window.h"

enum pd_codec { PD_CODEC_NONE, PD_CODEC_GZIP, PD_CODEC_ZSTD, PD_CODEC_XZ };

/** So many first bytes tell the codec. */
enum { PD_CODEC_MAGIC_BYTES = 6 };

enum pd_codec pd_codec_detect(const uint8_t *bytes, size_t len);

struct pd_inflate;

struct pd_error *pd_inflate_create(enum pd_codec codec, struct pd_inflate **ret) pd_must_check;
void pd_inflate_destroy(struct pd_inflate *inflate);

/** Add @p len compressed bytes, borrowed until pd_inflate_fill has used them up. */
void pd_inflate_feed(struct pd_inflate *inflate, const void *bytes, size_t len);

/** Bytes that are unpacked and not yet taken. */
struct pd_seen pd_inflate_peek(const struct pd_inflate *inflate);
/** Take @p len of the bytes that peek shows. */
void pd_inflate_take(struct pd_inflate *inflate, size_t len);

/**
 * Unpack more behind what peek shows. False: nothing to unpack is left. What is wrong with the
 * stream goes to @p wrong_ret (static storage, else NULL). Errors: no memory.
 */
struct pd_error *pd_inflate_fill(
	struct pd_inflate *inflate, bool *more_ret, const char **wrong_ret) pd_must_check;

/** All that was fed is used up, and it ended within a frame. */
bool pd_inflate_is_cut(struct pd_inflate *inflate);

#endif

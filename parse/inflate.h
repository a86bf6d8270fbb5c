/**
 * @file The zstd stream that runs through the COMPRESSED and COMPRESSED2 records of a recording.
 *
 * Their payloads are one stream: a record of the recording may span several of them.
 */
#ifndef PD_PARSE_INFLATE_H
#define PD_PARSE_INFLATE_H

#include <stdbool.h>

#include "base/error.h"
#include "parse/chunk.h"

struct pd_inflate;

struct pd_error *pd_inflate_create(struct pd_inflate **ret) pd_must_check;
void pd_inflate_destroy(struct pd_inflate *inflate);

/** Add @p len compressed bytes, borrowed until pd_inflate_fill has used them up. */
void pd_inflate_feed(struct pd_inflate *inflate, const void *bytes, size_t len);

/** Bytes that are unpacked and not yet taken. */
struct pd_inflated {
	const uint8_t *bytes;
	size_t len;
	/** What holds them; borrowed. */
	struct pd_chunk *chunk;
};

struct pd_inflated pd_inflate_peek(const struct pd_inflate *inflate);
/** Take @p len of the bytes that peek shows. */
void pd_inflate_take(struct pd_inflate *inflate, size_t len);

/**
 * Unpack more behind what peek shows. False: nothing to unpack is left. What is wrong with the
 * stream goes to @p wrong_ret (static storage, else NULL). Errors: no memory.
 */
struct pd_error *pd_inflate_fill(
	struct pd_inflate *inflate, bool *more_ret, const char **wrong_ret) pd_must_check;

#endif

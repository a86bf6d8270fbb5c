/**
 * @file Decompression of the COMPRESSED and COMPRESSED2 records of one part.
 *
 * Their payloads are one zstd stream: a record may span several of them, and what follows damaged
 * bytes can only be decompressed from the next zstd frame on.
 */
#ifndef PD_PARSE_DECOMPRESS_H
#define PD_PARSE_DECOMPRESS_H

#include <stdbool.h>
#include <stdint.h>

#include <pdconv/error.h>
#include <pdconv/file.h>
#include <pdconv/record.h>

#include "base/inflate.h"

/** Decompressor of a part. Zero-initialized except for @ref file and @ref part. */
struct pd_decompressor {
	struct pd_file *file;
	uint32_t part;
	/** The next records are those in the compressed record at @ref offset. */
	bool is_active;
	/** The zstd stream is damaged: compressed records are skipped up to the next frame. */
	bool needs_frame;
	/** Number of records in the compressed record that were returned. */
	uint32_t n_returned;
	/** Offset of the last compressed record in the part. */
	uint64_t offset;
	/** Created with the first compressed record. */
	struct pd_inflate *inflate;
};

static inline bool pd_decompressor_can_take(const struct pd_record *rec)
{
	return rec->type == PD_RECORD_COMPRESSED || rec->type == PD_RECORD_COMPRESSED2;
}

/**
 * Start to decompress the compressed record @p rec, whose bytes must stay valid until its end. If
 * it is invalid or needs damaged bytes, that is noted and is_active stays false. @p time is that of
 * the last record before it. Errors: NOMEM.
 */
struct pd_error *pd_decompressor_start(
	struct pd_decompressor *d, const struct pd_record *rec, uint64_t time) pd_must_check;

/**
 * End the compressed record. @p wrong is NULL, or describes damage in it, which ends at the offset
 * @p end: it is noted, and the rest is dropped. @p time is that of the last record before it.
 */
void pd_decompressor_end(struct pd_decompressor *d, const char *wrong, uint64_t end, uint64_t time);

/** Drop decompressed bytes, because compressed records may have been among damaged bytes. */
void pd_decompressor_lose(struct pd_decompressor *d);

/** At the end of the part, note decompressed bytes that are not a complete record. */
void pd_decompressor_end_part(struct pd_decompressor *d);

static inline void pd_decompressor_deinit(struct pd_decompressor *d)
{
	pd_inflate_destroy(d->inflate);
}

#endif

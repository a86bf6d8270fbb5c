/**
 * @file Compression of records, as by `perf record -z`: COMPRESSED records that contain a zstd
 * stream. Unlike that of perf it consists of several frames, so that damage costs one frame only.
 *
 * perf decompresses each of them to a buffer whose size is in HEADER_COMPRESSED, and reports an
 * error if the result is empty. So each COMPRESSED record contains a flushed block of zstd.
 */
#ifndef PD_PARSE_WRITE_PACK_H
#define PD_PARSE_WRITE_PACK_H

#include <pdconv/writer.h>

struct parse_pack;

/**
 * Create a compressor that writes to @p writer, which is borrowed, with the zstd level @p level.
 * Errors: USAGE if zstd has no such level; NOMEM.
 */
struct pd_error *parse_pack_create(
	struct pd_writer *writer, int level, struct parse_pack **ret) pd_must_check;
/** Free @p pack, which may be NULL. Records that were not flushed are lost. */
void parse_pack_destroy(struct parse_pack *pack);

/** Add a complete record. Errors: USAGE if it is too large with its padding; OS; NOMEM. */
struct pd_error *parse_pack_add(
	struct parse_pack *pack, const void *record, size_t size) pd_must_check;
/** Write all records that were added. Errors: OS, NOMEM. */
struct pd_error *parse_pack_flush(struct parse_pack *pack) pd_must_check;

/** Append the body of HEADER_COMPRESSED, with the compression ratio of the records so far. */
void parse_pack_describe(const struct parse_pack *pack, struct pd_bytes *out);

#endif

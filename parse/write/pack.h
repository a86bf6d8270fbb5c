/**
 * @file Records compressed as `perf record -z` does it: COMPRESSED records, whose contents are one zstd
 * stream.
 *
 * perf unpacks what each of them holds into a buffer of a size that HEADER_COMPRESSED tells, and takes
 * it for damaged if nothing comes out. So each holds what a piece of records became, all of it.
 */
#ifndef PD_PARSE_PACK_H
#define PD_PARSE_PACK_H

#include <pdconv/writer.h>

struct pd_pack;

/**
 * Create a compressor that writes to @p writer, which is borrowed, with level @p level of zstd.
 * Errors: USAGE if zstd has no such level; NOMEM.
 */
struct pd_error *pd_pack_create(
	struct pd_writer *writer, int level, struct pd_pack **ret) pd_must_check;
/** NULL is fine. What was not flushed is lost. */
void pd_pack_destroy(struct pd_pack *pack);

/** Add a whole record. Errors: writing, no memory. */
struct pd_error *pd_pack_add(struct pd_pack *pack, const void *record, size_t size) pd_must_check;
/** Write what was added and is not written yet. Errors: writing, no memory. */
struct pd_error *pd_pack_flush(struct pd_pack *pack) pd_must_check;

/** Append the body of HEADER_COMPRESSED, with the ratio of what was flushed so far. */
void pd_pack_describe(const struct pd_pack *pack, struct pd_bytes *out);

#endif

/**
 * @file What the parts of copying share: parse/write/copy.c, and copy_header.c for what is not records.
 */
#ifndef PD_PARSE_WRITE_COPY_PRIVATE_H
#define PD_PARSE_WRITE_COPY_PRIVATE_H

#include <pdconv/writer.h>

#include "parse/file_private.h"
#include "parse/write/pack.h"
#include "parse/write/rewrite.h"
#include "parse/write/byteswap.h"

struct pd_copying {
	struct pd_file *file;
	const struct pd_copy_opts *opts;
	const struct pd_edits *edits;
	struct pd_writer *writer;
	/** NULL: records are not compressed. */
	struct pd_pack *pack;
	/** HEADER_COMPRESSED, which says so, is written. */
	bool has_compression;
	struct pd_copy_result result;
	/** The byte order changes. */
	bool byteswaps;
	/** Ids that were written of each event so far. */
	PD_VEC(size_t) n_ids;
	/** What is written next, in its order. */
	struct pd_bytes bytes;
	/** Collected from a stream, in the order of what is written. */
	struct pd_bytes build_ids;
	/** The last compressed record, whose place what it holds shares. */
	uint64_t compressed_offset;
	bool has_compressed;
};

/** Count what is not turned as a whole. */
void pd_copy_count(struct pd_copying *copy, enum pd_byteswapped turned);
/** copy->bytes with room for @p size bytes, and nothing else; NULL if there is no memory. */
uint8_t *pd_copy_room(struct pd_copying *copy, size_t size);

/** Events, and their ids, that are known by now. Later records of a stream may bring more. */
struct pd_error *pd_copy_events(struct pd_copying *copy) pd_must_check;
/** All features that stay. */
struct pd_error *pd_copy_features(struct pd_copying *copy) pd_must_check;
/** HEADER_COMPRESSED of what is packed, once. */
struct pd_error *pd_copy_add_compression(struct pd_copying *copy) pd_must_check;
/** Whether what feature @p bit says is not true of the copy, comes by itself, or is unwanted. */
bool pd_copy_is_outdated(const struct pd_copying *copy, uint64_t bit);

/** Change the attr at @p at, which is followed by @p size bytes with it. */
void pd_copy_edit_attr(const struct pd_copying *copy, uint8_t *at, size_t size);
/** Change the attrs in @p body, the body of HEADER_EVENT_DESC. */
void pd_copy_edit_event_desc(const struct pd_copying *copy, uint8_t *body, size_t size);

#endif

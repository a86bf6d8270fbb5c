/**
 * @file Copying the header of a recording, its events and features, and the state of a copy.
 */
#ifndef PD_PARSE_WRITE_COPY_HEADER_H
#define PD_PARSE_WRITE_COPY_HEADER_H

#include <pdconv/writer.h>

#include "parse/open_file.h"
#include "parse/write/pack.h"
#include "parse/write/rewrite.h"
#include "parse/write/byteswap.h"

struct parse_copying {
	struct pd_file *file;
	const struct pd_copy_opts *opts;
	const struct parse_edits *edits;
	struct pd_writer *writer;
	/** Compressor, or NULL. */
	struct parse_pack *pack;
	/** HEADER_COMPRESSED was written. */
	bool has_compression;
	struct pd_copy_result result;
	/** The byte order changes. */
	bool byteswaps;
	/** Number of ids that were written so far, for each event. */
	PD_VEC(size_t) n_ids;
	/** Buffer for the next output, in its byte order. */
	struct pd_bytes bytes;
	/** BUILD_ID records that were collected from a stream, in the byte order of the output. */
	struct pd_bytes build_ids;
	/** Event types of a stream so far, including those that were left out. */
	uint64_t n_event_types;
	/** Offset of the last compressed record. The records in it have the same offset. */
	uint64_t compressed_offset;
	bool has_compressed;
};

/** Count data that was not byteswapped completely. */
void parse_copy_count(struct parse_copying *copy, enum parse_byteswapped turned);
/** Replace the contents of copy->bytes by @p size uninitialised bytes. NULL if out of memory. */
uint8_t *parse_copy_room(struct parse_copying *copy, size_t size);

/** Write events and ids that are known so far. Later records of a stream may add some. */
struct pd_error *parse_copy_events(struct parse_copying *copy) pd_must_check;
/** Write all features that are copied. */
struct pd_error *parse_copy_features(struct parse_copying *copy) pd_must_check;
/** Write HEADER_COMPRESSED once, if records are compressed. */
struct pd_error *parse_copy_add_compression(struct parse_copying *copy) pd_must_check;
/**
 * Whether feature @p bit is not copied: it is not true of the copy, the writer writes it, or edits
 * leave it out.
 */
bool parse_copy_is_outdated(const struct parse_copying *copy, uint64_t bit);

/** Apply edits to the attr at the start of the @p size bytes at @p at. */
void parse_copy_edit_attr(const struct parse_copying *copy, uint8_t *at, size_t size);
/** Apply edits to the attrs in @p body, the body of HEADER_EVENT_DESC. */
void parse_copy_edit_event_desc(const struct parse_copying *copy, uint8_t *body, size_t size);

#endif

/**
 * @file Framing: where a record and the payload that follows it begin and end.
 */
#ifndef PD_PARSE_FRAME_H
#define PD_PARSE_FRAME_H

#include <string.h>

#include <pdconv/file.h>
#include <pdconv/record.h>

#include "parse/open_file.h"
#include "parse/simpleperf.h"

enum parse_framing {
	/** The record and its payload are complete. */
	PD_FRAMED,
	/** Bytes are missing at the end. */
	PD_FRAME_CUT,
	/** The size is too small for a record. */
	PD_FRAME_BROKEN,
};

/** Header of a record. */
struct parse_frame_header {
	uint32_t type;
	/** Size including the header, in bytes. */
	uint32_t size;
	uint16_t misc;
};

/**
 * Decode the record header at @p bytes, of which PD_RECORD_HEADER_BYTES must be there. Inline,
 * because each header is decoded twice.
 */
static inline struct parse_frame_header parse_frame_header(
	const struct pd_file *file, const uint8_t *bytes)
{
	struct parse_frame_header header;
	uint16_t halves[2];

	memcpy(&header.type, bytes, sizeof(header.type));
	memcpy(halves, bytes + sizeof(header.type), sizeof(halves));
	header.type = file->swap ? __builtin_bswap32(header.type) : header.type;
	header.misc = file->swap ? __builtin_bswap16(halves[0]) : halves[0];
	header.size = file->swap ? __builtin_bswap16(halves[1]) : halves[1];
	/* simpleperf stores the upper half of the size instead of misc. */
	if (file->is_simpleperf && header.type >= PD_SIMPLEPERF_FIRST_RECORD) {
		header.size |= (uint32_t)header.misc << 16;
		header.misc = 0;
	}
	return header;
}

/**
 * Set @p ret to a record without offset, part, payload and chunk. Its members are set one by one:
 * a compound literal is made on the stack and copied, for which the processor waits until its
 * stores, of other sizes than the loads, are done.
 */
static inline void parse_frame_fill(const struct pd_file *file, const uint8_t *bytes,
	struct parse_frame_header header, struct pd_record *ret)
{
	ret->type = header.type;
	ret->size = header.size;
	ret->misc = header.misc;
	ret->is_unpacked = false;
	ret->swap = file->swap;
	ret->part = 0;
	ret->ordinal = 0;
	ret->bytes = bytes;
	ret->outside_size = 0;
	ret->offset = 0;
	ret->time = PD_NO_TIME;
	ret->chunk = NULL;
}

/** Like parse_frame_fill(), but return the record. */
static inline struct pd_record parse_frame_record(
	const struct pd_file *file, const uint8_t *bytes, struct parse_frame_header header)
{
	struct pd_record rec;

	parse_frame_fill(file, bytes, header, &rec);
	return rec;
}

/** Size of the payload that follows @p rec, an AUXTRACE or TRACING_DATA. */
uint64_t parse_frame_outside_bytes(const struct pd_record *rec);

/** Remove the mark of a build id from @p rec, an MMAP2 that is marked, if it has none. */
void parse_frame_check_build_id(struct pd_record *rec);

/**
 * Find the extent of the record at @p bytes, of which @p len are available, and of its payload.
 * Records in a compressed record (@p is_unpacked) never have a payload. @p ret has no offset and no
 * chunk; unless the result is PD_FRAMED, it may be incomplete.
 */
static inline enum parse_framing pd_frame(const struct pd_file *file, const uint8_t *bytes,
	uint64_t len, bool is_unpacked, struct pd_record *ret)
{
	if (len < PD_RECORD_HEADER_BYTES)
		return PD_FRAME_CUT;
	parse_frame_fill(file, bytes, parse_frame_header(file, bytes), ret);
	if (ret->size < PD_RECORD_HEADER_BYTES)
		return PD_FRAME_BROKEN;
	if (ret->size > len)
		return PD_FRAME_CUT;
	if (ret->type == PD_RECORD_MMAP2 && ret->misc & PD_MISC_MMAP_BUILD_ID)
		parse_frame_check_build_id(ret);
	if ((ret->type == PD_RECORD_AUXTRACE || ret->type == PD_RECORD_TRACING_DATA) &&
		!is_unpacked)
		ret->outside_size = parse_frame_outside_bytes(ret);
	return ret->outside_size <= len - ret->size ? PD_FRAMED : PD_FRAME_CUT;
}

#endif

/**
 * @file Resynchronisation: finding the next record after damaged bytes. See doc/design/damage.md.
 *
 * A header is *plausible* if it is like those that the kernel and perf write. A record is *valid*
 * if all of it agrees with its type and with the events of the recording.
 */
#ifndef PD_PARSE_RESYNC_H
#define PD_PARSE_RESYNC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/file.h>
#include <pdconv/record.h>

#include "parse/frame.h"

enum {
	/** Records of a failed chain that are remembered. */
	PD_RESYNC_KEPT = 256,
	/**
	 * Bytes after an offset that decide whether a chain of records begins there: the longest
	 * chain that is examined.
	 */
	PD_RESYNC_LOOK_BYTES = 256 * 1024,
	/** Bits of misc that have no meaning in any record of the kernel. */
	PD_RESYNC_UNDEFINED_MISC = 0x0ff8,
};

/** State of the searches in one stream. Zeroed except for @ref file. */
struct parse_resync {
	const struct pd_file *file;
	/**
	 * Times of the last record and of the one before it, either of which the damage may have
	 * changed; 0: unknown.
	 */
	uint64_t near[2];
	/** Bytes that were searched, and the work that was done for them. */
	uint64_t n_searched;
	uint64_t n_work;
	/** Offsets within the searched bytes of records whose chain failed, ascending. */
	size_t failed[PD_RESYNC_KEPT];
	size_t n_failed;
};

/** Note the time of a record that was read. */
static inline void parse_resync_note_time(struct parse_resync *resync, uint64_t time)
{
	resync->near[1] = resync->near[0];
	resync->near[0] = time;
}

/** Bitmap of the types of records of the kernel and of perf. */
extern const uint64_t parse_resync_known_types[2];

static inline bool parse_resync_is_known_type(uint32_t type)
{
	return type < 128 && parse_resync_known_types[type / 64] >> type % 64 & 1;
}

/** Like parse_resync_is_plausible(), for records of perf and simpleperf, with a type from 64 on. */
bool parse_resync_is_plausible_tool(const struct pd_file *file, struct parse_frame_header header);

/**
 * Whether @p header is like those that the kernel and perf write: its type is known, and a record
 * of the kernel has a size in multiples of 8 bytes and no undefined bits in misc. A sample may have
 * any size: the kernel cuts a captured stack at the end of the address space, and does not pad it.
 */
static inline bool parse_resync_is_plausible(
	const struct pd_file *file, struct parse_frame_header header)
{
	if (header.type >= PD_RECORD_FIRST_TOOL)
		return parse_resync_is_plausible_tool(file, header);
	return parse_resync_known_types[0] >> header.type & 1 &&
	       header.size >= PD_RECORD_HEADER_BYTES &&
	       (!(header.size % 8) || header.type == PD_RECORD_SAMPLE) &&
	       !(header.misc & PD_RESYNC_UNDEFINED_MISC);
}

/** Like parse_resync_is_plausible(), for the header of @p rec. */
bool parse_resync_is_plausible_record(const struct pd_file *file, const struct pd_record *rec);

/**
 * Whether @p rec is valid: its header is plausible, nothing but padding is left after decoding it,
 * its id is one of the recording, and its time is near that of earlier records.
 */
bool parse_resync_is_valid(const struct parse_resync *resync, const struct pd_record *rec);

/**
 * Whether a record with an implausible header begins at @p bytes, of which @p len are available:
 * records follow it, so it is of an unknown kind, not damaged. @p is_last: the section ends with
 * these bytes.
 */
bool parse_resync_continues(
	const struct parse_resync *resync, const uint8_t *bytes, uint64_t len, bool is_last);

/**
 * Search @p bytes from offset @p *at on for the first offset at which a chain of valid records
 * begins. If there is one, return true and the offset in @p at. Otherwise @p at is the first offset
 * that was not tried, because fewer than PD_RESYNC_LOOK_BYTES follow it; if @p is_last is set, it
 * is @p len.
 */
bool parse_resync_find(struct parse_resync *resync, const uint8_t *bytes, uint64_t len,
	bool is_last, uint64_t *at);

/**
 * Whether the damage after a record is probably limited to the @p distance bytes at @p bytes, which
 * follow it: one byte of a header or its size, or zeros or text after other bytes. Otherwise the
 * record before may be damaged, too.
 */
bool parse_resync_is_limited(const struct pd_file *file, const uint8_t *bytes, uint64_t distance);

#endif

/**
 * @file Finding where records go on after damaged bytes. See doc/design/damage.md.
 */
#ifndef PD_PARSE_RECOVERY_H
#define PD_PARSE_RECOVERY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/file.h>
#include <pdconv/record.h>

#include "parse/frame.h"

enum {
	/** Records of a failed chain that are remembered. */
	PD_RECOVERY_KEPT = 256,
	/**
	 * Bytes after an offset that decide whether records go on there: the longest chain that is
	 * examined.
	 */
	PD_RECOVERY_LOOK_BYTES = 256 * 1024,
	/** Bits of misc that have no meaning in any record of the kernel. */
	PD_RECOVERY_UNDEFINED_MISC = 0x0ff8,
};

/** State of the searches in one stream. Zeroed except for @ref file. */
struct pd_recovery {
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
	size_t failed[PD_RECOVERY_KEPT];
	size_t n_failed;
};

/** Note the time of a record that was read. */
static inline void pd_recovery_note_time(struct pd_recovery *recovery, uint64_t time)
{
	recovery->near[1] = recovery->near[0];
	recovery->near[0] = time;
}

/** Bitmap of the types of records of the kernel and of perf. */
extern const uint64_t pd_recovery_known_types[2];

static inline bool pd_recovery_is_known_type(uint32_t type)
{
	return type < 128 && pd_recovery_known_types[type / 64] >> type % 64 & 1;
}

/** Whether a header of a record of perf or simpleperf, with a type from 64 on, is usual. */
bool pd_recovery_is_usual_tool(const struct pd_file *file, struct pd_frame_header header);

/**
 * Whether @p header is like those that the kernel and perf write: its type is known, and a record
 * of the kernel has a size in multiples of 8 bytes and no undefined bits in misc. A sample may have
 * any size: the kernel cuts a captured stack at the end of the address space, and does not pad it.
 */
static inline bool pd_recovery_is_usual(const struct pd_file *file, struct pd_frame_header header)
{
	if (header.type >= PD_RECORD_FIRST_TOOL)
		return pd_recovery_is_usual_tool(file, header);
	return pd_recovery_known_types[0] >> header.type & 1 &&
	       header.size >= PD_RECORD_HEADER_BYTES &&
	       (!(header.size % 8) || header.type == PD_RECORD_SAMPLE) &&
	       !(header.misc & PD_RECOVERY_UNDEFINED_MISC);
}

/** Like pd_recovery_is_usual(), for the header of @p rec. */
bool pd_recovery_is_usual_record(const struct pd_file *file, const struct pd_record *rec);

/**
 * Whether all of @p rec agrees with its type and with the events of the recording: it is decoded
 * without rest, and its id and time are possible ones.
 */
bool pd_recovery_is_sound(const struct pd_recovery *recovery, const struct pd_record *rec);

/**
 * Whether a record with an unusual header begins at @p bytes, of which @p len are available:
 * records follow it. @p is_last: the section ends with these bytes.
 */
bool pd_recovery_continues(
	const struct pd_recovery *recovery, const uint8_t *bytes, uint64_t len, bool is_last);

/**
 * Search @p bytes from offset @p *at on for the first offset at which records go on. If there is
 * one, return true and the offset in @p at. Otherwise @p at is the first offset that was not tried,
 * because fewer than PD_RECOVERY_LOOK_BYTES follow it; if @p is_last is set, it is @p len.
 */
bool pd_recovery_find(struct pd_recovery *recovery, const uint8_t *bytes, uint64_t len,
	bool is_last, uint64_t *at);

/**
 * Whether the damage after a record is probably limited to the @p distance bytes at @p bytes, which
 * follow it: one byte of a header or its size, or zeros or text after other bytes. Otherwise the
 * record before may be damaged, too.
 */
bool pd_recovery_is_limited(const struct pd_file *file, const uint8_t *bytes, uint64_t distance);

#endif

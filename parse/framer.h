/**
 * @file Framing: cutting the bytes of a part into records, also after damage.
 *
 * The bytes are those of the part or, while a compressed record is decompressed, those in it. See
 * parse/framer.c for the states, and doc/design/damage.md for the reasons.
 */
#ifndef PD_PARSE_FRAMER_H
#define PD_PARSE_FRAMER_H

#include "base/io/inflate.h"
#include "parse/frame.h"
#include "parse/input.h"
#include "parse/resync.h"

enum {
	/**
	 * Bytes of mapped input that stay in memory after they were read, because records wait for
	 * their order and for the end of their batch; and bytes that are dropped at once.
	 */
	PD_FRAMER_KEPT_BYTES = 32 << 20,
	PD_FRAMER_DROPPED_BYTES = 8 << 20,
};

/**
 * Decompressor of the COMPRESSED and COMPRESSED2 records of a part. Their payloads are one zstd
 * stream: a record may span several of them, and what follows damaged bytes can only be
 * decompressed from the next zstd frame on. Zero-initialized except for @ref file and @ref part.
 */
struct parse_decompressor {
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
	struct base_inflate *inflate;
};

static inline bool parse_decompressor_can_take(const struct pd_record *rec)
{
	return rec->type == PD_RECORD_COMPRESSED || rec->type == PD_RECORD_COMPRESSED2;
}

/** At the end of the part, note decompressed bytes that are not a complete record. */
void parse_decompressor_end_part(struct parse_decompressor *d);

/** Framer of one part. The records of a compressed record are framed like those around it. */
struct parse_framer {
	struct pd_file *file;
	uint32_t part;
	/** Mapped bytes of the part, or NULL if they are read from input. */
	const uint8_t *bytes;
	struct parse_input *input;
	/** The input is neither mapped nor a stream: it is read by offset, through the window. */
	bool has_window;
	struct base_window window;
	/** Offset of the next bytes to read into the window. */
	uint64_t next_read;
	/** Offset of the next record in the part, and of the end if the input is not a stream. */
	uint64_t offset;
	uint64_t end;
	/** Offset up to which mapped input was dropped from memory, in bytes. */
	uint64_t dropped;
	/** The last bytes of the section have been read, if it is not mapped. */
	bool has_ended;
	/** The next header was examined together with the record before it, and is accepted. */
	bool is_next_plausible;
	/** Size of the largest record of the kernel so far. */
	uint32_t largest;
	/** Bytes of damage after the record that was returned last, to be skipped. */
	uint64_t n_after;
	/** Damage that was found last, and its offset. */
	const char *wrong;
	uint64_t gap_offset;
	struct parse_decompressor decompressor;
	struct parse_resync resync;
};

/** Initialize @p framer for part @p part of @p file, whose input is @p input. All are borrowed. */
void parse_framer_init(struct parse_framer *framer, struct pd_file *file, uint32_t part,
	struct parse_input *input);
void parse_framer_deinit(struct parse_framer *framer);
/** Continue with the section of @p size bytes at @p offset. */
void parse_framer_enter(struct parse_framer *framer, uint64_t offset, uint64_t size);

/** Continue with the records in the compressed record @p rec, if it can be decompressed. */
struct pd_error *parse_framer_decompress(
	struct parse_framer *framer, const struct pd_record *rec) pd_must_check;

/** Drop mapped input that was read long ago from memory. */
void parse_framer_drop(struct parse_framer *framer);

/** Like parse_framer_next(), for every case. */
struct pd_error *parse_framer_examine(
	struct parse_framer *framer, struct pd_record *ret) pd_must_check;

/**
 * Take the next record if it and the header after it are mapped and plausible, as almost all are.
 * This does what parse_framer_examine() does, in less time.
 */
static inline bool parse_framer_take_mapped(struct parse_framer *framer, struct pd_record *ret)
{
	const struct pd_file *file = framer->file;

	if (!framer->is_next_plausible || !framer->bytes || framer->decompressor.is_active)
		return false;
	const uint8_t *bytes = framer->bytes + framer->offset;
	uint64_t left = framer->end - framer->offset;
	if (pd_frame(file, bytes, left, false, ret) != PD_FRAMED || ret->size > framer->largest)
		return false;
	uint64_t len = ret->size + ret->outside_size;
	if (left - len < PD_RECORD_HEADER_BYTES ||
		!parse_resync_is_plausible(file, parse_frame_header(file, bytes + len)))
		return false;
	ret->part = framer->part;
	ret->offset = framer->offset;
	framer->offset += len;
	if (framer->offset - framer->dropped >= PD_FRAMER_KEPT_BYTES + PD_FRAMER_DROPPED_BYTES)
		parse_framer_drop(framer);
	return true;
}

/**
 * Read the next record of the section or of the compressed record, at whose end ret->bytes is NULL.
 * The record is valid until the next call. Errors: OS, NOMEM.
 */
static inline struct pd_error *parse_framer_next(struct parse_framer *framer, struct pd_record *ret)
{
	return parse_framer_take_mapped(framer, ret) ? NULL : parse_framer_examine(framer, ret);
}

#endif

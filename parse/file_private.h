/**
 * @file What those who read headers and features share.
 */
#ifndef PD_PARSE_FILE_PRIVATE_H
#define PD_PARSE_FILE_PRIVATE_H

#include <pdconv/cursor.h>
#include <pdconv/file.h>

#include "base/arena.h"
#include "base/map.h"
#include "parse/events_private.h"
#include "parse/input.h"

/** Where the bytes of a part come from. */
struct pd_source {
	struct pd_input *input;
	/** It comes piece by piece, and somebody reads it. */
	bool is_used_up;
};

struct pd_stream;

struct pd_file_state {
	struct pd_arena arena;
	/** The file's diag, if nobody else's. */
	struct pd_diag *own_diag;
	/** Of each part. */
	PD_VEC(struct pd_source) sources;
	/** The first stream, with the records that were read ahead, until somebody reads it. */
	struct pd_stream *stream;
	/** Records that were applied by parse/meta.c. */
	uint64_t n_meta;
	uint64_t max_feature_bit;
	/** Hash of cpumode and name to index in build_ids, of which so many are there. */
	struct pd_map build_id_index;
	size_t n_indexed;
	/** attr.config to name, from event types. */
	struct pd_map event_types;
};

/** So many first bytes tell what it is. */
enum { PD_HEADER_LOOK_BYTES = 24 };

/** Find out the byte order and the mode of what begins with @p start. */
struct pd_error *pd_header_recognise(
	struct pd_file *file, const struct pd_seen *start) pd_must_check;

/** Read the header of a file, and its sections. Its first part gets the place of the records. */
struct pd_error *pd_header_read(struct pd_file *file) pd_must_check;

/** A cursor over a section that lies within the file. */
static inline struct pd_cursor pd_section_cursor(
	const struct pd_file *file, struct pd_section section)
{
	return pd_cursor_init(file->bytes + section.offset, section.size, file->swap);
}

/**
 * Decode the body of feature @p bit, which is present, if pdconv uses it. A damaged one is noted and
 * what can be read of it is kept. Of a feature that comes more than once the last one counts.
 */
struct pd_error *pd_feature_decode(struct pd_file *file, unsigned bit) pd_must_check;

/** Add the HEADER_BUILD_ID records at @p c to the build ids. Overrun: damaged. Errors: no memory. */
struct pd_error *pd_build_ids_decode(struct pd_file *file, struct pd_cursor *c) pd_must_check;

/** Let pd_file_build_id find the build ids that were added. Errors: no memory. */
struct pd_error *pd_file_index_build_ids(struct pd_file *file) pd_must_check;

/** Take a name from an old event type at @p c. Overrun: damaged. Errors: no memory. */
struct pd_error *pd_event_type_decode(struct pd_file *file, struct pd_cursor *c) pd_must_check;

/** Name the events from number @p first on as far as they have no name. Errors: no memory. */
struct pd_error *pd_file_name_events(struct pd_file *file, size_t first) pd_must_check;

/** Name the tracepoints among the events by the tracing data. Call it when both are there. */
struct pd_error *pd_tracepoints_name(struct pd_file *file) pd_must_check;

#endif

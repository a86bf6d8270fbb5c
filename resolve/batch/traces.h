/**
 * @file Texts of tracepoints' samples: as the kernel prints them, or their fields.
 *
 * A text may contain names of kernel functions, which are known only when all records have been
 * read. Until then it has their addresses, and here is where.
 */
#ifndef PD_RESOLVE_TRACES_H
#define PD_RESOLVE_TRACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/error.h>
#include <pdconv/file.h>
#include <pdconv/vec.h>

#include "base/containers/map.h"
#include "parse/space/snapshot.h"
#include "profile/profile.h"
#include "resolve/stacks/frames.h"

/** An address in a text, which the name of a function is to replace. Positions are in bytes. */
struct resolve_trace_address {
	uint32_t at;
	uint32_t len;
	struct prof_frame_id frame;
	/** The name is followed by the offset of the address in the function. */
	bool with_offset;
};

/** A text with addresses. */
struct resolve_trace_text {
	struct prof_trace_text_id text;
	uint32_t first;
	uint32_t n;
};

/** A zeroed one is empty. */
struct resolve_traces {
	/** Buffer for the present text. */
	PD_VEC(char) buf;
	PD_VEC(struct resolve_trace_address) addresses;
	PD_VEC(struct resolve_trace_text) texts;
	/** Map from a text with addresses to the one with names. */
	struct base_map named;
};

void resolve_traces_deinit(struct resolve_traces *traces);

/** A sample of a tracepoint. Everything is borrowed. */
struct resolve_trace {
	const struct pd_file *file;
	const struct pd_event *event;
	const struct pd_view *raw;
	/** Where kernel functions are found. */
	struct resolve_frames *frames;
	const struct parse_maps *kernel_maps;
	/** Make the text that the kernel prints, if its format can be evaluated, not the fields. */
	bool is_printed;
};

/**
 * Add the text of a sample to @p profile: "" for an event other than a tracepoint, and for one that
 * is not described.
 * Errors: NOMEM.
 */
struct pd_error *resolve_traces_add(struct resolve_traces *traces,
	const struct resolve_trace *trace, struct profile *profile,
	struct prof_trace_text_id *ret) pd_must_check;

/** Put names into the texts of @p profile, whose frames have been named. Errors: NOMEM. */
struct pd_error *resolve_traces_name(
	struct resolve_traces *traces, struct profile *profile) pd_must_check;

#endif

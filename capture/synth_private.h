/**
 * @file What the files that synthesise records share; capture/synth.h says what they are.
 */
#ifndef PD_CAPTURE_SYNTH_PRIVATE_H
#define PD_CAPTURE_SYNTH_PRIVATE_H

#include <stdio.h>

#include <pdconv/bytes.h>
#include <pdconv/record.h>

#include "capture/build_ids.h"
#include "capture/machine.h"
#include "capture/synth.h"

struct cap_synth {
	struct cap_synth_opts opts;
	cap_emit emit;
	void *ctx;
	struct cap_machine machine;
	struct cap_synth_counts counts;
	/** The record in the making. */
	struct pd_bytes record;
	/** Of opts.sid_bytes. */
	uint8_t *zeros;
	struct cap_build_ids build_ids;
	/** Where huge pages have files; NULL if nowhere. */
	char *hugetlb;
	/** When mappings begin to be left out, as pd_clock_now says; 0: never. */
	double postpones_from;
	/** A line of /proc/PID/maps, and what there is room for. */
	char *line;
	size_t line_cap;
};

/** Hand over a record of @p layout. One that is larger than a record can be is left out. */
struct pd_error *cap_synth_put(struct cap_synth *synth, const struct pd_layout *layout,
	uint16_t misc, const union pd_body *body) pd_must_check;

/**
 * An MMAP of the kernel or a module: @p body has its addresses and name. With a build id, which may be
 * NULL, it is an MMAP2.
 */
struct pd_error *cap_synth_put_kernel(struct cap_synth *synth, const struct pd_mmap *body,
	const struct pd_build_id *id) pd_must_check;

/** Count a process or thread that could not be read, for the reason @p error of errno. */
void cap_synth_miss(struct cap_synth *synth, int error);

/** The MMAPs of modules. */
struct pd_error *cap_synth_modules(struct cap_synth *synth) pd_must_check;

/**
 * A line of /proc/PID/maps, whose newline is cut off; names are as they are there. False if it makes
 * no sense.
 */
bool cap_mapping_parse(char *line, struct cap_mapping *ret) pd_must_check;

static inline struct pd_str cap_str(const char *text)
{
	return (struct pd_str){ .s = text, .len = strlen(text) };
}

#endif

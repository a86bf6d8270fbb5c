/**
 * @file State of the synthesiser, and what its parts share to emit records.
 */
#ifndef PD_CAPTURE_SYNTH_SYNTH_STATE_H
#define PD_CAPTURE_SYNTH_SYNTH_STATE_H

#include <stdio.h>

#include <pdconv/bytes.h>
#include <pdconv/record.h>

#include "capture/machine/build_ids.h"
#include "capture/machine/machine.h"
#include "capture/synth/synth.h"

struct cap_synth {
	struct cap_synth_opts opts;
	cap_emit emit;
	void *ctx;
	struct cap_machine machine;
	struct cap_synth_counts counts;
	/** Buffer of the record that is being encoded. */
	struct pd_bytes record;
	/** Trailer of all records: opts.sid_bytes zeros. */
	uint8_t *zeros;
	struct cap_build_ids build_ids;
	/** Mount point of hugetlbfs; NULL: not mounted. */
	char *hugetlb;
	/** Time (base_clock_now) from which mappings are postponed; 0: never. */
	double postpones_from;
	/** Buffer for lines of /proc/PID/maps, as getline(3) has it. */
	char *line;
	size_t line_cap;
};

/** Emit a record of @p layout. It is left out if it does not fit the 64 KiB of a record. */
struct pd_error *cap_synth_put(struct cap_synth *synth, const struct pd_layout *layout,
	uint16_t misc, const union pd_body *body) pd_must_check;

/** Count a process or thread that could not be read because of the errno @p error. */
void cap_synth_miss(struct cap_synth *synth, int error);

static inline struct pd_str cap_str(const char *text)
{
	return (struct pd_str){ .s = text, .len = strlen(text) };
}

#endif

/**
 * @file Features of the header: what the machine is, and what was recorded how.
 */
#ifndef PD_CAPTURE_FEATURES_H
#define PD_CAPTURE_FEATURES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/attr.h>
#include <pdconv/build_id.h>
#include <pdconv/bytes.h>
#include <pdconv/error.h>
#include <pdconv/writer.h>

/** A recorded event, in the order of the attr table. All is borrowed. */
struct cap_header_event {
	const struct pd_attr *attr;
	/** As the user gave it. */
	const char *name;
	const uint64_t *ids;
	size_t n_ids;
	/** Place of the leader of its group; its own, if it leads one or is alone. */
	size_t leader;
	/** Of the group that it leads; NULL: the group has no name. */
	const char *group_name;
};

/** A binary that was recorded. */
struct cap_header_binary {
	struct pd_build_id id;
	/** Its path, "[kernel.kallsyms]" or "[vdso]". Borrowed. */
	const char *name;
	/** The kernel or one of its modules. */
	bool is_kernel;
};

/** The clock of the samples, where one was chosen (-k), and the wall clock at the same moment. */
struct cap_clock {
	/** CLOCK_* */
	uint32_t clockid;
	/** ns */
	uint64_t resolution;
	uint64_t wall_time;
	uint64_t clock_time;
};

/** What was recorded; what is zero is not known, and left out. All is borrowed. */
struct cap_header_data {
	/** In front of paths to /proc and /sys; NULL: this machine. */
	const char *root;
	/** The recorder's command line; the first one is a path to the program, where that is known. */
	const char *const *argv;
	size_t n_args;
	const struct cap_header_event *events;
	size_t n_events;
	const struct cap_header_binary *binaries;
	size_t n_binaries;
	/** Of the first and the last sample, ns; both 0 if there is none. */
	bool has_sample_time;
	uint64_t first_sample;
	uint64_t last_sample;
	/** NULL: perf's own clock. */
	const struct cap_clock *clock;
	/** HEADER_TRACING_DATA, as cap_tracing_data makes it; NULL: none. */
	const struct pd_bytes *tracing_data;
	/** Events have branch stacks. */
	bool has_branch_stacks;
	/** "KEY=VALUE" each. */
	const char *const *tags;
	size_t n_tags;
};

/**
 * Add to @p writer, which is in this machine's byte order, every feature that is known and that the
 * recording can hold: once, for a file at its end, for a stream before its first sample. What the
 * machine does not tell is left out. Errors: those of
 * pd_writer_add_feature; no memory.
 */
struct pd_error *cap_add_features(
	struct pd_writer *writer, const struct cap_header_data *data) pd_must_check;

/**
 * Encode feature @p bit alone to the end of @p out. False if it is not known or there is no memory,
 * which @a failed of @p out tells apart; then @p out is as it was.
 */
bool cap_feature_encode(
	unsigned bit, const struct cap_header_data *data, struct pd_bytes *out) pd_must_check;

/** Ask for the time of @p clockid and the wall clock now. Errors: there is no such clock. */
struct pd_error *cap_clock_read(uint32_t clockid, struct cap_clock *ret) pd_must_check;

#endif

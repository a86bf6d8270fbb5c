/**
 * @file Features of the header: descriptions of the machine and of what was recorded.
 */
#ifndef PD_CAPTURE_FEATURES_FEATURES_H
#define PD_CAPTURE_FEATURES_FEATURES_H

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
	/** Name as the user wrote it. */
	const char *name;
	const uint64_t *ids;
	size_t n_ids;
	/** Index of the leader of its group; its own index if it leads one or is alone. */
	size_t leader;
	/** Name of the group that it leads; NULL: none. */
	const char *group_name;
};

/** A binary for HEADER_BUILD_ID. */
struct cap_header_binary {
	struct pd_build_id id;
	/** Its path, "[kernel.kallsyms]" or "[vdso]". Borrowed. */
	const char *name;
	/** The kernel or one of its modules. */
	bool is_kernel;
};

/**
 * The clock of the samples, where one was chosen (clockid), and the wall clock at the same time.
 */
struct cap_clock {
	/** CLOCK_* */
	uint32_t clockid;
	/** Nanoseconds. */
	uint64_t resolution;
	uint64_t wall_time;
	uint64_t clock_time;
};

/** Data of the features. Members that are zero are not known and left out. All is borrowed. */
struct cap_header_data {
	/** Prefix of paths to /proc and /sys; NULL: this machine. */
	const char *root;
	/**
	 * The recorder's command line; the first one is a path to the program, where that is known.
	 */
	const char *const *argv;
	size_t n_args;
	const struct cap_header_event *events;
	size_t n_events;
	const struct cap_header_binary *binaries;
	size_t n_binaries;
	/** Times of the first and the last sample in ns; both 0 if there are no samples. */
	bool has_sample_time;
	uint64_t first_sample;
	uint64_t last_sample;
	/** NULL: perf's default clock. */
	const struct cap_clock *clock;
	/** HEADER_TRACING_DATA from cap_tracing_data; NULL: none. */
	const struct pd_bytes *tracing_data;
	/** Events have branch stacks. */
	bool has_branch_stacks;
	/** Tags, "KEY=VALUE" each. */
	const char *const *tags;
	size_t n_tags;
};

/**
 * Add every feature that is known and that the container can hold to @p writer, in this machine's
 * byte order. Call it once: at the end of a file, or before the first sample of a stream. Features
 * that the machine does not provide are left out. Errors: those of pd_writer_add_feature; NOMEM.
 */
struct pd_error *cap_add_features(
	struct pd_writer *writer, const struct cap_header_data *data) pd_must_check;

/**
 * Append only feature @p bit to @p out. False if it is not known or memory ran out (out->failed);
 * then @p out is unchanged.
 */
bool cap_feature_encode(
	unsigned bit, const struct cap_header_data *data, struct pd_bytes *out) pd_must_check;

/** Read the clock @p clockid and the wall clock. Errors: OS, the clock does not exist. */
struct pd_error *cap_clock_read(uint32_t clockid, struct cap_clock *ret) pd_must_check;

#endif

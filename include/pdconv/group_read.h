/**
 * @file Counter values in samples, and what they mean: events counted since the sample before.
 *
 * With READ in sample_type a sample holds the counter of its event, or with the read format GROUP
 * those of the whole group, of which only the leader takes samples. Counters go up and up; what
 * belongs to a sample is the difference to the same counter's previous value. So a sample of a
 * group is one of each member, as perf script and perf report have it, and a member that has not
 * moved is left out. Values: PERF_FORMAT_* in include/uapi/linux/perf_event.h of Linux.
 */
#ifndef PDCONV_GROUP_READ_H
#define PDCONV_GROUP_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/decls.h>
#include <pdconv/error.h>
#include <pdconv/events.h>
#include <pdconv/sample.h>
#include <pdconv/vec.h>

PD_DECLS_BEGIN

/** The counter values of a sample or of a READ record; borrowed from it. */
struct pd_read_values {
	/** Times that the event was enabled and counted, in ns; 0 if the format lacks them. */
	uint64_t time_enabled;
	uint64_t time_running;
	/** Counter values, not decoded: see pd_read_value(). */
	struct pd_view values;
	/** PD_READ_*, the attr.read_format that @ref values are laid out by. */
	uint64_t format;
};

struct pd_read_value {
	uint64_t value;
	/** Event instance, and records that it lost; 0 if the format lacks them. */
	uint64_t id;
	uint64_t lost;
};

/** Bytes of one value in that format. */
size_t pd_read_value_bytes(uint64_t format);

/** Decode @p bytes laid out by @p format, an attr.read_format; false if they are too few. */
bool pd_read_decode(
	const struct pd_view *bytes, uint64_t format, struct pd_read_values *ret) pd_must_check;

/** The @p i-th value; the leader of a group comes first. */
struct pd_read_value pd_read_value(const struct pd_read_values *read, uint64_t i);

/** What one event counted for a sample. */
struct pd_share {
	/** NULL: an instance of no known event. */
	const struct pd_event *event;
	/** Never 0 if it comes from a counter. */
	uint64_t period;
};

/** The counters of a recording, as last seen. Zeroed: none seen. */
struct pd_counters {
	/** Of the last sample. */
	PD_VEC(struct pd_share) shares;
	/** The values that counters had. Private. */
	struct pd_counters_seen *seen;
};

void pd_counters_deinit(struct pd_counters *counters);

/**
 * Find what @p sample counts for, as counters->shares: its own event with its own period, or what
 * its counter values say, which may be nothing. Samples come in time order. The counters of an
 * event that threads inherit are told apart by thread.
 */
struct pd_error *pd_counters_apply(struct pd_counters *counters, const struct pd_events *events,
	const struct pd_event *event, const struct pd_sample *sample) pd_must_check;

PD_DECLS_END

#endif

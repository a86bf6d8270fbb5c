/**
 * @file Counter values in samples, and the periods that follow from them.
 *
 * With READ in sample_type a sample contains the counter of its event, or with the read format
 * GROUP the counters of the whole group, of which only the leader samples. Counters never reset:
 * the period of a sample is the difference to the previous value of the same counter. So a sample
 * of a group counts for each of its members, as in perf script and perf report, except for members
 * whose counter did not change. Layout: PERF_FORMAT_* in include/uapi/linux/perf_event.h of Linux.
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

/** Counter values of a sample or of a READ record, borrowed from it. */
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
	/** Id of the event instance; 0 if the format lacks it. */
	uint64_t id;
	/** Records that the event lost; 0 if the format lacks it. */
	uint64_t lost;
};

/** Size of one counter value in @p format, an attr.read_format, without times, in bytes. */
size_t pd_read_value_bytes(uint64_t format);

/**
 * Decode @p bytes, which have the layout @p format, an attr.read_format. False if they are
 * truncated.
 */
bool pd_read_decode(
	const struct pd_view *bytes, uint64_t format, struct pd_read_values *ret) pd_must_check;

/** Decode value @p i, which must be less than @p read->values.n. Value 0 is the group leader's. */
struct pd_read_value pd_read_value(const struct pd_read_values *read, uint64_t i);

/** Counter of an event, with the event. */
struct pd_count {
	/** NULL: the id is not of a known event. */
	const struct pd_event *event;
	uint64_t value;
	/** Records that the event lost; 0 if the read format lacks it. */
	uint64_t lost;
	/** Times that the event was enabled and counted, in ns; 0 if the read format lacks them. */
	uint64_t time_enabled;
	uint64_t time_running;
};

/**
 * Decode the counters in @p sample of @p event: one, or those of the group, the leader's first.
 * Write the first @p max to @p counts, and return how many there are: 0 if the sample has none or
 * they are truncated.
 */
size_t pd_sample_counts(const struct pd_events *events, const struct pd_event *event,
	const struct pd_sample *sample, struct pd_count *counts, size_t max);

/** Part of a sample that counts for one event. */
struct pd_share {
	/** NULL: the id is not of a known event. */
	const struct pd_event *event;
	/** Period; never 0 if it comes from a counter. */
	uint64_t period;
};

/** Last values of the counters of a recording. Zero before first use. */
struct pd_counters {
	/** Result of the last pd_counters_apply(). */
	PD_VEC(struct pd_share) shares;
	/** Last values by counter. Private. */
	struct pd_counters_seen *seen;
};

/** Free the values. Zero @p counters before they are used again. */
void pd_counters_deinit(struct pd_counters *counters);

/**
 * Compute counters->shares of @p sample: its event @p event with its period, or the shares that
 * follow from its counter values, which may be none. Call it for samples in time order. Counters of
 * inherited events are distinguished by thread, because all instances have the same id. Errors:
 * NOMEM.
 */
struct pd_error *pd_counters_apply(struct pd_counters *counters, const struct pd_events *events,
	const struct pd_event *event, const struct pd_sample *sample) pd_must_check;

PD_DECLS_END

#endif

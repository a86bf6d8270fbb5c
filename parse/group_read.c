#include <pdconv/group_read.h>

#include <stdlib.h>

#include <pdconv/cursor.h>

#include "base/cleanup.h"
#include "base/containers/intern.h"

size_t pd_read_value_bytes(uint64_t format)
{
	return 8 * (1 + !!(format & PD_READ_ID) + !!(format & PD_READ_LOST));
}

/* Layout with GROUP: count, times, values. Without: value, times, id, lost. */
bool pd_read_decode(const struct pd_view *bytes, uint64_t format, struct pd_read_values *ret)
{
	struct pd_cursor c = pd_view_cursor(bytes);
	struct pd_read_values read = { .format = format, .values = *bytes };
	uint64_t n = pd_cursor_u64(&c);

	/* Without GROUP the first word is the value, and pd_read_value() skips the times. */
	read.values.n = 1;
	if (format & PD_READ_TIME_ENABLED)
		read.time_enabled = pd_cursor_u64(&c);
	if (format & PD_READ_TIME_RUNNING)
		read.time_running = pd_cursor_u64(&c);
	if (format & PD_READ_GROUP)
		read.values = pd_view_take(&c, pd_read_value_bytes(format), n);
	else
		pd_cursor_bytes(&c, pd_read_value_bytes(format) - 8);
	if (c.overrun)
		return false;
	*ret = read;
	return true;
}

struct pd_read_value pd_read_value(const struct pd_read_values *read, uint64_t i)
{
	size_t size = pd_read_value_bytes(read->format);
	const uint8_t *at = read->values.data + i * size;
	bool swap = read->values.swap;
	struct pd_read_value ret = { .value = pd_load_u64(at, swap) };

	at += 8;
	if (!(read->format & PD_READ_GROUP))
		at += 8 * (!!(read->format & PD_READ_TIME_ENABLED) +
				  !!(read->format & PD_READ_TIME_RUNNING));
	if (read->format & PD_READ_ID) {
		ret.id = pd_load_u64(at, swap);
		at += 8;
	}
	if (read->format & PD_READ_LOST)
		ret.lost = pd_load_u64(at, swap);
	return ret;
}

size_t pd_sample_counts(const struct pd_events *events, const struct pd_event *event,
	const struct pd_sample *sample, struct pd_count *counts, size_t max)
{
	const struct pd_attr *attr = &event->attr;
	struct pd_read_values read;

	if (!(attr->sample_type >> PD_SAMPLE_READ & 1) ||
		!pd_read_decode(&sample->read, attr->read_format, &read))
		return 0;
	for (uint64_t i = 0; i < read.values.n && i < max; i++) {
		struct pd_read_value value = pd_read_value(&read, i);
		bool has_id = attr->read_format & PD_READ_ID;

		counts[i] = (struct pd_count){
			.event = has_id ? pd_events_by_id(events, value.id) : event,
			.value = value.value,
			.lost = value.lost,
			.time_enabled = read.time_enabled,
			.time_running = read.time_running,
		};
	}
	return (size_t)read.values.n;
}

/* Key of a counter. It is compared bytewise, so it must not have padding. */
struct counter {
	uint64_t id;
	/** Thread of an inherited event, whose counters all have the parent's id; otherwise 0. */
	uint64_t tid;
};

struct pd_counters_seen {
	/** Keys of counters, struct counter, and their last values by the same index. */
	struct base_intern ids;
	PD_VEC(uint64_t) values;
};

void pd_counters_deinit(struct pd_counters *counters)
{
	if (counters->seen) {
		base_intern_deinit(&counters->seen->ids);
		pd_vec_deinit(&counters->seen->values);
	}
	free(take_ptr(counters->seen));
	pd_vec_deinit(&counters->shares);
}

/*
 * Compute the increase of a counter since its last value. A smaller value means that the counter
 * was restarted, because the id belongs to another thread or a later run: then the value is the
 * increase.
 */
static struct pd_error *advance(
	struct pd_counters *counters, const struct counter *counter, uint64_t value, uint64_t *ret)
{
	if (!counters->seen)
		counters->seen = calloc(1, sizeof(*counters->seen));
	struct pd_counters_seen *seen = counters->seen;
	uint32_t number =
		seen ? base_intern_add(&seen->ids, counter, sizeof(*counter)) : PD_INTERN_NONE;

	if (number == PD_INTERN_NONE)
		return &pd_enomem;
	if (number == seen->values.n && !pd_vec_push(&seen->values, 0))
		return &pd_enomem;
	uint64_t *previous = &seen->values.data[number];
	*ret = value >= *previous ? value - *previous : value;
	*previous = value;
	return NULL;
}

static struct pd_error *add_share(
	struct pd_counters *counters, const struct pd_event *event, uint64_t period)
{
	struct pd_share share = { .event = event, .period = period };

	return pd_vec_push(&counters->shares, share) ? NULL : &pd_enomem;
}

static bool is_inherited(const struct pd_attr *attr)
{
	return pd_attr_has(attr, PD_ATTR_inherit) && attr->sample_type >> PD_SAMPLE_TID & 1;
}

struct pd_error *pd_counters_apply(struct pd_counters *counters, const struct pd_events *events,
	const struct pd_event *event, const struct pd_sample *sample)
{
	const struct pd_attr *attr = &event->attr;
	struct pd_read_values read;

	counters->shares.n = 0;
	/* Values without ids cannot be assigned to events. */
	if (!(attr->sample_type >> PD_SAMPLE_READ & 1) || !(attr->read_format & PD_READ_ID) ||
		!pd_read_decode(&sample->read, attr->read_format, &read))
		return add_share(counters, event, sample->period);

	for (uint64_t i = 0; i < read.values.n; i++) {
		struct pd_read_value value = pd_read_value(&read, i);
		struct counter counter = {
			.id = value.id,
			.tid = is_inherited(attr) ? sample->tid : 0,
		};
		uint64_t period;

		struct pd_error *err = advance(counters, &counter, value.value, &period);
		if (err)
			return err;
		if (!period)
			continue;
		err = add_share(counters, pd_events_by_id(events, value.id), period);
		if (err)
			return err;
	}
	return NULL;
}

#include "capture/run/overlap.h"

#include <pdconv/sample.h>

#include "capture/stack_level.h"

/* Event, thread, time and level of a sample. */
struct sampled {
	const struct pd_event *event;
	/** Key of the event and the thread. */
	uint64_t key;
	uint64_t time;
	size_t level;
};

void cap_overlap_deinit(struct cap_overlap *overlap)
{
	base_map_deinit(&overlap->threads);
	pd_vec_deinit(&overlap->times);
}

void cap_overlap_begin(struct cap_overlap *overlap, size_t old_level, size_t new_level)
{
	overlap->n_drains = 2;
	overlap->old_level = old_level;
	overlap->new_level = new_level;
}

void cap_overlap_drained(struct cap_overlap *overlap)
{
	if (!overlap->n_drains || --overlap->n_drains)
		return;
	cap_overlap_deinit(overlap);
	*overlap = (struct cap_overlap){ 0 };
}

/* Decode a sample of an event that has levels. False for other records. */
static bool read_sample(
	const struct pd_events *events, const struct pd_record *rec, struct sampled *ret)
{
	const struct pd_event *event =
		rec->type == PD_RECORD_SAMPLE ? pd_events_find(events, rec) : NULL;
	struct pd_sample sample;
	const char *field;

	if (!event || !event->attr.sample_stack_user ||
		!(event->attr.sample_type >> PD_SAMPLE_TIME & 1) ||
		pd_sample_decode(&event->plan, rec, &sample, &field) != PD_SAMPLE_OK)
		return false;
	*ret = (struct sampled){
		.event = event,
		.key = (uint64_t)event->index << 32 | sample.tid,
		.time = sample.time,
		.level = cap_stack_level_of(
			event->attr.sample_stack_user, sample.stack_user.reserved),
	};
	return true;
}

bool cap_overlap_note(
	struct cap_overlap *overlap, const struct pd_events *events, const struct pd_record *rec)
{
	const struct cap_overlap_times none = { .first_new = UINT64_MAX };
	struct sampled sample;
	bool is_new;

	if (!read_sample(events, rec, &sample))
		return true;
	uint64_t *index = base_map_add(&overlap->threads, sample.key, &is_new);
	if (!index)
		return false;
	if (is_new) {
		*index = overlap->times.n;
		if (!pd_vec_push(&overlap->times, none))
			return false;
	}
	struct cap_overlap_times *times = &overlap->times.data[*index];
	if (sample.level == overlap->new_level && sample.time < times->first_new)
		times->first_new = sample.time;
	if (sample.level == overlap->old_level && sample.time > times->last_old)
		times->last_old = sample.time;
	return true;
}

/* Each thing that happens is sampled, so that both levels sample the same ones. */
static bool samples_each(const struct pd_attr *attr)
{
	return !pd_attr_has(attr, PD_ATTR_freq) && attr->sample_period == 1;
}

/*
 * Once a thread has a sample on the new level, all that follow on the old level are second ones.
 * The kernel asks the event that was opened last first: where that is the old one, the first sample
 * on the new level is a second one as well, if it was not the change that ended the old ones.
 */
bool cap_overlap_has_other(const struct cap_overlap *overlap, const struct pd_events *events,
	const struct pd_record *rec)
{
	struct sampled sample;

	if (!cap_overlap_is_on(overlap) || !read_sample(events, rec, &sample))
		return false;
	const uint64_t *index = base_map_find(&overlap->threads, sample.key);
	if (!index)
		return false;
	const struct cap_overlap_times *times = &overlap->times.data[*index];
	if (sample.level == overlap->old_level)
		return sample.time > times->first_new;
	return sample.level == overlap->new_level && sample.time == times->first_new &&
	       times->last_old > times->first_new && overlap->old_level > overlap->new_level &&
	       samples_each(&sample.event->attr);
}

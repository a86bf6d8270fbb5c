#include "output/collect.h"

#include <inttypes.h>
#include <stdio.h>

#include "output/walkers.h"

void out_collector_deinit(struct out_collector *collector)
{
	pd_counters_deinit(&collector->counters);
}

/* The thread's number in the profile: a thread under another name is another one. */
static struct pd_error *enter_thread(
	struct out_collector *c, const struct pd_thread *thread, uint32_t *ret)
{
	struct pd_intern *strings = &c->profile->strings;
	char unnamed[16];

	if (thread != c->last_thread || thread->comm != c->last_comm) {
		bool has_name = thread->comm && thread->comm[0];

		snprintf(unnamed, sizeof(unnamed), ":%" PRId32, (int32_t)thread->tid);
		struct prof_thread entry = {
			.pid = thread->pid,
			.tid = thread->tid,
			.comm = pd_intern_str(strings, has_name ? thread->comm : unnamed),
		};
		if (entry.comm == PD_INTERN_NONE)
			return &pd_enomem;
		c->last_thread_id = pd_intern_add(&c->profile->threads, &entry, sizeof(entry));
		c->last_thread = thread;
		c->last_comm = thread->comm;
	}
	*ret = c->last_thread_id;
	return *ret == PD_INTERN_NONE ? &pd_enomem : NULL;
}

static void skip(struct out_collector *c, const struct pd_record *rec, enum prof_skip why,
	const char *detail)
{
	c->profile->stats.n_samples++;
	c->profile->stats.skipped[why]++;
	if (why == PROF_SKIP_NOTHING_COUNTED)
		return;
	pd_diag_warn(c->file->diag, pd_file_part_path(c->file, rec->part), rec->offset, "SAMPLE",
		why == PROF_SKIP_DAMAGED ? "ends in field %s" : "id of an unknown event%s", detail);
}

static void note_time(struct prof_stats *stats, uint64_t time)
{
	if (time >= PD_FIRST_FAKE_TIME)
		return;
	if (!stats->first_ns || time < stats->first_ns)
		stats->first_ns = time;
	if (time > stats->last_ns)
		stats->last_ns = time;
}

static struct pd_error *add_count(struct out_collector *c, const struct pd_record *rec,
	const struct pd_share *share, struct out_item *item)
{
	struct out_count count = { .period = share->period };

	if (!share->event) {
		skip(c, rec, PROF_SKIP_UNKNOWN_EVENT, "");
		return NULL;
	}
	struct pd_error *err = out_source_event(c->source, share->event, &count.event);
	if (err)
		return err;
	c->profile->stats.n_samples++;
	return pd_vec_push(&item->counts, count) ? NULL : &pd_enomem;
}

/* Find what the sample stands for: its event, or those that its counter values are of. */
static struct pd_error *add_counts(struct out_collector *c, const struct pd_record *rec,
	const struct pd_event *event, struct out_item *item)
{
	struct pd_error *err =
		pd_counters_apply(&c->counters, &c->file->events, event, &item->sample);

	item->counts.n = 0;
	if (!err && !c->counters.shares.n)
		skip(c, rec, PROF_SKIP_NOTHING_COUNTED, "");
	for (size_t i = 0; i < c->counters.shares.n && !err; i++)
		err = add_count(c, rec, &c->counters.shares.data[i], item);
	return err;
}

/* Where a sample that stands for something was. */
static struct pd_error *place_item(
	struct out_collector *c, const struct pd_record *rec, struct out_item *item)
{
	const struct pd_thread *thread =
		pd_space_thread(c->space, item->sample.pid, item->sample.tid);
	struct pd_maps *maps = pd_space_maps(c->space, item->sample.pid);

	if (!thread || !maps)
		return &pd_enomem;
	struct pd_error *err = enter_thread(c, thread, &item->thread);
	if (err)
		return err;
	item->cpumode = rec->misc & PD_MISC_CPUMODE_MASK;
	item->has_walk = c->walks && out_walkers_can_walk(&item->sample);
	item->maps = pd_maps_ref(maps);
	item->kernel_maps = pd_maps_ref(pd_space_kernel_maps(c->space));
	item->rec = pd_record_keep(rec);
	return NULL;
}

/* Decode @p rec into @p item; false if it is damaged, which has been told. */
static bool decode(struct out_collector *c, const struct pd_record *rec,
	const struct pd_event *event, struct out_item *item)
{
	const char *field = "";

	switch (pd_sample_decode(&event->plan, rec, c->file->swap, &item->sample, &field)) {
	case PD_SAMPLE_OK:
		return true;
	case PD_SAMPLE_LEFTOVER:
		pd_diag_warn(c->file->diag, pd_file_part_path(c->file, rec->part), rec->offset,
			"SAMPLE", "holds more than its event says");
		return true;
	case PD_SAMPLE_SHORT:
		break;
	}
	skip(c, rec, PROF_SKIP_DAMAGED, field);
	return false;
}

struct pd_error *out_collect(
	struct out_collector *c, const struct pd_record *rec, struct out_batch *batch)
{
	const struct pd_event *event = pd_events_find(&c->file->events, rec);
	struct out_item *item = &batch->items[batch->n];

	if (!event) {
		skip(c, rec, PROF_SKIP_UNKNOWN_EVENT, "");
		return NULL;
	}
	if (!decode(c, rec, event, item))
		return NULL;
	note_time(&c->profile->stats, rec->time);
	item->event = event->index;
	struct pd_error *err = add_counts(c, rec, event, item);
	if (!err && item->counts.n) {
		err = place_item(c, rec, item);
		batch->n += !err;
	}
	return err;
}

#include "resolve/batch/collector.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/limit.h"
#include "parse/callchain.h"
#include "parse/open_file.h"
#include "resolve/stacks/lbr.h"
#include "resolve/stacks/sample_walk.h"

/*
 * Limit for waiting samples. A thread has few of them between entering the kernel and leaving it.
 */
enum { MAX_WAITING = PD_LIMIT_DEFERRED_SAMPLES };

void resolve_collector_deinit(struct resolve_collector *collector)
{
	pd_counters_deinit(&collector->counters);
	resolve_choices_deinit(&collector->choices);
	for (size_t i = 0; i < collector->waiting.n; i++)
		resolve_item_deinit(&collector->waiting.data[i].item);
	pd_vec_deinit(&collector->waiting);
}

enum { UNNAMED_BYTES = 16 };

/* Return the name of the thread, or ":1234" as in perf if it has none. */
static const char *thread_name(
	const struct parse_thread *thread, char unnamed[static UNNAMED_BYTES])
{
	if (thread->comm && thread->comm[0])
		return thread->comm;
	snprintf(unnamed, UNNAMED_BYTES, ":%" PRId32, (int32_t)thread->tid);
	return unnamed;
}

/* Add the name of a thread to the profile. */
static struct pd_error *add_name(
	struct resolve_collector *c, const char *name, struct prof_string_id *ret)
{
	*ret = prof_add_string(c->profile, name);
	return prof_is_none(*ret) ? &pd_enomem : NULL;
}

/* Name the process of a thread that is new in the profile after its main thread. */
static struct pd_error *add_process(struct resolve_collector *c, const struct parse_thread *thread)
{
	struct prof_process process = { .pid = thread->pid };
	const struct parse_thread *main_thread =
		parse_space_thread(c->space, thread->pid, thread->pid);

	if (!main_thread)
		return &pd_enomem;
	if (!main_thread->comm || !main_thread->comm[0])
		return NULL;
	struct pd_error *err = add_name(c, main_thread->comm, &process.name);
	if (err)
		return err;
	return pd_vec_push(&c->profile->processes, process) ? NULL : &pd_enomem;
}

/* Add the thread to the profile. A thread with a new name is a new thread there. */
struct pd_error *resolve_collector_thread(
	struct resolve_collector *c, const struct parse_thread *thread, struct prof_thread_id *ret)
{
	struct resolve_known_thread *known =
		&c->threads[(uintptr_t)thread / sizeof(*thread) % RESOLVE_N_KNOWN_THREADS];
	char unnamed[UNNAMED_BYTES];

	/* Names are interned by the space, so another name is another pointer. */
	if (known->thread != thread || known->comm != thread->comm) {
		struct prof_thread entry = { .pid = thread->pid, .tid = thread->tid };
		struct pd_error *err = add_name(c, thread_name(thread, unnamed), &entry.comm);

		if (err)
			return err;
		size_t n_threads = c->profile->threads.n;
		known->id = prof_add_thread(c->profile, &entry);
		known->thread = thread;
		known->comm = thread->comm;
		if (c->profile->threads.n > n_threads) {
			err = add_process(c, thread);
			if (err)
				return err;
		}
	}
	*ret = known->id;
	return prof_is_none(*ret) ? &pd_enomem : NULL;
}

static void skip(struct resolve_collector *c, const struct pd_record *rec, enum prof_skip why,
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

void resolve_collector_count(struct resolve_collector *c, const struct pd_record *rec)
{
	c->profile->stats.n_samples++;
	note_time(&c->profile->stats, rec->time);
}

/* Note that the counter of the event @p member is read in samples of @p event. */
static struct pd_error *note_leader(
	struct resolve_collector *c, const struct pd_event *event, struct prof_event_id member)
{
	struct prof_event_id leader;
	struct pd_error *err = resolve_facts_event(c->facts, event, &leader);

	if (err)
		return err;
	c->profile->events.data[member.i].leader = leader.i + 1;
	return NULL;
}

static struct pd_error *add_count(struct resolve_collector *c, const struct pd_record *rec,
	const struct pd_event *event, const struct pd_share *share, struct resolve_item *item)
{
	struct resolve_count count;

	if (!share->event) {
		skip(c, rec, PROF_SKIP_UNKNOWN_EVENT, "");
		return NULL;
	}
	struct pd_error *err = resolve_facts_event(c->facts, share->event, &count.event);
	/* An event without a period takes no samples: its group does. */
	if (!err && share->event != event && !share->event->attr.sample_period)
		err = note_leader(c, event, count.event);
	if (err)
		return err;
	count.period = resolve_periods_take(&c->facts->periods, count.event, share->period);
	/* A filtered sample has been read: see prof_is_conserved(). */
	c->profile->stats.n_samples++;
	if (c->filter->filter &&
		prof_filter_event(c->filter->filter, share->event->name) != PROF_N_FILTERS) {
		resolve_choices_note_time(&c->choices, rec->time);
		c->profile->stats.filtered[PROF_FILTER_EVENT]++;
		c->profile->stats.filtered_period[PROF_FILTER_EVENT] += count.period;
		return NULL;
	}
	return pd_vec_push(&item->counts, count) ? NULL : &pd_enomem;
}

/*
 * List a record that has no row. With a filter nothing is listed, because the record may have been
 * left out on purpose.
 */
static struct pd_error *note_uncounted(struct resolve_collector *c, const struct pd_record *rec)
{
	const struct prof_key key = { rec->offset, rec->part, rec->ordinal };

	if (!c->keeps_uncounted || c->filter->filter)
		return NULL;
	return base_spill_push(&c->profile->uncounted, key);
}

/* Find the events that the sample counts for: its own, or those whose counter values it has. */
static struct pd_error *add_counts(struct resolve_collector *c, const struct pd_record *rec,
	const struct pd_event *event, struct resolve_item *item)
{
	struct pd_error *err =
		pd_counters_apply(&c->counters, &c->file->events, event, &item->sample);

	if (err)
		return err;
	item->counts.n = 0;
	if (!c->counters.shares.n)
		skip(c, rec, PROF_SKIP_NOTHING_COUNTED, "");
	for (size_t i = 0; i < c->counters.shares.n; i++) {
		err = add_count(c, rec, event, &c->counters.shares.data[i], item);
		if (err)
			return err;
	}
	return item->counts.n ? NULL : note_uncounted(c, rec);
}

/* Find the mapping at the instruction pointer of the sample. */
static const struct parse_mapping *find_mapping(
	const struct resolve_collector *c, const struct resolve_item *item)
{
	const struct parse_maps *maps = parse_space_maps(c->space, item->sample.pid);

	switch (item->cpumode) {
	case PD_MISC_KERNEL:
		return parse_maps_find(parse_space_kernel_maps(c->space), item->sample.ip);
	case PD_MISC_USER:
		return maps ? parse_maps_find(maps, item->sample.ip) : NULL;
	default:
		return NULL;
	}
}

/* Apply the filter, and count the sample if it is left out. */
static bool is_unwanted(struct resolve_collector *c, const struct pd_record *rec,
	const struct pd_event *event, const struct resolve_item *item,
	const struct parse_thread *thread)
{
	char unnamed[UNNAMED_BYTES];
	const struct prof_filter *wanted = c->filter->filter;
	const struct parse_mapping *mapping = wanted->dsos.items.n ? find_mapping(c, item) : NULL;
	const struct prof_filter_sample sample = {
		.time = rec->time,
		.pid = item->sample.pid,
		.tid = item->sample.tid,
		.cpu = item->sample.cpu,
		.has_cpu = event->attr.sample_type >> PD_SAMPLE_CPU & 1,
		.comm = thread_name(thread, unnamed),
		.dso = mapping ? mapping->dso->name : NULL,
	};
	enum prof_filter_kind filter = prof_filter_sample(wanted, &c->filter->times, &sample);

	if (filter == PROF_N_FILTERS)
		return false;
	resolve_choices_note(&c->choices, filter, &sample);
	/* Statistics count pairs of a sample and an event, as stats.n_samples does. */
	c->profile->stats.filtered[filter] += item->counts.n;
	for (size_t i = 0; i < item->counts.n; i++)
		c->profile->stats.filtered_period[filter] += item->counts.data[i].period;
	return true;
}

static struct pd_error *follow_intervals(struct resolve_collector *c, const struct pd_record *rec,
	const struct pd_event *event, struct resolve_item *item)
{
	const struct led_interval_sample at = {
		.file = c->file,
		.sample = &item->sample,
		.event = event->index,
		.time = rec->time,
		.cpu = item->sample.cpu,
		.thread = item->thread,
		.has_stack = item->has_walk || item->sample.callchain.n,
	};

	item->interval = LED_NO_BEGINNING;
	if (!c->intervals || !rec->time || rec->time >= PD_FIRST_FAKE_TIME)
		return NULL;
	return led_intervals_take(c->intervals, &at, c->profile, &item->interval);
}

/* Find thread and mappings of a sample. *is_wanted_ret is false if the filter leaves it out. */
static struct pd_error *locate_item(struct resolve_collector *c, const struct pd_record *rec,
	const struct pd_event *event, struct resolve_item *item, bool *is_wanted_ret)
{
	/* Must precede parse_space_maps(): another epoch of generated code is another snapshot. */
	struct pd_error *err = resolve_jits_step(c->jits, item->sample.pid, rec->time);

	if (err)
		return err;
	const struct parse_thread *thread =
		parse_space_thread(c->space, item->sample.pid, item->sample.tid);
	struct parse_maps *maps = parse_space_maps(c->space, item->sample.pid);

	if (!thread || !maps)
		return &pd_enomem;
	item->cpumode = rec->misc & PD_MISC_CPUMODE_MASK;
	*is_wanted_ret = !c->filter->filter || !is_unwanted(c, rec, event, item, thread);
	if (!*is_wanted_ret)
		return NULL;
	err = resolve_collector_thread(c, thread, &item->thread);
	if (err)
		return err;
	item->has_walk = resolve_can_walk(c->arch, c->space, &item->sample, item->cpumode);
	err = follow_intervals(c, rec, event, item);
	if (err)
		return err;
	/*
	 * Take references only now: the slot of an item that is left out is reused without a
	 * release.
	 */
	item->maps = parse_maps_ref(maps);
	item->kernel_maps = parse_maps_ref(parse_space_kernel_maps(c->space));
	item->cgroup = (struct prof_string_id){ 0 };
	if (c->keeps_cgroup && event->attr.sample_type >> PD_SAMPLE_CGROUP & 1)
		item->cgroup = resolve_facts_cgroup(c->facts, item->sample.cgroup);
	if (c->keeps_data)
		item->all_maps = parse_maps_ref(parse_space_all_maps(c->space, item->sample.pid));
	item->rec = pd_record_keep(rec);
	return NULL;
}

static enum pd_sample_result read_sample(struct resolve_collector *c, const struct pd_record *rec,
	const struct pd_event *event, struct pd_sample *ret, const char **field_ret)
{
	if (!c->sched)
		return pd_sample_decode(&event->plan, rec, ret, field_ret);
	led_present_sample(c->sched);
	*ret = c->sched->present.sample;
	*field_ret = c->sched->present.damage;
	return c->sched->present.result;
}

/* Decode @p rec to @p item. If it is truncated, report that and return false. */
static bool decode(struct resolve_collector *c, const struct pd_record *rec,
	const struct pd_event *event, struct resolve_item *item)
{
	const char *field = "";

	switch (read_sample(c, rec, event, &item->sample, &field)) {
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

static void make_ready(struct resolve_collector *c, struct resolve_waiting *waiting)
{
	c->n_ready += !waiting->is_ready;
	waiting->is_ready = true;
}

/* Records were lost: release many samples, so that this happens rarely. */
static void release_older_half(struct resolve_collector *c, const struct pd_record *rec)
{
	pd_diag_note(c->file->diag, pd_file_part_path(c->file, rec->part), rec->offset, "SAMPLE",
		"too many samples wait for their call chains: older ones continue without");
	for (size_t i = 0; i < MAX_WAITING / 2; i++)
		make_ready(c, &c->waiting.data[i]);
}

/* Move the last item of the batch to the waiting ones if its user call chain is recorded later. */
static struct pd_error *defer_if_incomplete(
	struct resolve_collector *c, struct resolve_batch *batch)
{
	struct resolve_item *item = &batch->items[batch->n - 1];
	uint64_t cookie;

	if (!parse_callchain_is_deferred(&item->sample, &cookie))
		return NULL;
	const struct resolve_waiting waiting = { .item = *item, .cookie = cookie };
	if (!pd_vec_push(&c->waiting, waiting))
		return &pd_enomem;
	batch->n_bytes -= item->rec.size;
	*item = (struct resolve_item){ 0 };
	batch->n--;
	if (c->waiting.n > MAX_WAITING)
		release_older_half(c, &waiting.item.rec);
	return NULL;
}

/* Must precede the filter: a wait of a thread ends with a sample of another one. */
static struct pd_error *follow_switches(struct resolve_collector *c, struct resolve_item *item)
{
	item->waits = RESOLVE_NO_WAITS;
	return c->switches ? resolve_switches_follow(c->switches, &item->waits) : NULL;
}

struct pd_error *resolve_collect(
	struct resolve_collector *c, const struct pd_record *rec, struct resolve_batch *batch)
{
	const struct pd_event *event =
		c->sched ? c->sched->present.event : pd_events_find(&c->file->events, rec);
	struct resolve_item *item = resolve_batch_next(batch);
	bool is_wanted;

	if (!event) {
		skip(c, rec, PROF_SKIP_UNKNOWN_EVENT, "");
		return NULL;
	}
	if (!decode(c, rec, event, item))
		return NULL;
	item->event = event->index;
	item->parallelism = c->ledger ? led_parallelism(c->ledger, item->sample.tid) : 0;
	item->has_calls = resolve_lbr_has_calls(event, &item->sample);
	struct pd_error *err = follow_switches(c, item);
	if (err)
		return err;
	/*
	 * Must precede the filter: with counter values, a count is the difference to the sample
	 * before, even if that one is left out.
	 */
	err = add_counts(c, rec, event, item);
	if (err || !item->counts.n)
		return err;
	err = locate_item(c, rec, event, item, &is_wanted);
	if (err || !is_wanted)
		return err;
	note_time(&c->profile->stats, rec->time);
	resolve_batch_push(batch);
	return defer_if_incomplete(c, batch);
}

void resolve_collect_deferred(struct resolve_collector *c, const struct pd_record *rec)
{
	const struct pd_plan *plan = pd_events_plan(&c->file->events, rec);
	union pd_body body;
	const char *wrong;

	if (!c->waiting.n || !plan)
		return;
	if (!pd_record_decode(rec, plan->sid_bytes, &body, &wrong)) {
		pd_diag_note(c->file->diag, pd_file_part_path(c->file, rec->part), rec->offset,
			"CALLCHAIN_DEFERRED", wrong);
		return;
	}
	/* The body has no thread. It is in the sample_id trailer. */
	struct pd_sid sid = pd_sid_decode(plan, rec);
	for (size_t i = 0; i < c->waiting.n; i++) {
		struct resolve_waiting *waiting = &c->waiting.data[i];

		if (waiting->is_ready || waiting->item.sample.tid != sid.tid)
			continue;
		make_ready(c, waiting);
		if (waiting->cookie != body.callchain_deferred.cookie)
			continue;
		/*
		 * One record completes all samples that were taken since the thread entered the
		 * kernel.
		 */
		waiting->item.deferred = body.callchain_deferred.ips;
		waiting->item.deferred_rec = pd_record_keep(rec);
	}
}

void resolve_collect_end(struct resolve_collector *c)
{
	for (size_t i = 0; i < c->waiting.n; i++)
		make_ready(c, &c->waiting.data[i]);
}

bool resolve_collect_ready(struct resolve_collector *c, struct resolve_batch *batch)
{
	size_t n_left = 0;

	if (!c->n_ready)
		return false;
	for (size_t i = 0; i < c->waiting.n; i++) {
		struct resolve_waiting *waiting = &c->waiting.data[i];

		if (!waiting->is_ready || resolve_batch_is_full(batch)) {
			c->waiting.data[n_left++] = *waiting;
			continue;
		}
		struct resolve_item *item = resolve_batch_next(batch);
		/*
		 * The slot still has the lists of an earlier batch, which the assignment would
		 * leak.
		 */
		resolve_item_deinit(item);
		*item = waiting->item;
		resolve_batch_push(batch);
		c->n_ready--;
	}
	c->waiting.n = n_left;
	return c->n_ready > 0;
}

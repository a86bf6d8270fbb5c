#include "analyze/waits/waits.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/containers/map.h"

/* Event of pdconv record and perf: a sample for each wait, whose period is its time in ns. */
#define OFF_CPU "offcpu-time"

/* Properties of a symbol. */
struct mark {
	/* A program waits here. */
	bool is_place;
	/* Number of the last sample on the CPU that was counted. */
	uint32_t last;
};

struct counter {
	const struct profile *profile;
	const struct ana_symbols *symbols;
	struct ana_wait_places places;
	struct ana_waits *ret;
	/* Indexed by symbol. */
	struct mark *marks;
	uint64_t *on_cpu;
	/* Index in ret->list by kind and place, and in ret->threads by comm. */
	struct base_map by_place;
	struct base_map by_comm;
};

static bool is_called(const struct profile *profile, struct prof_event_id id, const char *name)
{
	const struct prof_event *event = prof_event(profile, id);

	return event->total.samples && strcmp(prof_string(profile, event->name), name) == 0;
}

bool ana_wait_has_time(const struct profile *profile, struct prof_event_id event)
{
	return strcmp(prof_string(profile, prof_event(profile, event)->name), OFF_CPU) == 0;
}

struct prof_event_id ana_wait_event(const struct profile *profile)
{
	static const char *const names[] = { OFF_CPU, "sched:sched_switch" };

	for (size_t i = 0; i < PD_ARRAY_LEN(names); i++) {
		for (struct prof_event_id id = { 0 }; id.i < profile->events.n; id.i++) {
			if (is_called(profile, id, names[i]))
				return id;
		}
	}
	return prof_no_event();
}

static bool is_time(const struct profile *profile, struct prof_event_id id)
{
	const char *unit = prof_string(profile, prof_event(profile, id)->unit);

	return strcmp(unit, "nanoseconds") == 0;
}

struct prof_event_id ana_wait_on_cpu(const struct profile *profile, struct prof_event_id waits)
{
	for (struct prof_event_id id = { 0 }; id.i < profile->events.n; id.i++) {
		const struct prof_event *event = prof_event(profile, id);
		const char *name = prof_string(profile, event->name);

		if (prof_same_event(id, waits) || !event->total.samples ||
			ana_wait_has_time(profile, id))
			continue;
		if (is_time(profile, id) || strstr(name, "cycles"))
			return id;
	}
	return prof_no_event();
}

static struct ana_wait *get_wait(struct counter *c, const struct ana_wait *wait)
{
	bool is_new;
	uint64_t *at =
		base_map_add(&c->by_place, (uint64_t)wait->kind << 32 | wait->place, &is_new);

	if (!at)
		return NULL;
	if (is_new) {
		*at = c->ret->list.n;
		if (!pd_vec_push(&c->ret->list, *wait))
			return NULL;
	}
	return &c->ret->list.data[*at];
}

static struct ana_waiter *get_waiter(struct counter *c, struct prof_thread_id thread)
{
	struct prof_string_id comm = prof_thread(c->profile, thread)->comm;
	const struct ana_waiter fresh = { .comm = comm };
	bool is_new;
	uint64_t *at = base_map_add(&c->by_comm, comm.i, &is_new);

	if (!at)
		return NULL;
	if (is_new) {
		*at = c->ret->threads.n;
		if (!pd_vec_push(&c->ret->threads, fresh))
			return NULL;
	}
	return &c->ret->threads.data[*at];
}

/* Waits that began at a sample. */
struct amounts {
	uint64_t n;
	uint64_t amount;
	uint64_t delay;
};

static bool count_wait(struct counter *c, const struct prof_sample *sample,
	const struct ana_wait *found, const struct amounts *amounts)
{
	struct ana_waiter *waiter = get_waiter(c, sample->thread);
	struct ana_wait *wait = get_wait(c, found);

	if (!waiter || !wait)
		return false;
	waiter->n[wait->kind] += amounts->n;
	waiter->amounts[wait->kind] += amounts->amount;
	waiter->delay += amounts->delay;
	wait->n += amounts->n;
	wait->amount += amounts->amount;
	wait->delay += amounts->delay;
	c->ret->amount += amounts->amount;
	if (wait->place != PROF_NONE)
		c->marks[wait->place].is_place = true;
	return true;
}

static bool add_wait(struct counter *c, struct prof_sample_id id)
{
	const struct prof_sample *sample = prof_sample(c->profile, id);
	const struct prof_value *value = prof_value(c->profile, id);
	const struct amounts amounts = {
		.n = value->samples,
		.amount = c->ret->has_times ? value->period : value->samples,
	};
	const struct ana_wait_place place = ana_wait_place(&c->places, sample->stack);
	const struct ana_wait found = { .kind = place.kind, .place = place.symbol };

	return count_wait(c, sample, &found, &amounts);
}

/* Add the waits between switches of the scheduler. */
static bool add_switches(struct counter *c)
{
	for (size_t i = 0; i < c->profile->waits.n; i++) {
		const struct prof_wait *wait = &c->profile->waits.data[i];
		const struct prof_sample *sample = prof_sample(c->profile, wait->sample);
		const struct amounts amounts = { wait->n, wait->total_ns, wait->delay_ns };
		struct ana_wait_place place;

		if (!prof_same_event(sample->event, c->ret->event))
			continue;
		place = ana_wait_place(&c->places, sample->stack);
		const struct ana_wait found = {
			.kind = ana_wait_kind_in_state(place.kind, wait->state),
			.place = place.symbol,
		};
		c->ret->has_delays |= wait->delay_ns > 0;
		if (!count_wait(c, sample, &found, &amounts))
			return false;
	}
	return true;
}

/* Count a sample on the CPU once for its thread, and once for each place in its stack. */
static bool add_on_cpu(struct counter *c, struct prof_sample_id id)
{
	const struct prof_sample *sample = prof_sample(c->profile, id);
	uint64_t period = prof_value(c->profile, id)->period;
	struct ana_waiter *waiter = get_waiter(c, sample->thread);
	uint32_t n, n_symbols;
	const struct prof_frame_id *frames = prof_stack(c->profile, sample->stack, &n);

	if (!waiter)
		return false;
	waiter->on_cpu += period;
	for (uint32_t i = 0; i < n; i++) {
		const uint32_t *list = ana_symbols_at(c->symbols, frames[i], &n_symbols);

		for (uint32_t k = 0; k < n_symbols; k++) {
			struct mark *mark = &c->marks[list[k]];

			if (!mark->is_place || mark->last == id.i + 1)
				continue;
			mark->last = id.i + 1;
			c->on_cpu[list[k]] += period;
		}
	}
	return true;
}

static bool add_samples(struct counter *c, struct prof_event_id event,
	bool (*add)(struct counter *, struct prof_sample_id))
{
	for (struct prof_sample_id id = { 0 }; id.i < c->profile->samples.n; id.i++) {
		if (prof_same_event(prof_sample(c->profile, id)->event, event) && !add(c, id))
			return false;
	}
	return true;
}

static uint64_t waited(const struct ana_waiter *waiter)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < ANA_N_WAIT_KINDS; i++)
		sum += waiter->amounts[i];
	return sum;
}

/* The comparisons end with an identity, so that the order does not depend on qsort. */
static int compare_waits(const void *a, const void *b)
{
	const struct ana_wait *x = a;
	const struct ana_wait *y = b;

	if (x->amount != y->amount)
		return x->amount > y->amount ? -1 : 1;
	if (x->place != y->place)
		return x->place < y->place ? -1 : 1;
	return (int)x->kind - (int)y->kind;
}

static int compare_waiters(const void *a, const void *b)
{
	const struct ana_waiter *x = a;
	const struct ana_waiter *y = b;
	uint64_t n_x = waited(x);
	uint64_t n_y = waited(y);

	if (n_x != n_y)
		return n_x > n_y ? -1 : 1;
	return x->comm.i < y->comm.i ? -1 : x->comm.i > y->comm.i;
}

/* Whether ends of waits are known. A ledger adds times to waits whose ends are not. */
static bool has_ends(const struct profile *profile)
{
	for (size_t i = 0; i < profile->waits.n; i++) {
		if (profile->waits.data[i].n)
			return true;
	}
	return false;
}

static bool count_all(struct counter *c)
{
	struct ana_waits *ret = c->ret;

	c->marks = base_calloc_n(c->symbols->list.n, sizeof(*c->marks));
	c->on_cpu = base_calloc_n(c->symbols->list.n, sizeof(*c->on_cpu));
	if (!c->marks || !c->on_cpu || !ana_wait_places_create(c->profile, c->symbols, &c->places))
		return false;
	bool ok = has_ends(c->profile) ? add_switches(c) : add_samples(c, ret->event, add_wait);
	if (!ok || !add_samples(c, ret->on_cpu, add_on_cpu))
		return false;
	for (size_t i = 0; i < ret->list.n; i++) {
		if (ret->list.data[i].place != PROF_NONE)
			ret->list.data[i].on_cpu = c->on_cpu[ret->list.data[i].place];
	}
	if (ret->list.n)
		qsort(ret->list.data, ret->list.n, sizeof(*ret->list.data), compare_waits);
	if (ret->threads.n)
		qsort(ret->threads.data, ret->threads.n, sizeof(*ret->threads.data),
			compare_waiters);
	return true;
}

struct pd_error *ana_waits_count(
	const struct profile *profile, const struct ana_symbols *symbols, struct ana_waits *ret)
{
	struct counter c = { .profile = profile, .symbols = symbols, .ret = ret };

	*ret = (struct ana_waits){ .event = ana_wait_event(profile) };
	ret->on_cpu = ana_wait_on_cpu(profile, ret->event);
	ret->has_times = has_ends(profile) || is_time(profile, ret->event);
	bool ok = count_all(&c);
	ana_wait_places_deinit(&c.places);
	free(c.marks);
	free(c.on_cpu);
	base_map_deinit(&c.by_place);
	base_map_deinit(&c.by_comm);
	if (ok)
		return NULL;
	ana_waits_deinit(ret);
	return &pd_enomem;
}

void ana_waits_deinit(struct ana_waits *waits)
{
	pd_vec_deinit(&waits->list);
	pd_vec_deinit(&waits->threads);
}

#include "analyze/waits/phase_stacks.h"

#include <stdlib.h>
#include <string.h>

#include <pdconv/record.h>

#include "analyze/waits/waits.h"
#include "base/array.h"
#include "base/cleanup.h"
#include "base/containers/sort.h"

/* Kind of the samples of an event; ANA_N_MOMENT_KINDS: none of these. */
static enum ana_moment_kind kind_of(const struct profile *profile, struct prof_event_id event)
{
	static const struct {
		const char *name;
		enum ana_moment_kind kind;
	} kinds[] = {
		{ "sched:sched_switch", ANA_MOMENT_SWITCH },
		{ "sched:sched_waking", ANA_MOMENT_WAKEUP },
		{ "sched:sched_wakeup", ANA_MOMENT_WAKEUP },
	};
	const char *name = prof_string(profile, prof_event(profile, event)->name);

	if (ana_wait_has_time(profile, event))
		return ANA_MOMENT_WAIT;
	for (size_t i = 0; i < PD_ARRAY_LEN(kinds); i++) {
		if (strcmp(name, kinds[i].name) == 0)
			return kinds[i].kind;
	}
	return ANA_N_MOMENT_KINDS;
}

bool ana_has_moments(const struct profile *profile)
{
	for (struct prof_event_id id = { 0 }; id.i < profile->events.n; id.i++) {
		if (kind_of(profile, id) != ANA_N_MOMENT_KINDS)
			return true;
	}
	return false;
}

static int compare(const void *a, const void *b)
{
	const struct ana_moment *x = a;
	const struct ana_moment *y = b;

	if (x->kind != y->kind)
		return (int)x->kind - (int)y->kind;
	if (x->tid != y->tid)
		return base_compare_u32(x->tid, y->tid);
	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return base_compare_u32(x->sample.i, y->sample.i);
}

/* The moment of a sample of an event of @p kind. Return whether it is one. */
static bool find_moment(const struct profile *profile, struct prof_sample_id id,
	enum ana_moment_kind kind, struct ana_moment *ret)
{
	const struct prof_sample *sample = prof_sample(profile, id);
	uint64_t time = prof_sample_time(profile, id);

	if (kind == ANA_N_MOMENT_KINDS || time == PD_NO_TIME)
		return false;
	*ret = (struct ana_moment){
		.time = time,
		.tid = prof_thread(profile, sample->thread)->tid,
		.kind = kind,
		.sample = id,
	};
	return true;
}

/* Take the states in which waits began from those of the profile. */
static bool add_states(struct ana_phase_stacks *s)
{
	const struct profile *profile = s->profile;
	_cleanup_free_ uint8_t *states = base_calloc_n(profile->samples.n, 1);

	if (!states)
		return false;
	for (size_t i = 0; i < profile->waits.n; i++)
		states[profile->waits.data[i].sample.i] = (uint8_t)profile->waits.data[i].state;
	for (size_t i = 0; i < s->n; i++)
		s->moments[i].state = (enum prof_wait_state)states[s->moments[i].sample.i];
	return true;
}

static bool list_moments(struct ana_phase_stacks *s)
{
	const struct profile *profile = s->profile;
	_cleanup_free_ enum ana_moment_kind *kinds =
		base_calloc_n(profile->events.n, sizeof(*kinds));
	struct ana_moment moment;
	size_t n = 0;

	for (struct prof_event_id id = { 0 }; kinds && id.i < profile->events.n; id.i++)
		kinds[id.i] = kind_of(profile, id);
	for (struct prof_sample_id id = { 0 }; kinds && id.i < profile->samples.n; id.i++)
		n += find_moment(profile, id, kinds[prof_sample(profile, id)->event.i], &moment);
	s->moments = kinds ? base_calloc_n(n, sizeof(*s->moments)) : NULL;
	for (struct prof_sample_id id = { 0 }; s->moments && s->n < n; id.i++)
		s->n += find_moment(
			profile, id, kinds[prof_sample(profile, id)->event.i], &s->moments[s->n]);
	if (!s->moments || !add_states(s))
		return false;
	qsort(s->moments, n, sizeof(*s->moments), compare);
	return true;
}

struct pd_error *ana_phase_stacks_create(const struct profile *profile,
	const struct ana_symbols *symbols, struct ana_phase_stacks *ret)
{
	*ret = (struct ana_phase_stacks){ .profile = profile };
	if (ana_wait_places_create(profile, symbols, &ret->places) && list_moments(ret))
		return NULL;
	ana_phase_stacks_deinit(ret);
	return &pd_enomem;
}

void ana_phase_stacks_deinit(struct ana_phase_stacks *stacks)
{
	ana_wait_places_deinit(&stacks->places);
	free(stacks->moments);
	*stacks = (struct ana_phase_stacks){ 0 };
}

/* The first sample of a kind and a thread from @p time on; NULL: there is none. */
static const struct ana_moment *first_moment(
	const struct ana_phase_stacks *s, enum ana_moment_kind kind, uint32_t tid, uint64_t time)
{
	const struct ana_moment wanted = { .kind = kind, .tid = tid, .time = time };
	size_t low = 0, high = s->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare(&s->moments[middle], &wanted) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	const struct ana_moment *found = low < s->n ? &s->moments[low] : NULL;
	return found && found->kind == kind && found->tid == tid ? found : NULL;
}

/* The sample of a thread that goes off the CPU, or of the wait that a phase is a part of. */
static const struct ana_moment *find_waiter(
	const struct ana_phase_stacks *s, uint32_t tid, const struct prof_ledger_phase *phase)
{
	const struct ana_moment *moment = first_moment(s, ANA_MOMENT_SWITCH, tid, phase->begin_ns);
	uint64_t middle = phase->begin_ns + phase->ns / 2;

	if (moment && moment->time == phase->begin_ns)
		return moment;
	moment = first_moment(s, ANA_MOMENT_WAIT, tid, middle);
	if (moment && moment->time - middle <= prof_value(s->profile, moment->sample)->period)
		return moment;
	return NULL;
}

struct ana_phase_stack ana_phase_stack_find(
	const struct ana_phase_stacks *s, const struct prof_ledger_phase *phase)
{
	const struct profile *profile = s->profile;
	const struct prof_ledger_thread *life = &profile->ledger_threads.data[phase->life];
	struct ana_phase_stack ret = { .waiter = { PROF_NONE }, .waker = { PROF_NONE } };
	const struct ana_moment *moment =
		find_waiter(s, prof_thread(profile, life->thread)->tid, phase);
	uint64_t end = phase->begin_ns + phase->ns;

	if (moment) {
		const struct ana_wait_place place =
			ana_wait_place(&s->places, prof_sample(profile, moment->sample)->stack);

		ret.waiter = moment->sample;
		ret.kind = ana_wait_kind_in_state(place.kind, moment->state);
		/* A stack without a function of the program says nothing by itself. */
		ret.has_kind = ret.kind != ANA_WAIT_OTHER || place.symbol != PROF_NONE;
	}
	if (prof_is_none(phase->waker))
		return ret;
	moment = first_moment(s, ANA_MOMENT_WAKEUP, prof_thread(profile, phase->waker)->tid, end);
	if (moment && moment->time == end)
		ret.waker = moment->sample;
	return ret;
}

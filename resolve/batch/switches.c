#include "resolve/batch/switches.h"

static enum prof_wait_state state_of(const struct led_states *states, uint64_t prev_state)
{
	if (led_states_reason(states, prev_state) == LED_PREEMPTED)
		return PROF_WAIT_RUNNABLE;
	return prev_state & states->disk ? PROF_WAIT_DISK : PROF_WAIT_SLEEPING;
}

/* End the wait of a thread that runs again. */
static void end_wait(struct resolve_switches *s, uint64_t tid, uint64_t time)
{
	uint64_t *open = base_map_find(&s->open, tid);

	if (!open || !*open)
		return;
	struct resolve_wait *wait = &s->waits.data[*open - 1];
	*open = 0;
	if (time < wait->start)
		return;
	wait->end = time;
	s->n_ended++;
}

static struct pd_error *begin_wait(struct resolve_switches *s, const struct led_states *states,
	uint64_t tid, uint64_t prev_state, uint64_t time, uint32_t *ret)
{
	const struct resolve_wait wait = {
		.start = time,
		.sample = { PROF_NONE },
		.waker = { PROF_NONE },
		.state = state_of(states, prev_state),
	};
	uint64_t *open = base_map_add(&s->open, tid, NULL);

	if (!open)
		return &pd_enomem;
	s->n_missed += *open != 0;
	*open = 0;
	if (prev_state & states->dead || s->waits.n >= RESOLVE_NO_WAIT)
		return NULL;
	if (!pd_vec_push(&s->waits, wait))
		return &pd_enomem;
	*open = s->waits.n;
	*ret = (uint32_t)s->waits.n - 1;
	return NULL;
}

/* The idle task, which has the number 0, waits for nothing. */
static struct pd_error *follow_switch(
	struct resolve_switches *s, const struct led_sched_events *events, uint32_t *ret)
{
	const struct led_present *present = &events->present;
	uint64_t prev, state, next;

	if (led_present_number(events, LED_FIELD_NEXT_PID, &next) && next)
		end_wait(s, next, present->time);
	if (!led_present_number(events, LED_FIELD_PREV_PID, &prev) || !prev ||
		!led_present_number(events, LED_FIELD_PREV_STATE, &state))
		return NULL;
	return begin_wait(s, &present->known->states, prev, state, present->time, ret);
}

/* The first wakeup counts: later ones find a thread that can run already. */
static void follow_wakeup(
	struct resolve_switches *s, uint64_t tid, uint64_t time, uint32_t *wakes_ret)
{
	uint64_t *open = base_map_find(&s->open, tid);

	if (!open || !*open || s->waits.data[*open - 1].woken)
		return;
	struct resolve_wait *wait = &s->waits.data[*open - 1];
	wait->woken = time;
	if (!led_is_in_interrupt(s->interrupts)) {
		*wakes_ret = (uint32_t)*open - 1;
		return;
	}
	wait->woken_by = PROF_WOKEN_BY_INTERRUPT;
	wait->interrupt = s->interrupts->present;
}

/* The field with the thread that is woken; LED_N_FIELDS: the event wakes none. */
static enum led_field woken_field(const struct led_event *event)
{
	switch (event->kind) {
	case LED_TRACEPOINT_WAKING:
		return LED_FIELD_WAKING_PID;
	case LED_TRACEPOINT_WAKEUP:
		return LED_FIELD_WAKEUP_PID;
	case LED_TRACEPOINT_WAKEUP_NEW:
		return LED_FIELD_NEW_PID;
	default:
		return LED_N_FIELDS;
	}
}

struct pd_error *resolve_switches_follow(struct resolve_switches *s, struct resolve_wait_ends *ret)
{
	const struct led_sched_events *events = s->interrupts->sched;
	const struct led_present *present = &events->present;
	uint64_t tid;

	*ret = RESOLVE_NO_WAITS;
	if (!present->known || !present->time)
		return NULL;
	if (present->known->kind == LED_TRACEPOINT_SWITCH)
		return follow_switch(s, events, &ret->begins);
	enum led_field woken = woken_field(present->known);
	if (woken != LED_N_FIELDS && led_present_number(events, woken, &tid))
		follow_wakeup(s, tid, present->time, &ret->wakes);
	return NULL;
}

void resolve_switches_link(
	struct resolve_switches *s, struct resolve_wait_ends ends, struct prof_sample_id sample)
{
	if (ends.begins != RESOLVE_NO_WAIT)
		s->waits.data[ends.begins].sample = sample;
	if (ends.wakes == RESOLVE_NO_WAIT)
		return;
	s->waits.data[ends.wakes].waker = sample;
	s->waits.data[ends.wakes].woken_by = PROF_WOKEN_BY_SAMPLE;
}

void resolve_switches_blocked(void *ctx, uint32_t tid, uint64_t since, uint64_t ns)
{
	struct resolve_switches *s = ctx;
	const uint64_t *open = base_map_find(&s->open, tid);

	if (open && *open && s->waits.data[*open - 1].start == since)
		s->waits.data[*open - 1].blocked += ns;
}

/* Time between the moment when the thread could run and the end. */
static uint64_t delay_of(const struct resolve_wait *wait)
{
	if (wait->state == PROF_WAIT_RUNNABLE)
		return wait->end - wait->start;
	return wait->woken && wait->woken < wait->end ? wait->end - wait->woken : 0;
}

/* Find the sum that a wait belongs to, which is created if there is none. */
static struct prof_wait *sum_of(struct profile *profile, struct base_intern *sums,
	const struct resolve_wait *wait, const struct prof_string_id *interrupt_names)
{
	bool is_interrupt = wait->woken_by == PROF_WOKEN_BY_INTERRUPT;
	const struct prof_wait fresh = {
		.sample = wait->sample,
		.waker = wait->waker,
		.state = wait->state,
		.woken_by = wait->woken_by,
		.interrupt = { is_interrupt ? interrupt_names[wait->interrupt].i : 0 },
	};
	const uint32_t key[] = { fresh.sample.i, fresh.waker.i, fresh.state, fresh.woken_by,
		fresh.interrupt.i };
	uint32_t at = base_intern_add(sums, key, sizeof(key));

	if (at == PD_INTERN_NONE ||
		(at == profile->waits.n && !pd_vec_push(&profile->waits, fresh)))
		return NULL;
	return &profile->waits.data[at];
}

struct pd_error *resolve_switches_finish(struct resolve_switches *s,
	const struct prof_string_id *interrupt_names, struct profile *profile)
{
	bool has_ends = s->n_missed <= s->n_ended;
	struct base_intern sums = { .width = 5 * sizeof(uint32_t) };
	struct pd_error *err = NULL;

	for (size_t i = 0; !err && i < s->waits.n; i++) {
		const struct resolve_wait *wait = &s->waits.data[i];

		bool has_end = has_ends && wait->end;

		if (!(has_end || wait->blocked) || prof_is_none(wait->sample))
			continue;
		struct prof_wait *sum = sum_of(profile, &sums, wait, interrupt_names);
		if (!sum) {
			err = &pd_enomem;
			break;
		}
		sum->blocked_ns += wait->blocked;
		sum->n_blocked += wait->blocked > 0;
		if (!has_end)
			continue;
		sum->n++;
		sum->total_ns += wait->end - wait->start;
		sum->delay_ns += delay_of(wait);
	}
	base_intern_deinit(&sums);
	return err;
}

void resolve_switches_deinit(struct resolve_switches *s)
{
	pd_vec_deinit(&s->waits);
	base_map_deinit(&s->open);
}

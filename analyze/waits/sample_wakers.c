#include "analyze/waits/sample_wakers.h"

#include <stdlib.h>

#include "analyze/waits/phase_stacks.h"
#include "base/array.h"

bool ana_has_sample_wakers(const struct profile *profile)
{
	for (size_t i = 0; i < profile->ledger_phases.n; i++) {
		base_spill_pass(&profile->ledger_phases, i);
		if (profile->ledger_phases.data[i].is_woken)
			return true;
	}
	return false;
}

/* Return the waker of a wait that ended with @p phase. */
static struct ana_sample_waker waker_of(const struct ana_phase_stacks *stacks,
	const struct prof_ledger_phase *phase, const struct ana_phase_stack *at)
{
	struct ana_sample_waker ret = { .end = ANA_WAIT_END_UNKNOWN,
		.thread = phase->waker,
		.interrupt = phase->interrupt,
		.symbol = PROF_NONE };

	if (phase->is_woken)
		ret.end = prof_is_none(phase->waker) ? ANA_WAIT_END_BY_INTERRUPT
						     : ANA_WAIT_END_BY_THREAD;
	if (!prof_is_none(at->waker))
		ret.symbol = ana_wait_place(
			&stacks->places, prof_sample(stacks->profile, at->waker)->stack)
				     .symbol;
	return ret;
}

static void find_all(const struct ana_phase_stacks *stacks, struct ana_sample_wakers *ret)
{
	const struct profile *profile = stacks->profile;

	for (size_t i = 0; i < profile->ledger_phases.n; i++) {
		const struct prof_ledger_phase *phase = &profile->ledger_phases.data[i];

		base_spill_pass(&profile->ledger_phases, i);
		if (phase->state != PROF_LEDGER_BLOCKED)
			continue;
		const struct ana_phase_stack at = ana_phase_stack_find(stacks, phase);
		if (!prof_is_none(at.waiter))
			ret->list[at.waiter.i] = waker_of(stacks, phase, &at);
	}
}

struct pd_error *ana_sample_wakers_create(
	const struct profile *profile, struct ana_sample_wakers *ret)
{
	struct ana_phase_stacks stacks;

	*ret = (struct ana_sample_wakers){ 0 };
	struct pd_error *err = ana_symbols_create(profile, &ret->symbols);
	if (err)
		return err;
	ret->list = base_calloc_n(profile->samples.n, sizeof(*ret->list));
	err = ret->list ? ana_phase_stacks_create(profile, &ret->symbols, &stacks) : &pd_enomem;
	if (err) {
		ana_sample_wakers_deinit(ret);
		return err;
	}
	find_all(&stacks, ret);
	ana_phase_stacks_deinit(&stacks);
	return NULL;
}

void ana_sample_wakers_deinit(struct ana_sample_wakers *wakers)
{
	ana_symbols_deinit(&wakers->symbols);
	free(wakers->list);
	wakers->list = NULL;
}

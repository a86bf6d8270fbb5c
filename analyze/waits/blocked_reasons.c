#include "analyze/waits/blocked_reasons.h"

#include <stdlib.h>

#include "analyze/waits/waits.h"
#include "base/containers/map.h"

struct counter {
	struct ana_blocked *ret;
	struct ana_wait_places places;
	/* Index in ret->list by kind and symbol. */
	struct base_map index;
};

/* Waits that began at a sample. */
struct waits {
	enum ana_wait_kind kind;
	uint32_t symbol;
	uint64_t n;
	uint64_t ns;
};

static bool add(struct counter *c, const struct waits *waits)
{
	const struct ana_blocked_row fresh = { .kind = waits->kind, .symbol = waits->symbol };
	/* Parts of waits may be in no account: they began before the recording. */
	uint64_t ns = waits->ns < c->ret->unknown ? waits->ns : c->ret->unknown;
	bool is_new;

	/* Nothing is said by a stack like that of a switch without a call chain. */
	if (!ns || (fresh.kind == ANA_WAIT_OTHER && fresh.symbol == PROF_NONE))
		return true;
	uint64_t *at = base_map_add(&c->index, (uint64_t)fresh.kind << 32 | fresh.symbol, &is_new);
	if (!at)
		return false;
	if (is_new) {
		*at = c->ret->list.n;
		if (!pd_vec_push(&c->ret->list, fresh))
			return false;
	}
	c->ret->list.data[*at].n += waits->n;
	c->ret->list.data[*at].ns += ns;
	c->ret->unknown -= ns;
	return true;
}

static struct ana_wait_place place_of(const struct counter *c, struct prof_sample_id id)
{
	return ana_wait_place(&c->places, prof_sample(c->places.profile, id)->stack);
}

static bool add_switches(struct counter *c)
{
	const struct profile *profile = c->places.profile;
	bool ok = true;

	for (size_t i = 0; ok && i < profile->waits.n; i++) {
		const struct prof_wait *wait = &profile->waits.data[i];
		const struct ana_wait_place place = place_of(c, wait->sample);
		const struct waits waits = { ana_wait_kind_in_state(place.kind, wait->state),
			place.symbol, wait->n_blocked, wait->blocked_ns };

		ok = add(c, &waits);
	}
	return ok;
}

/* Add waits that were recorded as a whole, if the ledger has nothing else. */
static bool add_samples(struct counter *c)
{
	const struct profile *profile = c->places.profile;
	struct prof_event_id event = ana_wait_event(profile);
	bool ok = true;

	for (size_t i = 0; i < profile->ledgers.n; i++) {
		if (profile->ledgers.data[i].has_switches)
			return true;
	}
	if (prof_is_none(event) || !ana_wait_has_time(profile, event))
		return true;
	for (struct prof_sample_id id = { 0 }; ok && id.i < profile->samples.n; id.i++) {
		const struct ana_wait_place place = place_of(c, id);
		const struct prof_value *value = prof_value(profile, id);
		const struct waits waits = { place.kind, place.symbol, value->samples,
			value->period };

		ok = !prof_same_event(prof_sample(profile, id)->event, event) || add(c, &waits);
	}
	return ok;
}

/* The comparison ends with an identity. */
static int compare(const void *a, const void *b)
{
	const struct ana_blocked_row *x = a;
	const struct ana_blocked_row *y = b;

	if (x->ns != y->ns)
		return x->ns > y->ns ? -1 : 1;
	if (x->symbol != y->symbol)
		return x->symbol < y->symbol ? -1 : 1;
	return (int)x->kind - (int)y->kind;
}

struct pd_error *ana_blocked_count(
	const struct profile *profile, const struct ana_symbols *symbols, struct ana_blocked *ret)
{
	struct counter c = { .ret = ret };

	*ret = (struct ana_blocked){ 0 };
	for (size_t i = 0; i < profile->ledger_threads.n; i++)
		ret->whole += profile->ledger_threads.data[i].ns[PROF_LEDGER_BLOCKED];
	ret->unknown = ret->whole;
	bool ok = ana_wait_places_create(profile, symbols, &c.places) && add_switches(&c) &&
		  add_samples(&c);
	ana_wait_places_deinit(&c.places);
	base_map_deinit(&c.index);
	if (!ok) {
		ana_blocked_deinit(ret);
		return &pd_enomem;
	}
	if (ret->list.n)
		qsort(ret->list.data, ret->list.n, sizeof(*ret->list.data), compare);
	return NULL;
}

void ana_blocked_deinit(struct ana_blocked *blocked)
{
	pd_vec_deinit(&blocked->list);
}

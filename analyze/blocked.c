#include "analyze/blocked.h"

#include <stdlib.h>

#include "base/map.h"

static bool add(struct ana_blocked *ret, struct base_map *index,
	const struct ana_wait_places *places, const struct prof_wait *wait)
{
	const struct prof_sample *sample = prof_sample(places->profile, wait->sample);
	const struct ana_wait_place place = ana_wait_place(places, sample->stack);
	const struct ana_blocked_row fresh = {
		.kind = ana_wait_kind_in_state(place.kind, wait->state),
		.symbol = place.symbol,
	};
	bool is_new;

	/* Nothing is said by a stack like that of a switch without a call chain. */
	if (!wait->blocked_ns || (fresh.kind == ANA_WAIT_OTHER && fresh.symbol == PROF_NONE))
		return true;
	uint64_t *at = base_map_add(index, (uint64_t)fresh.kind << 32 | fresh.symbol, &is_new);
	if (!at)
		return false;
	if (is_new) {
		*at = ret->list.n;
		if (!pd_vec_push(&ret->list, fresh))
			return false;
	}
	ret->list.data[*at].n += wait->n_blocked;
	ret->list.data[*at].ns += wait->blocked_ns;
	ret->unknown -= wait->blocked_ns < ret->unknown ? wait->blocked_ns : ret->unknown;
	return true;
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
	struct ana_wait_places places;
	struct base_map index = { 0 };

	*ret = (struct ana_blocked){ 0 };
	for (size_t i = 0; i < profile->ledger_threads.n; i++)
		ret->whole += profile->ledger_threads.data[i].ns[PROF_LEDGER_BLOCKED];
	ret->unknown = ret->whole;
	bool ok = ana_wait_places_create(profile, symbols, &places);
	for (size_t i = 0; ok && i < profile->waits.n; i++)
		ok = add(ret, &index, &places, &profile->waits.data[i]);
	ana_wait_places_deinit(&places);
	base_map_deinit(&index);
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

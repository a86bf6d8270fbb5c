#include "analyze/waits/wakers.h"

#include <stdlib.h>

#include "base/containers/intern.h"

bool ana_has_wakers(const struct profile *profile)
{
	for (size_t i = 0; i < profile->waits.n; i++) {
		if (profile->waits.data[i].woken_by != PROF_WOKEN_UNKNOWN)
			return true;
	}
	return false;
}

static struct ana_waker describe(const struct ana_wait_places *places, const struct prof_wait *wait)
{
	const struct profile *profile = places->profile;
	const struct ana_wait_place place =
		ana_wait_place(places, prof_sample(profile, wait->sample)->stack);
	struct ana_waker row = {
		.kind = ana_wait_kind_in_state(place.kind, wait->state),
		.place = place.symbol,
		.woken_by = wait->woken_by,
		.interrupt = wait->interrupt,
		.comm = prof_no_string(),
		.waker_place = PROF_NONE,
	};

	if (wait->woken_by == PROF_WOKEN_BY_SAMPLE) {
		const struct prof_sample *waker = prof_sample(profile, wait->waker);

		row.comm = prof_thread(profile, waker->thread)->comm;
		row.waker_place = ana_wait_place(places, waker->stack).symbol;
	}
	return row;
}

/* Add the waits of @p wait to their row. @p rows are the identities of the list. */
static bool add(struct base_intern *rows, const struct ana_waker *row, const struct prof_wait *wait,
	struct ana_wakers *ret)
{
	const uint32_t key[] = { row->kind, row->place, row->woken_by, row->comm.i,
		row->waker_place, row->interrupt.i };
	uint32_t at = base_intern_add(rows, key, sizeof(key));

	if (at == PD_INTERN_NONE || (at == ret->list.n && !pd_vec_push(&ret->list, *row)))
		return false;
	ret->list.data[at].n += wait->n;
	ret->list.data[at].ns += wait->total_ns;
	ret->ns += wait->total_ns;
	return true;
}

/* The comparison ends with an identity. */
static int compare(const void *a, const void *b)
{
	const struct ana_waker *x = a;
	const struct ana_waker *y = b;

	if (x->ns != y->ns)
		return x->ns > y->ns ? -1 : 1;
	if (x->place != y->place)
		return x->place < y->place ? -1 : 1;
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	if (x->comm.i != y->comm.i)
		return x->comm.i < y->comm.i ? -1 : 1;
	if (x->waker_place != y->waker_place)
		return x->waker_place < y->waker_place ? -1 : 1;
	if (x->interrupt.i != y->interrupt.i)
		return x->interrupt.i < y->interrupt.i ? -1 : 1;
	return (int)x->woken_by - (int)y->woken_by;
}

static bool count_all(const struct ana_wait_places *places, struct ana_wakers *ret)
{
	const struct profile *profile = places->profile;
	struct base_intern rows = { .width = 6 * sizeof(uint32_t) };
	bool ok = true;

	for (size_t i = 0; ok && i < profile->waits.n; i++) {
		const struct prof_wait *wait = &profile->waits.data[i];
		const struct ana_waker row = describe(places, wait);

		ok = !ana_is_ended_by_waker(wait) || add(&rows, &row, wait, ret);
	}
	base_intern_deinit(&rows);
	if (ok && ret->list.n)
		qsort(ret->list.data, ret->list.n, sizeof(*ret->list.data), compare);
	return ok;
}

struct pd_error *ana_wakers_count(
	const struct profile *profile, const struct ana_symbols *symbols, struct ana_wakers *ret)
{
	struct ana_wait_places places;

	*ret = (struct ana_wakers){ 0 };
	if (!ana_has_wakers(profile))
		return NULL;
	bool ok = ana_wait_places_create(profile, symbols, &places) && count_all(&places, ret);
	ana_wait_places_deinit(&places);
	if (ok)
		return NULL;
	ana_wakers_deinit(ret);
	return &pd_enomem;
}

void ana_wakers_deinit(struct ana_wakers *wakers)
{
	pd_vec_deinit(&wakers->list);
}

#include "output/account.h"

#include <stdlib.h>

void out_accounts_deinit(struct out_accounts *accounts)
{
	pd_vec_deinit(&accounts->events);
	pd_vec_deinit(&accounts->threads);
	pd_vec_deinit(&accounts->worst_threads);
}

static void add(struct prof_value *to, const struct prof_value *value)
{
	to->samples += value->samples;
	to->period += value->period;
}

static void enter(struct out_account *account, uint32_t end, const struct prof_value *value)
{
	add(&account->walked, value);
	add(&account->ends[end], value);
}

static bool make_room(const struct profile *profile, struct out_accounts *accounts)
{
	const struct out_account none = { 0 };

	for (size_t i = 0; i < profile->events.n; i++) {
		if (!pd_vec_push(&accounts->events, none))
			return false;
	}
	for (size_t i = 0; i < profile->threads.n; i++) {
		if (!pd_vec_push(&accounts->threads, none))
			return false;
	}
	return true;
}

static void add_samples(const struct profile *profile, struct out_accounts *accounts)
{
	for (uint32_t i = 0; i < profile->samples.n; i++) {
		const struct prof_sample *sample = profile_sample(profile, i);
		const struct prof_value *value = &profile->values.data[i];

		if (sample->end >= UNW_N_ENDS)
			continue;
		enter(&accounts->all, sample->end, value);
		enter(&accounts->events.data[sample->event], sample->end, value);
		enter(&accounts->threads.data[sample->thread], sample->end, value);
	}
}

static int compare_threads(const void *a, const void *b, void *threads)
{
	const struct out_account *list = threads;
	uint32_t x = *(const uint32_t *)a;
	uint32_t y = *(const uint32_t *)b;
	uint64_t n_x = out_account_not_rooted(&list[x]);
	uint64_t n_y = out_account_not_rooted(&list[y]);

	if (n_x != n_y)
		return n_x > n_y ? -1 : 1;
	return x < y ? -1 : x > y;
}

static bool sort_threads(struct out_accounts *accounts)
{
	for (uint32_t i = 0; i < accounts->threads.n; i++) {
		if (out_account_not_rooted(&accounts->threads.data[i]) &&
			!pd_vec_push(&accounts->worst_threads, i))
			return false;
	}
	if (accounts->worst_threads.n)
		qsort_r(accounts->worst_threads.data, accounts->worst_threads.n, sizeof(uint32_t),
			compare_threads, accounts->threads.data);
	return true;
}

struct pd_error *out_accounts_make(const struct profile *profile, struct out_accounts *ret)
{
	bool is_complete;

	*ret = (struct out_accounts){ 0 };
	is_complete = make_room(profile, ret);
	if (is_complete) {
		add_samples(profile, ret);
		is_complete = sort_threads(ret);
	}
	if (is_complete)
		return NULL;
	out_accounts_deinit(ret);
	*ret = (struct out_accounts){ 0 };
	return &pd_enomem;
}

double out_account_rooted(const struct out_account *account)
{
	if (!account->walked.samples)
		return 0;
	return (double)account->ends[UNW_END_ROOT].samples / (double)account->walked.samples;
}

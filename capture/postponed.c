#include "capture/postponed.h"

void cap_postponed_deinit(struct cap_postponed *postponed)
{
	pd_map_deinit(&postponed->pids);
	pd_vec_deinit(&postponed->seen);
	postponed->n_taken = 0;
}

struct pd_error *cap_postponed_add(struct cap_postponed *postponed, uint32_t pid)
{
	/* Reserve the place in seen as well, so that noting it later cannot fail. */
	if (!pd_map_add(&postponed->pids, pid, NULL) ||
		!pd_vec_reserve(&postponed->seen, postponed->pids.n))
		return &pd_enomem;
	return NULL;
}

void cap_postponed_note(struct cap_postponed *postponed, uint32_t pid)
{
	uint64_t *is_seen = pd_map_find(&postponed->pids, pid);

	if (!is_seen || *is_seen)
		return;
	*is_seen = 1;
	postponed->seen.data[postponed->seen.n++] = pid;
}

bool cap_postponed_take(struct cap_postponed *postponed, uint32_t *ret)
{
	if (postponed->n_taken == postponed->seen.n)
		return false;
	*ret = postponed->seen.data[postponed->n_taken++];
	return true;
}

size_t cap_postponed_n_unseen(const struct cap_postponed *postponed)
{
	return postponed->pids.n - postponed->seen.n;
}

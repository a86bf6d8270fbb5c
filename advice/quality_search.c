#include "advice/quality_search.h"

#include "base/cleanup.h"

static void find(void *ctx, size_t worker, size_t item)
{
	struct advice_quality_search *search = ctx;

	(void)worker;
	(void)item;
	search->err = advice_quality_find(search->profile, search->counts_names, &search->quality);
}

struct pd_error *advice_quality_search_start(const struct profile *profile, bool counts_names,
	size_t jobs, struct advice_quality_search *ret)
{
	*ret = (struct advice_quality_search){ .profile = profile, .counts_names = counts_names };
	struct pd_error *err = base_pool_create(jobs == 1 ? 1 : 2, &ret->pool);

	if (!err)
		base_pool_start(ret->pool, 1, find, ret);
	return err;
}

struct pd_error *advice_quality_search_finish(
	struct advice_quality_search *search, struct pd_error *err)
{
	base_pool_finish(search->pool);
	base_pool_destroy(take_ptr(search->pool));
	struct pd_error *own = take_ptr(search->err);

	if (err)
		pd_error_destroy(own);
	return err ? err : own;
}

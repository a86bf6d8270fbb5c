#include "advice/quality.h"

#include "base/cleanup.h"

/* Names are not missed if they were not requested: then every frame lacks one. */
static struct pd_error *find(
	const struct profile *profile, bool counts_names, struct advice_quality *ret)
{
	struct pd_error *err = advice_unwind_summary_create(profile, &ret->unwinds);

	if (err)
		return err;
	ret->has_names = counts_names && profile->frame_lines.n;
	if (ret->has_names)
		err = advice_unnamed_count(profile, &ret->unnamed);
	if (err)
		return err;
	err = advice_lacks_count(profile, &ret->lacks);
	if (err)
		return err;
	return advice_hints_find(profile, &ret->unwinds, &ret->lacks,
		ret->has_names ? &ret->unnamed : NULL, &ret->hints);
}

struct pd_error *advice_quality_find(
	const struct profile *profile, bool counts_names, struct advice_quality *ret)
{
	*ret = (struct advice_quality){ 0 };
	struct pd_error *err = find(profile, counts_names, ret);

	if (err)
		advice_quality_deinit(ret);
	return err;
}

void advice_quality_deinit(struct advice_quality *quality)
{
	advice_hints_deinit(&quality->hints);
	advice_lacks_deinit(&quality->lacks);
	advice_unnamed_deinit(&quality->unnamed);
	advice_unwind_summary_deinit(&quality->unwinds);
}

uint64_t advice_quality_n_stacks(const struct advice_quality *quality)
{
	return quality->unwinds.all.walked.samples + quality->lacks.chains.n;
}

uint64_t advice_quality_n_rooted(const struct advice_quality *quality)
{
	const struct advice_chains *chains = &quality->lacks.chains;

	return quality->unwinds.all.ends[PD_UNWIND_END_ROOT].samples + chains->n - chains->n_cut;
}

uint32_t advice_quality_captured_bytes(const struct profile *profile)
{
	uint32_t most = 0;

	for (size_t i = 0; i < profile->events.n; i++) {
		if (profile->events.data[i].total.samples &&
			profile->events.data[i].stack_bytes > most)
			most = profile->events.data[i].stack_bytes;
	}
	return most;
}

static void search_for(void *ctx, size_t worker, size_t item)
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
		base_pool_start(ret->pool, 1, search_for, ret);
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

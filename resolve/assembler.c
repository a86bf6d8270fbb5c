#include "resolve/assembler_private.h"

#include "profile/ahead.h"
#include "resolve/detail.h"

void resolve_assembler_end(struct resolve_assembler *a)
{
	if (a->firsts.cap)
		pd_account_release(
			a->tally->table.account, a->firsts.cap * sizeof(*a->firsts.data));
	pd_vec_deinit(&a->firsts);
}

void resolve_assembler_deinit(struct resolve_assembler *assembler)
{
	pd_vec_deinit(&assembler->settled);
	resolve_assembler_end(assembler);
	resolve_traces_deinit(&assembler->traces);
	pd_vec_deinit(&assembler->repeat_tags);
	pd_vec_deinit(&assembler->chain);
	pd_vec_deinit(&assembler->prepared);
	pd_vec_deinit(&assembler->pcs);
	pd_vec_deinit(&assembler->user);
	pd_callchain_deinit(&assembler->recorded);
	resolve_stitcher_destroy(assembler->stitcher);
}

/* Count the reason why the unwind ended for the binary in which it ended. */
static void count_end(struct resolve_assembler *a, const struct resolve_item *item)
{
	const struct resolve_module *module = (const struct resolve_module *)item->stack.end_module;

	if (!module || prof_is_none(module->binary->profile_id))
		return;
	struct prof_value *value =
		&a->profile->binaries.data[module->binary->profile_id.i].ends[item->stack.end];
	for (size_t i = 0; i < item->counts.n; i++) {
		value->samples++;
		value->period += item->counts.data[i].period;
	}
}

/* Add the tags of the sample. *ret refers to nothing if it has none. */
static struct pd_error *add_tags(
	struct resolve_assembler *a, const struct resolve_item *item, struct prof_tags_id *ret)
{
	*ret = prof_no_tags();
	if (!assembler_wants_tags(a))
		return NULL;
	const struct prof_tags tags = assembler_tags(a, item);
	*ret = prof_add_tags(a->profile, &tags);
	return prof_is_none(*ret) ? &pd_enomem : NULL;
}

static struct pd_error *add_item(struct resolve_assembler *a, struct resolve_item *item)
{
	struct resolve_chain chain;

	a->chain.n = a->pcs.n = a->user.n = 0;
	struct pd_error *err = assembler_join(a, item, &chain);
	if (err)
		return err;
	chain.pcs = a->pcs.data;
	struct prof_sample sample = {
		.stack = prof_add_stack(a->profile, a->chain.data, a->chain.n),
		.thread = item->thread,
		.end = chain.end,
	};
	if (prof_is_none(sample.stack))
		return &pd_enomem;
	err = add_tags(a, item, &sample.tags);
	if (err)
		return err;
	if (item->has_walk)
		count_end(a, item);
	a->sources[chain.source]++;
	if (a->opts->on_sample)
		a->opts->on_sample(a->opts->ctx, a->profile, &item->sample, &chain);
	struct assembler_addresses addresses = { .pcs = prof_no_pcs(), .n_user = a->user.n };
	if (prof_keeps_addresses(&a->opts->request)) {
		addresses.pcs = prof_add_pcs(a->profile, a->pcs.data, a->pcs.n);
		if (prof_is_none(addresses.pcs))
			return &pd_enomem;
	}
	return assembler_add_samples(a, item, chain.source, &addresses, &sample);
}

/* Whether items can be added in groups. A callback sees the profile after each sample. */
static bool can_group(const struct resolve_assembler *a)
{
	return !a->opts->on_sample;
}

static bool has_only_plain_rows(const struct resolve_assembler *a)
{
	for (size_t i = 0; i < a->file->events.list.n; i++) {
		if (!resolve_has_plain_rows(&a->opts->request, &a->file->events.list.data[i]))
			return false;
	}
	return true;
}

bool resolve_assembler_is_independent(const struct resolve_assembler *a)
{
	/*
	 * Rows of tracepoints have texts, which belong to the thread that reads, as the paths of
	 * control groups do. A stream may add events, which moves them, and so does a new wait with
	 * the others.
	 */
	return can_group(a) && !(a->opts->request.tags >> PROF_TAG_CGROUP & 1) &&
	       has_only_plain_rows(a) && !a->opts->stitch && !a->file->is_pipe && !a->switches;
}

/* Whether all frames of the items are entries of call chains, or instruction pointers. */
static bool are_recorded(const struct resolve_item *items, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (items[i].has_walk || items[i].has_calls)
			return false;
	}
	return true;
}

/* Items that are added together, so that their cache misses overlap. */
struct group {
	struct resolve_item *items;
	size_t n;
	struct resolve_chain chains[PROF_GROUP];
	/** Ends of the stacks in a->chain, of their addresses in a->pcs, and in a->user. */
	size_t ends[PROF_GROUP];
	size_t pc_ends[PROF_GROUP];
	size_t user_ends[PROF_GROUP];
	struct prof_stack_id stacks[PROF_GROUP];
	struct prof_pcs_id pcs[PROF_GROUP];
	struct prof_tags_id tags[PROF_GROUP];
	struct prof_sample samples[PROF_GROUP];
};

static struct pd_error *assemble_group(struct resolve_assembler *a, struct group *group)
{
	struct pd_error *err = NULL;

	a->chain.n = a->pcs.n = a->user.n = 0;
	/* Chains that are cut end with a mark, which is not prepared. */
	a->is_preparing = !a->opts->max_stack && are_recorded(group->items, group->n);
	for (size_t i = 0; i < group->n && !err; i++) {
		err = assembler_join(a, &group->items[i], &group->chains[i]);
		group->ends[i] = a->chain.n;
		group->pc_ends[i] = a->pcs.n;
		group->user_ends[i] = a->user.n;
	}
	if (!err && a->is_preparing)
		err = resolve_frames_add_prepared(
			a->frames, a->prepared.data, a->chain.n, a->chain.data);
	a->is_preparing = false;
	return err;
}

static struct pd_error *add_stacks(struct resolve_assembler *a, struct group *group)
{
	if (!prof_add_stacks(a->profile, a->chain.data, group->ends, group->n, group->stacks))
		return &pd_enomem;
	for (size_t i = 0; i < group->n; i++)
		group->pcs[i] = prof_no_pcs();
	if (prof_keeps_addresses(&a->opts->request) &&
		!prof_add_pcs_lists(a->profile, a->pcs.data, group->pc_ends, group->n, group->pcs))
		return &pd_enomem;
	return NULL;
}

/* Add the tags of all items. */
static struct pd_error *add_group_tags(struct resolve_assembler *a, struct group *group)
{
	struct prof_tags tags[PROF_GROUP];

	for (size_t i = 0; i < group->n; i++)
		group->tags[i] = prof_no_tags();
	if (!assembler_wants_tags(a))
		return NULL;
	for (size_t i = 0; i < group->n; i++)
		tags[i] = assembler_tags(a, &group->items[i]);
	return prof_add_tags_list(a->profile, tags, group->n, group->tags) ? NULL : &pd_enomem;
}

/* Find the sample of item @p i. */
static void find_sample(struct resolve_assembler *a, struct group *group, size_t i)
{
	const struct resolve_item *item = &group->items[i];
	const struct resolve_chain *chain = &group->chains[i];
	struct prof_sample *sample = &group->samples[i];

	*sample = (struct prof_sample){
		.stack = group->stacks[i],
		.thread = item->thread,
		.tags = group->tags[i],
		.end = chain->end,
	};
	if (item->counts.n)
		sample->event = item->counts.data[0].event;
	if (item->has_walk)
		count_end(a, item);
	a->sources[chain->source]++;
	prof_load_sample(a->profile, sample);
}

/* Add the samples and rows of item @p i. */
static struct pd_error *add_grouped(struct resolve_assembler *a, struct group *group, size_t i)
{
	size_t first_user = i ? group->user_ends[i - 1] : 0;
	const struct assembler_addresses addresses = {
		.pcs = group->pcs[i],
		.first_user = first_user,
		.n_user = group->user_ends[i] - first_user,
	};

	return assembler_add_samples(
		a, &group->items[i], group->chains[i].source, &addresses, &group->samples[i]);
}

/* Add @p n items, at most PROF_GROUP, like add_item(). */
static struct pd_error *add_group(struct resolve_assembler *a, struct resolve_item *items, size_t n)
{
	struct group group;

	group.items = items;
	group.n = n;
	struct pd_error *err = assemble_group(a, &group);
	if (!err)
		err = add_stacks(a, &group);
	if (!err)
		err = add_group_tags(a, &group);
	for (size_t i = 0; i < n && !err; i++)
		find_sample(a, &group, i);
	for (size_t i = 0; i < n && !err; i++)
		prof_load_first_sample(a->profile, &group.samples[i]);
	for (size_t i = 0; i < n && !err; i++)
		err = add_grouped(a, &group, i);
	return err;
}

static struct pd_error *stitch(struct resolve_assembler *a, struct resolve_batch *batch)
{
	struct pd_error *err =
		a->stitcher ? NULL
			    : resolve_stitcher_create(a->file, a->frames, a->witness, &a->stitcher);

	if (err)
		return err;
	return a->is_survey ? resolve_stitcher_survey(a->stitcher, batch)
			    : resolve_stitch(a->stitcher, batch);
}

/* Return how many of the next @p n items, at least 1, can be added together. */
static size_t next_group(
	const struct resolve_assembler *a, const struct resolve_item *items, size_t n)
{
	const struct pd_event *plain = NULL;
	size_t ret = 0;

	if (!can_group(a))
		return 1;
	for (; ret < n && ret < PROF_GROUP; ret++) {
		const struct pd_event *event = assembler_event(a, &items[ret]);

		if (event != plain && !resolve_has_plain_rows(&a->opts->request, event))
			break;
		plain = event;
	}
	return ret ? ret : 1;
}

struct pd_error *resolve_assemble(struct resolve_assembler *a, struct resolve_batch *batch)
{
	struct pd_error *err = a->opts->stitch ? stitch(a, batch) : NULL;

	if (err || a->is_survey)
		return err;
	a->batch = batch;
	a->n_repeats = 0;
	err = assembler_add_repeat_tags(a);
	for (size_t i = 0, n = 0; i < batch->n && !err; i += n) {
		n = next_group(a, &batch->items[i], batch->n - i);
		err = n == 1 ? add_item(a, &batch->items[i]) : add_group(a, &batch->items[i], n);
	}
	return err ? err : assembler_add_repeats(a, batch->n);
}

void resolve_assembler_settle(struct resolve_assembler *a)
{
	struct prof_stats *stats = &a->profile->stats;

	for (size_t i = 0; i < PROF_N_STACK_SOURCES; i++) {
		stats->sources[i] += a->sources[i];
		a->sources[i] = 0;
	}
	stats->n_frames += a->n_frames;
	stats->n_fp_frames += a->n_fp_frames;
	a->n_frames = a->n_fp_frames = 0;
	resolve_tally_settle(a->tally, a->settled.data, a->settled.n);
	a->settled.n = 0;
}

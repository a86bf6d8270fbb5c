#include "resolve/batch/assembler.h"

#include "parse/open_file.h"
#include "profile/ahead.h"
#include "resolve/batch/assembler_rows.h"
#include "resolve/batch/plain.h"

static void free_firsts(struct resolve_assembler *a)
{
	if (a->firsts.cap)
		base_account_release(a->account, a->firsts.cap * sizeof(*a->firsts.data));
	pd_vec_deinit(&a->firsts);
}

/* A table of the tally is complete, and rows after it are those of another one. */
static void move_counts(struct resolve_assembler *a, const struct resolve_tally_table *table)
{
	resolve_tally_move(table, a->firsts.data, a->profile);
	a->firsts.n = 0;
}

static void link_samples(struct resolve_assembler *a)
{
	for (size_t i = 0; i < a->links.n; i++) {
		const struct resolve_link *link = &a->links.data[i];

		if (a->switches)
			resolve_switches_link(a->switches, link->waits, link->sample);
		if (a->intervals)
			led_intervals_set_stack(a->intervals, link->beginning, link->stack);
	}
	pd_vec_deinit(&a->links);
}

void resolve_assembler_end(struct resolve_assembler *a)
{
	struct prof_stats *stats = &a->profile->stats;

	link_samples(a);
	move_counts(a, &a->tally->table);
	free_firsts(a);
	for (size_t i = 0; i < PROF_N_STACK_ORIGINS; i++)
		stats->origins[i] += a->origins[i];
}

void resolve_assembler_deinit(struct resolve_assembler *assembler)
{
	free_firsts(assembler);
	pd_vec_deinit(&assembler->group.repeats);
	pd_vec_deinit(&assembler->links);
	for (size_t i = 0; i < PROF_GROUP; i++)
		pd_vec_deinit(&assembler->plain_items[i].counts);
}

bool resolve_assembler_is_independent(const struct resolve_assembler *a)
{
	/* A stream may add events, which moves them. Callbacks look at the profile. */
	return !a->opts->on_sample && !a->file->is_pipe;
}

/* Results of each step for the items of the group. */
struct steps {
	size_t n;
	/** Their stacks in batch->joined. */
	const struct resolve_joined_stack *joined;
	struct prof_stack_id stacks[PROF_GROUP];
	struct prof_pcs_id pcs[PROF_GROUP];
	struct prof_tags_id tags[PROF_GROUP];
	struct prof_sample samples[PROF_GROUP];
};

/* The part of a list from element @p i on; NULL if it is empty. */
#define FROM(list, i) ((i) < (list).n ? (list).data + (i) : NULL)

static struct pd_error *add_stacks(struct resolve_assembler *a, struct steps *steps)
{
	const struct resolve_joined *joined = &a->batch->joined;
	struct resolve_joined_stack start = resolve_joined_start(joined, steps->joined);
	size_t ends[PROF_GROUP], pc_ends[PROF_GROUP];
	size_t n = steps->n;

	for (size_t i = 0; i < n; i++) {
		ends[i] = steps->joined[i].end - start.end;
		pc_ends[i] = steps->joined[i].pc_end - start.pc_end;
		steps->pcs[i] = prof_no_pcs();
	}
	if (!prof_add_stacks(a->profile, FROM(joined->frames, start.end), ends, n, steps->stacks))
		return &pd_enomem;
	if (prof_keeps_addresses(&a->opts->request) &&
		!prof_add_pcs_lists(
			a->profile, FROM(joined->pcs, start.pc_end), pc_ends, n, steps->pcs))
		return &pd_enomem;
	return NULL;
}

/* Add the tags of all items. */
static struct pd_error *add_group_tags(struct resolve_assembler *a, struct steps *steps)
{
	for (size_t i = 0; i < steps->n; i++) {
		steps->tags[i] = prof_no_tags();
		if (!assembler_wants_tags(a))
			continue;
		const struct prof_tags tags = assembler_tags(a, a->group.items[i]);
		steps->tags[i] = prof_add_tags(a->profile, &tags);
		if (prof_is_none(steps->tags[i]))
			return &pd_enomem;
	}
	return NULL;
}

static void call_back(struct resolve_assembler *a, const struct steps *steps, size_t i)
{
	const struct resolve_joined *joined = &a->batch->joined;
	const struct resolve_joined_stack *stack = &steps->joined[i];
	const struct resolve_joined_stack start = resolve_joined_start(joined, stack);
	const struct resolve_chain chain = {
		.pcs = FROM(joined->pcs, start.pc_end),
		.frames = FROM(joined->frames, start.end),
		.n = stack->end - start.end,
		.n_system = stack->n_system,
		.origin = stack->origin,
		.end = stack->unwind_end,
	};

	a->opts->on_sample(a->opts->ctx, a->profile, &a->group.items[i]->sample, &chain);
}

/* Find the sample of item @p i. */
static void find_sample(struct resolve_assembler *a, struct steps *steps, size_t i)
{
	const struct resolve_item *item = a->group.items[i];
	struct prof_sample *sample = &steps->samples[i];

	*sample = (struct prof_sample){
		.stack = steps->stacks[i],
		.thread = item->thread,
		.tags = steps->tags[i],
		.end = steps->joined[i].unwind_end,
	};
	if (item->counts.n)
		sample->event = item->counts.data[0].event;
	a->origins[steps->joined[i].origin]++;
	prof_load_sample(a->profile, sample);
	if (a->opts->on_sample)
		call_back(a, steps, i);
}

/* Add the samples and rows of item @p i, and of the repeats before it. */
static struct pd_error *add_grouped(struct resolve_assembler *a, struct steps *steps, size_t i)
{
	const struct resolve_joined *joined = &a->batch->joined;
	const struct resolve_joined_stack *stack = &steps->joined[i];
	size_t first_user = resolve_joined_start(joined, stack).user_end;
	const struct assembler_addresses addresses = {
		.pcs = steps->pcs[i],
		.user = FROM(joined->user, first_user),
		.n_user = stack->user_end - first_user,
	};

	return assembler_add_samples(a, i, stack, &addresses, &steps->samples[i]);
}

/* Add the items of the group, and the repeats before each. */
static struct pd_error *add_items(struct resolve_assembler *a)
{
	size_t n = a->group.n;
	struct steps steps;

	if (!n)
		return NULL;
	steps.n = n;
	steps.joined = a->batch->joined.stacks.data + a->n_joined;
	a->n_joined += n;
	struct pd_error *err = add_stacks(a, &steps);

	if (!err)
		err = add_group_tags(a, &steps);
	for (size_t i = 0; i < n && !err; i++)
		find_sample(a, &steps, i);
	for (size_t i = 0; i < n && !err; i++)
		prof_load_first_sample(a->profile, &steps.samples[i]);
	for (size_t i = 0; i < n && !err; i++)
		err = add_grouped(a, &steps, i);
	return err;
}

/* Add the samples of the group, and empty it. */
static struct pd_error *add_group(struct resolve_assembler *a)
{
	struct resolve_group *group = &a->group;
	struct pd_error *err = add_items(a);

	if (!err)
		err = assembler_add_repeats(a, group->n);
	group->n = group->repeats.n = group->n_repeats_added = 0;
	return err;
}

/* Append @p item to the group. */
static struct pd_error *push_item(struct resolve_assembler *a, struct resolve_item *item)
{
	struct resolve_group *group = &a->group;

	group->items[group->n++] = item;
	return group->n == PROF_GROUP ? add_group(a) : NULL;
}

/* Append a plain sample that is new. With a callback, samples are not plain. */
static struct pd_error *push_plain(struct resolve_assembler *a, size_t i)
{
	struct resolve_item *item = &a->plain_items[a->group.n];
	struct pd_error *err = resolve_plain_item(a->batch, &a->batch->plain[i], item);

	if (err)
		return err;
	item->is_tallied = a->batch->rows[i] != RESOLVE_TALLY_NO_ROW;
	return push_item(a, item);
}

/* Append plain sample @p i, which equals an earlier one. */
static struct pd_error *push_repeat(struct resolve_assembler *a, size_t i)
{
	struct resolve_group *group = &a->group;
	const struct resolve_repeat repeat = {
		.plain = &a->batch->plain[i],
		.row = a->batch->rows[i],
		.n_before = (uint32_t)group->n,
	};

	return pd_vec_push(&group->repeats, repeat) ? NULL : &pd_enomem;
}

/* Append the plain samples before @p end: those that are new, and repeats. */
static struct pd_error *push_plain_until(struct resolve_assembler *a, size_t end)
{
	const struct resolve_batch *batch = a->batch;
	struct pd_error *err = NULL;

	while (!err && a->n_plain < end) {
		size_t fresh = a->n_fresh < batch->n_fresh ? batch->fresh[a->n_fresh] : end;

		if (!a->has_repeats && a->n_plain < fresh)
			a->n_plain = fresh < end ? fresh : end;
		if (a->n_plain == end)
			break;
		size_t i = a->n_plain++;
		a->n_fresh += i == fresh;
		err = i == fresh ? push_plain(a, i) : push_repeat(a, i);
	}
	return err;
}

/* The number of plain samples that precede item @p i of the batch. */
static size_t plain_before(const struct resolve_assembler *a, size_t i)
{
	const struct resolve_batch *batch = a->batch;
	size_t n = a->n_plain;

	while (n < batch->n_plain && batch->plain[n].n_before <= i)
		n++;
	return n;
}

struct pd_error *resolve_assemble(struct resolve_assembler *a, struct resolve_batch *batch)
{
	struct pd_error *err = NULL;

	a->batch = batch;
	a->n_plain = a->n_fresh = a->n_joined = 0;
	if (batch->full.n) {
		move_counts(a, &batch->full);
		resolve_tally_table_deinit(&batch->full);
	}
	for (size_t i = 0; i < batch->n && !err; i++) {
		struct resolve_item *item = &batch->items[i];

		err = push_plain_until(a, plain_before(a, i));
		if (!err)
			err = push_item(a, item);
	}
	if (!err)
		err = push_plain_until(a, batch->n_plain);
	return err ? err : add_group(a);
}

#include "resolve/batch/assembler_rows.h"

#include "base/prefetch.h"
#include "ledger/intervals.h"
#include "parse/open_file.h"
#include "profile/ahead.h"
#include "resolve/batch/detail.h"

static bool has_field(const struct pd_event *event, enum pd_sample_bit bit)
{
	return event->attr.sample_type >> bit & 1;
}

static uint32_t cpu_of(const struct pd_event *event, const struct resolve_item *item)
{
	return has_field(event, PD_SAMPLE_CPU) ? item->sample.cpu : PROF_NONE;
}

/* Keep the user part of an unwound stack. Other stacks stay in the recording as they are. */
static struct pd_error *keep_chain(struct resolve_assembler *a, const struct resolve_item *item,
	const struct assembler_addresses *addresses, struct prof_origin *ret)
{
	ret->chain = prof_no_pcs();
	if (!item->has_walk || !item->stack.frames.n || !addresses->n_user)
		return NULL;
	ret->chain = prof_add_pcs(a->profile, addresses->user, addresses->n_user);
	return prof_is_none(ret->chain) ? &pd_enomem : NULL;
}

/* Add the origin of the rows of the item, which have been added. */
static struct pd_error *add_origins(struct resolve_assembler *a, const struct resolve_item *item,
	const struct assembler_addresses *addresses)
{
	struct profile *profile = a->profile;
	struct prof_origin origin = {
		.key = { item->rec.offset, item->rec.part, item->rec.ordinal },
	};
	struct pd_error *err = keep_chain(a, item, addresses, &origin);

	while (!err && profile->origins.n < profile->rows.n)
		err = base_spill_push(&profile->origins, origin);
	return err;
}

bool assembler_wants_tags(const struct resolve_assembler *a)
{
	return a->opts->request.tags & ~(1U << PROF_TAG_TIME) || a->opts->input ||
	       !prof_is_none(a->facts->labels);
}

static bool is_wanted(const struct resolve_assembler *a, enum prof_tag tag)
{
	return a->opts->request.tags >> tag & 1;
}

/* The time that keeps a sample of the time @p time apart; PD_NO_TIME: none does. */
static uint64_t time_apart(const struct resolve_assembler *a, uint64_t time)
{
	return is_wanted(a, PROF_TAG_TIME) ? time : PD_NO_TIME;
}

/*
 * Set all tags but the control group. Samples with different tags are not added up, so only
 * requested ones are set. @p cpu: PROF_NONE if not sampled.
 */
static struct prof_tags make_tags(const struct resolve_assembler *a, uint32_t cpu)
{
	return (struct prof_tags){
		.cpu = is_wanted(a, PROF_TAG_CPU) ? cpu : PROF_NONE,
		.labels = a->facts->labels,
		.input = a->facts->input,
	};
}

struct prof_tags assembler_tags(const struct resolve_assembler *a, const struct resolve_item *item)
{
	const struct pd_event *event = resolve_item_event(a->file, item);
	struct prof_tags ret = make_tags(a, cpu_of(event, item));

	ret.cgroup = item->cgroup;
	ret.parallelism = item->parallelism;
	return ret;
}

/*
 * Add the same details for each row of the item. Details are indexed by row, so earlier rows
 * without details get empty ones.
 */
static struct pd_error *add_details(struct resolve_assembler *a, const struct resolve_item *item,
	const struct prof_detail *detail)
{
	const struct prof_detail none = { .addr_frame = prof_no_frame() };
	struct profile *profile = a->profile;

	while (profile->details.n < profile->rows.n) {
		bool is_before = profile->details.n + item->counts.n < profile->rows.n;
		struct pd_error *err =
			base_spill_push(&profile->details, is_before ? none : *detail);

		if (err)
			return err;
	}
	return NULL;
}

/* Note the sample of an item for those that equal it. Rows of the tally are in the same order. */
static struct pd_error *note_first(
	struct resolve_assembler *a, const struct prof_row *row, enum prof_stack_origin origin)
{
	const struct resolve_first first = { row->sample, row->pcs, origin };
	size_t before = a->firsts.cap;

	if (!pd_vec_push(&a->firsts, first))
		return &pd_enomem;
	if (a->firsts.cap > before)
		base_account_note(a->account, (a->firsts.cap - before) * sizeof(*a->firsts.data));
	return NULL;
}

/* Set the tags of @p ret, a sample like @p plain. Errors: NOMEM. */
static struct pd_error *set_tags(
	struct resolve_assembler *a, const struct resolve_plain *plain, struct prof_sample *ret)
{
	if (!assembler_wants_tags(a))
		return NULL;
	const struct prof_tags tags = make_tags(a, plain->cpu);
	ret->tags = prof_add_tags(a->profile, &tags);
	return prof_is_none(ret->tags) ? &pd_enomem : NULL;
}

/* Add repeat @p i as a separate sample. */
static struct pd_error *add_separately(struct resolve_assembler *a, size_t i,
	const struct resolve_first *first, struct prof_sample_id *ret)
{
	const struct resolve_plain *plain = a->group.repeats.data[i].plain;
	const struct prof_value value = { .samples = 1, .period = plain->period };
	struct prof_sample sample = *prof_sample(a->profile, first->sample);
	struct pd_error *err = set_tags(a, plain, &sample);

	a->origins[first->origin]++;
	if (err)
		return err;
	return prof_add_samples(a->profile, &sample, time_apart(a, plain->rec.time), &value, ret);
}

/* Add repeat @p i of the group. */
static struct pd_error *add_repeat(struct resolve_assembler *a, size_t i)
{
	const struct resolve_repeat *repeat = &a->group.repeats.data[i];
	const struct resolve_plain *plain = repeat->plain;
	const struct resolve_first *first = &a->firsts.data[repeat->row];
	struct prof_sample_id id = first->sample;
	struct pd_error *err = a->opts->request.tags ? add_separately(a, i, first, &id) : NULL;

	if (err || !prof_has_all_rows(&a->opts->request))
		return err;
	const struct prof_row row = {
		.time = plain->rec.time,
		.period = plain->period,
		.sample = id,
		.cpu = plain->cpu,
		.pcs = first->pcs,
	};
	const struct prof_origin origin = {
		.key = { plain->rec.offset, plain->rec.part, plain->rec.ordinal },
		.chain = prof_no_pcs(),
	};

	err = base_spill_push(&a->profile->rows, row);
	if (!err && a->opts->request.origins)
		err = base_spill_push(&a->profile->origins, origin);
	return err;
}

/* Return the first sample of repeat @p i; NULL: not known. */
static const struct prof_sample *first_sample(const struct resolve_assembler *a, size_t i)
{
	if (i >= a->group.repeats.n)
		return NULL;
	uint32_t row = a->group.repeats.data[i].row;
	if (row >= a->firsts.n || a->firsts.data[row].sample.i >= a->profile->samples.n)
		return NULL;
	return prof_sample(a->profile, a->firsts.data[row].sample);
}

/*
 * Start to load what add_repeat() looks at for repeats after @p i. If the first sample of one is
 * not added yet, its entry is missing, or left over from an older table: then a wrong place is
 * loaded.
 */
static void load_ahead(const struct resolve_assembler *a, size_t i)
{
	enum { FIRST = 16, SAMPLE = 8 };
	const struct resolve_repeat *repeats = a->group.repeats.data;

	if (i + FIRST < a->group.repeats.n)
		base_prefetch(&a->firsts.data[repeats[i + FIRST].row]);
	if (!a->opts->request.tags)
		return;
	const struct prof_sample *sample = first_sample(a, i + SAMPLE);
	if (sample)
		base_prefetch(sample);
}

struct pd_error *assembler_add_repeats(struct resolve_assembler *a, size_t n)
{
	struct resolve_group *group = &a->group;
	struct pd_error *err = NULL;

	for (; !err && group->n_repeats_added < group->repeats.n; group->n_repeats_added++) {
		if (group->repeats.data[group->n_repeats_added].n_before > n)
			break;
		load_ahead(a, group->n_repeats_added);
		err = add_repeat(a, group->n_repeats_added);
	}
	return err;
}

/*
 * Keep what the waits and intervals of @p item need to know of its samples, of which the first one
 * is @p first, or nothing.
 */
static struct pd_error *keep_link(struct resolve_assembler *a, const struct resolve_item *item,
	struct prof_sample_id first, struct prof_stack_id stack)
{
	const struct resolve_link link = {
		.waits = prof_is_none(first) ? RESOLVE_NO_WAITS : item->waits,
		.beginning = item->interval,
		.sample = first,
		.stack = stack,
	};

	if (link.waits.begins == RESOLVE_NO_WAIT && link.waits.wakes == RESOLVE_NO_WAIT &&
		link.beginning == LED_NO_BEGINNING)
		return NULL;
	return pd_vec_push(&a->links, link) ? NULL : &pd_enomem;
}

struct pd_error *assembler_add_samples(struct resolve_assembler *a, size_t i,
	const struct resolve_joined_stack *joined, const struct assembler_addresses *addresses,
	struct prof_sample *sample)
{
	const struct resolve_item *item = a->group.items[i];
	const struct pd_event *event = resolve_item_event(a->file, item);
	struct prof_row row = {
		.time = item->rec.time,
		.cpu = cpu_of(event, item),
		.pcs = addresses->pcs,
		.trace = joined->trace,
	};
	struct prof_sample_id first = prof_no_sample();
	bool has_row = resolve_wants_row(&a->opts->request, event);
	struct pd_error *err = assembler_add_repeats(a, i);

	for (size_t k = 0; k < item->counts.n && !err; k++) {
		const struct resolve_count *count = &item->counts.data[k];
		const struct prof_value value = { .samples = 1, .period = count->period };

		sample->event = count->event;
		row.period = count->period;
		err = prof_add_samples(
			a->profile, sample, time_apart(a, item->rec.time), &value, &row.sample);
		if (!err && item->is_tallied)
			err = note_first(a, &row, joined->origin);
		if (k == 0)
			first = row.sample;
		if (!err && has_row)
			err = base_spill_push(&a->profile->rows, row);
	}
	if (!err)
		err = keep_link(a, item, first, sample->stack);
	if (!err && a->opts->request.origins)
		err = add_origins(a, item, addresses);
	if (err || !joined->detail)
		return err;
	return add_details(a, item, &a->batch->joined.details.data[joined->detail - 1]);
}

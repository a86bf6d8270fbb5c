#include "resolve/assembler.h"

#include <pdconv/cursor.h>

#include "base/cleanup.h"
#include "resolve/detail.h"
#include "resolve/lbr.h"

/* Addresses that the row of an item has. */
struct addresses {
	/** Those of the stack; refers to nothing if they are not kept. */
	struct prof_pcs_id pcs;
	/** Those of the user part, in a->user. */
	size_t first_user;
	size_t n_user;
};

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
	pd_vec_deinit(&assembler->chain);
	pd_vec_deinit(&assembler->prepared);
	pd_vec_deinit(&assembler->pcs);
	pd_vec_deinit(&assembler->user);
	pd_callchain_deinit(&assembler->recorded);
	resolve_stitcher_destroy(assembler->stitcher);
}

/*
 * Return the event of the item. Samples without a known event have the layout of the first event.
 */
static const struct pd_event *item_event(
	const struct resolve_assembler *a, const struct resolve_item *item)
{
	uint32_t index = item->event == PD_EVENT_UNATTRIBUTED ? 0 : item->event;

	return &a->file->events.list.data[index];
}

/* Whether rows have the addresses of stacks. */
static bool keeps_pcs(const struct resolve_assembler *a)
{
	const struct prof_request *request = &a->opts->request;

	return request->rows && !request->chains && !request->only_traces;
}

static bool wants_pcs(const struct resolve_assembler *a)
{
	return a->opts->on_sample || keeps_pcs(a);
}

static bool wants_row(const struct resolve_assembler *a, const struct resolve_item *item)
{
	const struct prof_request *request = &a->opts->request;

	return request->rows &&
	       (!request->only_traces || item_event(a, item)->attr.type == PD_TYPE_TRACEPOINT);
}

static bool wants_addresses(const struct resolve_assembler *a)
{
	return wants_pcs(a) || a->opts->request.chains;
}

static struct pd_error *push_pc(struct resolve_assembler *a, uint64_t pc)
{
	return pd_vec_push(&a->pcs, pc) ? NULL : &pd_enomem;
}

static struct pd_error *push(struct resolve_assembler *a, struct prof_frame_id frame, uint64_t pc)
{
	if (!pd_vec_push(&a->chain, frame))
		return &pd_enomem;
	return wants_pcs(a) ? push_pc(a, pc) : NULL;
}

/*
 * Addresses from PD_CONTEXT_MIN on would be read as context markers, and are not valid in user
 * space.
 */
static struct pd_error *push_user_pc(struct resolve_assembler *a, uint64_t pc, bool is_return)
{
	uint64_t lookup = pc - is_return;

	if (!a->opts->request.chains || lookup >= PD_CONTEXT_MIN)
		return NULL;
	bool is_first = a->user.n == a->user_start;
	if ((!is_return || is_first) && !pd_vec_push(&a->user, PD_CONTEXT_USER))
		return &pd_enomem;
	return pd_vec_push(&a->user, lookup) ? NULL : &pd_enomem;
}

static const struct pd_maps *maps_of(
	const struct resolve_item *item, const struct pd_callchain_link *link)
{
	return link->context == PD_CALLCHAIN_KERNEL ? item->kernel_maps : item->maps;
}

/* Append a frame that is added with those of its group. */
static struct pd_error *push_prepared(struct resolve_assembler *a, const struct resolve_item *item,
	const struct pd_callchain_link *link, uint32_t flags)
{
	if (!pd_vec_reserve(&a->prepared, a->chain.n + 1) ||
		!pd_vec_push(&a->chain, prof_no_frame()))
		return &pd_enomem;
	resolve_frames_prepare(
		a->frames, maps_of(item, link), link, flags, &a->prepared.data[a->chain.n - 1]);
	return wants_pcs(a) ? push_pc(a, link->pc) : NULL;
}

static struct pd_error *push_entry(struct resolve_assembler *a, const struct resolve_item *item,
	const struct pd_callchain_link *link, uint32_t flags)
{
	struct prof_frame_id frame;

	if (a->is_preparing)
		return push_prepared(a, item, link, flags);
	struct pd_error *err =
		resolve_frames_at(a->frames, maps_of(item, link), link, flags, &frame);
	return err ? err : push(a, frame, link->pc);
}

static struct pd_error *push_entries(struct resolve_assembler *a, const struct resolve_item *item,
	const struct pd_callchain_link *links, size_t n, uint32_t flags)
{
	for (size_t i = 0; i < n; i++) {
		struct pd_error *err = push_entry(a, item, &links[i], flags);
		if (err)
			return err;
	}
	return NULL;
}

static struct pd_error *push_mark(struct resolve_assembler *a, uint32_t flag)
{
	struct prof_frame_id frame;
	struct pd_error *err = resolve_frames_mark(a->frames, flag, &frame);

	return err ? err : push(a, frame, 0);
}

static struct pd_error *push_walked_pc(
	struct resolve_assembler *a, const struct resolve_item *item, uint32_t id)
{
	bool is_return;
	uint64_t pc = resolve_frames_walked_pc(a->frames, item->walker, id, &is_return);
	struct pd_error *err = wants_pcs(a) ? push_pc(a, pc) : NULL;

	return err ? err : push_user_pc(a, pc, is_return);
}

static struct pd_error *push_walked(struct resolve_assembler *a, const struct resolve_item *item)
{
	const uint32_t *ids = item->stack.frames.data;
	size_t n = item->stack.frames.n;

	if (!pd_vec_reserve(&a->chain, a->chain.n + n))
		return &pd_enomem;
	struct pd_error *err =
		resolve_frames_walked(a->frames, item->walker, ids, n, a->chain.data + a->chain.n);
	if (err)
		return err;
	a->chain.n += n;
	/*
	 * Most formats aggregate and need only frames: the addresses of a frame differ between
	 * processes.
	 */
	for (size_t i = 0; i < n && wants_addresses(a); i++) {
		err = push_walked_pc(a, item, ids[i]);
		if (err)
			return err;
	}
	a->n_frames += n;
	a->n_fp_frames += item->stack.n_by_fp;
	return NULL;
}

static uint64_t walked_pc(
	const struct resolve_assembler *a, const struct resolve_item *item, size_t i)
{
	bool is_return;

	return resolve_frames_walked_pc(
		a->frames, item->walker, item->stack.frames.data[i], &is_return);
}

/* Whether the recorded chain begins with all unwound frames. */
static bool continues_walk(const struct resolve_assembler *a, const struct resolve_item *item)
{
	size_t n = item->stack.frames.n;

	if (n > a->recorded.user.n)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (a->recorded.user.data[i].pc != walked_pc(a, item, i))
			return false;
	}
	return true;
}

/*
 * Find the recorded entry that is the last unwound frame. The recorded chain may lack frames
 * before it. If there are several such entries, as in recursive functions, only equal frames
 * before one show which it is. Returns the number of entries if none is certain.
 */
static size_t find_last_walked(const struct resolve_assembler *a, const struct resolve_item *item)
{
	size_t n = a->recorded.user.n, found = n;

	if (continues_walk(a, item))
		return item->stack.frames.n - 1;
	uint64_t last_pc = walked_pc(a, item, item->stack.frames.n - 1);
	for (size_t at = 0; at < n; at++) {
		if (a->recorded.user.data[at].pc != last_pc)
			continue;
		if (found < n)
			return n;
		found = at;
	}
	return found;
}

/*
 * Continue an unwind that ended early with the recorded call chain of the same sample, after the
 * entry that is the last unwound frame.
 */
static struct pd_error *push_recorded_rest(
	struct resolve_assembler *a, const struct resolve_item *item, bool *ret)
{
	/*
	 * If the chains do not meet, it is not known which recorded entries are callers of the last
	 * frame: at is n, and nothing is appended.
	 */
	size_t at = find_last_walked(a, item);

	*ret = at + 1 < a->recorded.user.n;
	for (at++; at < a->recorded.user.n; at++) {
		const struct pd_callchain_link *link = &a->recorded.user.data[at];

		struct pd_error *err = push_entry(a, item, link, PROF_FRAME_JOINED);
		if (err)
			return err;
		err = push_user_pc(a, link->pc, link->is_return);
		if (err)
			return err;
	}
	return NULL;
}

/* Append the frames that a neighbouring sample has after the last unwound frame. */
static struct pd_error *push_stitched(struct resolve_assembler *a, const struct resolve_item *item)
{
	struct pd_error *err = item->rest.n ? push_mark(a, PROF_FRAME_STITCHED) : NULL;

	if (err)
		return err;
	for (size_t i = 0; i < item->rest.n; i++) {
		const struct resolve_known_frame *rest = &item->rest.data[i];

		err = push(a, rest->frame, rest->pc);
		if (err)
			return err;
		err = push_user_pc(a, rest->pc, rest->is_return);
		if (err)
			return err;
	}
	a->profile->stats.n_stitched += item->rest_is_whole;
	return NULL;
}

/*
 * Complete a stack that is larger than its recorded bytes as far as possible, else mark it as
 * truncated.
 */
static struct pd_error *push_cut(struct resolve_assembler *a, const struct resolve_item *item)
{
	struct pd_error *err = push_stitched(a, item);

	if (err || item->rest_is_whole || a->opts->no_truncated)
		return err;
	return push_mark(a, PROF_FRAME_TRUNCATED);
}

static struct pd_error *push_unwound(
	struct resolve_assembler *a, struct resolve_item *item, struct resolve_chain *chain)
{
	bool has_rest = false;

	chain->source = PROF_STACK_UNWOUND;
	chain->end = item->stack.end;
	struct pd_error *err = push_walked(a, item);
	if (err || pd_unwind_end_has_root(chain->end))
		return err;
	err = push_recorded_rest(a, item, &has_rest);
	if (err || has_rest || !resolve_item_is_cut(item))
		return err;
	return push_cut(a, item);
}

static struct pd_error *push_recorded_user(
	struct resolve_assembler *a, const struct resolve_item *item)
{
	size_t n = a->recorded.user.n;

	if (a->opts->max_stack && n > a->opts->max_stack)
		n = a->opts->max_stack;
	return push_entries(a, item, a->recorded.user.data, n, 0);
}

static bool has_lost_calls(struct resolve_assembler *a, const struct resolve_item *item)
{
	if (a->lbr_depth == UINT64_MAX)
		a->lbr_depth = resolve_lbr_depth(a->file);
	return resolve_lbr_is_full(&item->sample, a->lbr_depth);
}

static struct pd_error *push_calls(
	struct resolve_assembler *a, struct resolve_item *item, struct resolve_chain *chain)
{
	struct pd_error *err =
		pd_callchain_use_branches(&a->recorded, &item->sample, item->cpumode);

	if (err)
		return err;
	chain->source = PROF_STACK_BRANCHES;
	err = push_recorded_user(a, item);
	if (err)
		return err;
	return has_lost_calls(a, item) ? push_cut(a, item) : NULL;
}

static struct pd_error *push_recorded(
	struct resolve_assembler *a, struct resolve_item *item, struct resolve_chain *chain)
{
	if (item->has_calls)
		return push_calls(a, item, chain);
	chain->source = PROF_STACK_RECORDED;
	return push_recorded_user(a, item);
}

/* Without call chain and stack, the instruction pointer is the only frame. */
static struct pd_error *push_ip(struct resolve_assembler *a, const struct resolve_item *item)
{
	const struct pd_callchain_link link = {
		.pc = item->sample.ip,
		.context = pd_callchain_context_of(item->cpumode),
	};
	bool is_unwanted =
		link.context == PD_CALLCHAIN_USER ? a->opts->no_user : a->opts->no_kernel;

	return is_unwanted ? NULL : push_entry(a, item, &link, 0);
}

static struct pd_error *read_recorded(struct resolve_assembler *a, const struct resolve_item *item)
{
	struct pd_error *err = pd_callchain_read(&a->recorded, &item->sample, item->cpumode);

	return err ? err : pd_callchain_add_deferred(&a->recorded, &item->deferred);
}

static struct pd_error *push_user(
	struct resolve_assembler *a, struct resolve_item *item, struct resolve_chain *chain)
{
	if (item->has_walk && item->stack.frames.n)
		return push_unwound(a, item, chain);
	if (item->has_walk)
		chain->end = item->stack.end;
	if (!a->opts->no_user && (a->recorded.user.n || item->has_calls))
		return push_recorded(a, item, chain);
	return a->recorded.system.n ? NULL : push_ip(a, item);
}

/* Append the stack of @p item to a->chain, and its addresses to a->pcs and a->user. */
static struct pd_error *assemble(
	struct resolve_assembler *a, struct resolve_item *item, struct resolve_chain *chain)
{
	size_t start = a->chain.n;
	struct pd_error *err = read_recorded(a, item);

	if (err)
		return err;
	a->user_start = a->user.n;
	/* Stacks begin at the leaf, and the kernel was entered last: its frames come first. */
	if (!a->opts->no_kernel) {
		err = push_entries(a, item, a->recorded.system.data, a->recorded.system.n, 0);
		if (err)
			return err;
	}
	*chain = (struct resolve_chain){
		.n_system = a->chain.n - start,
		.source = PROF_STACK_NONE,
		.end = PD_N_UNWIND_ENDS,
	};
	err = push_user(a, item, chain);
	if (err)
		return err;
	/* Pushing may have moved the list, so its address is taken last. */
	chain->frames = a->chain.data ? a->chain.data + start : NULL;
	chain->n = a->chain.n - start;
	return NULL;
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

static bool has_field(const struct pd_event *event, enum pd_sample_bit bit)
{
	return event->attr.sample_type >> bit & 1;
}

static struct pd_error *begin_row(struct resolve_assembler *a, const struct resolve_item *item,
	const struct addresses *addresses, struct prof_row *ret)
{
	const struct pd_event *event = item_event(a, item);

	ret->time = item->rec.time;
	ret->cpu = has_field(event, PD_SAMPLE_CPU) ? item->sample.cpu : PROF_NONE;
	ret->pcs = addresses->pcs;
	if (a->opts->request.chains)
		return NULL;
	return resolve_source_trace(a->source, event, &item->sample.raw, &ret->trace);
}

/* Keep the user part of an unwound stack. Other stacks stay in the recording as they are. */
static struct pd_error *keep_chain(struct resolve_assembler *a, const struct resolve_item *item,
	const struct addresses *addresses, struct prof_origin *ret)
{
	ret->chain = prof_no_pcs();
	if (!item->has_walk || !item->stack.frames.n || !addresses->n_user)
		return NULL;
	ret->chain = profile_add_pcs(
		a->profile, a->user.data + addresses->first_user, addresses->n_user);
	return prof_is_none(ret->chain) ? &pd_enomem : NULL;
}

/* Add the origin of the rows of the item, which have been added. */
static struct pd_error *add_origins(struct resolve_assembler *a, const struct resolve_item *item,
	const struct addresses *addresses)
{
	struct profile *profile = a->profile;
	struct prof_origin origin = {
		.key = { item->rec.offset, item->rec.part, item->rec.ordinal },
	};
	struct pd_error *err = keep_chain(a, item, addresses, &origin);

	while (!err && profile->origins.n < profile->rows.n)
		err = pd_spill_push(&profile->origins, origin);
	return err;
}

/* Round the time of a sample as requested. A stream does not say how long the recording is. */
static uint64_t round_time(const struct resolve_assembler *a, uint64_t time)
{
	const uint64_t step_of_streams = 10000000;
	uint64_t first = a->file->first_sample_ns, last = a->file->last_sample_ns;
	unsigned n = a->opts->request.n_times;

	if (!n || time == PD_NO_TIME)
		return time;
	uint64_t step = last > first ? (last - first) / n + 1 : step_of_streams;
	return time - time % step;
}

/* Whether samples have tags. */
static bool wants_tags(const struct resolve_assembler *a)
{
	return a->opts->request.tags || a->opts->input || !prof_is_none(a->source->labels);
}

static struct pd_error *find_tags(
	struct resolve_assembler *a, const struct resolve_item *item, struct prof_tags *ret)
{
	const struct pd_event *event = item_event(a, item);
	unsigned wanted = a->opts->request.tags;

	*ret = (struct prof_tags){
		.time = PD_NO_TIME,
		.cpu = PROF_NONE,
		.labels = a->source->labels,
	};
	/* Samples with different tags are not added up, so only requested tags may be set. */
	if (wanted >> PROF_TAG_TIME & 1)
		ret->time = round_time(a, item->rec.time);
	if (wanted >> PROF_TAG_CPU & 1 && has_field(event, PD_SAMPLE_CPU))
		ret->cpu = item->sample.cpu;
	if (wanted >> PROF_TAG_CGROUP & 1 && has_field(event, PD_SAMPLE_CGROUP))
		ret->cgroup = resolve_source_cgroup(a->source, item->sample.cgroup);
	ret->input = profile_add_string(a->profile, a->opts->input);
	return prof_is_none(ret->input) ? &pd_enomem : NULL;
}

/* Add the tags of the sample. *ret refers to nothing if it has none. */
static struct pd_error *add_tags(
	struct resolve_assembler *a, const struct resolve_item *item, struct prof_tags_id *ret)
{
	struct prof_tags tags;

	*ret = prof_no_tags();
	if (!wants_tags(a))
		return NULL;
	struct pd_error *err = find_tags(a, item, &tags);
	if (err)
		return err;
	*ret = profile_add_tags(a->profile, &tags);
	return prof_is_none(*ret) ? &pd_enomem : NULL;
}

/* Find the fields of the sample to keep. Errors: no memory. */
static struct pd_error *find_wanted_details(
	struct resolve_assembler *a, const struct resolve_item *item, uint32_t *ret)
{
	struct prof_event_id id;

	*ret = 0;
	if (!a->opts->request.rows || !item->counts.n)
		return NULL;
	struct pd_error *err = resolve_source_event(a->source, item_event(a, item), &id);
	if (err)
		return err;
	const struct prof_event *event = profile_event(a->profile, id);
	*ret = a->opts->request.details[event->kind] & event->fields;
	return NULL;
}

/*
 * Add the same details for each row of the item. Details are indexed by row, so earlier rows
 * without details get empty ones.
 */
static struct pd_error *add_details(
	struct resolve_assembler *a, const struct resolve_item *item, uint32_t wanted)
{
	struct profile *profile = a->profile;
	struct prof_detail detail, none = { .addr_frame = prof_no_frame() };
	struct pd_error *err = resolve_detail_fill(wanted, profile, a->frames, item, &detail);

	if (err)
		return err;
	while (profile->details.n < profile->rows.n) {
		bool is_before = profile->details.n + item->counts.n < profile->rows.n;

		err = pd_spill_push(&profile->details, is_before ? none : detail);
		if (err)
			return err;
	}
	return NULL;
}

/* The tally belongs to the thread that reads. */
static struct pd_error *note_settled(struct resolve_assembler *a, const struct resolve_item *item,
	struct prof_sample_id sample, enum prof_stack_source source)
{
	const struct resolve_settled settled = { item->tally_row, sample, source };

	return pd_vec_push(&a->settled, settled) ? NULL : &pd_enomem;
}

/*
 * Note what the rows of samples that equal the item have. Rows of the tally are numbered in the
 * order of items, again from 0 when the tally begins anew.
 */
static struct pd_error *note_first(
	struct resolve_assembler *a, const struct resolve_item *item, const struct prof_row *row)
{
	const struct resolve_first first = { row->sample, row->pcs };
	size_t before = a->firsts.cap;

	if (item->tally_row < a->firsts.n) {
		a->firsts.data[item->tally_row] = first;
		return NULL;
	}
	if (!pd_vec_push(&a->firsts, first))
		return &pd_enomem;
	pd_account_note(
		a->tally->table.account, (a->firsts.cap - before) * sizeof(*a->firsts.data));
	return NULL;
}

static struct pd_error *add_repeat(struct resolve_assembler *a, const struct resolve_repeat *repeat)
{
	const struct resolve_first *first = &a->firsts.data[repeat->tally_row];
	const struct prof_row row = {
		.time = repeat->time,
		.period = repeat->period,
		.sample = first->sample,
		.cpu = repeat->cpu,
		.pcs = first->pcs,
	};
	const struct prof_origin origin = { .key = repeat->key, .chain = prof_no_pcs() };
	struct pd_error *err = pd_spill_push(&a->profile->rows, row);

	if (!err && a->opts->request.origins)
		err = pd_spill_push(&a->profile->origins, origin);
	return err;
}

/* Add rows of the samples of the batch that repeat earlier ones, up to item @p i. */
static struct pd_error *add_repeats(
	struct resolve_assembler *a, const struct resolve_batch *batch, size_t i)
{
	enum { AHEAD = 16 };
	struct pd_error *err = NULL;

	for (; !err && a->n_repeats < batch->n_repeats; a->n_repeats++) {
		const struct resolve_repeat *repeat = &batch->repeats[a->n_repeats];

		if (repeat->n_before > i)
			break;
		if (a->n_repeats + AHEAD < batch->n_repeats)
			__builtin_prefetch(&a->firsts.data[repeat[AHEAD].tally_row]);
		err = add_repeat(a, repeat);
	}
	return err;
}

/*
 * Add one sample to the profile, with a row if requested, for each event that the item counts for.
 */
static struct pd_error *add_samples(struct resolve_assembler *a, const struct resolve_item *item,
	enum prof_stack_source source, const struct addresses *addresses,
	struct prof_sample *sample)
{
	struct prof_row row = { 0 };
	bool has_row = wants_row(a, item);
	struct pd_error *err = add_repeats(a, a->batch, (size_t)(item - a->batch->items));
	uint32_t wanted;

	if (!err && has_row)
		err = begin_row(a, item, addresses, &row);

	for (size_t i = 0; i < item->counts.n && !err; i++) {
		const struct resolve_count *count = &item->counts.data[i];

		sample->event = count->event;
		row.period = count->period;
		err = profile_add_sample(a->profile, sample, count->period, &row.sample);
		if (!err && item->is_tallied)
			err = note_settled(a, item, row.sample, source);
		if (!err && item->is_tallied && has_row)
			err = note_first(a, item, &row);
		if (!err && a->switches && i == 0)
			resolve_switches_begin(a->switches, item->wait, row.sample);
		if (!err && has_row)
			err = pd_spill_push(&a->profile->rows, row);
	}
	if (!err && a->opts->request.origins)
		err = add_origins(a, item, addresses);
	if (!err)
		err = find_wanted_details(a, item, &wanted);
	return err || !wanted ? err : add_details(a, item, wanted);
}

static struct pd_error *add_item(struct resolve_assembler *a, struct resolve_item *item)
{
	struct resolve_chain chain;

	a->chain.n = a->pcs.n = a->user.n = 0;
	struct pd_error *err = assemble(a, item, &chain);
	if (err)
		return err;
	chain.pcs = a->pcs.data;
	struct prof_sample sample = {
		.stack = profile_add_stack(a->profile, a->chain.data, a->chain.n),
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
	struct addresses addresses = { .pcs = prof_no_pcs(), .n_user = a->user.n };
	if (keeps_pcs(a)) {
		addresses.pcs = profile_add_pcs(a->profile, a->pcs.data, a->pcs.n);
		if (prof_is_none(addresses.pcs))
			return &pd_enomem;
	}
	return add_samples(a, item, chain.source, &addresses, &sample);
}

/*
 * Whether items can be added in groups. In a group, all frames are added before tags: if those had
 * texts, they would follow the texts of binaries in another order. A callback sees the profile
 * after each sample.
 */
static bool can_group(const struct resolve_assembler *a)
{
	const unsigned without_texts = 1U << PROF_TAG_TIME | 1U << PROF_TAG_CPU;

	return !(a->opts->request.tags & ~without_texts) && !a->opts->input && !a->opts->on_sample;
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
	 * Labels and the rows of tracepoints have texts. A stream may add events, which moves them,
	 * and so does a new wait with the others.
	 */
	return can_group(a) && has_only_plain_rows(a) && !a->opts->stitch &&
	       prof_is_none(a->source->labels) && !a->file->is_pipe && !a->switches;
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
	a->is_preparing = are_recorded(group->items, group->n);
	for (size_t i = 0; i < group->n && !err; i++) {
		err = assemble(a, &group->items[i], &group->chains[i]);
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
	if (!profile_add_stacks(a->profile, a->chain.data, group->ends, group->n, group->stacks))
		return &pd_enomem;
	for (size_t i = 0; i < group->n; i++)
		group->pcs[i] = prof_no_pcs();
	if (keeps_pcs(a) && !profile_add_pcs_lists(
				    a->profile, a->pcs.data, group->pc_ends, group->n, group->pcs))
		return &pd_enomem;
	return NULL;
}

/* Add the tags of all items. */
static struct pd_error *add_group_tags(struct resolve_assembler *a, struct group *group)
{
	struct prof_tags tags[PROF_GROUP];
	uint32_t hashes[PROF_GROUP];

	for (size_t i = 0; i < group->n; i++)
		group->tags[i] = prof_no_tags();
	if (!wants_tags(a))
		return NULL;
	for (size_t i = 0; i < group->n; i++) {
		struct pd_error *err = find_tags(a, &group->items[i], &tags[i]);
		if (err)
			return err;
		hashes[i] = profile_load_tags(a->profile, &tags[i]);
	}
	for (size_t i = 0; i < group->n; i++) {
		group->tags[i] = profile_add_loaded_tags(a->profile, &tags[i], hashes[i]);
		if (prof_is_none(group->tags[i]))
			return &pd_enomem;
	}
	return NULL;
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
	profile_load_sample(a->profile, sample);
}

/* Add the samples and rows of item @p i. */
static struct pd_error *add_grouped(struct resolve_assembler *a, struct group *group, size_t i)
{
	size_t first_user = i ? group->user_ends[i - 1] : 0;
	const struct addresses addresses = {
		.pcs = group->pcs[i],
		.first_user = first_user,
		.n_user = group->user_ends[i] - first_user,
	};

	return add_samples(
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
		profile_load_first_sample(a->profile, &group.samples[i]);
	for (size_t i = 0; i < n && !err; i++)
		err = add_grouped(a, &group, i);
	return err;
}

static struct pd_error *stitch(struct resolve_assembler *a, struct resolve_batch *batch)
{
	struct pd_error *err =
		a->stitcher ? NULL : resolve_stitcher_create(a->file, a->frames, &a->stitcher);

	return err ? err : resolve_stitch(a->stitcher, batch);
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
		const struct pd_event *event = item_event(a, &items[ret]);

		if (event != plain && !resolve_has_plain_rows(&a->opts->request, event))
			break;
		plain = event;
	}
	return ret ? ret : 1;
}

struct pd_error *resolve_assemble(struct resolve_assembler *a, struct resolve_batch *batch)
{
	struct pd_error *err = a->opts->stitch ? stitch(a, batch) : NULL;

	if (err)
		return err;
	a->batch = batch;
	a->n_repeats = 0;
	for (size_t i = 0, n = 0; i < batch->n && !err; i += n) {
		n = next_group(a, &batch->items[i], batch->n - i);
		err = n == 1 ? add_item(a, &batch->items[i]) : add_group(a, &batch->items[i], n);
	}
	return err ? err : add_repeats(a, batch, batch->n);
}

struct pd_error *resolve_assembler_settle(struct resolve_assembler *a)
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
	return resolve_frames_add_texts(a->frames);
}

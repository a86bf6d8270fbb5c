#include "resolve/tally.h"

#include "base/limit.h"
#include "profile/ahead.h"
#include "resolve/detail.h"
#include "resolve/tally_chain.h"

enum {
	/** 64 MiB with their rows. */
	MAX_SLOTS = PD_LIMIT_TALLY_SLOTS,
	/** Part of the budget that the table may take. */
	TABLE_SHARE = 16,
	/** Number of rows whose samples are loaded ahead when their counts move. */
	AHEAD = 16,
};

/* Contents of a context. They are compared bytewise, so they have no padding. */
struct context {
	struct prof_thread_id thread;
	struct prof_event_id event;
	uint64_t maps;
	uint64_t kernel_maps;
	uint64_t cpumode;
};

static bool needs_single_samples(const struct resolve_opts *opts)
{
	const struct prof_request *request = &opts->request;

	/* Stitching looks at the other samples of a batch. */
	return request->tags & ~RESOLVE_REPEAT_TAGS || opts->filter || opts->on_sample ||
	       opts->stitch;
}

void resolve_tally_init(struct resolve_tally *tally, const struct resolve_opts *opts)
{
	static const size_t bytes_of_slot =
		sizeof(struct pd_slot) + sizeof(struct resolve_tally_row) * 2 / 3;
	uint64_t share = pd_budget_share(opts->budget, TABLE_SHARE, MAX_SLOTS * bytes_of_slot);

	tally->is_off = needs_single_samples(opts);
	tally->request = &opts->request;
	tally->has_repeats = prof_has_all_rows(&opts->request) || opts->request.tags;
	tally->keeps_addresses = prof_keeps_addresses(&opts->request);
	tally->version = 1;
	tally->table.max_slots = share / bytes_of_slot;
	tally->table.account = pd_budget_account(opts->budget, PD_MEMORY_SAMPLES);
	tally->contexts.arena.account = tally->table.account;
}

void resolve_tally_deinit(struct resolve_tally *tally)
{
	/* Records before next_out - 1 were released. */
	size_t i = tally->next_out ? tally->next_out - 1 : 0;

	for (; i < tally->n_queued; i++)
		pd_record_release(&tally->queue[i].rec);
	resolve_tally_table_deinit(&tally->table);
	pd_intern_deinit(&tally->contexts);
	pd_vec_deinit(&tally->layouts);
}

/* Return the layout of samples of @p event; NULL: no memory. */
static const struct resolve_tally_layout *find_layout(
	struct resolve_tally *tally, const struct pd_event *event)
{
	const struct pd_events *events = &tally->file->events;

	/* A stream may add events. */
	while (tally->layouts.n <= event->index) {
		const struct pd_event *added = &events->list.data[tally->layouts.n];
		struct resolve_tally_layout layout = resolve_tally_layout_of(added);

		layout.is_simple &= resolve_has_plain_rows(tally->request, added);
		if (!pd_vec_push(&tally->layouts, layout))
			return NULL;
	}
	return &tally->layouts.data[event->index];
}

/*
 * Set mappings and number of the context @p ret, which is PD_INTERN_NONE if no memory is left.
 * Texts enter the profile in the order in which resolve_collect() adds them.
 */
static struct pd_error *add_context(struct resolve_tally *tally, const struct pd_event *event,
	const struct resolve_tally_fields *fields, struct resolve_tally_context *ret)
{
	struct context context = {
		.kernel_maps = pd_space_kernel_maps(tally->space)->id,
		.cpumode = ret->cpumode,
	};
	struct pd_error *err =
		resolve_source_event(tally->collector->source, event, &context.event);

	if (err)
		return err;
	const struct pd_thread *thread = pd_space_thread(tally->space, fields->pid, fields->tid);
	struct pd_maps *maps = pd_space_maps(tally->space, fields->pid);
	if (!thread || !maps)
		return &pd_enomem;
	context.maps = maps->id;
	err = resolve_collector_thread(tally->collector, thread, &context.thread);
	if (err)
		return err;
	ret->event_id = context.event;
	ret->thread = context.thread;
	ret->maps = maps;
	ret->number = pd_intern_add(&tally->contexts, &context, sizeof(context));
	tally->is_full |= ret->number == PD_INTERN_NONE;
	return NULL;
}

/* Find the context of a sample. It is valid until the next call. Errors as in add_context(). */
static struct pd_error *find_context(struct resolve_tally *tally, const struct pd_event *event,
	const struct pd_record *rec, const struct resolve_tally_fields *fields,
	const struct resolve_tally_context **ret)
{
	uint16_t cpumode = rec->misc & PD_MISC_CPUMODE_MASK;
	uint64_t hash = pd_hash_pair(
		(uint64_t)fields->pid << 32 | fields->tid, (uint64_t)event->index << 3 | cpumode);
	struct resolve_tally_context *known = &tally->cache[hash % RESOLVE_TALLY_CONTEXTS];

	*ret = known;
	if (known->version == tally->version && known->pid == fields->pid &&
		known->tid == fields->tid && known->event == event->index &&
		known->cpumode == cpumode)
		return NULL;
	struct resolve_tally_context context = {
		.version = tally->version,
		.pid = fields->pid,
		.tid = fields->tid,
		.event = event->index,
		.cpumode = cpumode,
	};
	struct pd_error *err = add_context(tally, event, fields, &context);
	if (!err)
		*known = context;
	return err;
}

/* Read the call chain, in which unmapped addresses are the same unless rows have them. */
static bool read_chain(struct resolve_tally *tally, const struct pd_record *rec,
	const struct resolve_tally_fields *fields, const struct pd_maps *maps,
	struct resolve_tally_chain *ret)
{
	if (!tally->keeps_addresses)
		return resolve_tally_chain_read(
			ret, rec, fields, resolve_mapped_regions(&tally->unmapped, maps), maps);
	/* Member by member, because an initializer would clear the entries, which are not used. */
	ret->bytes = fields->chain;
	ret->n = fields->n;
	ret->ip = fields->ip;
	return true;
}

/*
 * Without a call chain, the key is exact. With one, it is a hash of 96 bits that is seeded at
 * random: among 4 million chains, two have the same key in one of 10^16 runs. False if the sample
 * has no key.
 */
static bool make_key(struct resolve_tally *tally, const struct pd_record *rec,
	const struct resolve_tally_fields *fields, const struct resolve_tally_context *context,
	struct resolve_tally_key *ret)
{
	struct resolve_tally_chain chain;

	*ret = (struct resolve_tally_key){ fields->ip, context->number };
	if (!fields->n)
		return true;
	if (!read_chain(tally, rec, fields, context->maps, &chain))
		return false;
	struct pd_hash128 hash = pd_hash_bytes128(chain.bytes, chain.n * 8);
	ret->low = pd_hash_pair(hash.low + context->number * pd_hash_seed.factor, chain.ip);
	ret->high = (uint32_t)hash.high ^ context->number;
	return true;
}

struct pd_error *resolve_tally_take(
	struct resolve_tally *tally, const struct pd_record *rec, bool *is_taken_ret)
{
	struct resolve_tally_fields fields;
	const struct resolve_tally_context *context;

	*is_taken_ret = false;
	if (tally->is_off)
		return NULL;
	const struct pd_event *event =
		pd_events_find_hinted(&tally->file->events, &tally->hints, rec);
	if (!event || event->index == PD_EVENT_UNATTRIBUTED)
		return NULL;
	const struct resolve_tally_layout *layout = find_layout(tally, event);
	if (!layout)
		return &pd_enomem;
	/* Mappings of a process with generated code may change with each sample. */
	if (!layout->is_simple || !resolve_tally_read(layout, rec, &fields) ||
		resolve_jits_has(tally->jits, fields.pid))
		return NULL;
	struct pd_error *err = find_context(tally, event, rec, &fields, &context);
	if (err || context->number == PD_INTERN_NONE)
		return err;
	struct resolve_tally_waiting *waiting = &tally->queue[tally->n_queued];
	if (!make_key(tally, rec, &fields, context, &waiting->key))
		return NULL;
	tally->n_queued++;
	waiting->hash = resolve_tally_hash(waiting->key);
	waiting->period = resolve_periods_take(
		&tally->collector->source->periods, context->event_id, fields.period);
	waiting->cpu = fields.cpu;
	waiting->rec = pd_record_keep(rec);
	resolve_tally_prefetch(&tally->table, waiting->hash);
	*is_taken_ret = true;
	return NULL;
}

static void add_repeat(struct resolve_batch *batch, const struct resolve_tally_waiting *waiting)
{
	const struct pd_record *rec = &waiting->rec;

	batch->repeats[batch->n_repeats++] = (struct resolve_repeat){
		.time = rec->time,
		.period = waiting->period,
		.key = { rec->offset, rec->part, rec->ordinal },
		.cpu = waiting->cpu,
		.tally_row = waiting->row,
		.n_before = (uint32_t)batch->n,
	};
}

static bool count(struct resolve_tally *tally, struct resolve_tally_waiting *waiting,
	struct resolve_batch *batch)
{
	/* An earlier sample of the queue may have added it. */
	if (!resolve_tally_is_row(&tally->table, waiting->row, waiting->key))
		waiting->row = resolve_tally_find(&tally->table, waiting->key, waiting->hash);
	if (waiting->row == RESOLVE_TALLY_NO_ROW)
		return false;
	/* With tags, each is a sample of the profile that is not the one of the row. */
	if (!tally->request->tags) {
		struct resolve_tally_row *row = &tally->table.rows[waiting->row];

		row->n_samples++;
		row->period += waiting->period;
	}
	resolve_collector_count(tally->collector, &waiting->rec);
	if (tally->has_repeats)
		add_repeat(batch, waiting);
	return true;
}

static void load_rows(struct resolve_tally *tally)
{
	for (size_t i = 0; i < tally->n_queued; i++) {
		struct resolve_tally_waiting *waiting = &tally->queue[i];

		waiting->row = resolve_tally_guess(&tally->table, waiting->hash);
	}
}

const struct resolve_tally_waiting *resolve_tally_next(
	struct resolve_tally *tally, struct resolve_batch *batch)
{
	if (!tally->next_out)
		load_rows(tally);
	for (;;) {
		if (tally->next_out)
			pd_record_release(&tally->queue[tally->next_out - 1].rec);
		if (tally->next_out == tally->n_queued)
			break;
		struct resolve_tally_waiting *waiting = &tally->queue[tally->next_out++];
		if (!count(tally, waiting, batch))
			return waiting;
	}
	tally->n_queued = tally->next_out = 0;
	return NULL;
}

static void move_count(struct profile *profile, struct resolve_tally_row *row)
{
	const struct prof_value value = { row->n_samples, row->period };

	if (!row->n_samples || prof_is_none(row->sample))
		return;
	prof_add_value(profile, row->sample, &value);
	profile->stats.sources[row->source] += value.samples;
	row->n_samples = row->period = 0;
}

static void move_counts(struct resolve_tally *tally)
{
	struct profile *profile = tally->profile;
	struct resolve_tally_row *rows = tally->table.rows;

	for (size_t i = 0; i < tally->table.n; i++) {
		size_t next = i + AHEAD < tally->table.n ? i + AHEAD : i;

		if (rows[next].n_samples && !prof_is_none(rows[next].sample))
			prof_prefetch_value(profile, rows[next].sample);
		move_count(profile, &rows[i]);
	}
}

void resolve_tally_finish(struct resolve_tally *tally)
{
	move_counts(tally);
	resolve_tally_table_deinit(&tally->table);
	pd_intern_deinit(&tally->contexts);
}

void resolve_tally_restart(struct resolve_tally *tally)
{
	resolve_tally_finish(tally);
	tally->is_full = false;
	resolve_tally_renew(tally);
}

/* Let @p item, which was collected from @p waiting, stand for further samples with its key. */
static void note(struct resolve_tally *tally, const struct resolve_tally_waiting *waiting,
	struct resolve_item *item)
{
	/* Keys in the queue have contexts that a restart would forget. */
	if (tally->is_full)
		return;
	uint32_t row = resolve_tally_add(&tally->table, waiting->key, waiting->hash);
	if (row == RESOLVE_TALLY_NO_ROW) {
		tally->is_full = true;
		return;
	}
	item->is_tallied = true;
	item->tally_row = row;
	tally->n_pending++;
}

struct pd_error *resolve_tally_collect(struct resolve_tally *tally,
	const struct resolve_tally_waiting *waiting, struct resolve_batch *batch)
{
	const struct pd_record *rec = &waiting->rec;
	const struct pd_event *event =
		pd_events_find_hinted(&tally->file->events, &tally->hints, rec);
	const struct resolve_tally_context *context;
	struct resolve_tally_fields fields;

	/* resolve_tally_take() has read the sample before, so neither is expected to fail. */
	if (!event || !resolve_tally_read(&tally->layouts.data[event->index], rec, &fields))
		return resolve_collect(tally->collector, rec, batch);
	struct pd_error *err = find_context(tally, event, rec, &fields, &context);
	if (err)
		return err;
	const struct resolve_plain_sample plain = {
		.event = event,
		.event_id = context->event_id,
		.thread = context->thread,
		.maps = context->maps,
		.ip = fields.ip,
		.pid = fields.pid,
		.tid = fields.tid,
		.period = waiting->period,
		.cpu = fields.cpu,
		.chain = {
			.data = fields.chain,
			.elem_size = 8,
			.n = fields.n,
			.swap = rec->swap,
		},
	};
	err = resolve_collect_plain(tally->collector, rec, &plain, batch);
	if (err)
		return err;
	note(tally, waiting, &batch->items[batch->n - 1]);
	return NULL;
}

void resolve_tally_settle(
	struct resolve_tally *tally, const struct resolve_settled *settled, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct resolve_tally_row *row = &tally->table.rows[settled[i].row];

		row->sample = settled[i].sample;
		row->source = settled[i].source;
	}
	tally->n_pending -= n;
}

bool resolve_tally_must_restart(struct resolve_tally *tally)
{
	enum { MAX_CONTEXTS = MAX_SLOTS / 2 };

	tally->is_full |= tally->contexts.n > MAX_CONTEXTS;
	return tally->is_full && !tally->n_pending && !tally->n_queued;
}

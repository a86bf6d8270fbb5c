#include "resolve/batch/tally.h"

#include "base/limit.h"
#include "base/prefetch.h"
#include "profile/ahead.h"
#include "resolve/batch/plain.h"
#include "resolve/batch/tally_chain.h"

enum {
	/** 64 MiB with their rows. */
	MAX_SLOTS = PD_LIMIT_TALLY_SLOTS,
	MAX_CONTEXTS = MAX_SLOTS / 2,
	/** Part of the budget that the table may take. */
	TABLE_SHARE = 16,
	/** Number of rows whose samples are loaded ahead when their counts move. */
	AHEAD = 16,
	/** Number of samples whose call chains are loaded ahead. */
	CHAINS_AHEAD = 8,
};

/* Contents of a context. They are compared bytewise, so they have no padding. */
struct context {
	struct prof_thread_id thread;
	struct prof_event_id event;
	uint64_t maps;
	uint64_t kernel_maps;
	uint64_t cpumode;
};

void resolve_tally_init(struct resolve_tally *tally, const struct resolve_opts *opts)
{
	static const size_t bytes_of_slot =
		sizeof(struct base_slot) + sizeof(struct resolve_tally_row) * 2 / 3;
	uint64_t share = base_budget_share(opts->budget, TABLE_SHARE, MAX_SLOTS * bytes_of_slot);

	tally->has_tags = opts->request.tags;
	tally->keeps_addresses = prof_keeps_addresses(&opts->request);
	tally->table.max_slots = share / bytes_of_slot;
	tally->table.account = base_budget_account(opts->budget, PD_MEMORY_SAMPLES);
	tally->contexts.arena.account = tally->table.account;
}

void resolve_tally_deinit(struct resolve_tally *tally)
{
	resolve_tally_table_deinit(&tally->table);
	base_intern_deinit(&tally->contexts);
}

void resolve_tally_move(const struct resolve_tally_table *table, const struct resolve_first *firsts,
	struct profile *profile)
{
	for (size_t i = 0; i < table->n; i++) {
		size_t next = i + AHEAD < table->n ? i + AHEAD : i;
		const struct prof_value value = { table->rows[i].n_samples, table->rows[i].period };

		if (table->rows[next].n_samples)
			prof_prefetch_value(profile, firsts[next].sample);
		if (!value.samples)
			continue;
		prof_add_value(profile, firsts[i].sample, &value);
		profile->stats.origins[firsts[i].origin] += value.samples;
	}
}

/* Return the number of @p context; PD_INTERN_NONE: no memory. */
static uint32_t number_of(struct resolve_tally *tally, const struct resolve_context *context)
{
	const struct context contents = {
		.thread = context->thread,
		.event = context->event_id,
		.maps = context->maps->id,
		.kernel_maps = context->kernel_maps->id,
		.cpumode = context->cpumode,
	};

	return base_intern_add(&tally->contexts, &contents, sizeof(contents));
}

/* Begin anew if the table is full, and number the contexts of @p batch. */
static void begin(struct resolve_tally *tally, struct resolve_batch *batch)
{
	if (tally->is_full || tally->contexts.n > MAX_CONTEXTS) {
		batch->full = resolve_tally_table_take(&tally->table);
		base_intern_deinit(&tally->contexts);
	}
	tally->is_full = false;
	for (size_t i = 0; i < batch->n_contexts; i++) {
		struct resolve_context *context = &batch->contexts[i];

		context->number = number_of(tally, context);
		tally->is_full |= context->number == PD_INTERN_NONE;
	}
}

/* Read the call chain, in which unmapped addresses are the same unless rows have them. */
static bool read_chain(struct resolve_tally *tally, const struct resolve_plain *plain,
	const struct resolve_context *context, struct resolve_tally_chain *ret)
{
	struct pd_view links = resolve_plain_chain(plain);

	if (!tally->keeps_addresses)
		return resolve_tally_chain_read(ret, links, plain->ip, context->cpumode,
			resolve_mapped_regions(&tally->unmapped, context->maps), context->maps);
	/* Member by member, because an initializer would clear the entries, which are not used. */
	ret->bytes = links.data;
	ret->n = links.n;
	ret->ip = plain->ip;
	return true;
}

/*
 * Without a call chain, the key is exact. With one, it is a hash of 96 bits that is seeded at
 * random: among 4 million chains, two have the same key in one of 10^16 runs. False if the sample
 * has no key.
 */
static bool make_key(struct resolve_tally *tally, const struct resolve_plain *plain,
	const struct resolve_context *context, struct resolve_tally_key *ret)
{
	struct resolve_tally_chain chain;

	*ret = (struct resolve_tally_key){ plain->ip, context->number };
	if (context->number == PD_INTERN_NONE)
		return false;
	if (!plain->n_links)
		return true;
	if (!read_chain(tally, plain, context, &chain))
		return false;
	struct base_hash128 hash = base_hash_bytes128(chain.bytes, chain.n * 8);
	ret->low = base_hash_pair(hash.low + context->number * base_hash_seed.factor, chain.ip);
	ret->high = (uint32_t)hash.high ^ context->number;
	return true;
}

/* Start to load the slots and rows of @p n samples of @p batch from @p first on. */
static void load_group(
	struct resolve_tally *tally, const struct resolve_batch *batch, size_t first, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct resolve_plain *plain = &batch->plain[first + i];
		struct resolve_tally_sample *sample = &tally->samples[i];

		if (i + CHAINS_AHEAD < n && plain[CHAINS_AHEAD].n_links)
			base_prefetch(resolve_plain_chain(&plain[CHAINS_AHEAD]).data);
		sample->has_no_key =
			!make_key(tally, plain, &batch->contexts[plain->context], &sample->key);
		sample->hash = resolve_tally_hash(sample->key);
		resolve_tally_prefetch(&tally->table, sample->hash);
	}
	for (size_t i = 0; i < n; i++) {
		struct resolve_tally_sample *sample = &tally->samples[i];

		sample->row = resolve_tally_guess(&tally->table, sample->hash);
	}
}

/* Find the row of @p sample, which an earlier one of its group may have added. */
static uint32_t find(const struct resolve_tally *tally, const struct resolve_tally_sample *sample)
{
	if (sample->has_no_key)
		return RESOLVE_TALLY_NO_ROW;
	if (resolve_tally_is_row(&tally->table, sample->row, sample->key))
		return sample->row;
	return resolve_tally_find(&tally->table, sample->key, sample->hash);
}

/* Return the row of a new sample; RESOLVE_TALLY_NO_ROW: it has no key, or the table is full. */
static uint32_t add(struct resolve_tally *tally, const struct resolve_tally_sample *sample)
{
	if (sample->has_no_key || tally->is_full)
		return RESOLVE_TALLY_NO_ROW;
	uint32_t row = resolve_tally_add(&tally->table, sample->key, sample->hash);
	tally->is_full = row == RESOLVE_TALLY_NO_ROW;
	return row;
}

/* Count plain sample @p i of @p batch. */
static void count(struct resolve_tally *tally, const struct resolve_tally_sample *sample, size_t i,
	struct resolve_batch *batch)
{
	uint32_t row = find(tally, sample);

	if (row == RESOLVE_TALLY_NO_ROW) {
		batch->fresh[batch->n_fresh++] = (uint16_t)i;
		row = add(tally, sample);
	} else if (!tally->has_tags) {
		tally->table.rows[row].n_samples++;
		tally->table.rows[row].period += batch->plain[i].period;
	}
	batch->rows[i] = row;
}

void resolve_tally_count(struct resolve_tally *tally, struct resolve_batch *batch)
{
	begin(tally, batch);
	for (size_t first = 0, n; first < batch->n_plain; first += n) {
		n = batch->n_plain - first;
		if (n > RESOLVE_TALLY_GROUP)
			n = RESOLVE_TALLY_GROUP;
		load_group(tally, batch, first, n);
		for (size_t i = 0; i < n; i++)
			count(tally, &tally->samples[i], first + i, batch);
	}
}

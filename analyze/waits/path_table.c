#include "analyze/waits/path_table.h"

#include <stdlib.h>
#include <string.h>

#include <pdconv/record.h>

#include "base/array.h"
#include "base/containers/intern.h"
#include "base/containers/map.h"

/* Numbers that identify a row of the table. */
struct key {
	uint32_t comm;
	uint32_t instead;
	uint32_t instead_kind;
	uint32_t state;
	uint32_t kind;
	uint32_t symbol;
	uint32_t has_stack;
	uint32_t interrupt;
};

struct builder {
	const struct profile *profile;
	struct ana_path_table *ret;
	struct ana_wait_places places;
	/* Threads on the paths: an index by tid. */
	struct base_map by_tid;
	/* Rows of the profile in the order of time: those of thread i begin at starts[i]. */
	uint32_t *rows;
	uint32_t *starts;
	/* struct key of each row of the table. */
	struct base_intern keys;
};

static uint32_t tid_of(const struct profile *profile, struct prof_thread_id thread)
{
	return prof_thread(profile, thread)->tid;
}

static bool find_threads(struct builder *b)
{
	for (size_t i = 0; i < b->profile->path_steps.n; i++) {
		uint32_t tid = tid_of(b->profile, b->profile->path_steps.data[i].thread);
		bool is_new;
		uint64_t *at = base_map_add(&b->by_tid, tid, &is_new);

		if (!at)
			return false;
		if (is_new)
			*at = b->by_tid.n - 1;
	}
	return true;
}

/* Index of the thread of a row, if it is on a path and the row has a time. */
static const uint64_t *thread_of_row(const struct builder *b, size_t row)
{
	const struct prof_row *at = &b->profile->rows.data[row];
	const struct prof_sample *sample = prof_sample(b->profile, at->sample);

	return at->time == PD_NO_TIME
		       ? NULL
		       : base_map_find(&b->by_tid, tid_of(b->profile, sample->thread));
}

/* Sort the rows of the profile by thread. They are in the order of time. */
static bool sort_rows(struct builder *b)
{
	size_t n = b->by_tid.n;

	b->starts = base_calloc_n(n + 2, sizeof(*b->starts));
	for (size_t i = 0; b->starts && i < b->profile->rows.n; i++) {
		const uint64_t *thread = thread_of_row(b, i);

		base_spill_pass(&b->profile->rows, i);
		if (thread)
			b->starts[*thread + 2]++;
	}
	for (size_t i = 1; b->starts && i < n + 2; i++)
		b->starts[i] += b->starts[i - 1];
	b->rows = b->starts ? base_calloc_n(b->starts[n + 1], sizeof(*b->rows)) : NULL;
	for (size_t i = 0; b->rows && i < b->profile->rows.n; i++) {
		const uint64_t *thread = thread_of_row(b, i);

		base_spill_pass(&b->profile->rows, i);
		if (thread)
			b->rows[b->starts[*thread + 1]++] = (uint32_t)i;
	}
	return b->rows;
}

/* Rows of the thread of a step from the first one at @p time on, up to *end_ret. */
static const uint32_t *find_rows(const struct builder *b, const struct prof_path_step *step,
	uint64_t time, const uint32_t **end_ret)
{
	const uint64_t *at = base_map_find(&b->by_tid, tid_of(b->profile, step->thread));
	size_t low = b->starts[*at], high = b->starts[*at + 1];

	*end_ret = &b->rows[high];
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (b->profile->rows.data[b->rows[middle]].time < time)
			low = middle + 1;
		else
			high = middle;
	}
	return &b->rows[low];
}

static bool count(
	struct builder *b, const struct prof_path_step *step, const struct key *key, uint64_t ns)
{
	const struct ana_path_row fresh = {
		.comm = { key->comm },
		.thread = step->thread,
		.instead = { key->instead },
		.instead_kind = (enum prof_instead)key->instead_kind,
		.interrupt = { key->interrupt },
		.state = (enum prof_ledger_state)key->state,
		.kind = (enum ana_wait_kind)key->kind,
		.symbol = key->symbol,
		.has_stack = key->has_stack,
	};
	uint32_t id = base_intern_add(&b->keys, key, sizeof(*key));

	if (id == PD_INTERN_NONE || (id == b->ret->list.n && !pd_vec_push(&b->ret->list, fresh)))
		return false;
	struct ana_path_row *row = &b->ret->list.data[id];
	if (!prof_same_thread(row->thread, step->thread))
		row->thread = prof_no_thread();
	row->ns += ns;
	row->n++;
	b->ret->ns[key->state] += ns;
	b->ret->whole += ns;
	b->ret->has_interrupts |= key->interrupt != 0;
	b->ret->has_instead |= key->instead_kind != PROF_INSTEAD_UNKNOWN;
	return true;
}

/* Complete a key by the stack of a row of the profile. */
static struct key at_stack(const struct builder *b, struct key key, uint32_t row)
{
	const struct prof_sample *sample =
		prof_sample(b->profile, b->profile->rows.data[row].sample);
	const struct ana_wait_place place = ana_wait_place(&b->places, sample->stack);

	key.symbol = place.symbol;
	if (key.state == PROF_LEDGER_BLOCKED) {
		key.has_stack = true;
		key.kind = place.kind;
	}
	return key;
}

/* Divide the time of a thread that ran by its samples, each of which ends a part. */
static bool add_running(struct builder *b, const struct prof_path_step *step, struct key key)
{
	const uint32_t *end, *row = find_rows(b, step, step->begin_ns + 1, &end);
	uint64_t time, from = step->begin_ns;

	for (; row < end && from < step->end_ns; row++) {
		time = b->profile->rows.data[*row].time;
		if (time > step->until_ns)
			break;
		if (time > step->end_ns)
			time = step->end_ns;
		key = at_stack(b, key, *row);
		if (time > from && !count(b, step, &key, time - from))
			return false;
		from = time;
	}
	return from == step->end_ns || count(b, step, &key, step->end_ns - from);
}

/* The switch with which a wait began is a sample of the thread. */
static bool add_blocked(struct builder *b, const struct prof_path_step *step, struct key key)
{
	const uint32_t *end, *row = find_rows(b, step, step->since_ns, &end);

	if (row < end && b->profile->rows.data[*row].time == step->since_ns)
		key = at_stack(b, key, *row);
	return count(b, step, &key, step->end_ns - step->begin_ns);
}

static bool add_step(struct builder *b, const struct prof_path_step *step)
{
	const struct key key = {
		.comm = prof_thread(b->profile, step->thread)->comm.i,
		.instead = prof_is_none(step->instead)
				   ? PROF_NONE
				   : prof_thread(b->profile, step->instead)->comm.i,
		.instead_kind = step->instead_kind,
		.state = step->state,
		.symbol = PROF_NONE,
		.interrupt = step->interrupt.i,
	};

	switch (step->state) {
	case PROF_LEDGER_RUNNING:
		return add_running(b, step, key);
	case PROF_LEDGER_BLOCKED:
		return add_blocked(b, step, key);
	default:
		return count(b, step, &key, step->end_ns - step->begin_ns);
	}
}

/* Key of a row of the table. */
static struct key key_of(const struct ana_path_row *row)
{
	return (struct key){ row->comm.i, row->instead.i, row->instead_kind, row->state, row->kind,
		row->symbol, row->has_stack, row->interrupt.i };
}

/* The longest first. The comparison ends with an identity. */
static int compare(const void *a, const void *b)
{
	const struct ana_path_row *x = a;
	const struct ana_path_row *y = b;

	if (x->ns != y->ns)
		return x->ns > y->ns ? -1 : 1;
	const struct key key_x = key_of(x), key_y = key_of(y);
	return memcmp(&key_x, &key_y, sizeof(key_x));
}

static bool build(struct builder *b)
{
	if (!find_threads(b) || !sort_rows(b))
		return false;
	for (size_t i = 0; i < b->profile->path_steps.n; i++) {
		if (!add_step(b, &b->profile->path_steps.data[i]))
			return false;
	}
	if (b->ret->list.n)
		qsort(b->ret->list.data, b->ret->list.n, sizeof(*b->ret->list.data), compare);
	return true;
}

struct pd_error *ana_path_table_create(const struct profile *profile,
	const struct ana_symbols *symbols, struct ana_path_table *ret)
{
	struct builder b = { .profile = profile, .ret = ret };

	*ret = (struct ana_path_table){ 0 };
	bool ok = ana_wait_places_create(profile, symbols, &b.places) && build(&b);
	ana_wait_places_deinit(&b.places);
	base_map_deinit(&b.by_tid);
	base_intern_deinit(&b.keys);
	free(b.rows);
	free(b.starts);
	if (ok)
		return NULL;
	ana_path_table_deinit(ret);
	return &pd_enomem;
}

void ana_path_table_deinit(struct ana_path_table *table)
{
	pd_vec_deinit(&table->list);
}

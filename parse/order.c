#include "parse/order.h"

#include <string.h>

#include "base/chunk.h"
#include "base/limit.h"
#include "base/containers/merge_sort.h"
#include "base/prefetch.h"

/*
 * Number of records before it is returned at which a record is loaded. It was read long before, in
 * the order of the file.
 */
enum { AHEAD = 8 };

/* Memory of the queue itself, without the chunks. */
static size_t queue_bytes(const struct parse_order *order)
{
	return (order->queue.cap + order->scratch_cap) * sizeof(struct pd_record);
}

void parse_order_deinit(struct parse_order *order)
{
	for (size_t i = order->next_out; i < order->queue.n; i++)
		base_chunk_unref(order->queue.data[i].chunk);
	base_account_release(order->account, queue_bytes(order) + order->held_bytes);
	pd_vec_deinit(&order->queue);
	free(order->scratch);
	*order = (struct parse_order){ 0 };
}

static bool is_older(const void *a, const void *b)
{
	const struct pd_record *x = a, *y = b;

	return x->time < y->time;
}

static const struct base_merge_order by_time = { sizeof(struct pd_record), is_older };

static bool grow_scratch(struct parse_order *order, size_t n)
{
	size_t before = queue_bytes(order);

	if (!pd_vec_grow((void **)&order->scratch, &order->scratch_cap, n, sizeof(*order->scratch)))
		return false;
	base_account_note(order->account, queue_bytes(order) - before);
	return true;
}

static bool grow_queue(struct parse_order *order)
{
	size_t before = queue_bytes(order);

	if (!pd_vec_reserve(&order->queue, order->queue.n + 1))
		return false;
	base_account_note(order->account, queue_bytes(order) - before);
	return true;
}

static void swap_with_scratch(struct parse_order *order)
{
	struct pd_record *data = order->queue.data;
	size_t cap = order->queue.cap;

	order->queue.data = order->scratch;
	order->queue.cap = order->scratch_cap;
	order->scratch = data;
	order->scratch_cap = cap;
}

/*
 * Sort the waiting records, and move them to the front, over those that were returned. Every ring
 * buffer contributes ascending runs, which a natural merge sort exploits.
 */
static bool sort(struct parse_order *order)
{
	struct pd_record *waiting = order->queue.data + order->next_out, *sorted = waiting;
	size_t n = order->queue.n - order->next_out;

	if (!base_merge_is_sorted(waiting, n, &by_time)) {
		if (n > order->scratch_cap && !grow_scratch(order, n))
			return false;
		sorted = base_merge_sort_either(waiting, order->scratch, n, &by_time);
	}
	if (sorted != waiting)
		swap_with_scratch(order);
	else if (order->next_out)
		memmove(order->queue.data, waiting, n * sizeof(*waiting));
	order->queue.n = n;
	order->n_ready -= order->next_out;
	order->next_out = 0;
	return true;
}

/* Release records up to time, and the first n even if they are newer. */
static bool release(struct parse_order *order, uint64_t time, size_t n)
{
	if (!order->queue.n)
		return true;
	if (!sort(order))
		return false;
	if (order->n_ready < n)
		order->n_ready = n;
	while (order->n_ready < order->queue.n && order->queue.data[order->n_ready].time <= time)
		order->n_ready++;
	return true;
}

static bool is_full(const struct parse_order *order)
{
	size_t max_records = order->max_records ? order->max_records : PD_LIMIT_WAITING_RECORDS;
	uint64_t max_bytes = order->max_held_bytes ? order->max_held_bytes : PD_LIMIT_WAITING_BYTES;

	return order->queue.n - order->next_out > max_records || order->held_bytes > max_bytes;
}

bool parse_order_push(struct parse_order *order, const struct pd_record *rec)
{
	if (order->queue.n == order->queue.cap && !grow_queue(order))
		return false;
	order->queue.data[order->queue.n++] = *rec;
	if (base_chunk_ref(rec->chunk) && !rec->chunk->n_waiting++) {
		order->held_bytes += rec->chunk->size;
		base_account_note(order->account, rec->chunk->size);
	}
	if (rec->time > order->max_seen && rec->time < PD_FIRST_FAKE_TIME)
		order->max_seen = rec->time;
	if (!is_full(order))
		return true;
	order->n_forced++;
	return release(order, 0, (order->queue.n - order->next_out + 1) / 2);
}

bool parse_order_round(struct parse_order *order)
{
	uint64_t until = order->next_flush;

	order->next_flush = order->max_seen;
	return release(order, until, 0);
}

bool parse_order_end(struct parse_order *order)
{
	return release(order, UINT64_MAX, 0);
}

/* Start to load both ends of a record: fields are at both. */
static void load(const struct pd_record *rec)
{
	base_prefetch(rec->bytes);
	base_prefetch((const void *)((uintptr_t)rec->bytes + rec->size - 1));
}

bool parse_order_pop(struct parse_order *order, struct pd_record *ret)
{
	if (order->next_out >= order->n_ready)
		return false;
	if (order->n_ready - order->next_out > AHEAD)
		load(&order->queue.data[order->next_out + AHEAD]);
	*ret = order->queue.data[order->next_out++];
	if (ret->chunk && !--ret->chunk->n_waiting) {
		order->held_bytes -= ret->chunk->size;
		base_account_release(order->account, ret->chunk->size);
	}
	return true;
}

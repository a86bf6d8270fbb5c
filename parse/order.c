#include "parse/order.h"

#include <string.h>

#include "base/chunk.h"

enum { MAX_RECORDS = 1 << 22, MAX_HELD_BYTES = 1 << 30 };

void pd_order_deinit(struct pd_order *order)
{
	for (size_t i = order->next_out; i < order->queue.n; i++)
		pd_chunk_unref(order->queue.data[i].chunk);
	pd_vec_deinit(&order->queue);
	free(order->scratch);
	*order = (struct pd_order){ 0 };
}

/* Where the ascending run that begins at start ends. */
static size_t run_end(const struct pd_record *recs, size_t start, size_t n)
{
	size_t end = start + 1;

	while (end < n && recs[end - 1].time <= recs[end].time)
		end++;
	return end;
}

static void merge(const struct pd_record *in, size_t middle, size_t n, struct pd_record *out)
{
	size_t left = 0;
	size_t right = middle;

	for (size_t i = 0; i < n; i++) {
		bool from_left = right == n || (left < middle && in[left].time <= in[right].time);
		out[i] = from_left ? in[left++] : in[right++];
	}
}

/* Merge neighbouring runs pairwise; true if one run is left. */
static bool merge_runs(struct pd_record *recs, size_t n, struct pd_record *scratch)
{
	size_t n_merged = 0;

	for (size_t start = 0; start < n;) {
		size_t middle = run_end(recs, start, n);
		size_t end = middle < n ? run_end(recs, middle, n) : n;

		if (middle < n) {
			merge(recs + start, middle - start, end - start, scratch);
			memcpy(recs + start, scratch, (end - start) * sizeof(*recs));
		}
		n_merged++;
		start = end;
	}
	return n_merged <= 1;
}

/* Every ring buffer contributes ascending runs, so a natural merge sort has little to do. */
static bool sort(struct pd_order *order)
{
	struct pd_record *recs = order->queue.data + order->next_out;
	size_t n = order->queue.n - order->next_out;

	if (n < 2 || run_end(recs, 0, n) == n)
		return true;
	if (n > order->scratch_cap && !pd_vec_grow((void **)&order->scratch, &order->scratch_cap, n,
					      sizeof(*order->scratch)))
		return false;
	while (!merge_runs(recs, n, order->scratch))
		;
	return true;
}

/* Room for what has left is used again. */
static void compact(struct pd_order *order)
{
	size_t left = order->queue.n - order->next_out;

	if (order->next_out)
		memmove(order->queue.data, order->queue.data + order->next_out,
			left * sizeof(*order->queue.data));
	order->queue.n = left;
	order->n_ready -= order->next_out;
	order->next_out = 0;
}

/* What is not newer than time, and in any case the first n. */
static bool release(struct pd_order *order, uint64_t time, size_t n)
{
	if (!order->queue.n)
		return true;
	if (!sort(order))
		return false;
	compact(order);
	if (order->n_ready < n)
		order->n_ready = n;
	while (order->n_ready < order->queue.n && order->queue.data[order->n_ready].time <= time)
		order->n_ready++;
	return true;
}

static bool is_full(const struct pd_order *order)
{
	size_t max_records = order->max_records ? order->max_records : MAX_RECORDS;
	uint64_t max_bytes = order->max_held_bytes ? order->max_held_bytes : MAX_HELD_BYTES;

	return order->queue.n - order->next_out > max_records || order->held_bytes > max_bytes;
}

bool pd_order_push(struct pd_order *order, const struct pd_record *rec)
{
	if (!pd_vec_push(&order->queue, *rec))
		return false;
	if (pd_chunk_ref(rec->chunk) && !rec->chunk->n_waiting++)
		order->held_bytes += rec->chunk->size;
	if (rec->time > order->max_seen && rec->time < PD_FIRST_FAKE_TIME)
		order->max_seen = rec->time;
	return !is_full(order) || release(order, 0, (order->queue.n - order->next_out + 1) / 2);
}

bool pd_order_round(struct pd_order *order)
{
	uint64_t until = order->next_flush;

	order->next_flush = order->max_seen;
	return release(order, until, 0);
}

bool pd_order_end(struct pd_order *order)
{
	return release(order, UINT64_MAX, 0);
}

bool pd_order_pop(struct pd_order *order, struct pd_record *ret)
{
	if (order->next_out >= order->n_ready)
		return false;
	*ret = order->queue.data[order->next_out++];
	if (ret->chunk && !--ret->chunk->n_waiting)
		order->held_bytes -= ret->chunk->size;
	return true;
}

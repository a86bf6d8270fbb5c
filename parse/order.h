/**
 * @file Putting records in time order.
 *
 * perf drains the ring buffers one after the other, each in time order, and marks the end of a
 * round with FINISHED_ROUND. When round n ends, nothing older than the newest record seen by the end
 * of round n - 1 can still come. So records wait here in a window of two rounds; without rounds,
 * until the end. Equal times keep the order of the file.
 *
 * A recording without rounds, or one that unpacks to far more than its size, must not take memory
 * without bound: at a limit the older half of what waits is let go.
 *
 * Times that only count (PD_FIRST_FAKE_TIME) come last and say nothing of the window.
 */
#ifndef PD_PARSE_ORDER_H
#define PD_PARSE_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/record.h>
#include <pdconv/vec.h>

/** Zeroed: empty. */
struct pd_order {
	/** From next_out to n_ready in order, the rest as it came. */
	PD_VEC(struct pd_record) queue;
	size_t next_out;
	size_t n_ready;
	struct pd_record *scratch;
	size_t scratch_cap;
	/** Newest time seen; newest time that may leave at the next mark. */
	uint64_t max_seen;
	uint64_t next_flush;
	/** Bytes of the chunks that waiting records keep in memory. */
	uint64_t held_bytes;
	/** Limits of what waits; 0: 4 million records, 1 GiB. */
	size_t max_records;
	uint64_t max_held_bytes;
};

void pd_order_deinit(struct pd_order *order);

/** Add a record with a time; its chunk is kept. False if there is no memory. */
bool pd_order_push(struct pd_order *order, const struct pd_record *rec);

/** A FINISHED_ROUND was read. False if there is no memory. */
bool pd_order_round(struct pd_order *order);

/** No more records come. False if there is no memory. */
bool pd_order_end(struct pd_order *order);

/** The next record in time order whose turn it is; false if none is. Hands over its chunk. */
bool pd_order_pop(struct pd_order *order, struct pd_record *ret);

#endif

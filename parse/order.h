/**
 * @file Queue that sorts records by time.
 *
 * perf drains the ring buffers one after the other, each in order of time, and marks the end of a
 * round with FINISHED_ROUND. When round n ends, no later record can be older than the newest record
 * at the end of round n - 1. So records wait for up to two rounds, or until the end if there are no
 * rounds. Records with equal times keep their order in the file.
 *
 * Memory must be bounded for a recording without rounds, or one that decompresses to many times its
 * size: at a limit the older half of the waiting records is released.
 *
 * Times from PD_FIRST_FAKE_TIME on are serial numbers. They are sorted last and do not move the
 * window.
 */
#ifndef PD_PARSE_ORDER_H
#define PD_PARSE_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/record.h>
#include <pdconv/vec.h>

#include "base/budget.h"

/** A zeroed queue is empty. */
struct parse_order {
	/**
	 * Records [next_out, n_ready) are sorted and ready; later ones are in the order of their
	 * arrival.
	 */
	PD_VEC(struct pd_record) queue;
	size_t next_out;
	size_t n_ready;
	/** Room for sorting, which takes the place of the queue when sorted records are in it. */
	struct pd_record *scratch;
	size_t scratch_cap;
	/** Newest time so far, and newest time that the next FINISHED_ROUND releases. */
	uint64_t max_seen;
	uint64_t next_flush;
	/** Size of the chunks that waiting records keep in memory, in bytes. */
	uint64_t held_bytes;
	/** Limits of waiting records; 0: PD_LIMIT_WAITING_RECORDS and PD_LIMIT_WAITING_BYTES. */
	size_t max_records;
	uint64_t max_held_bytes;
	/** How often records were released because of these limits. */
	uint64_t n_forced;
	/** Account that counts the queue and the chunks; NULL: none. */
	struct base_account *account;
};

void parse_order_deinit(struct parse_order *order);

/** Add a record that has a time, and take a reference to its chunk. False if out of memory. */
bool parse_order_push(struct parse_order *order, const struct pd_record *rec);

/** Handle a FINISHED_ROUND. False if out of memory. */
bool parse_order_round(struct parse_order *order);

/** Release all records at the end of the input. False if out of memory. */
bool parse_order_end(struct parse_order *order);

/** Get the next record that is ready, with the reference to its chunk. False if none is ready. */
bool parse_order_pop(struct parse_order *order, struct pd_record *ret);

#endif

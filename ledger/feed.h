/**
 * @file Feed: fills a ledger from the records of a recording.
 *
 * These records have what the ledger needs: samples of the scheduler's tracepoints, SWITCH and
 * SWITCH_CPU_WIDE, samples of offcpu-time, FORK, EXIT, COMM, and marks of the beginning and the
 * end. Any other record shows that its thread ran, and that the recording had begun and was not
 * over.
 */
#ifndef PD_LEDGER_FEED_H
#define PD_LEDGER_FEED_H

#include <pdconv/error.h>

#include "base/containers/intern.h"
#include "ledger/ledger.h"
#include "ledger/sched.h"
#include "profile/sample_filter.h"

struct led_feed {
	/** The present record, and the interrupt in which it is. Borrowed. */
	const struct led_interrupts *interrupts;
	struct ledger ledger;
	/** Names of threads. */
	struct base_intern names;
	/** There is to be no ledger unless an event or a switch says more than that threads ran. */
	bool is_optional;
	/** led_feed_finish() adds each change of a state. Requires ledger.timeline.is_kept. */
	bool keeps_changes;
	/**
	 * Strings of the profile, indexed by the number of an interrupt. Borrowed; set before
	 * led_feed_finish().
	 */
	const struct prof_string_id *interrupt_names;
	/** Paths of control groups by number, as strings of the profile. Borrowed; NULL: none. */
	const struct base_map *cgroups;
	/** Time of the last record of each CPU. */
	struct base_map last_times;
	/** Time of the last mark of a beginning or an end; 0: there is none. */
	uint64_t last_mark;
};

/** @p interrupts are borrowed. They take each record before the ledger. */
void led_feed_init(struct led_feed *feed, const struct led_interrupts *interrupts);
void led_feed_deinit(struct led_feed *feed);

/** Whether the ledger is optional, and none of the events that are known so far makes one. */
bool led_feed_is_idle(const struct led_feed *feed);

/** Take the present record. They are passed in the order of time. Errors: no memory. */
struct pd_error *led_feed_take(struct led_feed *feed) pd_must_check;

/**
 * Add the ledger to @p profile, with the threads that @p filter includes; NULL: all. An optional
 * one may be missing. Errors: no memory; those of temporary files.
 */
struct pd_error *led_feed_finish(struct led_feed *feed, const struct prof_filter *filter,
	struct profile *profile) pd_must_check;

/**
 * After led_feed_finish(), add the phases of the lives that are in @p profile. The ledger has kept
 * its timeline. Errors: no memory; those of temporary files.
 */
struct pd_error *led_feed_add_phases(struct led_feed *feed, const struct prof_filter *filter,
	struct profile *profile) pd_must_check;

/** Whether wakeups were recorded, and a thread @p owner: see led_path_owner(). */
bool led_feed_has_path(const struct led_feed *feed, const char *owner);

/**
 * After led_feed_finish(), add the critical path of the thread @p owner: see led_path_owner().
 * Errors: no memory; USAGE, no thread has this number or name.
 */
struct pd_error *led_feed_add_path(
	struct led_feed *feed, const char *owner, struct profile *profile) pd_must_check;

#endif

/**
 * @file Intervals: pairs of events in which something begins and ends, such as system calls.
 *
 * A kind of intervals has a name, two events, and keys: an interval ends with the first event that
 * has the same values of the keys as its beginning. Kinds are those of ledger/interval_defs.h whose
 * events are in the recording, and those that the user declares.
 */
#ifndef PD_LEDGER_INTERVALS_H
#define PD_LEDGER_INTERVALS_H

#include <stdbool.h>
#include <stdint.h>

#include <pdconv/error.h>
#include <pdconv/file.h>
#include <pdconv/sample.h>
#include <pdconv/trace_format.h>
#include <pdconv/vec.h>

#include "base/containers/intern.h"
#include "profile/profile.h"

/** Most keys of a kind, and most kinds that can be declared. */
enum { LED_MAX_KEYS = 6, LED_MAX_DECLARED = 1000 };

/** In place of the number of a beginning. */
#define LED_NO_BEGINNING UINT32_MAX

/** How the field that names intervals is written. */
enum led_words {
	/** In the words of the kernel. */
	LED_WORDS_PRINTED,
	LED_WORDS_SYSCALL,
	/** Major and minor number of a dev_t. */
	LED_WORDS_DEVICE,
	LED_WORDS_ADDRESS,
};

/** A kind of intervals. Texts are owned; NULL: there is none. */
struct led_interval_kind {
	char *name;
	char *begin;
	char *end;
	char *keys[LED_MAX_KEYS];
	size_t n_keys;
	char *check;
	char *label;
	enum led_words words;
	char *error;
	bool is_of_threads;
	/**
	 * The user has declared it. It is an error if the recording lacks something of it, and an
	 * interval may begin within another one with the same keys, like a recursive function.
	 * Those of known kinds begin again.
	 */
	bool is_declared;
	/** The recording has these events. */
	bool has_begin;
	bool has_end;
	uint64_t n_unended;
	uint64_t n_unbegun;
	uint64_t n_restarted;
};

/** The role of an event in a kind. */
struct led_interval_role {
	uint32_t kind;
	uint32_t event;
	bool is_end;
	const struct pd_tracepoint *tracepoint;
	/** Where values are. NULL: not in a field of the event. */
	const struct pd_trace_field *keys[LED_MAX_KEYS];
	const struct pd_trace_field *check;
	const struct pd_trace_field *label;
	const struct pd_trace_field *error;
};

/** An interval that has begun. */
struct led_interval_open {
	uint64_t time;
	/** Value of the field that the end must have, too. */
	uint64_t check;
	uint32_t label;
	/** Number of the sample among those that began something and have a stack. */
	uint32_t beginning;
	struct prof_thread_id thread;
	/** Index + 1 of the one around it with the same keys; of a free entry: the next one. */
	uint32_t outer;
};

/** Zeroed, it has no kinds and no roles. */
struct led_intervals {
	PD_VEC(struct led_interval_kind) kinds;
	PD_VEC(struct led_interval_role) roles;
	/** Number of events whose roles are known. */
	size_t n_events;
	/** Values of keys, and by their number the index + 1 of the innermost open interval. */
	struct base_intern keys;
	PD_VEC(uint32_t) innermost;
	PD_VEC(struct led_interval_open) open;
	/** Index + 1 of a free entry. */
	uint32_t free;
	/** Labels by role and number, to write each once. */
	struct base_intern numbers;
	PD_VEC(uint32_t) number_labels;
	/** Texts of labels. */
	struct base_intern labels;
	/** Stacks of beginnings by their number; none: not known yet. */
	PD_VEC(struct prof_stack_id) stacks;
};

/** A sample that may begin or end intervals. */
struct led_interval_sample {
	const struct pd_file *file;
	const struct pd_sample *sample;
	/** Index of its event. */
	uint32_t event;
	uint64_t time;
	uint32_t cpu;
	struct prof_thread_id thread;
	/** It has a stack, which is known later. */
	bool has_stack;
};

/**
 * Add the known kinds, and those that @p texts declare: "NAME=BEGIN,END[,KEY...]". Events are
 * called as in the recording. Errors: USAGE, a declaration is wrong; no memory.
 */
struct pd_error *led_intervals_set_up(
	struct led_intervals *intervals, const char *const *texts, size_t n_texts) pd_must_check;
void led_intervals_deinit(struct led_intervals *intervals);

/**
 * Take a sample; samples come in the order of time. What ends is added to profile.intervals, with
 * numbers of kinds, labels and stacks that are not yet those of the profile. *@p beginning_ret is
 * the number for led_intervals_set_stack(); LED_NO_BEGINNING: no stack is wanted. Errors: NOMEM;
 * OS.
 */
struct pd_error *led_intervals_take(struct led_intervals *intervals,
	const struct led_interval_sample *at, struct profile *profile,
	uint32_t *beginning_ret) pd_must_check;

/** Set the stack of the sample with this number. */
void led_intervals_set_stack(
	struct led_intervals *intervals, uint32_t beginning, struct prof_stack_id stack);

/**
 * Add the kinds to @p profile, and complete its intervals. Errors: USAGE, the recording lacks an
 * event of a declared kind; no memory.
 */
struct pd_error *led_intervals_finish(
	struct led_intervals *intervals, struct profile *profile) pd_must_check;

#endif

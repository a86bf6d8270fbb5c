/**
 * @file Which programs used the processors, and how long these were idle.
 */
#ifndef PD_ANALYZE_USAGE_H
#define PD_ANALYZE_USAGE_H

#include <pdconv/error.h>
#include <pdconv/vec.h>

#include "profile/profile.h"

/** Processes of one name. A process is called like its main thread. */
struct ana_program {
	struct prof_string_id name;
	uint32_t n_processes;
	/** Sum of the periods. */
	uint64_t period;
};

struct ana_usage {
	/** Programs with samples, those with most first, without the idle task. */
	PD_VEC(struct ana_program) programs;
	size_t n_processes;
	/** Threads with samples, each under one name only. */
	size_t n_threads;
	/** Sums of the periods of the idle task and of all others. */
	uint64_t idle;
	uint64_t busy;
	/** The idle task was sampled: the whole machine was recorded, or all that ran on a CPU. */
	bool has_idle;
	/** All that ran on CPUs was sampled, and several programs did, or nothing at times. */
	bool is_of_machine;
};

/** Whether @p thread is the task that a CPU runs if nothing else can run. */
bool ana_is_idle(const struct profile *profile, const struct prof_thread *thread);

/** Sum up the samples of @p event. Errors: NOMEM. */
struct pd_error *ana_usage_count(const struct profile *profile, struct prof_event_id event,
	struct ana_usage *ret) pd_must_check;
void ana_usage_deinit(struct ana_usage *usage);

#endif

/**
 * @file State of a profiler.
 */
#ifndef PD_API_PROFILER_PRIVATE_H
#define PD_API_PROFILER_PRIVATE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>

#include <pdconv/profiler.h>
#include <pdconv/vec.h>

#include "capture/recording.h"

struct pd_profiler {
	struct cap_recording recording;
	/** How the recording becomes a profile. */
	struct pd_profile_opts profile;
	/** "KEY=VALUE" each; the recording borrows them. */
	PD_VEC(char *) tags;
	/** The recording, and its name for messages. */
	FILE *file;
	const char *name;
	int stop_fd;
	/** An eventfd: the thread adds to it when recording has begun, and when it ends. */
	int begun_fd;
	pthread_t thread;
	bool is_running;
	/** Result of the thread, once it has ended. */
	struct pd_error *err;
};

/**
 * Set the target, the events and the tags of the recording, and how it becomes a profile. Errors:
 * USAGE, OS, NOMEM.
 */
struct pd_error *pd_profiler_set_up(
	struct pd_profiler *profiler, const struct pd_profiler_opts *opts) pd_must_check;

#endif

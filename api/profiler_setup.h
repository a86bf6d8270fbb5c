/**
 * @file A profiler, and how its options become those of a recording.
 */
#ifndef PD_API_PROFILER_SETUP_H
#define PD_API_PROFILER_SETUP_H

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>

#include <pdconv/profiler.h>
#include <pdconv/vec.h>

#include "api/output_sink.h"
#include "base/arena.h"
#include "capture/run/recording.h"

struct pd_profiler {
	struct cap_recording recording;
	/** How the recording becomes a profile: a copy. */
	struct pd_profile_opts profile;
	/** Texts of the options. */
	struct base_arena arena;
	/** "KEY=VALUE" each; the recording borrows them. */
	PD_VEC(char *) tags;
	/** The recording, and its name for messages. */
	FILE *file;
	const char *name;
	/** The file while is_unnamed is set: it gets its name later. */
	struct api_file_sink sink;
	bool is_unnamed;
	int stop_fd;
	/** An eventfd: the thread adds to it when recording has begun, and when it ends. */
	int begun_fd;
	/** An eventfd that wakes the thread to serve the request. */
	int request_fd;
	pthread_t thread;
	bool is_running;

	/** Protects the members below, which other threads may wait for. */
	pthread_mutex_t lock;
	pthread_cond_t changed;
	/** Request that is being served; NULL: none. Borrowed from the thread that made it. */
	struct api_profiler_request *request;
	/** The thread has ended, with its result. */
	bool has_ended;
	struct pd_error *err;
};

/**
 * Set the target, the events and the tags of the recording, and how it becomes a profile. Errors:
 * USAGE, OS, NOMEM.
 */
struct pd_error *api_profiler_set_up(
	struct pd_profiler *profiler, const struct pd_profiler_opts *opts) pd_must_check;

#endif

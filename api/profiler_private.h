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

#include "api/file_sink.h"
#include "base/arena.h"
#include "capture/run/recording.h"

struct pd_profiler {
	struct cap_recording recording;
	/** How the recording becomes a profile: a copy. */
	struct pd_profile_opts profile;
	/** Texts of the options. */
	struct pd_arena arena;
	/** "KEY=VALUE" each; the recording borrows them. */
	PD_VEC(char *) tags;
	/** The recording, and its name for messages. */
	FILE *file;
	const char *name;
	/** The file while is_unnamed is set: it gets its name later. */
	struct pd_file_sink sink;
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
	struct pd_profiler_request *request;
	/** The thread has ended, with its result. */
	bool has_ended;
	struct pd_error *err;
};

/** A request of another thread to the one that records. */
struct pd_profiler_request {
	/** Process to add; 0: write a snapshot to @ref out. */
	pid_t pid;
	FILE *out;
	struct cap_snapshot snapshot;
	bool is_done;
	struct pd_error *err;
};

/**
 * Let the thread serve @p request, and wait until it has. *@p has_ended_ret: it was not served,
 * because the recording has ended. Errors: those of the request, or of a recording that failed.
 */
struct pd_error *pd_profiler_ask(struct pd_profiler *profiler, struct pd_profiler_request *request,
	bool *has_ended_ret) pd_must_check;

/** A cap_on_request, whose context is a profiler: serve its request. */
void pd_profiler_serve(void *ctx, struct cap_run *run);

/** Return a copy of the error of the recording, which has ended; NULL: it succeeded. */
struct pd_error *pd_profiler_failure(struct pd_profiler *profiler) pd_must_check;

/** Convert the recording, which has ended. Errors: see pd_convert(). */
struct pd_error *pd_profiler_convert(const struct pd_profiler *profiler, const char *format,
	pd_on_bytes *fn, void *ctx) pd_must_check;

/** Statistics of what @p counts counted. */
struct pd_profiler_result pd_profiler_result_of(const struct cap_counts *counts);

/** Like pd_profiler_stop(), in @p format. */
struct pd_error *pd_profiler_stop_as(struct pd_profiler *profiler, const char *format,
	pd_on_bytes *fn, void *ctx, struct pd_profiler_result *ret) pd_must_check;

/**
 * Set the target, the events and the tags of the recording, and how it becomes a profile. Errors:
 * USAGE, OS, NOMEM.
 */
struct pd_error *pd_profiler_set_up(
	struct pd_profiler *profiler, const struct pd_profiler_opts *opts) pd_must_check;

#endif

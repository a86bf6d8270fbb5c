/**
 * @file A recording from beginning to end: events are opened, what is there already is told, and what the
 * kernel writes goes to a file until somebody ends it.
 */
#ifndef PD_CAPTURE_RECORDER_H
#define PD_CAPTURE_RECORDER_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <pdconv/error.h>
#include <pdconv/writer.h>

#include "capture/session.h"
#include "capture/sink.h"
#include "capture/target.h"

struct cap_record_opts {
	/** Of the output, for messages; borrowed. */
	const char *name;
	/** Write a stream: the output cannot go back. */
	bool is_pipe;
	/** zstd's, 0: records are not compressed. */
	int level;
	/** Number of the event that samples context switches, to tell how long threads waited; -1: none. */
	int offcpu_event;
	/** Records of context switches are wanted besides. */
	bool keep_switches;
	/** Of each CPU's ring, a power of two. */
	size_t pages;
	/** Seconds after which it ends by itself, 0: it does not; and before which nothing is counted. */
	double duration;
	double delay;
	/** Readable: the recording ends, and signals are let alone. -1: SIGINT and SIGTERM end it. */
	int stop_fd;
	/** An eventfd that is written to when events have been let go; -1: nobody asks. */
	int begun_fd;
	/**
	 * Write records that tell of what was there before: called when events are open and none counts.
	 * NULL: there is nothing to tell.
	 */
	struct pd_error *(*before)(
		void *ctx, struct cap_sink *sink, const struct cap_session *session);
	/**
	 * The same while it is recorded: called when the rings have been read, in the same round. @p has_more_ret:
	 * there is more to tell in this round, but the rings want to be read. NULL: there is nothing.
	 */
	struct pd_error *(*during)(void *ctx, bool *has_more_ret);
	/** Add the features of a file, when all is written; NULL: it has none. */
	struct pd_error *(*after)(void *ctx, struct pd_writer *writer,
		const struct cap_session *session, const struct cap_counts *counts);
	/** For all of them. */
	void *ctx;
};

/** What came of it. */
struct cap_record_result {
	/** Events were let go. If it fails later, this alone is set. */
	bool has_begun;
	struct cap_counts counts;
	/** Bytes of the file. */
	uint64_t file_bytes;
	/** Seconds of the recorder's own CPU time. */
	double cpu_seconds;
	/** CPUs of which nothing was recorded, or nothing from some moment on. */
	size_t n_offline;
	/** Threads that ended before they could be looked at. */
	size_t n_gone;
	/** SIGINT or SIGTERM ended it; 0: none did. */
	int signal;
};

/** SIGINT, SIGTERM and SIGCHLD, which whoever records blocks before, until all is done. */
sigset_t cap_record_signals(void);

/**
 * Record what the events of @p session (prepared, not open; closed in the end) see of @p target into @p
 * out. A program that waits is started, and what ends it ends the recording; SIGINT and SIGTERM, or
 * stop_fd, end it too. When the recording ends before the program, so does the program. What was written
 * when it fails is a recording that was interrupted.
 */
struct pd_error *cap_record(struct cap_session *session, struct cap_target *target, FILE *out,
	const struct cap_record_opts *opts, struct cap_record_result *ret) pd_must_check;

#endif

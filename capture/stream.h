/**
 * @file A stream of records: waits for the rings of a session, and passes on what is in them one
 * record after the other, in order of time.
 *
 *	rings ──► wait ──► drain: losses are counted ──► queue ──► round ──► consumer
 *	                   records from elsewhere ──► add ──┘
 *
 * A record of another ring may be older than what is in this one, so records wait for a round
 * (parse/order.h). A recording to a file leaves the order to those who read the file: it waits for
 * the rings by a stream, and its sink drains them (capture/run/recording_sink.h).
 */
#ifndef PD_CAPTURE_STREAM_H
#define PD_CAPTURE_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/error.h>
#include <pdconv/events.h>
#include <pdconv/sample.h>

#include "capture/session.h"
#include "parse/order.h"

struct cap_stream {
	/** Session whose rings are read; NULL: all records come from elsewhere. Borrowed. */
	struct cap_session *session;
	/** Events of the records. They may be listed anew at any time. Borrowed. */
	const struct pd_events *events;
	/**
	 * Types of the records that are passed on, as bits; records without a time are not. 0: all
	 * records are passed on, and those without a time follow what was read before them.
	 */
	uint64_t types;
	/**
	 * Called with the error if a ring holds something that is not a record. The error that it
	 * returns ends cap_stream_drain(). NULL: the error itself does.
	 */
	struct pd_error *(*on_invalid)(void *ctx, struct pd_error *err);
	void *ctx;
	struct parse_order order;
	/** Waits for descriptors, by epoll(7); -1: not open. */
	int epoll_fd;
};

enum { CAP_MAX_READY = 64 };

/** Descriptors that were found readable by one wait. */
struct cap_ready {
	int fds[CAP_MAX_READY];
	size_t n;
};

/** Function of a consumer that gets the next record. */
typedef struct pd_error *cap_consume(void *ctx, const struct pd_record *rec);

/** Initialise a stream of @p session, or NULL, whose records belong to @p events. */
void cap_stream_init(
	struct cap_stream *stream, struct cap_session *session, const struct pd_events *events);
/** Close the stream and drop the records that wait. */
void cap_stream_deinit(struct cap_stream *stream);

/** Begin to wait for the rings of the session, which is open. Errors: OS. */
struct pd_error *cap_stream_open(struct cap_stream *stream) pd_must_check;
/** Stop waiting; descriptors and timers that were added stay open, and records stay queued. */
void cap_stream_close(struct cap_stream *stream);

/** Wait for the rings of the session from number @p first on as well. Errors: OS. */
struct pd_error *cap_stream_watch_rings(struct cap_stream *stream, size_t first) pd_must_check;
/** Wait for @p fd as well, which is borrowed until the stream is closed. Errors: OS. */
struct pd_error *cap_stream_watch(struct cap_stream *stream, int fd) pd_must_check;
/**
 * Create a timer that becomes readable once, after @p seconds, and wait for it. The caller closes
 * @p fd_ret. It is -1 if @p seconds is not positive, because no timer is needed then. Errors: OS.
 */
struct pd_error *cap_stream_watch_timer(
	struct cap_stream *stream, double seconds, int *fd_ret) pd_must_check;

/**
 * Wait until descriptors are readable, a signal arrives or @p milliseconds have passed; @p ret is
 * empty in the last two cases. A descriptor whose other end is gone (EPOLLHUP) is reported once and
 * then removed. Errors: OS.
 */
struct pd_error *cap_stream_wait(
	struct cap_stream *stream, int milliseconds, struct cap_ready *ret) pd_must_check;

/** Queue copies of @p size bytes of whole records. Errors: NOMEM; FORMAT, they are not records. */
struct pd_error *cap_stream_add(
	struct cap_stream *stream, const void *records, size_t size) pd_must_check;

/** Queue what is in the rings; pd_record.part is the number of the ring. Errors: NOMEM, FORMAT. */
struct pd_error *cap_stream_drain(struct cap_stream *stream) pd_must_check;

/**
 * Pass on the records of the previous round, or all with @p is_end, to @p fn. Errors: NOMEM, and
 * those of @p fn.
 */
struct pd_error *cap_stream_round(
	struct cap_stream *stream, bool is_end, cap_consume *fn, void *ctx) pd_must_check;

/** If @p rec reports lost samples, add their number to the count of @p ring. */
void cap_ring_note_lost(
	struct cap_cpu_ring *ring, const struct pd_events *events, const struct pd_record *rec);

/** Decode a sample of @p event from a ring. Errors: FORMAT, @p rec is truncated. */
struct pd_error *cap_sample_decode(const struct pd_event *event, const struct pd_record *rec,
	struct pd_sample *ret) pd_must_check;

#endif

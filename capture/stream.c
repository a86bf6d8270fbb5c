#include "capture/stream.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <time.h>

#include "base/analyzer.h"
#include "base/chunk.h"
#include "base/cleanup.h"
#include "parse/event_index.h"

void cap_stream_init(
	struct cap_stream *stream, struct cap_session *session, const struct pd_events *events)
{
	*stream = (struct cap_stream){ .session = session, .events = events, .epoll_fd = -1 };
}

void cap_stream_deinit(struct cap_stream *stream)
{
	cap_stream_close(stream);
	parse_order_deinit(&stream->order);
}

/* Waiting. */

struct pd_error *cap_stream_open(struct cap_stream *stream)
{
	stream->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (stream->epoll_fd < 0)
		return pd_error_os(NULL, "cannot create an epoll instance");
	struct pd_error *err = cap_stream_watch_rings(stream, 0);
	if (err)
		cap_stream_close(stream);
	return err;
}

void cap_stream_close(struct cap_stream *stream)
{
	base_close(&stream->epoll_fd);
}

struct pd_error *cap_stream_watch_rings(struct cap_stream *stream, size_t first)
{
	const struct cap_session *session = stream->session;
	struct pd_error *err = NULL;

	for (size_t i = first; !err && i < session->rings.n; i++)
		err = cap_stream_watch(stream, session->rings.data[i].fd);
	return err;
}

struct pd_error *cap_stream_watch(struct cap_stream *stream, int fd)
{
	struct epoll_event event = { .events = EPOLLIN, .data = { .fd = fd } };

	if (epoll_ctl(stream->epoll_fd, EPOLL_CTL_ADD, fd, &event) < 0)
		return pd_error_os(NULL, "cannot wait for a descriptor");
	return NULL;
}

struct pd_error *cap_stream_watch_timer(struct cap_stream *stream, double seconds, int *fd_ret)
{
	const struct itimerspec when = { .it_value = { .tv_sec = (time_t)seconds,
						 .tv_nsec = (long)(fmod(seconds, 1) * 1e9) } };

	*fd_ret = -1;
	if (!(seconds > 0))
		return NULL;
	*fd_ret = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (*fd_ret < 0 || timerfd_settime(*fd_ret, 0, &when, NULL) < 0)
		return pd_error_os(NULL, "cannot start a timer");
	return cap_stream_watch(stream, *fd_ret);
}

struct pd_error *cap_stream_wait(struct cap_stream *stream, int milliseconds, struct cap_ready *ret)
{
	struct epoll_event events[CAP_MAX_READY];
	int n = epoll_wait(stream->epoll_fd, events, CAP_MAX_READY, milliseconds);

	ret->n = 0;
	if (n < 0 && errno != EINTR)
		return pd_error_os(NULL, "cannot wait for descriptors");
	for (int i = 0; i < n; i++) {
		ret->fds[ret->n++] = events[i].data.fd;
		/*
		 * An event whose threads have all exited reports a hangup at every wait, so waits
		 * would return at once.
		 */
		if (events[i].events & (EPOLLHUP | EPOLLERR))
			epoll_ctl(stream->epoll_fd, EPOLL_CTL_DEL, events[i].data.fd, NULL);
	}
	return NULL;
}

/* Records. */

void cap_ring_note_lost(
	struct cap_cpu_ring *ring, const struct pd_events *events, const struct pd_record *rec)
{
	union pd_body body;
	const char *wrong;

	if ((rec->type != PD_RECORD_LOST && rec->type != PD_RECORD_LOST_SAMPLES) ||
		!pd_events_decode(events, rec, &body, &wrong))
		return;
	ring->n_reported_lost +=
		rec->type == PD_RECORD_LOST ? body.lost.lost : body.lost_samples.lost;
}

static bool is_wanted(const struct cap_stream *stream, const struct pd_record *rec)
{
	return !stream->types ||
	       (rec->type < 64 && stream->types >> rec->type & 1 && rec->time != PD_NO_TIME);
}

/* Queue the records of @p chunk, which are from @p ring, number @p i, or from elsewhere. */
static struct pd_error *queue(
	struct cap_stream *stream, struct pd_chunk *chunk, struct cap_cpu_ring *ring, size_t i)
{
	struct pd_record rec;

	for (size_t at = 0; at < chunk->size; at += rec.size) {
		/* Nothing shows where the next record begins, so the rest of the chunk is lost. */
		if (!cap_record_read(chunk->bytes + at, chunk->size - at, &rec))
			return cap_not_records();
		rec.time = pd_events_time(stream->events, &rec);
		if (ring)
			cap_ring_note_lost(ring, stream->events, &rec);
		if (!is_wanted(stream, &rec))
			continue;
		/* An old kernel writes no times in records that are not samples. */
		if (rec.time == PD_NO_TIME)
			rec.time = stream->order.max_seen;
		rec.chunk = chunk;
		rec.part = (uint32_t)i;
		if (!parse_order_push(&stream->order, &rec))
			return &pd_enomem;
	}
	return NULL;
}

struct pd_error *cap_stream_add(struct cap_stream *stream, const void *records, size_t size)
{
	struct pd_chunk *chunk = base_chunk_create(size);

	if (!chunk)
		return &pd_enomem;
	memcpy(chunk->bytes, records, size);
	struct pd_error *err = queue(stream, chunk, NULL, 0);
	base_chunk_unref(chunk);
	PD_IS_OWNED(chunk, "records that wait refer to it");
	return err;
}

struct pd_error *cap_stream_drain(struct cap_stream *stream)
{
	for (size_t i = 0; i < stream->session->rings.n; i++) {
		struct cap_cpu_ring *ring = &stream->session->rings.data[i];
		struct pd_chunk *chunk;
		struct pd_error *err = cap_ring_take(&ring->ring, &chunk);

		if (!err && chunk) {
			err = queue(stream, chunk, ring, i);
			base_chunk_unref(chunk);
		}
		if (err && err->code == PD_ERROR_FORMAT && stream->on_invalid)
			err = stream->on_invalid(stream->ctx, err);
		if (err)
			return err;
	}
	return NULL;
}

struct pd_error *cap_stream_round(
	struct cap_stream *stream, bool is_end, cap_consume *fn, void *ctx)
{
	struct pd_error *err = NULL;
	struct pd_record rec;

	if (!(is_end ? parse_order_end : parse_order_round)(&stream->order))
		return &pd_enomem;
	while (!err && parse_order_pop(&stream->order, &rec)) {
		err = fn(ctx, &rec);
		pd_record_release(&rec);
	}
	return err;
}

struct pd_error *cap_sample_decode(
	const struct pd_event *event, const struct pd_record *rec, struct pd_sample *ret)
{
	const char *wrong;

	if (pd_sample_decode(&event->plan, rec, ret, &wrong) == PD_SAMPLE_SHORT)
		return pd_error_create(
			PD_ERROR_FORMAT, "ring buffer", "SAMPLE: truncated in %s", wrong);
	return NULL;
}

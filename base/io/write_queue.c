#include "base/io/write_queue.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/io/temporary.h"

/** Bytes of one write. */
struct piece {
	struct piece *next;
	size_t size;
	char bytes[];
};

struct base_write_queue {
	int fd;
	size_t most;
	pthread_t thread;
	/** Protects the members below. */
	pthread_mutex_t lock;
	/** Signalled when they change. */
	pthread_cond_t changed;
	struct piece *first;
	struct piece *last;
	/** Bytes of all pieces, with the one that is being written. */
	size_t n;
	bool has_ended;
	/** errno of a write that failed; 0: none did. */
	int error;
};

/** Take the first piece, and wait for one. NULL: the queue has ended, or writing has failed. */
static struct piece *take(struct base_write_queue *queue)
{
	while (!queue->first && !queue->has_ended)
		pthread_cond_wait(&queue->changed, &queue->lock);
	struct piece *piece = queue->error ? NULL : queue->first;
	if (!piece)
		return NULL;
	queue->first = piece->next;
	if (!queue->first)
		queue->last = NULL;
	return piece;
}

static void *work(void *arg)
{
	struct base_write_queue *queue = arg;
	struct piece *piece;

	pthread_mutex_lock(&queue->lock);
	while ((piece = take(queue))) {
		pthread_mutex_unlock(&queue->lock);
		bool is_written = base_write_all(queue->fd, piece->bytes, piece->size);
		int why = errno;

		pthread_mutex_lock(&queue->lock);
		queue->n -= piece->size;
		queue->error = is_written ? 0 : why;
		pthread_cond_broadcast(&queue->changed);
		free(piece);
	}
	pthread_mutex_unlock(&queue->lock);
	return NULL;
}

/* Block all signals in the new thread: they are for the others. */
static int start(struct base_write_queue *queue)
{
	sigset_t all, before;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	int why = pthread_create(&queue->thread, NULL, work, queue);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return why;
}

struct base_write_queue *base_write_queue_create(int fd, size_t most)
{
	struct base_write_queue *queue = calloc(1, sizeof(*queue));

	if (!queue)
		return NULL;
	queue->fd = fd;
	queue->most = most;
	pthread_mutex_init(&queue->lock, NULL);
	pthread_cond_init(&queue->changed, NULL);
	int why = start(queue);
	if (!why)
		return queue;
	pthread_cond_destroy(&queue->changed);
	pthread_mutex_destroy(&queue->lock);
	free(queue);
	errno = why;
	return NULL;
}

static void append(struct base_write_queue *queue, struct piece *piece)
{
	if (queue->last)
		queue->last->next = piece;
	else
		queue->first = piece;
	queue->last = piece;
	queue->n += piece->size;
	pthread_cond_broadcast(&queue->changed);
}

static ssize_t put(void *cookie, const char *bytes, size_t size)
{
	struct base_write_queue *queue = cookie;
	struct piece *piece = malloc(sizeof(*piece) + size);

	if (!piece) {
		errno = ENOMEM;
		return 0;
	}
	*piece = (struct piece){ .size = size };
	memcpy(piece->bytes, bytes, size);
	pthread_mutex_lock(&queue->lock);
	/* One piece may be larger than the bound. */
	while (queue->n && queue->n + size > queue->most && !queue->error)
		pthread_cond_wait(&queue->changed, &queue->lock);
	int why = queue->error;
	if (!why)
		append(queue, piece);
	pthread_mutex_unlock(&queue->lock);
	if (!why)
		return (ssize_t)size;
	free(piece);
	errno = why;
	return 0;
}

FILE *base_write_queue_open(struct base_write_queue *queue)
{
	return fopencookie(queue, "w", (cookie_io_functions_t){ .write = put });
}

double base_write_queue_fill(struct base_write_queue *queue)
{
	pthread_mutex_lock(&queue->lock);
	size_t n = queue->n;
	pthread_mutex_unlock(&queue->lock);
	return (double)n / (double)queue->most;
}

void base_write_queue_destroy(struct base_write_queue *queue)
{
	if (!queue)
		return;
	pthread_mutex_lock(&queue->lock);
	queue->has_ended = true;
	pthread_cond_broadcast(&queue->changed);
	pthread_mutex_unlock(&queue->lock);
	pthread_join(queue->thread, NULL);
	while (queue->first) {
		struct piece *piece = queue->first;

		queue->first = piece->next;
		free(piece);
	}
	pthread_cond_destroy(&queue->changed);
	pthread_mutex_destroy(&queue->lock);
	free(queue);
}

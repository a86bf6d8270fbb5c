/**
 * @file A stream that a thread writes to a descriptor, so that the writer need not wait for the
 * reader of a pipe until a bound is reached.
 */
#ifndef PD_BASE_WRITE_QUEUE_H
#define PD_BASE_WRITE_QUEUE_H

#include <stddef.h>
#include <stdio.h>

struct base_write_queue;

/**
 * Start a queue that holds @p most bytes for @p fd, which is borrowed. NULL and errno: no memory,
 * or no thread.
 */
struct base_write_queue *base_write_queue_create(int fd, size_t most);

/**
 * Open a stream that appends to the queue, and waits while that is full. Its errors are those of
 * earlier writes to the descriptor. Closing it leaves the queue open. NULL: no memory.
 */
FILE *base_write_queue_open(struct base_write_queue *queue);

/** Filled share of the queue, from 0 to 1. */
double base_write_queue_fill(struct base_write_queue *queue);

/** Write what is left, unless writing has failed, and free the queue; NULL is fine. */
void base_write_queue_destroy(struct base_write_queue *queue);

#endif

/**
 * @file Streams that write to a descriptor, repeat writes that a signal interrupts, and keep the
 * reason of the first failure.
 *
 * Streams of fdopen() take EINTR for a failure, after which text is missing, and a later call
 * replaces the errno of the write that failed.
 */
#ifndef PD_BASE_FD_STREAM_H
#define PD_BASE_FD_STREAM_H

#include <stdbool.h>
#include <stdio.h>

#include <pdconv/error.h>

/**
 * Open a stream that writes to @p fd, which fclose() closes if @p owns_fd is set. *@p error becomes
 * the errno of the first call that fails, except that a pipe has no position; it is borrowed and
 * lives as long as the stream. The stream cannot be sought in if @p fd is appended to (O_APPEND),
 * and has no fileno(). Returns NULL, and @p fd stays open, if out of memory.
 */
FILE *base_fd_stream_open(int fd, bool owns_fd, int *error) pd_must_check;

#endif

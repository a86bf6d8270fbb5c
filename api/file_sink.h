/**
 * @file A file that gets the output of a format, and its name when it is complete.
 */
#ifndef PD_API_FILE_SINK_H
#define PD_API_FILE_SINK_H

#include <stdbool.h>
#include <stddef.h>

#include <pdconv/error.h>

#include "base/destination.h"

struct pd_file_sink {
	/** Borrowed. */
	const char *path;
	struct pd_destination to;
	/** Name in the directory of the destination until the file is complete, or NULL. */
	char *temporary;
	int fd;
};

/**
 * Create a file that replaces @p path, which is borrowed, when it is complete. Devices and pipes
 * are written as they are. @p is_private: only the user may read the file. Errors: OS, NOMEM.
 */
struct pd_error *pd_file_sink_open(
	const char *path, bool is_private, struct pd_file_sink *ret) pd_must_check;

/** Write @p size bytes; a pd_on_bytes with the struct pd_file_sink as @p ctx. Errors: OS. */
struct pd_error *pd_file_sink_write(void *ctx, const void *bytes, size_t size) pd_must_check;

/**
 * Close the file. If writing it succeeded (@p err is NULL), give it its name; otherwise remove it
 * and return @p err. Errors: OS.
 */
struct pd_error *pd_file_sink_finish(struct pd_file_sink *sink, struct pd_error *err) pd_must_check;

#endif

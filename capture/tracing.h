/**
 * @file HEADER_TRACING_DATA: what the kernel says of the tracepoints that are recorded.
 */
#ifndef PD_CAPTURE_TRACING_H
#define PD_CAPTURE_TRACING_H

#include <stddef.h>

#include <pdconv/bytes.h>
#include <pdconv/error.h>

/**
 * Append the tracing data for the tracepoints @p names, "system:name" each, to @p out, which is in this
 * machine's byte order. @p root is in front of paths to /proc and /sys; NULL: this machine. Names
 * of which there is no tracepoint are left out. Errors: PD_ERROR_OS if the files of the
 * tracepoints cannot be read; no memory.
 */
struct pd_error *cap_tracing_data(
	const char *root, const char *const *names, size_t n, struct pd_bytes *out) pd_must_check;

#endif

/**
 * @file Formats of tracepoints, as recordings hold them.
 */
#ifndef PD_CAPTURE_EVENTS_TRACEPOINT_FORMATS_H
#define PD_CAPTURE_EVENTS_TRACEPOINT_FORMATS_H

#include <stddef.h>

#include <pdconv/bytes.h>
#include <pdconv/error.h>

/**
 * Append the tracing data (HEADER_TRACING_DATA) of the tracepoints @p names, "system:name" each, to
 * @p out, which is in this machine's byte order. Names without a tracepoint are left out. @p root
 * is the prefix of paths to /proc and /sys; NULL: this machine. Errors: OS, tracefs cannot be read;
 * NOMEM.
 */
struct pd_error *cap_tracing_data(
	const char *root, const char *const *names, size_t n, struct pd_bytes *out) pd_must_check;

/** Like cap_tracing_data() for this machine, with tracefs mounted at @p dir. NULL: as usual. */
struct pd_error *cap_tracing_data_at(
	const char *dir, const char *const *names, size_t n, struct pd_bytes *out) pd_must_check;

#endif

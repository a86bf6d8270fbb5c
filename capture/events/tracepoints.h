/**
 * @file Tracepoints: tracefs, the events of its systems, and their filters.
 */
#ifndef PD_CAPTURE_EVENTS_TRACEPOINTS_H
#define PD_CAPTURE_EVENTS_TRACEPOINTS_H

#include "capture/events/event_item.h"

/**
 * Mount point of tracefs, from @p events or of the machine. NULL: it is not mounted, or may not be
 * entered. Static storage, or borrowed from @p events.
 */
const char *cap_tracing_dir(const struct cap_events *events);

/**
 * Return the name that the tracepoint system @p system of tracefs has in recordings: "probe" for
 * the probes of this process, else @p system itself.
 */
const char *cap_probe_system(const char *system);

/**
 * A PD_ERROR_OS: why tracefs at @p dir (NULL: not found) cannot be used, and what the user can do.
 */
struct pd_error *cap_tracing_error(const char *dir, int errnum) pd_must_check;

/**
 * Set the filter of @p event, in the syntax of the kernel (Documentation/trace/events.rst), for its
 * instance @p fd, if it has one. Errors: OS, which name a field that the tracepoint does not have.
 */
struct pd_error *cap_filter_set(const struct cap_event *event, int fd) pd_must_check;

/** Append the tracepoints that the patterns match. */
struct pd_error *cap_tracepoint_add(
	const struct cap_item *item, struct cap_word system, struct cap_word name) pd_must_check;

/** Prefix of the group (system) of probes, before the process id of their recorder. */
#define CAP_PROBE_GROUP "pdconv_"

/** Bytes of a group name with its NUL. */
enum { CAP_PROBE_GROUP_BYTES = 32 };

/** Get the group of the probes of this process. */
void cap_probe_group(char ret[CAP_PROBE_GROUP_BYTES]);

#endif

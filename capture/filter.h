/**
 * @file Filters of tracepoints, in the syntax of the kernel (Documentation/trace/events.rst).
 */
#ifndef PD_CAPTURE_FILTER_H
#define PD_CAPTURE_FILTER_H

#include <pdconv/error.h>

#include "capture/events.h"

/**
 * Set the filter of @p event for its instance @p fd, if it has one. Errors: OS, which name a field
 * that the tracepoint does not have.
 */
struct pd_error *cap_filter_set(const struct cap_event *event, int fd) pd_must_check;

#endif

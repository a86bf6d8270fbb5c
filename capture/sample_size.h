/**
 * @file Size of a sample, to check that ring buffers have room for it.
 */
#ifndef PD_CAPTURE_SAMPLE_SIZE_H
#define PD_CAPTURE_SAMPLE_SIZE_H

#include <stddef.h>

#include <pdconv/attr.h>

/**
 * Size in bytes of a sample of user space with @p attr, without the entries of call chains and
 * branch stacks and without the fields of tracepoints, whose number varies. @p n_events: events of
 * its group.
 */
size_t cap_sample_bytes(const struct pd_attr *attr, size_t n_events);

#endif

/**
 * @file Tracing data: the recorded kernel's description of its tracepoints.
 *
 * A recording of tracepoints contains their names, the layout of their raw data, and the names of
 * threads. Source of the format: tools/perf/Documentation/perf.data-file-format.txt and
 * tools/perf/util/trace-event-read.c of Linux.
 */
#ifndef PDCONV_TRACING_DATA_H
#define PDCONV_TRACING_DATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/decls.h>
#include <pdconv/error.h>
#include <pdconv/record.h>
#include <pdconv/trace_format.h>

PD_DECLS_BEGIN

struct pd_tracing;

/** Tracepoint of the recorded kernel. */
struct pd_tracepoint {
	/** Subsystem, e.g. "sched". */
	const char *system;
	/** Name, id and fields. */
	struct pd_trace_format format;
};

/**
 * Parse @p len bytes of tracing data, which are copied. Data after damage is left out; then
 * @p wrong_ret describes the first damage (static storage), otherwise it is NULL. Errors: FORMAT if
 * the header is invalid; NOMEM. Free with pd_tracing_destroy().
 */
struct pd_error *pd_tracing_create(const void *bytes, size_t len, struct pd_tracing **ret,
	const char **wrong_ret) pd_must_check;
/** Free @p tracing, which may be NULL. */
void pd_tracing_destroy(struct pd_tracing *tracing);

/** Find the tracepoint with @p id, the attr.config of its events. NULL if it is not described. */
const struct pd_tracepoint *pd_tracing_find(const struct pd_tracing *tracing, uint64_t id);

/** All tracepoints in the order of the tracing data. They live as long as @p tracing. */
const struct pd_tracepoint *pd_tracing_list(const struct pd_tracing *tracing, size_t *n_ret);

/** Name of thread @p tid at the end of the recording; NULL if it is not known. */
const char *pd_tracing_comm(const struct pd_tracing *tracing, uint32_t tid);

/**
 * String of the kernel at @p addr, which a field of type char * may point to; NULL if it is not
 * known.
 */
const char *pd_tracing_string(const struct pd_tracing *tracing, uint64_t addr);

/**
 * Whether the tracing data, and so the raw data of samples, are in the opposite of the host byte
 * order.
 */
bool pd_tracing_swap(const struct pd_tracing *tracing);

PD_DECLS_END

#endif

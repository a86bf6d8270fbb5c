/**
 * @file Tracing data: what the recorded kernel says of its tracepoints.
 *
 * A recording of tracepoints holds their names, the layout of their raw data, and which process was
 * called what. Everything is copied: the bytes need not outlive the call. The layout of the bytes
 * is described in tools/perf/Documentation/perf.data-file-format.txt and tools/perf/util/
 * trace-event-read.c of Linux.
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

struct pd_tracepoint {
	/** "sched" */
	const char *system;
	/** Its name and id, which is the attr.config of its events, and its fields. */
	struct pd_trace_format format;
};

/**
 * Read @p len bytes of tracing data. What follows damage is left out; an error only if not even the
 * head makes sense. @p wrong_ret is NULL or says what was left out first (static storage).
 */
struct pd_error *pd_tracing_create(const void *bytes, size_t len, struct pd_tracing **ret,
	const char **wrong_ret) pd_must_check;
void pd_tracing_destroy(struct pd_tracing *tracing);

/** The tracepoint that events with config @p id are of; NULL if it is not described. */
const struct pd_tracepoint *pd_tracing_find(const struct pd_tracing *tracing, uint64_t id);

/** All tracepoints in the order of the file. */
const struct pd_tracepoint *pd_tracing_list(const struct pd_tracing *tracing, size_t *n_ret);

/** What thread @p tid was called when the recording ended; NULL if that is not said. */
const char *pd_tracing_comm(const struct pd_tracing *tracing, uint32_t tid);

/** The tracing data, and with it the raw data of samples, is in the other byte order. */
bool pd_tracing_swap(const struct pd_tracing *tracing);

PD_DECLS_END

#endif

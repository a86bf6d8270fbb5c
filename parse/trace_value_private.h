/**
 * @file Values of single fields of a tracepoint.
 */
#ifndef PD_PARSE_TRACE_VALUE_PRIVATE_H
#define PD_PARSE_TRACE_VALUE_PRIVATE_H

#include <pdconv/trace_value.h>

/**
 * Find the bytes of @p field, at its offset or, for a dynamic one, where its locator points. False
 * if they are outside of the raw data.
 */
bool pd_trace_bytes_of(const struct pd_trace_values *values, const struct pd_trace_field *field,
	struct pd_view *ret);

/** Decode @p field, which is one of the tracepoint's. */
void pd_trace_value_of(const struct pd_trace_values *values, const struct pd_trace_field *field,
	struct pd_trace_value *ret);

#endif

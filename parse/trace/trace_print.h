/**
 * @file Text of a tracepoint's sample as the kernel prints it, by the print format of the recorded
 * kernel.
 */
#ifndef PD_PARSE_TRACE_PRINT_H
#define PD_PARSE_TRACE_PRINT_H

#include <stdbool.h>
#include <stdint.h>

#include <pdconv/trace_value.h>
#include <pdconv/tracing_data.h>

#include "base/line.h"

/**
 * Writes the name of the kernel function at @p addr, with the offset of the address in it as
 * "+0x10" if @p with_offset. False: it has no name, and nothing was written.
 */
typedef bool parse_trace_symbol(void *ctx, uint64_t addr, bool with_offset, struct base_line *out);

/**
 * Write the text of a sample; false, and nothing is written, if its tracepoint has no print format
 * that can be evaluated. @p tracing, that of @p values, knows strings of the kernel. What cannot be
 * evaluated is "?". Strings are written unchanged, including control characters.
 */
bool parse_trace_print(const struct pd_tracing *tracing, const struct pd_trace_values *values,
	parse_trace_symbol *symbol, void *ctx, struct base_line *out);

/**
 * Write the value of @p field, by the names of values or bits that the print format has for it. A
 * value without a name is written as a number. What is outside the raw data is "?".
 */
void parse_trace_print_field(const struct pd_tracing *tracing, const struct pd_trace_values *values,
	const struct pd_trace_field *field, struct base_line *out);

#endif

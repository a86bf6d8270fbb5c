/**
 * @file The fields of a tracepoint's sample: names and values.
 *
 *	struct pd_trace_values it = pd_trace_values(tracing, tracepoint, &sample.raw);
 *	struct pd_trace_value value;
 *
 *	while (pd_trace_next(&it, &value))
 *		...
 */
#ifndef PDCONV_TRACE_VALUE_H
#define PDCONV_TRACE_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <pdconv/decls.h>
#include <pdconv/record.h>
#include <pdconv/tracing_data.h>

PD_DECLS_BEGIN

enum pd_trace_kind {
	PD_TRACE_UNSIGNED,
	PD_TRACE_SIGNED,
	/** data, without the NUL that may end it. */
	PD_TRACE_STRING,
	/** data: something else, such as a struct or an array of bytes. */
	PD_TRACE_BYTES,
	/** data: numbers of 2, 4 or 8 bytes. */
	PD_TRACE_ARRAY,
	/** The field lies outside the raw data; it has no value. */
	PD_TRACE_OUTSIDE,
};

struct pd_trace_value {
	const char *name;
	enum pd_trace_kind kind;
	/** One of the fields that every tracepoint has. */
	bool is_common;
	/** People read the number, or those of the array, in hexadecimal. */
	bool is_address;
	/** The numbers of the array are signed. */
	bool is_signed;
	union {
		uint64_t u;
		int64_t s;
	} number;
	/** Bytes of the field, borrowed from the sample. */
	struct pd_view data;
};

/** A walk over the fields. All members are private. */
struct pd_trace_values {
	const struct pd_tracepoint *tracepoint;
	struct pd_view raw;
	size_t next;
};

/** The fields of @p raw, the raw data of a sample of @p tracepoint. Everything is borrowed. */
struct pd_trace_values pd_trace_values(const struct pd_tracing *tracing,
	const struct pd_tracepoint *tracepoint, const struct pd_view *raw);

/** The next field; false at the end. */
bool pd_trace_next(struct pd_trace_values *values, struct pd_trace_value *ret);

/** The field @p name of @p values, which stay where they are; false if there is none. */
bool pd_trace_find(
	const struct pd_trace_values *values, const char *name, struct pd_trace_value *ret);

/** Decode number @p i of @p value, a PD_TRACE_ARRAY. @p i must be less than @p value->data.n. */
uint64_t pd_trace_number(const struct pd_trace_value *value, uint64_t i);

/**
 * Write the tracepoint's own fields: "name=value name=value". Numbers are decimal, addresses and
 * unsigned longs hexadecimal with 0x, arrays "{1,2}", other bytes pairs of hexadecimal digits; what
 * lies outside the raw data is "?". Strings are as they are, whatever they hold.
 */
void pd_trace_write(const struct pd_trace_values *values, FILE *out);

PD_DECLS_END

#endif

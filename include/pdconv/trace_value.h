/**
 * @file Names and values of the fields in a tracepoint's sample.
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
	/** Text in `data`, without the NUL that may end it. */
	PD_TRACE_STRING,
	/** Bytes in `data`: a struct, an array of bytes or the like. */
	PD_TRACE_BYTES,
	/** Array in `data` of integers of 2, 4 or 8 bytes. */
	PD_TRACE_ARRAY,
	/** The field is outside the raw data and has no value. */
	PD_TRACE_OUTSIDE,
};

/** Value of a field. Everything is borrowed from the sample and the tracing data. */
struct pd_trace_value {
	const char *name;
	enum pd_trace_kind kind;
	/** The field is common to all tracepoints. */
	bool is_common;
	/** Print the number, or the numbers of the array, in hexadecimal. */
	bool is_address;
	/** The number, or the numbers of the array, are signed. */
	bool is_signed;
	/** Value of PD_TRACE_UNSIGNED and PD_TRACE_SIGNED. */
	union {
		uint64_t u;
		int64_t s;
	} number;
	/** Bytes of the field, borrowed from the sample. */
	struct pd_view data;
};

/** Iterator over the fields. All members are private. */
struct pd_trace_values {
	const struct pd_tracepoint *tracepoint;
	struct pd_view raw;
	size_t next;
};

/**
 * Iterate over the fields of @p raw, the raw data of a sample of @p tracepoint, which may be NULL:
 * then there are no fields. Everything is borrowed.
 */
struct pd_trace_values pd_trace_values(const struct pd_tracing *tracing,
	const struct pd_tracepoint *tracepoint, const struct pd_view *raw);

/** Get the next field. False at the end. */
bool pd_trace_next(struct pd_trace_values *values, struct pd_trace_value *ret);

/** Find the field @p name. @p values does not move. False if there is none. */
bool pd_trace_find(
	const struct pd_trace_values *values, const char *name, struct pd_trace_value *ret);

/** Decode number @p i of @p value, a PD_TRACE_ARRAY. @p i must be less than @p value->data.n. */
uint64_t pd_trace_number(const struct pd_trace_value *value, uint64_t i);

/**
 * Write the fields that are not common to all tracepoints: "name=value name=value". Numbers are
 * decimal, addresses and unsigned longs hexadecimal with 0x, arrays "{1,2}", other bytes pairs of
 * hexadecimal digits. Fields outside the raw data are "?". Strings are written unchanged, including
 * control characters.
 */
void pd_trace_write(const struct pd_trace_values *values, FILE *out);

PD_DECLS_END

#endif

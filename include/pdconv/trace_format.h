/**
 * @file What the raw data of a tracepoint's samples hold, as the recorded kernel describes it.
 */
#ifndef PDCONV_TRACE_FORMAT_H
#define PDCONV_TRACE_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/decls.h>
#include <pdconv/vec.h>

PD_DECLS_BEGIN

/** Where a field is and how it is to be read. */
struct pd_trace_field {
	const char *name;
	/** Bytes, from the start of the raw data. */
	uint32_t offset;
	uint32_t size;
	/** Of an array, bytes: 1, 2, 4 or 8; 0: not an array of numbers. */
	uint32_t elem_size;
	/** One of those that every tracepoint has. */
	bool is_common;
	bool is_signed;
	bool is_array;
	/** An array of char, up to its end or a NUL. */
	bool is_string;
	/** It says where the array is: u32, offset in the lower half, bytes in the upper. */
	bool is_dynamic;
	/** That offset counts from the field's end. */
	bool is_relative;
	/** A pointer or unsigned long, which people read in hexadecimal. */
	bool is_address;
};

struct pd_trace_format {
	const char *name;
	uint64_t id;
	/** The fields in the order of the text; empty if they are not understood. */
	PD_VEC(struct pd_trace_field) fields;
};

PD_DECLS_END

#endif

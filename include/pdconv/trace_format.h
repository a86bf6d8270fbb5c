/**
 * @file Layout of the raw data of a tracepoint's samples, as the recorded kernel describes it.
 */
#ifndef PDCONV_TRACE_FORMAT_H
#define PDCONV_TRACE_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/decls.h>
#include <pdconv/vec.h>

PD_DECLS_BEGIN

/** Field of the raw data. Offsets and sizes are in bytes. */
struct pd_trace_field {
	const char *name;
	/** Offset from the start of the raw data. */
	uint32_t offset;
	uint32_t size;
	/** Size of an array's elements: 1, 2, 4 or 8; 0: not an array of integers. */
	uint32_t elem_size;
	/** The field is common to all tracepoints, e.g. common_pid. */
	bool is_common;
	bool is_signed;
	bool is_array;
	/** Array of char that ends at its size or at a NUL. */
	bool is_string;
	/**
	 * The field is a u32 that locates the array (__data_loc): offset in the lower half, size in
	 * the upper.
	 */
	bool is_dynamic;
	/** That offset counts from the end of the field (__rel_loc). */
	bool is_relative;
	/** Pointer or unsigned long, to be printed in hexadecimal. */
	bool is_address;
};

/** Format file of a tracepoint. */
struct pd_trace_format {
	/** Name of the tracepoint, e.g. "sched_switch". */
	const char *name;
	/** Id of the tracepoint: the attr.config of its events. */
	uint64_t id;
	/** Fields in the order of the text; empty if they could not be parsed. */
	PD_VEC(struct pd_trace_field) fields;
};

PD_DECLS_END

#endif

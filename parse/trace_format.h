/**
 * @file Format texts: what the raw data of a tracepoint holds, as the recorded kernel describes it.
 *
 *	name: sched_wakeup
 *	ID: 317
 *	format:
 *		field:unsigned short common_type;	offset:0;	size:2;	signed:0;
 *		...
 *
 *		field:char comm[16];	offset:8;	size:16;	signed:0;
 *		...
 *
 *	print fmt: "comm=%s ...", REC->comm, ...
 *
 * The declarations are understood by libtraceevent. That trusts its input, and the text is from
 * outside: it is taken apart here first, and what libtraceevent gets is written anew from the parts.
 */
#ifndef PD_PARSE_TRACE_FORMAT_H
#define PD_PARSE_TRACE_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/vec.h"

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

/** What reads format texts: for one byte order and one size of long. */
struct pd_trace_parser;

/** @p long_size is in bytes. */
struct pd_error *pd_trace_parser_create(
	bool is_big_endian, unsigned long_size, struct pd_trace_parser **ret) pd_must_check;
void pd_trace_parser_destroy(struct pd_trace_parser *parser);

/**
 * Read the format @p text of @p len bytes. Names come from @p arena, fields are freed with
 * pd_vec_deinit. @p wrong_ret is NULL, or says what is wrong (static storage); then @p ret has no
 * fields, and no name either if not even that can be read.
 */
struct pd_error *pd_trace_format_parse(struct pd_trace_parser *parser, const char *text, size_t len,
	struct pd_arena *arena, struct pd_trace_format *ret, const char **wrong_ret) pd_must_check;

#endif

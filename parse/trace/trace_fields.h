/**
 * @file Fields of tracepoints: parser of format texts, the kernel's description of a tracepoint's
 * raw data, and the values of single fields.
 *
 * name: sched_wakeup ID: 317 format: field:unsigned short common_type;    offset:0;       size:2;
 * signed:0; ...
 *
 * field:char comm[16];    offset:8;       size:16;        signed:0; ...
 *
 * print fmt: "comm=%s ...", REC->comm, ...
 */
#ifndef PD_PARSE_TRACE_FIELDS_H
#define PD_PARSE_TRACE_FIELDS_H

#include <stddef.h>
#include <stdint.h>

#include <pdconv/error.h>
#include <pdconv/trace_format.h>
#include <pdconv/trace_value.h>

#include "base/arena.h"

/** Common properties of the formats of a recording. */
struct parse_trace_formats {
	/** Holds names and print formats. Borrowed. */
	struct base_arena *arena;
	/** Size of long on the recorded machine, in bytes. */
	unsigned long_size;
	/** Nodes of their print formats so far. */
	size_t n_print_nodes;
};

struct parse_print_format;

/**
 * Parse the format @p text of @p len bytes to @p ret. Free the fields with pd_vec_deinit(); they
 * must not move, because the print format *@p print_ret refers to them, which is NULL if it cannot
 * be evaluated. For invalid text, @p wrong_ret is a description (static storage), otherwise NULL.
 * Then @p ret has no fields, and no name if the head is invalid. Errors: NOMEM.
 */
struct pd_error *parse_trace_format_parse(struct parse_trace_formats *formats, const char *text,
	size_t len, struct pd_trace_format *ret, const struct parse_print_format **print_ret,
	const char **wrong_ret) pd_must_check;

/**
 * Find the bytes of @p field, at its offset or, for a dynamic one, where its locator points. False
 * if they are outside of the raw data.
 */
bool parse_trace_bytes_of(const struct pd_trace_values *values, const struct pd_trace_field *field,
	struct pd_view *ret);

/** Decode @p field, which is one of the tracepoint's. */
void parse_trace_value_of(const struct pd_trace_values *values, const struct pd_trace_field *field,
	struct pd_trace_value *ret);

#endif

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
#ifndef PD_PARSE_TRACE_FORMAT_PRIVATE_H
#define PD_PARSE_TRACE_FORMAT_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/error.h>
#include <pdconv/trace_format.h>

#include "base/arena.h"

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

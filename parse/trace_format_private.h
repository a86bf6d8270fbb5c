/**
 * @file Parser of format texts, the kernel's description of a tracepoint's raw data.
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
 * libtraceevent parses the declarations. It trusts its input, but recordings are untrusted: so the
 * text is checked here first, and libtraceevent gets a text that is written anew from the checked
 * items.
 */
#ifndef PD_PARSE_TRACE_FORMAT_PRIVATE_H
#define PD_PARSE_TRACE_FORMAT_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/error.h>
#include <pdconv/trace_format.h>

#include "base/arena.h"

/** Parser of format texts for one byte order and one size of long. */
struct pd_trace_parser;

/**
 * Create a parser. @p long_size is the size of long on the recorded machine, in bytes. Errors:
 * NOMEM.
 */
struct pd_error *pd_trace_parser_create(
	bool is_big_endian, unsigned long_size, struct pd_trace_parser **ret) pd_must_check;
void pd_trace_parser_destroy(struct pd_trace_parser *parser);

/**
 * Parse the format @p text of @p len bytes to @p ret. Its names are allocated from @p arena; free
 * its fields with pd_vec_deinit(). For invalid text, @p wrong_ret is a description (static
 * storage), otherwise NULL. Then @p ret has no fields, and no name if the head is invalid. Errors:
 * NOMEM.
 */
struct pd_error *pd_trace_format_parse(struct pd_trace_parser *parser, const char *text, size_t len,
	struct pd_arena *arena, struct pd_trace_format *ret, const char **wrong_ret) pd_must_check;

#endif

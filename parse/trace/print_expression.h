/**
 * @file Parser of the expressions in a print format.
 */
#ifndef PD_PARSE_PRINT_EXPRESSION_H
#define PD_PARSE_PRINT_EXPRESSION_H

#include "parse/trace/print_format.h"

struct parse_print_parsing {
	struct base_span rest;
	const struct pd_trace_format *format;
	struct parse_trace_formats *formats;
	unsigned depth;
	bool is_out_of_memory;
};

/**
 * Parse an expression; NULL: it is none, it uses something else than a sample's data, or memory is
 * out.
 */
const struct parse_print_node *parse_print_expression(struct parse_print_parsing *p);

/** Skip text up to @p stop outside of brackets and quotes, or all of it. */
void parse_print_skip(struct base_span *text, char stop);

/**
 * Parse string literals that follow each other, to a text of their own. False if there is none.
 */
bool parse_print_literal(struct parse_print_parsing *p, char **text_ret, size_t *len_ret);

#endif

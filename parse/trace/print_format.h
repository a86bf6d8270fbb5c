/**
 * @file Print format of a tracepoint: the C code with which the kernel makes text of a sample.
 *
 *	print fmt: "comm=%s pid=%d state=%s", REC->comm, REC->pid,
 *		REC->state & 0xff ? __print_flags(REC->state & 0xff, "|", { 1, "S" }, ...) : "R"
 *
 * It is parsed once, to trees of what the kernel's formats use (Documentation/trace/events.rst and
 * include/trace/stages/ of Linux). The text comes with the recording and may be anything: trees are
 * bounded in number and depth, and nothing but the raw data of a sample is read by them.
 */
#ifndef PD_PARSE_PRINT_FORMAT_H
#define PD_PARSE_PRINT_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/error.h>
#include <pdconv/trace_format.h>

#include "parse/trace/c_text.h"
#include "parse/trace/trace_fields.h"

/** Kinds of nodes in an expression. a, b and c are operands. */
enum parse_print_op {
	/** Something that cannot be evaluated, such as a variable of the kernel. */
	PD_PRINT_UNKNOWN,
	PD_PRINT_NUMBER,
	/** A string literal; NULL: a null pointer. */
	PD_PRINT_TEXT,
	/** REC->field, its address, and the functions __get_str() and __get_dynamic_array(). */
	PD_PRINT_FIELD,
	/** __get_dynamic_array_len() */
	PD_PRINT_LENGTH,
	/** a[b] */
	PD_PRINT_ELEMENT,
	/** (type)a */
	PD_PRINT_CAST,
	/** !a, ~a, -a: operator. */
	PD_PRINT_UNARY,
	/** a + b and so on: operator. */
	PD_PRINT_BINARY,
	/** a ? b : c */
	PD_PRINT_CHOICE,
	/** __print_flags(a, text, pairs) */
	PD_PRINT_FLAGS,
	/** __print_symbolic(a, pairs) */
	PD_PRINT_SYMBOLIC,
	/** __print_hex(a, b) */
	PD_PRINT_HEX,
	/** __print_hex_str(a, b) */
	PD_PRINT_HEX_STR,
	/** __print_array(a, b, c): array, number of elements, bytes of each */
	PD_PRINT_ARRAY,
	/** __get_bitmask() and __get_cpumask() */
	PD_PRINT_BITMASK,
};

/** Operators of C. Those of two characters are both of them. */
enum { PD_OPERATOR_TWO = 1 << 8 };
#define PD_OPERATOR2(first, second) ((first)*PD_OPERATOR_TWO + (second))

struct parse_print_pair {
	uint64_t number;
	const char *text;
	size_t len;
};

/** A node. Members that its kind does not use are 0. */
struct parse_print_node {
	enum parse_print_op op;
	/** Nodes from this one to the farthest one below it, itself not counted. */
	unsigned depth;
	/** Operator of PD_PRINT_UNARY and PD_PRINT_BINARY: see PD_OPERATOR2(). */
	unsigned operator_code;
	/** Type of PD_PRINT_NUMBER and PD_PRINT_CAST; size 0: the cast changes nothing. */
	struct parse_c_integer type;
	uint64_t number;
	const struct pd_trace_field *field;
	const struct parse_print_node *a, *b, *c;
	const char *text;
	size_t len;
	const struct parse_print_pair *pairs;
	size_t n_pairs;
};

/** Literal text, and the conversion after it. */
struct parse_print_piece {
	const char *text;
	size_t len;
	/** Character of the conversion, e.g. 'd'; 0: none follows. */
	char conversion;
	/** Flags of the conversion: characters of "-+ #0". */
	char flags[6];
	/** Field width and precision; -1: none; PD_PRINT_STAR: an argument. */
	int width;
	int precision;
	/** Bytes of the number: 1, 2, 4 or 8. */
	unsigned size;
	/** Extension of 'p', such as "I6c"; "": a plain pointer. */
	char pointer[8];
	const struct parse_print_node *width_arg, *precision_arg, *arg;
};

enum { PD_PRINT_STAR = -2 };

struct parse_print_format {
	const struct parse_print_piece *pieces;
	size_t n_pieces;
};

/**
 * Parse @p text, what follows "print fmt:" in the description of @p format, whose fields must stay
 * where they are. *ret is NULL if the text cannot be parsed, or if something would be missing from
 * what it prints. Errors: NOMEM.
 */
struct pd_error *parse_print_format_parse(struct parse_trace_formats *formats,
	struct base_span text, const struct pd_trace_format *format,
	const struct parse_print_format **ret) pd_must_check;

struct pd_tracing;
struct pd_tracepoint;

/** Print format of @p tracepoint, one of @p tracing; NULL: it cannot be evaluated. */
const struct parse_print_format *parse_tracing_print_format(
	const struct pd_tracing *tracing, const struct pd_tracepoint *tracepoint);

#endif

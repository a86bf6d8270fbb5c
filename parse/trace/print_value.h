/**
 * @file Values of the expressions in a print format, as the kernel's C code computes them.
 */
#ifndef PD_PARSE_PRINT_VALUE_H
#define PD_PARSE_PRINT_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/record.h>
#include <pdconv/trace_value.h>

#include "parse/trace/print_format.h"

enum parse_print_kind {
	/** Not known: the raw data are too short, or something was divided by 0. */
	PD_PRINT_IS_UNKNOWN,
	PD_PRINT_IS_NUMBER,
	PD_PRINT_IS_TEXT,
	/** An array, a struct or the like. */
	PD_PRINT_IS_BYTES,
	/** Text that a function such as __print_flags() writes itself. */
	PD_PRINT_IS_MADE,
};

/** A value. Texts and bytes are borrowed from the format and the sample. */
struct parse_print_value {
	enum parse_print_kind kind;
	/** Type of a number, which is extended to 64 bits by its sign. */
	struct parse_c_integer type;
	uint64_t number;
	/** NULL: a null pointer. */
	const char *text;
	size_t len;
	struct pd_view bytes;
	const struct parse_print_node *made;
};

/** Evaluate @p node for the sample of @p values; NULL: fields are unknown. */
struct parse_print_value parse_print_evaluate(
	const struct parse_print_node *node, const struct pd_trace_values *values);

/** Evaluate a number without fields. False if @p node is something else. */
bool parse_print_constant(const struct parse_print_node *node, uint64_t *ret);

#endif

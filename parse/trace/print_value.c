#include "parse/trace/print_value.h"

#include <string.h>

#include "base/integer.h"
#include "parse/trace/trace_fields.h"

static const struct parse_print_value unknown = { .kind = PD_PRINT_IS_UNKNOWN };
static const struct parse_c_integer int_type = { .size = 4, .is_signed = true };

/* Cut a number to its type, and extend it again. */
static struct parse_print_value number_of(uint64_t number, struct parse_c_integer type)
{
	if (type.is_bool)
		number = number != 0;
	if (type.size < 8)
		number &= ((uint64_t)1 << 8 * type.size) - 1;
	if (type.is_signed)
		number = (uint64_t)base_sign_extend(number, type.size);
	return (struct parse_print_value){
		.kind = PD_PRINT_IS_NUMBER, .number = number, .type = type
	};
}

static struct parse_print_value bool_of(bool is_true)
{
	return number_of(is_true, int_type);
}

/* Value of a field, or of a part of it. */
static struct parse_print_value value_of(
	const struct pd_trace_value *value, const struct pd_trace_field *field)
{
	struct parse_print_value ret = { .bytes = value->data };

	switch (value->kind) {
	case PD_TRACE_UNSIGNED:
	case PD_TRACE_SIGNED:
		ret = number_of(value->number.u, (struct parse_c_integer){ .size = field->size,
							 .is_signed = field->is_signed });
		ret.bytes = value->data;
		break;
	case PD_TRACE_STRING:
		ret.kind = PD_PRINT_IS_TEXT;
		ret.text = (const char *)value->data.data;
		ret.len = value->data.n;
		break;
	case PD_TRACE_BYTES:
	case PD_TRACE_ARRAY:
		ret.kind = PD_PRINT_IS_BYTES;
		break;
	case PD_TRACE_OUTSIDE:
		break;
	}
	return ret;
}

static struct parse_print_value evaluate_field(
	const struct pd_trace_values *values, const struct parse_print_node *node)
{
	struct pd_trace_value value;

	if (!values)
		return unknown;
	parse_trace_value_of(values, node->field, &value);
	return value_of(&value, node->field);
}

/* All bytes of a field, also those after the NUL of a text. */
static bool bytes_of(const struct pd_trace_values *values, const struct parse_print_node *node,
	struct pd_view *ret)
{
	return values && node->field && parse_trace_bytes_of(values, node->field, ret);
}

static struct parse_print_value evaluate_length(
	const struct pd_trace_values *values, const struct parse_print_node *node)
{
	struct pd_view bytes;

	return bytes_of(values, node, &bytes) ? number_of(bytes.n, int_type) : unknown;
}

/* Whether a condition holds. A text or an array is a pointer. */
static bool is_true(const struct parse_print_value *value)
{
	switch (value->kind) {
	case PD_PRINT_IS_NUMBER:
		return value->number;
	case PD_PRINT_IS_TEXT:
		return value->text;
	default:
		return true;
	}
}

static struct parse_print_value evaluate_element(
	const struct pd_trace_values *values, const struct parse_print_node *node)
{
	const struct pd_trace_field *field = node->a->field;
	struct parse_print_value i = parse_print_evaluate(node->b, values);
	struct pd_view bytes;

	if (i.kind != PD_PRINT_IS_NUMBER || !bytes_of(values, node->a, &bytes))
		return unknown;
	uint32_t size = field->elem_size ? field->elem_size : 1;
	if (bytes.n < size || i.number > bytes.n / size - 1)
		return unknown;
	return number_of(base_load_uint(bytes.data + i.number * size, size, bytes.swap),
		(struct parse_c_integer){ .size = size, .is_signed = field->is_signed });
}

static struct parse_print_value evaluate_cast(
	const struct pd_trace_values *values, const struct parse_print_node *node)
{
	struct parse_print_value value = parse_print_evaluate(node->a, values);
	struct pd_view bytes = value.bytes;

	if (value.kind != PD_PRINT_IS_NUMBER || !node->type.size)
		return value;
	value = number_of(value.number, node->type);
	value.bytes = bytes;
	return value;
}

/* The type in which C computes with a value: at least int. */
static struct parse_c_integer promoted(struct parse_c_integer type)
{
	return type.size < 4
		       ? int_type
		       : (struct parse_c_integer){ .size = type.size, .is_signed = type.is_signed };
}

/* The type in which C computes with both. */
static struct parse_c_integer common_type(struct parse_c_integer a, struct parse_c_integer b)
{
	a = promoted(a);
	b = promoted(b);
	if (a.size != b.size)
		return a.size > b.size ? a : b;
	return (struct parse_c_integer){ .size = a.size, .is_signed = a.is_signed && b.is_signed };
}

static struct parse_print_value evaluate_unary(
	const struct pd_trace_values *values, const struct parse_print_node *node)
{
	struct parse_print_value a = parse_print_evaluate(node->a, values);

	if (a.kind == PD_PRINT_IS_UNKNOWN)
		return a;
	if (node->operator_code == '!')
		return bool_of(!is_true(&a));
	if (a.kind != PD_PRINT_IS_NUMBER)
		return unknown;
	return number_of(node->operator_code == '~' ? ~a.number : -a.number, promoted(a.type));
}

static struct parse_print_value shift(
	unsigned code, const struct parse_print_value *a, const struct parse_print_value *b)
{
	struct parse_c_integer type = promoted(a->type);

	if (b->number >= 8 * type.size)
		return unknown;
	if (code == PD_OPERATOR2('<', '<'))
		return number_of(a->number << b->number, type);
	return number_of(type.is_signed ? (uint64_t)((int64_t)a->number >> b->number)
					: a->number >> b->number,
		type);
}

static struct parse_print_value divide(
	unsigned code, uint64_t a, uint64_t b, struct parse_c_integer type)
{
	bool is_division = code == '/';

	if (!b || (type.is_signed && (int64_t)b == -1 && (int64_t)a == INT64_MIN))
		return unknown;
	if (!type.is_signed)
		return number_of(is_division ? a / b : a % b, type);
	int64_t result = is_division ? (int64_t)a / (int64_t)b : (int64_t)a % (int64_t)b;
	return number_of((uint64_t)result, type);
}

static struct parse_print_value compare(
	unsigned code, uint64_t a, uint64_t b, struct parse_c_integer type)
{
	bool is_less = type.is_signed ? (int64_t)a < (int64_t)b : a < b;

	switch (code) {
	case '<':
		return bool_of(is_less);
	case '>':
		return bool_of(!is_less && a != b);
	case PD_OPERATOR2('<', '='):
		return bool_of(is_less || a == b);
	case PD_OPERATOR2('>', '='):
		return bool_of(!is_less);
	case PD_OPERATOR2('=', '='):
		return bool_of(a == b);
	default:
		return bool_of(a != b);
	}
}

static struct parse_print_value compute(
	unsigned code, const struct parse_print_value *left, const struct parse_print_value *right)
{
	struct parse_c_integer type = common_type(left->type, right->type);
	uint64_t a = number_of(left->number, type).number;
	uint64_t b = number_of(right->number, type).number;

	switch (code) {
	case PD_OPERATOR2('<', '<'):
	case PD_OPERATOR2('>', '>'):
		return shift(code, left, right);
	case '|':
		return number_of(a | b, type);
	case '^':
		return number_of(a ^ b, type);
	case '&':
		return number_of(a & b, type);
	case '+':
		return number_of(a + b, type);
	case '-':
		return number_of(a - b, type);
	case '*':
		return number_of(a * b, type);
	case '/':
	case '%':
		return divide(code, a, b, type);
	default:
		return compare(code, a, b, type);
	}
}

static struct parse_print_value evaluate_binary(
	const struct pd_trace_values *values, const struct parse_print_node *node)
{
	struct parse_print_value a = parse_print_evaluate(node->a, values);
	unsigned code = node->operator_code;
	bool is_and = code == PD_OPERATOR2('&', '&'), is_or = code == PD_OPERATOR2('|', '|');

	if (a.kind == PD_PRINT_IS_UNKNOWN)
		return a;
	if ((is_and && !is_true(&a)) || (is_or && is_true(&a)))
		return bool_of(is_or);
	struct parse_print_value b = parse_print_evaluate(node->b, values);
	if (b.kind == PD_PRINT_IS_UNKNOWN)
		return b;
	if (is_and || is_or)
		return bool_of(is_true(&b));
	return a.kind == PD_PRINT_IS_NUMBER && b.kind == PD_PRINT_IS_NUMBER ? compute(code, &a, &b)
									    : unknown;
}

static struct parse_print_value evaluate_choice(
	const struct pd_trace_values *values, const struct parse_print_node *node)
{
	struct parse_print_value condition = parse_print_evaluate(node->a, values);

	if (condition.kind == PD_PRINT_IS_UNKNOWN)
		return condition;
	return parse_print_evaluate(is_true(&condition) ? node->b : node->c, values);
}

struct parse_print_value parse_print_evaluate(
	const struct parse_print_node *node, const struct pd_trace_values *values)
{
	switch (node->op) {
	case PD_PRINT_UNKNOWN:
		return unknown;
	case PD_PRINT_NUMBER:
		return number_of(node->number, node->type);
	case PD_PRINT_TEXT:
		return (struct parse_print_value){
			.kind = PD_PRINT_IS_TEXT, .text = node->text, .len = node->len
		};
	case PD_PRINT_FIELD:
		return evaluate_field(values, node);
	case PD_PRINT_LENGTH:
		return evaluate_length(values, node);
	case PD_PRINT_ELEMENT:
		return evaluate_element(values, node);
	case PD_PRINT_CAST:
		return evaluate_cast(values, node);
	case PD_PRINT_UNARY:
		return evaluate_unary(values, node);
	case PD_PRINT_BINARY:
		return evaluate_binary(values, node);
	case PD_PRINT_CHOICE:
		return evaluate_choice(values, node);
	case PD_PRINT_FLAGS:
	case PD_PRINT_SYMBOLIC:
	case PD_PRINT_HEX:
	case PD_PRINT_HEX_STR:
	case PD_PRINT_ARRAY:
	case PD_PRINT_BITMASK:
		break;
	}
	return (struct parse_print_value){ .kind = PD_PRINT_IS_MADE, .made = node };
}

bool parse_print_constant(const struct parse_print_node *node, uint64_t *ret)
{
	struct parse_print_value value = parse_print_evaluate(node, NULL);

	*ret = value.number;
	return value.kind == PD_PRINT_IS_NUMBER;
}

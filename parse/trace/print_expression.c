#include "parse/trace/print_expression.h"

#include <string.h>

#include "base/array.h"
#include "base/limit.h"
#include "parse/trace/print_value.h"

enum { MAX_NODES = PD_LIMIT_PRINT_NODES, MAX_DEPTH = PD_LIMIT_PRINT_DEPTH };

/* Binary operators by precedence, and before an operator those that begin with it. */
static const struct {
	const char *text;
	unsigned code;
	unsigned precedence;
} operators[] = {
	{ "||", PD_OPERATOR2('|', '|'), 1 },
	{ "&&", PD_OPERATOR2('&', '&'), 2 },
	{ "|", '|', 3 },
	{ "^", '^', 4 },
	{ "&", '&', 5 },
	{ "==", PD_OPERATOR2('=', '='), 6 },
	{ "!=", PD_OPERATOR2('!', '='), 6 },
	{ "<<", PD_OPERATOR2('<', '<'), 8 },
	{ ">>", PD_OPERATOR2('>', '>'), 8 },
	{ "<=", PD_OPERATOR2('<', '='), 7 },
	{ ">=", PD_OPERATOR2('>', '='), 7 },
	{ "<", '<', 7 },
	{ ">", '>', 7 },
	{ "+", '+', 9 },
	{ "-", '-', 9 },
	{ "*", '*', 10 },
	{ "/", '/', 10 },
	{ "%", '%', 10 },
};

static bool take(struct parse_print_parsing *p, const char *word)
{
	base_span_skip_space(&p->rest);
	return base_span_take(&p->rest, word);
}

static char first(struct parse_print_parsing *p)
{
	base_span_skip_space(&p->rest);
	return base_span_first(p->rest);
}

static bool take_identifier(struct parse_print_parsing *p, struct base_span *ret)
{
	base_span_skip_space(&p->rest);
	return !isdigit((unsigned char)base_span_first(p->rest)) &&
	       base_span_take_identifier(&p->rest, ret);
}

static void *allocate(struct parse_print_parsing *p, size_t n, size_t size)
{
	void *ret = base_arena_alloc(p->formats->arena, n * size);

	if (ret)
		memset(ret, 0, n * size);
	p->is_out_of_memory |= !ret;
	return ret;
}

/* Create a node. NULL: there are too many, or no memory. */
static struct parse_print_node *create(struct parse_print_parsing *p, enum parse_print_op op)
{
	if (p->formats->n_print_nodes == MAX_NODES)
		return NULL;
	p->formats->n_print_nodes++;
	struct parse_print_node *node = allocate(p, 1, sizeof(*node));
	if (node)
		node->op = op;
	return node;
}

static unsigned depth_of(const struct parse_print_node *node)
{
	return node ? node->depth : 0;
}

/* Note how deep @p node is, whose operands are set. NULL: too deep to be evaluated. */
static const struct parse_print_node *finish(struct parse_print_node *node)
{
	unsigned a = depth_of(node->a), b = depth_of(node->b), c = depth_of(node->c);

	node->depth = 1 + (a > b ? (a > c ? a : c) : (b > c ? b : c));
	return node->depth <= MAX_DEPTH ? node : NULL;
}

static const struct parse_print_node *create_number(
	struct parse_print_parsing *p, uint64_t number, struct parse_c_integer type)
{
	struct parse_print_node *node = create(p, PD_PRINT_NUMBER);

	if (!node)
		return NULL;
	node->number = number;
	node->type = type;
	return node;
}

/* The value of an octal or hexadecimal escape of at most @p max digits. */
static char take_code(struct base_span *text, unsigned base, int max)
{
	static const char digits[] = "0123456789abcdef";
	unsigned code = 0;

	for (; max && text->at < text->end; max--, text->at++) {
		const char *digit = memchr(digits, tolower((unsigned char)*text->at), base);

		if (!digit)
			break;
		code = code * base + (unsigned)(digit - digits);
	}
	return (char)code;
}

/* Take a character of a literal, and convert escapes. */
static char take_character(struct base_span *text)
{
	static const char names[] = "ntrabfv", values[] = "\n\t\r\a\b\f\v";
	char c = *text->at++;

	if (c != '\\' || text->at == text->end)
		return c;
	if (*text->at >= '0' && *text->at <= '7')
		return take_code(text, 8, 3);
	c = *text->at++;
	if (c == 'x')
		return take_code(text, 16, 2);
	const char *name = memchr(names, c, sizeof(names) - 1);
	return name ? values[name - names] : c;
}

/* Append the characters up to the quote. False if it is missing. */
static bool take_quoted(struct base_span *text, char *to, size_t *len)
{
	while (text->at < text->end && *text->at != '"')
		to[(*len)++] = take_character(text);
	return base_span_take(text, "\"");
}

bool parse_print_literal(struct parse_print_parsing *p, char **text_ret, size_t *len_ret)
{
	struct base_span rest;
	size_t len = 0;

	if (first(p) != '"')
		return false;
	/* The text is not longer than its source. */
	rest = p->rest;
	while (base_span_take(&rest, "\"")) {
		while (rest.at < rest.end && *rest.at != '"')
			rest.at += 1 + (*rest.at == '\\' && rest.at + 1 < rest.end);
		if (!base_span_take(&rest, "\""))
			return false;
		base_span_skip_space(&rest);
	}
	char *to = allocate(p, (size_t)(rest.at - p->rest.at) + 1, 1);
	if (!to)
		return false;
	while (take(p, "\"")) {
		if (!take_quoted(&p->rest, to, &len))
			return false;
	}
	*text_ret = to;
	*len_ret = len;
	return true;
}

static bool take_text(struct parse_print_parsing *p, struct parse_print_node *node)
{
	char *text = NULL;
	bool is_literal = parse_print_literal(p, &text, &node->len);

	node->text = text;
	return is_literal;
}

static const struct parse_print_node *parse_literal(struct parse_print_parsing *p)
{
	struct parse_print_node *node = create(p, PD_PRINT_TEXT);

	return node && take_text(p, node) ? node : NULL;
}

static const struct parse_print_node *parse_character(struct parse_print_parsing *p)
{
	const struct parse_c_integer type = { .size = 4, .is_signed = true };

	if (!take(p, "'") || p->rest.at == p->rest.end)
		return NULL;
	char c = take_character(&p->rest);
	return take(p, "'") ? create_number(p, (uint64_t)c, type) : NULL;
}

/* The type of a literal: the first of int, unsigned, long that has the number (C11, 6.4.4.1). */
static struct parse_c_integer type_of(const struct parse_print_parsing *p, uint64_t number,
	bool is_decimal, struct base_span suffix)
{
	bool is_unsigned = memchr(suffix.at, 'u', base_span_len(suffix)) ||
			   memchr(suffix.at, 'U', base_span_len(suffix));
	size_t n_long = base_span_len(suffix) - is_unsigned;
	uint32_t size = !n_long ? 4 : n_long > 1 ? 8 : p->formats->long_size;
	uint64_t most = size == 4 ? UINT32_MAX : UINT64_MAX;

	if (number > most)
		size = 8;
	most = size == 4 ? UINT32_MAX : UINT64_MAX;
	if (number > most / 2 && is_decimal && !is_unsigned)
		size = 8;
	return (struct parse_c_integer){ .size = size,
		.is_signed = !is_unsigned && (is_decimal || number <= most / 2) };
}

static const struct parse_print_node *parse_number(struct parse_print_parsing *p)
{
	bool is_hex = base_span_take(&p->rest, "0x") || base_span_take(&p->rest, "0X");
	unsigned base = is_hex ? 16 : base_span_first(p->rest) == '0' ? 8 : 10;
	struct base_span suffix;
	uint64_t number = 0;

	for (; p->rest.at < p->rest.end && isxdigit((unsigned char)*p->rest.at); p->rest.at++) {
		unsigned digit = base_hex_digit(*p->rest.at);

		if (digit >= base || __builtin_mul_overflow(number, base, &number) ||
			__builtin_add_overflow(number, digit, &number))
			return NULL;
	}
	suffix.at = p->rest.at;
	while (p->rest.at < p->rest.end && *p->rest.at && strchr("uUlL", *p->rest.at))
		p->rest.at++;
	suffix.end = p->rest.at;
	return create_number(p, number, type_of(p, number, base == 10, suffix));
}

static const struct pd_trace_field *find_field(
	const struct pd_trace_format *format, struct base_span name)
{
	for (size_t i = 0; i < format->fields.n; i++) {
		if (base_span_is(name, format->fields.data[i].name))
			return &format->fields.data[i];
	}
	return NULL;
}

static bool parse_name(struct parse_print_parsing *p, struct parse_print_node *node)
{
	struct base_span name;

	node->field = take_identifier(p, &name) ? find_field(p->format, name) : NULL;
	return node->field;
}

static const struct parse_print_node *parse_field(struct parse_print_parsing *p)
{
	struct parse_print_node *node = create(p, PD_PRINT_FIELD);

	return node && parse_name(p, node) ? node : NULL;
}

/* Take the words and stars of a type. False if it can be none. */
static bool take_type(struct parse_print_parsing *p, struct parse_c_integer *ret)
{
	struct base_span type, word;
	size_t n_stars = 0;

	base_span_skip_space(&p->rest);
	type.at = p->rest.at;
	for (size_t n = 0;; n++) {
		if (take_identifier(p, &word)) {
			if (n_stars || base_span_is(word, "REC"))
				return false;
		} else if (n && take(p, "*")) {
			n_stars++;
		} else if (n) {
			break;
		} else {
			return false;
		}
	}
	type.end = p->rest.at;
	*ret = n_stars ? (struct parse_c_integer){ .size = p->formats->long_size }
		       : parse_c_integer(type, p->formats->long_size);
	return true;
}

static const struct parse_print_node *parse_unary(struct parse_print_parsing *p);

/* Parse "(type)" and its operand. Return NULL and take nothing if there is no type. */
static const struct parse_print_node *parse_cast(struct parse_print_parsing *p)
{
	struct base_span start = p->rest;
	struct parse_c_integer type;

	if (!take(p, "(") || !take_type(p, &type) || !take(p, ")")) {
		p->rest = start;
		return NULL;
	}
	const struct parse_print_node *a = parse_unary(p);
	struct parse_print_node *node = a ? create(p, PD_PRINT_CAST) : NULL;
	if (!node) {
		p->rest = start;
		return NULL;
	}
	node->a = a;
	node->type = type;
	return finish(node);
}

void parse_print_skip(struct base_span *text, char stop)
{
	int depth = 0;

	for (; text->at < text->end; text->at++) {
		char c = *text->at;

		if (!depth && c == stop)
			return;
		if (c == '"' || c == '\'') {
			for (text->at++; text->at < text->end && *text->at != c; text->at++)
				text->at += *text->at == '\\' && text->at + 1 < text->end;
			if (text->at == text->end)
				return;
		}
		depth += (c == '(' || c == '{' || c == '[') - (c == ')' || c == '}' || c == ']');
	}
}

/* Parse what is in the braces of a pair "{ number, text }". */
static bool parse_pair(struct parse_print_parsing *p, struct parse_print_pair *ret)
{
	const struct parse_print_node *number = parse_print_expression(p);

	if (!number || !parse_print_constant(number, &ret->number) || !take(p, ","))
		return false;
	const struct parse_print_node *text = parse_print_expression(p);
	if (!text || text->op != PD_PRINT_TEXT)
		return false;
	ret->text = text->text;
	ret->len = text->len;
	return true;
}

/*
 * Parse the pairs up to the end of the arguments. One whose number is not known, such as the name
 * of a constant, is left out, and so is the null pointer that ends a table.
 */
static bool parse_pairs(struct parse_print_parsing *p, struct parse_print_node *node)
{
	struct parse_print_pair *pairs = NULL;
	size_t cap = 0;

	do {
		if (node->n_pairs == cap) {
			size_t n = node->n_pairs;
			struct parse_print_pair *more = allocate(p, 2 * n + 8, sizeof(*more));

			if (!more)
				return false;
			if (n)
				memcpy(more, pairs, n * sizeof(*more));
			pairs = more;
			cap = 2 * n + 8;
		}
		if (!take(p, "{"))
			return false;
		struct base_span start = p->rest;
		if (parse_pair(p, &pairs[node->n_pairs]) && take(p, "}")) {
			node->n_pairs++;
			continue;
		}
		p->rest = start;
		parse_print_skip(&p->rest, '}');
		if (!take(p, "}"))
			return false;
	} while (take(p, ","));
	node->pairs = pairs;
	return true;
}

/* Parse the arguments of a function; its operation is set. */
typedef bool parse_arguments(struct parse_print_parsing *p, struct parse_print_node *node);

static bool parse_flags(struct parse_print_parsing *p, struct parse_print_node *node)
{
	node->a = parse_print_expression(p);
	return node->a && take(p, ",") && take_text(p, node) && take(p, ",") &&
	       parse_pairs(p, node);
}

static bool parse_symbolic(struct parse_print_parsing *p, struct parse_print_node *node)
{
	node->a = parse_print_expression(p);
	return node->a && take(p, ",") && parse_pairs(p, node);
}

static bool parse_bytes(struct parse_print_parsing *p, struct parse_print_node *node)
{
	node->a = parse_print_expression(p);
	node->b = node->a && take(p, ",") ? parse_print_expression(p) : NULL;
	return node->b;
}

static bool parse_array(struct parse_print_parsing *p, struct parse_print_node *node)
{
	node->c = parse_bytes(p, node) && take(p, ",") ? parse_print_expression(p) : NULL;
	return node->c;
}

static bool parse_size(struct parse_print_parsing *p, struct parse_print_node *node)
{
	struct parse_c_integer type;

	node->type = (struct parse_c_integer){ .size = p->formats->long_size };
	if (!take_type(p, &type) || !type.size)
		return false;
	node->number = type.size;
	return true;
}

static const struct {
	const char *name;
	enum parse_print_op op;
	parse_arguments *parse;
} functions[] = {
	{ "__print_flags", PD_PRINT_FLAGS, parse_flags },
	{ "__print_flags_u64", PD_PRINT_FLAGS, parse_flags },
	{ "__print_symbolic", PD_PRINT_SYMBOLIC, parse_symbolic },
	{ "__print_symbolic_u64", PD_PRINT_SYMBOLIC, parse_symbolic },
	{ "__print_hex", PD_PRINT_HEX, parse_bytes },
	{ "__print_hex_str", PD_PRINT_HEX_STR, parse_bytes },
	{ "__print_array", PD_PRINT_ARRAY, parse_array },
	{ "__get_str", PD_PRINT_FIELD, parse_name },
	{ "__get_rel_str", PD_PRINT_FIELD, parse_name },
	{ "__get_dynamic_array", PD_PRINT_FIELD, parse_name },
	{ "__get_rel_dynamic_array", PD_PRINT_FIELD, parse_name },
	{ "__get_sockaddr", PD_PRINT_FIELD, parse_name },
	{ "__get_rel_sockaddr", PD_PRINT_FIELD, parse_name },
	{ "__get_dynamic_array_len", PD_PRINT_LENGTH, parse_name },
	{ "__get_rel_dynamic_array_len", PD_PRINT_LENGTH, parse_name },
	{ "__get_bitmask", PD_PRINT_BITMASK, parse_name },
	{ "__get_rel_bitmask", PD_PRINT_BITMASK, parse_name },
	{ "__get_cpumask", PD_PRINT_BITMASK, parse_name },
	{ "__get_rel_cpumask", PD_PRINT_BITMASK, parse_name },
	/* A hint to the compiler: the value is that of the first argument. */
	{ "__builtin_expect", PD_PRINT_CAST, parse_bytes },
	{ "sizeof", PD_PRINT_NUMBER, parse_size },
};

static const struct parse_print_node *parse_function(
	struct parse_print_parsing *p, struct base_span name)
{
	for (size_t i = 0; i < PD_ARRAY_LEN(functions); i++) {
		if (!base_span_is(name, functions[i].name))
			continue;
		struct parse_print_node *node = take(p, "(") ? create(p, functions[i].op) : NULL;
		return node && functions[i].parse(p, node) && take(p, ")") ? finish(node) : NULL;
	}
	return NULL;
}

static const struct parse_print_node *parse_parentheses(struct parse_print_parsing *p)
{
	const struct parse_print_node *cast = parse_cast(p);

	if (cast || !take(p, "("))
		return cast;
	struct base_span start = p->rest;
	if (take(p, "REC") && take(p, ")"))
		return take(p, "->") ? parse_field(p) : NULL;
	p->rest = start;
	const struct parse_print_node *node = parse_print_expression(p);
	return node && take(p, ")") ? node : NULL;
}

static const struct parse_print_node *parse_primary(struct parse_print_parsing *p)
{
	struct base_span name;
	char c = first(p);

	if (c == '"')
		return parse_literal(p);
	if (c == '\'')
		return parse_character(p);
	if (c == '(')
		return parse_parentheses(p);
	if (isdigit((unsigned char)c))
		return parse_number(p);
	if (!take_identifier(p, &name))
		return NULL;
	if (base_span_is(name, "REC"))
		return take(p, "->") ? parse_field(p) : NULL;
	return parse_function(p, name);
}

static const struct parse_print_node *parse_postfix(struct parse_print_parsing *p)
{
	const struct parse_print_node *node = parse_primary(p);

	while (node && take(p, "[")) {
		struct parse_print_node *element = create(p, PD_PRINT_ELEMENT);

		if (!element)
			return NULL;
		element->a = node;
		element->b = parse_print_expression(p);
		node = element->b && take(p, "]") ? finish(element) : NULL;
	}
	return node;
}

static const struct parse_print_node *parse_operand(struct parse_print_parsing *p)
{
	char c = first(p);

	if (c != '!' && c != '~' && c != '-' && c != '+' && c != '&')
		return parse_postfix(p);
	p->rest.at++;
	const struct parse_print_node *a = parse_unary(p);
	/* The address of a field is its bytes. */
	if (c == '&')
		return a && a->op == PD_PRINT_FIELD ? a : NULL;
	struct parse_print_node *node = a && c != '+' ? create(p, PD_PRINT_UNARY) : NULL;
	if (!node)
		return c == '+' ? a : NULL;
	node->a = a;
	node->operator_code = (unsigned)c;
	return finish(node);
}

static const struct parse_print_node *parse_unary(struct parse_print_parsing *p)
{
	if (p->depth == MAX_DEPTH)
		return NULL;
	p->depth++;
	const struct parse_print_node *node = parse_operand(p);
	p->depth--;
	return node;
}

/* Take a binary operator that binds at least as strongly. Return its index, or -1. */
static int take_operator(struct parse_print_parsing *p, unsigned least)
{
	base_span_skip_space(&p->rest);
	for (size_t i = 0; i < PD_ARRAY_LEN(operators); i++) {
		struct base_span rest = p->rest;

		if (!base_span_take(&rest, operators[i].text))
			continue;
		if (operators[i].precedence < least)
			return -1;
		p->rest = rest;
		return (int)i;
	}
	return -1;
}

/* Parse operands and the operators between them that bind at least as strongly. */
static const struct parse_print_node *parse_binary(struct parse_print_parsing *p, unsigned least)
{
	const struct parse_print_node *left = parse_unary(p);
	int i;

	while (left && (i = take_operator(p, least)) >= 0) {
		const struct parse_print_node *right = parse_binary(p, operators[i].precedence + 1);
		struct parse_print_node *node = right ? create(p, PD_PRINT_BINARY) : NULL;

		if (!node)
			return NULL;
		node->operator_code = operators[i].code;
		node->a = left;
		node->b = right;
		left = finish(node);
	}
	return left;
}

static const struct parse_print_node *parse_choice(struct parse_print_parsing *p)
{
	const struct parse_print_node *condition = parse_binary(p, 1);

	if (!condition || !take(p, "?"))
		return condition;
	struct parse_print_node *node = create(p, PD_PRINT_CHOICE);
	if (!node)
		return NULL;
	node->a = condition;
	node->b = parse_print_expression(p);
	node->c = node->b && take(p, ":") ? parse_print_expression(p) : NULL;
	return node->c ? finish(node) : NULL;
}

const struct parse_print_node *parse_print_expression(struct parse_print_parsing *p)
{
	if (p->depth == MAX_DEPTH)
		return NULL;
	p->depth++;
	const struct parse_print_node *node = parse_choice(p);
	p->depth--;
	return node;
}

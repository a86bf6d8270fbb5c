#include "parse/trace/trace_print.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <pdconv/cursor.h>

#include "base/integer.h"
#include "parse/trace/print_address.h"
#include "parse/trace/print_value.h"
#include "parse/trace/trace_fields.h"

/* How a sample is printed. */
struct printing {
	const struct pd_tracing *tracing;
	const struct pd_trace_values *values;
	parse_trace_symbol *symbol;
	void *ctx;
	struct base_line *out;
};

enum { MAX_NUMBER_BYTES = 1100 };

/* Evaluate an operand that must be a number. */
static bool number_of(const struct printing *p, const struct parse_print_node *node, uint64_t *ret)
{
	struct parse_print_value value = parse_print_evaluate(node, p->values);

	*ret = value.number;
	return value.kind == PD_PRINT_IS_NUMBER;
}

static void put_hex(const struct printing *p, uint64_t number)
{
	base_line_put_str(p->out, "0x");
	base_line_put_hex(p->out, number, 0);
}

static void put_unknown(const struct printing *p)
{
	base_line_put_char(p->out, '?');
}

/* Write the names of the bits that are set, then the bits without names. */
static void put_flags(const struct printing *p, const struct parse_print_node *node, uint64_t flags)
{
	bool is_first = true;

	for (size_t i = 0; i < node->n_pairs; i++) {
		const struct parse_print_pair *pair = &node->pairs[i];

		if ((flags & pair->number) != pair->number ||
			(!pair->number && (flags || !is_first)))
			continue;
		if (!is_first)
			base_line_put(p->out, node->text, node->len);
		is_first = false;
		base_line_put(p->out, pair->text, pair->len);
		flags &= ~pair->number;
	}
	if (!flags)
		return;
	if (!is_first)
		base_line_put(p->out, node->text, node->len);
	put_hex(p, flags);
}

static void put_symbolic(
	const struct printing *p, const struct parse_print_node *node, uint64_t number)
{
	for (size_t i = 0; i < node->n_pairs; i++) {
		if (node->pairs[i].number != number)
			continue;
		base_line_put(p->out, node->pairs[i].text, node->pairs[i].len);
		return;
	}
	put_hex(p, number);
}

/* Evaluate an array, of which at most @p n bytes are printed. False if it is none. */
static bool find_bytes(const struct printing *p, const struct parse_print_node *node, uint64_t n,
	struct pd_view *ret)
{
	while (node->op == PD_PRINT_CAST)
		node = node->a;
	if (node->op != PD_PRINT_FIELD || !parse_trace_bytes_of(p->values, node->field, ret))
		return false;
	if (ret->n > n)
		ret->n = n;
	return true;
}

static void put_byte(const struct printing *p, uint8_t byte)
{
	static const char digits[] = "0123456789abcdef";

	base_line_put_char(p->out, digits[byte >> 4]);
	base_line_put_char(p->out, digits[byte & 15]);
}

static void put_bytes(const struct printing *p, const struct parse_print_node *node)
{
	struct pd_view bytes;
	uint64_t n;

	if (!number_of(p, node->b, &n) || !find_bytes(p, node->a, n, &bytes)) {
		put_unknown(p);
		return;
	}
	for (uint64_t i = 0; i < bytes.n; i++) {
		if (i && node->op == PD_PRINT_HEX)
			base_line_put_char(p->out, ' ');
		put_byte(p, bytes.data[i]);
	}
}

static void put_array(const struct printing *p, const struct parse_print_node *node)
{
	uint64_t n, size;
	struct pd_view bytes;

	if (!number_of(p, node->b, &n) || !number_of(p, node->c, &size) ||
		(size != 1 && size != 2 && size != 4 && size != 8) ||
		!find_bytes(p, node->a, UINT64_MAX, &bytes)) {
		put_unknown(p);
		return;
	}
	base_line_put_char(p->out, '{');
	for (uint64_t i = 0; i < n && i < bytes.n / size; i++) {
		if (i)
			base_line_put_char(p->out, ',');
		put_hex(p, base_load_uint(bytes.data + i * size, size, bytes.swap));
	}
	base_line_put_char(p->out, '}');
}

/* Write a bitmap, which is an array of longs: its 32-bit words, the highest one first. */
static void put_bitmask(const struct printing *p, const struct parse_print_node *node)
{
	struct pd_view bytes;

	if (!parse_trace_bytes_of(p->values, node->field, &bytes) || bytes.n % 4) {
		put_unknown(p);
		return;
	}
	for (uint64_t i = bytes.n / 4; i--;) {
		uint32_t word = pd_load_u32(bytes.data + 4 * i, bytes.swap);

		base_line_printf(p->out, "%08" PRIx32 "%s", word, i ? "," : "");
	}
}

static void put_made(const struct printing *p, const struct parse_print_node *node)
{
	uint64_t number;

	switch (node->op) {
	case PD_PRINT_FLAGS:
	case PD_PRINT_SYMBOLIC:
		if (!number_of(p, node->a, &number))
			put_unknown(p);
		else if (node->op == PD_PRINT_FLAGS)
			put_flags(p, node, number);
		else
			put_symbolic(p, node, number);
		break;
	case PD_PRINT_ARRAY:
		put_array(p, node);
		break;
	case PD_PRINT_BITMASK:
		put_bitmask(p, node);
		break;
	default:
		put_bytes(p, node);
		break;
	}
}

/* Write text, with spaces up to the width of the conversion. */
static void put_padded(const struct printing *p, const struct parse_print_piece *piece,
	const char *text, size_t len)
{
	int width = piece->width;
	bool is_left = strchr(piece->flags, '-');

	if (piece->precision >= 0 && (size_t)piece->precision < len)
		len = (size_t)piece->precision;
	if (!is_left)
		base_line_put_spaces(p->out, width - (int)len);
	base_line_put(p->out, text, len);
	if (is_left)
		base_line_put_spaces(p->out, width - (int)len);
}

/* A pointer to a string of the kernel, which the recording may know. */
static void put_pointed(
	const struct printing *p, const struct parse_print_piece *piece, uint64_t addr)
{
	const char *text = addr ? pd_tracing_string(p->tracing, addr) : "(null)";

	if (text)
		put_padded(p, piece, text, strlen(text));
	else
		base_line_put_hex(p->out, addr, 0);
}

static void put_string(const struct printing *p, const struct parse_print_piece *piece,
	const struct parse_print_value *value)
{
	switch (value->kind) {
	case PD_PRINT_IS_TEXT:
		put_padded(p, piece, value->text, value->len);
		break;
	case PD_PRINT_IS_NUMBER:
		put_pointed(p, piece, value->number);
		break;
	case PD_PRINT_IS_MADE:
		put_made(p, value->made);
		break;
	case PD_PRINT_IS_BYTES:
	case PD_PRINT_IS_UNKNOWN:
		put_unknown(p);
		break;
	}
}

/* Write a number as printf() does, in the size of the conversion. */
static void put_number(
	const struct printing *p, const struct parse_print_piece *piece, uint64_t number)
{
	char format[24], text[MAX_NUMBER_BYTES];
	bool is_signed = piece->conversion == 'd' || piece->conversion == 'i';
	unsigned unused_bits = 64 - 8 * piece->size;

	number <<= unused_bits;
	number = is_signed ? (uint64_t)((int64_t)number >> unused_bits) : number >> unused_bits;
	snprintf(format, sizeof(format), "%%%s*.*ll%c", piece->flags, piece->conversion);
	int n = snprintf(text, sizeof(text), format, piece->width < 0 ? 0 : piece->width,
		piece->precision, (unsigned long long)number);
	base_line_put(p->out, text, n < 0 ? 0 : (size_t)n);
}

static void put_address(const struct printing *p, const struct parse_print_piece *piece,
	const struct parse_print_value *value)
{
	char text[PD_ADDRESS_TEXT_SIZE];

	if (!parse_print_address(piece->pointer, &value->bytes, text)) {
		put_unknown(p);
		return;
	}
	put_padded(p, piece, text, strlen(text));
}

static void put_pointer(const struct printing *p, const struct parse_print_piece *piece,
	const struct parse_print_value *value)
{
	/* %pK and %px are plain pointers. */
	char kind = strchr("Kx", piece->pointer[0]) ? 0 : piece->pointer[0];
	uint64_t addr = value->number;

	if (kind && !strchr("SsFfB", kind)) {
		put_address(p, piece, value);
		return;
	}
	if (value->kind != PD_PRINT_IS_NUMBER) {
		put_unknown(p);
		return;
	}
	if (kind && p->symbol(p->ctx, addr, kind != 's' && kind != 'f', p->out))
		return;
	if (!kind && !addr)
		base_line_put_str(p->out, "(nil)");
	else
		put_hex(p, addr);
}

static void put_conversion(const struct printing *p, const struct parse_print_piece *piece)
{
	struct parse_print_value value = parse_print_evaluate(piece->arg, p->values);

	if (value.kind == PD_PRINT_IS_UNKNOWN)
		put_unknown(p);
	else if (piece->conversion == 's')
		put_string(p, piece, &value);
	else if (piece->conversion == 'p')
		put_pointer(p, piece, &value);
	else if (value.kind != PD_PRINT_IS_NUMBER)
		put_unknown(p);
	else if (piece->conversion == 'c')
		put_padded(p, piece, &(char){ (char)value.number }, 1);
	else
		put_number(p, piece, value.number);
}

/* Replace a width or a precision that is an argument. One that cannot be evaluated is none. */
static int starred(const struct printing *p, int width, const struct parse_print_node *arg)
{
	uint64_t number;

	if (width != PD_PRINT_STAR)
		return width;
	return number_of(p, arg, &number) && number <= 1000 ? (int)number : -1;
}

static void put_piece(const struct printing *p, const struct parse_print_piece *piece)
{
	struct parse_print_piece own = *piece;

	base_line_put(p->out, piece->text, piece->len);
	if (piece->conversion == '%')
		base_line_put_char(p->out, '%');
	if (!piece->conversion || piece->conversion == '%')
		return;
	own.width = starred(p, piece->width, piece->width_arg);
	own.precision = starred(p, piece->precision, piece->precision_arg);
	put_conversion(p, &own);
}

bool parse_trace_print(const struct pd_tracing *tracing, const struct pd_trace_values *values,
	parse_trace_symbol *symbol, void *ctx, struct base_line *out)
{
	const struct parse_print_format *format =
		values->tracepoint ? parse_tracing_print_format(tracing, values->tracepoint) : NULL;
	const struct printing p = {
		.tracing = tracing, .values = values, .symbol = symbol, .ctx = ctx, .out = out
	};

	if (!format)
		return false;
	for (size_t i = 0; i < format->n_pieces; i++)
		put_piece(&p, &format->pieces[i]);
	return true;
}

/* The node that has names for @p field alone, in @p node or below it; NULL: there is none. */
static const struct parse_print_node *find_names(
	const struct parse_print_node *node, const struct pd_trace_field *field)
{
	const struct parse_print_node *found;

	if (!node)
		return NULL;
	if ((node->op == PD_PRINT_FLAGS || node->op == PD_PRINT_SYMBOLIC) &&
		node->a->field == field)
		return node;
	found = find_names(node->a, field);
	if (!found)
		found = find_names(node->b, field);
	return found ? found : find_names(node->c, field);
}

static void put_value(const struct printing *p, const struct pd_trace_value *value)
{
	switch (value->kind) {
	case PD_TRACE_STRING:
		base_line_put(p->out, (const char *)value->data.data, value->data.n);
		break;
	case PD_TRACE_SIGNED:
		base_line_printf(p->out, "%" PRId64, value->number.s);
		break;
	case PD_TRACE_UNSIGNED:
		if (value->is_address)
			put_hex(p, value->number.u);
		else
			base_line_printf(p->out, "%" PRIu64, value->number.u);
		break;
	default:
		put_unknown(p);
		break;
	}
}

void parse_trace_print_field(const struct pd_tracing *tracing, const struct pd_trace_values *values,
	const struct pd_trace_field *field, struct base_line *out)
{
	const struct parse_print_format *format =
		parse_tracing_print_format(tracing, values->tracepoint);
	const struct printing p = { .tracing = tracing, .values = values, .out = out };
	struct pd_trace_value value;

	for (size_t i = 0; format && i < format->n_pieces; i++) {
		const struct parse_print_node *names = find_names(format->pieces[i].arg, field);

		if (names) {
			put_made(&p, names);
			return;
		}
	}
	parse_trace_value_of(values, field, &value);
	put_value(&p, &value);
}

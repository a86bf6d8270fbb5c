#include "parse/trace/print_format.h"

#include <stdlib.h>
#include <string.h>

#include <pdconv/vec.h>

#include "base/array.h"
#include "parse/trace/print_expression.h"

enum { MAX_WIDTH = 1000 };

/*
 * The kernel's extensions of %p: those with a name, those with bytes, and those that only the
 * kernel can follow, which are unknown values.
 */
static const char *const pointers[] = { "S", "s", "F", "f", "B", "I4", "i4", "I6", "i6", "I6c",
	"ISp", "ISpc", "ISc", "IS", "iSp", "iS", "M", "m", "U", "Ub", "UB", "Ul", "UL", "b", "bl",
	"h", "hC", "hD", "hN", "d", "D", "e", "g", "N", "t", "V", "K", "x" };

static bool is_pointer(const char *suffix)
{
	for (size_t i = 0; i < PD_ARRAY_LEN(pointers); i++) {
		if (strcmp(suffix, pointers[i]) == 0)
			return true;
	}
	return !*suffix;
}

/* Take a number or a star. @p none: there is neither. */
static bool take_width(struct base_span *text, int none, int *ret)
{
	int width = 0;

	*ret = none;
	if (base_span_take(text, "*")) {
		*ret = PD_PRINT_STAR;
		return true;
	}
	for (; isdigit((unsigned char)base_span_first(*text)); text->at++) {
		width = 10 * width + (*text->at - '0');
		if (width > MAX_WIDTH)
			return false;
		*ret = width;
	}
	return true;
}

/* Bytes of a number with this length modifier. */
static unsigned take_size(struct base_span *text, unsigned long_size)
{
	static const struct {
		const char *text;
		unsigned size;
	} modifiers[] = { { "hh", 1 }, { "h", 2 }, { "ll", 8 }, { "L", 8 }, { "q", 8 },
		{ "j", 8 } };

	for (size_t i = 0; i < PD_ARRAY_LEN(modifiers); i++) {
		if (base_span_take(text, modifiers[i].text))
			return modifiers[i].size;
	}
	if (base_span_take(text, "l") || base_span_take(text, "z") || base_span_take(text, "t"))
		return long_size;
	return 4;
}

/* Take the letters and digits after %p, as far as they are an extension of it. */
static bool take_pointer(struct base_span *text, char suffix[static 8])
{
	struct base_span word;
	size_t n;

	if (!base_span_take_identifier(text, &word)) {
		*suffix = 0;
		return true;
	}
	/* Text may follow without a space: take the longest extension. */
	for (n = base_span_len(word) < 7 ? base_span_len(word) : 7; n; n--) {
		memcpy(suffix, word.at, n);
		suffix[n] = 0;
		if (is_pointer(suffix))
			break;
	}
	suffix[n] = 0;
	text->at = word.at + n;
	/* An upper-case letter begins an extension, even if it is not a known one. */
	return n || !isupper((unsigned char)*word.at);
}

/* Take a conversion after its "%". */
static bool take_conversion(
	struct base_span *text, unsigned long_size, struct parse_print_piece *ret)
{
	size_t n = 0;

	while (base_span_first(*text) && strchr("-+ #0", base_span_first(*text))) {
		if (!strchr(ret->flags, *text->at))
			ret->flags[n++] = *text->at;
		text->at++;
	}
	if (!take_width(text, -1, &ret->width))
		return false;
	ret->precision = -1;
	if (base_span_take(text, ".") && !take_width(text, 0, &ret->precision))
		return false;
	ret->size = take_size(text, long_size);
	ret->conversion = base_span_first(*text);
	if (!ret->conversion || !strchr("diuxXocsp%", ret->conversion))
		return false;
	text->at++;
	return ret->conversion != 'p' || take_pointer(text, ret->pointer);
}

struct pieces {
	PD_VEC(struct parse_print_piece) list;
};

/* Split the format string into literal text and conversions. "%%" stays text. */
static struct pd_error *split(
	struct base_span text, unsigned long_size, struct pieces *ret, bool *is_wrong_ret)
{
	*is_wrong_ret = false;
	while (text.at < text.end) {
		struct parse_print_piece piece = { .text = text.at };
		const char *percent = memchr(text.at, '%', base_span_len(text));

		piece.len = (size_t)((percent ? percent : text.end) - text.at);
		text.at += piece.len;
		if (percent) {
			text.at++;
			if (!take_conversion(&text, long_size, &piece)) {
				*is_wrong_ret = true;
				return NULL;
			}
		}
		if (!pd_vec_push(&ret->list, piece))
			return &pd_enomem;
	}
	return NULL;
}

/* Fields that a node uses, noted in @p used, which has a place for each. */
static void note_fields(
	const struct pd_trace_format *format, const struct parse_print_node *node, bool *used)
{
	if (!node)
		return;
	if (node->field)
		used[node->field - format->fields.data] = true;
	note_fields(format, node->a, used);
	note_fields(format, node->b, used);
	note_fields(format, node->c, used);
}

/* Fields that the text of an argument mentions. */
static void note_mentioned(const struct pd_trace_format *format, struct base_span text, bool *used)
{
	struct base_span word;

	while (text.at < text.end) {
		if (!base_span_take_identifier(&text, &word)) {
			text.at++;
			continue;
		}
		for (size_t i = 0; i < format->fields.n; i++)
			used[i] |= base_span_is(word, format->fields.data[i].name);
	}
}

/* How arguments are parsed. */
struct arguments {
	struct parse_print_parsing p;
	/** For each field: an argument shows it; an argument that cannot be evaluated has it. */
	bool *shown, *missing;
	bool is_wrong;
};

static const struct parse_print_node unknown = { .op = PD_PRINT_UNKNOWN };

/* Parse the next argument. One that cannot be parsed is unknown. */
static const struct parse_print_node *take_argument(struct arguments *a)
{
	struct parse_print_parsing *p = &a->p;

	base_span_skip_space(&p->rest);
	a->is_wrong |= !base_span_take(&p->rest, ",");
	struct base_span text = p->rest;
	const struct parse_print_node *node = a->is_wrong ? NULL : parse_print_expression(p);
	base_span_skip_space(&p->rest);
	if (node && (p->rest.at == p->rest.end || *p->rest.at == ',')) {
		note_fields(p->format, node, a->shown);
		return node;
	}
	p->rest = text;
	parse_print_skip(&p->rest, ',');
	text.end = p->rest.at;
	note_mentioned(p->format, text, a->missing);
	return &unknown;
}

static void take_arguments(struct arguments *a, struct pieces *pieces)
{
	for (size_t i = 0; i < pieces->list.n; i++) {
		struct parse_print_piece *piece = &pieces->list.data[i];

		if (piece->width == PD_PRINT_STAR)
			piece->width_arg = take_argument(a);
		if (piece->precision == PD_PRINT_STAR)
			piece->precision_arg = take_argument(a);
		if (piece->conversion && piece->conversion != '%')
			piece->arg = take_argument(a);
	}
}

/* Whether what cannot be evaluated is shown elsewhere, so that nothing gets lost. */
static bool shows_all(const struct arguments *a)
{
	for (size_t i = 0; i < a->p.format->fields.n; i++) {
		if (a->missing[i] && !a->shown[i])
			return false;
	}
	return true;
}

static struct pd_error *parse_arguments(struct arguments *a, struct pieces *pieces)
{
	size_t n = a->p.format->fields.n;

	a->shown = base_calloc_n(2 * n, sizeof(*a->shown));
	if (!a->shown)
		return &pd_enomem;
	a->missing = a->shown + n;
	take_arguments(a, pieces);
	a->is_wrong |= !shows_all(a);
	free(a->shown);
	return a->p.is_out_of_memory ? &pd_enomem : NULL;
}

static struct pd_error *keep(
	const struct pieces *pieces, struct arguments *a, struct parse_print_format *ret)
{
	size_t bytes = pieces->list.n * sizeof(*pieces->list.data);
	struct parse_print_piece *copy = base_arena_alloc(a->p.formats->arena, bytes);

	if (!copy)
		return &pd_enomem;
	if (bytes)
		memcpy(copy, pieces->list.data, bytes);
	*ret = (struct parse_print_format){ .pieces = copy, .n_pieces = pieces->list.n };
	return NULL;
}

/* Make one line of a text: spaces for line breaks and tabs, none at the end. Return its length. */
static size_t one_line(char *text, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (isspace((unsigned char)text[i]))
			text[i] = ' ';
	}
	while (len && text[len - 1] == ' ')
		len--;
	return len;
}

static struct pd_error *parse(
	struct arguments *a, struct pieces *pieces, const struct parse_print_format **ret)
{
	struct parse_print_parsing *p = &a->p;
	struct base_span format;
	char *text;
	size_t len;

	if (!parse_print_literal(p, &text, &len))
		return p->is_out_of_memory ? &pd_enomem : NULL;
	format = (struct base_span){ text, text + one_line(text, len) };
	struct pd_error *err = split(format, p->formats->long_size, pieces, &a->is_wrong);
	if (!err && !a->is_wrong)
		err = parse_arguments(a, pieces);
	if (err || a->is_wrong)
		return err;
	struct parse_print_format *made = base_arena_alloc(p->formats->arena, sizeof(*made));
	err = made ? keep(pieces, a, made) : &pd_enomem;
	if (!err)
		*ret = made;
	return err;
}

struct pd_error *parse_print_format_parse(struct parse_trace_formats *formats,
	struct base_span text, const struct pd_trace_format *format,
	const struct parse_print_format **ret)
{
	struct arguments a = { .p = { .rest = text, .format = format, .formats = formats } };
	struct pieces pieces = { 0 };

	*ret = NULL;
	struct pd_error *err = parse(&a, &pieces, ret);
	pd_vec_deinit(&pieces.list);
	return err;
}

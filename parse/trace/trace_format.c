#include "parse/trace/trace_fields.h"

#include "base/array.h"
#include "base/limit.h"
#include "parse/trace/c_text.h"
#include "parse/trace/print_format.h"

/* Parse the whole span as a decimal number up to max. */
static bool read_number(struct base_span text, uint64_t max, uint64_t *ret)
{
	uint64_t value = 0;

	base_span_skip_blanks(&text);
	if (text.at == text.end)
		return false;
	for (; text.at < text.end; text.at++) {
		if (!isdigit((unsigned char)*text.at))
			return false;
		value = value * 10 + (uint64_t)(*text.at - '0');
		if (value > max)
			return false;
	}
	*ret = value;
	return true;
}

/* Take "WORD NUMBER;". */
static bool take_number(struct base_span *text, const char *word, uint64_t max, uint64_t *ret)
{
	struct base_span number;

	return base_span_take_word(text, word) && base_span_take_until(text, ';', &number) &&
	       read_number(number, max, ret);
}

enum {
	MAX_DECLARATION_BYTES = PD_LIMIT_DECLARATION_BYTES,
	MAX_FIELD_BYTES = UINT16_MAX,
	MAX_FIELDS = PD_LIMIT_FIELDS
};

/* Take "[16]", "[NAME]", "[(6 + 1)]" or "[]". @p ret is what is inside. */
static bool take_brackets(struct base_span *text, struct base_span *ret)
{
	struct base_span inner, word;

	if (!base_span_take_word(text, "[") || !base_span_take_until(text, ']', &inner))
		return false;
	*ret = inner;
	while (inner.at < inner.end) {
		if (base_span_take_identifier(&inner, &word))
			continue;
		if (inner.at == inner.end || !*inner.at || !strchr(" +-*/()", *inner.at++))
			return false;
	}
	return true;
}

/* Declaration of a field: "struct sock * sk", "u8 mac[6]" or "__data_loc char[] name". */
struct declaration {
	/** Words and stars before the name and the brackets. */
	struct base_span type;
	struct base_span name;
	bool is_array;
	/** Text in the brackets of an array. */
	struct base_span brackets;
};

/* Take the words and stars before the brackets. Return the number of words, or 0 for other text. */
static size_t take_words(struct base_span *text, struct base_span *last_ret)
{
	size_t n = 0;

	for (base_span_skip_blanks(text); text->at < text->end && *text->at != '[';
		base_span_skip_blanks(text)) {
		struct base_span word;

		if (base_span_take_identifier(text, &word)) {
			n++;
			*last_ret = word;
		} else if (!n || !base_span_take(text, "*")) {
			return 0;
		}
	}
	return n;
}

/*
 * Parse a declaration as kernels write them. If a word follows the brackets, it is the name, and
 * the brackets belong to the type.
 */
static bool parse_declaration(struct base_span text, struct declaration *ret)
{
	struct base_span name = { 0 };
	struct base_span type = { text.at, NULL };

	*ret = (struct declaration){ 0 };
	if (take_words(&text, &name) < 2)
		return false;
	type.end = text.at;
	ret->is_array = text.at < text.end;
	if (ret->is_array && !take_brackets(&text, &ret->brackets))
		return false;
	base_span_skip_blanks(&text);
	struct base_span word;
	if (base_span_take_identifier(&text, &word)) {
		name = word;
	} else {
		if (base_span_contains((struct base_span){ name.end, type.end }, "*"))
			return false;
		type.end = name.at;
	}
	ret->type = type;
	ret->name = name;
	base_span_skip_blanks(&text);
	return text.at == text.end;
}

/* Skip the parentheses of "__attribute__((user))" and the like, which do not affect the layout. */
static bool skip_attribute(struct base_span *text)
{
	int depth = 0;

	base_span_skip_blanks(text);
	for (; text->at < text->end; text->at++) {
		depth += (*text->at == '(') - (*text->at == ')');
		if (depth == 0)
			break;
	}
	return depth == 0 && text->at++ < text->end;
}

/*
 * Copy the declaration without attributes, and without the dots that old ftrace formats have in
 * names.
 */
static bool copy_declaration(
	struct base_span text, char copy[static MAX_DECLARATION_BYTES], struct base_span *ret)
{
	size_t n = 0;

	while (text.at < text.end) {
		if (base_span_take(&text, "__attribute__")) {
			if (!skip_attribute(&text))
				return false;
			copy[n++] = ' ';
		} else {
			copy[n++] = *text.at == '.' ? '_' : *text.at;
			text.at++;
		}
		if (n == MAX_DECLARATION_BYTES)
			return false;
	}
	*ret = (struct base_span){ copy, copy + n };
	return true;
}

/* Whether type is char, but not unsigned char, signed char, u8 or s8, which are numbers. */
static bool is_text_type(struct base_span type)
{
	return base_span_contains(type, "char") && !base_span_contains(type, "signed");
}

/* Size of an array's elements in bytes. 0: they are not integers, and are shown as bytes. */
static uint32_t elem_size(
	const struct declaration *declaration, uint64_t array_size, unsigned long_size)
{
	uint64_t n;

	if (!read_number(declaration->brackets, MAX_FIELD_BYTES, &n) || !n)
		return parse_c_integer(declaration->type, long_size).size;
	return parse_c_integer_has_size(array_size / n) ? (uint32_t)(array_size / n) : 0;
}

/* Create the field from its declaration. It has no offset yet. */
static struct pd_trace_field field_of(
	const struct declaration *declaration, uint64_t size, bool is_signed, unsigned long_size)
{
	struct base_span type = declaration->type;
	struct base_span rest = type;
	bool is_relative = base_span_take_word(&rest, "__rel_loc");
	bool is_array = declaration->is_array;

	return (struct pd_trace_field){
		.size = (uint32_t)size,
		.elem_size = is_array ? elem_size(declaration, size, long_size) : 0,
		.is_signed = is_signed,
		.is_array = is_array,
		.is_string = is_array && is_text_type(type),
		.is_dynamic = is_relative || base_span_take_word(&rest, "__data_loc"),
		.is_relative = is_relative,
		.is_address = base_span_contains(type, "*") ||
			      (base_span_contains(type, "long") && !is_signed),
	};
}

/* How the text of a format is read. */
struct reading {
	struct parse_trace_formats *formats;
	/** The text is invalid. */
	bool is_wrong;
	/** Text after "print fmt:"; may be empty. */
	struct base_span print;
};

/* Parse a line "field:DECLARATION;	offset:N;	size:N;	signed:N;". */
static struct pd_error *parse_field(
	struct reading *r, struct base_span line, struct pd_trace_field *ret)
{
	char copy[MAX_DECLARATION_BYTES];
	struct declaration declaration;
	struct base_span text;
	uint64_t offset, size, is_signed = 0;

	r->is_wrong = true;
	if (!base_span_take_word(&line, "field:") || !base_span_take_until(&line, ';', &text) ||
		!copy_declaration(text, copy, &text) || !parse_declaration(text, &declaration) ||
		!take_number(&line, "offset:", MAX_FIELD_BYTES, &offset) ||
		!take_number(&line, "size:", MAX_FIELD_BYTES, &size))
		return NULL;
	/* Absent before Linux 2.6.33. */
	if (base_span_take_word(&line, "signed:")) {
		struct base_span number;

		if (!base_span_take_until(&line, ';', &number) ||
			!read_number(number, 1, &is_signed))
			return NULL;
	}
	r->is_wrong = false;
	*ret = field_of(&declaration, size, is_signed, r->formats->long_size);
	ret->offset = (uint32_t)offset;
	struct base_span name = declaration.name;
	ret->name = base_arena_strndup(r->formats->arena, name.at, (size_t)(name.end - name.at));
	return ret->name ? NULL : &pd_enomem;
}

/*
 * Parse the lines of fields up to the print format. An empty line ends the common fields. Without
 * one, all fields are common.
 */
static struct pd_error *parse_fields(
	struct reading *r, struct base_span text, struct pd_trace_format *format)
{
	bool is_common = true;

	while (text.at < text.end) {
		struct base_span print = text;
		struct base_span line = base_span_take_line(&text);
		struct base_span rest = line;
		struct pd_trace_field field;

		if (base_span_take_word(&print, "print fmt:")) {
			r->print = print;
			break;
		}
		base_span_skip_blanks(&rest);
		if (rest.at == rest.end) {
			is_common = is_common && !format->fields.n;
			continue;
		}
		struct pd_error *err = parse_field(r, line, &field);
		if (err)
			return err;
		field.is_common = is_common;
		r->is_wrong |= format->fields.n == MAX_FIELDS;
		if (r->is_wrong)
			return NULL;
		if (!pd_vec_push(&format->fields, field))
			return &pd_enomem;
	}
	r->is_wrong = !format->fields.n;
	return NULL;
}

/* Read "name: X", "ID: N", "format:". */
static bool read_head(struct base_span *text, struct base_span *name_ret, uint64_t *id_ret)
{
	struct base_span name = base_span_take_line(text);
	struct base_span id = base_span_take_line(text);
	struct base_span format = base_span_take_line(text);

	if (!base_span_take_word(&name, "name:") || !base_span_take_word(&id, "ID:") ||
		!read_number(id, INT32_MAX, id_ret) || !base_span_take_word(&format, "format:"))
		return false;
	base_span_skip_blanks(&name);
	*name_ret = name;
	return name.at < name.end;
}

struct pd_error *parse_trace_format_parse(struct parse_trace_formats *formats, const char *text,
	size_t len, struct pd_trace_format *ret, const struct parse_print_format **print_ret,
	const char **wrong_ret)
{
	struct reading r = { .formats = formats };
	struct base_span rest = { text, text + len };
	struct base_span name;

	*ret = (struct pd_trace_format){ 0 };
	*print_ret = NULL;
	*wrong_ret = "a format has no name";
	if (!read_head(&rest, &name, &ret->id))
		return NULL;
	ret->name = base_arena_strndup(formats->arena, name.at, (size_t)(name.end - name.at));
	if (!ret->name)
		return &pd_enomem;
	struct pd_error *err = parse_fields(&r, rest, ret);
	if (!err && !r.is_wrong)
		err = parse_print_format_parse(formats, r.print, ret, print_ret);
	/*
	 * A format that cannot be parsed is a result, not an error: its tracepoint still has a
	 * name.
	 */
	if (err || r.is_wrong)
		pd_vec_deinit(&ret->fields);
	*wrong_ret = r.is_wrong ? "cannot parse a format" : NULL;
	return err;
}

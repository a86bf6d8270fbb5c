#include "parse/trace_format_private.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <event-parse.h>

#include "base/cleanup.h"

struct pd_trace_parser {
	struct tep_handle *tep;
	/**
	 * Number of parsed events: libtraceevent gets consecutive ids instead of those in the text.
	 */
	int n_events;
};

void pd_trace_parser_destroy(struct pd_trace_parser *parser)
{
	if (!parser)
		return;
	tep_free(parser->tep);
	free(parser);
}

struct pd_error *pd_trace_parser_create(
	bool is_big_endian, unsigned long_size, struct pd_trace_parser **ret)
{
	struct pd_trace_parser *parser = calloc(1, sizeof(*parser));

	if (!parser)
		return &pd_enomem;
	parser->tep = tep_alloc();
	if (!parser->tep) {
		free(parser);
		return &pd_enomem;
	}
	/* libtraceevent prints warnings by default. This setting is global to the process. */
	tep_set_loglevel(TEP_LOG_NONE);
	tep_set_file_bigendian(parser->tep, is_big_endian ? TEP_BIG_ENDIAN : TEP_LITTLE_ENDIAN);
	tep_set_long_size(parser->tep, (int)long_size);
	*ret = parser;
	return NULL;
}

/* Part of the text. */
struct span {
	const char *at;
	const char *end;
};

/* Take the text up to the next c and skip c. False if there is none. */
static bool take_until(struct span *text, char c, struct span *ret)
{
	const char *found = memchr(text->at, c, (size_t)(text->end - text->at));

	if (!found)
		return false;
	*ret = (struct span){ text->at, found };
	text->at = found + 1;
	return true;
}

/* Take the rest of the line. */
static struct span take_line(struct span *text)
{
	struct span line = *text;

	if (!take_until(text, '\n', &line))
		text->at = text->end;
	return line;
}

static void skip_blanks(struct span *text)
{
	while (text->at < text->end && (*text->at == ' ' || *text->at == '\t'))
		text->at++;
}

static bool take(struct span *text, const char *word)
{
	size_t len = strlen(word);

	if ((size_t)(text->end - text->at) < len || memcmp(text->at, word, len) != 0)
		return false;
	text->at += len;
	return true;
}

static bool take_word(struct span *text, const char *word)
{
	skip_blanks(text);
	return take(text, word);
}

/* Parse the whole span as a decimal number up to max. */
static bool read_number(struct span text, uint64_t max, uint64_t *ret)
{
	uint64_t value = 0;

	skip_blanks(&text);
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
static bool take_number(struct span *text, const char *word, uint64_t max, uint64_t *ret)
{
	struct span number;

	return take_word(text, word) && take_until(text, ';', &number) &&
	       read_number(number, max, ret);
}

enum { MAX_DECLARATION_BYTES = 256, MAX_FIELD_BYTES = UINT16_MAX, MAX_FIELDS = 1024 };

static bool is_identifier(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static bool take_identifier(struct span *text)
{
	const char *start = text->at;

	while (text->at < text->end && is_identifier(*text->at))
		text->at++;
	return text->at > start;
}

/* Take "[16]", "[NAME]", "[(6 + 1)]" or "[]". */
static bool take_brackets(struct span *text)
{
	struct span inner;

	if (!take_word(text, "[") || !take_until(text, ']', &inner))
		return false;
	while (inner.at < inner.end) {
		if (take_identifier(&inner))
			continue;
		if (inner.at == inner.end || !*inner.at || !strchr(" +-*/()", *inner.at++))
			return false;
	}
	return true;
}

/*
 * Whether text is a declaration as kernels write them: at least two words, with stars, then
 * brackets, and another word if the brackets belong to the type. libtraceevent fails halfway on
 * anything else, and leaks memory.
 */
static bool is_declaration(struct span text)
{
	size_t n_words = 0;

	for (skip_blanks(&text); text.at < text.end; skip_blanks(&text)) {
		if (*text.at == '[')
			break;
		if (take_identifier(&text))
			n_words++;
		else if (!n_words || !take_word(&text, "*"))
			return false;
	}
	if (n_words < 2 || (text.at < text.end && !take_brackets(&text)))
		return false;
	skip_blanks(&text);
	if (text.at < text.end && !take_identifier(&text))
		return false;
	skip_blanks(&text);
	return text.at == text.end;
}

/* Skip the parentheses of "__attribute__((user))" and the like, which do not affect the layout. */
static bool skip_attribute(struct span *text)
{
	int depth = 0;

	skip_blanks(text);
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
static bool copy_declaration(struct span text, char ret[static MAX_DECLARATION_BYTES])
{
	size_t n = 0;

	while (text.at < text.end) {
		if (take(&text, "__attribute__")) {
			if (!skip_attribute(&text))
				return false;
			ret[n++] = ' ';
		} else {
			ret[n++] = *text.at == '.' ? '_' : *text.at;
			text.at++;
		}
		if (n == MAX_DECLARATION_BYTES)
			return false;
	}
	ret[n] = 0;
	/* libtraceevent takes these words for macros and replaces them. */
	return !strstr(ret, "_PR_FMT") && is_declaration((struct span){ ret, ret + n });
}

/* Write a field line anew to out from its checked items. */
static bool copy_field(struct span line, FILE *out)
{
	char declaration[MAX_DECLARATION_BYTES];
	struct span text;
	uint64_t offset, size, is_signed = 0;

	if (!take_word(&line, "field:") || !take_until(&line, ';', &text) ||
		!copy_declaration(text, declaration) ||
		!take_number(&line, "offset:", MAX_FIELD_BYTES, &offset) ||
		!take_number(&line, "size:", MAX_FIELD_BYTES, &size))
		return false;
	/* Absent before Linux 2.6.33. */
	if (take_word(&line, "signed:")) {
		struct span number;

		if (!take_until(&line, ';', &number) || !read_number(number, 1, &is_signed))
			return false;
	}
	fprintf(out, "\tfield:%s;\toffset:%u;\tsize:%u;\tsigned:%u;\n", declaration,
		(unsigned)offset, (unsigned)size, (unsigned)is_signed);
	return true;
}

/*
 * Write the text that libtraceevent gets, in a form that is safe for it, as fuzzing of version
 * 1.7.1 showed: the head is fixed, so that untrusted names and ids never reach it; fields are
 * written anew from checked items, in two groups with an empty line between them; and there is no
 * print format, because most of its parser is for those expressions, and errors in them make it
 * dereference null pointers.
 */
static bool copy_fields(struct span text, int id, FILE *out)
{
	size_t n = 0;
	bool is_apart = false;

	fprintf(out, "name: event\nID: %d\nformat:\n", id);
	while (text.at < text.end) {
		struct span line = take_line(&text);
		struct span rest = line;

		if (take_word(&rest, "print fmt:"))
			break;
		skip_blanks(&rest);
		if (rest.at == rest.end) {
			/*
			 * In libtraceevent's grammar the first empty line ends the common fields.
			 */
			if (n && !is_apart)
				fputc('\n', out);
			is_apart |= n > 0;
			continue;
		}
		if (n++ == MAX_FIELDS || !copy_field(line, out))
			return false;
	}
	fputs(is_apart ? "\nprint fmt: \"\"\n" : "\n\nprint fmt: \"\"\n", out);
	return n > 0;
}

static bool is_number_size(uint32_t size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

/* Whether type is char, but not unsigned char, signed char, u8 or s8, which are numbers. */
static bool is_text_type(const char *type)
{
	return strstr(type, "char") && !strstr(type, "signed");
}

static struct pd_error *add_field(struct pd_trace_format *format,
	const struct tep_format_field *from, bool is_common, struct pd_arena *arena)
{
	bool is_array = from->flags & TEP_FIELD_IS_ARRAY;
	struct pd_trace_field field = {
		.name = pd_arena_strndup(arena, from->name, strlen(from->name)),
		.offset = (uint32_t)from->offset,
		.size = (uint32_t)from->size,
		.is_common = is_common,
		.is_signed = from->flags & TEP_FIELD_IS_SIGNED,
		.is_array = is_array,
		.is_string = is_array && is_text_type(from->type),
		.is_dynamic = from->flags & TEP_FIELD_IS_DYNAMIC,
		.is_relative = from->flags & TEP_FIELD_IS_RELATIVE,
		.is_address =
			from->flags & TEP_FIELD_IS_POINTER ||
			(from->flags & TEP_FIELD_IS_LONG && !(from->flags & TEP_FIELD_IS_SIGNED)),
	};

	/* Elements of other sizes are not numbers: the array is shown as bytes. */
	if (is_array && is_number_size(from->elementsize))
		field.elem_size = from->elementsize;
	return field.name && pd_vec_push(&format->fields, field) ? NULL : &pd_enomem;
}

static struct pd_error *add_fields(
	struct pd_trace_format *format, const struct tep_event *event, struct pd_arena *arena)
{
	const struct tep_format_field *field;

	for (field = event->format.common_fields; field; field = field->next) {
		struct pd_error *err = add_field(format, field, true, arena);
		if (err)
			return err;
	}
	for (field = event->format.fields; field; field = field->next) {
		struct pd_error *err = add_field(format, field, false, arena);
		if (err)
			return err;
	}
	return NULL;
}

/* Read "name: X", "ID: N", "format:". */
static bool read_head(struct span *text, struct span *name_ret, uint64_t *id_ret)
{
	struct span name = take_line(text);
	struct span id = take_line(text);
	struct span format = take_line(text);

	if (!take_word(&name, "name:") || !take_word(&id, "ID:") ||
		!read_number(id, INT32_MAX, id_ret) || !take_word(&format, "format:"))
		return false;
	skip_blanks(&name);
	*name_ret = name;
	return name.at < name.end;
}

static struct pd_error *parse_fields(struct pd_trace_parser *parser, struct span text,
	struct pd_arena *arena, struct pd_trace_format *format, const char **wrong_ret)
{
	_cleanup_free_ char *copy = NULL;
	size_t len;
	FILE *out = open_memstream(&copy, &len);
	int id = ++parser->n_events;

	if (!out)
		return &pd_enomem;
	bool is_sound = copy_fields(text, id, out);
	if (fclose(out))
		return &pd_enomem;
	/*
	 * A format that cannot be parsed is a result, not an error: its tracepoint still has a
	 * name.
	 */
	*wrong_ret = "cannot parse a format";
	if (!is_sound)
		return NULL;
	if (tep_parse_event(parser->tep, copy, len, "system") != 0)
		return NULL;
	const struct tep_event *event = tep_find_event(parser->tep, id);
	if (!event || event->flags & TEP_EVENT_FL_FAILED)
		return NULL;
	*wrong_ret = NULL;
	return add_fields(format, event, arena);
}

struct pd_error *pd_trace_format_parse(struct pd_trace_parser *parser, const char *text, size_t len,
	struct pd_arena *arena, struct pd_trace_format *ret, const char **wrong_ret)
{
	struct span rest = { text, text + len };
	struct span name;

	*ret = (struct pd_trace_format){ 0 };
	*wrong_ret = "a format has no name";
	if (!read_head(&rest, &name, &ret->id))
		return NULL;
	ret->name = pd_arena_strndup(arena, name.at, (size_t)(name.end - name.at));
	if (!ret->name)
		return &pd_enomem;
	struct pd_error *err = parse_fields(parser, rest, arena, ret, wrong_ret);
	if (err)
		pd_vec_deinit(&ret->fields);
	return err;
}

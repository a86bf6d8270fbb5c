#include "symbolize/foreign/text_names.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/deleted.h"
#include "base/number.h"
#include "base/text.h"
#include "symbolize/foreign/span.h"

/** A line, without its newline. */
struct line {
	struct sym_span text;
	/** It is a folded stack: names with ';' between them, a space and a number. */
	bool is_folded;
};

/** An address in a line, while it is read. */
struct token {
	/** Part of the line that is replaced. */
	struct sym_span text;
	/** Empty if there is only a build id. */
	struct sym_span path;
	/** In hexadecimal; empty: not known. */
	struct sym_span id;
	uint64_t address;
	/** It is of a caller, and so a return address. */
	bool is_caller;
};

/** A part of the text that is replaced. Texts are limited to 4 GiB. */
struct part {
	uint64_t address;
	uint32_t start;
	uint32_t end;
	uint32_t module;
	bool is_folded;
};

struct sym_text {
	struct sym_span text;
	enum sym_text_offsets offsets;
	struct sym_asked *asked;
	/** In the order of the text. */
	PD_VEC(struct part) parts;
};

/* Lines. */

static bool has_count(struct sym_span line)
{
	const char *at = line.end;

	while (at > line.at && isdigit((unsigned char)at[-1]))
		at--;
	return at < line.end && at > line.at && at[-1] == ' ';
}

static bool next_line(struct sym_span *rest, struct line *ret)
{
	if (!sym_span_take_line(rest, &ret->text))
		return false;
	ret->is_folded = has_count(ret->text) && memchr(ret->text.at, ';', sym_span_len(ret->text));
	return true;
}

/* Addresses. */

/* Build ids of ELF files have 8 bytes at least, so that no name of a function is one. */
static bool is_id(struct sym_span span)
{
	enum { LEAST = 16 };
	size_t len = sym_span_len(span);

	if (len < LEAST || len > 2 * PD_BUILD_ID_MAX || len % 2)
		return false;
	for (const char *at = span.at; at < span.end; at++) {
		if (!isxdigit((unsigned char)*at))
			return false;
	}
	return true;
}

/* Whether it is a file, and not a function: an absolute path, or the name of a shared object. */
static bool is_path(struct sym_span span)
{
	const char *so = memmem(span.at, sym_span_len(span), ".so", 3);

	return sym_span_len(span) > 1 &&
	       (*span.at == '/' || (so && so > span.at && (so + 3 == span.end || so[3] == '.')));
}

/* Take the word at the end of @p text off it. */
static struct sym_span last_word(struct sym_span text)
{
	static const bool separates[UCHAR_MAX + 1] = {
		['\0'] = true,
		['\t'] = true,
		[' '] = true,
		['"'] = true,
		['\''] = true,
		['('] = true,
		[')'] = true,
		[','] = true,
		[';'] = true,
		['<'] = true,
		['='] = true,
		['>'] = true,
		['['] = true,
		[']'] = true,
		['{'] = true,
		['|'] = true,
		['}'] = true,
	};
	struct sym_span ret = { text.end, text.end };

	while (ret.at > text.at && !separates[(unsigned char)ret.at[-1]])
		ret.at--;
	return ret;
}

/*
 * The path at the end of @p before. In a folded stack it may have spaces: it is all of the frame.
 */
static struct sym_span find_path(struct sym_span before, bool is_folded)
{
	const char *start = is_folded ? memrchr(before.at, ';', sym_span_len(before)) : NULL;
	struct sym_span frame = { start ? start + 1 : before.at, before.end };

	return is_folded && frame.at < frame.end && *frame.at == '/' ? frame : last_word(before);
}

/* Find the path or build id at the end of @p before, which an offset follows. */
static bool find_module(struct sym_span before, bool is_folded, struct token *token)
{
	bool is_deleted = sym_span_ends_with(before, PD_DELETED_MARK);
	struct sym_span name = before;

	if (sym_span_ends_with(before, "(")) {
		/* Only the offset is replaced: program(main) [0x401136]. */
		name.end--;
		token->path = last_word(name);
		return is_path(token->path);
	}
	if (sym_span_ends_with(before, "]")) {
		name.end--;
		token->id = last_word(name);
		token->text.at = token->id.at - 1;
		return token->id.at > before.at && token->text.at[0] == '[' && is_id(token->id);
	}
	if (is_deleted)
		name.end -= strlen(PD_DELETED_MARK);
	name = find_path(name, is_folded);
	token->text.at = name.at;
	if (!is_deleted && is_id(name)) {
		token->id = name;
		return true;
	}
	token->path = (struct sym_span){ name.at, before.end };
	return is_path(name);
}

/* Find the build id that sanitizers write after an address: ") (BuildId: HEX)". */
static void find_id(struct sym_span after, struct token *token)
{
	static const char mark[] = ") (BuildId: ";
	size_t len = sizeof(mark) - 1;

	if (sym_span_len(after) <= len || memcmp(after.at, mark, len) != 0)
		return;
	struct sym_span id = { after.at + len, after.at + len };
	while (id.end < after.end && isxdigit((unsigned char)*id.end))
		id.end++;
	token->id = id;
}

/* Read the address whose "+0x" or ":0x" is at @p sign. */
static bool read_token(
	const struct line *line, const char *start, const char *sign, struct token *ret)
{
	struct sym_span before = { start, sign }, after = { sign + 3, line->text.end };

	*ret = (struct token){ .text.at = sign };
	if (!sym_span_take_hex(&after, &ret->address) ||
		!find_module(before, line->is_folded, ret) || (*sign == ':' && !ret->id.at))
		return false;
	ret->text.end = after.at;
	ret->is_caller = line->is_folded && memchr(after.at, ';', sym_span_len(after));
	if (!ret->id.at)
		find_id(after, ret);
	return true;
}

/* Find the next address of @p line from @p start on. Returns false if there is none. */
static bool next_token(const struct line *line, const char *start, struct token *ret)
{
	struct sym_span rest = { start, line->text.end };

	while (rest.at < rest.end) {
		const char *zero = memmem(rest.at, sym_span_len(rest), "0x", 2);

		if (!zero)
			return false;
		bool has_sign = zero > start && (zero[-1] == '+' || zero[-1] == ':');
		if (has_sign && read_token(line, start, zero - 1, ret))
			return true;
		rest.at = zero + 2;
	}
	return false;
}

/* Reading. */

static enum sym_address_kind kind_of(const struct sym_text *t, const struct token *token)
{
	bool is_of_file = t->offsets == SYM_OFFSETS_FILE ||
			  (t->offsets == SYM_OFFSETS_AUTO && !token->path.at);

	return is_of_file ? SYM_ADDRESS_OFFSET : SYM_ADDRESS_VADDR;
}

static struct pd_error *add_token(
	struct sym_text *t, const struct line *line, const struct token *token)
{
	const struct sym_asked_module asked = {
		.path = token->path.at,
		.path_len = sym_span_len(token->path),
		.id = token->id.at,
		.id_len = sym_span_len(token->id),
		.kind = kind_of(t, token),
	};
	struct part part = {
		.address = token->address - token->is_caller,
		.start = (uint32_t)(token->text.at - t->text.at),
		.end = (uint32_t)(token->text.end - t->text.at),
		.is_folded = line->is_folded,
	};
	struct pd_error *err = sym_asked_add_module(t->asked, &asked, &part.module);

	if (!err && !pd_vec_push(&t->parts, part))
		err = &pd_enomem;
	return err ? err : sym_asked_add(t->asked, part.module, part.address);
}

static struct pd_error *read_all(struct sym_text *t)
{
	struct sym_span rest = t->text;
	struct pd_error *err = NULL;
	struct token token;
	struct line line;

	while (!err && next_line(&rest, &line)) {
		for (const char *at = line.text.at; !err && next_token(&line, at, &token);
			at = token.text.end)
			err = add_token(t, &line, &token);
	}
	return err;
}

struct pd_error *sym_text_read(const char *text, size_t len, enum sym_text_offsets offsets,
	struct sym_asked *asked, struct sym_text **ret)
{
	struct sym_text *t = calloc(1, sizeof(*t));

	if (!t)
		return &pd_enomem;
	*t = (struct sym_text){ .text = { text, text + len }, .offsets = offsets, .asked = asked };
	struct pd_error *err = read_all(t);
	if (err)
		sym_text_destroy(t);
	else
		*ret = t;
	return err;
}

void sym_text_destroy(struct sym_text *t)
{
	if (!t)
		return;
	pd_vec_deinit(&t->parts);
	free(t);
}

/* Writing. */

/* Write a name without what separates names, and printable. */
static struct pd_error *write_folded_name(const char *name, FILE *out)
{
	size_t len;
	_cleanup_free_ char *text = base_text_dup(name, strlen(name), &len);

	if (!text)
		return &pd_enomem;
	fwrite_unlocked(text, 1, base_text_copy_folded(text, text, len, ' '), out);
	return NULL;
}

static struct pd_error *write_folded(const struct sym_names *names, FILE *out)
{
	struct pd_error *err = NULL;

	for (uint32_t i = names->n; i-- && !err;) {
		err = write_folded_name(names->names[i].function, out);
		if (i)
			putc_unlocked(';', out);
	}
	return err;
}

static void write_line(uint32_t line, FILE *out)
{
	char digits[PD_DECIMAL_DIGITS];
	size_t first = base_decimal_digits(line, digits);

	putc_unlocked(':', out);
	fwrite_unlocked(digits + first, 1, sizeof(digits) - first, out);
}

static void write_names(const struct sym_names *names, FILE *out)
{
	for (uint32_t i = 0; i < names->n; i++) {
		const struct sym_name *name = &names->names[i];

		if (i)
			fputs_unlocked(" (inlined by) ", out);
		base_text_write(out, name->function);
		if (!name->file)
			continue;
		fputs_unlocked(" at ", out);
		base_text_write(out, name->file);
		if (name->line)
			write_line(name->line, out);
	}
}

static struct pd_error *write_part(struct sym_text *t, const struct part *part, FILE *out)
{
	const struct sym_names *names = sym_asked_find(t->asked, part->module, part->address);

	if (names && part->is_folded)
		return write_folded(names, out);
	if (names)
		write_names(names, out);
	else
		fwrite_unlocked(t->text.at + part->start, 1, part->end - part->start, out);
	return NULL;
}

struct pd_error *sym_text_write(struct sym_text *t, FILE *out)
{
	const char *at = t->text.at;

	for (size_t i = 0; i < t->parts.n; i++) {
		const struct part *part = &t->parts.data[i];

		fwrite_unlocked(at, 1, (size_t)(t->text.at + part->start - at), out);
		struct pd_error *err = write_part(t, part, out);
		if (err)
			return err;
		at = t->text.at + part->end;
	}
	fwrite_unlocked(at, 1, (size_t)(t->text.end - at), out);
	return NULL;
}

#include "symbolize/foreign/text_names.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/deleted.h"
#include "base/number.h"
#include "base/printable.h"
#include "base/span.h"
#include "base/text.h"

/** A line, without its newline. */
struct line {
	struct base_span text;
	/** It is a folded stack: names with ';' between them, a space and a number. */
	bool is_folded;
};

/** An address in a line, while it is read. */
struct token {
	/** Part of the line that is replaced. */
	struct base_span text;
	/** Empty if there is only a build id. */
	struct base_span path;
	/** In hexadecimal; empty: not known. */
	struct base_span id;
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
	struct base_span text;
	enum sym_text_offsets offsets;
	struct sym_asked *asked;
	/** In the order of the text. */
	PD_VEC(struct part) parts;
	/** Module of the last address, which the next one is most often of. */
	struct sym_asked_module last;
	uint32_t last_module;
	/** Names of an address, which are written at once. */
	PD_VEC(char) names;
};

/* Lines. */

static bool has_count(struct base_span line)
{
	const char *at = line.end;

	while (at > line.at && isdigit((unsigned char)at[-1]))
		at--;
	return at < line.end && at > line.at && at[-1] == ' ';
}

static bool next_line(struct base_span *rest, struct line *ret)
{
	if (!base_span_next_line(rest, &ret->text))
		return false;
	ret->is_folded =
		has_count(ret->text) && memchr(ret->text.at, ';', base_span_len(ret->text));
	return true;
}

/* Addresses. */

/* Like isxdigit(), which calls a function to find its table. */
static bool is_hex(char c)
{
	return (unsigned)(c - '0') < 10 || (unsigned)((c | 0x20) - 'a') < 6;
}

/* Build ids of ELF files have 8 bytes at least, so that no name of a function is one. */
static bool is_id(struct base_span span)
{
	enum { LEAST = 16 };
	size_t len = base_span_len(span);

	if (len < LEAST || len > 2 * PD_BUILD_ID_MAX || len % 2)
		return false;
	for (const char *at = span.at; at < span.end; at++) {
		if (!is_hex(*at))
			return false;
	}
	return true;
}

/* Whether it is a file, and not a function: an absolute path, or the name of a shared object. */
static bool is_path(struct base_span span)
{
	const char *so = memmem(span.at, base_span_len(span), ".so", 3);

	return base_span_len(span) > 1 &&
	       (*span.at == '/' || (so && so > span.at && (so + 3 == span.end || so[3] == '.')));
}

/* Take the word at the end of @p text off it. */
static struct base_span last_word(struct base_span text)
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
	struct base_span ret = { text.end, text.end };

	while (ret.at > text.at && !separates[(unsigned char)ret.at[-1]])
		ret.at--;
	return ret;
}

/*
 * The path at the end of @p before. In a folded stack it may have spaces: it is all of the frame.
 */
static struct base_span find_path(struct base_span before, bool is_folded)
{
	const char *start = is_folded ? memrchr(before.at, ';', base_span_len(before)) : NULL;
	struct base_span frame = { start ? start + 1 : before.at, before.end };

	return is_folded && frame.at < frame.end && *frame.at == '/' ? frame : last_word(before);
}

/* Find the path or build id at the end of @p before, which an offset follows. */
static bool find_module(struct base_span before, bool is_folded, struct token *token)
{
	bool is_deleted = base_span_ends_with(before, PD_DELETED_MARK);
	struct base_span name = before;

	if (base_span_ends_with(before, "(")) {
		/* Only the offset is replaced: program(main) [0x401136]. */
		name.end--;
		token->path = last_word(name);
		return is_path(token->path);
	}
	if (base_span_ends_with(before, "]")) {
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
	token->path = (struct base_span){ name.at, before.end };
	return is_path(name);
}

/* Find the build id that sanitizers write after an address: ") (BuildId: HEX)". */
static void find_id(struct base_span after, struct token *token)
{
	static const char mark[] = ") (BuildId: ";
	size_t len = sizeof(mark) - 1;

	if (base_span_len(after) <= len || memcmp(after.at, mark, len) != 0)
		return;
	struct base_span id = { after.at + len, after.at + len };
	while (id.end < after.end && is_hex(*id.end))
		id.end++;
	token->id = id;
}

/* Read the address whose "+0x" or ":0x" is at @p sign. */
static bool read_token(
	const struct line *line, const char *start, const char *sign, struct token *ret)
{
	struct base_span before = { start, sign }, after = { sign + 3, line->text.end };

	*ret = (struct token){ .text.at = sign };
	if (!base_span_take_hex(&after, &ret->address) ||
		!find_module(before, line->is_folded, ret) || (*sign == ':' && !ret->id.at))
		return false;
	ret->text.end = after.at;
	ret->is_caller = line->is_folded && memchr(after.at, ';', base_span_len(after));
	if (!ret->id.at)
		find_id(after, ret);
	return true;
}

/* Find the next address of @p line from @p start on. Returns false if there is none. */
static bool next_token(const struct line *line, const char *start, struct token *ret)
{
	const char *end = line->text.end, *x = start;

	for (; (x = memchr(x, 'x', (size_t)(end - x))); x++) {
		bool has_sign = x - start >= 2 && x[-1] == '0' && (x[-2] == '+' || x[-2] == ':');

		if (has_sign && read_token(line, start, x - 2, ret))
			return true;
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

static bool is_same_text(const char *a, size_t n_a, const char *b, size_t n_b)
{
	return n_a == n_b && (!n_a || memcmp(a, b, n_a) == 0);
}

static struct pd_error *find_number(
	struct sym_text *t, const struct sym_asked_module *module, uint32_t *ret)
{
	const struct sym_asked_module *last = &t->last;
	struct pd_error *err = NULL;

	if (!t->parts.n || last->kind != module->kind ||
		!is_same_text(last->id, last->id_len, module->id, module->id_len) ||
		!is_same_text(last->path, last->path_len, module->path, module->path_len))
		err = sym_asked_add_module(t->asked, module, &t->last_module);
	t->last = *module;
	*ret = t->last_module;
	return err;
}

static struct pd_error *add_token(
	struct sym_text *t, const struct line *line, const struct token *token)
{
	const struct sym_asked_module asked = {
		.path = token->path.at,
		.path_len = base_span_len(token->path),
		.id = token->id.at,
		.id_len = base_span_len(token->id),
		.kind = kind_of(t, token),
	};
	struct part part = {
		.address = token->address - token->is_caller,
		.start = (uint32_t)(token->text.at - t->text.at),
		.end = (uint32_t)(token->text.end - t->text.at),
		.is_folded = line->is_folded,
	};
	struct pd_error *err = find_number(t, &asked, &part.module);

	if (!err && !pd_vec_push(&t->parts, part))
		err = &pd_enomem;
	return err ? err : sym_asked_add(t->asked, part.module, part.address);
}

static struct pd_error *read_all(struct sym_text *t)
{
	struct base_span rest = t->text;
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
	pd_vec_deinit(&t->names);
	free(t);
}

/* Writing. */

/* Append to the names of an address. Returns false if out of memory. */
static bool append(struct sym_text *t, const char *text, size_t len)
{
	if (!pd_vec_reserve(&t->names, t->names.n + len))
		return false;
	memcpy(t->names.data + t->names.n, text, len);
	t->names.n += len;
	return true;
}

/* Append a name as base_text_write() writes it. */
static bool append_name(struct sym_text *t, const char *name)
{
	size_t len = strlen(name);

	if (base_printable_run(name, len) == len)
		return append(t, name, len);
	_cleanup_free_ char *text = base_text_dup(name, len, &len);
	return text && append(t, text, len);
}

/* Append a name without what separates names. */
static bool append_folded_name(struct sym_text *t, const char *name)
{
	size_t start = t->names.n;

	if (!append_name(t, name))
		return false;
	char *text = t->names.data + start;
	t->names.n = start + base_text_copy_folded(text, text, t->names.n - start, ' ');
	return true;
}

static bool append_folded(struct sym_text *t, const struct sym_names *names)
{
	bool is_done = true;

	for (uint32_t i = names->n; i-- && is_done;)
		is_done = append_folded_name(t, names->names[i].function) &&
			  (!i || append(t, ";", 1));
	return is_done;
}

static bool append_line(struct sym_text *t, uint32_t line)
{
	char digits[PD_DECIMAL_DIGITS];
	size_t first = base_decimal_digits(line, digits);

	return append(t, ":", 1) && append(t, digits + first, sizeof(digits) - first);
}

static bool append_place(struct sym_text *t, const struct sym_name *name)
{
	static const char at[] = " at ";

	if (!name->file)
		return true;
	return append(t, at, strlen(at)) && append_name(t, name->file) &&
	       (!name->line || append_line(t, name->line));
}

static bool append_names(struct sym_text *t, const struct sym_names *names)
{
	static const char inlined[] = " (inlined by) ";
	bool is_done = true;

	for (uint32_t i = 0; i < names->n && is_done; i++)
		is_done = (!i || append(t, inlined, strlen(inlined))) &&
			  append_name(t, names->names[i].function) &&
			  append_place(t, &names->names[i]);
	return is_done;
}

static struct pd_error *write_part(struct sym_text *t, const struct part *part, FILE *out)
{
	const struct sym_names *names = sym_asked_find(t->asked, part->module, part->address);
	bool is_done;

	t->names.n = 0;
	if (names)
		is_done = part->is_folded ? append_folded(t, names) : append_names(t, names);
	else
		is_done = append(t, t->text.at + part->start, part->end - part->start);
	fwrite_unlocked(t->names.data, 1, t->names.n, out);
	return is_done ? NULL : &pd_enomem;
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

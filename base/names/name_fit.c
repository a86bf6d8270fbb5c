#include "base/names/name_fit.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/printable.h"
#include "base/format.h"
#include "base/memstream.h"
#include "base/names/name_parts.h"
#include "base/text.h"
#include "base/names/spelling_defs.h"

/* Return whether offset @p at of the name is a bracket of @p pair, or between its brackets. */
static bool holds(const struct base_bracket *pair, size_t at)
{
	return pair->open <= at && at <= pair->close;
}

static const char dots[] = "...";

enum {
	DOTS = sizeof(dots) - 1,
	/** Columns for what two names differ in. */
	DIFFERENCE_COLUMNS = 10,
	/** A shorter beginning of a name says nothing. */
	MIN_HEAD = 3,
};

/* A name whose arguments are collapsed one after the other. */
struct arguments {
	const char *name;
	struct base_brackets pairs;
	bool is_collapsed[BASE_MAX_BRACKETS];
	/** Columns of what is between the brackets of each pair. */
	size_t inside[BASE_MAX_BRACKETS];
	/** Columns of the name. */
	size_t columns;
	/** Offset at which the other name differs; SIZE_MAX: there is none. */
	size_t difference;
};

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

/* Write types of standard libraries as programmers do. Allocated; NULL: no memory. */
static char *respell(const char *name)
{
#define SPELLING_ROW(from, to) { from, sizeof(from) - 1, to },
	static const struct {
		const char *from;
		size_t len;
		const char *to;
	} spellings[] = { BASE_SPELLINGS(SPELLING_ROW) };
#undef SPELLING_ROW
	char *text = strdup(name);
	char *to = text;

	/* No spelling is longer than what it stands for. */
	for (const char *at = name; text && *at;) {
		size_t i = 0;

		while (i < PD_ARRAY_LEN(spellings) &&
			strncmp(at, spellings[i].from, spellings[i].len))
			i++;
		if (i == PD_ARRAY_LEN(spellings) || (at > name && is_word(at[-1]))) {
			*to++ = *at++;
			continue;
		}
		to = stpcpy(to, spellings[i].to);
		at += spellings[i].len;
	}
	if (text)
		*to = '\0';
	return text;
}

static size_t find_difference(const char *name, const char *other)
{
	size_t i = 0;

	if (!other)
		return SIZE_MAX;
	while (name[i] && name[i] == other[i])
		i++;
	return name[i] ? i : SIZE_MAX;
}

static void arguments_init(const char *name, const char *other, struct arguments *ret)
{
	*ret = (struct arguments){
		.name = name,
		.columns = base_columns(name),
		.difference = find_difference(name, other),
	};
	base_brackets_find(name, &ret->pairs);
	for (size_t i = 0; i < ret->pairs.n; i++) {
		const struct base_bracket *pair = &ret->pairs.list[i];

		ret->inside[i] =
			base_columns_n(name + pair->open + 1, pair->close - pair->open - 1);
	}
}

static bool can_collapse(const struct arguments *a, size_t i)
{
	return a->pairs.list[i].kind == BASE_BRACKET_ARGUMENTS && a->inside[i] > DOTS;
}

static bool holds_difference(const struct arguments *a, size_t i)
{
	return holds(&a->pairs.list[i], a->difference);
}

/* Whether pair @p x is collapsed before pair @p y: deep ones first, and long ones among them. */
static bool is_before(const struct arguments *a, size_t x, size_t y)
{
	const struct base_bracket *pairs = a->pairs.list;

	if (holds_difference(a, x) != holds_difference(a, y))
		return holds_difference(a, y);
	if (pairs[x].depth != pairs[y].depth)
		return pairs[x].depth > pairs[y].depth;
	return a->inside[x] > a->inside[y];
}

/* Collapse the next pair. Returns false if there is none. */
static bool collapse_next(struct arguments *a)
{
	size_t best = a->pairs.n;

	for (size_t i = 0; i < a->pairs.n; i++) {
		if (can_collapse(a, i) && (best == a->pairs.n || is_before(a, i, best)))
			best = i;
	}
	if (best == a->pairs.n)
		return false;
	size_t saved = a->inside[best] - DOTS;
	for (size_t i = 0; i < best; i++) {
		if (holds(&a->pairs.list[i], a->pairs.list[best].open))
			a->inside[i] -= saved;
	}
	a->inside[best] = DOTS;
	a->is_collapsed[best] = true;
	a->columns -= saved;
	return true;
}

static bool hides_difference(const struct arguments *a)
{
	for (size_t i = 0; i < a->pairs.n; i++) {
		if (a->is_collapsed[i] && holds_difference(a, i))
			return true;
	}
	return false;
}

static void collapse(struct arguments *a, size_t width)
{
	while (a->columns > width && collapse_next(a))
		continue;
	/* Make room for the difference within the arguments. */
	while (hides_difference(a) && a->columns + DIFFERENCE_COLUMNS > width && collapse_next(a))
		continue;
}

/* Write what stands for the arguments between a pair: "...", or the word that differs in it. */
static void write_collapsed(
	const struct arguments *a, const struct base_bracket *pair, size_t room, FILE *out)
{
	size_t from = a->difference;
	size_t to = from;

	fputs(dots, out);
	if (!holds(pair, a->difference) || room < DIFFERENCE_COLUMNS)
		return;
	while (from > pair->open + 1 && is_word(a->name[from - 1]))
		from--;
	while (to < pair->close && (to == from || is_word(a->name[to])))
		to++;
	size_t len = base_columns_prefix(a->name + from, room - DOTS);
	fwrite(a->name + from, 1, len < to - from ? len : to - from, out);
	fputs(dots, out);
}

/* Write the name with its collapsed arguments. Allocated; NULL: no memory. */
static char *render(const struct arguments *a, size_t width)
{
	size_t room = width > a->columns ? width - a->columns : 0;
	char *text = NULL;
	size_t size, at = 0;
	FILE *out = base_memstream_open(&text, &size);

	if (!out)
		return NULL;
	for (size_t i = 0; i < a->pairs.n; i++) {
		const struct base_bracket *pair = &a->pairs.list[i];

		if (!a->is_collapsed[i] || pair->open < at)
			continue;
		fwrite(a->name + at, 1, pair->open + 1 - at, out);
		write_collapsed(a, pair, room, out);
		at = pair->close;
	}
	fputs(a->name + at, out);
	return base_memstream_close(out, &text) ? text : NULL;
}

/* Remove the modules in the types that hold methods: "<Vec<...> as FromIterator<...>>". */
static void drop_modules(char *text)
{
	struct base_brackets pairs;
	size_t to = 0, i = 0;

	base_brackets_find(text, &pairs);
	for (size_t at = 0; text[at]; at++) {
		text[to++] = text[at];
		while (i < pairs.n && pairs.list[i].close < at)
			i++;
		bool is_in_type = i < pairs.n && pairs.list[i].kind == BASE_BRACKET_TYPE &&
				  holds(&pairs.list[i], at);
		if (!is_in_type || strncmp(text + at + 1, "::", 2) || !is_word(text[at]))
			continue;
		while (to && is_word(text[to - 1]))
			to--;
		at += 2;
	}
	text[to] = '\0';
}

static bool is_number(const char *part, size_t len)
{
	return len && strspn(part, "0123456789") >= len;
}

/*
 * Whether many functions have the part that ends their names: closures, operators, and what
 * compilers append to the names of copies.
 */
static bool is_common(const char *part, size_t len)
{
	static const char *const words[] = { "operator()", "_FUN", "__invoke", "abi0",
		"abiinternal", "part", "isra", "constprop", "cold", "lto_priv", "llvm",
		"localalias", "clone" };
	static const char *const numbered[] = { "", "func", "gowrap", "deferwrap" };

	if (!len || *part == '{' || *part == '<')
		return true;
	for (size_t i = 0; i < PD_ARRAY_LEN(words); i++) {
		if (strlen(words[i]) == len && strncmp(part, words[i], len) == 0)
			return true;
	}
	for (size_t i = 0; i < PD_ARRAY_LEN(numbered); i++) {
		size_t start = strlen(numbered[i]);

		if (strncmp(part, numbered[i], start) == 0 && len > start &&
			is_number(part + start, len - start))
			return true;
	}
	/* The hash of a Rust function. */
	return len == 17 && *part == 'h' && strspn(part + 1, "0123456789abcdef") >= 16;
}

/* Offset of the last part of a name that says which function it is; 0: it is the whole name. */
static size_t last_part(const char *text, const struct base_brackets *pairs)
{
	size_t end = strlen(text);
	size_t at;

	for (;; end = at) {
		at = base_part_before(text, pairs, end);
		size_t start = at ? at + base_separator_length(text, at) : 0;

		if (!at || !is_common(text + start, end - start))
			return at;
	}
}

/*
 * Leave out the type that a method returns: "void java.util.TreeMap.clear(...)". Names with more
 * spaces are not methods of Java but, for example, "virtual thunk to A::f". Returns the rest.
 */
static const char *drop_returned(const char *text)
{
	struct base_brackets pairs;
	const char *space = NULL;

	base_brackets_find(text, &pairs);
	for (size_t at = 0, i = 0; text[at]; at++) {
		while (i < pairs.n && pairs.list[i].open < at)
			i++;
		if (i < pairs.n && pairs.list[i].open == at && pairs.list[i].depth == 0)
			at = pairs.list[i].close;
		if (text[at] != ' ')
			continue;
		if (space || !at)
			return text;
		space = text + at;
	}
	if (!space || !isalpha((unsigned char)space[1]) || space[-1] == ')' ||
		!strpbrk(space, ".:"))
		return text;
	return space + 1;
}

/* Leave out folders of the path in front of a Go function. Returns the rest of @p text. */
static const char *drop_folders(const char *text)
{
	const char *end = text + strcspn(text, "([{< ");
	const char *slash = memrchr(text, '/', (size_t)(end - text));

	return slash && slash[1] ? slash + 1 : text;
}

/* The last folders of the path that fit, after dots: ".../inventory.(*Service).Load". */
static char *cut_path(const char *text, size_t width)
{
	size_t len = strcspn(text, "([{< ");

	for (const char *at = memchr(text, '/', len); at && at < text + len;
		at = memchr(at + 1, '/', (size_t)(text + len - at - 1))) {
		if (base_columns(at) + DOTS <= width)
			return base_format("%s%s", dots, at);
	}
	return NULL;
}

/* Leave out the middle of a name: as many of its last parts as fit, and what fits before them. */
static char *cut_middle(const char *text, size_t width)
{
	struct base_brackets pairs;

	base_brackets_find(text, &pairs);
	size_t tail = last_part(text, &pairs);
	if (!tail)
		return strdup(text);
	for (size_t at = tail; (at = base_part_before(text, &pairs, at));) {
		if (base_columns(text + at) + DOTS > width)
			break;
		tail = at;
	}
	/* A further dot after the dots would be one too many. */
	const char *rest = text + tail + (text[tail] == '.');
	size_t taken = base_columns(rest) + DOTS;
	size_t head = base_columns_prefix(text, width > taken ? width - taken : 0);
	if (head < MIN_HEAD)
		head = 0;
	return base_format("%.*s%s%s", (int)head, text, dots, rest);
}

/* Shorten a name whose arguments are collapsed. Frees @p text. Allocated; NULL: no memory. */
static char *cut(char *text, size_t width)
{
	_cleanup_free_ char *owned = text;

	if (!text || base_columns(text) <= width)
		return_ptr(owned);
	drop_modules(text);
	if (base_columns(text) <= width)
		return_ptr(owned);
	const char *rest = drop_returned(text);
	if (base_columns(rest) <= width)
		return strdup(rest);
	char *path = cut_path(rest, width);
	return path ? path : cut_middle(drop_folders(rest), width);
}

char *base_name_fit(const char *name, const char *other, size_t width)
{
	if (base_columns(name) <= width)
		return strdup(name);
	_cleanup_free_ char *text = respell(name);
	_cleanup_free_ char *apart = other ? respell(other) : NULL;
	if (!text || (other && !apart))
		return NULL;
	struct arguments arguments;
	arguments_init(text, apart, &arguments);
	collapse(&arguments, width);
	return cut(render(&arguments, width), width);
}

size_t base_name_least_columns(const char *name)
{
	_cleanup_free_ char *text = base_name_fit(name, NULL, 1);

	return text ? base_columns(text) : 0;
}

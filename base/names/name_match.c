/*
 * Names are split into parts, innermost first: "add(int)", "Index<int>" and "ns" of
 * "void ns::Index<int>::add(int)". A part has an identifier, and perhaps arguments.
 */
#include "base/names/name_match.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/names/name_fit.h"
#include "base/names/name_parts.h"
#include "base/names/nearest.h"
#include "base/names/pattern.h"
#include "base/printable.h"
#include "base/text.h"

/* Scopes outside of these are not looked at. */
enum { MAX_PARTS = 64 };

/* Ranges of a name, which borrow it. */
struct range {
	const char *text;
	size_t len;
};

struct part {
	/** "Index", or what is between the brackets of a type: "A as B" of "<A as B>". */
	struct range identifier;
	/** "<int>", or "<int>(char)"; empty if there are none. */
	struct range arguments;
	bool is_type;
};

struct parts {
	struct part list[MAX_PARTS];
	size_t n;
};

struct base_wanted_name {
	char *text;
	struct base_pattern *pattern;
	bool has_dots;
	/** Parts of it have arguments, which may be respelled. */
	bool has_arguments;
	struct parts parts;
};

/*
 * The name in @p name without what the run times of Node.js and Python write around it:
 * "JS:*parse /app/x.js:12:3", "py::Index.add:/app/x.py".
 */
static struct range without_decoration(const char *name)
{
	static const char *const prefixes[] = {
		"JS:", "LazyCompile:", "Function:", "Eval:", "Script:", "py::"
	};

	for (size_t i = 0; i < PD_ARRAY_LEN(prefixes); i++) {
		if (!base_has_prefix(name, prefixes[i]))
			continue;
		const char *start = name + strlen(prefixes[i]);
		start += strspn(start, "*~^+'");
		const char *end = strpbrk(start, " :");
		return (struct range){ start, end ? (size_t)(end - start) : strlen(start) };
	}
	return (struct range){ name, strlen(name) };
}

/* The pair whose opening bracket is at offset @p at; NULL if there is none. */
static const struct base_bracket *pair_at(const struct base_brackets *pairs, size_t at)
{
	for (size_t i = 0; i < pairs->n && pairs->list[i].open <= at; i++) {
		if (pairs->list[i].open == at)
			return &pairs->list[i];
	}
	return NULL;
}

/* Describe the part of @p name from offset @p start to @p end. */
static struct part part_between(
	const char *name, const struct base_brackets *pairs, size_t start, size_t end)
{
	const struct base_bracket *type = pair_at(pairs, start);
	size_t arguments = end;

	if (type && type->kind == BASE_BRACKET_TYPE)
		return (struct part){ .identifier = { name + start + 1, type->close - start - 1 },
			.is_type = true };
	for (size_t at = start; at < end; at++) {
		const struct base_bracket *pair = pair_at(pairs, at);

		/* The type that is returned is before a space. */
		if (name[at] == ' ' && !base_has_prefix(name + start, "operator")) {
			start = at + 1;
			arguments = end;
		}
		if (!pair)
			continue;
		bool is_call = base_has_prefix(name + start, "operator()") &&
			       at == start + strlen("operator");
		if (pair->kind == BASE_BRACKET_ARGUMENTS && arguments == end && !is_call)
			arguments = at;
		if (name[at] == '(' && arguments < end)
			break;
		at = pair->close;
	}
	size_t len = arguments - start;
	while (len && name[start + len - 1] == ' ')
		len--;
	return (struct part){
		.identifier = { name + start, len },
		.arguments = { name + arguments, end - arguments },
	};
}

static void split(const char *name, struct parts *ret)
{
	struct range core = without_decoration(name);
	size_t first = (size_t)(core.text - name), end = first + core.len;
	struct base_brackets pairs;

	base_brackets_find(name, &pairs);
	ret->n = 0;
	while (ret->n < MAX_PARTS && end > first) {
		size_t at = base_part_before(name, &pairs, end);
		size_t start = at > first ? at + base_separator_length(name, at) : first;

		ret->list[ret->n++] = part_between(name, &pairs, start, end);
		end = at > first ? at : first;
	}
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

/* Whether @p word is in the names of types @p types, not as a part of a longer word. */
static bool has_word(const struct range *types, const struct range *word)
{
	for (size_t at = 0; at + word->len <= types->len; at++) {
		size_t end = at + word->len;

		if (memcmp(types->text + at, word->text, word->len) == 0 &&
			(at == 0 || !is_word(types->text[at - 1])) &&
			(end == types->len || !is_word(types->text[end])))
			return true;
	}
	return false;
}

/* Compare identifiers. Those of Go may have the folders of a package, which can be left out. */
static bool is_identifier(const struct range *wanted, const struct part *part)
{
	const struct range *name = &part->identifier;

	if (part->is_type)
		return has_word(name, wanted);
	if (name->len < wanted->len || !wanted->len ||
		memcmp(name->text + name->len - wanted->len, wanted->text, wanted->len) != 0)
		return false;
	return name->len == wanted->len || name->text[name->len - wanted->len - 1] == '/';
}

static const char dots[] = "...";

static const char *skip_spaces(const char *text, const char *end)
{
	while (text < end && *text == ' ')
		text++;
	return text;
}

static bool is_at_dots(const char *text, const char *end)
{
	return (size_t)(end - text) >= strlen(dots) && memcmp(text, dots, strlen(dots)) == 0;
}

/* Whether @p name is @p wanted, in which dots stand for anything. Spaces are ignored. */
static bool is_with_dots(const struct range *wanted, const struct range *name)
{
	const char *w = wanted->text, *w_end = w + wanted->len;
	const char *n = name->text, *n_end = n + name->len;
	const char *after_dots = NULL, *from = NULL;

	for (;;) {
		w = skip_spaces(w, w_end);
		n = skip_spaces(n, n_end);
		if (is_at_dots(w, w_end)) {
			after_dots = w += strlen(dots);
			from = n;
		} else if (n == n_end) {
			return w == w_end;
		} else if (w < w_end && *w == *n) {
			w++;
			n++;
		} else if (after_dots) {
			w = after_dots;
			n = ++from;
		} else {
			return false;
		}
	}
}

/* Arguments that were not given can be any; "()" stands for none as well. */
static bool is_part(const struct part *wanted, const struct part *part)
{
	if (wanted->is_type)
		return part->is_type && is_with_dots(&wanted->identifier, &part->identifier);
	if (!is_identifier(&wanted->identifier, part))
		return false;
	return !wanted->arguments.len ||
	       (!part->arguments.len && wanted->arguments.len == strlen("()")) ||
	       is_with_dots(&wanted->arguments, &part->arguments);
}

/* Compare the last parts, and look for the others, in their order, among those of the name. */
static enum base_closeness compare_parts(const struct parts *wanted, const struct parts *name)
{
	bool is_whole = wanted->n == name->n;
	size_t i = 0;

	for (size_t k = 0; k < name->n && i < wanted->n; k++) {
		if (is_part(&wanted->list[i], &name->list[k]))
			is_whole &= wanted->list[i++].is_type == name->list[k].is_type;
		else if (k == 0)
			return BASE_NAME_OTHER;
	}
	if (i < wanted->n)
		return BASE_NAME_OTHER;
	return is_whole ? BASE_NAME_INSTANCE : BASE_NAME_PARTS;
}

/* Compare a name that was given with dots. It may begin at any part, and end before parameters. */
static bool is_shortened(const struct base_wanted_name *wanted, const char *name)
{
	const struct range whole = { wanted->text, strlen(wanted->text) };
	const char *end = name + strlen(name);
	struct parts parts;

	split(name, &parts);
	for (size_t i = 0; i < parts.n; i++) {
		const char *start = parts.list[i].identifier.text - parts.list[i].is_type;
		const char *before_arguments = parts.list[0].arguments.text;

		if (is_with_dots(&whole, &(struct range){ start, (size_t)(end - start) }))
			return true;
		if (before_arguments > start &&
			is_with_dots(&whole,
				&(struct range){ start, (size_t)(before_arguments - start) }))
			return true;
	}
	char *fitted = base_name_fit(name, NULL, base_columns(wanted->text));
	bool is_same = fitted && strcmp(fitted, wanted->text) == 0;
	free(fitted);
	return is_same;
}

/* The text between slashes, allocated; NULL: it is not between slashes, or no memory. */
static char *between_slashes(const char *text)
{
	size_t len = strlen(text);

	return len > 2 && text[0] == '/' && text[len - 1] == '/' ? strndup(text + 1, len - 2)
								 : NULL;
}

struct pd_error *base_wanted_name_create(const char *text, struct base_wanted_name **ret)
{
	struct base_wanted_name *wanted = calloc(1, sizeof(*wanted));
	char *regex = between_slashes(text);
	struct pd_error *err = NULL;

	if (wanted)
		wanted->text = strdup(text);
	if (!wanted || !wanted->text)
		err = &pd_enomem;
	else if (regex)
		err = base_pattern_create(regex, &wanted->pattern);
	free(regex);
	if (err) {
		base_wanted_name_destroy(wanted);
		return err;
	}
	wanted->has_dots = strstr(text, dots);
	split(wanted->text, &wanted->parts);
	wanted->has_arguments = strpbrk(text, "<([");
	*ret = wanted;
	return NULL;
}

void base_wanted_name_destroy(struct base_wanted_name *wanted)
{
	if (!wanted)
		return;
	base_pattern_destroy(wanted->pattern);
	free(wanted->text);
	free(wanted);
}

enum base_closeness base_wanted_name_compare(
	const struct base_wanted_name *wanted, const char *name)
{
	struct parts parts;

	if (strcmp(name, wanted->text) == 0)
		return BASE_NAME_SAME;
	if (wanted->pattern)
		return base_pattern_matches(wanted->pattern, name) ? BASE_NAME_PATTERN
								   : BASE_NAME_OTHER;
	if (wanted->has_dots)
		return is_shortened(wanted, name) ? BASE_NAME_SHORTENED : BASE_NAME_OTHER;
	const struct range *last = &wanted->parts.list[0].identifier;
	if (!wanted->parts.n || !memmem(name, strlen(name), last->text, last->len))
		return BASE_NAME_OTHER;
	split(name, &parts);
	enum base_closeness closeness = compare_parts(&wanted->parts, &parts);
	if (closeness == BASE_NAME_OTHER && wanted->has_arguments && is_shortened(wanted, name))
		return BASE_NAME_SHORTENED;
	return closeness;
}

const char *base_last_part(const char *name, size_t *len_ret)
{
	struct parts parts;

	split(name, &parts);
	*len_ret = parts.n ? parts.list[0].identifier.len : 0;
	return parts.n ? parts.list[0].identifier.text : name;
}

/* Shorter texts are contained in too many names. */
enum { MIN_CONTAINED = 3, MAX_TYPED = 64 };

size_t base_wanted_name_distance(const struct base_wanted_name *wanted, const char *name)
{
	struct base_nearest nearest;
	char last[MAX_TYPED + 1];
	size_t wanted_len, len;
	const char *wanted_last = base_last_part(wanted->text, &wanted_len);
	const char *part = base_last_part(name, &len);

	if ((strlen(wanted->text) >= MIN_CONTAINED && strcasestr(name, wanted->text)) ||
		(strlen(name) >= MIN_CONTAINED && strcasestr(wanted->text, name)))
		return 0;
	if (len > MAX_TYPED)
		return SIZE_MAX;
	memcpy(last, part, len);
	last[len] = '\0';
	base_nearest_init(&nearest, wanted_last, wanted_len);
	base_nearest_try(&nearest, last);
	return nearest.name ? nearest.distance : SIZE_MAX;
}

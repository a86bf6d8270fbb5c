#include "symbolize/symbols/demangle_rewrite.h"

#include <ctype.h>
#include <string.h>

/*
 * Mangled names of C++ that are too new or too long, rewritten for a demangler that does not know
 * them, or would take too much of the stack.
 *
 * The Itanium ABI added constraints of template parameters ("Tk" and a concept before an argument,
 * "Q" and an expression after the last one), members with an explicit object parameter ("H" after
 * "N"), and friends that are members for that purpose ("F" before the name). They do not change how
 * the function is called in the source, and are left out here. What is left of the name is that of
 * the function without its parameters.
 *
 * In a short name, "..." takes the place of template arguments and of parameters.
 *
 * Later parts of a name refer to earlier ones by number. If a part that was left out counts, and a
 * number follows, the name is not rewritten. Neither is one with a part that is not known here,
 * such as an expression.
 */

enum { MAX_DEPTH = 128 };

struct rewriting {
	/** Rest of the mangled name. */
	const char *p;
	/** Rewritten name, with room for the whole. */
	char *to;
	/** Number of parts left out that are being read. */
	unsigned n_left_out;
	unsigned depth;
	/** A part that counts was left out. */
	bool is_shifted;
	/** Number of local names around the current part. */
	unsigned n_local;
	/** The rest of the name is an expression that is not read. */
	bool is_ended;
	/** The name is made short. */
	bool is_short;
	/** The last part of the name that was read has template arguments. */
	bool has_arguments;
};

static bool rewrite_name(struct rewriting *r);
static bool rewrite_type(struct rewriting *r);
static bool rewrite_encoding(struct rewriting *r, bool is_whole);

/* Copy @p n letters, unless they are left out. */
static void copy(struct rewriting *r, size_t n)
{
	if (!r->n_left_out) {
		memcpy(r->to, r->p, n);
		r->to += n;
	}
	r->p += n;
}

/* Write @p text, unless it is in what is left out. */
static void put_text(struct rewriting *r, const char *text)
{
	size_t n = strlen(text);

	if (r->n_left_out)
		return;
	memcpy(r->to, text, n);
	r->to += n;
}

/* Copy the text @p word if it comes next. */
static bool copy_word(struct rewriting *r, const char *word)
{
	size_t n = strlen(word);

	if (strncmp(r->p, word, n) != 0)
		return false;
	copy(r, n);
	return true;
}

/* Note that what is left out would count as a substitution. */
static void count(struct rewriting *r)
{
	r->is_shifted |= r->n_left_out > 0;
}

static bool copy_number(struct rewriting *r)
{
	size_t n = strspn(r->p, "0123456789");

	copy(r, n);
	return n > 0;
}

/* <source-name>: a length and an identifier. */
static bool copy_identifier(struct rewriting *r)
{
	size_t digits = strspn(r->p, "0123456789"), length = 0;

	if (!digits || digits > 6)
		return false;
	for (size_t i = 0; i < digits; i++)
		length = 10 * length + (size_t)(r->p[i] - '0');
	if (strnlen(r->p + digits, length) < length)
		return false;
	copy(r, digits + length);
	return true;
}

/* <seq-id>: digits and capitals up to an underscore. */
static bool copy_sequence(struct rewriting *r)
{
	size_t n = strspn(r->p, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ");

	if (r->p[n] != '_')
		return false;
	copy(r, n + 1);
	return true;
}

/* <substitution>: "St" and others of the standard library, or a number. */
static bool copy_substitution(struct rewriting *r)
{
	bool is_standard = r->p[1] && strchr("tabsiod", r->p[1]);

	if (!is_standard && r->is_shifted && !r->n_left_out)
		return false;
	copy(r, is_standard ? 2 : 1);
	return is_standard || copy_sequence(r);
}

/* <template-param>, also of an outer level: "T_", "T0_", "TL0__". */
static bool copy_parameter(struct rewriting *r)
{
	copy(r, 1);
	if (*r->p == 'L') {
		copy(r, 1);
		if (!copy_sequence(r))
			return false;
	}
	return copy_sequence(r);
}

/* Whether a <template-param-decl> comes next: "Ty", "Tk", "Tn", "Tt" or "Tp". */
static bool is_declaration(const char *p)
{
	return p[0] == 'T' && p[1] && strchr("ykntp", p[1]);
}

static bool rewrite_arguments(struct rewriting *r);

/* Leave out a <template-param-decl>. */
static bool skip_declaration(struct rewriting *r)
{
	char kind = r->p[1];
	bool ok = true;

	r->n_left_out++;
	copy(r, 2);
	if (kind == 'p')
		ok = is_declaration(r->p) && skip_declaration(r);
	if (kind == 'n')
		ok = rewrite_type(r);
	if (kind == 'k')
		ok = rewrite_name(r) && (*r->p != 'I' || rewrite_arguments(r));
	if (kind == 't') {
		while (ok && is_declaration(r->p))
			ok = skip_declaration(r);
		ok = ok && copy_word(r, "E");
	}
	r->n_left_out--;
	return ok;
}

/* <expr-primary>: "L", a type and a number, or the name of something external, and "E". */
static bool rewrite_literal(struct rewriting *r)
{
	copy(r, 1);
	if (copy_word(r, "_Z"))
		return rewrite_encoding(r, false) && copy_word(r, "E");
	if (!rewrite_type(r))
		return false;
	copy_word(r, "n");
	copy_number(r);
	return copy_word(r, "E");
}

static bool rewrite_argument(struct rewriting *r)
{
	while (is_declaration(r->p)) {
		if (!skip_declaration(r))
			return false;
	}
	if (*r->p == 'L')
		return rewrite_literal(r);
	if (*r->p != 'J')
		return rewrite_type(r);
	copy(r, 1);
	while (*r->p && *r->p != 'E') {
		if (!rewrite_argument(r))
			return false;
	}
	return copy_word(r, "E");
}

/*
 * The arguments up to the end of the list. The expression of a requires clause is the last thing
 * that is read: only functions have one, and nothing of their name follows it.
 */
static bool rewrite_list(struct rewriting *r)
{
	bool is_whole = r->depth == 1 && !r->n_local && r->n_left_out == r->is_short;

	while (*r->p && *r->p != 'E') {
		if (*r->p == 'Q') {
			r->is_ended = is_whole;
			return is_whole;
		}
		if (!rewrite_argument(r))
			return false;
	}
	return *r->p;
}

/* <template-args>. */
static bool rewrite_arguments(struct rewriting *r)
{
	bool is_replaced = r->is_short && !r->n_left_out;

	if (is_replaced)
		put_text(r, "I3...E");
	r->n_left_out += is_replaced;
	count(r);
	copy(r, 1);
	if (!rewrite_list(r))
		return false;
	if (r->is_ended)
		put_text(r, "E");
	else
		copy(r, 1);
	r->n_left_out -= is_replaced;
	r->has_arguments = true;
	return true;
}

/* Types up to an 'E', in place of which a short name has "...", preceded by @p before. */
static bool rewrite_types(struct rewriting *r, const char *before)
{
	bool is_replaced = r->is_short && !r->n_left_out && *r->p != 'v';

	if (is_replaced) {
		put_text(r, before);
		put_text(r, "z");
	}
	r->n_left_out += is_replaced;
	while (*r->p && *r->p != 'E') {
		if (!rewrite_type(r))
			return false;
	}
	r->n_left_out -= is_replaced;
	return *r->p;
}

/* <unnamed-type-name>: a lambda with its parameters, or another type without a name. */
static bool rewrite_unnamed(struct rewriting *r)
{
	bool is_lambda = r->p[1] == 'l';

	if (!is_lambda && r->p[1] != 't')
		return false;
	copy(r, 2);
	if (is_lambda && (!rewrite_types(r, "") || !copy_word(r, "E")))
		return false;
	return copy_sequence(r);
}

/* <unqualified-name> without its arguments. */
static bool rewrite_part(struct rewriting *r)
{
	const char *p = r->p;

	r->has_arguments = false;
	/* Internal linkage. */
	if (*p == 'L')
		copy(r, 1);
	if (isdigit((unsigned char)*r->p)) {
		if (!copy_identifier(r))
			return false;
	} else if (*p == 'U') {
		if (!rewrite_unnamed(r))
			return false;
	} else if ((*p == 'C' || *p == 'D') && isdigit((unsigned char)p[1])) {
		copy(r, 2);
	} else if (islower((unsigned char)p[0]) && isalpha((unsigned char)p[1])) {
		/* An operator. That of a conversion has a type. */
		bool is_conversion = p[0] == 'c' && p[1] == 'v';
		copy(r, 2);
		if (is_conversion && !rewrite_type(r))
			return false;
	} else {
		return false;
	}
	while (*r->p == 'B') {
		copy(r, 1);
		if (!copy_identifier(r))
			return false;
	}
	return true;
}

/* <nested-name>. The last part does not count as a substitution, those before it do. */
static bool rewrite_nested(struct rewriting *r)
{
	bool is_first = true, was_counted = false;

	copy(r, 1);
	/* An explicit object parameter. */
	if (*r->p == 'H')
		r->p++;
	copy(r, strspn(r->p, "rVK"));
	copy(r, strspn(r->p, "RO"));
	while (*r->p && *r->p != 'E') {
		if (was_counted)
			count(r);
		was_counted = false;
		/* A friend. */
		if (r->p[0] == 'F' && isdigit((unsigned char)r->p[1]))
			r->p++;
		if (*r->p == 'S' && is_first) {
			if (!copy_substitution(r))
				return false;
		} else if (*r->p == 'T' && is_first) {
			if (!copy_parameter(r))
				return false;
			was_counted = true;
		} else if (*r->p == 'I' && !is_first) {
			if (!rewrite_arguments(r))
				return false;
			if (r->is_ended)
				break;
			was_counted = true;
		} else {
			if (!rewrite_part(r))
				return false;
			was_counted = true;
		}
		is_first = false;
	}
	if (r->is_ended) {
		put_text(r, "E");
		return true;
	}
	return !is_first && copy_word(r, "E");
}

/* <local-name>: a function, and what is in it. */
static bool rewrite_local(struct rewriting *r)
{
	copy(r, 1);
	r->n_local++;
	bool ok = rewrite_encoding(r, false) && copy_word(r, "E");
	if (ok && *r->p == 's')
		copy(r, 1);
	else if (ok)
		ok = rewrite_name(r);
	/* A discriminator: "_1", or "__10_". */
	if (ok && r->p[0] == '_' && isdigit((unsigned char)r->p[1])) {
		copy(r, 1);
		copy(r, 1);
	} else if (ok && r->p[0] == '_' && r->p[1] == '_') {
		copy(r, 2);
		ok = copy_number(r) && copy_word(r, "_");
	}
	r->n_local--;
	return ok;
}

static bool rewrite_plain(struct rewriting *r)
{
	if (r->p[0] == 'S' && r->p[1] != 't')
		return copy_substitution(r) && (*r->p != 'I' || rewrite_arguments(r));
	copy_word(r, "St");
	if (!rewrite_part(r))
		return false;
	return *r->p != 'I' || rewrite_arguments(r);
}

static bool rewrite_name(struct rewriting *r)
{
	if (++r->depth > MAX_DEPTH)
		return false;
	bool ok = *r->p == 'N'	 ? rewrite_nested(r)
		  : *r->p == 'Z' ? rewrite_local(r)
				 : rewrite_plain(r);
	r->depth--;
	return ok;
}

/* <function-type>, after the letter 'F'. */
static bool rewrite_function(struct rewriting *r)
{
	copy_word(r, "Y");
	while (*r->p && *r->p != 'E') {
		if (!rewrite_type(r))
			return false;
	}
	return copy_word(r, "E");
}

/* Types whose first letter is 'D'. */
static bool rewrite_d_type(struct rewriting *r)
{
	if (!r->p[1])
		return false;
	if (strchr("dehfinsuac", r->p[1])) {
		copy(r, 2);
		return true;
	}
	/* Constrained auto: "Dk" and "DK". */
	if ((r->p[1] == 'k' || r->p[1] == 'K') && r->n_left_out) {
		copy(r, 2);
		return rewrite_name(r) && (*r->p != 'I' || rewrite_arguments(r));
	}
	if (copy_word(r, "Dp") || copy_word(r, "Do"))
		return rewrite_type(r);
	return false;
}

static bool rewrite_inner_type(struct rewriting *r)
{
	char c = *r->p;

	if (islower((unsigned char)c) && strchr("vwbcahstijlmxynofdegz", c)) {
		copy(r, 1);
		return true;
	}
	if (c == 'D')
		return rewrite_d_type(r);
	count(r);
	if (c && strchr("rVKPROCG", c)) {
		copy(r, 1);
		return rewrite_type(r);
	}
	if (c == 'F') {
		copy(r, 1);
		return rewrite_function(r);
	}
	if (c == 'A') {
		copy(r, 1);
		return copy_number(r) && copy_word(r, "_") && rewrite_type(r);
	}
	if (c == 'M') {
		copy(r, 1);
		return rewrite_type(r) && rewrite_type(r);
	}
	if (c == 'T')
		return copy_parameter(r) && (*r->p != 'I' || rewrite_arguments(r));
	return rewrite_name(r);
}

static bool rewrite_type(struct rewriting *r)
{
	if (++r->depth > MAX_DEPTH)
		return false;
	bool ok = rewrite_inner_type(r);
	r->depth--;
	return ok;
}

/* <encoding>: a name, and the types of its parameters, which the whole name does without. */
static bool rewrite_encoding(struct rewriting *r, bool is_whole)
{
	if (!rewrite_name(r))
		return false;
	/* A template has the type of its result before its parameters. */
	return is_whole || *r->p == 'E' || rewrite_types(r, r->has_arguments ? "v" : "");
}

/* Whether a part that newer compilers write begins at @p p, which is not within an identifier. */
static bool is_newer(const char *p)
{
	switch (*p) {
	case 'Q':
	case 'H':
	case 'W':
		return true;
	case 'F':
		return isdigit((unsigned char)p[1]);
	case 'T':
		return is_declaration(p);
	case 'D':
		return p[1] == 'k' || p[1] == 'K' || p[1] == 'y';
	default:
		return false;
	}
}

bool sym_is_unusual(const char *name)
{
	if (name[0] != '_' || name[1] != 'Z')
		return name[0] == '_' && name[1] == 'D';
	for (const char *p = name + 2; *p;) {
		size_t digits = strspn(p, "0123456789"), length = 0;

		if (is_newer(p))
			return true;
		/* Numbers of substitutions have the same letters as parts. */
		if (*p == 'S')
			p += strspn(p + 1, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ");
		for (size_t i = 0; i < digits && i < 6; i++)
			length = 10 * length + (size_t)(p[i] - '0');
		p += digits ? digits + strnlen(p + digits, length) : 1;
	}
	return false;
}

bool sym_rewrite_cxx(const char *name, bool is_short, char *ret)
{
	struct rewriting r = { .p = name + 2, .to = ret + 2, .is_short = is_short };

	memcpy(ret, name, 2);
	if (!rewrite_encoding(&r, true))
		return false;
	*r.to = '\0';
	return strcmp(ret, name) != 0;
}

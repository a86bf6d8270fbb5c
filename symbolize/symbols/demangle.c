#include "symbolize/symbols/demangle.h"

#include <ctype.h>
#include <libiberty/demangle.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/limit.h"
#include "base/names/operator.h"
#include "symbolize/symbols/demangle_rewrite.h"
#include "symbolize/symbols/demanglers.h"
#include "symbolize/symbols/languages.h"

enum {
	/*
	 * Longest mangled name that is demangled. The demangler's use of the stack grows with the
	 * length.
	 */
	MAX_MANGLED = PD_LIMIT_MANGLED_BYTES,
	/* Depth of names that libiberty prints. */
	MAX_RECURSION = 1024,
};

void sym_output_add(struct sym_output *out, const char *text, size_t len)
{
	if (len > sizeof(out->text) - out->len) {
		out->is_too_long = true;
		base_attempt_give_up(&out->attempt);
		return;
	}
	/* The text of nothing may be NULL, as libiberty passes for an empty identifier of Rust. */
	if (!len)
		return;
	memcpy(out->text + out->len, text, len);
	out->len += len;
}

void sym_output_text(struct sym_output *out, const char *text)
{
	sym_output_add(out, text, strlen(text));
}

void sym_output_char(struct sym_output *out, char c)
{
	sym_output_add(out, &c, 1);
}

bool sym_output_code(struct sym_output *out, unsigned long code)
{
	bool is_surrogate = code >= 0xd800 && code < 0xe000;

	if (code < ' ' || code == 0x7f || code > 0x10ffff || is_surrogate)
		return false;
	if (code < 0x80) {
		sym_output_char(out, (char)code);
		return true;
	}
	/* The first byte begins with a one for each byte, the others have 6 bits each. */
	int n_more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
	sym_output_char(out, (char)((0xf00 >> (n_more + 1)) | (code >> (6 * n_more))));
	while (n_more--)
		sym_output_char(out, (char)(0x80 | ((code >> (6 * n_more)) & 0x3f)));
	return true;
}

int sym_hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

/* Callback of libiberty, which cannot be stopped by its result. */
static void collect(const char *part, size_t len, void *opaque)
{
	sym_output_add(opaque, part, len);
}

/*
 * Remove the mark of explicit object parameters, which newer versions of libiberty write: a
 * function has one name wherever it is read.
 */
static void remove_this(struct sym_output *out)
{
	static const char mark[] = "(this ";
	const size_t kept = 1, len = strlen(mark);
	char *at = out->text;

	while ((at = memmem(at, out->len - (size_t)(at - out->text), mark, len))) {
		at += kept;
		size_t n = len - kept;
		memmove(at, at + n, out->len - (size_t)(at - out->text) - n);
		out->len -= n;
	}
}

static bool demangle_itanium(const char *name, enum pd_name_form form, struct sym_output *out)
{
	static const char clone[] = " [clone ";
	/*
	 * Names longer than 1,024 letters need the recursion limit lifted; MAX_MANGLED limits the
	 * recursion instead.
	 */
	int options =
		DMGL_NO_RECURSE_LIMIT | (form == PD_NAME_FORM_FULL ? DMGL_PARAMS | DMGL_ANSI : 0);

	out->len = 0;
	if (!cplus_demangle_v3_callback(name, options, collect, out))
		return false;
	char *suffix = memmem(out->text, out->len, clone, strlen(clone));
	if (suffix)
		out->len = (size_t)(suffix - out->text);
	remove_this(out);
	return true;
}

/*
 * Demangle a name of C++. Newer compilers add constraints, which are left out together with the
 * parameters.
 */
static bool demangle_cxx(const char *name, enum pd_name_form form, struct sym_output *out)
{
	if (demangle_itanium(name, form, out) ||
		(form == PD_NAME_FORM_FULL && demangle_itanium(name, PD_NAME_FORM_TEMPLATES, out)))
		return true;
	return sym_rewrite_cxx(name, false, out->scratch) &&
	       demangle_itanium(out->scratch, PD_NAME_FORM_TEMPLATES, out);
}

/* Demangle a name of C++ that is too long, or would become too long, with "<...>". */
static bool demangle_long(const char *name, enum pd_name_form form, struct sym_output *out)
{
	(void)form;
	return sym_rewrite_cxx(name, true, out->scratch) && strlen(out->scratch) <= MAX_MANGLED &&
	       demangle_itanium(out->scratch, PD_NAME_FORM_TEMPLATES, out);
}

static bool demangle_rust(const char *name, enum pd_name_form form, struct sym_output *out)
{
	(void)form;
	return rust_demangle_callback(name, DMGL_NO_OPTS, collect, out);
}

static bool demangle_rust_or_cxx(const char *name, enum pd_name_form form, struct sym_output *out)
{
	if (demangle_rust(name, form, out))
		return true;
	return demangle_cxx(name, form, out);
}

/* First character after the parentheses that open at @p open. */
static const char *after_parentheses(const char *open)
{
	size_t depth = 0;

	for (const char *p = open; *p; p++) {
		depth += *p == '(';
		if (*p == ')' && --depth == 0)
			return p + 1;
	}
	return open + strlen(open);
}

/*
 * Remove lists of parameters from a D name: those of the function and of functions around it, which
 * the demangler cannot leave out. After '!' the parentheses hold template arguments:
 * "a.b!(int).b(int)".
 */
static void remove_d_lists(char *text, enum pd_name_form form)
{
	char *to = text;

	for (const char *from = text; *from;) {
		bool is_template = from[0] == '!' && from[1] == '(';
		const char *end = from + 1;

		if (is_template || *from == '(')
			end = after_parentheses(from + is_template);
		bool is_kept = is_template ? form != PD_NAME_FORM_SHORT : *from != '(';
		if (is_kept) {
			memmove(to, from, (size_t)(end - from));
			to += end - from;
		}
		/* The last parameters are followed by attributes only. */
		if (*from == '(' && *end != '.')
			break;
		from = end;
	}
	*to = '\0';
}

static bool demangle_d(const char *name, enum pd_name_form form, struct sym_output *out)
{
	char *text = dlang_demangle(name, DMGL_NO_OPTS);

	if (!text)
		return false;
	if (form != PD_NAME_FORM_FULL)
		remove_d_lists(text, form);
	out->len = strlen(text);
	bool fits = out->len <= sizeof(out->text);
	if (fits)
		memcpy(out->text, text, out->len);
	free(text);
	return fits;
}

/*
 * Procedures of Fortran modules. gfortran writes "__zoo_MOD_feed" for "zoo::feed"
 * (gfc_sym_mangled_function_id() in gcc/fortran/trans-decl.c), LLVM Flang "_QMzooPfeed"
 * (flang/docs/BijectiveInternalNameUniquing.md). Names are in lower case, because Fortran ignores
 * case.
 */
#define FORTRAN_LETTERS "abcdefghijklmnopqrstuvwxyz0123456789_$"

static bool demangle_gfortran(const char *name, enum pd_name_form form, struct sym_output *out)
{
	static const char separator[] = "_MOD_";
	const char *module = name + 2;
	/* A submodule follows '.': "__zoo.cages_MOD_feed". */
	size_t module_len = strspn(module, FORTRAN_LETTERS ".");

	(void)form;
	/* The '_' before "MOD_" is a letter of names, too. */
	if (strncmp(name, "__", 2) || module_len < 2)
		return false;
	module_len--;
	if (strncmp(module + module_len, separator, strlen(separator)))
		return false;
	const char *procedure = module + module_len + strlen(separator);
	/* The compiler writes types with a capital in names such as "__copy_zoo_Cage". */
	bool is_made = strncmp(procedure, "__", 2) == 0;
	size_t len = strspn(procedure,
		is_made ? FORTRAN_LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZ" : FORTRAN_LETTERS);
	/* A '.' begins the suffix of a clone. */
	if (!len || (procedure[len] && procedure[len] != '.'))
		return false;
	sym_output_add(out, module, module_len);
	sym_output_text(out, "::");
	sym_output_add(out, procedure, len);
	return true;
}

static bool demangle_flang(const char *name, enum pd_name_form form, struct sym_output *out)
{
	const char *p = name + 2;

	(void)form;
	if (strncmp(name, "_Q", 2))
		return false;
	/* Modules, submodules, and the procedures around the one that the last part names. */
	while (*p && strchr("MSFP", *p)) {
		bool is_last = *p++ == 'P';
		size_t len = strspn(p, FORTRAN_LETTERS);

		if (!len)
			return false;
		sym_output_add(out, p, len);
		p += len;
		if (is_last)
			return !*p || *p == '.';
		sym_output_text(out, "::");
	}
	return false;
}

static const struct language {
	/** First letters of all mangled names, and a text in all of them; NULL if they vary. */
	const char *prefix, *inside;
	bool (*demangle)(const char *name, enum pd_name_form form, struct sym_output *out);
	/** Language of the function (enum sym_language); 0 if the name itself is certain. */
	uint32_t language;
	/** Demangled names have template arguments in angle brackets. */
	bool has_templates;
} LANGUAGES[] = {
	{ "_Z", NULL, demangle_rust_or_cxx, 0, true },
	{ "_R", NULL, demangle_rust, 0, true },
	{ "_D", NULL, demangle_d, 0, false },
	{ "__", "_MOD_", demangle_gfortran, 0, false },
	{ "_Q", NULL, demangle_flang, 0, false },
	{ "caml", NULL, sym_demangle_ocaml, SYM_OCAML, false },
	{ NULL, "_$", sym_demangle_pascal, SYM_PASCAL, false },
	{ NULL, "__", sym_demangle_nim, SYM_NIM, false },
	{ NULL, "_", sym_demangle_haskell, SYM_HASKELL, false },
	{ NULL, "_", sym_demangle_ada, SYM_ADA, false },
};

bool sym_is_mangled(const char *name)
{
	return name[0] == '_' && (name[1] == 'Z' || name[1] == 'R' || name[1] == 'D');
}

static bool may_be(const struct language *language, const char *name, uint32_t languages)
{
	const char *prefix = language->prefix, *inside = language->inside;

	return (!language->language || (languages & language->language)) &&
	       (!prefix || strncmp(name, prefix, strlen(prefix)) == 0) &&
	       (!inside || strstr(name, inside));
}

/* A name that is taken for one of a language. */
struct candidate {
	const struct language *language;
	const char *name;
	enum pd_name_form form;
	struct sym_output *out;
};

static bool demangle(void *ctx)
{
	const struct candidate *c = ctx;

	return c->language->demangle(c->name, c->form, c->out) && c->out->len > 0;
}

static bool run(const struct language *language, const char *name, enum pd_name_form form,
	struct sym_output *out)
{
	struct candidate candidate = { language, name, form, out };

	out->len = 0;
	return base_attempt_run(&out->attempt, demangle, &candidate);
}

/* Template arguments of C++, for names that are too long with them. */
static const struct language LONG = { "_Z", NULL, demangle_long, 0, true };

/* Demangle @p mangled into @p out. Returns its language, or NULL if it is not mangled. */
static const struct language *demangle_any(
	const char *mangled, enum pd_name_form form, uint32_t languages, struct sym_output *out)
{
	size_t len = strlen(mangled);
	bool is_long = len > MAX_MANGLED;

	for (size_t i = 0; !is_long && i < PD_ARRAY_LEN(LANGUAGES); i++) {
		if (may_be(&LANGUAGES[i], mangled, languages) &&
			run(&LANGUAGES[i], mangled, form, out))
			return &LANGUAGES[i];
	}
	bool is_too_long = out->is_too_long;
	/* The demangler fails for more template arguments than it may recurse for. */
	if ((is_long || is_too_long || len > MAX_RECURSION) && may_be(&LONG, mangled, languages) &&
		run(&LONG, mangled, form, out))
		return &LONG;
	if (is_long)
		base_limit_reach(PD_LIMIT_ID_MANGLED_BYTES);
	else if (is_too_long)
		base_limit_reach(PD_LIMIT_ID_DEMANGLED_BYTES);
	return NULL;
}

size_t sym_unversioned_length(const char *name)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "0123456789._+-";
	const char *at = strrchr(name, '@');

	if (!at || at == name || !at[1] || at[1 + strspn(at + 1, letters)])
		return strlen(name);
	at -= at > name + 1 && at[-1] == '@';
	return (size_t)(at - name);
}

/* Suffixes of compilers. A number follows them, which some may lack. */
static const struct {
	const char *text;
	bool may_lack_number;
} SUFFIXES[] = {
	/* gcc: clones for certain arguments, and pieces of a function. */
	{ ".constprop", false },
	{ ".isra", false },
	{ ".part", false },
	{ ".cold", true },
	{ ".lto_priv", false },
	{ ".localalias", true },
	/* LLVM: functions of a file that others import (ThinLTO), pieces, and unique names. */
	{ ".llvm", false },
	{ ".__part", false },
	{ ".specialized", false },
	{ ".__uniq", false },
};

/* Length of @p name, of @p len bytes, without its last suffix. */
static size_t without_suffix(const char *name, size_t len)
{
	size_t end = len;

	while (end && name[end - 1] >= '0' && name[end - 1] <= '9')
		end--;
	bool has_number = end < len && end && name[end - 1] == '.';
	end = has_number ? end - 1 : len;
	for (size_t i = 0; i < PD_ARRAY_LEN(SUFFIXES); i++) {
		size_t n = strlen(SUFFIXES[i].text);

		if (end > n && memcmp(name + end - n, SUFFIXES[i].text, n) == 0 &&
			(has_number || SUFFIXES[i].may_lack_number))
			return end - n;
	}
	return len;
}

size_t sym_unsuffixed_length(const char *name)
{
	size_t len = strlen(name), shorter;

	if (!strchr(name, '.'))
		return len;
	while ((shorter = without_suffix(name, len)) < len)
		len = shorter;
	return len;
}

/*
 * Cut the suffixes of compilers off @p name, which could not be demangled. Where they would be part
 * of the name, or of one that is not understood, they stay.
 */
static bool cut_suffixes(char *name, uint32_t languages)
{
	size_t len = sym_unsuffixed_length(name);

	if (!name[len] || languages & SYM_DOTTED || sym_is_mangled(name))
		return false;
	name[len] = '\0';
	return true;
}

static bool is_part_of_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$';
}

/* First character after the template arguments opened at @p open, or NULL if they have no end. */
static const char *after_arguments(const char *open)
{
	size_t angles = 0, others = 0;

	for (const char *p = open; *p; p++) {
		size_t len = base_operator_length(open, p);

		if (len) {
			p += len - 1;
			continue;
		}
		others += *p == '(' || *p == '[' || *p == '{';
		others -= others && (*p == ')' || *p == ']' || *p == '}');
		/*
		 * Within parentheses, angle brackets may be comparisons; in "->" the bracket is
		 * part of an arrow.
		 */
		if (others || (*p == '>' && p[-1] == '-'))
			continue;
		angles += *p == '<';
		if (*p == '>' && --angles == 0)
			return p + 1;
	}
	return NULL;
}

/*
 * Whether a '<' that follows @p written, the end of the name so far, opens arguments. In "<T as
 * Trait>" it does not.
 */
static bool opens_arguments(const char *text, const char *written, bool is_after_operator)
{
	if (written == text)
		return false;
	char last = written[-1];

	return is_after_operator || is_part_of_word(last) || strchr(")]}>\"\'", last) ||
	       (last == ':' && written - text > 1 && written[-2] == ':');
}

/* Remove the separator before arguments: Rust writes "f::<T>", and C++ "operator< <T>". */
static char *drop_separator(char *text, char *written)
{
	if (written - text > 2 && written[-1] == ':')
		return written - 2;
	return written > text && written[-1] == ' ' ? written - 1 : written;
}

void sym_shorten(char *text)
{
	char *to = text;
	bool is_after_operator = false;

	for (const char *from = text; *from;) {
		size_t len = base_operator_length(text, from);
		const char *end = NULL;

		if (!len && *from == '<' && opens_arguments(text, to, is_after_operator))
			end = after_arguments(from);
		if (end) {
			to = drop_separator(text, to);
			from = end;
			is_after_operator = false;
			continue;
		}
		/* A space may separate an operator from its arguments. */
		is_after_operator = len || (is_after_operator && *from == ' ');
		len = len ? len : 1;
		memmove(to, from, len);
		to += len;
		from += len;
	}
	*to = '\0';
}

const char *sym_demangle(
	struct base_arena *arena, const char *name, enum pd_name_form form, uint32_t languages)
{
	size_t len = sym_unversioned_length(name);
	const char *suffix = strcmp(name + len, "@plt") == 0 ? name + len : "";
	char scratch[MAX_MANGLED + SYM_REWRITE_MORE];
	struct sym_output out;

	out.scratch = scratch;
	out.is_too_long = false;
	/* Most names are those of C functions, which only lose their version and suffixes. */
	if (form == PD_NAME_FORM_MANGLED || len == 0 ||
		(name[0] != '_' && !languages && !name[len] && !strchr(name, '.')))
		return name;
	char *plain = base_arena_strndup(arena, name, len);
	if (len > MAX_MANGLED)
		out.scratch = base_arena_alloc(arena, len + SYM_REWRITE_MORE);
	if (!plain || !out.scratch)
		return NULL;
	const struct language *language = demangle_any(plain, form, languages, &out);
	if (!language && !*suffix && cut_suffixes(plain, languages))
		return plain;
	if (!language)
		return *suffix || !name[len] ? name : plain;
	size_t suffix_size = strlen(suffix) + 1;
	char *text = base_arena_alloc(arena, out.len + suffix_size);
	if (!text)
		return NULL;
	memcpy(text, out.text, out.len);
	text[out.len] = '\0';
	if (form == PD_NAME_FORM_SHORT && language->has_templates)
		sym_shorten(text);
	memcpy(text + strlen(text), suffix, suffix_size);
	return text;
}

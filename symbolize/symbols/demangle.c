#include "symbolize/symbols/demangle.h"

#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

enum {
	/*
	 * Longest mangled name that is demangled. The demangler's use of the stack grows with the
	 * length.
	 */
	MAX_MANGLED = 4096,
	/*
	 * Longest demangled name. Each substitution may double the name, so a few dozen letters can
	 * stand for gigabytes.
	 */
	MAX_DEMANGLED = 16 * 1024,
};

struct output {
	char text[MAX_DEMANGLED];
	size_t len;
	jmp_buf too_long;
};

/*
 * Callback of the demanglers, which can only be stopped by longjmp(). They hold no memory that
 * would leak.
 */
static void collect(const char *part, size_t len, void *opaque)
{
	struct output *out = opaque;

	if (len > sizeof(out->text) - out->len)
		longjmp(out->too_long, 1);
	memcpy(out->text + out->len, part, len);
	out->len += len;
}

static bool demangle_cxx(const char *name, enum sym_form form, struct output *out)
{
	static const char clone[] = " [clone ";
	/*
	 * Names longer than 1,024 letters need the recursion limit lifted; MAX_MANGLED limits the
	 * recursion instead.
	 */
	int options = DMGL_NO_RECURSE_LIMIT | (form == SYM_FORM_FULL ? DMGL_PARAMS | DMGL_ANSI : 0);

	if (!cplus_demangle_v3_callback(name, options, collect, out))
		return false;
	char *suffix = memmem(out->text, out->len, clone, strlen(clone));
	if (suffix)
		out->len = (size_t)(suffix - out->text);
	return true;
}

static bool demangle_rust(const char *name, enum sym_form form, struct output *out)
{
	(void)form;
	return rust_demangle_callback(name, DMGL_NO_OPTS, collect, out);
}

static bool demangle_rust_or_cxx(const char *name, enum sym_form form, struct output *out)
{
	if (demangle_rust(name, form, out))
		return true;
	out->len = 0;
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
static void remove_d_lists(char *text, enum sym_form form)
{
	char *to = text;

	for (const char *from = text; *from;) {
		bool is_template = from[0] == '!' && from[1] == '(';
		const char *end = from + 1;

		if (is_template || *from == '(')
			end = after_parentheses(from + is_template);
		bool is_kept = is_template ? form != SYM_FORM_SHORT : *from != '(';
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

static bool demangle_d(const char *name, enum sym_form form, struct output *out)
{
	char *text = dlang_demangle(name, DMGL_NO_OPTS);

	if (!text)
		return false;
	if (form != SYM_FORM_FULL)
		remove_d_lists(text, form);
	out->len = strlen(text);
	bool fits = out->len <= sizeof(out->text);
	if (fits)
		memcpy(out->text, text, out->len);
	free(text);
	return fits;
}

static const struct {
	const char *prefix;
	bool (*demangle)(const char *name, enum sym_form form, struct output *out);
} LANGUAGES[] = {
	{ "_Z", demangle_rust_or_cxx },
	{ "_R", demangle_rust },
	{ "_D", demangle_d },
};

static bool run(bool (*demangle)(const char *name, enum sym_form form, struct output *out),
	const char *name, enum sym_form form, struct output *out)
{
	out->len = 0;
	if (setjmp(out->too_long))
		return false;
	return demangle(name, form, out) && out->len > 0;
}

/* Demangle @p mangled into @p out, in the language that its prefix stands for. */
static bool demangle_any(const char *mangled, enum sym_form form, struct output *out)
{
	for (size_t i = 0; i < PD_ARRAY_LEN(LANGUAGES); i++) {
		if (strncmp(mangled, LANGUAGES[i].prefix, strlen(LANGUAGES[i].prefix)) == 0)
			return run(LANGUAGES[i].demangle, mangled, form, out);
	}
	return false;
}

const char *sym_demangle(struct pd_arena *arena, const char *name, enum sym_form form)
{
	size_t len = strcspn(name, "@");
	const char *suffix = strcmp(name + len, "@plt") == 0 ? name + len : "";
	struct output out;

	/* All mangled names begin with an underscore. Other names only lose their version. */
	if (form == SYM_FORM_NONE || len > MAX_MANGLED || len == 0 ||
		(name[0] != '_' && !name[len]))
		return name;
	char *plain = pd_arena_strndup(arena, name, len);
	if (!plain)
		return NULL;
	if (!demangle_any(plain, form, &out))
		return *suffix || !name[len] ? name : plain;
	char *text = pd_arena_alloc(arena, out.len + strlen(suffix) + 1);
	if (!text)
		return NULL;
	memcpy(text, out.text, out.len);
	text[out.len] = '\0';
	if (form == SYM_FORM_SHORT)
		sym_shorten(text);
	strcat(text, suffix);
	return text;
}

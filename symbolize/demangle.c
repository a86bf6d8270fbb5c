#include "symbolize/demangle.h"

#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum {
	/* The demangler's stack grows with the name's length. */
	MAX_MANGLED = 4096,
	/* A few dozen letters can stand for a name of gigabytes (each substitution may double it). */
	MAX_DEMANGLED = 16 * 1024,
};

struct output {
	char text[MAX_DEMANGLED];
	size_t len;
	jmp_buf too_long;
};

/* The demanglers have no way to be stopped, and hold nothing that a jump out of them would lose. */
static void collect(const char *part, size_t len, void *opaque)
{
	struct output *out = opaque;

	if (len > sizeof(out->text) - out->len)
		longjmp(out->too_long, 1);
	memcpy(out->text + out->len, part, len);
	out->len += len;
}

static bool demangle_cxx(const char *name, struct output *out)
{
	/* Names over 1,024 letters need the limit lifted; MAX_MANGLED bounds the recursion. */
	return cplus_demangle_v3_callback(name, DMGL_NO_RECURSE_LIMIT, collect, out);
}

static bool demangle_rust(const char *name, struct output *out)
{
	return rust_demangle_callback(name, DMGL_NO_OPTS, collect, out);
}

static bool demangle_rust_or_cxx(const char *name, struct output *out)
{
	if (demangle_rust(name, out))
		return true;
	out->len = 0;
	return demangle_cxx(name, out);
}

/* D's parameters cannot be left out; what is before the first '(' is the name. */
static bool demangle_d(const char *name, struct output *out)
{
	char *text = dlang_demangle(name, DMGL_NO_OPTS);

	if (!text)
		return false;
	size_t len = strcspn(text, "(");
	bool fits = len <= sizeof(out->text);
	if (fits)
		memcpy(out->text, text, len);
	out->len = len;
	free(text);
	return fits;
}

static const struct {
	const char *prefix;
	bool (*demangle)(const char *name, struct output *out);
} LANGUAGES[] = {
	{ "_Z", demangle_rust_or_cxx },
	{ "_R", demangle_rust },
	{ "_D", demangle_d },
};

static bool run(bool (*demangle)(const char *name, struct output *out), const char *name,
	struct output *out)
{
	out->len = 0;
	if (setjmp(out->too_long))
		return false;
	return demangle(name, out) && out->len > 0;
}

/* @p mangled as a person reads it, in @p out. */
static bool demangle_any(const char *mangled, struct output *out)
{
	for (size_t i = 0; i < sizeof(LANGUAGES) / sizeof(LANGUAGES[0]); i++) {
		if (strncmp(mangled, LANGUAGES[i].prefix, strlen(LANGUAGES[i].prefix)) == 0)
			return run(LANGUAGES[i].demangle, mangled, out);
	}
	return false;
}

const char *sym_demangle(struct pd_arena *arena, const char *name)
{
	size_t len = strcspn(name, "@");
	const char *suffix = strcmp(name + len, "@plt") == 0 ? name + len : "";
	struct output out;

	if (len > MAX_MANGLED || len == 0 || (name[0] != '_' && !name[len]))
		return name;
	char *plain = pd_arena_strndup(arena, name, len);
	if (!plain)
		return NULL;
	if (!demangle_any(plain, &out))
		return *suffix || !name[len] ? name : plain;
	char *text = pd_arena_alloc(arena, out.len + strlen(suffix) + 1);
	if (!text)
		return NULL;
	memcpy(text, out.text, out.len);
	strcpy(text + out.len, suffix);
	return text;
}

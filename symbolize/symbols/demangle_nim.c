/*
 * Nim: "feed__stdZprivateZzoo_12" is "zoo.feed" (mangle() in compiler/ccgutils.nim,
 * uniqueModuleName() in compiler/modulepaths.nim). Functions of the same name differ in the
 * number at the end; Nim 2 writes "u12". Characters of operators become words, which '_' follows.
 */
#include <ctype.h>
#include <string.h>

#include "base/array.h"
#include "symbolize/symbols/demanglers.h"

/* Words for characters of operators. */
static const struct {
	const char *word;
	char plain;
} WORDS[] = {
	{ "amp", '&' },
	{ "at", '@' },
	{ "backslash", '\\' },
	{ "bar", '|' },
	{ "colon", ':' },
	{ "dollar", '$' },
	{ "dot", '.' },
	{ "emark", '!' },
	{ "eq", '=' },
	{ "gt", '>' },
	{ "lt", '<' },
	{ "minus", '-' },
	{ "percent", '%' },
	{ "plus", '+' },
	{ "qmark", '?' },
	{ "roof", '^' },
	{ "slash", '/' },
	{ "star", '*' },
	{ "tilde", '~' },
};

/* Names that mix words and letters: hooks of the compiler, and procedures without a name. */
static const struct {
	const char *mangled;
	const char *plain;
} MIXED[] = {
	{ "colonanonymous", ":anonymous" },
	{ "eqcopy", "=copy" },
	{ "eqdeepcopy", "=deepcopy" },
	{ "eqdestroy", "=destroy" },
	{ "eqdup", "=dup" },
	{ "eqsink", "=sink" },
	{ "eqtrace", "=trace" },
	{ "eqwasMoved", "=wasMoved" },
};

/* Parts of a symbol. */
struct parts {
	const char *name;
	size_t name_len;
	const char *module;
	size_t module_len;
	/** Number at the end. */
	const char *number;
	size_t number_len;
};

/* Length of the code of one character at @p p, such as "plus" or "X5B". 0 if it is none. */
static size_t read_word(const char *p, size_t len, char *ret)
{
	for (size_t i = 0; i < PD_ARRAY_LEN(WORDS); i++) {
		size_t n = strlen(WORDS[i].word);

		*ret = WORDS[i].plain;
		if (n <= len && memcmp(p, WORDS[i].word, n) == 0)
			return n;
	}
	if (len < 3 || *p != 'X')
		return 0;
	int high = sym_hex_digit(p[1]), low = sym_hex_digit(p[2]);
	*ret = (char)(high * 16 + low);
	return high >= 2 && high < 8 && low >= 0 && *ret != 0x7f ? 3 : 0;
}

/* Write a name that has nothing but characters of operators. */
static bool write_operator(const char *p, size_t len, struct sym_output *out)
{
	size_t start = out->len;
	char plain;

	while (len) {
		size_t n = read_word(p, len, &plain);

		if (!n) {
			out->len = start;
			return false;
		}
		sym_output_char(out, plain);
		p += n;
		len -= n;
	}
	return true;
}

/*
 * Write a name with a '_' at its end, which marks words in it. Where words and letters are mixed,
 * "data" may be "d@a". Then only "NAME=" is certain, which assigns to a property.
 */
static bool write_marked(const char *p, size_t len, struct sym_output *out)
{
	static const char eq[] = "eq";

	for (size_t i = 0; i < PD_ARRAY_LEN(MIXED); i++) {
		if (len == strlen(MIXED[i].mangled) && memcmp(p, MIXED[i].mangled, len) == 0) {
			sym_output_text(out, MIXED[i].plain);
			return true;
		}
	}
	if (write_operator(p, len, out))
		return true;
	if (len <= strlen(eq) || memcmp(p + len - strlen(eq), eq, strlen(eq)))
		return false;
	sym_output_add(out, p, len - strlen(eq));
	sym_output_char(out, '=');
	return true;
}

/*
 * Write the last part of a module's path. Letters in lower case stand for themselves, 'Z' for '/'
 * and 'O' for '.'; other characters are decimal numbers: two digits up to 99, else three.
 */
static bool write_module(const char *p, size_t len, struct sym_output *out)
{
	const char *slash = memrchr(p, 'Z', len);
	const char *end = p + len;

	for (p = slash ? slash + 1 : p; p < end;) {
		if (!isdigit((unsigned char)*p)) {
			sym_output_char(out, *p == 'O' ? '.' : *p);
			p++;
			continue;
		}
		int n_digits = *p <= '2' ? 3 : 2, code = 0;
		for (; n_digits && p < end && isdigit((unsigned char)*p); n_digits--)
			code = code * 10 + (*p++ - '0');
		if (n_digits || code <= ' ' || code == 0x7f || code > 0xff)
			return false;
		sym_output_char(out, (char)code);
	}
	return true;
}

/* Find the last "__" in @p name, of @p len letters. */
static const char *last_separator(const char *name, size_t len)
{
	for (const char *p = name + len; p - name > 2; p--) {
		if (p[-1] == '_' && p[-2] == '_')
			return p - 2;
	}
	return NULL;
}

/* Split "name__module_number". A '.' begins the suffix of a clone. */
static bool split(const char *name, struct parts *ret)
{
	size_t len = strcspn(name, ".");
	const char *separator = last_separator(name, len), *end = name + len;

	if (!separator || !isalpha((unsigned char)*name))
		return false;
	*ret = (struct parts){
		.name = name,
		.name_len = (size_t)(separator - name),
		.module = separator + 2,
	};
	ret->module_len = strspn(ret->module, "abcdefghijklmnopqrstuvwxyz0123456789OZ");
	ret->number = ret->module + ret->module_len + 1;
	if (!ret->module_len || ret->number >= end || ret->number[-1] != '_')
		return false;
	ret->number_len = (size_t)(end - ret->number);
	const char *digits = ret->number + (*ret->number == 'u');
	return digits < end && digits + strspn(digits, "0123456789") == end;
}

bool sym_demangle_nim(const char *name, enum pd_name_form form, struct sym_output *out)
{
	struct parts parts;

	if (!split(name, &parts) || !write_module(parts.module, parts.module_len, out))
		return false;
	sym_output_char(out, '.');
	size_t len = parts.name_len;
	bool is_marked = parts.name[len - 1] == '_';
	if (len < 1 + (size_t)is_marked)
		return false;
	if (!is_marked || !write_marked(parts.name, len - 1, out))
		sym_output_add(out, parts.name, len - is_marked);
	if (form == PD_NAME_FORM_FULL) {
		sym_output_char(out, '_');
		sym_output_add(out, parts.number, parts.number_len);
	}
	return true;
}

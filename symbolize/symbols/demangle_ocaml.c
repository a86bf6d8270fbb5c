/*
 * OCaml: "camlStdlib__List__map_236" is "Stdlib.List.map" (Compilenv.symbol_for_global() and
 * Compilenv.make_symbol() in asmcomp/). Until OCaml 5.0 "__" separates the parts, since 5.1 '.' is
 * before the last one. Functions of the same name differ in the number at the end.
 */
#include <ctype.h>
#include <string.h>

#include "base/array.h"
#include "symbolize/symbols/demanglers.h"

/* Symbols of each module that have no number. */
static const char *const UNNUMBERED[] = { "entry", "code_begin", "code_end" };

/*
 * Length of the name of a module at @p p with the separator after it, or 0. Modules begin with a
 * capital, except for those of the standard library in OCaml 4.07 to about 4.12:
 * "camlStdlib__array__map_154".
 */
static size_t module_length(const char *p, bool is_in_stdlib, size_t *len_ret)
{
	size_t len = 0;

	if (!isupper((unsigned char)*p) && !(is_in_stdlib && islower((unsigned char)*p)))
		return 0;
	while (isalnum((unsigned char)p[len]) || p[len] == '\'' ||
		(p[len] == '_' && p[len + 1] != '_'))
		len++;
	*len_ret = len;
	if (p[len] == '.')
		return len + 1;
	return strncmp(p + len, "__", 2) == 0 ? len + 2 : 0;
}

/* Length of @p text without "_NUMBER" at its end, or 0 if it has none. */
static size_t without_number(const char *text, size_t len)
{
	size_t end = len;

	while (end && isdigit((unsigned char)text[end - 1]))
		end--;
	return end < len && end > 1 && text[end - 1] == '_' ? end - 1 : 0;
}

/* Length of the name of a value without its number. Returns 0 if it is not one. */
static size_t value_length(const char *value)
{
	static const char code[] = "_code";
	size_t len = strlen(value);

	for (size_t i = 0; i < PD_ARRAY_LEN(UNNUMBERED); i++) {
		if (strcmp(value, UNNUMBERED[i]) == 0)
			return len;
	}
	size_t plain = without_number(value, len);
	if (plain || len <= strlen(code))
		return plain;
	/* The optimizer Flambda 2 appends two numbers and "_code". */
	if (strcmp(value + len - strlen(code), code))
		return 0;
	plain = without_number(value, len - strlen(code));
	size_t shorter = without_number(value, plain);
	return shorter ? shorter : plain;
}

/* Write @p len letters, of which "$2b" stands for '+'. */
static bool write_letters(const char *text, size_t len, struct sym_output *out)
{
	for (size_t i = 0; i < len; i++) {
		if (text[i] != '$') {
			sym_output_char(out, text[i]);
			continue;
		}
		int high = i + 2 < len ? sym_hex_digit(text[i + 1]) : -1;
		int low = high >= 0 ? sym_hex_digit(text[i + 2]) : -1;
		/* Bytes of UTF-8 are written one by one. */
		if (low < 0 || high < 2)
			return false;
		sym_output_char(out, (char)(high * 16 + low));
		i += 2;
	}
	return true;
}

/* Write the name of a value. Operators are in parentheses, as in OCaml's own backtraces. */
static bool write_value(const char *text, size_t len, struct sym_output *out)
{
	bool is_operator = text[0] == '$';

	if (is_operator)
		sym_output_char(out, '(');
	if (!write_letters(text, len, out))
		return false;
	if (is_operator)
		sym_output_char(out, ')');
	return true;
}

bool sym_demangle_ocaml(const char *name, enum pd_name_form form, struct sym_output *out)
{
	static const char prefix[] = "caml";
	static const char anonymous[] = "fun", stdlib[] = "Stdlib__";
	const char *p = name + strlen(prefix);
	bool is_in_stdlib = false;
	size_t len, skip;

	if (strncmp(name, prefix, strlen(prefix)))
		return false;
	while ((skip = module_length(p, is_in_stdlib, &len))) {
		sym_output_add(out, p, len);
		sym_output_char(out, '.');
		p += skip;
		is_in_stdlib = strncmp(p - skip, stdlib, strlen(stdlib)) == 0;
	}
	len = value_length(p);
	if (p == name + strlen(prefix) || !len)
		return false;
	if (!write_value(p, len, out))
		return false;
	/* Functions without a name differ in nothing but the number. */
	if (form == PD_NAME_FORM_FULL ||
		(len == strlen(anonymous) && strncmp(p, anonymous, len) == 0))
		sym_output_text(out, p + len);
	return true;
}

/*
 * Free Pascal: "P$ZOO$_$TCAGE_$__$$_FEED$LONGINT$$BOOLEAN" is "zoo.tcage.feed" (make_mangledname()
 * in compiler/symdef.pas). Units, types and functions are separated as SEPARATORS says. Types of
 * parameters follow a name after '$' each, and that of the result after "$$". Pascal ignores case
 * and its compiler writes capitals; small letters are what most sources have.
 */
#include <ctype.h>
#include <string.h>

#include "base/array.h"
#include "symbolize/symbols/demanglers.h"

/* A longer one is before those that it begins with. */
static const char *const SEPARATORS[] = { "_$__$$_", "_$_$__$$_", "_$$_", "_$_", "$_$" };

static const struct {
	const char *name;
	const char *plain;
} OPERATORS[] = {
	{ "plus", "+" },
	{ "minus", "-" },
	{ "star", "*" },
	{ "slash", "/" },
	{ "starstar", "**" },
	{ "equal", "=" },
	{ "unequal", "<>" },
	{ "greater", ">" },
	{ "lower", "<" },
	{ "greater_or_equal", ">=" },
	{ "lower_or_equal", "<=" },
	{ "sym_diff", "><" },
	{ "assign", ":=" },
	{ "assignment", ":=" },
	{ "explicit", "explicit" },
	{ "enumerator", "enumerator" },
	{ "in", "in" },
	{ "or", "or" },
	{ "and", "and" },
	{ "xor", "xor" },
	{ "not", "not" },
	{ "div", "div" },
	{ "intdiv", "div" },
	{ "mod", "mod" },
	{ "shl", "shl" },
	{ "shr", "shr" },
	{ "inc", "inc" },
	{ "dec", "dec" },
};

/* Length of the separator at @p p, or 0. */
static size_t separator_length(const char *p)
{
	for (size_t i = 0; i < PD_ARRAY_LEN(SEPARATORS); i++) {
		size_t len = strlen(SEPARATORS[i]);

		if (strncmp(p, SEPARATORS[i], len) == 0)
			return len;
	}
	return 0;
}

/* Length of the text up to the next separator or the end. */
static size_t segment_length(const char *p)
{
	const char *start = p;

	while (*p && !separator_length(p))
		p++;
	return (size_t)(p - start);
}

static void write_lower(const char *text, size_t len, struct sym_output *out)
{
	for (size_t i = 0; i < len; i++)
		sym_output_char(out, (char)tolower((unsigned char)text[i]));
}

/* Whether the compiler shortened a symbol in the middle of this text, and appended a checksum. */
static bool is_cut(const char *text, size_t len)
{
	static const char mark[] = "$CRC";
	const char *end = memmem(text, len, mark, strlen(mark));

	return end && !text[len] && end == memchr(text, '$', len);
}

/* Write the name of a unit, type or function. Returns its length, or 0. */
static size_t write_name(const char *text, size_t len, struct sym_output *out)
{
	bool is_operator = *text == '$';
	const char *end = memchr(text + is_operator, '$', len - is_operator);
	size_t n = end ? (size_t)(end - text) : len;

	if (n == is_operator || is_cut(text, len))
		return 0;
	if (!is_operator) {
		write_lower(text, n, out);
		return n;
	}
	for (size_t i = 0; i < PD_ARRAY_LEN(OPERATORS); i++) {
		if (strlen(OPERATORS[i].name) != n - 1 ||
			memcmp(OPERATORS[i].name, text + 1, n - 1) != 0)
			continue;
		sym_output_text(out, "operator ");
		sym_output_text(out, OPERATORS[i].plain);
		return n;
	}
	return 0;
}

/* Write the types of parameters and result, "$LONGINT$CHAR$$BOOLEAN". */
static void write_types(const char *p, size_t len, struct sym_output *out)
{
	static const char checksum[] = "$crc";
	const char *end = p + len;
	bool has_result = false;

	sym_output_char(out, '(');
	if (len > strlen(checksum) && memcmp(p, checksum, strlen(checksum)) == 0) {
		sym_output_text(out, "...");
		p = end;
	}
	for (bool is_first = true; p < end && !has_result; is_first = false) {
		has_result = end - p > 1 && p[1] == '$';
		p += 1 + has_result;
		const char *next = memchr(p, '$', (size_t)(end - p));
		size_t n = (size_t)((next && !has_result ? next : end) - p);

		sym_output_text(out, has_result ? "): " : is_first ? "" : ", ");
		write_lower(p, n, out);
		p += n;
	}
	if (!has_result)
		sym_output_char(out, ')');
}

/* Write what a unit does at the begin and at the end of the program: "INIT$_$ZOO" is "zoo.init". */
static bool write_phase(const char *name, struct sym_output *out)
{
	static const char *const phases[] = { "INIT", "FINALIZE" };

	for (size_t i = 0; i < PD_ARRAY_LEN(phases); i++) {
		size_t len = strlen(phases[i]);

		if (strncmp(name, phases[i], len) || strncmp(name + len, "$_$", 3))
			continue;
		name += len + 3;
		write_lower(name, strlen(name), out);
		sym_output_char(out, '.');
		write_lower(phases[i], len, out);
		return *name;
	}
	return false;
}

bool sym_demangle_pascal(const char *name, enum pd_name_form form, struct sym_output *out)
{
	static const char program[] = "P$", wrapper[] = "WRPR_$";

	/* Wrappers of interfaces are other functions than those that they call. */
	if (strncmp(name, wrapper, strlen(wrapper)) == 0)
		return false;
	if (write_phase(name, out))
		return true;
	const char *p = name;
	if (strncmp(p, program, strlen(program)) == 0)
		p += strlen(program);
	for (bool is_unit = true;; is_unit = false) {
		size_t len = segment_length(p), separator = separator_length(p + len);
		size_t n = len ? write_name(p, len, out) : 0;

		if (!n || (is_unit && (!separator || n < len)))
			return false;
		if (!separator) {
			/* "_$$_init$" and "_$$_finalize$" end with '$'. */
			if (form == PD_NAME_FORM_FULL && n + 1 < len)
				write_types(p + n, len - n, out);
			return true;
		}
		sym_output_char(out, '.');
		p += len + separator;
	}
}

/*
 * Haskell as GHC writes it: "base_GHCziBase_map_info" is "base:GHC.Base.map". Package, module and
 * name are z-encoded, so that '_' only separates them (compiler/GHC/Utils/Encoding.hs and
 * compiler/GHC/Cmm/CLabel.hs). Modules of the program itself have no package.
 */
#include <ctype.h>
#include <string.h>

#include "base/array.h"
#include "symbolize/symbols/demanglers.h"

enum {
	/* Largest tuple that GHC has. */
	MAX_TUPLE = 64,
	/* Digits of the largest character. */
	MAX_DIGITS = 7,
	MAX_PARTS = 6,
};

/*
 * Suffixes of symbols of code. The last ones are rare, because code follows its info table on
 * nearly all machines, and common in C ("X509_NAME_get_entry").
 */
static const char *const SUFFIXES[] = {
	"info",
	"con_info",
	"static_info",
	"slow",
	"ret_info",
	"entry",
	"con_entry",
	"ret",
	"fast",
};

enum { N_CERTAIN = 4 };

/* Packages without a version. All others have one: "containerszm0zi6" is "containers-0.6". */
static const char *const PACKAGES[] = { "base", "ghc", "main" };

static const struct {
	char code;
	char plain;
} LOWER[] = {
	{ 'a', '&' },
	{ 'b', '|' },
	{ 'c', '^' },
	{ 'd', '$' },
	{ 'e', '=' },
	{ 'g', '>' },
	{ 'h', '#' },
	{ 'i', '.' },
	{ 'l', '<' },
	{ 'm', '-' },
	{ 'n', '!' },
	{ 'p', '+' },
	{ 'q', '\'' },
	{ 'r', '\\' },
	{ 's', '/' },
	{ 't', '*' },
	{ 'u', '_' },
	{ 'v', '%' },
	{ 'z', 'z' },
}, UPPER[] = {
	{ 'C', ':' },
	{ 'L', '(' },
	{ 'M', '[' },
	{ 'N', ']' },
	{ 'R', ')' },
	{ 'Z', 'Z' },
};

/* Part of a symbol between underscores. */
struct part {
	const char *text;
	size_t len;
};

/* Write a character in hexadecimal, such as "z3b1U" (α). Returns the length of the code, or 0. */
static size_t write_number(const char *p, size_t len, struct sym_output *out)
{
	unsigned long code = 0;
	size_t i = 1;

	for (; i < len && i <= MAX_DIGITS && sym_hex_digit(p[i]) >= 0; i++)
		code = code * 16 + (unsigned long)sym_hex_digit(p[i]);
	return i < len && p[i] == 'U' && sym_output_code(out, code) ? i + 1 : 0;
}

/* Write a tuple: "Z3T" is "(,,)", and "Z3H" is "(#,,#)". Returns the length of the code, or 0. */
static size_t write_tuple(const char *p, size_t len, struct sym_output *out)
{
	unsigned n = 0;
	size_t i = 1;

	for (; i < len && i <= 3 && isdigit((unsigned char)p[i]); i++)
		n = n * 10 + (unsigned)(p[i] - '0');
	if (i == len || (p[i] != 'T' && p[i] != 'H') || n > MAX_TUPLE)
		return 0;
	bool is_unboxed = p[i] == 'H';
	sym_output_text(out, is_unboxed ? "(#" : "(");
	while (n-- > 1)
		sym_output_char(out, ',');
	sym_output_text(out, is_unboxed ? "#)" : ")");
	return i + 1;
}

/* Write what the code at @p p stands for. Returns its length, or 0 if the code is unknown. */
static size_t write_code(const char *p, size_t len, struct sym_output *out)
{
	if (len < 2)
		return 0;
	if (isdigit((unsigned char)p[1]))
		return *p == 'z' ? write_number(p, len, out) : write_tuple(p, len, out);
	size_t n = *p == 'z' ? PD_ARRAY_LEN(LOWER) : PD_ARRAY_LEN(UPPER);
	for (size_t i = 0; i < n; i++) {
		char code = *p == 'z' ? LOWER[i].code : UPPER[i].code;

		if (code != p[1])
			continue;
		sym_output_char(out, *p == 'z' ? LOWER[i].plain : UPPER[i].plain);
		return 2;
	}
	return 0;
}

static bool write_part(const struct part *part, struct sym_output *out)
{
	for (size_t i = 0; i < part->len;) {
		char c = part->text[i];

		if (!isalnum((unsigned char)c))
			return false;
		if (c != 'z' && c != 'Z') {
			sym_output_char(out, c);
			i++;
			continue;
		}
		size_t len = write_code(part->text + i, part->len - i, out);
		if (!len)
			return false;
		i += len;
	}
	return part->len > 0;
}

/* Split a symbol at underscores. Returns the number of parts, or 0 if there are too many. */
static size_t split(const char *name, struct part parts[MAX_PARTS])
{
	size_t n = 0;

	for (const char *p = name;; p++) {
		size_t len = strcspn(p, "_");

		if (n == MAX_PARTS)
			return 0;
		parts[n++] = (struct part){ p, len };
		p += len;
		if (!*p)
			return n;
	}
}

static bool is_suffix(const char *text, bool has_package)
{
	size_t n = has_package ? PD_ARRAY_LEN(SUFFIXES) : N_CERTAIN;

	for (size_t i = 0; i < n; i++) {
		if (strcmp(text, SUFFIXES[i]) == 0)
			return true;
	}
	return false;
}

/* Modules begin with a capital. ":Main", which calls "main", is the only other one. */
static bool is_module(const struct part *part)
{
	return isupper((unsigned char)part->text[0]) &&
	       (part->text[0] != 'Z' || strncmp(part->text, "ZCMain_", 7) == 0 ||
		       strncmp(part->text, "ZZ", 2) == 0);
}

static bool is_package(const struct part *part)
{
	for (size_t i = 0; i < PD_ARRAY_LEN(PACKAGES); i++) {
		if (part->len == strlen(PACKAGES[i]) &&
			memcmp(part->text, PACKAGES[i], part->len) == 0)
			return true;
	}
	return memmem(part->text, part->len, "zm", 2);
}

bool sym_demangle_haskell(const char *name, enum pd_name_form form, struct sym_output *out)
{
	struct part parts[MAX_PARTS];
	size_t n = split(name, parts);

	/* Only the package may be missing in "package_Module_name_suffix". */
	for (size_t module = 0; module < 2 && module + 2 < n; module++) {
		const char *suffix = parts[module + 2].text;

		if (!is_module(&parts[module]) || !is_suffix(suffix, module) ||
			(module && !is_package(&parts[0])))
			continue;
		if (module && !write_part(&parts[0], out))
			return false;
		if (module)
			sym_output_char(out, ':');
		if (!write_part(&parts[module], out))
			return false;
		sym_output_char(out, '.');
		if (!write_part(&parts[module + 1], out))
			return false;
		/* The name of another entry to the same function. */
		if (form == PD_NAME_FORM_FULL) {
			sym_output_char(out, '_');
			sym_output_text(out, suffix);
		}
		return true;
	}
	return false;
}

/*
 * Ada as GNAT writes it: "zoo__cage__feed__2" is "zoo.cage.feed" (gcc/ada/exp_dbug.ads). Names are
 * in lower case, so that capitals can mark what the compiler adds. Names with marks that are not
 * listed here stay as they are.
 *
 * libiberty's ada_demangle() is not used: names such as "aSO__aSO__a" overrun its memory.
 */
#include <ctype.h>
#include <string.h>

#include "base/array.h"
#include "symbolize/symbols/demanglers.h"

/* Operators, and operations of types, as they follow "__" or the name of the type. */
struct row {
	const char *mangled;
	const char *plain;
};

static const struct row OPERATORS[] = {
	{ "Oabs", "\"abs\"" },
	{ "Oadd", "\"+\"" },
	{ "Oand", "\"and\"" },
	{ "Oconcat", "\"&\"" },
	{ "Odivide", "\"/\"" },
	{ "Oeq", "\"=\"" },
	{ "Oexpon", "\"**\"" },
	{ "Oge", "\">=\"" },
	{ "Ogt", "\">\"" },
	{ "Ole", "\"<=\"" },
	{ "Olt", "\"<\"" },
	{ "Omod", "\"mod\"" },
	{ "Omultiply", "\"*\"" },
	{ "One", "\"/=\"" },
	{ "Onot", "\"not\"" },
	{ "Oor", "\"or\"" },
	{ "Orem", "\"rem\"" },
	{ "Osubtract", "\"-\"" },
	{ "Oxor", "\"xor\"" },
};

static const struct row OPERATIONS[] = {
	{ "___assign", ".\":=\"" },
	{ "___elabb", "'Elab_Body" },
	{ "___elabs", "'Elab_Spec" },
	{ "___size", "'Size" },
	{ "___alignment", "'Alignment" },
	{ "DA", ".Adjust" },
	{ "DF", ".Finalize" },
	{ "SI", "'Input" },
	{ "SO", "'Output" },
	{ "SR", "'Read" },
	{ "SW", "'Write" },
	/* Bodies of tasks, and protected operations with their lock and without it. */
	{ "TKB", "" },
	{ "TB", "" },
	{ "N", "" },
	{ "P", "" },
};

static bool is_letter(char c)
{
	return islower((unsigned char)c) || isdigit((unsigned char)c);
}

/* Length of a run of digits at @p p. */
static size_t digits(const char *p)
{
	return strspn(p, "0123456789");
}

/*
 * Length of what follows a name at @p p and does not belong to it: numbers of entries ("_E21b",
 * "_B22s") and overloaded functions ("__2"), and "X", which marks what is within a body. At the end
 * there may be the number of a nested function (".15") and the suffix of a clone.
 */
static size_t skip_marks(const char *p)
{
	const char *start = p;

	if (p[0] == '_' && (p[1] == 'E' || p[1] == 'B') && digits(p + 2)) {
		p += 2 + digits(p + 2);
		p += *p == 'b' || *p == 's';
	}
	if (p[0] == '_' && p[1] == '_' && digits(p + 2)) {
		p += 2 + digits(p + 2);
		/* Functions of one name in nested scopes have a number each. */
		while (*p == '_' && digits(p + 1))
			p += 1 + digits(p + 1);
	}
	if (*p == 'X')
		p += 1 + strspn(p + 1, "bn");
	return *p == '.' ? strlen(start) : (size_t)(p - start);
}

/* Write an identifier at @p p. Returns its length; 0 if there is none. */
static size_t write_identifier(const char *p, struct sym_output *out)
{
	size_t len = 0;

	if (!islower((unsigned char)*p))
		return 0;
	while (is_letter(p[len]) || (p[len] == '_' && is_letter(p[len + 1])))
		len++;
	sym_output_add(out, p, len);
	return len;
}

/* Write an identifier or an operator at @p p. Returns its length; 0 if there is none. */
static size_t write_component(const char *p, struct sym_output *out)
{
	for (size_t i = 0; i < PD_ARRAY_LEN(OPERATORS); i++) {
		size_t len = strlen(OPERATORS[i].mangled);

		/* "Oor" is not the begin of another operator. */
		if (strncmp(p, OPERATORS[i].mangled, len) == 0 && !is_letter(p[len])) {
			sym_output_text(out, OPERATORS[i].plain);
			return len;
		}
	}
	return write_identifier(p, out);
}

/* Length of the name of a block at @p p, such as "B_1__", which the source does not have. */
static size_t skip_block(const char *p)
{
	size_t n = (p[0] == 'B' || p[0] == 'L') && p[1] == '_' ? digits(p + 2) : 0;

	return n && strncmp(p + 2 + n, "__", 2) == 0 ? n + 4 : 0;
}

/*
 * Write the operation that ends a name. Returns whether the name ends here. A name of one part,
 * which is not @p is_qualified, needs an operation to be one of Ada.
 */
static bool write_end(const char *p, bool is_qualified, struct sym_output *out)
{
	if (!p[skip_marks(p)])
		return is_qualified;
	for (size_t i = 0; i < PD_ARRAY_LEN(OPERATIONS); i++) {
		size_t len = strlen(OPERATIONS[i].mangled);

		if (strncmp(p, OPERATIONS[i].mangled, len) == 0 && !p[len + skip_marks(p + len)]) {
			sym_output_text(out, OPERATIONS[i].plain);
			return true;
		}
	}
	return false;
}

bool sym_demangle_ada(const char *name, enum pd_name_form form, struct sym_output *out)
{
	static const char main_prefix[] = "_ada_";
	bool is_main = strncmp(name, main_prefix, strlen(main_prefix)) == 0;
	const char *p = is_main ? name + strlen(main_prefix) : name;

	(void)form;
	/* Other names without a separator are those of C functions, too. */
	if (!is_main && !strstr(p, "__"))
		return false;
	for (bool is_qualified = is_main;; is_qualified = true) {
		size_t len = write_component(p, out);

		p += len;
		if (!len)
			return false;
		if (write_end(p, is_qualified, out))
			return true;
		p += skip_marks(p);
		if (strncmp(p, "__", 2))
			return false;
		p += 2;
		while ((len = skip_block(p)))
			p += len;
		sym_output_char(out, '.');
	}
}

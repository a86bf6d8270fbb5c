/*
 * Procedures of Fortran modules as gfortran writes them: "__zoo_MOD_feed" is "zoo::feed"
 * (gfc_sym_mangled_function_id() in gcc/fortran/trans-decl.c). Both names are in lower case,
 * because Fortran ignores case.
 */
#include <string.h>

#include "symbolize/symbols/demangle_private.h"

static const char LETTERS[] = "abcdefghijklmnopqrstuvwxyz0123456789_$";

bool sym_demangle_fortran(const char *name, enum sym_form form, struct sym_output *out)
{
	static const char separator[] = "_MOD_";
	const char *module = name + 2;
	size_t module_len = strspn(module, LETTERS);

	(void)form;
	/* The '_' before "MOD_" is a letter of names, too. */
	if (strncmp(name, "__", 2) || module_len < 2)
		return false;
	module_len--;
	if (strncmp(module + module_len, separator, strlen(separator)))
		return false;
	const char *procedure = module + module_len + strlen(separator);
	size_t len = strspn(procedure, LETTERS);
	/* A '.' begins the suffix of a clone. */
	if (!len || (procedure[len] && procedure[len] != '.'))
		return false;
	sym_output_add(out, module, module_len);
	sym_output_text(out, "::");
	sym_output_add(out, procedure, len);
	return true;
}

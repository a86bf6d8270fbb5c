/*
 * Procedures of Fortran modules. gfortran writes "__zoo_MOD_feed" for "zoo::feed"
 * (gfc_sym_mangled_function_id() in gcc/fortran/trans-decl.c), LLVM Flang "_QMzooPfeed"
 * (flang/docs/BijectiveInternalNameUniquing.md). Names are in lower case, because Fortran ignores
 * case.
 */
#include <string.h>

#include "symbolize/symbols/demangle_private.h"

#define LETTERS "abcdefghijklmnopqrstuvwxyz0123456789_$"

bool sym_demangle_gfortran(const char *name, enum sym_form form, struct sym_output *out)
{
	static const char separator[] = "_MOD_";
	const char *module = name + 2;
	/* A submodule follows '.': "__zoo.cages_MOD_feed". */
	size_t module_len = strspn(module, LETTERS ".");

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
	size_t len = strspn(procedure, is_made ? LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZ" : LETTERS);
	/* A '.' begins the suffix of a clone. */
	if (!len || (procedure[len] && procedure[len] != '.'))
		return false;
	sym_output_add(out, module, module_len);
	sym_output_text(out, "::");
	sym_output_add(out, procedure, len);
	return true;
}

bool sym_demangle_flang(const char *name, enum sym_form form, struct sym_output *out)
{
	const char *p = name + 2;

	(void)form;
	if (strncmp(name, "_Q", 2))
		return false;
	/* Modules, submodules, and the procedures around the one that the last part names. */
	while (*p && strchr("MSFP", *p)) {
		bool is_last = *p++ == 'P';
		size_t len = strspn(p, LETTERS);

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

/**
 * @file Demanglers of one language each. Private to symbolize/symbols/.
 *
 * Each returns whether @p name, which is not empty and has no symbol version, is a mangled name of
 * the language, and writes the demangled one into @p out. Suffixes of clones are left out.
 */
#ifndef PD_SYMBOLIZE_SYMBOLS_DEMANGLERS_H
#define PD_SYMBOLIZE_SYMBOLS_DEMANGLERS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/limit.h"
#include "base/system/attempt.h"
#include "symbolize/symbols/demangle.h"

/**
 * Longest demangled name. Each substitution may double a name of C++, so a few dozen letters can
 * stand for gigabytes.
 */
enum { SYM_MAX_DEMANGLED = PD_LIMIT_DEMANGLED_BYTES };

struct sym_output {
	char text[SYM_MAX_DEMANGLED];
	size_t len;
	/** Given up when the text becomes too long. Demanglers hold no memory that would leak. */
	struct base_attempt attempt;
	/** The text became too long, in this attempt or an earlier one. */
	bool is_too_long;
	/** Room for a name that is rewritten. */
	char *scratch;
};

/** Append @p len bytes. */
void sym_output_add(struct sym_output *out, const char *text, size_t len);
void sym_output_text(struct sym_output *out, const char *text);
void sym_output_char(struct sym_output *out, char c);
/** Append the character @p code in UTF-8. Returns false if @p code is invalid. */
bool sym_output_code(struct sym_output *out, unsigned long code);

/** Value of a hexadecimal digit, or -1. */
int sym_hex_digit(char c);

bool sym_demangle_ada(const char *name, enum pd_name_form form, struct sym_output *out);
bool sym_demangle_haskell(const char *name, enum pd_name_form form, struct sym_output *out);
bool sym_demangle_nim(const char *name, enum pd_name_form form, struct sym_output *out);
bool sym_demangle_ocaml(const char *name, enum pd_name_form form, struct sym_output *out);
bool sym_demangle_pascal(const char *name, enum pd_name_form form, struct sym_output *out);

#endif

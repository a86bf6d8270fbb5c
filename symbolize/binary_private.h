/**
 * @file What a sym_binary holds. Private to symbolize/.
 */
#ifndef PD_SYMBOLIZE_BINARY_PRIVATE_H
#define PD_SYMBOLIZE_BINARY_PRIVATE_H

#include "symbolize/binary.h"
#include "symbolize/file/image.h"
#include "symbolize/table/ranges.h"
#include "symbolize/symbols/symtab.h"

struct sym_binary {
	const struct sym_search *search;
	/** On the recording machine, without " (deleted)". */
	char *name;
	enum sym_status status;
	char *why;
	struct sym_attempts attempts;
	/** main is of another build than the recorded one. */
	bool is_mismatched;
	/** Servers were asked for a debug file. */
	bool has_fetched;
	/** NULL if it was not found. */
	struct sym_image *main;
	/** The separate debug file, or NULL. */
	struct sym_image *separate;
	/** Of the two, the one that has DWARF, or NULL. */
	struct sym_image *dwarf;
	/** Symbols; filled by sym_binary_read_symbols(). */
	struct sym_symtab symtab;
	bool has_symtab;
	/** What names are answered from; grows as addresses are asked for. */
	struct sym_ranges ranges;
};

/** Fill the symbols, once. Errors: no memory. */
struct pd_error *sym_binary_read_symbols(struct sym_binary *binary) pd_must_check;

#endif

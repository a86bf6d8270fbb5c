/**
 * @file Files of an open binary, and what was read from them. Private to symbolize/.
 */
#ifndef PD_SYMBOLIZE_BINARY_FILES_H
#define PD_SYMBOLIZE_BINARY_FILES_H

#include "symbolize/binary.h"
#include "symbolize/file/image.h"
#include "symbolize/go/go_table.h"
#include "symbolize/table/ranges.h"
#include "symbolize/symbols/symtab.h"

struct sym_binary {
	const struct sym_search *search;
	/** Name on the recording machine, without " (deleted)". */
	char *name;
	/** Process that had the file mapped; 0: not known. */
	uint32_t pid;
	enum sym_status status;
	char *why;
	struct sym_attempts attempts;
	/** The main file is of another build than the recorded one. */
	bool is_mismatched;
	/** The recorded build id is of another file that had the same path. */
	bool is_id_refuted;
	/** Servers were asked for a debug file. */
	bool has_fetched;
	/** Main file; NULL if it was not found. */
	struct sym_image *main;
	/** Separate debug file, or NULL. */
	struct sym_image *separate;
	/** The one of these two files that has DWARF, or NULL. */
	struct sym_image *dwarf;
	/** Symbols; filled by sym_binary_read_symbols(). */
	struct sym_symtab symtab;
	bool has_symtab;
	/** Symbols of data; filled by sym_binary_name_data(). */
	struct sym_symtab data;
	bool has_data;
	/** Go's table of functions; filled by sym_binary_read_go(). */
	struct sym_go_table go;
	bool has_go;
	/** Table that names are answered from. It grows as addresses are looked up. */
	struct sym_ranges ranges;
};

/** Fill the symbols on the first call. Errors: NOMEM. */
struct pd_error *sym_binary_read_symbols(struct sym_binary *binary) pd_must_check;

/** Find Go's table of functions on the first call. Errors: NOMEM. */
struct pd_error *sym_binary_read_go(struct sym_binary *binary) pd_must_check;

/**
 * Make a binary of @p image, which was not found by its recorded name. Takes ownership of it, also
 * on failure. @p path is used in messages. Errors: NOMEM.
 */
struct pd_error *sym_binary_adopt(const struct sym_search *search, const char *path,
	struct sym_image *image, struct sym_binary **ret) pd_must_check;

#endif

/**
 * @file The files that a search tried, each with the reason why it was used or not.
 */
#ifndef PD_SYMBOLIZE_FIND_ATTEMPTS_H
#define PD_SYMBOLIZE_FIND_ATTEMPTS_H

#include <stdbool.h>

#include <pdconv/error.h>
#include <pdconv/vec.h>

#include "symbolize/find/search_path_defs.h"
#include "symbolize/file/status.h"

/** Where a file was looked for: symbolize/find/search_path_defs.h. */
enum sym_search_path {
#define SYM_SEARCH_PATH(name, binary, debug, title, text) SYM_SEARCH_##name,
	SYM_SEARCH_PATHS(SYM_SEARCH_PATH)
#undef SYM_SEARCH_PATH
		SYM_N_SEARCH_PATHS,
};

/** As users know it, and what is tried there. */
const char *sym_search_path_name(enum sym_search_path search_path);
const char *sym_search_path_text(enum sym_search_path search_path);

/** A file that was tried. */
struct sym_attempt {
	enum sym_search_path search_path;
	/** It was to be the binary's debug file. */
	bool is_debug;
	/** SYM_FOUND: it was taken. */
	enum sym_status status;
	char *path;
	/** Why it was not taken, or "" or what is to be said of it. */
	char *why;
};

/** Attempts, in their order. A zeroed one is empty. */
struct sym_attempts {
	PD_VEC(struct sym_attempt) list;
};

void sym_attempts_deinit(struct sym_attempts *attempts);

/** Add an attempt at a file, not a debug file; texts are copied. False if there is no memory. */
bool sym_attempts_add(struct sym_attempts *attempts, enum sym_search_path search_path,
	enum sym_status status, const char *path, const char *why) pd_must_check;

#endif

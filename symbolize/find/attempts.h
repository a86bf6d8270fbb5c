/**
 * @file Files that a search tried, each with the reason why it was used or not.
 */
#ifndef PD_SYMBOLIZE_FIND_ATTEMPTS_H
#define PD_SYMBOLIZE_FIND_ATTEMPTS_H

#include <stdbool.h>

#include <pdconv/error.h>
#include <pdconv/vec.h>

#include "symbolize/find/search_path_defs.h"
#include "symbolize/file/status.h"

/** Where a candidate was found; see symbolize/find/search_path_defs.h. */
enum sym_search_path {
#define SYM_SEARCH_PATH(name, binary, debug, title, text) SYM_SEARCH_##name,
	SYM_SEARCH_PATHS(SYM_SEARCH_PATH)
#undef SYM_SEARCH_PATH
		SYM_N_SEARCH_PATHS,
};

/**
 * Name of a search path as users see it, and a description of what is tried there. Static storage.
 */
const char *sym_search_path_name(enum sym_search_path search_path);
const char *sym_search_path_text(enum sym_search_path search_path);

/** Candidate that was tried. */
struct sym_attempt {
	enum sym_search_path search_path;
	/** The file was tried as the binary's debug file. */
	bool is_debug;
	/** SYM_FOUND if the file was used. */
	enum sym_status status;
	char *path;
	/** Reason why the file was not used; for one that was, how it was identified. */
	char *why;
};

/** Attempts in the order in which they were made. Zero-initialized it is empty. */
struct sym_attempts {
	PD_VEC(struct sym_attempt) list;
};

void sym_attempts_deinit(struct sym_attempts *attempts);

/**
 * Append an attempt that is not at a debug file. The texts are copied. Returns false if there is no
 * memory.
 */
bool sym_attempts_add(struct sym_attempts *attempts, enum sym_search_path search_path,
	enum sym_status status, const char *path, const char *why) pd_must_check;

#endif

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
enum sym_place {
#define SYM_PLACE(name, binary, debug, title, text) SYM_PLACE_##name,
	SYM_PLACES(SYM_PLACE)
#undef SYM_PLACE
		SYM_N_PLACES,
};

/** As users know it, and what is tried there. */
const char *sym_place_name(enum sym_place place);
const char *sym_place_text(enum sym_place place);

/** A file that was tried. */
struct sym_attempt {
	enum sym_place place;
	/** It was to be the binary's debug file. */
	bool is_debug;
	/** SYM_FOUND: it was taken. */
	enum sym_status status;
	char *path;
	/** Why it was not taken, or "" or what is to be said of it. */
	char *why;
};

/** Attempts, in their order. A zeroed one is empty. */
struct sym_trail {
	PD_VEC(struct sym_attempt) list;
};

void sym_trail_deinit(struct sym_trail *trail);

/** Add an attempt at a file, not a debug file; texts are copied. False if there is no memory. */
bool sym_trail_add(struct sym_trail *trail, enum sym_place place, enum sym_status status,
	const char *path, const char *why) pd_must_check;

#endif

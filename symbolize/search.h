/**
 * @file Where binaries and their debug files may be. Private to symbolize/.
 *
 * A search tries candidates, best first, and remembers of those it could not use the one that tells
 * most.
 */
#ifndef PD_SYMBOLIZE_SEARCH_H
#define PD_SYMBOLIZE_SEARCH_H

#include "symbolize/image.h"
#include "symbolize/path.h"

struct sym_hunt {
	const struct sym_search *search;
	/** On the recording machine, without " (deleted)". */
	const char *name;
	/** The file must have this one; len 0: any. */
	struct pd_build_id id;
	/** The file must have this CRC unless its build id shows that it is right. */
	bool has_crc;
	uint32_t crc;
	/** It must hold DWARF, or else at least symbols. */
	bool wants_dwarf;

	/** What was found, or NULL. */
	struct sym_image *found;
	/** Why nothing was, so far. */
	enum sym_status status;
	char *why;
	/** What stopped the search. */
	struct pd_error *err;
};

void sym_hunt_deinit(struct sym_hunt *hunt);

/** Try @p path. True: stop (there is something, or an error). */
bool sym_hunt_try(struct sym_hunt *hunt, const char *path);

/** Try what hunt->name is known under. */
void sym_hunt_binary(struct sym_hunt *hunt);

/** Try files with the debug information of @p main. */
void sym_hunt_debug(struct sym_hunt *hunt, const struct sym_image *main);

/** Try the supplementary file (dwz) @p name of the debug file @p of. */
void sym_hunt_supplement(struct sym_hunt *hunt, const char *name, const char *of);

#endif

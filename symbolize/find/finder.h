/**
 * @file The search for a binary or a debug file. Private to symbolize/.
 *
 * A finder tries candidates, best first, and records the result for each. If no candidate can be
 * used, it keeps the most informative reason. symbolize/find/search_path_defs.h has the search
 * paths in their order.
 */
#ifndef PD_SYMBOLIZE_FIND_FINDER_H
#define PD_SYMBOLIZE_FIND_FINDER_H

#include "symbolize/find/binary_archive.h"
#include "symbolize/find/file_search.h"
#include "symbolize/find/debuginfod.h"
#include "symbolize/file/image.h"
#include "symbolize/file/path.h"

struct sym_finder {
	const struct sym_search *search;
	/** Recorded facts about the binary; name is without " (deleted)". */
	struct sym_recorded recorded;
	/** Build id that the file must have; len 0 accepts any. */
	struct pd_build_id id;
	/** Build id that was recorded for the path and is of another file; len 0: none. */
	struct pd_build_id refuted;
	/** A file of that id lacks the code that was mapped. */
	bool is_misfit;
	/** The file must have this CRC, unless its build id already matches. */
	bool has_crc;
	uint32_t crc;
	/** The file must have DWARF, or at least a symbol table. */
	bool wants_debug;
	/** The file must have DWARF. */
	bool wants_dwarf;
	/** A candidate for the binary itself was refused because it is a debug file. */
	bool has_met_debug;
	/** Search for debug files everywhere except on servers; or on servers only. */
	bool is_local;
	bool is_remote;
	/** Path that is not a candidate, or NULL. */
	const char *excluded;
	/** List to which attempts are added, or NULL. */
	struct sym_attempts *attempts;

	enum sym_search_path search_path;
	/** The file that was found, or NULL. */
	struct sym_image *found;
	/**
	 * First file of another build, if search->force_mismatch is set. It is used if nothing else
	 * is found.
	 */
	struct sym_image *other_build;
	/** Most informative reason why no file was found so far. */
	enum sym_status status;
	char *why;
	/** Error that ended the search. */
	struct pd_error *err;
};

void sym_finder_deinit(struct sym_finder *finder);

/** Try @p path. Returns true if the search is over: a file was found, or there was an error. */
bool sym_finder_try(struct sym_finder *finder, const char *path);

/** Like sym_process_roots_pids(), for the roots of the search. The answer depends on them. */
const uint32_t *sym_finder_other_roots(const struct sym_finder *finder, size_t *n_ret);

/** Try @p image, of which it takes ownership. @p path is used in messages. */
bool sym_finder_try_image(struct sym_finder *finder, struct sym_image *image, const char *path);

/** Try @p member of @p archive. Returns true if the search is over. */
bool sym_finder_try_member(struct sym_finder *finder, const struct sym_archive *archive,
	const struct sym_member *member);

/** Try the file that debuginfod servers have for finder->id. Returns true if the search is over. */
bool sym_finder_debuginfod(struct sym_finder *finder, enum sym_debuginfod_kind kind);

/** Search for the recorded binary, then for its debug file, which has names if nothing else. */
void sym_finder_binary(struct sym_finder *finder);

/** Search for the debug file of @p main. */
void sym_finder_debug(struct sym_finder *finder, const struct sym_image *main);

/** Search for a debug file by nothing but finder->id. */
void sym_finder_by_id(struct sym_finder *finder);

#endif

/**
 * @file Where binaries and their debug files may be. Private to symbolize/.
 *
 * A finder tries candidates, best first, and remembers all of them, and of those it could not use the
 * one that tells most. symbolize/find/search_path_defs.h has the places in their order.
 */
#ifndef PD_SYMBOLIZE_FIND_FINDER_H
#define PD_SYMBOLIZE_FIND_FINDER_H

#include "symbolize/find/archive.h"
#include "symbolize/find/attempts.h"
#include "symbolize/find/debuginfod.h"
#include "symbolize/file/image.h"
#include "symbolize/file/path.h"
#include "symbolize/find/search.h"

struct sym_finder {
	const struct sym_search *search;
	/** What the recording says of it; name is without " (deleted)". */
	struct sym_recorded recorded;
	/** The file must have this one; len 0: any. */
	struct pd_build_id id;
	/** The file must have this CRC unless its build id shows that it is right. */
	bool has_crc;
	uint32_t crc;
	/** It must hold DWARF, or else at least symbols. */
	bool wants_debug;
	/** It must hold DWARF. */
	bool wants_dwarf;
	/** Debug files are not asked for on servers; or nowhere else. */
	bool is_local;
	bool is_remote;
	/** The file with this path is no candidate; NULL: all are. */
	const char *excluded;
	/** Where attempts are noted; NULL: nowhere. */
	struct sym_attempts *attempts;

	/** Where the finder is, and what came of the last file it tried. */
	enum sym_search_path search_path;
	enum sym_status last;
	/** What was found, or NULL. */
	struct sym_image *found;
	/** The first of another build, if search->force_mismatch: found when nothing else is. */
	struct sym_image *other_build;
	/** Why nothing was, so far. */
	enum sym_status status;
	char *why;
	/** What stopped the search. */
	struct pd_error *err;
};

void sym_finder_deinit(struct sym_finder *finder);

/** Try @p path. True: stop (there is something, or an error). */
bool sym_finder_try(struct sym_finder *finder, const char *path);

/** Try @p image, which belongs to the finder from now on, and is known as @p path. */
bool sym_finder_try_image(struct sym_finder *finder, struct sym_image *image, const char *path);

/** Try @p member of @p archive. */
bool sym_finder_try_member(struct sym_finder *finder, const struct sym_archive *archive,
	const struct sym_member *member);

/** Try what debuginfod servers have under finder->id. */
bool sym_finder_debuginfod(struct sym_finder *finder, enum sym_debuginfod_kind kind);

/** Try what the archives have under finder->id; @p kind: as sym_archive_find has it. */
bool sym_finder_archives(struct sym_finder *finder, const char *kind);

/** Try what the binary is known under. */
void sym_finder_binary(struct sym_finder *finder);

/** Try files with the debug information of @p main. */
void sym_finder_debug(struct sym_finder *finder, const struct sym_image *main);

/** Try the places that know debug files by nothing but finder->id. */
void sym_finder_by_id(struct sym_finder *finder);

/** Try the supplementary file (dwz) @p name of the debug file @p of. */
void sym_finder_supplement(struct sym_finder *finder, const char *name, const char *of);

/** The places: see symbolize/find/search_path_defs.h. */
typedef bool sym_binary_candidates_fn(struct sym_finder *finder);
typedef bool sym_debug_candidates_fn(struct sym_finder *finder, const struct sym_image *main);
#define SYM_DECLARE_SEARCH_PATH(name, binary, debug, title, text) \
	sym_binary_candidates_fn sym_binary_in_##binary; \
	sym_debug_candidates_fn sym_debug_in_##debug;
/* NOLINTNEXTLINE(readability-redundant-declaration): `none` is there more than once. */
SYM_SEARCH_PATHS(SYM_DECLARE_SEARCH_PATH)
#undef SYM_DECLARE_SEARCH_PATH

/** Where systems keep separate debug files. */
#define SYM_SYSTEM_DEBUG "/usr/lib/debug"

/** The name in .gnu_debuglink of @p main, and the CRC of the file; NULL if there is none. */
const char *sym_read_debuglink(const struct sym_image *main, uint32_t *crc_ret);

/** perf's build-id cache; "" where there is none. */
const char *sym_cache_root(const struct sym_search *search, struct sym_path *ret);

/** What a debuginfod client has cached of @p id: @p kind is "debuginfo" or "executable". */
const char *sym_debuginfod_cached(
	const struct pd_build_id *id, const char *kind, struct sym_path *ret);

#endif

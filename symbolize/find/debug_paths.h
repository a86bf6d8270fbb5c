/**
 * @file Candidates for debug files, by the search paths of symbolize/find/search_path_defs.h.
 * Private to symbolize/.
 */
#ifndef PD_SYMBOLIZE_FIND_DEBUG_PATHS_H
#define PD_SYMBOLIZE_FIND_DEBUG_PATHS_H

#include "symbolize/find/finder.h"

/** Function that tries the candidates of one search path. Returns true if the search is over. */
typedef bool sym_debug_candidates_fn(struct sym_finder *finder, const struct sym_image *main);
#define SYM_DECLARE_SEARCH_PATH(name, binary, debug, title, text) \
	sym_debug_candidates_fn sym_debug_in_##debug;
/* NOLINTNEXTLINE(readability-redundant-declaration): several search paths use `none`. */
SYM_SEARCH_PATHS(SYM_DECLARE_SEARCH_PATH)
#undef SYM_DECLARE_SEARCH_PATH

/**
 * Search for the supplementary file (dwz) @p name of @p of, a file with a path, which is the
 * recorded binary or its debug file.
 */
void sym_finder_supplement(struct sym_finder *finder, const char *name, const struct sym_image *of);

/** Directory in which systems keep separate debug files. */
#define SYM_SYSTEM_DEBUG "/usr/lib/debug"

/**
 * Read the name in .gnu_debuglink of @p main and the CRC of the debug file. Returns NULL if there
 * is none.
 */
const char *sym_read_debuglink(const struct sym_image *main, uint32_t *crc_ret);

/** Directory of perf's build-id cache; "" if it is not known. */
const char *sym_cache_root(const struct sym_search *search, struct sym_path *ret);

/**
 * Path at which a debuginfod client caches the file of @p id; @p kind is "debuginfo" or
 * "executable".
 */
const char *sym_debuginfod_cached(
	const struct pd_build_id *id, const char *kind, struct sym_path *ret);

#endif

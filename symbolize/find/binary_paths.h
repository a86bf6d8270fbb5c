/**
 * @file Candidates for binaries, by the search paths of symbolize/find/search_path_defs.h. Private
 * to symbolize/find/.
 */
#ifndef PD_SYMBOLIZE_FIND_BINARY_PATHS_H
#define PD_SYMBOLIZE_FIND_BINARY_PATHS_H

#include "symbolize/find/finder.h"

/** Function that tries the candidates of one search path. Returns true if the search is over. */
typedef bool sym_binary_candidates_fn(struct sym_finder *finder);
#define SYM_DECLARE_SEARCH_PATH(name, binary, debug, title, text) \
	sym_binary_candidates_fn sym_binary_in_##binary;
/* NOLINTNEXTLINE(readability-redundant-declaration): several search paths use `none`. */
SYM_SEARCH_PATHS(SYM_DECLARE_SEARCH_PATH)
#undef SYM_DECLARE_SEARCH_PATH

/**
 * Try the archive members with finder->id; @p kind is as for sym_archive_find(). Returns true if
 * the search is over.
 */
bool sym_finder_archives(struct sym_finder *finder, const char *kind);

#endif

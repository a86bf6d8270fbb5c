/**
 * @file Trees of inlined calls in Go functions. Private to symbolize/.
 */
#ifndef PD_SYMBOLIZE_GO_GO_CALLS_H
#define PD_SYMBOLIZE_GO_GO_CALLS_H

#include "symbolize/go/go_table.h"

/** Tree of the calls that were inlined into a function. */
struct sym_go_tree {
	/** Address of the first call; 0 without a tree, or if trees cannot be read. */
	uint64_t vaddr;
	/** Table with the number of the innermost call at an address, or -1. */
	uint32_t table;
};

struct sym_go_call {
	/** Name of the called function. Borrowed from the table. */
	const char *name;
	/** Line of its declaration; 0 if it is not known, as before Go 1.20. */
	uint32_t start_line;
	/**
	 * Address whose source position, outside of this call, is that of the call. The values of
	 * the tables there are the call around this one, the file and the line.
	 */
	uint64_t parent_pc;
	/** Before Go 1.20: the call around this one, or -1; number of the file, and line. */
	bool has_location;
	int32_t parent;
	int32_t file;
	uint32_t line;
};

/** Find the tree of @p func. */
struct sym_go_tree sym_go_tree_find(
	const struct sym_go_table *table, const struct base_go_func *func);

/** Read call number @p i of @p tree. Returns false if it is damaged. */
bool sym_go_call_read(const struct sym_go_table *table, const struct base_go_func *func,
	const struct sym_go_tree *tree, int32_t i, struct sym_go_call *ret);

/**
 * Find out how trees are stored, and set tree_format and funcdata_base of @p table. @p bases has
 * the @p n candidates for the latter, best first; since Go 1.18 only. One is accepted if all trees
 * of many functions are valid with it.
 */
void sym_go_trees_detect(struct sym_go_table *table, const uint64_t *bases, size_t n);

#endif

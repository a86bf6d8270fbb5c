/**
 * @file Names of Go code from Go's table of functions. Private to symbolize/.
 *
 * Addresses are virtual addresses of the main file.
 */
#ifndef PD_SYMBOLIZE_GO_GO_NAMES_H
#define PD_SYMBOLIZE_GO_GO_NAMES_H

#include "base/containers/map.h"
#include "symbolize/go/go_calls.h"
#include "symbolize/symbols/symtab.h"
#include "symbolize/table/ranges.h"

/** Addresses up to @p end, from the end of the element before, with one value. */
struct sym_go_value {
	uint64_t end;
	int32_t value;
};

/** Decoded table of a function. The first element starts with the function. */
struct sym_go_list {
	PD_VEC(struct sym_go_value) values;
};

/** Reader of functions and locations. */
struct sym_go_reader {
	const struct sym_go_table *table;
	/** Table that gets scopes, functions and strings, and the list that gets locations. */
	struct sym_ranges *ranges;
	struct sym_new_ranges *fresh;
	/** Function that was read last, its scope, and the trees of its inlined calls. */
	struct base_go_func func;
	uint32_t scope;
	struct sym_go_tree tree;
	struct sym_go_list files;
	struct sym_go_list lines;
	struct sym_go_list calls;
	/** Number of an inlined call -> its scope. */
	struct base_map scopes;
	/** Values that may still be decoded, which bounds the work for a damaged table. */
	uint64_t values_left;
};

/** Prepare to read functions and locations. All parameters must outlive @p ret. */
void sym_go_reader_init(const struct sym_go_table *table, struct sym_ranges *ranges,
	struct sym_new_ranges *fresh, struct sym_go_reader *ret);
void sym_go_reader_deinit(struct sym_go_reader *reader);

/**
 * Find the function at @p addr. ret->name is NULL if there is none. The result is the same from
 * ret->start up to ret->end.
 */
void sym_go_find_symbol(struct sym_go_reader *reader, uint64_t addr, struct sym_symbol *ret);

/**
 * Record the location of @p addr, or that nothing is known about it, for the addresses around it
 * that have the same location and are in [*start, *end). These receive the recorded range. Errors:
 * NOMEM.
 */
struct pd_error *sym_go_read_location(
	struct sym_go_reader *reader, uint64_t addr, uint64_t *start, uint64_t *end) pd_must_check;

#endif

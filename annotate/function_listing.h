/**
 * @file The listing of a function: its instructions with their samples, source locations and jumps.
 */
#ifndef PD_ANNOTATE_FUNCTION_LISTING_H
#define PD_ANNOTATE_FUNCTION_LISTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/error.h>
#include <pdconv/vec.h>

#include "annotate/binary_code.h"
#include "annotate/disassembler.h"
#include "annotate/functions.h"
#include "base/arena.h"

#define ANN_NO_ROW UINT32_MAX

/** An instruction; or an address with samples, if the code cannot be disassembled. */
struct ann_row {
	/** Address of the kind that frames of the binary have. */
	uint64_t addr;
	/** Size in bytes; 0 if the code is not known. */
	uint32_t size;
	/** Text without the target of a direct branch; NULL if the code is not known. */
	const char *text;
	enum ann_branch branch;
	/** Target of a direct branch: address, and row if it is in the listing, or ANN_NO_ROW. */
	uint64_t target;
	uint32_t target_row;
	/** Function at a target outside of the listing or NULL, and the distance from its start. */
	const char *target_name;
	uint64_t target_offset;
	/** Inlined functions, innermost first, and the function itself, with their lines. */
	struct sym_names names;
	/** Index in ann_listing.values of its first value. */
	size_t values;
};

struct ann_listing {
	const struct ann_functions *functions;
	const struct ann_function *function;
	/** Its name. */
	const char *name;
	/** Architecture of the code, or NULL. */
	const struct pd_arch *arch;
	/** Addresses of the function; zero if they are not known. */
	struct sym_code_extent extent;
	/** Reason why rows have no text; NULL if they have. */
	const char *why;
	/** The function is longer than the listing. */
	bool is_cut;
	/** Rows by ascending address. */
	PD_VEC(struct ann_row) rows;
	/** Values of rows, one for each event. */
	PD_VEC(struct prof_value) values;
	/** Values of samples in the function that are in no row, one for each event. */
	PD_VEC(struct prof_value) outside;
	struct base_arena arena;
};

/**
 * List @p function of @p functions, with the code and the names of @p code. Everything is borrowed
 * and must outlive the result. @p names are the options of names. Errors: NOMEM.
 */
struct pd_error *ann_listing_create(const struct ann_functions *functions,
	const struct ann_function *function, struct ann_code *code,
	const struct pd_name_opts *names, struct ann_listing *ret) pd_must_check;
void ann_listing_deinit(struct ann_listing *listing);

/** Return the row whose instruction contains @p addr, or NULL. */
const struct ann_row *ann_listing_row_at(const struct ann_listing *listing, uint64_t addr);

/** Values of a row, one for each event. */
static inline const struct prof_value *ann_row_values(
	const struct ann_listing *listing, const struct ann_row *row)
{
	return &listing->values.data[row->values];
}

/**
 * Set the element of each row of @p listing in @p ret: whether the row is shown. In functions of
 * more than 500 instructions, these are the rows with samples and 8 rows on either side of them.
 */
void ann_excerpt(const struct ann_listing *listing, bool *ret);

/**
 * Return the text of the instruction of @p row, with its mnemonic padded to @p columns. The target
 * of a branch is an address, with the function and the distance from its start. Allocated; NULL: no
 * memory.
 */
char *ann_insn_text(const struct ann_listing *listing, const struct ann_row *row, int columns);

#endif

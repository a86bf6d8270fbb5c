/**
 * @file Checkpoints in long programs of call frame instructions.
 *
 * The row of an address is found by running the program from its start. The program of a function
 * may have tens of thousands of instructions, and each address in it may be looked up. So the state
 * is kept at a few instructions, and the next run begins at the last one that it would reach.
 */
#ifndef PD_UNWIND_CFA_CHECKPOINTS_H
#define PD_UNWIND_CFA_CHECKPOINTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "unwind/rules/cfi_row.h"

/** Number of instructions from one checkpoint to the next. */
enum { UNW_CFA_CHECKPOINT_OPS = 1024 };

struct unw_cfa_checkpoints;

/** Program of an FDE. Entries of a damaged section may share it, and have other start states. */
struct unw_cfa_program {
	const uint8_t *bytes;
	/** Vaddr at which it starts, and offset of the CIE. */
	uint64_t start;
	uint64_t cie_off;
};

/** State of a program before one of its instructions. */
struct unw_cfa_checkpoint {
	/** The instruction. */
	const uint8_t *pos;
	/** Number of instructions before it. */
	unsigned int n_ops;
	/** Highest vaddr that was reached. Runs for this vaddr and higher ones get here. */
	uint64_t highest;
	/** Current row, and the remembered ones: 1 + n_remembered. */
	const struct unw_row *rows;
	unsigned int n_remembered;
};

/** Returns NULL if memory ran out. */
struct unw_cfa_checkpoints *unw_cfa_checkpoints_create(void);
void unw_cfa_checkpoints_destroy(struct unw_cfa_checkpoints *checkpoints);

/**
 * Find the last checkpoint of @p program for a run up to the vaddr @p pc. False if there is none.
 * ret->rows is valid as long as @p checkpoints. May be called on any thread.
 */
bool unw_cfa_checkpoints_find(struct unw_cfa_checkpoints *checkpoints,
	const struct unw_cfa_program *program, uint64_t pc, struct unw_cfa_checkpoint *ret);

/**
 * Add a checkpoint to @p program, unless it has that one. Rows are copied. Without memory, or if
 * there are too many checkpoints, nothing is added. May be called on any thread.
 */
void unw_cfa_checkpoints_add(struct unw_cfa_checkpoints *checkpoints,
	const struct unw_cfa_program *program, const struct unw_cfa_checkpoint *checkpoint);

#endif

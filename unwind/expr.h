/**
 * @file Evaluation of DWARF expressions in call frame information (DWARF 5, sections 2.5 and
 * 6.4.2).
 */
#ifndef PD_UNWIND_EXPR_H
#define PD_UNWIND_EXPR_H

#include "unwind/rules/captured_state.h"
#include "unwind/rules/cfi_row.h"

/** Result of an evaluation. */
enum unw_eval {
	UNW_EVAL_OK,
	UNW_EVAL_BAD,	  /**< The expression is invalid or does not terminate. */
	UNW_EVAL_MEMORY,  /**< The expression reads memory that was not captured. */
	UNW_EVAL_UNKNOWN, /**< The expression depends on an unknown register. */
};

struct unw_expr_env {
	const struct unw_memory *mem;
	const struct unw_regs *regs;
	uint8_t n_regs;
	/** Size of an address in bytes. */
	uint8_t word;
	bool swap;
	/** Process address - vaddr, for DW_OP_addr. */
	uint64_t bias;
	/** Process address that could not be read, written with UNW_EVAL_MEMORY. */
	uint64_t bad_addr;
};

/** Evaluate @p expr. @p initial (the CFA) is pushed first if it is not NULL. */
enum unw_eval unw_expr_eval(struct unw_expr_env *env, const struct unw_expr *expr,
	const uint64_t *initial, uint64_t *ret);

#endif

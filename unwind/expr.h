/**
 * @file DWARF expressions, as far as call frame information may use them (DWARF 5, 2.5 and 6.4.2).
 */
#ifndef PD_UNWIND_EXPR_H
#define PD_UNWIND_EXPR_H

#include "unwind/memory.h"
#include "unwind/row.h"

/** How an evaluation went. */
enum unw_eval {
	UNW_EVAL_OK,
	UNW_EVAL_BAD,	  /**< The expression makes no sense, or does not come to an end. */
	UNW_EVAL_MEMORY,  /**< It reads memory that was not captured. */
	UNW_EVAL_UNKNOWN, /**< It depends on a register whose value is not known. */
};

struct unw_expr_env {
	const struct unw_memory *mem;
	const struct unw_regs *regs;
	uint8_t n_regs;
	/** Bytes in an address. */
	uint8_t word;
	bool swap;
	/** Process address - vaddr, for DW_OP_addr. */
	uint64_t bias;
	/** Written with UNW_EVAL_MEMORY: the process address. */
	uint64_t bad_addr;
};

/** Evaluate @p expr; @p initial, if not NULL, is pushed first (the CFA). */
enum unw_eval unw_expr_eval(struct unw_expr_env *env, const struct unw_expr *expr,
	const uint64_t *initial, uint64_t *ret);

#endif

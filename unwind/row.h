/**
 * @file What call frame information says about one address: the neutral form between the DWARF
 * decoders and the walker.
 *
 * A row tells how to get from a frame to its caller: first the canonical frame address (CFA, the
 * stack pointer that the caller has after the call returned, less what the call itself pushed),
 * then each register of the caller, as a rule. Registers go by their DWARF number.
 */
#ifndef PD_UNWIND_ROW_H
#define PD_UNWIND_ROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** DWARF register numbers below this can be followed; rules of others (vectors) are skipped. */
enum { UNW_N_REGS = 80 };

/** A DWARF expression, borrowed from the section. */
struct unw_expr {
	const uint8_t *bytes;
	size_t len;
};

/** Where the caller's value of a register is. DWARF 5, section 6.4.1. */
enum unw_rule_kind {
	UNW_RULE_UNSPECIFIED, /**< Nothing is said, nor does the ABI. */
	UNW_RULE_UNDEFINED,   /**< Lost. For the return address: there is no caller. */
	UNW_RULE_SAME,	      /**< Unchanged. */
	UNW_RULE_OFFSET,      /**< In memory at CFA + off. */
	UNW_RULE_VAL_OFFSET,  /**< Is CFA + off. */
	UNW_RULE_REGISTER,    /**< In register number reg. */
	UNW_RULE_EXPR,	      /**< In memory at the value of expr, evaluated with CFA pushed. */
	UNW_RULE_VAL_EXPR,    /**< Is the value of expr, evaluated with CFA pushed. */
};

struct unw_rule {
	enum unw_rule_kind kind;
	union {
		int64_t off;
		uint64_t reg;
		struct unw_expr expr;
	};
};

struct unw_row {
	/** The row holds from start to end (not included), vaddrs. */
	uint64_t start;
	uint64_t end;
	/** CFA is the value of cfa_expr or, without bytes, of register cfa_reg + cfa_off. */
	struct unw_expr cfa_expr;
	uint64_t cfa_reg;
	int64_t cfa_off;
	/** The register whose rule gives the return address. */
	uint8_t ra_column;
	/** A signal handler returns to here; the caller was interrupted, it did not call. */
	bool is_signal;
	/** True at calls only, not within prologues and epilogues. */
	bool is_inexact;
	/** Made from the function's instructions. */
	bool is_guess;
	/** Valid are as many as the architecture has (struct unw_arch.n_regs). */
	struct unw_rule regs[UNW_N_REGS];
};

#endif

/**
 * @file Rows of call frame information: how to unwind from one address, independent of the format.
 *
 * A row describes how to get from a frame to its caller. It gives the canonical frame address (CFA:
 * the caller's stack pointer after the call has returned, less what the call itself pushed) and
 * then each register of the caller, as a rule. Registers go by their DWARF number.
 */
#ifndef PD_UNWIND_CFI_ROW_H
#define PD_UNWIND_CFI_ROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Largest number of registers of an architecture. Rules of others (vectors) are skipped. */
enum { UNW_N_REGS = 80 };

/** DWARF expression, borrowed from its section. */
struct unw_expr {
	const uint8_t *bytes;
	size_t len;
};

/** How to find the caller's value of a register. DWARF 5, section 6.4.1. */
enum unw_rule_kind {
	UNW_RULE_UNSPECIFIED, /**< Neither the table nor the ABI has a rule. */
	UNW_RULE_UNDEFINED,   /**< Lost. A return address is undefined in the root frame. */
	UNW_RULE_SAME,	      /**< Unchanged. */
	UNW_RULE_OFFSET,      /**< In memory at CFA + off. */
	UNW_RULE_VAL_OFFSET,  /**< The value is CFA + off. */
	UNW_RULE_REGISTER,    /**< In register reg. */
	UNW_RULE_AT_REGISTER, /**< In memory at the value of a register of this frame: at. */
	UNW_RULE_EXPR,	      /**< In memory at the value of expr, evaluated with the CFA pushed. */
	UNW_RULE_VAL_EXPR,    /**< The value of expr, evaluated with the CFA pushed. */
};

struct unw_rule {
	enum unw_rule_kind kind;
	union {
		int64_t off;
		uint64_t reg;
		struct unw_expr expr;
		struct {
			uint64_t reg;
			int64_t off;
		} at;
	};
};

struct unw_row {
	/** Vaddrs [start, end) for which the row is valid. */
	uint64_t start;
	uint64_t end;
	/** CFA: the value of cfa_expr or, if its bytes are NULL, register cfa_reg + cfa_off. */
	struct unw_expr cfa_expr;
	uint64_t cfa_reg;
	int64_t cfa_off;
	/** The CFA is the word in memory at register cfa_reg + cfa_off. */
	bool is_cfa_in_memory;
	/** Register whose rule gives the return address. */
	uint8_t ra_column;
	/** The frame is a signal trampoline: its caller was interrupted and did not call. */
	bool is_signal;
	/** The row is valid at calls only, not within prologues and epilogues. */
	bool is_inexact;
	/** The row is a guess, made from the function's instructions or from a doubtful file. */
	bool is_guess;
	/** Rules; only the first unw_arch.n_regs are initialized. */
	struct unw_rule regs[UNW_N_REGS];
};

/** Result of looking up an address. */
enum unw_cfi_result {
	UNW_CFI_ROW,  /**< There is a row. */
	UNW_CFI_NONE, /**< Nothing covers the address. */
	UNW_CFI_BAD,  /**< Invalid call frame information covers the address. */
};

#endif

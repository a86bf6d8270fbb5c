/**
 * @file Code that nothing describes: its instructions, followed to the function's return.
 *
 * From any instruction of a function some way leads to its return, and on every way the stack
 * pointer comes back to where the caller had it, and the registers that are preserved get back what
 * they had. So it is enough to follow one way, minding only what is done to these registers and to
 * the stack. Branches are not taken at first; where a way ends (behind a call that does not return,
 * at an instruction that is not understood) the branches on it are tried, the last one first.
 *
 * Each architecture decodes its instructions into the few operations that matter. Addresses are
 * vaddrs of the ELF file.
 */
#ifndef PD_UNWIND_CODE_H
#define PD_UNWIND_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "unwind/arch.h"
#include "unwind/cfi.h"
#include "unwind/row.h"

enum {
	/** The link register of ppc64 is number 65. */
	UNW_CODE_REGS = 66,
	UNW_CODE_SLOTS = 32,
};

enum unw_value_kind {
	UNW_VALUE_UNKNOWN,
	UNW_VALUE_CONST,  /**< off */
	UNW_VALUE_SUM,	  /**< What the register base had where it began, + off. */
	UNW_VALUE_MEMORY, /**< What was in memory, where it began, at that address. */
};

struct unw_value {
	enum unw_value_kind kind;
	uint8_t base;
	int64_t off;
};

/** A place on a way, and what registers and stack hold there. */
struct unw_code {
	const struct unw_arch *arch;
	/** The instruction at hand, and its bytes. */
	uint64_t pc;
	const uint8_t *bytes;
	size_t n_bytes;
	/** Of ARM: instructions are 16 bits wide, and how many more depend on a condition. */
	bool is_thumb;
	uint8_t n_conditional;
	/** By DWARF number. */
	struct unw_value reg[UNW_CODE_REGS];
	/** What was stored: where, and the value. */
	struct {
		struct unw_value addr;
		struct unw_value value;
	} slots[UNW_CODE_SLOTS];
	size_t n_slots;
};

enum unw_flow {
	UNW_FLOW_NEXT,	    /**< To the next instruction. */
	UNW_FLOW_CALL,	    /**< The same; the link register has another value then. */
	UNW_FLOW_BRANCH,    /**< There, or to the target. */
	UNW_FLOW_JUMP,	    /**< To the target. */
	UNW_FLOW_SOMEWHERE, /**< To what a register holds: by a table, or to another function. */
	UNW_FLOW_RETURN,    /**< To the address in a register. */
	UNW_FLOW_STOP,	    /**< Nobody knows. */
};

/** What an instruction does besides its operations. */
struct unw_insn {
	enum unw_flow flow;
	/** Bytes. */
	uint8_t len;
	/** Of a return: the register. */
	uint8_t reg;
	uint64_t target;
};

/** Operations. Register @p rd becomes @p rs + @p imm. */
void unw_code_add(struct unw_code *code, uint8_t rd, uint8_t rs, int64_t imm);
/** Register @p rd becomes @p rs + @p rt. */
void unw_code_add_reg(struct unw_code *code, uint8_t rd, uint8_t rs, uint8_t rt);
void unw_code_set(struct unw_code *code, uint8_t rd, int64_t value);
/** Register @p rd becomes something else. */
void unw_code_clobber(struct unw_code *code, uint8_t rd);
/** Register @p rd becomes the word at @p rs + @p imm; and the other way round. */
void unw_code_load(struct unw_code *code, uint8_t rd, uint8_t rs, int64_t imm);
void unw_code_store(struct unw_code *code, uint8_t rd, uint8_t rs, int64_t imm);

/**
 * The row of the vaddr @p addr by the instructions of @p text. @p is_at_call: the frame is in a
 * call, whose last byte is at addr. False if no way to a return was found, or @p arch decodes none.
 */
bool unw_code_find_row(const struct unw_section *text, const struct unw_arch *arch, uint64_t addr,
	bool is_at_call, struct unw_row *ret);

#endif

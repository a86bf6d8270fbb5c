/**
 * @file Instruction analysis: rows for code without call frame information.
 *
 * From any instruction of a function some path leads to its return. On every path the stack pointer
 * returns to the caller's value, and preserved registers are restored. So it is enough to follow
 * one path and to track only these registers and the stack. Branches are not taken at first. If a
 * path ends without a return (at an unknown instruction, or in code that was passed before), its
 * branches are tried, the last one first. What follows a call is tried after everything that can be
 * reached without it, because some calls never return and are the last instruction of a function.
 *
 * Each architecture decodes its instructions into the few operations that matter. Addresses are
 * vaddrs of the ELF file.
 */
#ifndef PD_UNWIND_CODE_ANALYSIS_H
#define PD_UNWIND_CODE_ANALYSIS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "unwind/rules/arch_rules.h"
#include "unwind/rules/section.h"
#include "unwind/rules/cfi_row.h"

enum {
	/** Large enough for the link register of ppc64, number 65. */
	UNW_CODE_REGS = 66,
	UNW_CODE_SLOTS = 32,
	/**
	 * Bases of values other than registers: the stack pointer after it was realigned, and the
	 * word that it was loaded from, whose address is in unw_code.loaded_from.
	 */
	UNW_BASE_REALIGNED = UNW_CODE_REGS,
	UNW_BASE_LOADED,
};

/** How much of its frame a path has released since it last allocated any. */
enum unw_release {
	UNW_RELEASE_NONE,
	UNW_RELEASE_SPACE, /**< It has raised the stack pointer. */
	UNW_RELEASE_REGS,  /**< It has restored preserved registers or the stack pointer. */
};

enum unw_value_kind {
	UNW_VALUE_UNKNOWN,
	UNW_VALUE_CONST,  /**< The constant off. */
	UNW_VALUE_SUM,	  /**< Register base at the start of the path, + off. */
	UNW_VALUE_MEMORY, /**< The word in memory at that address, at the start of the path. */
};

struct unw_value {
	enum unw_value_kind kind;
	uint8_t base;
	int64_t off;
};

/** Position on a path, with the values of registers and stack slots. */
struct unw_code {
	const struct unw_arch *arch;
	const struct unw_section *text;
	/** Current instruction, and the bytes from there to the end of the section. */
	uint64_t pc;
	const uint8_t *bytes;
	size_t n_bytes;
	/** ARM only: Thumb instructions; how many of the next ones are conditional (IT). */
	bool is_thumb;
	uint8_t n_conditional;
	/** x86 only: mask of registers with a word of a table; what the path has released. */
	uint32_t table_regs;
	enum unw_release release;
	/** x86 only: the arguments of a call may still be on the stack. */
	bool has_arguments;
	/** Calls that the path has passed, and the stack pointer at the first of them. */
	uint16_t n_calls;
	struct unw_value sp_at_call;
	/** Another function may have begun after a call: see unw_call_rules.is_last. */
	bool may_have_left;
	/** Address of the word for UNW_BASE_LOADED; UNW_VALUE_UNKNOWN if there is none. */
	struct unw_value loaded_from;
	/** Register values, indexed by DWARF number. */
	struct unw_value reg[UNW_CODE_REGS];
	/** Stores to the stack on this path. */
	struct {
		struct unw_value addr;
		struct unw_value value;
	} slots[UNW_CODE_SLOTS];
	size_t n_slots;
};

enum unw_flow {
	UNW_FLOW_NEXT,	    /**< Continue at the next instruction. */
	UNW_FLOW_CALL,	    /**< Continue at the next one; the link register is overwritten. */
	UNW_FLOW_BRANCH,    /**< Continue at the next instruction or at the target. */
	UNW_FLOW_JUMP,	    /**< Continue at the target. */
	UNW_FLOW_SOMEWHERE, /**< Jump to a register: by a table, or to another function. */
	UNW_FLOW_RETURN,    /**< Return to the address in a register. */
	UNW_FLOW_STOP,	    /**< The path ends. */
};

/** Control flow of an instruction. */
struct unw_insn {
	enum unw_flow flow;
	/** Length in bytes. */
	uint8_t len;
	/** Register with the return address, for UNW_FLOW_RETURN. */
	uint8_t reg;
	uint64_t target;
};

/** Set register @p rd to @p rs + @p imm. */
void unw_code_add(struct unw_code *code, uint8_t rd, uint8_t rs, int64_t imm);
/** Set register @p rd to @p rs + @p rt. */
void unw_code_add_reg(struct unw_code *code, uint8_t rd, uint8_t rs, uint8_t rt);
/** Set register @p rd to a constant. */
void unw_code_set(struct unw_code *code, uint8_t rd, int64_t value);
/** Set register @p rd to an unknown value. */
void unw_code_clobber(struct unw_code *code, uint8_t rd);
/** Load register @p rd from the word at @p rs + @p imm. */
void unw_code_load(struct unw_code *code, uint8_t rd, uint8_t rs, int64_t imm);
/** Align the stack pointer down by masking it. */
void unw_code_realign(struct unw_code *code);
/** Store register @p rd to the word at @p rs + @p imm. */
void unw_code_store(struct unw_code *code, uint8_t rd, uint8_t rs, int64_t imm);

/** Result of following instructions. */
enum unw_code_result {
	UNW_CODE_NONE,	   /**< No path leads there. */
	UNW_CODE_DOUBTFUL, /**< A path does, but it may have gone on in another function. */
	UNW_CODE_ROW,
};

/**
 * Find the row of the vaddr @p addr by the instructions of @p text from there to the return. With
 * @p is_at_call the frame is in a call whose last byte is at @p addr. @p ret is not written with
 * UNW_CODE_NONE, which is also the result if instructions of @p arch are not decoded.
 */
enum unw_code_result unw_code_find_row(const struct unw_section *text, const struct unw_arch *arch,
	uint64_t addr, bool is_at_call, struct unw_row *ret);

/** Instructions that a path from the start of a function may pass. */
enum unw_code_trust {
	UNW_CODE_STRICT,    /**< Only what is sure to be in the function. */
	UNW_CODE_ANY_CALL,  /**< Calls that may be the last instruction of their function. */
	UNW_CODE_ANY_STACK, /**< Calls with a stack that is not aligned as the ABI demands. */
};

/**
 * Find the row of the vaddr @p addr by the instructions from the start of its function, the vaddr
 * @p start, to there. Returns false if no path leads there, or if it makes no row.
 */
bool unw_code_find_row_from(const struct unw_section *text, const struct unw_arch *arch,
	uint64_t start, uint64_t addr, bool is_at_call, enum unw_code_trust trust,
	struct unw_row *ret);

/**
 * Find the end of the function that begins at the vaddr @p start: the address after the first
 * instruction that execution does not pass, unless a branch before it leads further. The result is
 * at most @p size bytes after @p start, which is the result if instructions are not decoded.
 */
uint64_t unw_code_find_end(
	const struct unw_section *text, const struct unw_arch *arch, uint64_t start, uint64_t size);

#endif

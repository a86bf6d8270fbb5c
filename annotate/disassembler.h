/**
 * @file Disassembly of one instruction at a time, for each architecture that pdconv knows, on any
 * machine.
 *
 * LLVM disassembles. Its library is large, so it is loaded when it is needed; see
 * doc/design/annotate.md.
 */
#ifndef PD_ANNOTATE_DISASSEMBLER_H
#define PD_ANNOTATE_DISASSEMBLER_H

#include <stddef.h>
#include <stdint.h>

#include <pdconv/error.h>

#include "base/arch.h"
#include "symbolize/binary.h"

enum ann_branch {
	/** Not a direct branch. */
	ANN_BRANCH_NONE,
	ANN_BRANCH_JUMP,
	ANN_BRANCH_CALL,
};

/** Longest text of an instruction, with its NUL. */
enum { ANN_INSN_TEXT = 256 };

struct ann_insn {
	/** Size in bytes; at least 1. */
	size_t size;
	/** Mnemonic and operands in AT&T syntax on x86, with a space between, without target. */
	char text[ANN_INSN_TEXT];
	enum ann_branch branch;
	/** Address that a direct branch leads to. The text ends before it. */
	uint64_t target;
};

struct ann_disassembler;

/**
 * Prepare to disassemble code of @p arch. *ret is NULL, and @p why_ret has the reason (static
 * storage), if LLVM is not installed or does not know the architecture. Errors: NOMEM.
 */
struct pd_error *ann_disassembler_create(const struct pd_arch *arch, struct ann_disassembler **ret,
	const char **why_ret) pd_must_check;
/** @p disassembler may be NULL. */
void ann_disassembler_destroy(struct ann_disassembler *disassembler);

/**
 * Disassemble the instruction at the start of the @p size bytes at @p bytes, at least 1, whose
 * address is @p addr. Data, and bytes that are not an instruction, become ".byte", ".2byte" and
 * so on with their value.
 */
void ann_disassemble(struct ann_disassembler *disassembler, enum sym_code_kind kind,
	const uint8_t *bytes, size_t size, uint64_t addr, struct ann_insn *ret);

#endif

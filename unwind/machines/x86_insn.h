/**
 * @file Lengths and operands of x86 instructions: Intel 64 and IA-32 Architectures Software
 * Developer's Manual, volume 2, chapter 2 and appendix A; XOP: AMD64 Architecture Programmer's
 * Manual, volume 6.
 */
#ifndef PD_UNWIND_X86_INSN_H
#define PD_UNWIND_X86_INSN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	/** Longest instruction, in bytes. */
	UNW_X86_MAX_LEN = 15,
	/** No base or index register. */
	UNW_X86_NO_REG = 0xff,
};

/** Opcode maps, with the numbers that VEX, EVEX and XOP use. */
enum unw_x86_map {
	UNW_X86_ONE_BYTE = 0,
	UNW_X86_0F = 1,
	UNW_X86_0F38 = 2,
	UNW_X86_0F3A = 3,
	UNW_X86_MAP5 = 5,
	UNW_X86_MAP6 = 6,
	UNW_X86_XOP8 = 8,
	UNW_X86_XOP9 = 9,
	UNW_X86_XOP10 = 10,
};

/** Instruction. Registers go by their encoding: 0 is rax, 1 rcx, 2 rdx, 3 rbx, 4 rsp, 5 rbp. */
struct unw_x86_insn {
	/** Length in bytes. */
	uint8_t len;
	uint8_t map;
	uint8_t opcode;
	/** The opcode follows a VEX, EVEX or XOP prefix. */
	bool is_vex;
	/** REX prefix, or bits 3 to 0 of one from another prefix; 0 if there is none. */
	uint8_t rex;
	/** Repeat prefix 0xf2 or 0xf3, also if implied by VEX; else 0. */
	uint8_t rep;
	bool has_operand_size;
	bool has_address_size;
	/** Prefix 0x3e, which marks jumps through tables. */
	bool is_notrack;
	/** Prefix 0x64 or 0x65: memory is relative to fs or gs. */
	bool has_segment;
	/** Register that VEX adds. */
	uint8_t vvvv;
	/** Fields of ModRM, with their extensions. rm is a register unless is_mem is set. */
	bool has_modrm;
	bool is_mem;
	uint8_t reg;
	uint8_t rm;
	/** Memory operand: base, index and displacement. */
	uint8_t base;
	uint8_t index;
	int32_t disp;
	/** The memory operand is relative to the next instruction. */
	bool is_pc_relative;
	/** First immediate operand or branch distance, sign-extended. */
	int64_t imm;
};

/**
 * Decode the instruction at @p bytes. Returns false if it is not known, or not complete in @p n
 * bytes.
 */
bool unw_x86_insn_read(const uint8_t *bytes, size_t n, bool is_64, struct unw_x86_insn *ret);

#endif

#include "resolve/binaries/known_code.h"

#include <dwarf.h>
#include <string.h>

#include "base/array.h"

enum { CIE_BYTES = 24, FDE_BYTES = 32 };

/* Low bytes first, as all machines in the table store words. */
#define WORD(n) (uint8_t)(n), (uint8_t)((uint32_t)(n) >> 8), 0, 0

/* CIE: return addresses are in register @p ra, saved registers in words of 8 bytes; its program. */
#define CIE(ra, ...) \
	WORD(CIE_BYTES - 4), WORD(0), 1, 'z', 'R', 0, 1, 0x78, ra, 1, \
		DW_EH_PE_pcrel | DW_EH_PE_sdata4, __VA_ARGS__

/* FDE of @p size bytes of code at the address of the section, and its program. */
#define FDE(size, ...) \
	WORD(FDE_BYTES - 4), WORD(CIE_BYTES + 4), 256 - (CIE_BYTES + 8), 0xff, 0xff, 0xff, \
		WORD(size), 0, __VA_ARGS__

#define ADVANCE(n) (DW_CFA_advance_loc + (n))
#define SAVED(reg, words) DW_CFA_offset + (reg), words
#define RESTORED(reg) DW_CFA_restore + (reg)
#define CFA(reg, off) DW_CFA_def_cfa, reg, off
#define CFA_OFFSET(off) DW_CFA_def_cfa_offset, off
#define CFA_REGISTER(reg) DW_CFA_def_cfa_register, reg

/* DWARF numbers of registers. */
enum {
	X86_BX = 3,
	X86_BP = 6,
	X86_SP = 7,
	X86_RA = 16,
	ARM64_FP = 29,
	ARM64_LR = 30,
	ARM64_SP = 31,
	RISCV_RA = 1,
	RISCV_SP = 2,
};

#define X86_CIE CIE(X86_RA, CFA(X86_SP, 8), SAVED(X86_RA, 1), 0, 0)
#define ARM64_CIE CIE(ARM64_LR, CFA(ARM64_SP, 0), 0, 0, 0, 0)
#define RISCV_CIE CIE(RISCV_RA, CFA(RISCV_SP, 0), 0, 0, 0, 0)

/* sub $8,%rsp; call *%rcx; add $8,%rsp; ret. @p at: bytes before the sub. */
#define X86_SUB(at) ADVANCE((at) + 4), CFA_OFFSET(16), ADVANCE(6), CFA_OFFSET(8)

/* push %rbp; mov %rsp,%rbp; call *%rcx; pop %rbp; ret. */
#define X86_PUSH(at) \
	ADVANCE((at) + 1), CFA_OFFSET(16), SAVED(X86_BP, 2), ADVANCE(3), CFA_REGISTER(X86_BP), \
		ADVANCE(3), CFA(X86_SP, 8), RESTORED(X86_BP)

/* stp x29,x30,[sp,-16]!; mov x29,sp; blr x3; ldp x29,x30,[sp],16; ret. */
#define ARM64_STP(at) \
	ADVANCE((at) + 4), CFA_OFFSET(16), SAVED(ARM64_FP, 2), SAVED(ARM64_LR, 1), ADVANCE(12), \
		CFA_OFFSET(0), RESTORED(ARM64_FP), RESTORED(ARM64_LR)

/* addi sp,sp,-16; sd ra,8(sp); jalr a3; ld ra,8(sp); addi sp,sp,16; ret. @p n: bytes of each. */
#define RISCV_SD(n) \
	ADVANCE(n), CFA_OFFSET(16), ADVANCE(n), SAVED(RISCV_RA, 1), ADVANCE(2 * (n)), \
		RESTORED(RISCV_RA), ADVANCE(n), CFA_OFFSET(0)

/*
 * QEMU enters translated code through a prologue that pushes the preserved registers and makes room
 * for arguments and temporary values: 56 + 128 + 1024 bytes, rounded up to 16. The code itself does
 * not move the stack pointer.
 */
#define QEMU_X86 \
	DW_CFA_def_cfa_offset, 1216 % 128 + 128, 1216 / 128, SAVED(X86_BP, 2), SAVED(X86_BX, 3), \
		SAVED(12, 4), SAVED(13, 5), SAVED(14, 6), SAVED(15, 7)

#define ANY_SIZE 0xffff

struct known {
	/** First characters of the name. */
	const char *prefix;
	const struct pd_arch *arch;
	/** Size of the code in bytes, or ANY_SIZE. */
	uint64_t size;
	uint8_t eh_frame[CIE_BYTES + FDE_BYTES];
};

static const struct known table[] = {
	/*
	 * With -X perf, CPython since 3.12 calls each function of the program through a trampoline.
	 * Source: Python/asm_trampoline.S; since 3.14 asm_trampoline_x86_64.S, _aarch64.S and
	 * _riscv64.S. The variants depend on the version and on compiler options: endbr64 takes 4
	 * bytes, so do bti, paciasp and autiasp.
	 */
	{ "py::", &base_arch_x86_64, 11, { X86_CIE, FDE(11, X86_SUB(0)) } },
	{ "py::", &base_arch_x86_64, 15, { X86_CIE, FDE(15, X86_SUB(4)) } },
	{ "py::", &base_arch_x86_64, 8, { X86_CIE, FDE(8, X86_PUSH(0)) } },
	{ "py::", &base_arch_x86_64, 12, { X86_CIE, FDE(12, X86_PUSH(4)) } },
	{ "py::", &base_arch_aarch64, 20, { ARM64_CIE, FDE(20, ARM64_STP(0)) } },
	{ "py::", &base_arch_aarch64, 24, { ARM64_CIE, FDE(24, ARM64_STP(4)) } },
	{ "py::", &base_arch_aarch64, 28, { ARM64_CIE, FDE(28, ARM64_STP(4)) } },
	{ "py::", &base_arch_riscv64, 12, { RISCV_CIE, FDE(12, RISCV_SD(2)) } },
	{ "py::", &base_arch_riscv64, 24, { RISCV_CIE, FDE(24, RISCV_SD(4)) } },
	/* QEMU since 8.0, with -perfmap and -jitdump. Source: tcg/i386/tcg-target.c.inc. */
	{ "guest-0x", &base_arch_x86_64, ANY_SIZE, { X86_CIE, FDE(ANY_SIZE, QEMU_X86) } },
};

struct unw_section resolve_known_eh_frame(
	const struct pd_arch *arch, const struct sym_perf_map_code *code)
{
	for (size_t i = 0; i < PD_ARRAY_LEN(table); i++) {
		const struct known *known = &table[i];
		bool fits = known->size == ANY_SIZE || known->size == code->size;

		if (fits && known->arch == arch &&
			strncmp(code->name, known->prefix, strlen(known->prefix)) == 0)
			return (struct unw_section){ .data = known->eh_frame,
				.size = sizeof(known->eh_frame),
				.vaddr = code->start };
	}
	return (struct unw_section){ 0 };
}

/*
 * Registers of 64-bit PowerPC, one row each: R(name, bit of perf's register mask, DWARF number).
 * Bits: PERF_REG_POWERPC_* of the kernel's asm/perf_regs.h. DWARF numbers: 64-Bit ELF V2 ABI,
 * section 2.4, and GCC's for the rest. The program counter (nip) has no number. The eight
 * fields of the condition register have numbers, but the whole register (ccr) has none.
 */
/* clang-format off */
#define PD_PPC64_REGS(R)                                                                           \
	R(r0, 0, 0)                                                                                \
	R(r1, 1, 1)                                                                                \
	R(r2, 2, 2)                                                                                \
	R(r3, 3, 3)                                                                                \
	R(r4, 4, 4)                                                                                \
	R(r5, 5, 5)                                                                                \
	R(r6, 6, 6)                                                                                \
	R(r7, 7, 7)                                                                                \
	R(r8, 8, 8)                                                                                \
	R(r9, 9, 9)                                                                                \
	R(r10, 10, 10)                                                                             \
	R(r11, 11, 11)                                                                             \
	R(r12, 12, 12)                                                                             \
	R(r13, 13, 13)                                                                             \
	R(r14, 14, 14)                                                                             \
	R(r15, 15, 15)                                                                             \
	R(r16, 16, 16)                                                                             \
	R(r17, 17, 17)                                                                             \
	R(r18, 18, 18)                                                                             \
	R(r19, 19, 19)                                                                             \
	R(r20, 20, 20)                                                                             \
	R(r21, 21, 21)                                                                             \
	R(r22, 22, 22)                                                                             \
	R(r23, 23, 23)                                                                             \
	R(r24, 24, 24)                                                                             \
	R(r25, 25, 25)                                                                             \
	R(r26, 26, 26)                                                                             \
	R(r27, 27, 27)                                                                             \
	R(r28, 28, 28)                                                                             \
	R(r29, 29, 29)                                                                             \
	R(r30, 30, 30)                                                                             \
	R(r31, 31, 31)                                                                             \
	R(nip, 32, PD_NO_DWARF)                                                                    \
	R(msr, 33, PD_NO_DWARF)                                                                    \
	R(orig_r3, 34, PD_NO_DWARF)                                                                \
	R(ctr, 35, 66)                                                                             \
	R(link, 36, 65)                                                                            \
	R(xer, 37, 76)                                                                             \
	R(ccr, 38, PD_NO_DWARF)                                                                    \
	R(softe, 39, PD_NO_DWARF)                                                                  \
	R(trap, 40, PD_NO_DWARF)                                                                   \
	R(dar, 41, PD_NO_DWARF)                                                                    \
	R(dsisr, 42, PD_NO_DWARF)                                                                  \
	R(sier, 43, PD_NO_DWARF)                                                                   \
	R(mmcra, 44, PD_NO_DWARF)                                                                  \
	R(mmcr0, 45, PD_NO_DWARF)                                                                  \
	R(mmcr1, 46, PD_NO_DWARF)                                                                  \
	R(mmcr2, 47, PD_NO_DWARF)                                                                  \
	R(mmcr3, 48, PD_NO_DWARF)                                                                  \
	R(sier2, 49, PD_NO_DWARF)                                                                  \
	R(sier3, 50, PD_NO_DWARF)                                                                  \
	R(pmc1, 51, PD_NO_DWARF)                                                                   \
	R(pmc2, 52, PD_NO_DWARF)                                                                   \
	R(pmc3, 53, PD_NO_DWARF)                                                                   \
	R(pmc4, 54, PD_NO_DWARF)                                                                   \
	R(pmc5, 55, PD_NO_DWARF)                                                                   \
	R(pmc6, 56, PD_NO_DWARF)                                                                   \
	R(sdar, 57, PD_NO_DWARF)                                                                   \
	R(siar, 58, PD_NO_DWARF)
/* clang-format on */

/*
 * Registers of s390x, one row each: R(name, bit of perf's register mask, DWARF number).
 * Bits: PERF_REG_S390_* of the kernel's asm/perf_regs.h. DWARF numbers: ELF Application Binary
 * Interface s390x Supplement, section 1.6.1; floating point registers are not in ascending order.
 */
/* clang-format off */
#define PD_S390X_REGS(R)                                                                           \
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
	R(fp0, 16, 16)                                                                             \
	R(fp1, 17, 20)                                                                             \
	R(fp2, 18, 17)                                                                             \
	R(fp3, 19, 21)                                                                             \
	R(fp4, 20, 18)                                                                             \
	R(fp5, 21, 22)                                                                             \
	R(fp6, 22, 19)                                                                             \
	R(fp7, 23, 23)                                                                             \
	R(fp8, 24, 24)                                                                             \
	R(fp9, 25, 28)                                                                             \
	R(fp10, 26, 25)                                                                            \
	R(fp11, 27, 29)                                                                            \
	R(fp12, 28, 26)                                                                            \
	R(fp13, 29, 30)                                                                            \
	R(fp14, 30, 27)                                                                            \
	R(fp15, 31, 31)                                                                            \
	R(mask, 32, 64)                                                                            \
	R(pc, 33, 65)
/* clang-format on */

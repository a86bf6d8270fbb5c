/*
 * Registers of 32-bit ARM, one row each: R(name, bit of perf's register mask, DWARF number).
 * Bits: PERF_REG_ARM_* of the kernel's asm/perf_regs.h. DWARF numbers: DWARF for the Arm
 * Architecture, section 4.1.
 */
/* clang-format off */
#define PD_ARM_REGS(R)                                                                             \
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
	R(fp, 11, 11)                                                                              \
	R(ip, 12, 12)                                                                              \
	R(sp, 13, 13)                                                                              \
	R(lr, 14, 14)                                                                              \
	R(pc, 15, 15)
/* clang-format on */

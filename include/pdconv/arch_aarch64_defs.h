/*
 * Registers of AArch64, one row each: R(name, bit of perf's register mask, DWARF number).
 * Bits: PERF_REG_ARM64_* of the kernel's asm/perf_regs.h. DWARF numbers: DWARF for the Arm 64-bit
 * Architecture, section 4.1.
 */
/* clang-format off */
#define PD_AARCH64_REGS(R)                                                                         \
	R(x0, 0, 0)                                                                                \
	R(x1, 1, 1)                                                                                \
	R(x2, 2, 2)                                                                                \
	R(x3, 3, 3)                                                                                \
	R(x4, 4, 4)                                                                                \
	R(x5, 5, 5)                                                                                \
	R(x6, 6, 6)                                                                                \
	R(x7, 7, 7)                                                                                \
	R(x8, 8, 8)                                                                                \
	R(x9, 9, 9)                                                                                \
	R(x10, 10, 10)                                                                             \
	R(x11, 11, 11)                                                                             \
	R(x12, 12, 12)                                                                             \
	R(x13, 13, 13)                                                                             \
	R(x14, 14, 14)                                                                             \
	R(x15, 15, 15)                                                                             \
	R(x16, 16, 16)                                                                             \
	R(x17, 17, 17)                                                                             \
	R(x18, 18, 18)                                                                             \
	R(x19, 19, 19)                                                                             \
	R(x20, 20, 20)                                                                             \
	R(x21, 21, 21)                                                                             \
	R(x22, 22, 22)                                                                             \
	R(x23, 23, 23)                                                                             \
	R(x24, 24, 24)                                                                             \
	R(x25, 25, 25)                                                                             \
	R(x26, 26, 26)                                                                             \
	R(x27, 27, 27)                                                                             \
	R(x28, 28, 28)                                                                             \
	R(x29, 29, 29)                                                                             \
	R(lr, 30, 30)                                                                              \
	R(sp, 31, 31)                                                                              \
	R(pc, 32, 32)                                                                              \
	R(vg, 46, 46)
/* clang-format on */

/*
 * Registers of 64-bit RISC-V, one row each: R(name, bit of perf's register mask, DWARF number).
 * Bits: PERF_REG_RISCV_* of the kernel's asm/perf_regs.h. DWARF numbers: RISC-V DWARF
 * Specification, table 1. Bit 0 would be the constant x0, but perf uses it for the program
 * counter, which has no DWARF number.
 */
/* clang-format off */
#define PD_RISCV64_REGS(R)                                                                         \
	R(pc, 0, PD_NO_DWARF)                                                                      \
	R(ra, 1, 1)                                                                                \
	R(sp, 2, 2)                                                                                \
	R(gp, 3, 3)                                                                                \
	R(tp, 4, 4)                                                                                \
	R(t0, 5, 5)                                                                                \
	R(t1, 6, 6)                                                                                \
	R(t2, 7, 7)                                                                                \
	R(s0, 8, 8)                                                                                \
	R(s1, 9, 9)                                                                                \
	R(a0, 10, 10)                                                                              \
	R(a1, 11, 11)                                                                              \
	R(a2, 12, 12)                                                                              \
	R(a3, 13, 13)                                                                              \
	R(a4, 14, 14)                                                                              \
	R(a5, 15, 15)                                                                              \
	R(a6, 16, 16)                                                                              \
	R(a7, 17, 17)                                                                              \
	R(s2, 18, 18)                                                                              \
	R(s3, 19, 19)                                                                              \
	R(s4, 20, 20)                                                                              \
	R(s5, 21, 21)                                                                              \
	R(s6, 22, 22)                                                                              \
	R(s7, 23, 23)                                                                              \
	R(s8, 24, 24)                                                                              \
	R(s9, 25, 25)                                                                              \
	R(s10, 26, 26)                                                                             \
	R(s11, 27, 27)                                                                             \
	R(t3, 28, 28)                                                                              \
	R(t4, 29, 29)                                                                              \
	R(t5, 30, 30)                                                                              \
	R(t6, 31, 31)
/* clang-format on */

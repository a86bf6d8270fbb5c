/*
 * Registers of i386, one row each: R(name, bit of perf's register mask, DWARF number).
 * Bits: PERF_REG_X86_* of the kernel's asm/perf_regs.h. DWARF numbers: System V ABI for i386,
 * table 2.14; number 8 is the return address column and stands for the instruction pointer.
 */
/* clang-format off */
#define PD_I386_REGS(R)                                                                            \
	R(ax, 0, 0)                                                                                \
	R(bx, 1, 3)                                                                                \
	R(cx, 2, 1)                                                                                \
	R(dx, 3, 2)                                                                                \
	R(si, 4, 6)                                                                                \
	R(di, 5, 7)                                                                                \
	R(bp, 6, 5)                                                                                \
	R(sp, 7, 4)                                                                                \
	R(ip, 8, 8)                                                                                \
	R(flags, 9, 9)                                                                             \
	R(cs, 10, 41)                                                                              \
	R(ss, 11, 42)                                                                              \
	R(ds, 12, 43)                                                                              \
	R(es, 13, 40)                                                                              \
	R(fs, 14, 44)                                                                              \
	R(gs, 15, 45)
/* clang-format on */

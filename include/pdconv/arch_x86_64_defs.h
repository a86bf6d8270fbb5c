/*
 * Registers of x86-64, one row each: R(name, bit of perf's register mask, DWARF number).
 * Bits: PERF_REG_X86_* of the kernel's asm/perf_regs.h. DWARF numbers: System V ABI for AMD64,
 * figure 3.36; number 16 is the return address column and stands for the instruction pointer.
 */
/* clang-format off */
#define PD_X86_64_REGS(R)                                                                          \
	R(ax, 0, 0)                                                                                \
	R(bx, 1, 3)                                                                                \
	R(cx, 2, 2)                                                                                \
	R(dx, 3, 1)                                                                                \
	R(si, 4, 4)                                                                                \
	R(di, 5, 5)                                                                                \
	R(bp, 6, 6)                                                                                \
	R(sp, 7, 7)                                                                                \
	R(ip, 8, 16)                                                                               \
	R(flags, 9, 49)                                                                            \
	R(cs, 10, 51)                                                                              \
	R(ss, 11, 52)                                                                              \
	R(ds, 12, 53)                                                                              \
	R(es, 13, 50)                                                                              \
	R(fs, 14, 54)                                                                              \
	R(gs, 15, 55)                                                                              \
	R(r8, 16, 8)                                                                               \
	R(r9, 17, 9)                                                                               \
	R(r10, 18, 10)                                                                             \
	R(r11, 19, 11)                                                                             \
	R(r12, 20, 12)                                                                             \
	R(r13, 21, 13)                                                                             \
	R(r14, 22, 14)                                                                             \
	R(r15, 23, 15)
/* clang-format on */

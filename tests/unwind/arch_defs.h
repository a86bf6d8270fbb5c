/*
 * Architectures that programs are stepped on, one row each:
 *
 *   A(name, uname, EM_, word, order, abi, mask, pc, sp, lr, lr2, linkage)
 *
 * name: its name in run.py, and in qemu where qemu runs it. uname: HEADER_ARCH of the kernel
 * that records it. word: bytes. abi: PERF_SAMPLE_REGS_ABI_*. mask: the user registers that perf
 * asks for. pc, sp, lr: their numbers in perf's order; lr NO_LINK where calls push the return
 * address; lr2: the link register of helpers that save registers for their caller. linkage: bytes
 * from the caller's stack pointer up to the end of where the callee may save the return address.
 * Sources: asm/perf_regs.h of each architecture in Linux.
 */
/* clang-format off */
#define UNWIND_ARCHES(A)                                                                           \
	A(x86_64,  "x86_64",  EM_X86_64,  8, LITTLE, 2, 0xff0fff,       8,  7,  NO_LINK, NO_LINK, 0) \
	A(i386,    "x86_64",  EM_386,     4, LITTLE, 1, 0xff0fff,       8,  7,  NO_LINK, NO_LINK, 0) \
	A(aarch64, "aarch64", EM_AARCH64, 8, LITTLE, 2, 0x1ffffffff,    32, 31, 30,      NO_LINK, 0) \
	A(arm,     "armv7l",  EM_ARM,     4, LITTLE, 1, 0xffff,         15, 13, 14,      NO_LINK, 0) \
	A(riscv64, "riscv64", EM_RISCV,   8, LITTLE, 2, 0xffffffff,     0,  2,  1,       5,       0) \
	A(s390x,   "s390x",   EM_S390,    8, BIG,    2, 0x3ffffffff,    33, 15, 14,      NO_LINK, 160) \
	A(ppc64,   "ppc64",   EM_PPC64,   8, BIG,    2, 0x1fffffffffff, 32, 1,  36,      NO_LINK, 32) \
	A(ppc64le, "ppc64le", EM_PPC64,   8, LITTLE, 2, 0x1fffffffffff, 32, 1,  36,      NO_LINK, 32)

/*
 * Registers in the answer of qemu's gdb stub to `g`: n of them, from first in perf's numbers, at
 * that offset, each of that size. G(arch, first, n, offset, size). Sources: gdb-xml/ of qemu 7.2.
 */
#define UNWIND_GDB_REGS(G)                                                                         \
	G(aarch64, 0,  33, 0,   8)                                                                 \
	G(arm,     0,  16, 0,   4)                                                                 \
	G(riscv64, 1,  31, 8,   8)                                                                 \
	G(riscv64, 0,  1,  256, 8)                                                                 \
	G(s390x,   0,  16, 16,  8)                                                                 \
	G(s390x,   32, 2,  0,   8)                                                                 \
	G(ppc64,   0,  32, 0,   8)                                                                 \
	G(ppc64,   32, 2,  256, 8)                                                                 \
	G(ppc64,   35, 1,  284, 8)                                                                 \
	G(ppc64,   36, 1,  276, 8)                                                                 \
	G(ppc64,   37, 1,  292, 4)                                                                 \
	G(ppc64,   38, 1,  272, 4)

/*
 * Registers that the answer leaves out: their count and first number in perf, and in the stub's
 * `p`.
 */
#define UNWIND_GDB_SINGLE_REGS(P)                                                                  \
	P(s390x, 16, 16, 35)
/* clang-format on */

/*
 * Relocations of debug sections and function descriptors: R(machine, type, bytes, how), where how
 * is SET (to symbol + addend), ADD or SUB (to or from the value at the target), or SKIP.
 *
 * Sources: elf.h, and the psABI of each machine.
 */
/* clang-format off */
#define SYM_RELOCATIONS(R)                                                                         \
	R(EM_X86_64, R_X86_64_NONE, 0, SKIP)                                                       \
	R(EM_X86_64, R_X86_64_64, 8, SET)                                                          \
	R(EM_X86_64, R_X86_64_32, 4, SET)                                                          \
	R(EM_X86_64, R_X86_64_32S, 4, SET)                                                         \
	R(EM_X86_64, R_X86_64_DTPOFF64, 8, SKIP)                                                   \
	R(EM_X86_64, R_X86_64_DTPOFF32, 4, SKIP)                                                   \
	R(EM_386, R_386_NONE, 0, SKIP)                                                             \
	R(EM_386, R_386_32, 4, SET)                                                                \
	R(EM_AARCH64, R_AARCH64_NONE, 0, SKIP)                                                     \
	R(EM_AARCH64, R_AARCH64_ABS64, 8, SET)                                                     \
	R(EM_AARCH64, R_AARCH64_ABS32, 4, SET)                                                     \
	R(EM_ARM, R_ARM_NONE, 0, SKIP)                                                             \
	R(EM_ARM, R_ARM_ABS32, 4, SET)                                                             \
	R(EM_RISCV, R_RISCV_NONE, 0, SKIP)                                                         \
	R(EM_RISCV, R_RISCV_32, 4, SET)                                                            \
	R(EM_RISCV, R_RISCV_64, 8, SET)                                                            \
	R(EM_RISCV, R_RISCV_ADD8, 1, ADD)                                                          \
	R(EM_RISCV, R_RISCV_ADD16, 2, ADD)                                                         \
	R(EM_RISCV, R_RISCV_ADD32, 4, ADD)                                                         \
	R(EM_RISCV, R_RISCV_ADD64, 8, ADD)                                                         \
	R(EM_RISCV, R_RISCV_SUB8, 1, SUB)                                                          \
	R(EM_RISCV, R_RISCV_SUB16, 2, SUB)                                                         \
	R(EM_RISCV, R_RISCV_SUB32, 4, SUB)                                                         \
	R(EM_RISCV, R_RISCV_SUB64, 8, SUB)                                                         \
	R(EM_RISCV, R_RISCV_SET8, 1, SET)                                                          \
	R(EM_RISCV, R_RISCV_SET16, 2, SET)                                                         \
	R(EM_RISCV, R_RISCV_SET32, 4, SET)                                                         \
	R(EM_PPC64, R_PPC64_NONE, 0, SKIP)                                                         \
	R(EM_PPC64, R_PPC64_ADDR32, 4, SET)                                                        \
	R(EM_PPC64, R_PPC64_TOC, 8, SKIP)                                                          \
	R(EM_PPC64, R_PPC64_ADDR64, 8, SET)                                                        \
	R(EM_S390, R_390_NONE, 0, SKIP)                                                            \
	R(EM_S390, R_390_32, 4, SET)                                                               \
	R(EM_S390, R_390_64, 8, SET)
/* clang-format on */

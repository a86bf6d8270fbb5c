/**
 * @file Architectures that the unwinder and the readers of ELF files know: see pdconv/arch.h.
 */
#ifndef PD_BASE_ARCH_H
#define PD_BASE_ARCH_H

#include <stdbool.h>
#include <stdint.h>

#include <pdconv/arch.h>

extern const struct pd_arch base_arch_x86_64;
extern const struct pd_arch base_arch_i386;
extern const struct pd_arch base_arch_aarch64;
extern const struct pd_arch base_arch_arm;
extern const struct pd_arch base_arch_riscv64;
extern const struct pd_arch base_arch_s390x;
extern const struct pd_arch base_arch_ppc64;
extern const struct pd_arch base_arch_ppc64le;

/** Architecture of an ELF file, or NULL. @p word is 4 for ELFCLASS32 and 8 for ELFCLASS64. */
const struct pd_arch *base_arch_of_elf(uint16_t e_machine, uint8_t word, bool is_big_endian);

#endif

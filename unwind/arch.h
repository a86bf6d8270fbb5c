/**
 * @file What the unwinder must know of an architecture. One small file each; everything else goes
 * by DWARF register numbers.
 */
#ifndef PD_UNWIND_ARCH_H
#define PD_UNWIND_ARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arch.h"
#include "unwind/row.h"
#include "unwind/step.h"

/** What the ABI says of a register about which the call frame information says nothing. */
struct unw_default_rule {
	uint8_t reg;
	struct unw_rule rule;
};

struct unw_arch {
	const struct pd_arch *arch;
	/** DWARF register numbers 0 to this - 1 are followed; at most UNW_N_REGS. */
	uint8_t n_regs;
	uint8_t sp;
	uint8_t fp;
	/** The register whose rule gives the return address; its value is the program counter. */
	uint8_t ra;
	/** Bytes in an address. */
	uint8_t word;
	/**
	 * A function that keeps a frame pointer saves its caller's, and the return address, at these
	 * distances from it, in bytes; cfa is the distance of its CFA.
	 */
	int8_t fp_saved_fp;
	int8_t fp_saved_ra;
	int8_t fp_cfa;
	const struct unw_default_rule *defaults;
	size_t n_defaults;
	/**
	 * If a CFA expression is one that this architecture's linkers emit, and at the vaddr @p pc
	 * equals sp + a constant, then that constant. NULL: there are none.
	 */
	bool (*plt_cfa)(const struct unw_expr *expr, uint64_t pc, int32_t *off_ret);
	/** The step from the vaddr @p pc, in a PLT entry that no FDE covers. */
	struct unw_step (*plt_step)(uint64_t pc);
	/** CFA is what lies in memory at fp + *off_ret: a realigned stack. NULL: there are none. */
	bool (*realigned_cfa)(const struct unw_expr *expr, int32_t *off_ret);
};

extern const struct unw_arch unw_arch_x86_64;

/** How to unwind @p arch, or NULL if that is not known. */
const struct unw_arch *unw_arch_find(const struct pd_arch *arch);

#endif

/**
 * @file General registers that instructions of x86 write.
 */
#ifndef PD_UNWIND_X86_WRITES_H
#define PD_UNWIND_X86_WRITES_H

#include "unwind/machines/x86_insn.h"

/**
 * Mask of the general registers that the instruction writes in whole or in part, by their encoding,
 * except for what pushes and pops write.
 */
uint16_t unw_x86_insn_writes(const struct unw_x86_insn *insn);

#endif

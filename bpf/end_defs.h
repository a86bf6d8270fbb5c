/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/* Reasons why a walk by tables ends, one row each: E(name, text). */
/* clang-format off */
#define BW_ENDS(E)                                                                                 \
	E(ROOT, "reached the root")                                                                \
	E(ROOT_DOUBTFUL, "reached the root, but frame pointers may have skipped a caller")         \
	E(EXPRESSION, "the frame needs a DWARF expression")                                        \
	E(REGISTER, "the return address is in a register that is not followed")                    \
	E(GUESS, "the frame can only be guessed from instructions")                                \
	E(LOST_REG, "the frame depends on a register whose value is unknown")                      \
	E(NO_MAPPING, "address in no mapping of code")                                             \
	E(NO_TABLE, "no table for the mapping, and no frame pointer")                              \
	E(LOADING, "the table of the mapping is still being made")                                 \
	E(NO_CFI, "no call frame information and no frame pointer")                                \
	E(BAD_CFI, "invalid call frame information")                                               \
	E(MEMORY, "memory could not be read")                                                      \
	E(CYCLE, "the stack contains a cycle")                                                     \
	E(LIMIT, "frame limit reached")
/* clang-format on */

/* Reasons why an unwind ended, one row each: E(name, text). */
/* clang-format off */
#define PD_UNWIND_ENDS(E)                                                                          \
	E(ROOT, "reached the root")                                                                \
	E(ROOT_DOUBTFUL, "reached the root, but frame pointers may have skipped a caller")         \
	E(STACK_SHORT, "captured stack too short")                                                 \
	E(NO_REGS, "no user registers in the sample")                                              \
	E(NO_MAPPING, "address in no mapping")                                                     \
	E(NO_FILE, "binary not found or not readable")                                             \
	E(WRONG_BUILD_ID, "binary has another build id")                                           \
	E(NO_CFI, "no call frame information and no frame pointer")                                \
	E(BAD_CFI, "invalid call frame information")                                               \
	E(LOST_REG, "the caller's frame depends on a register whose value is unknown")             \
	E(OTHER_STACK, "the rest is on another stack, which was not captured")                     \
	E(BAD_MEMORY, "needed memory outside the captured stack")                                  \
	E(NO_STACK, "no stack captured: the kernel could not read any of it")                      \
	E(CYCLE, "the stack contains a cycle")                                                     \
	E(LIMIT, "frame limit reached")
/* clang-format on */

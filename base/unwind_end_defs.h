/*
 * Reasons why an unwind ended, one row each: E(name, text, advice).
 * The advice may name options of perf, but none of the program that prints it.
 */
/* clang-format off */
#define PD_UNWIND_ENDS(E)                                                                          \
	E(ROOT, "reached the root", "")                                                            \
	E(STACK_SHORT, "captured stack too short", "")                                             \
	E(NO_REGS, "no user registers in the sample", "")                                          \
	E(NO_MAPPING, "address in no mapping",                                                     \
		"if records were lost, mappings may be among them: record with a larger buffer")   \
	E(NO_FILE, "binary not found or not readable",                                             \
		"copy the binary to this machine or to the symfs directory")                       \
	E(WRONG_BUILD_ID, "binary has another build id",                                           \
		"find the binary that was recorded, for example with perf archive")                \
	E(NO_CFI, "no call frame information and no frame pointer",                                \
		"build with -fasynchronous-unwind-tables or -fno-omit-frame-pointer")              \
	E(BAD_CFI, "invalid call frame information", "")                                           \
	E(LOST_REG, "the caller's frame depends on a register whose value is unknown",             \
		"record all user registers, as the call graph dwarf of perf does")               \
	E(OTHER_STACK, "the stack that a signal interrupted was not captured",                     \
		"stitching may find the rest")                                                     \
	E(BAD_MEMORY, "needed memory outside the captured stack", "")                              \
	E(NO_STACK, "no stack captured: the kernel could not read any of it", "")                  \
	E(CYCLE, "the stack contains a cycle", "")                                                 \
	E(LIMIT, "frame limit reached", "raise the frame limit")
/* clang-format on */

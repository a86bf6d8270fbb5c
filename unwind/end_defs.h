/*
 * Why a walk ended, one row each: E(name, text, advice).
 */
/* clang-format off */
#define UNW_ENDS(E)                                                                                \
	E(ROOT, "reached the root", "")                                                            \
	E(STACK_SHORT, "captured stack slice too short", "")                                       \
	E(NO_REGS, "no user registers in the sample", "")                                          \
	E(NO_MAPPING, "address in no mapping",                                                     \
		"if records were lost, mappings may be among them: record with a larger buffer, -m") \
	E(NO_FILE, "binary not found, or not readable",                                            \
		"copy the binary here, or point --symfs at it")                                    \
	E(WRONG_BUILD_ID, "binary has another build id",                                           \
		"find the binary that was recorded, or record with perf's build-id cache")         \
	E(NO_CFI, "no call frame information and no frame pointer",                                \
		"build with -fasynchronous-unwind-tables or -fno-omit-frame-pointer")              \
	E(BAD_CFI, "call frame information makes no sense", "")                                    \
	E(LOST_REG, "the caller's place is in a register whose value is not known",                \
		"record all user registers, as --call-graph dwarf does by itself")                 \
	E(BAD_MEMORY, "unreadable memory, outside the captured stack", "")                     \
	E(NO_STACK, "no stack was captured: the kernel could read none of it", "")                 \
	E(CYCLE, "the stack turns back on itself", "")                                             \
	E(LIMIT, "frame limit reached", "raise --max-stack")
/* clang-format on */

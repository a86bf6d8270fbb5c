/*
 * Integers that consist of bit-fields: P(shift, width, name, type, NAMES) for each field, in
 * little-endian layout. type: UINT, MASK (each bit has a name) or ENUM (each value has a name).
 * Source: include/uapi/linux/perf_event.h of Linux.
 */
/* clang-format off */
#define PD_NO_NAMES NULL

/* union perf_mem_data_src */
#define PD_DATA_SRC_BITFIELDS(P)                                                                       \
	P(0, 5, mem_op, MASK, "NA", "LOAD", "STORE", "PFETCH", "EXEC")                             \
	P(5, 14, mem_lvl, MASK, "NA", "HIT", "MISS", "L1", "LFB", "L2", "L3", "LOC_RAM",           \
		"REM_RAM1", "REM_RAM2", "REM_CCE1", "REM_CCE2", "IO", "UNC")                       \
	P(19, 5, mem_snoop, MASK, "NA", "NONE", "HIT", "MISS", "HITM")                             \
	P(24, 2, mem_lock, MASK, "NA", "LOCKED")                                                   \
	P(26, 7, mem_dtlb, MASK, "NA", "HIT", "MISS", "L1", "L2", "WK", "OS")                      \
	P(33, 4, mem_lvl_num, ENUM, NULL, "L1", "L2", "L3", "L4", "L2_MHB", "MSC", "L0", "UNC",    \
		"CXL", "IO", "ANY_CACHE", "LFB", "RAM", "PMEM", "NA")                              \
	P(37, 1, mem_remote, UINT, PD_NO_NAMES)                                                    \
	P(38, 2, mem_snoopx, MASK, "FWD", "PEER")                                                  \
	P(40, 3, mem_blk, MASK, "NA", "DATA", "ADDR")                                              \
	P(43, 3, mem_hops, ENUM, NULL, "SAME_NODE", "SAME_SOCKET", "OTHER_SOCKET", "OTHER_BOARD")  \
	P(46, 5, mem_region, ENUM, "NA", "RSVD", "L_SHARE", "L_NON_SHARE", "O_IO", "O_SHARE",      \
		"O_NON_SHARE", "MMIO", "MEM0", "MEM1", "MEM2", "MEM3", "MEM4", "MEM5", "MEM6",     \
		"MEM7")

/* PERF_TXN_* */
#define PD_TRANSACTION_BITFIELDS(P)                                                                    \
	P(0, 8, flags, MASK, "ELISION", "TRANSACTION", "SYNC", "ASYNC", "RETRY", "CONFLICT",       \
		"CAPACITY_WRITE", "CAPACITY_READ")                                                 \
	P(32, 32, abort_code, UINT, PD_NO_NAMES)

/* union perf_sample_weight */
#define PD_WEIGHT_STRUCT_BITFIELDS(P)                                                                  \
	P(0, 32, var1_dw, UINT, PD_NO_NAMES)                                                       \
	P(32, 16, var2_w, UINT, PD_NO_NAMES)                                                       \
	P(48, 16, var3_w, UINT, PD_NO_NAMES)

/* The flags of struct perf_branch_entry. */
#define PD_BRANCH_FLAGS_BITFIELDS(P)                                                                   \
	P(0, 1, mispred, UINT, PD_NO_NAMES)                                                        \
	P(1, 1, predicted, UINT, PD_NO_NAMES)                                                      \
	P(2, 1, in_tx, UINT, PD_NO_NAMES)                                                          \
	P(3, 1, abort, UINT, PD_NO_NAMES)                                                          \
	P(4, 16, cycles, UINT, PD_NO_NAMES)                                                        \
	P(20, 4, type, ENUM, "UNKNOWN", "COND", "UNCOND", "IND", "CALL", "IND_CALL", "RET",        \
		"SYSCALL", "SYSRET", "COND_CALL", "COND_RET", "ERET", "IRQ", "SERROR", "NO_TX",    \
		"EXTEND_ABI")                                                                      \
	P(24, 2, spec, ENUM, "NA", "WRONG_PATH", "NON_SPEC_CORRECT_PATH", "SPEC_CORRECT_PATH")     \
	P(26, 4, new_type, ENUM, "FAULT_ALGN", "FAULT_DATA", "FAULT_INST", "ARCH_1", "ARCH_2",     \
		"ARCH_3", "ARCH_4", "ARCH_5")                                                      \
	P(30, 3, priv, ENUM, "UNKNOWN", "USER", "KERNEL", "HV")

/* Names of the bits of attr.read_format and attr.branch_sample_type, from bit 0 on. */
#define PD_READ_FORMAT_NAMES "TOTAL_TIME_ENABLED", "TOTAL_TIME_RUNNING", "ID", "GROUP", "LOST"
#define PD_BRANCH_SAMPLE_TYPE_NAMES                                                                \
	"USER", "KERNEL", "HV", "ANY", "ANY_CALL", "ANY_RETURN", "IND_CALL", "ABORT_TX", "IN_TX",  \
		"NO_TX", "COND", "CALL_STACK", "IND_JUMP", "CALL", "NO_FLAGS", "NO_CYCLES",        \
		"TYPE_SAVE", "HW_INDEX", "PRIV_SAVE", "COUNTERS"
/* clang-format on */

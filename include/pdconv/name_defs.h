/*
 * Names of numbers in attrs and records. Source: include/uapi/linux/perf_event.h and
 * hw_breakpoint.h of Linux; names of events are those that perf prints.
 *
 * N(number, "name") for each value or bit, E(id, "name", "other name") for each generic event,
 * C(id, ops, "name", other names...) for each cache and the operations that it has, O(id, "one",
 * "many") for each of these operations.
 */
/* clang-format off */

/* PERF_RECORD_MISC_CPUMODE_MASK */
#define PD_CPU_MODES(N)                                                                            \
	N(0, "unknown") N(1, "kernel") N(2, "user") N(3, "hypervisor") N(4, "guest kernel")        \
	N(5, "guest user")

/* PERF_TYPE_* */
#define PD_ATTR_TYPES(N)                                                                           \
	N(0, "hardware") N(1, "software") N(2, "tracepoint") N(3, "hw-cache") N(4, "raw")          \
	N(5, "breakpoint")

/* HW_BREAKPOINT_*, by bit */
#define PD_BREAKPOINT_KINDS(N) N(0, "r") N(1, "w") N(2, "x")

/* perf_event_attr.precise_ip */
#define PD_PRECISIONS(N)                                                                           \
	N(0, "arbitrary-skid") N(1, "constant-skid") N(2, "requested-no-skid") N(3, "no-skid")

/* PERF_SAMPLE_REGS_ABI_* */
#define PD_REGS_ABIS(N) N(0, "none") N(1, "32-bit") N(2, "64-bit")

/* PERF_AUX_FLAG_*, by bit; bits 8 to 15 are the format */
#define PD_AUX_FLAGS(N) N(0, "truncated") N(1, "overwrite") N(2, "partial") N(3, "collision")

/* PERF_AUX_FLAG_CORESIGHT_FORMAT_*, shifted to bit 0: CoreSight is the only PMU with formats. */
#define PD_AUX_FORMATS(N) N(0, "coresight") N(1, "raw")

/* PERF_RECORD_KSYMBOL_TYPE_* */
#define PD_KSYM_TYPES(N) N(0, "unknown") N(1, "bpf") N(2, "out-of-line")

/* PERF_BPF_EVENT_* */
#define PD_BPF_EVENTS(N) N(0, "unknown") N(1, "load") N(2, "unload")

/* PERF_COUNT_HW_* */
#define PD_HARDWARE_EVENTS(E)                                                                      \
	E(0, "cycles", "cpu-cycles")                                                               \
	E(1, "instructions", NULL)                                                                 \
	E(2, "cache-references", NULL)                                                             \
	E(3, "cache-misses", NULL)                                                                 \
	E(4, "branches", "branch-instructions")                                                    \
	E(5, "branch-misses", NULL)                                                                \
	E(6, "bus-cycles", NULL)                                                                   \
	E(7, "stalled-cycles-frontend", "idle-cycles-frontend")                                    \
	E(8, "stalled-cycles-backend", "idle-cycles-backend")                                      \
	E(9, "ref-cycles", NULL)

/* PERF_COUNT_SW_* */
#define PD_SOFTWARE_EVENTS(E)                                                                      \
	E(0, "cpu-clock", NULL)                                                                    \
	E(1, "task-clock", NULL)                                                                   \
	E(2, "page-faults", "faults")                                                              \
	E(3, "context-switches", "cs")                                                             \
	E(4, "cpu-migrations", "migrations")                                                       \
	E(5, "minor-faults", NULL)                                                                 \
	E(6, "major-faults", NULL)                                                                 \
	E(7, "alignment-faults", NULL)                                                             \
	E(8, "emulation-faults", NULL)                                                             \
	E(9, "dummy", NULL)                                                                        \
	E(10, "bpf-output", NULL)                                                                  \
	E(11, "cgroup-switches", NULL)

/* PERF_COUNT_HW_CACHE_*. ops: a bit for each PERF_COUNT_HW_CACHE_OP_*. */
#define PD_CACHES(C)                                                                               \
	C(0, 7, "L1-dcache", "l1-d", "l1d", "L1-data")                                             \
	C(1, 5, "L1-icache", "l1-i", "l1i", "L1-instruction")                                      \
	C(2, 7, "LLC", "L2", NULL, NULL)                                                           \
	C(3, 7, "dTLB", "d-tlb", "Data-TLB", NULL)                                                 \
	C(4, 1, "iTLB", "i-tlb", "Instruction-TLB", NULL)                                          \
	C(5, 1, "branch", "bpu", "btb", "bpc")                                                     \
	C(6, 7, "node", NULL, NULL, NULL)

/* PERF_COUNT_HW_CACHE_OP_* */
#define PD_CACHE_OPS(O) O(0, "load", "loads") O(1, "store", "stores") O(2, "prefetch", "prefetches")

/* PERF_COUNT_HW_CACHE_RESULT_* */
#define PD_CACHE_RESULTS(N) N(0, "refs") N(1, "misses")
/* clang-format on */

/*
 * Fields of samples in addition to stack and period: F(NAME), each named as its bit in
 * perf_event_attr.sample_type.
 *
 * Kinds of events: K(NAME), each named as its PERF_TYPE_* in perf_event_attr.type. OTHER: events of
 * a PMU with a dynamic type number.
 */
/* clang-format off */
#define PROF_FIELDS(F)                                                    \
	F(IP)                                                             \
	F(TID)                                                            \
	F(TIME)                                                           \
	F(ADDR)                                                           \
	F(CPU)                                                            \
	F(CALLCHAIN)                                                      \
	F(BRANCH_STACK)                                                   \
	F(RAW)                                                            \
	F(WEIGHT)                                                         \
	F(WEIGHT_STRUCT)                                                  \
	F(DATA_SRC)                                                       \
	F(REGS_USER)                                                      \
	F(REGS_INTR)                                                      \
	F(PHYS_ADDR)                                                      \
	F(DATA_PAGE_SIZE)                                                 \
	F(CODE_PAGE_SIZE)                                                 \
	F(TRANSACTION)                                                    \
	F(CGROUP)

#define PROF_EVENT_KINDS(K)                                               \
	K(HARDWARE)                                                       \
	K(SOFTWARE)                                                       \
	K(TRACEPOINT)                                                     \
	K(HW_CACHE)                                                       \
	K(RAW)                                                            \
	K(BREAKPOINT)                                                     \
	K(OTHER)
/* clang-format on */

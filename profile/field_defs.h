/*
 * What a sample may have in addition to its stack and its period: F(NAME), each named as the bit of
 * perf_event_attr.sample_type that records it.
 *
 * The kinds of events: K(NAME), each named as the PERF_TYPE_* of perf_event_attr.type; events of a PMU
 * that has a type number of its own are OTHER.
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
	F(CODE_PAGE_SIZE)

#define PROF_EVENT_KINDS(K)                                               \
	K(HARDWARE)                                                       \
	K(SOFTWARE)                                                       \
	K(TRACEPOINT)                                                     \
	K(HW_CACHE)                                                       \
	K(RAW)                                                            \
	K(BREAKPOINT)                                                     \
	K(OTHER)
/* clang-format on */

/*
 * Ratios of two events that say more than their counts:
 *
 *   R("key", "title", "numerator", "denominator", scale, "meaning")
 *
 * Events are named without modifiers and PMU. The ratio is scale * numerator / denominator.
 */
/* clang-format off */
#define ANA_RATIOS(R)                                                                              \
	R("ipc", "IPC", "instructions", "cycles", 1, "instructions per cycle")                     \
	R("branch_miss_percent", "br-miss %", "branch-misses", "branches", 100,                    \
		"mispredicted branches in percent")                                                \
	R("cache_miss_percent", "cache-miss %", "cache-misses", "cache-references", 100,           \
		"accesses of the last-level cache that missed in percent")                         \
	R("branch_misses_per_1000", "br-misses/1k", "branch-misses", "instructions", 1000,         \
		"mispredicted branches per thousand instructions")                                 \
	R("cache_misses_per_1000", "cache-misses/1k", "cache-misses", "instructions", 1000,        \
		"misses of the last-level cache per thousand instructions")                        \
	R("l1d_misses_per_1000", "L1d-misses/1k", "L1-dcache-load-misses", "instructions", 1000,   \
		"loads that missed the first-level cache per thousand instructions")               \
	R("llc_misses_per_1000", "LLC-misses/1k", "LLC-load-misses", "instructions", 1000,         \
		"loads that missed the last-level cache per thousand instructions")                \
	R("dtlb_misses_per_1000", "dTLB-misses/1k", "dTLB-load-misses", "instructions", 1000,      \
		"loads that missed the TLB per thousand instructions")

/* Other names of events: S("other name", "name"). */
#define ANA_EVENT_SYNONYMS(S)                                                                      \
	S("cpu-cycles", "cycles")                                                                  \
	S("branch-instructions", "branches")                                                       \
	S("L1-dcache-loads-misses", "L1-dcache-load-misses")                                       \
	S("LLC-loads-misses", "LLC-load-misses")                                                   \
	S("dTLB-loads-misses", "dTLB-load-misses")
/* clang-format on */

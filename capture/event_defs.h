/*
 * Words of event lists: S(type, config, "NAME", "ALIAS") for each named event,
 * C(id, ops, "NAME", ...) for each cache and its operations,
 * W(part, value, "WORD") for each word after the name of a cache,
 * M(letter, "meaning") for each modifier, T(name, "WORD", "meaning") for each term of every event.
 * Source: include/uapi/linux/perf_event.h of Linux, perf-list(1).
 */
/* clang-format off */
#define CAP_SYMBOLS(S)                                                                             \
	S(HARDWARE, 0, "cpu-cycles", "cycles")                                                     \
	S(HARDWARE, 1, "instructions", NULL)                                                       \
	S(HARDWARE, 2, "cache-references", NULL)                                                   \
	S(HARDWARE, 3, "cache-misses", NULL)                                                       \
	S(HARDWARE, 4, "branch-instructions", "branches")                                          \
	S(HARDWARE, 5, "branch-misses", NULL)                                                      \
	S(HARDWARE, 6, "bus-cycles", NULL)                                                         \
	S(HARDWARE, 7, "stalled-cycles-frontend", "idle-cycles-frontend")                          \
	S(HARDWARE, 8, "stalled-cycles-backend", "idle-cycles-backend")                            \
	S(HARDWARE, 9, "ref-cycles", NULL)                                                         \
	S(SOFTWARE, 0, "cpu-clock", NULL)                                                          \
	S(SOFTWARE, 1, "task-clock", NULL)                                                         \
	S(SOFTWARE, 2, "page-faults", "faults")                                                    \
	S(SOFTWARE, 3, "context-switches", "cs")                                                   \
	S(SOFTWARE, 4, "cpu-migrations", "migrations")                                             \
	S(SOFTWARE, 5, "minor-faults", NULL)                                                       \
	S(SOFTWARE, 6, "major-faults", NULL)                                                       \
	S(SOFTWARE, 7, "alignment-faults", NULL)                                                   \
	S(SOFTWARE, 8, "emulation-faults", NULL)                                                   \
	S(SOFTWARE, 9, "dummy", NULL)                                                              \
	S(SOFTWARE, 10, "bpf-output", NULL)                                                        \
	S(SOFTWARE, 11, "cgroup-switches", NULL)

#define CAP_CACHES(C)                                                                              \
	C(0, READ | WRITE | PREFETCH, "L1-dcache", "l1-d", "l1d", "L1-data")                       \
	C(1, READ | PREFETCH, "L1-icache", "l1-i", "l1i", "L1-instruction")                        \
	C(2, READ | WRITE | PREFETCH, "LLC", "L2", NULL, NULL)                                     \
	C(3, READ | WRITE | PREFETCH, "dTLB", "d-tlb", "Data-TLB", NULL)                           \
	C(4, READ, "iTLB", "i-tlb", "Instruction-TLB", NULL)                                       \
	C(5, READ, "branch", "bpu", "btb", "bpc")                                                  \
	C(6, READ | WRITE | PREFETCH, "node", NULL, NULL, NULL)

#define CAP_CACHE_WORDS(W)                                                                         \
	W(OP, 0, "load") W(OP, 0, "loads") W(OP, 0, "read")                                        \
	W(OP, 1, "store") W(OP, 1, "stores") W(OP, 1, "write")                                     \
	W(OP, 2, "prefetch") W(OP, 2, "prefetches")                                                \
	W(OP, 2, "speculative-read") W(OP, 2, "speculative-load")                                  \
	W(RESULT, 0, "refs") W(RESULT, 0, "Reference")                                             \
	W(RESULT, 0, "ops") W(RESULT, 0, "access")                                                 \
	W(RESULT, 1, "misses") W(RESULT, 1, "miss")

#define CAP_MODIFIERS(M)                                                                           \
	M('u', "in user space")                                                                    \
	M('k', "in the kernel")                                                                    \
	M('h', "in the hypervisor")                                                                \
	M('H', "in the host")                                                                      \
	M('G', "in guests")                                                                        \
	M('I', "not while idle")                                                                   \
	M('p', "more precise; up to three times")                                                  \
	M('P', "as precise as it gets")                                                            \
	M('S', "samples hold the counts of the group")                                             \
	M('D', "always on the counter")                                                            \
	M('e', "alone on the counters")                                                            \
	M('W', "without the group if that does not open")

#define CAP_TERMS(T)                                                                               \
	T(CONFIG, "config", "the config as a number")                                              \
	T(CONFIG1, "config1", "")                                                                  \
	T(CONFIG2, "config2", "")                                                                  \
	T(CONFIG3, "config3", "")                                                                  \
	T(PERIOD, "period", "events from sample to sample")                                        \
	T(FREQ, "freq", "samples per second")                                                      \
	T(NAME, "name", "what the event is called")
/* clang-format on */

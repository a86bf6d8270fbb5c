/*
 * Words of event lists, in addition to the names of events and caches in pdconv/name_defs.h:
 * W(part, value, "WORD") for each word after the name of a cache,
 * M(letter, "meaning") for each modifier, T(name, "WORD", "meaning") for each term of every event.
 * Source: include/uapi/linux/perf_event.h of Linux, perf-list(1).
 */
/* clang-format off */
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

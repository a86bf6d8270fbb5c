/*
 * Fields of the records of simpleperf, Android's recorder: see pdconv/record_defs.h. Their header
 * has no misc: it holds the upper half of a 32-bit size. Source: system/extras/simpleperf/record.h
 * of Android.
 */
/* clang-format off */
#define PD_KERNEL_SYMBOL_FIELDS(F, T)                                                              \
	F(T, u32, data_size, DEC, "bytes")                                                         \
	F(T, sized_text(1, 0), kallsyms, STR, "as /proc/kallsyms")

#define PD_SIMPLEPERF_DSO_FIELDS(F, T)                                                             \
	F(T, u64, dso_type, DEC, "0 kernel 1 module 2 ELF 3 dex")                                  \
	F(T, u64, dso_id, DEC, "")                                                                 \
	F(T, u64, min_vaddr, HEX, "of its code")                                                   \
	F(T, str, name, STR, "path")

#define PD_SIMPLEPERF_SYMBOL_FIELDS(F, T)                                                          \
	F(T, u64, addr, HEX, "in the binary")                                                      \
	F(T, u64, len, HEX, "bytes")                                                               \
	F(T, u64, dso_id, DEC, "")                                                                 \
	F(T, str, name, STR, "symbol")

#define PD_SPLIT_FIELDS(F, T)                                                                      \
	F(T, bytes, data, HEX, "part of a larger record")

#define PD_EVENT_ID_FIELDS(F, T)                                                                   \
	F(T, u64, nr, DEC, "entries")                                                              \
	F(T, list(event_id_entry, 1), entries, DEC, "")

#define PD_SIMPLEPERF_CALLCHAIN_FIELDS(F, T)                                                       \
	F(T, u32, pid, DEC, "process")                                                             \
	F(T, u32, tid, DEC, "thread")                                                              \
	F(T, u64, chain_type, DEC, "")                                                             \
	F(T, u64, time, TIME, "when")                                                              \
	F(T, u64, nr, DEC, "frames")                                                               \
	F(T, u64s(1), ips, HEX, "addresses, leaf first")                                           \
	F(T, u64s(2), sps, HEX, "stack pointers")

#define PD_UNWINDING_RESULT_FIELDS(F, T)                                                           \
	F(T, u64, time, TIME, "of the sample")                                                     \
	F(T, u64, used_time, TIME, "spent")                                                        \
	F(T, u64, error_code, DEC, "")                                                             \
	F(T, u64, error_addr, HEX, "")                                                             \
	F(T, u64, stack_start, HEX, "")                                                            \
	F(T, u64, stack_end, HEX, "")                                                              \
	F(T, bytes, data, HEX, "")

#define PD_SIMPLEPERF_TRACING_DATA_FIELDS(F, T)                                                    \
	F(T, u32, data_size, DEC, "bytes")                                                         \
	F(T, sized(1, 0), data, HEX, "tracing data")

#define PD_SIMPLEPERF_DEBUG_FIELDS(F, T)                                                           \
	F(T, u64, time, TIME, "when")                                                              \
	F(T, str, text, STR, "")

#define PD_EVENT_ID_ENTRY_FIELDS(F, T)                                                             \
	F(T, u64, attr_index, DEC, "place in the attr table")                                      \
	F(T, u64, event_id, HEX, "event instance")

#define PD_SIMPLEPERF_STRUCTS(S)                                                                   \
	S(event_id_entry, PD_EVENT_ID_ENTRY_FIELDS)

#define PD_SIMPLEPERF_RECORDS(R)                                                                   \
	R(SIMPLEPERF_KERNEL_SYMBOL, 32769, 0, kernel_symbol, PD_KERNEL_SYMBOL_FIELDS, false)       \
	R(SIMPLEPERF_DSO, 32770, 0, simpleperf_dso, PD_SIMPLEPERF_DSO_FIELDS, false)               \
	R(SIMPLEPERF_SYMBOL, 32771, 0, simpleperf_symbol, PD_SIMPLEPERF_SYMBOL_FIELDS, false)      \
	R(SIMPLEPERF_SPLIT, 32772, 0, split, PD_SPLIT_FIELDS, false)                               \
	R(SIMPLEPERF_SPLIT_END, 32773, 0, split_end, PD_NO_FIELDS, false)                          \
	R(SIMPLEPERF_EVENT_ID, 32774, 0, event_id, PD_EVENT_ID_FIELDS, false)                      \
	R(SIMPLEPERF_CALLCHAIN, 32775, 0, simpleperf_callchain,                                    \
		PD_SIMPLEPERF_CALLCHAIN_FIELDS, false)                                             \
	R(SIMPLEPERF_UNWINDING_RESULT, 32776, 0, unwinding_result,                                 \
		PD_UNWINDING_RESULT_FIELDS, false)                                                 \
	R(SIMPLEPERF_TRACING_DATA, 32777, 0, simpleperf_tracing_data,                              \
		PD_SIMPLEPERF_TRACING_DATA_FIELDS, false)                                          \
	R(SIMPLEPERF_DEBUG, 32778, 0, simpleperf_debug, PD_SIMPLEPERF_DEBUG_FIELDS, false)
/* clang-format on */

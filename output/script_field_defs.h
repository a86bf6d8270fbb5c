/*
 * Tables of the script format's fields. Names, order and defaults are those of `perf script` of
 * Linux 6.12.
 *
 *   F(NAME, "name", needs, defaults, invalid, write, "help")
 *
 * is a field. Fields are printed in the order of the table, not in the order of the request.
 * needs: the part of a sample that it prints (enum prof_field); NOTHING: every sample has it.
 * defaults: kinds of events (bits of enum script_kind) that are printed with the field by default.
 * invalid: kinds of events that cannot have it.
 * write: the function that prints it; NULL if the writer of another field does.
 *
 *   T(KIND, "name", "perf's term for such events")
 *
 * is a kind of events. The name stands before a field list, as in "trace:comm,pid"; NULL: it cannot
 * be named.
 *
 *   X("name", "reason")
 *
 * is a field of perf that is not supported, and why.
 */
/* clang-format off */
#define SCRIPT_KINDS(T)                                                                            \
	T(HW, "hw", "hardware")                                                                    \
	T(SW, "sw", "software")                                                                    \
	T(TRACE, "trace", "tracepoint")                                                            \
	T(HW_CACHE, "hw-cache", "hardware cache")                                                  \
	T(RAW, "raw", "raw")                                                                       \
	T(BREAK, "break", "breakpoint")                                                            \
	T(SYNTH, "synth", "synthesized")                                                           \
	T(OTHER, NULL, "other")

#define SCRIPT_FIELDS(F)                                                                           \
	F(COMM, "comm", NOTHING, ALL, 0, write_comm,                                               \
		"name of the thread")                                                              \
	F(PID, "pid", PROF_FIELD_TID, 0, 0, write_ids,                                             \
		"process id; printed as \"PID/TID\" with tid")                                     \
	F(TID, "tid", PROF_FIELD_TID, ALL, 0, write_tid,                                           \
		"thread id")                                                                       \
	F(CPU, "cpu", PROF_FIELD_CPU, ALL, 0, write_cpu,                                           \
		"CPU number, \"[003]\"")                                                           \
	F(TIME, "time", PROF_FIELD_TIME, ALL, 0, write_time,                                       \
		"time in seconds, with 6 decimal places (9 if nanoseconds are requested)")         \
	F(PERIOD, "period", NOTHING, ALL & ~TRACE, 0, write_period,                                \
		"number of events the sample represents")                                          \
	F(EVENT, "event", NOTHING, ALL, 0, write_event,                                            \
		"name of the event")                                                               \
	F(FLAGS, "flags", NOTHING, 0, 0, write_flags,                                              \
		"branch flags of decoded hardware traces; blank for other samples")                \
	F(TRACE, "trace", NOTHING, TRACE, ALL & ~TRACE, write_trace,                               \
		"tracepoint fields, \"name=value\"")                                               \
	F(ADDR, "addr", PROF_FIELD_ADDR, RAW, 0, write_addr,                                       \
		"data address; for page faults with sym and dso")                                  \
	F(DATA_SRC, "data_src", PROF_FIELD_DATA_SRC, RAW, 0, write_data_src,                       \
		"source of the accessed data")                                                     \
	F(WEIGHT, "weight", PROF_FIELD_WEIGHT, RAW, 0, write_weight,                               \
		"cost (latency) of the access")                                                    \
	F(INS_LAT, "ins_lat", PROF_FIELD_WEIGHT_STRUCT, RAW, 0, write_ins_lat,                     \
		"latency of the instruction")                                                      \
	F(IP, "ip", PROF_FIELD_IP, ALL & ~TRACE, 0, write_ip,                                      \
		"address, or the call stack if recorded, one line per frame")                      \
	F(SYM, "sym", NOTHING, ALL & ~TRACE, 0, NULL,                                              \
		"function name")                                                                   \
	F(SYMOFF, "symoff", NOTHING, ALL & ~TRACE, 0, NULL,                                        \
		"offset within the function, \"+0x1f\"; needs sym")                                \
	F(DSO, "dso", NOTHING, ALL & ~TRACE, 0, NULL,                                              \
		"binary, in parentheses")                                                          \
	F(DSOFF, "dsoff", NOTHING, 0, 0, NULL,                                                     \
		"offset of the address in the file, \"+0x1f\"; needs dso")                        \
	F(SRCLINE, "srcline", NOTHING, 0, 0, NULL,                                                 \
		"source file and line, on a separate line; needs ip")                              \
	F(IREGS, "iregs", PROF_FIELD_REGS_INTR, 0, 0, write_iregs,                                 \
		"registers at the interrupt")                                                      \
	F(UREGS, "uregs", PROF_FIELD_REGS_USER, 0, 0, write_uregs,                                 \
		"user-space registers")                                                            \
	F(BRSTACK, "brstack", NOTHING, 0, 0, write_brstack,                                        \
		"last branches, newest first: FROM/TO/predicted/transaction/abort/cycles/type")    \
	F(BRSTACKSYM, "brstacksym", NOTHING, 0, 0, write_brstacksym,                               \
		"like brstack, with function names")                                               \
	F(BPF_OUTPUT, "bpf-output", NOTHING, SW, ALL & ~(SW | TRACE), write_bpf_output,            \
		"bytes written by a BPF program")                                                  \
	F(PHYS_ADDR, "phys_addr", PROF_FIELD_PHYS_ADDR, RAW, 0, write_phys_addr,                   \
		"physical data address")                                                           \
	F(DATA_PAGE_SIZE, "data_page_size", PROF_FIELD_DATA_PAGE_SIZE, RAW, 0,                     \
		write_data_page_size, "page size of the data address")                             \
	F(CODE_PAGE_SIZE, "code_page_size", PROF_FIELD_CODE_PAGE_SIZE, RAW, 0,                     \
		write_code_page_size, "page size of the instruction address")

#define SCRIPT_MISSING_FIELDS(X)                                                                   \
	X("synth", "hardware traces are not decoded")                                              \
	X("callindent", "hardware traces are not decoded")                                         \
	X("insn", "hardware traces are not decoded")                                               \
	X("insnlen", "hardware traces are not decoded")                                            \
	X("ipc", "hardware traces are not decoded")                                                \
	X("brstackinsn", "instructions are not decoded")                                           \
	X("brstackinsnlen", "instructions are not decoded")                                        \
	X("brstackoff", "use brstack instead")                                                     \
	X("brstackdisasm", "instructions are not decoded")                                         \
	X("brcntr", "branch counters are not decoded")                                             \
	X("disasm", "hardware traces are not decoded")                                             \
	X("cgroup", "use pdconv dump instead")                                                     \
	X("retire_lat", "use pdconv dump instead")                                                 \
	X("metric", "perf stat counts are not supported")                                          \
	X("misc", "use pdconv dump instead")                                                       \
	X("srccode", "use srcline instead")                                                        \
	X("tod", "use time instead")                                                               \
	X("machine_pid", "guests are not distinguished")                                           \
	X("vcpu", "guests are not distinguished")
/* clang-format on */

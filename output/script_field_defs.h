/*
 * The fields of the format script, in the order in which they are printed, whatever the order in which
 * they are asked for:
 *
 *   F(NAME, "name", needs, defaults, invalid, write, "help")
 *
 * needs: what a sample must have for it (enum prof_field; NOTHING: every sample has it).
 * defaults, invalid: kinds of events that have it unless told otherwise, and that cannot have it
 * (enum script_kind, a bit each). write: what prints it; NULL if another field does. Names, order and
 * defaults are those of `perf script` of Linux 6.1.
 *
 *   T(KIND, "name", "as perf calls such events")
 *
 * is a kind of events, with its name in front of fields, or NULL.
 *
 *   X("name", "why it is not there")
 *
 * is a field of perf that is not printed here.
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
	F(COMM, "comm", NOTHING, ALL, 0, write_comm,                                                \
		"name of the thread")                                                              \
	F(PID, "pid", PROF_FIELD_TID, 0, 0, write_ids,                                              \
		"process; with tid, \"PID/TID\"")                                                  \
	F(TID, "tid", PROF_FIELD_TID, ALL, 0, write_tid,                                            \
		"thread")                                                                          \
	F(CPU, "cpu", PROF_FIELD_CPU, ALL, 0, write_cpu,                                            \
		"CPU, \"[003]\"")                                                                  \
	F(TIME, "time", PROF_FIELD_TIME, ALL, 0, write_time,                                        \
		"seconds, to microseconds or with --ns to nanoseconds")                            \
	F(PERIOD, "period", NOTHING, ALL & ~TRACE, 0, write_period,                       \
		"events that the sample stands for")                                               \
	F(EVENT, "event", NOTHING, ALL, 0, write_event,                                             \
		"name of the event")                                                               \
	F(FLAGS, "flags", NOTHING, 0, 0, write_flags,                                               \
		"what decoded hardware traces say of a branch; else room for it")                  \
	F(TRACE, "trace", NOTHING, TRACE, ALL & ~TRACE, write_trace,                                \
		"fields of a tracepoint, \"name=value\"")                                          \
	F(ADDR, "addr", PROF_FIELD_ADDR, RAW, 0, write_addr,                                        \
		"data address; of page faults with sym and dso")                                   \
	F(DATA_SRC, "data_src", PROF_FIELD_DATA_SRC, RAW, 0, write_data_src,                        \
		"where the data came from")                                                        \
	F(WEIGHT, "weight", PROF_FIELD_WEIGHT, RAW, 0, write_weight,                                \
		"cost of the access")                                                              \
	F(INS_LAT, "ins_lat", PROF_FIELD_WEIGHT_STRUCT, RAW, 0, write_ins_lat,                      \
		"latency of the instruction")                                                      \
	F(IP, "ip", PROF_FIELD_IP, ALL & ~TRACE, 0, write_ip,                                       \
		"address, or the stack if one was recorded: a line for each frame")                \
	F(SYM, "sym", NOTHING, ALL & ~TRACE, 0, NULL,                                               \
		"function")                                                                        \
	F(SYMOFF, "symoff", NOTHING, ALL & ~TRACE, 0, NULL,                                         \
		"offset in the function, \"+0x1f\"; with sym")                                     \
	F(DSO, "dso", NOTHING, ALL & ~TRACE, 0, NULL,                                               \
		"file, in parentheses")                                                            \
	F(SRCLINE, "srcline", NOTHING, 0, 0, NULL,                                                  \
		"source file and line, on a line of their own; with ip")                           \
	F(IREGS, "iregs", PROF_FIELD_REGS_INTR, 0, 0, write_iregs,                                  \
		"registers at the interrupt")                                                      \
	F(UREGS, "uregs", PROF_FIELD_REGS_USER, 0, 0, write_uregs,                                  \
		"registers of user space")                                                         \
	F(BRSTACK, "brstack", NOTHING, 0, 0, write_brstack,                                         \
		"last branches, newest first: FROM/TO/predicted/transaction/abort/cycles/type")    \
	F(BRSTACKSYM, "brstacksym", NOTHING, 0, 0, write_brstacksym,                                \
		"the same with functions")                                                         \
	F(BPF_OUTPUT, "bpf-output", NOTHING, SW, ALL & ~(SW | TRACE), write_bpf_output,             \
		"bytes that a BPF program put out")                                                \
	F(PHYS_ADDR, "phys_addr", PROF_FIELD_PHYS_ADDR, RAW, 0, write_phys_addr,                    \
		"physical data address")                                                           \
	F(DATA_PAGE_SIZE, "data_page_size", PROF_FIELD_DATA_PAGE_SIZE, RAW, 0,                      \
		write_data_page_size, "page of the data address")                                  \
	F(CODE_PAGE_SIZE, "code_page_size", PROF_FIELD_CODE_PAGE_SIZE, RAW, 0,                      \
		write_code_page_size, "page of the instruction")

#define SCRIPT_MISSING_FIELDS(X)                                                                   \
	X("synth", "hardware traces are not decoded")                                              \
	X("callindent", "hardware traces are not decoded")                                         \
	X("insn", "hardware traces are not decoded")                                               \
	X("insnlen", "hardware traces are not decoded")                                            \
	X("ipc", "hardware traces are not decoded")                                                \
	X("brstackinsn", "instructions are not shown")                                             \
	X("brstackinsnlen", "instructions are not shown")                                          \
	X("brstackoff", "see brstack")                                                             \
	X("metric", "counts of perf stat are not shown")                                           \
	X("misc", "see pdconv dump")                                                               \
	X("srccode", "see srcline")                                                                \
	X("tod", "see time")                                                                       \
	X("machine_pid", "guests are not told apart")                                              \
	X("vcpu", "guests are not told apart")
/* clang-format on */

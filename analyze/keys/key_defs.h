/*
 * Keys by which tables of samples are made, named as in perf report.
 *
 * K(NAME, "name", "title", of, tag, fields, "description")
 *
 *   of      what the key is a property of: the SAMPLE; a FRAME, so that a sample has it once for
 *           each frame; a BRANCH in the branch stack, which is then counted in place of the sample;
 *           a memory ACCESS, which weighs as much as it cost; or SUM, a column of the table
 *   tag     bit of the enum prof_tag that samples must be kept apart by; 0: none
 *   fields  PROF_FIELD_BIT()s: an event must have one of them; 0: every event has the key
 *
 * FIELD stands for the names of fields that tracepoints have: see struct ana_field.
 *
 * A("alias", NAME): another name, which perf or its documentation uses.
 *
 * U("name", "why"): keys of perf that tables do not have.
 */
/* clang-format off */
#define ANA_WEIGHT (PROF_FIELD_BIT(WEIGHT) | PROF_FIELD_BIT(WEIGHT_STRUCT))

#define ANA_KEYS(K)                                                                                \
	K(COMM, "comm", "Command", SAMPLE, 0, 0, "name of the thread")                             \
	K(COMM_NODIGIT, "comm_nodigit", "CommandNoDigit", SAMPLE, 0, 0,                            \
		"name of the thread, with <N> for its numbers")                                    \
	K(PID, "pid", "Pid:Command", SAMPLE, 0, 0, "process, with the name of its main thread")    \
	K(TID, "tid", "Tid:Command", SAMPLE, 0, 0, "thread, with its name")                        \
	K(CPU, "cpu", "CPU", SAMPLE, 1u << PROF_TAG_CPU, PROF_FIELD_BIT(CPU),                      \
		"number of the CPU")                                                               \
	K(SOCKET, "socket", "Socket", SAMPLE, 1u << PROF_TAG_CPU, PROF_FIELD_BIT(CPU),             \
		"number of the processor package")                                                 \
	K(CGROUP, "cgroup", "Cgroup", SAMPLE, 1u << PROF_TAG_CGROUP, PROF_FIELD_BIT(CGROUP),       \
		"path of the control group")                                                       \
	K(TIME, "time", "Time", SAMPLE, 1u << PROF_TAG_TIME, PROF_FIELD_BIT(TIME),                 \
		"time in seconds, in steps")                                                       \
	K(PARALLELISM, "parallelism", "Parallelism", SAMPLE, 1u << PROF_TAG_PARALLELISM, 0,        \
		"number of threads that were running")                                             \
	K(WAKER, "waker", "Waker", SAMPLE, 1u << PROF_TAG_TIME, 0,                                 \
		"thread that ended the wait, with its name")                                       \
	K(WAKER_COMM, "waker_comm", "Waker Command", SAMPLE, 1u << PROF_TAG_TIME, 0,               \
		"name of the thread that ended the wait")                                          \
	K(WAKER_SYM, "waker_sym", "Waker Symbol", SAMPLE, 1u << PROF_TAG_TIME, 0,                  \
		"function of the program that ended the wait")                                     \
	K(EVENT, "event", "Event", SAMPLE, 0, 0, "event")                                          \
	K(PARENT, "parent", "Parent symbol", SAMPLE, 0, 0,                                         \
		"outermost function of the stack that matches a pattern")                          \
	K(DSO, "dso", "Shared Object", FRAME, 0, 0, "binary")                                      \
	K(SYM, "sym", "Symbol", FRAME, 0, 0, "function")                                           \
	K(SRCFILE, "srcfile", "Source File", FRAME, 0, 0, "source file")                           \
	K(SRCLINE, "srcline", "Source:Line", FRAME, 0, 0, "source file and line")                  \
	K(TRACE, "trace", "Trace output", SAMPLE, 0, PROF_FIELD_BIT(RAW),                          \
		"text of the tracepoint")                                                          \
	K(FIELD, "FIELD", "", SAMPLE, 0, PROF_FIELD_BIT(RAW),                                      \
		"field of a tracepoint: prev_comm or sched:sched_switch.prev_comm")                \
	K(ADDR, "addr", "Address", SAMPLE, 0, PROF_FIELD_BIT(ADDR),                                \
		"data address, or what the event means by it")                                     \
	K(WEIGHT, "weight", "Weight", SAMPLE, 0, ANA_WEIGHT, "cost of the sample, summed up")      \
	K(LOCAL_WEIGHT, "local_weight", "Local Weight", SAMPLE, 0, ANA_WEIGHT,                     \
		"cost of a single sample")                                                         \
	K(INS_LAT, "ins_lat", "INSTR Latency", SAMPLE, 0, PROF_FIELD_BIT(WEIGHT_STRUCT),           \
		"cycles from dispatch to retirement, summed up")                                   \
	K(LOCAL_INS_LAT, "local_ins_lat", "Local INSTR Latency", SAMPLE, 0,                        \
		PROF_FIELD_BIT(WEIGHT_STRUCT), "cycles from dispatch to retirement")               \
	K(P_STAGE_CYC, "p_stage_cyc", "Pipeline Stage Cycle", SAMPLE, 0,                           \
		PROF_FIELD_BIT(WEIGHT_STRUCT), "cycles in a pipeline stage, summed up")            \
	K(LOCAL_P_STAGE_CYC, "local_p_stage_cyc", "Local Pipeline Stage Cycle", SAMPLE, 0,         \
		PROF_FIELD_BIT(WEIGHT_STRUCT), "cycles in a pipeline stage")                       \
	K(TRANSACTION, "transaction", "Transaction", SAMPLE, 0, PROF_FIELD_BIT(TRANSACTION),       \
		"how a memory transaction ended")                                                  \
	K(CODE_PAGE_SIZE, "code_page_size", "Code Page Size", SAMPLE, 0,                           \
		PROF_FIELD_BIT(CODE_PAGE_SIZE), "size of the page of the instruction")             \
	K(DSO_FROM, "dso_from", "Source Shared Object", BRANCH, 0, PROF_FIELD_BIT(BRANCH_STACK),   \
		"binary that branched")                                                            \
	K(DSO_TO, "dso_to", "Target Shared Object", BRANCH, 0, PROF_FIELD_BIT(BRANCH_STACK),       \
		"binary branched to")                                                              \
	K(SYM_FROM, "symbol_from", "Source Symbol", BRANCH, 0, PROF_FIELD_BIT(BRANCH_STACK),       \
		"function that branched")                                                          \
	K(SYM_TO, "symbol_to", "Target Symbol", BRANCH, 0, PROF_FIELD_BIT(BRANCH_STACK),           \
		"function branched to")                                                            \
	K(SRCLINE_FROM, "srcline_from", "From Source:Line", BRANCH, 0,                             \
		PROF_FIELD_BIT(BRANCH_STACK), "source line of the branch")                         \
	K(SRCLINE_TO, "srcline_to", "To Source:Line", BRANCH, 0, PROF_FIELD_BIT(BRANCH_STACK),     \
		"source line branched to")                                                         \
	K(ADDR_FROM, "addr_from", "Source Address", BRANCH, 0, PROF_FIELD_BIT(BRANCH_STACK),       \
		"address of the branch")                                                           \
	K(ADDR_TO, "addr_to", "Target Address", BRANCH, 0, PROF_FIELD_BIT(BRANCH_STACK),           \
		"address branched to")                                                             \
	K(MISPREDICT, "mispredict", "Branch Mispredicted", BRANCH, 0,                              \
		PROF_FIELD_BIT(BRANCH_STACK), "Y or N; N/A: not recorded")                         \
	K(IN_TX, "in_tx", "Branch in transaction", BRANCH, 0, PROF_FIELD_BIT(BRANCH_STACK),        \
		"T: in a memory transaction")                                                      \
	K(ABORT, "abort", "Transaction abort", BRANCH, 0, PROF_FIELD_BIT(BRANCH_STACK),            \
		"A: abort of a memory transaction")                                                \
	K(CYCLES, "cycles", "Basic Block Cycles", BRANCH, 0, PROF_FIELD_BIT(BRANCH_STACK),         \
		"cycles since the branch before")                                                  \
	K(MEM, "mem", "Memory access", ACCESS, 0, PROF_FIELD_BIT(DATA_SRC),                        \
		"cache or memory that had the data")                                               \
	K(TLB, "tlb", "TLB access", ACCESS, 0, PROF_FIELD_BIT(DATA_SRC),                           \
		"how the address was translated")                                                  \
	K(SNOOP, "snoop", "Snoop", ACCESS, 0, PROF_FIELD_BIT(DATA_SRC),                            \
		"state of the data in other caches")                                               \
	K(LOCKED, "locked", "Locked", ACCESS, 0, PROF_FIELD_BIT(DATA_SRC),                         \
		"whether the access was locked")                                                   \
	K(BLOCKED, "blocked", "Blocked", ACCESS, 0, PROF_FIELD_BIT(DATA_SRC),                      \
		"what blocked a load")                                                             \
	K(SYM_DADDR, "symbol_daddr", "Data Symbol", ACCESS, 0, PROF_FIELD_BIT(ADDR),               \
		"variable, function or memory that was accessed")                                           \
	K(DSO_DADDR, "dso_daddr", "Data Object", ACCESS, 0, PROF_FIELD_BIT(ADDR),                  \
		"binary that was accessed")                                                        \
	K(DCACHELINE, "dcacheline", "Data Cacheline", ACCESS, 0, PROF_FIELD_BIT(ADDR),             \
		"cache line of 64 bytes that was accessed")                                        \
	K(PHYS_DADDR, "phys_daddr", "Data Physical Address", ACCESS, 0, PROF_FIELD_BIT(PHYS_ADDR), \
		"physical address that was accessed")                                              \
	K(DATA_PAGE_SIZE, "data_page_size", "Data Page Size", ACCESS, 0,                           \
		PROF_FIELD_BIT(DATA_PAGE_SIZE), "size of the page that was accessed")              \
	K(OVERHEAD, "overhead", "self", SUM, 0, 0, "share of the samples at the leaf")             \
	K(OVERHEAD_CHILDREN, "overhead_children", "total", SUM, 0, 0,                              \
		"share of the samples with the row in their stack")                                \
	K(LATENCY, "latency", "latency", SUM, 1u << PROF_TAG_PARALLELISM, 0,                       \
		"overhead, divided by the number of threads that were running")                    \
	K(LATENCY_CHILDREN, "latency_children", "latency total", SUM,                              \
		1u << PROF_TAG_PARALLELISM, 0,                                                     \
		"the same of the samples with the row in their stack")                             \
	K(OVERHEAD_SYS, "overhead_sys", "sys", SUM, 0, 0, "part of overhead in the kernel")        \
	K(OVERHEAD_US, "overhead_us", "usr", SUM, 0, 0, "part of overhead in user space")          \
	K(OVERHEAD_GUEST_SYS, "overhead_guest_sys", "guest sys", SUM, 0, 0,                        \
		"part of overhead in the kernel of guests")                                        \
	K(OVERHEAD_GUEST_US, "overhead_guest_us", "guest usr", SUM, 0, 0,                          \
		"part of overhead in user space of guests")                                        \
	K(SAMPLES, "sample", "samples", SUM, 0, 0, "number of samples at the leaf")                \
	K(PERIOD, "period", "period", SUM, 0, 0, "sum of the periods at the leaf")

#define ANA_KEY_ALIASES(A)                                                                         \
	A("symbol", SYM)                                                                           \
	A("sym_from", SYM_FROM)                                                                    \
	A("sym_to", SYM_TO)                                                                        \
	A("sym_daddr", SYM_DADDR)                                                                  \
	A("tgid", PID)

#define ANA_MISSING_KEYS(U)                                                                        \
	U("symbol_size", "it is a property of the binary, not of the samples")                     \
	U("dso_size", "it is a property of the mapping, not of the samples")                       \
	U("symbol_iaddr", "it is that of sym")                                                     \
	U("cgroup_id", "names of control groups are shown by cgroup")                              \
	U("ipc_null", "it is always empty")                                                        \
	U("ipc_lbr", "it needs the code of the program")
/* clang-format on */

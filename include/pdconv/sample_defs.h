/*
 * The fields of a SAMPLE in wire order:
 *
 *   S(bit, NAME, kind, member, format, bitfields, in_sid, "meaning")
 *
 * bit: bit number in attr.sample_type (PERF_SAMPLE_*). kind: layout (enum pd_sample_kind). member:
 * member of struct pd_sample. format: see pdconv/layout.h. bitfields: table of bit-fields, see
 * pdconv/bitfield_defs.h. in_sid: the field is in the trailer of other records too, in the same
 * order, except that IDENTIFIER is last there. Source: perf_output_sample() in kernel/events/core.c
 * of Linux.
 */
/* clang-format off */
#define PD_SAMPLE_FIELDS(S)                                                                        \
	S(16, IDENTIFIER, U64, id, HEX, none, true,                                                \
		"event instance")                                                                  \
	S(0, IP, U64, ip, HEX, none, false,                                                        \
		"instruction pointer")                                                             \
	S(1, TID, U32_PAIR, pid, SIGNED, none, true,                                               \
		"process and thread")                                                              \
	S(2, TIME, U64, time, TIME, none, true,                                                    \
		"when, ns")                                                                        \
	S(3, ADDR, U64, addr, HEX, none, false,                                                    \
		"data address, or what the event means by it")                                     \
	S(6, ID, U64, id, HEX, none, true,                                                         \
		"event instance")                                                                  \
	S(9, STREAM_ID, U64, stream_id, HEX, none, true,                                           \
		"event instance on that CPU")                                                      \
	S(7, CPU, U32_PAIR, cpu, SIGNED, none, true,                                               \
		"CPU")                                                                             \
	S(8, PERIOD, U64, period, DEC, none, false,                                                \
		"events since the previous sample")                                                \
	S(4, READ, READ, read, DEC, none, false,                                                   \
		"counter values")                                                                  \
	S(5, CALLCHAIN, CALLCHAIN, callchain, DEC, none, false,                                    \
		"addresses and context markers, leaf first")                                       \
	S(10, RAW, RAW, raw, DEC, none, false,                                                     \
		"tracepoint fields, or the event's own data")                                      \
	S(11, BRANCH_STACK, BRANCH_STACK, branch_stack, DEC, none, false,                          \
		"last branches, newest first")                                                     \
	S(12, REGS_USER, REGS_USER, regs_user, DEC, none, false,                                   \
		"user registers")                                                                  \
	S(13, STACK_USER, STACK_USER, stack_user, DEC, none, false,                                \
		"user stack from its pointer upwards")                                             \
	S(14, WEIGHT, U64, weight, DEC, none, false,                                               \
		"cost of the access")                                                              \
	S(24, WEIGHT_STRUCT, U64, weight, HEX, weight_struct, false,                               \
		"cost of the access, three numbers")                                               \
	S(15, DATA_SRC, U64, data_src, HEX, data_src, false,                                       \
		"where the data came from")                                                        \
	S(17, TRANSACTION, U64, transaction, HEX, transaction, false,                              \
		"how a transaction ended")                                                         \
	S(18, REGS_INTR, REGS_INTR, regs_intr, DEC, none, false,                                   \
		"registers at the interrupt")                                                      \
	S(19, PHYS_ADDR, U64, phys_addr, HEX, none, false,                                         \
		"physical data address")                                                           \
	S(21, CGROUP, U64, cgroup, HEX, none, false,                                               \
		"cgroup")                                                                          \
	S(22, DATA_PAGE_SIZE, U64, data_page_size, DEC, none, false,                               \
		"bytes")                                                                           \
	S(23, CODE_PAGE_SIZE, U64, code_page_size, DEC, none, false,                               \
		"bytes")                                                                           \
	S(20, AUX, AUX, aux, DEC, none, false,                                                     \
		"AUX data")
/* clang-format on */

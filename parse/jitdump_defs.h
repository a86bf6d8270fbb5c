/*
 * Fields of jitdump files, jit-PID.dump, which programs with generated code write during a
 * recording. The notation is that of pdconv/record_defs.h. Source:
 * tools/perf/Documentation/jitdump-specification.txt of Linux.
 *
 * A file consists of a header and records: a prefix, then the body of R(NAME, id, member, fields).
 */
/* clang-format off */
#define PD_JITDUMP_HEADER_FIELDS(F, T)                                                             \
	F(T, u32, magic, HEX, "JiTD, in the writer's byte order")                                  \
	F(T, u32, version, DEC, "1")                                                               \
	F(T, u32, total_size, DEC, "bytes of this header")                                         \
	F(T, u32, elf_mach, DEC, "EM_* of elf.h")                                                  \
	F(T, u32, pad1, DEC, "")                                                                   \
	F(T, u32, pid, DEC, "as the process sees it")                                              \
	F(T, u64, timestamp, TIME, "when it was begun")                                            \
	F(T, u64, flags, HEX, "bit 0: timestamps of the architecture, not ns")

#define PD_JITDUMP_PREFIX_FIELDS(F, T)                                                             \
	F(T, u32, id, DEC, "kind of record")                                                       \
	F(T, u32, total_size, DEC, "bytes, with this prefix")                                      \
	F(T, u64, timestamp, TIME, "when it happened")

#define PD_JIT_CODE_LOAD_FIELDS(F, T)                                                              \
	F(T, u32, pid, DEC, "")                                                                    \
	F(T, u32, tid, DEC, "of the thread that generated it")                                     \
	F(T, u64, vma, HEX, "")                                                                    \
	F(T, u64, code_addr, HEX, "where it is in the process")                                    \
	F(T, u64, code_size, DEC, "bytes")                                                         \
	F(T, u64, code_index, DEC, "unique number of the code")                                          \
	F(T, str, name, STR, "function")                                                           \
	F(T, sized(3, 0), code, HEX, "the code itself")

#define PD_JIT_CODE_MOVE_FIELDS(F, T)                                                              \
	F(T, u32, pid, DEC, "")                                                                    \
	F(T, u32, tid, DEC, "")                                                                    \
	F(T, u64, vma, HEX, "")                                                                    \
	F(T, u64, old_code_addr, HEX, "")                                                          \
	F(T, u64, new_code_addr, HEX, "")                                                          \
	F(T, u64, code_size, DEC, "bytes")                                                         \
	F(T, u64, code_index, DEC, "of its CODE_LOAD")

#define PD_JIT_CODE_UNWINDING_INFO_FIELDS(F, T)                                                    \
	F(T, u64, unwinding_size, DEC, "bytes of .eh_frame and .eh_frame_hdr together")            \
	F(T, u64, eh_frame_hdr_size, DEC, "bytes of .eh_frame_hdr, which comes last")              \
	F(T, u64, mapped_size, DEC, "bytes of it that the process has mapped")                     \
	F(T, sized(3, 0), data, HEX, "of the CODE_LOAD that follows")

#define PD_JITDUMP_RECORDS(R)                                                                      \
	R(JIT_CODE_LOAD, 0, jit_code_load, PD_JIT_CODE_LOAD_FIELDS)                                \
	R(JIT_CODE_MOVE, 1, jit_code_move, PD_JIT_CODE_MOVE_FIELDS)                                \
	R(JIT_CODE_UNWINDING_INFO, 4, jit_code_unwinding_info, PD_JIT_CODE_UNWINDING_INFO_FIELDS)

#define PD_JITDUMP_STRUCTS(S)                                                                      \
	S(jitdump_header, PD_JITDUMP_HEADER_FIELDS)                                                \
	S(jitdump_prefix, PD_JITDUMP_PREFIX_FIELDS)
/* clang-format on */

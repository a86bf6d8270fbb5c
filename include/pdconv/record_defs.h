/*
 * Fields of the kernel's records in wire order, one list for each type, and the list of all
 * records.
 *
 *   F(T, kind, name, format, "meaning")
 *
 * T is the struct that the list is expanded for. Kinds and formats are described in
 * pdconv/layout.h.
 *
 *   R(NAME, type, misc, member, FIELDS, has_sid)
 *
 * defines a layout: `type` is the record type on the wire, `misc` the bit of the header's misc that
 * selects this layout (0: the default layout of the type), `member` the member of union pd_body,
 * and `has_sid` whether kernels append a sample id trailer. S(member, FIELDS) defines a struct
 * within records. Source: include/uapi/linux/perf_event.h of Linux.
 */
#include <pdconv/simpleperf_record_defs.h>
#include <pdconv/tool_record_defs.h>

/* clang-format off */
#define PD_NO_FIELDS(F, T)

#define PD_MMAP_FIELDS(F, T)                                                                       \
	F(T, u32, pid, DEC, "process")                                                             \
	F(T, u32, tid, DEC, "thread")                                                              \
	F(T, u64, addr, HEX, "start, process virtual address")                                     \
	F(T, u64, len, HEX, "bytes")                                                               \
	F(T, u64, pgoff, HEX, "file offset, bytes")                                                \
	F(T, str, filename, STR, "path in the task's mount namespace")

#define PD_LOST_FIELDS(F, T)                                                                       \
	F(T, u64, id, HEX, "event instance")                                                       \
	F(T, u64, lost, DEC, "records lost in that ring buffer")

#define PD_COMM_FIELDS(F, T)                                                                       \
	F(T, u32, pid, DEC, "process")                                                             \
	F(T, u32, tid, DEC, "thread")                                                              \
	F(T, str, comm, STR, "new name")

#define PD_TASK_FIELDS(F, T)                                                                       \
	F(T, u32, pid, DEC, "process")                                                             \
	F(T, u32, ppid, DEC, "parent process")                                                     \
	F(T, u32, tid, DEC, "thread")                                                              \
	F(T, u32, ptid, DEC, "parent thread")                                                      \
	F(T, u64, time, TIME, "when")

#define PD_THROTTLE_FIELDS(F, T)                                                                   \
	F(T, u64, time, TIME, "when")                                                              \
	F(T, u64, id, HEX, "event instance")                                                       \
	F(T, u64, stream_id, HEX, "event instance on that CPU")

#define PD_RAW_SAMPLE_FIELDS(F, T)                                                                 \
	F(T, bytes, data, HEX, "see pdconv/sample_defs.h")

#define PD_READ_FIELDS(F, T)                                                                       \
	F(T, u32, pid, DEC, "process")                                                             \
	F(T, u32, tid, DEC, "thread")                                                              \
	F(T, all_u64s, values, DEC, "as read_format says")

#define PD_MMAP2_FIELDS(F, T)                                                                      \
	F(T, u32, pid, DEC, "process")                                                             \
	F(T, u32, tid, DEC, "thread")                                                              \
	F(T, u64, addr, HEX, "start, process virtual address")                                     \
	F(T, u64, len, HEX, "bytes")                                                               \
	F(T, u64, pgoff, HEX, "file offset, bytes")                                                \
	F(T, u32, maj, HEX, "device, major number")                                                \
	F(T, u32, min, HEX, "device, minor number")                                                \
	F(T, u64, ino, DEC, "inode")                                                               \
	F(T, u64, ino_generation, DEC, "inode generation")                                         \
	F(T, u32, prot, HEX, "PROT_*")                                                             \
	F(T, u32, flags, HEX, "MAP_*")                                                             \
	F(T, str, filename, STR, "path in the task's mount namespace")

#define PD_MMAP2_BUILD_ID_FIELDS(F, T)                                                             \
	F(T, u32, pid, DEC, "process")                                                             \
	F(T, u32, tid, DEC, "thread")                                                              \
	F(T, u64, addr, HEX, "start, process virtual address")                                     \
	F(T, u64, len, HEX, "bytes")                                                               \
	F(T, u64, pgoff, HEX, "file offset, bytes")                                                \
	F(T, build_id, build_id, HEX, "of the mapped file")                                        \
	F(T, u32, prot, HEX, "PROT_*")                                                             \
	F(T, u32, flags, HEX, "MAP_*")                                                             \
	F(T, str, filename, STR, "path in the task's mount namespace")

#define PD_AUX_FIELDS(F, T)                                                                        \
	F(T, u64, aux_offset, HEX, "in the AUX buffer, bytes")                                     \
	F(T, u64, aux_size, HEX, "bytes")                                                          \
	F(T, u64, flags, AUX_FLAGS, "PERF_AUX_FLAG_*")

#define PD_ITRACE_START_FIELDS(F, T)                                                               \
	F(T, u32, pid, DEC, "process")                                                             \
	F(T, u32, tid, DEC, "thread")

#define PD_LOST_SAMPLES_FIELDS(F, T)                                                               \
	F(T, u64, lost, DEC, "samples")

#define PD_SWITCH_CPU_WIDE_FIELDS(F, T)                                                            \
	F(T, u32, next_prev_pid, DEC, "process switched to or from")                               \
	F(T, u32, next_prev_tid, DEC, "its thread")

#define PD_NAMESPACES_FIELDS(F, T)                                                                 \
	F(T, u32, pid, DEC, "process")                                                             \
	F(T, u32, tid, DEC, "thread")                                                              \
	F(T, u64, nr, DEC, "namespaces")                                                           \
	F(T, list(namespace_link, 1), namespaces, HEX, "net uts ipc pid user mnt cgroup")

#define PD_KSYMBOL_FIELDS(F, T)                                                                    \
	F(T, u64, addr, HEX, "kernel address")                                                     \
	F(T, u32, len, HEX, "bytes")                                                               \
	F(T, u16, ksym_type, KSYM_TYPE, "PERF_RECORD_KSYMBOL_TYPE_*")                                      \
	F(T, u16, flags, HEX, "bit 0: unregistered")                                               \
	F(T, str, name, STR, "symbol")

#define PD_BPF_EVENT_FIELDS(F, T)                                                                  \
	F(T, u16, event_type, BPF_EVENT, "PERF_BPF_EVENT_*")                                            \
	F(T, u16, flags, HEX, "")                                                                  \
	F(T, u32, id, DEC, "program")                                                              \
	F(T, raw(8), tag, HEX, "program tag")

#define PD_CGROUP_FIELDS(F, T)                                                                     \
	F(T, u64, id, DEC, "cgroup")                                                               \
	F(T, str, path, STR, "path in the cgroup hierarchy")

#define PD_TEXT_POKE_FIELDS(F, T)                                                                  \
	F(T, u64, addr, HEX, "kernel address")                                                     \
	F(T, u16, old_len, DEC, "bytes")                                                           \
	F(T, u16, new_len, DEC, "bytes")                                                           \
	F(T, sized(2, 0), old_bytes, HEX, "code before")                                        \
	F(T, sized(2, 0), new_bytes, HEX, "code after")

#define PD_AUX_OUTPUT_HW_ID_FIELDS(F, T)                                                           \
	F(T, u64, hw_id, HEX, "hardware event number")

#define PD_CALLCHAIN_DEFERRED_FIELDS(F, T)                                                         \
	F(T, u64, cookie, HEX, "of the samples that it completes")                                  \
	F(T, u64, nr, DEC, "addresses")                                                            \
	F(T, u64s(1), ips, HEX, "user call chain, leaf first")

#define PD_NAMESPACE_LINK_FIELDS(F, T)                                                             \
	F(T, u64, dev, HEX, "device of the nsfs inode")                                            \
	F(T, u64, ino, HEX, "inode: net uts ipc pid user mnt cgroup")

#define PD_KERNEL_STRUCTS(S)                                                                       \
	S(namespace_link, PD_NAMESPACE_LINK_FIELDS)

#define PD_KERNEL_RECORDS(R)                                                                       \
	R(MMAP, 1, 0, mmap, PD_MMAP_FIELDS, true)                                                  \
	R(LOST, 2, 0, lost, PD_LOST_FIELDS, true)                                                  \
	R(COMM, 3, 0, comm, PD_COMM_FIELDS, true)                                                  \
	R(EXIT, 4, 0, exit, PD_TASK_FIELDS, true)                                                  \
	R(THROTTLE, 5, 0, throttle, PD_THROTTLE_FIELDS, true)                                      \
	R(UNTHROTTLE, 6, 0, unthrottle, PD_THROTTLE_FIELDS, true)                                  \
	R(FORK, 7, 0, fork, PD_TASK_FIELDS, true)                                                  \
	R(READ, 8, 0, read, PD_READ_FIELDS, true)                                                  \
	R(SAMPLE, 9, 0, raw_sample, PD_RAW_SAMPLE_FIELDS, false)                                   \
	R(MMAP2, 10, 0, mmap2, PD_MMAP2_FIELDS, true)                                              \
	R(MMAP2_BUILD_ID, 10, PD_MISC_MMAP_BUILD_ID, mmap2_build_id,                               \
		PD_MMAP2_BUILD_ID_FIELDS, true)                                                    \
	R(AUX, 11, 0, aux, PD_AUX_FIELDS, true)                                                    \
	R(ITRACE_START, 12, 0, itrace_start, PD_ITRACE_START_FIELDS, true)                         \
	R(LOST_SAMPLES, 13, 0, lost_samples, PD_LOST_SAMPLES_FIELDS, true)                         \
	R(SWITCH, 14, 0, context_switch, PD_NO_FIELDS, true)                                       \
	R(SWITCH_CPU_WIDE, 15, 0, switch_cpu_wide, PD_SWITCH_CPU_WIDE_FIELDS, true)                \
	R(NAMESPACES, 16, 0, namespaces, PD_NAMESPACES_FIELDS, true)                               \
	R(KSYMBOL, 17, 0, ksymbol, PD_KSYMBOL_FIELDS, true)                                        \
	R(BPF_EVENT, 18, 0, bpf_event, PD_BPF_EVENT_FIELDS, true)                                  \
	R(CGROUP, 19, 0, cgroup, PD_CGROUP_FIELDS, true)                                           \
	R(TEXT_POKE, 20, 0, text_poke, PD_TEXT_POKE_FIELDS, true)                                  \
	R(AUX_OUTPUT_HW_ID, 21, 0, aux_output_hw_id, PD_AUX_OUTPUT_HW_ID_FIELDS, true)             \
	R(CALLCHAIN_DEFERRED, 22, 0, callchain_deferred, PD_CALLCHAIN_DEFERRED_FIELDS, true)

#define PD_RECORDS(R) PD_KERNEL_RECORDS(R) PD_TOOL_RECORDS(R) PD_SIMPLEPERF_RECORDS(R)
#define PD_RECORD_STRUCTS(S) PD_KERNEL_STRUCTS(S) PD_TOOL_STRUCTS(S) PD_SIMPLEPERF_STRUCTS(S)
/* clang-format on */

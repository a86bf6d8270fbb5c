/*
 * The records of perf.data, one list of fields each, in wire order:
 *
 *   F(T, kind, name, format, "meaning")
 *
 * T is the struct that the list is expanded for. Kinds: u8 u16 u32 u64, str (NUL-terminated, padded
 * to 8), tag (8 bytes), build_id (size byte, 3 bytes, 20 bytes), u64s and pairs (arrays of one or
 * two u64, whose count is the field before), bytes (all that is left). Formats say how a person
 * reads a value: DEC, HEX, TIME (ns), STR.
 *
 *   R(NAME, type, misc, member, FIELDS, has_sid)
 *
 * is one layout: `type` on the wire; `misc`, a bit of the header's misc that selects this layout
 * among those of its type (0: the usual one); the member of union pd_body; whether kernels put a
 * sample id trailer behind it. Sources: include/uapi/linux/perf_event.h, tools/lib/perf/include/
 * perf/event.h and tools/perf/Documentation/perf.data-file-format.txt of Linux.
 */
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

#define PD_READ_FIELDS(F, T)                                                                       \
	F(T, u32, pid, DEC, "process")                                                             \
	F(T, u32, tid, DEC, "thread")                                                              \
	F(T, bytes, values, HEX, "as read_format says")

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
	F(T, u64, flags, HEX, "PERF_AUX_FLAG_*")

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
	F(T, pairs, namespaces, HEX, "device and inode: net uts ipc pid user mnt cgroup")

#define PD_KSYMBOL_FIELDS(F, T)                                                                    \
	F(T, u64, addr, HEX, "kernel address")                                                     \
	F(T, u32, len, HEX, "bytes")                                                               \
	F(T, u16, ksym_type, DEC, "1 BPF, 2 out of line")                                          \
	F(T, u16, flags, HEX, "bit 0: unregistered")                                               \
	F(T, str, name, STR, "symbol")

#define PD_BPF_EVENT_FIELDS(F, T)                                                                  \
	F(T, u16, event_type, DEC, "1 load, 2 unload")                                             \
	F(T, u16, flags, HEX, "")                                                                  \
	F(T, u32, id, DEC, "program")                                                              \
	F(T, tag, tag, HEX, "program tag")

#define PD_CGROUP_FIELDS(F, T)                                                                     \
	F(T, u64, id, DEC, "cgroup")                                                               \
	F(T, str, path, STR, "path in the cgroup hierarchy")

#define PD_TEXT_POKE_FIELDS(F, T)                                                                  \
	F(T, u64, addr, HEX, "kernel address")                                                     \
	F(T, u16, old_len, DEC, "bytes")                                                           \
	F(T, u16, new_len, DEC, "bytes")                                                           \
	F(T, bytes, code, HEX, "old bytes, new bytes")

#define PD_AUX_OUTPUT_HW_ID_FIELDS(F, T)                                                           \
	F(T, u64, hw_id, HEX, "hardware event number")

#define PD_CALLCHAIN_DEFERRED_FIELDS(F, T)                                                         \
	F(T, u64, cookie, HEX, "of the samples that wait for it")                                  \
	F(T, u64, nr, DEC, "addresses")                                                            \
	F(T, u64s, ips, HEX, "user call chain, leaf first")

#define PD_HEADER_ATTR_FIELDS(F, T)                                                                \
	F(T, bytes, attr, HEX, "perf_event_attr, then its ids")

#define PD_EVENT_TYPE_FIELDS(F, T)                                                                 \
	F(T, u64, event_id, HEX, "attr.config")                                                    \
	F(T, bytes, name, STR, "64 bytes")

#define PD_TRACING_DATA_FIELDS(F, T)                                                               \
	F(T, u32, data_size, DEC, "bytes that follow the record")                                  \
	F(T, bytes, pad, HEX, "")

#define PD_BUILD_ID_FIELDS(F, T)                                                                   \
	F(T, u32, pid, DEC, "-1: the host")                                                        \
	F(T, bytes, build_id, HEX, "24 bytes, then the file name")

#define PD_ID_INDEX_FIELDS(F, T)                                                                   \
	F(T, u64, nr, DEC, "entries")                                                              \
	F(T, bytes, entries, HEX, "id, idx, cpu, tid; later machine_pid, vcpu")

#define PD_AUXTRACE_INFO_FIELDS(F, T)                                                              \
	F(T, u32, trace_type, DEC, "1 PT 2 BTS 3 CS-ETM 4 SPE 5 CPUMSF 6 PTT 7 VPA-DTL")           \
	F(T, u32, reserved, HEX, "")                                                               \
	F(T, bytes, priv, HEX, "u64 words")

#define PD_AUXTRACE_FIELDS(F, T)                                                                   \
	F(T, u64, data_size, HEX, "bytes that follow the record")                                  \
	F(T, u64, aux_offset, HEX, "in the AUX buffer, bytes")                                     \
	F(T, u64, reference, HEX, "")                                                              \
	F(T, u32, idx, DEC, "AUX buffer")                                                          \
	F(T, u32, tid, DEC, "thread, or -1")                                                       \
	F(T, u32, cpu, DEC, "CPU, or -1")                                                          \
	F(T, u32, reserved, HEX, "")

#define PD_NR_REST_FIELDS(F, T)                                                                    \
	F(T, u64, nr, DEC, "entries")                                                              \
	F(T, bytes, entries, HEX, "")

#define PD_REST_FIELDS(F, T)                                                                       \
	F(T, bytes, data, HEX, "")

#define PD_STAT_FIELDS(F, T)                                                                       \
	F(T, u64, id, HEX, "event instance")                                                       \
	F(T, u32, cpu, DEC, "index of the CPU map")                                                \
	F(T, u32, thread, DEC, "index of the thread map")                                          \
	F(T, u64, val, DEC, "count")                                                               \
	F(T, u64, ena, TIME, "enabled")                                                            \
	F(T, u64, run, TIME, "running")

#define PD_STAT_ROUND_FIELDS(F, T)                                                                 \
	F(T, u64, round_type, DEC, "0 interval, 1 final")                                          \
	F(T, u64, time, TIME, "when")

#define PD_EVENT_UPDATE_FIELDS(F, T)                                                               \
	F(T, u64, update_type, DEC, "0 unit 1 scale 2 name 3 cpus")                                \
	F(T, u64, id, HEX, "event instance")                                                       \
	F(T, bytes, data, HEX, "as update_type says")

#define PD_TIME_CONV_FIELDS(F, T)                                                                  \
	F(T, u64, time_shift, DEC, "")                                                             \
	F(T, u64, time_mult, DEC, "")                                                              \
	F(T, u64, time_zero, DEC, "")                                                              \
	F(T, bytes, extension, HEX, "time_cycles, time_mask, two flags")

#define PD_HEADER_FEATURE_FIELDS(F, T)                                                             \
	F(T, u64, feat_id, DEC, "feature bit")                                                     \
	F(T, bytes, data, HEX, "as the feature section")

#define PD_COMPRESSED2_FIELDS(F, T)                                                                \
	F(T, u64, data_size, DEC, "bytes of zstd data")                                            \
	F(T, bytes, data, HEX, "zstd data, padding")

#define PD_RECORDS(R)                                                                              \
	R(MMAP, 1, 0, mmap, PD_MMAP_FIELDS, true)                                                  \
	R(LOST, 2, 0, lost, PD_LOST_FIELDS, true)                                                  \
	R(COMM, 3, 0, comm, PD_COMM_FIELDS, true)                                                  \
	R(EXIT, 4, 0, exit, PD_TASK_FIELDS, true)                                                  \
	R(THROTTLE, 5, 0, throttle, PD_THROTTLE_FIELDS, true)                                      \
	R(UNTHROTTLE, 6, 0, unthrottle, PD_THROTTLE_FIELDS, true)                                  \
	R(FORK, 7, 0, fork, PD_TASK_FIELDS, true)                                                  \
	R(READ, 8, 0, read, PD_READ_FIELDS, true)                                                  \
	R(SAMPLE, 9, 0, raw_sample, PD_REST_FIELDS, false)                                         \
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
	R(CALLCHAIN_DEFERRED, 22, 0, callchain_deferred, PD_CALLCHAIN_DEFERRED_FIELDS, true)       \
	R(HEADER_ATTR, 64, 0, header_attr, PD_HEADER_ATTR_FIELDS, false)                           \
	R(HEADER_EVENT_TYPE, 65, 0, header_event_type, PD_EVENT_TYPE_FIELDS, false)                \
	R(HEADER_TRACING_DATA, 66, 0, header_tracing_data, PD_TRACING_DATA_FIELDS, false)          \
	R(HEADER_BUILD_ID, 67, 0, header_build_id, PD_BUILD_ID_FIELDS, false)                      \
	R(FINISHED_ROUND, 68, 0, finished_round, PD_NO_FIELDS, false)                              \
	R(ID_INDEX, 69, 0, id_index, PD_ID_INDEX_FIELDS, false)                                    \
	R(AUXTRACE_INFO, 70, 0, auxtrace_info, PD_AUXTRACE_INFO_FIELDS, false)                     \
	R(AUXTRACE, 71, 0, auxtrace, PD_AUXTRACE_FIELDS, false)                                    \
	R(AUXTRACE_ERROR, 72, 0, auxtrace_error, PD_REST_FIELDS, false)                            \
	R(THREAD_MAP, 73, 0, thread_map, PD_NR_REST_FIELDS, false)                                 \
	R(CPU_MAP, 74, 0, cpu_map, PD_REST_FIELDS, false)                                          \
	R(STAT_CONFIG, 75, 0, stat_config, PD_NR_REST_FIELDS, false)                               \
	R(STAT, 76, 0, stat, PD_STAT_FIELDS, false)                                                \
	R(STAT_ROUND, 77, 0, stat_round, PD_STAT_ROUND_FIELDS, false)                              \
	R(EVENT_UPDATE, 78, 0, event_update, PD_EVENT_UPDATE_FIELDS, false)                        \
	R(TIME_CONV, 79, 0, time_conv, PD_TIME_CONV_FIELDS, false)                                 \
	R(HEADER_FEATURE, 80, 0, header_feature, PD_HEADER_FEATURE_FIELDS, false)                  \
	R(COMPRESSED, 81, 0, compressed, PD_REST_FIELDS, false)                                    \
	R(FINISHED_INIT, 82, 0, finished_init, PD_NO_FIELDS, false)                                \
	R(COMPRESSED2, 83, 0, compressed2, PD_COMPRESSED2_FIELDS, false)                           \
	R(BPF_METADATA, 84, 0, bpf_metadata, PD_REST_FIELDS, false)                                \
	R(SCHEDSTAT_CPU, 85, 0, schedstat_cpu, PD_REST_FIELDS, false)                              \
	R(SCHEDSTAT_DOMAIN, 86, 0, schedstat_domain, PD_REST_FIELDS, false)
/* clang-format on */

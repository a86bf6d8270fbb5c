/*
 * Fields of the records that perf tools write, types 64 and up: see pdconv/record_defs.h. Sources:
 * tools/lib/perf/include/perf/event.h and tools/perf/Documentation/perf.data-file-format.txt of
 * Linux.
 */
/* clang-format off */
#define PD_HEADER_ATTR_FIELDS(F, T)                                                                \
	F(T, attr, attr, HEX, "perf_event_attr")                                                   \
	F(T, all_u64s, ids, HEX, "its event instances")

#define PD_EVENT_TYPE_FIELDS(F, T)                                                                 \
	F(T, u64, event_id, HEX, "attr.config")                                                    \
	F(T, chars(64), name, STR, "event")

#define PD_TRACING_DATA_FIELDS(F, T)                                                               \
	F(T, u32, data_size, DEC, "bytes that follow the record")                                  \
	F(T, bytes, pad, HEX, "")

#define PD_BUILD_ID_FIELDS(F, T)                                                                   \
	F(T, u32, pid, SIGNED, "-1: the host")                                                     \
	F(T, raw(24), build_id, HEX, "20 bytes; then, if misc says so, the length")                \
	F(T, str, filename, STR, "of the binary")

#define PD_ID_INDEX_FIELDS(F, T)                                                                   \
	F(T, u64, nr, DEC, "entries")                                                              \
	F(T, list(id_index_entry, 1), entries, DEC, "")                                            \
	F(T, all(id_index_vcpu), vcpus, DEC, "of the same entries, if guests were recorded")

#define PD_AUXTRACE_INFO_FIELDS(F, T)                                                              \
	F(T, u32, trace_type, DEC, "1 PT 2 BTS 3 CS-ETM 4 SPE 5 CPUMSF 6 PTT 7 VPA-DTL")           \
	F(T, u32, reserved, HEX, "")                                                               \
	F(T, as(auxtrace_info), priv, HEX, "u64 words")

#define PD_AUXTRACE_FIELDS(F, T)                                                                   \
	F(T, u64, data_size, HEX, "bytes that follow the record")                                  \
	F(T, u64, aux_offset, HEX, "in the AUX buffer, bytes")                                     \
	F(T, u64, reference, HEX, "time stamp or the like")                                        \
	F(T, u32, idx, DEC, "AUX buffer")                                                          \
	F(T, u32, tid, SIGNED, "thread, or -1")                                                    \
	F(T, u32, cpu, SIGNED, "CPU, or -1")                                                       \
	F(T, u32, reserved, HEX, "")

#define PD_AUXTRACE_ERROR_FIELDS(F, T)                                                             \
	F(T, u32, error_type, DEC, "1: instruction trace")                                         \
	F(T, u32, code, DEC, "of that type")                                                       \
	F(T, u32, cpu, SIGNED, "CPU, or -1")                                                       \
	F(T, u32, pid, SIGNED, "process, or -1")                                                   \
	F(T, u32, tid, SIGNED, "thread, or -1")                                                    \
	F(T, u32, fmt, DEC, "which form follows")                                                  \
	F(T, u64, ip, HEX, "instruction pointer")                                                  \
	F(T, as(auxtrace_error), data, HEX, "by fmt")

#define PD_THREAD_MAP_FIELDS(F, T)                                                                 \
	F(T, u64, nr, DEC, "threads")                                                              \
	F(T, list(thread_map_entry, 1), entries, DEC, "")

#define PD_CPU_MAP_FIELDS(F, T)                                                                    \
	F(T, u16, map_type, DEC, "0 CPUs, 1 mask, 2 range")                                        \
	F(T, as(cpu_map), data, HEX, "by map_type")

#define PD_STAT_CONFIG_FIELDS(F, T)                                                                \
	F(T, u64, nr, DEC, "terms")                                                                \
	F(T, list(stat_config_term, 1), terms, DEC, "")

#define PD_STAT_FIELDS(F, T)                                                                       \
	F(T, u64, id, HEX, "event instance")                                                       \
	F(T, u32, cpu, SIGNED, "index of the CPU map")                                             \
	F(T, u32, thread, SIGNED, "index of the thread map")                                       \
	F(T, u64, val, DEC, "count")                                                               \
	F(T, u64, ena, TIME, "enabled")                                                            \
	F(T, u64, run, TIME, "running")

#define PD_STAT_ROUND_FIELDS(F, T)                                                                 \
	F(T, u64, round_type, DEC, "0 interval, 1 final")                                          \
	F(T, u64, time, TIME, "when")

#define PD_EVENT_UPDATE_FIELDS(F, T)                                                               \
	F(T, u64, update_type, DEC, "0 unit 1 scale 2 name 3 cpus")                                \
	F(T, u64, id, HEX, "event instance")                                                       \
	F(T, as(event_update), data, HEX, "by update_type")

#define PD_TIME_CONV_FIELDS(F, T)                                                                  \
	F(T, u64, time_shift, DEC, "")                                                             \
	F(T, u64, time_mult, DEC, "")                                                              \
	F(T, u64, time_zero, DEC, "")                                                              \
	F(T, all(time_conv_extension), extension, DEC, "since 5.12")

#define PD_HEADER_FEATURE_FIELDS(F, T)                                                             \
	F(T, u64, feat_id, DEC, "feature bit")                                                     \
	F(T, as(feature), data, HEX, "as the feature section")

#define PD_COMPRESSED_FIELDS(F, T)                                                                 \
	F(T, bytes, data, HEX, "zstd data")

#define PD_COMPRESSED2_FIELDS(F, T)                                                                \
	F(T, u64, data_size, DEC, "bytes of zstd data")                                            \
	F(T, bytes, data, HEX, "zstd data, padding")

#define PD_BPF_METADATA_FIELDS(F, T)                                                               \
	F(T, chars(512), prog_name, STR, "BPF program")                                            \
	F(T, u64, nr_entries, DEC, "entries")                                                      \
	F(T, list(bpf_metadata_entry, 1), entries, STR, "")

#define PD_SCHEDSTAT_CPU_FIELDS(F, T)                                                              \
	F(T, u64, timestamp, DEC, "jiffies")                                                       \
	F(T, u32, cpu, DEC, "CPU")                                                                 \
	F(T, u16, version, DEC, "of schedstat")                                                    \
	F(T, u16, pad, HEX, "")                                                                    \
	F(T, u32, yld_count, DEC, "")                                                              \
	F(T, u32, array_exp, DEC, "")                                                              \
	F(T, u32, sched_count, DEC, "")                                                            \
	F(T, u32, sched_goidle, DEC, "")                                                           \
	F(T, u32, ttwu_count, DEC, "")                                                             \
	F(T, u32, ttwu_local, DEC, "")                                                             \
	F(T, u64, rq_cpu_time, TIME, "running")                                                    \
	F(T, u64, run_delay, TIME, "waiting")                                                      \
	F(T, u64, pcount, DEC, "time slices")

#define PD_SCHEDSTAT_DOMAIN_FIELDS(F, T)                                                           \
	F(T, u64, timestamp, DEC, "jiffies")                                                       \
	F(T, u32, cpu, DEC, "CPU")                                                                 \
	F(T, u16, version, DEC, "of schedstat")                                                    \
	F(T, u16, domain, DEC, "of that CPU")                                                      \
	F(T, as(schedstat_domain), data, DEC, "by version")

#define PD_ID_INDEX_ENTRY_FIELDS(F, T)                                                             \
	F(T, u64, id, HEX, "event instance")                                                       \
	F(T, u64, idx, DEC, "ring buffer")                                                         \
	F(T, u64, cpu, SIGNED, "CPU, or -1")                                                       \
	F(T, u64, tid, SIGNED, "thread, or -1")

#define PD_ID_INDEX_VCPU_FIELDS(F, T)                                                              \
	F(T, u64, machine_pid, SIGNED, "of the guest")                                             \
	F(T, u64, vcpu, SIGNED, "of the guest")

#define PD_AUXTRACE_WORDS_FIELDS(F, T)                                                             \
	F(T, all_u64s, words, HEX, "")

#define PD_INTEL_PT_INFO_FIELDS(F, T)                                                              \
	F(T, u64, pmu_type, DEC, "")                                                               \
	F(T, u64, time_shift, DEC, "")                                                             \
	F(T, u64, time_mult, DEC, "")                                                              \
	F(T, u64, time_zero, HEX, "")                                                              \
	F(T, u64, cap_user_time_zero, DEC, "")                                                     \
	F(T, u64, tsc_bit, HEX, "")                                                                \
	F(T, u64, noretcomp_bit, HEX, "")                                                          \
	F(T, u64, have_sched_switch, DEC, "")                                                      \
	F(T, u64, snapshot_mode, DEC, "")                                                          \
	F(T, u64, per_cpu_mmaps, DEC, "")                                                          \
	F(T, u64, mtc_bit, HEX, "")                                                                \
	F(T, u64, mtc_freq_bits, HEX, "")                                                          \
	F(T, u64, tsc_ctc_n, DEC, "")                                                              \
	F(T, u64, tsc_ctc_d, DEC, "")                                                              \
	F(T, u64, cyc_bit, HEX, "")                                                                \
	F(T, u64, max_nonturbo_ratio, DEC, "")                                                     \
	F(T, all(intel_pt_filter), filter, STR, "since 4.9")

#define PD_INTEL_PT_FILTER_FIELDS(F, T)                                                            \
	F(T, u64, filter_str_len, DEC, "bytes")                                                    \
	F(T, sized_text(1, 0), filter_str, STR, "address filter")                                  \
	F(T, bytes, more, HEX, "padding and later words")

#define PD_INTEL_BTS_INFO_FIELDS(F, T)                                                             \
	F(T, u64, pmu_type, DEC, "")                                                               \
	F(T, u64, time_shift, DEC, "")                                                             \
	F(T, u64, time_mult, DEC, "")                                                              \
	F(T, u64, time_zero, HEX, "")                                                              \
	F(T, u64, cap_user_time_zero, DEC, "")                                                     \
	F(T, u64, snapshot_mode, DEC, "")

#define PD_AUXTRACE_ERROR_0_FIELDS(F, T)                                                           \
	F(T, str, msg, STR, "what went wrong")

#define PD_AUXTRACE_ERROR_1_FIELDS(F, T)                                                           \
	F(T, u64, time, TIME, "when")                                                              \
	F(T, str, msg, STR, "what went wrong")

#define PD_AUXTRACE_ERROR_2_FIELDS(F, T)                                                           \
	F(T, u64, time, TIME, "when")                                                              \
	F(T, chars(64), msg, STR, "what went wrong")                                               \
	F(T, u32, machine_pid, DEC, "of the guest")                                                \
	F(T, u32, vcpu, DEC, "of the guest")

#define PD_THREAD_MAP_ENTRY_FIELDS(F, T)                                                           \
	F(T, u64, pid, SIGNED, "thread")                                                           \
	F(T, chars(16), comm, STR, "its name")

#define PD_CPU_MAP_CPUS_FIELDS(F, T)                                                               \
	F(T, u16, nr, DEC, "CPUs")                                                                 \
	F(T, u16s(1), cpu, DEC, "65535: any")

#define PD_CPU_MAP_MASK32_FIELDS(F, T)                                                             \
	F(T, u16, nr, DEC, "words")                                                                \
	F(T, u16, long_size, DEC, "bytes of a word")                                               \
	F(T, u32s(2), mask, HEX, "a bit for each CPU")

#define PD_CPU_MAP_MASK64_FIELDS(F, T)                                                             \
	F(T, u16, nr, DEC, "words")                                                                \
	F(T, u16, long_size, DEC, "bytes of a word")                                               \
	F(T, raw(4), pad, HEX, "")                                                                 \
	F(T, u64s(3), mask, HEX, "a bit for each CPU")

#define PD_CPU_MAP_RANGE_FIELDS(F, T)                                                              \
	F(T, u8, any_cpu, DEC, "any CPU as well")                                                  \
	F(T, u8, pad, HEX, "")                                                                     \
	F(T, u16, start_cpu, DEC, "first")                                                         \
	F(T, u16, end_cpu, DEC, "last")

#define PD_STAT_CONFIG_TERM_FIELDS(F, T)                                                           \
	F(T, u64, tag, DEC, "0 aggr_mode 1 interval 2 scale 3 aggr_level")                         \
	F(T, u64, val, DEC, "")

#define PD_EVENT_UPDATE_UNIT_FIELDS(F, T)                                                          \
	F(T, str, unit, STR, "of the scaled count")

#define PD_EVENT_UPDATE_SCALE_FIELDS(F, T)                                                         \
	F(T, u64, scale, DOUBLE, "of the count")

#define PD_EVENT_UPDATE_NAME_FIELDS(F, T)                                                          \
	F(T, str, name, STR, "of the event")

#define PD_TIME_CONV_EXTENSION_FIELDS(F, T)                                                        \
	F(T, u64, time_cycles, HEX, "")                                                            \
	F(T, u64, time_mask, HEX, "")                                                              \
	F(T, u8, cap_user_time_zero, DEC, "")                                                      \
	F(T, u8, cap_user_time_short, DEC, "")                                                     \
	F(T, raw(6), reserved, HEX, "")

#define PD_BPF_METADATA_ENTRY_FIELDS(F, T)                                                         \
	F(T, chars(64), key, STR, "")                                                              \
	F(T, chars(256), value, STR, "")

#define PD_SCHEDSTAT_DOMAIN_V15_FIELDS(F, T)                                                       \
	F(T, u32, idle_lb_count, DEC, "")                                                          \
	F(T, u32, idle_lb_balanced, DEC, "")                                                       \
	F(T, u32, idle_lb_failed, DEC, "")                                                         \
	F(T, u32, idle_lb_imbalance, DEC, "")                                                      \
	F(T, u32, idle_lb_gained, DEC, "")                                                         \
	F(T, u32, idle_lb_hot_gained, DEC, "")                                                     \
	F(T, u32, idle_lb_nobusyq, DEC, "")                                                        \
	F(T, u32, idle_lb_nobusyg, DEC, "")                                                        \
	F(T, u32, busy_lb_count, DEC, "")                                                          \
	F(T, u32, busy_lb_balanced, DEC, "")                                                       \
	F(T, u32, busy_lb_failed, DEC, "")                                                         \
	F(T, u32, busy_lb_imbalance, DEC, "")                                                      \
	F(T, u32, busy_lb_gained, DEC, "")                                                         \
	F(T, u32, busy_lb_hot_gained, DEC, "")                                                     \
	F(T, u32, busy_lb_nobusyq, DEC, "")                                                        \
	F(T, u32, busy_lb_nobusyg, DEC, "")                                                        \
	F(T, u32, newidle_lb_count, DEC, "")                                                       \
	F(T, u32, newidle_lb_balanced, DEC, "")                                                    \
	F(T, u32, newidle_lb_failed, DEC, "")                                                      \
	F(T, u32, newidle_lb_imbalance, DEC, "")                                                   \
	F(T, u32, newidle_lb_gained, DEC, "")                                                      \
	F(T, u32, newidle_lb_hot_gained, DEC, "")                                                  \
	F(T, u32, newidle_lb_nobusyq, DEC, "")                                                     \
	F(T, u32, newidle_lb_nobusyg, DEC, "")                                                     \
	F(T, u32, alb_count, DEC, "")                                                              \
	F(T, u32, alb_failed, DEC, "")                                                             \
	F(T, u32, alb_pushed, DEC, "")                                                             \
	F(T, u32, sbe_count, DEC, "")                                                              \
	F(T, u32, sbe_balanced, DEC, "")                                                           \
	F(T, u32, sbe_pushed, DEC, "")                                                             \
	F(T, u32, sbf_count, DEC, "")                                                              \
	F(T, u32, sbf_balanced, DEC, "")                                                           \
	F(T, u32, sbf_pushed, DEC, "")                                                             \
	F(T, u32, ttwu_wake_remote, DEC, "")                                                       \
	F(T, u32, ttwu_move_affine, DEC, "")                                                       \
	F(T, u32, ttwu_move_balance, DEC, "")

#define PD_SCHEDSTAT_DOMAIN_V16_FIELDS(F, T)                                                       \
	F(T, u32, busy_lb_count, DEC, "")                                                          \
	F(T, u32, busy_lb_balanced, DEC, "")                                                       \
	F(T, u32, busy_lb_failed, DEC, "")                                                         \
	F(T, u32, busy_lb_imbalance, DEC, "")                                                      \
	F(T, u32, busy_lb_gained, DEC, "")                                                         \
	F(T, u32, busy_lb_hot_gained, DEC, "")                                                     \
	F(T, u32, busy_lb_nobusyq, DEC, "")                                                        \
	F(T, u32, busy_lb_nobusyg, DEC, "")                                                        \
	F(T, u32, idle_lb_count, DEC, "")                                                          \
	F(T, u32, idle_lb_balanced, DEC, "")                                                       \
	F(T, u32, idle_lb_failed, DEC, "")                                                         \
	F(T, u32, idle_lb_imbalance, DEC, "")                                                      \
	F(T, u32, idle_lb_gained, DEC, "")                                                         \
	F(T, u32, idle_lb_hot_gained, DEC, "")                                                     \
	F(T, u32, idle_lb_nobusyq, DEC, "")                                                        \
	F(T, u32, idle_lb_nobusyg, DEC, "")                                                        \
	F(T, u32, newidle_lb_count, DEC, "")                                                       \
	F(T, u32, newidle_lb_balanced, DEC, "")                                                    \
	F(T, u32, newidle_lb_failed, DEC, "")                                                      \
	F(T, u32, newidle_lb_imbalance, DEC, "")                                                   \
	F(T, u32, newidle_lb_gained, DEC, "")                                                      \
	F(T, u32, newidle_lb_hot_gained, DEC, "")                                                  \
	F(T, u32, newidle_lb_nobusyq, DEC, "")                                                     \
	F(T, u32, newidle_lb_nobusyg, DEC, "")                                                     \
	F(T, u32, alb_count, DEC, "")                                                              \
	F(T, u32, alb_failed, DEC, "")                                                             \
	F(T, u32, alb_pushed, DEC, "")                                                             \
	F(T, u32, sbe_count, DEC, "")                                                              \
	F(T, u32, sbe_balanced, DEC, "")                                                           \
	F(T, u32, sbe_pushed, DEC, "")                                                             \
	F(T, u32, sbf_count, DEC, "")                                                              \
	F(T, u32, sbf_balanced, DEC, "")                                                           \
	F(T, u32, sbf_pushed, DEC, "")                                                             \
	F(T, u32, ttwu_wake_remote, DEC, "")                                                       \
	F(T, u32, ttwu_move_affine, DEC, "")                                                       \
	F(T, u32, ttwu_move_balance, DEC, "")

#define PD_SCHEDSTAT_DOMAIN_V17_FIELDS(F, T)                                                       \
	F(T, u32, busy_lb_count, DEC, "")                                                          \
	F(T, u32, busy_lb_balanced, DEC, "")                                                       \
	F(T, u32, busy_lb_failed, DEC, "")                                                         \
	F(T, u32, busy_lb_imbalance_load, DEC, "")                                                 \
	F(T, u32, busy_lb_imbalance_util, DEC, "")                                                 \
	F(T, u32, busy_lb_imbalance_task, DEC, "")                                                 \
	F(T, u32, busy_lb_imbalance_misfit, DEC, "")                                               \
	F(T, u32, busy_lb_gained, DEC, "")                                                         \
	F(T, u32, busy_lb_hot_gained, DEC, "")                                                     \
	F(T, u32, busy_lb_nobusyq, DEC, "")                                                        \
	F(T, u32, busy_lb_nobusyg, DEC, "")                                                        \
	F(T, u32, idle_lb_count, DEC, "")                                                          \
	F(T, u32, idle_lb_balanced, DEC, "")                                                       \
	F(T, u32, idle_lb_failed, DEC, "")                                                         \
	F(T, u32, idle_lb_imbalance_load, DEC, "")                                                 \
	F(T, u32, idle_lb_imbalance_util, DEC, "")                                                 \
	F(T, u32, idle_lb_imbalance_task, DEC, "")                                                 \
	F(T, u32, idle_lb_imbalance_misfit, DEC, "")                                               \
	F(T, u32, idle_lb_gained, DEC, "")                                                         \
	F(T, u32, idle_lb_hot_gained, DEC, "")                                                     \
	F(T, u32, idle_lb_nobusyq, DEC, "")                                                        \
	F(T, u32, idle_lb_nobusyg, DEC, "")                                                        \
	F(T, u32, newidle_lb_count, DEC, "")                                                       \
	F(T, u32, newidle_lb_balanced, DEC, "")                                                    \
	F(T, u32, newidle_lb_failed, DEC, "")                                                      \
	F(T, u32, newidle_lb_imbalance_load, DEC, "")                                              \
	F(T, u32, newidle_lb_imbalance_util, DEC, "")                                              \
	F(T, u32, newidle_lb_imbalance_task, DEC, "")                                              \
	F(T, u32, newidle_lb_imbalance_misfit, DEC, "")                                            \
	F(T, u32, newidle_lb_gained, DEC, "")                                                      \
	F(T, u32, newidle_lb_hot_gained, DEC, "")                                                  \
	F(T, u32, newidle_lb_nobusyq, DEC, "")                                                     \
	F(T, u32, newidle_lb_nobusyg, DEC, "")                                                     \
	F(T, u32, alb_count, DEC, "")                                                              \
	F(T, u32, alb_failed, DEC, "")                                                             \
	F(T, u32, alb_pushed, DEC, "")                                                             \
	F(T, u32, sbe_count, DEC, "")                                                              \
	F(T, u32, sbe_balanced, DEC, "")                                                           \
	F(T, u32, sbe_pushed, DEC, "")                                                             \
	F(T, u32, sbf_count, DEC, "")                                                              \
	F(T, u32, sbf_balanced, DEC, "")                                                           \
	F(T, u32, sbf_pushed, DEC, "")                                                             \
	F(T, u32, ttwu_wake_remote, DEC, "")                                                       \
	F(T, u32, ttwu_move_affine, DEC, "")                                                       \
	F(T, u32, ttwu_move_balance, DEC, "")

#define PD_TOOL_STRUCTS(S)                                                                         \
	S(id_index_entry, PD_ID_INDEX_ENTRY_FIELDS)                                                \
	S(id_index_vcpu, PD_ID_INDEX_VCPU_FIELDS)                                                  \
	S(auxtrace_words, PD_AUXTRACE_WORDS_FIELDS)                                                \
	S(intel_pt_info, PD_INTEL_PT_INFO_FIELDS)                                                  \
	S(intel_pt_filter, PD_INTEL_PT_FILTER_FIELDS)                                              \
	S(intel_bts_info, PD_INTEL_BTS_INFO_FIELDS)                                                \
	S(auxtrace_error_0, PD_AUXTRACE_ERROR_0_FIELDS)                                            \
	S(auxtrace_error_1, PD_AUXTRACE_ERROR_1_FIELDS)                                            \
	S(auxtrace_error_2, PD_AUXTRACE_ERROR_2_FIELDS)                                            \
	S(thread_map_entry, PD_THREAD_MAP_ENTRY_FIELDS)                                            \
	S(cpu_map_cpus, PD_CPU_MAP_CPUS_FIELDS)                                                    \
	S(cpu_map_mask32, PD_CPU_MAP_MASK32_FIELDS)                                                \
	S(cpu_map_mask64, PD_CPU_MAP_MASK64_FIELDS)                                                \
	S(cpu_map_range, PD_CPU_MAP_RANGE_FIELDS)                                                  \
	S(stat_config_term, PD_STAT_CONFIG_TERM_FIELDS)                                            \
	S(event_update_unit, PD_EVENT_UPDATE_UNIT_FIELDS)                                          \
	S(event_update_scale, PD_EVENT_UPDATE_SCALE_FIELDS)                                        \
	S(event_update_name, PD_EVENT_UPDATE_NAME_FIELDS)                                          \
	S(time_conv_extension, PD_TIME_CONV_EXTENSION_FIELDS)                                      \
	S(bpf_metadata_entry, PD_BPF_METADATA_ENTRY_FIELDS)                                        \
	S(schedstat_domain_v15, PD_SCHEDSTAT_DOMAIN_V15_FIELDS)                                    \
	S(schedstat_domain_v16, PD_SCHEDSTAT_DOMAIN_V16_FIELDS)                                    \
	S(schedstat_domain_v17, PD_SCHEDSTAT_DOMAIN_V17_FIELDS)

#define PD_TOOL_RECORDS(R)                                                                         \
	R(ATTR, 64, 0, header_attr, PD_HEADER_ATTR_FIELDS, false)                                  \
	R(EVENT_TYPE, 65, 0, header_event_type, PD_EVENT_TYPE_FIELDS, false)                       \
	R(TRACING_DATA, 66, 0, header_tracing_data, PD_TRACING_DATA_FIELDS, false)                 \
	R(BUILD_ID, 67, 0, header_build_id, PD_BUILD_ID_FIELDS, false)                             \
	R(FINISHED_ROUND, 68, 0, finished_round, PD_NO_FIELDS, false)                              \
	R(ID_INDEX, 69, 0, id_index, PD_ID_INDEX_FIELDS, false)                                    \
	R(AUXTRACE_INFO, 70, 0, auxtrace_info, PD_AUXTRACE_INFO_FIELDS, false)                     \
	R(AUXTRACE, 71, 0, auxtrace, PD_AUXTRACE_FIELDS, false)                                    \
	R(AUXTRACE_ERROR, 72, 0, auxtrace_error, PD_AUXTRACE_ERROR_FIELDS, false)                  \
	R(THREAD_MAP, 73, 0, thread_map, PD_THREAD_MAP_FIELDS, false)                              \
	R(CPU_MAP, 74, 0, cpu_map, PD_CPU_MAP_FIELDS, false)                                       \
	R(STAT_CONFIG, 75, 0, stat_config, PD_STAT_CONFIG_FIELDS, false)                           \
	R(STAT, 76, 0, stat, PD_STAT_FIELDS, false)                                                \
	R(STAT_ROUND, 77, 0, stat_round, PD_STAT_ROUND_FIELDS, false)                              \
	R(EVENT_UPDATE, 78, 0, event_update, PD_EVENT_UPDATE_FIELDS, false)                        \
	R(TIME_CONV, 79, 0, time_conv, PD_TIME_CONV_FIELDS, false)                                 \
	R(FEATURE, 80, 0, header_feature, PD_HEADER_FEATURE_FIELDS, false)                         \
	R(COMPRESSED, 81, 0, compressed, PD_COMPRESSED_FIELDS, false)                              \
	R(FINISHED_INIT, 82, 0, finished_init, PD_NO_FIELDS, false)                                \
	R(COMPRESSED2, 83, 0, compressed2, PD_COMPRESSED2_FIELDS, false)                           \
	R(BPF_METADATA, 84, 0, bpf_metadata, PD_BPF_METADATA_FIELDS, false)                        \
	R(SCHEDSTAT_CPU, 85, 0, schedstat_cpu, PD_SCHEDSTAT_CPU_FIELDS, false)                     \
	R(SCHEDSTAT_DOMAIN, 86, 0, schedstat_domain, PD_SCHEDSTAT_DOMAIN_FIELDS, false)
/* clang-format on */

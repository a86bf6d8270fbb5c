/*
 * Feature sections of the header: F(bit, NAME, layout), and the fields of their structs in the
 * notation of pdconv/record_defs.h. Sources: tools/perf/util/header.[ch] and
 * tools/perf/Documentation/perf.data-file-format.txt of Linux; from bit 128 on those of simpleperf,
 * system/extras/simpleperf/record_file.h of Android.
 */
/* clang-format off */
#define PD_FEATURE_STRING_FIELDS(F, T)                                                             \
	F(T, text, value, STR, "")

#define PD_FEATURE_BLOB_FIELDS(F, T)                                                               \
	F(T, bytes, data, HEX, "")

#define PD_FEATURE_BUILD_ID_RECORD_FIELDS(F, T)                                                    \
	F(T, u32, type, DEC, "67, or not set")                                                     \
	F(T, u16, misc, HEX, "cpumode, and whether the length is set")                           \
	F(T, u16, size, DEC, "of this entry, bytes")                                               \
	F(T, u32, pid, SIGNED, "-1: the host")                                                     \
	F(T, raw(24), build_id, HEX, "20 bytes; then, if misc says so, the length")                \
	F(T, sized_text(3, 36), filename, STR, "of the binary")

#define PD_FEATURE_BUILD_IDS_FIELDS(F, T)                                                          \
	F(T, all(build_id_record), entries, HEX, "")

#define PD_FEATURE_NRCPUS_FIELDS(F, T)                                                             \
	F(T, u32, nr_cpus_available, DEC, "")                                                      \
	F(T, u32, nr_cpus_online, DEC, "")

#define PD_FEATURE_TOTAL_MEM_FIELDS(F, T)                                                          \
	F(T, u64, total_mem, DEC, "KiB")

#define PD_FEATURE_STRINGS_FIELDS(F, T)                                                            \
	F(T, u32, nr, DEC, "strings")                                                              \
	F(T, list(string, 1), strings, STR, "")

#define PD_FEATURE_EVENT_DESC_ENTRY_FIELDS(F, T)                                                   \
	F(T, attr, attr, HEX, "perf_event_attr")                                                   \
	F(T, u32, nr_ids, DEC, "event instances")                                                  \
	F(T, text, name, STR, "as the user gave it")                                               \
	F(T, u64s(2), ids, HEX, "event instances")

#define PD_FEATURE_EVENT_DESC_FIELDS(F, T)                                                         \
	F(T, u32, nr, DEC, "events")                                                               \
	F(T, attr_size, attr_size, DEC, "bytes of each attr")                                      \
	F(T, list(event_desc_entry, 2), events, DEC, "")

#define PD_FEATURE_CPU_TOPOLOGY_ID_FIELDS(F, T)                                                    \
	F(T, u32, core_id, SIGNED, "")                                                             \
	F(T, u32, socket_id, SIGNED, "")

#define PD_FEATURE_CPU_TOPOLOGY_DIE_ID_FIELDS(F, T)                                                \
	F(T, u32, die_id, SIGNED, "")

#define PD_FEATURE_CPU_TOPOLOGY_DIES_FIELDS(F, T)                                                  \
	F(T, u32, nr_dies, DEC, "lists")                                                           \
	F(T, list(string, 1), dies_lists, STR, "CPUs of each die")                                 \
	F(T, cpus(cpu_topology_die_id), die_ids, DEC, "of each CPU")

#define PD_FEATURE_CPU_TOPOLOGY_FIELDS(F, T)                                                       \
	F(T, u32, nr_cores, DEC, "lists")                                                          \
	F(T, list(string, 1), core_siblings, STR, "CPUs of each package")                          \
	F(T, u32, nr_threads, DEC, "lists")                                                        \
	F(T, list(string, 1), thread_siblings, STR, "CPUs of each core")                           \
	F(T, cpus(cpu_topology_id), ids, DEC, "of each CPU, since 4.3")                            \
	F(T, all(cpu_topology_dies), dies, DEC, "since 5.3")

#define PD_FEATURE_NUMA_NODE_FIELDS(F, T)                                                          \
	F(T, u32, node, DEC, "")                                                                   \
	F(T, u64, mem_total, DEC, "KiB")                                                           \
	F(T, u64, mem_free, DEC, "KiB")                                                            \
	F(T, text, cpulist, STR, "CPUs of the node")

#define PD_FEATURE_NUMA_TOPOLOGY_FIELDS(F, T)                                                      \
	F(T, u32, nr, DEC, "nodes")                                                                \
	F(T, list(numa_node, 1), nodes, DEC, "")

#define PD_FEATURE_PMU_MAPPING_FIELDS(F, T)                                                        \
	F(T, u32, type, DEC, "attr.type")                                                          \
	F(T, text, name, STR, "PMU")

#define PD_FEATURE_PMU_MAPPINGS_FIELDS(F, T)                                                       \
	F(T, u32, nr, DEC, "PMUs")                                                                 \
	F(T, list(pmu_mapping, 1), pmus, STR, "")

#define PD_FEATURE_GROUP_DESC_ENTRY_FIELDS(F, T)                                                   \
	F(T, text, name, STR, "{anon_group}: none")                                                \
	F(T, u32, leader_idx, DEC, "place in the attr table")                                      \
	F(T, u32, nr_members, DEC, "")

#define PD_FEATURE_GROUP_DESC_FIELDS(F, T)                                                         \
	F(T, u32, nr, DEC, "groups")                                                               \
	F(T, list(group_desc_entry, 1), groups, DEC, "")

#define PD_FEATURE_AUXTRACE_INDEX_ENTRY_FIELDS(F, T)                                               \
	F(T, u64, file_offset, HEX, "of an AUXTRACE record")                                       \
	F(T, u64, size, DEC, "of the record, bytes")

#define PD_FEATURE_AUXTRACE_INDEX_FIELDS(F, T)                                                     \
	F(T, u64, nr, DEC, "entries")                                                              \
	F(T, list(auxtrace_index_entry, 1), entries, HEX, "")

#define PD_FEATURE_AUXTRACE_INDEX_BARE_FIELDS(F, T)                                                \
	F(T, all(auxtrace_index_entry), entries, HEX, "")

#define PD_FEATURE_AUXTRACE_SECTION_FIELDS(F, T)                                                   \
	F(T, as(auxtrace_index), index, HEX, "")

#define PD_FEATURE_CACHE_LEVEL_FIELDS(F, T)                                                        \
	F(T, u32, level, DEC, "")                                                                  \
	F(T, u32, line_size, DEC, "bytes")                                                         \
	F(T, u32, sets, DEC, "")                                                                   \
	F(T, u32, ways, DEC, "")                                                                   \
	F(T, text, type, STR, "Data, Instruction, Unified")                                        \
	F(T, text, size, STR, "")                                                                  \
	F(T, text, cpu_list, STR, "CPUs that share it")

#define PD_FEATURE_CACHE_FIELDS(F, T)                                                              \
	F(T, u32, version, DEC, "")                                                                \
	F(T, u32, nr, DEC, "caches")                                                               \
	F(T, list(cache_level, 1), caches, DEC, "")

#define PD_FEATURE_SAMPLE_TIME_FIELDS(F, T)                                                        \
	F(T, u64, first_sample, TIME, "")                                                          \
	F(T, u64, last_sample, TIME, "")

#define PD_FEATURE_MEMORY_NODE_FIELDS(F, T)                                                        \
	F(T, u64, node, DEC, "")                                                                   \
	F(T, u64, size, DEC, "bits")                                                               \
	F(T, u64, nr_bits, DEC, "of the map")                                                      \
	F(T, bitmap(1), map, HEX, "memory blocks of the node")

#define PD_FEATURE_MEM_TOPOLOGY_FIELDS(F, T)                                                       \
	F(T, u64, version, DEC, "")                                                                \
	F(T, u64, block_size, HEX, "bytes")                                                        \
	F(T, u64, nr, DEC, "nodes")                                                                \
	F(T, list(memory_node, 1), nodes, DEC, "")

#define PD_FEATURE_CLOCKID_FIELDS(F, T)                                                            \
	F(T, u64, resolution, TIME, "of the clock")

#define PD_FEATURE_DIR_FORMAT_FIELDS(F, T)                                                         \
	F(T, u64, version, DEC, "")

#define PD_FEATURE_BPF_PROG_INFO_MORE_FIELDS(F, T)                                                 \
	F(T, u64, run_time_ns, TIME, "")                                                           \
	F(T, u64, run_cnt, DEC, "")                                                                \
	F(T, bytes, more, HEX, "later fields")

#define PD_FEATURE_BPF_PROG_INFO_FIELDS(F, T)                                                      \
	F(T, u32, type, DEC, "")                                                                   \
	F(T, u32, id, DEC, "")                                                                     \
	F(T, raw(8), tag, HEX, "")                                                                 \
	F(T, u32, jited_prog_len, DEC, "")                                                         \
	F(T, u32, xlated_prog_len, DEC, "")                                                        \
	F(T, u64, jited_prog_insns, HEX, "")                                                       \
	F(T, u64, xlated_prog_insns, HEX, "")                                                      \
	F(T, u64, load_time, TIME, "")                                                             \
	F(T, u32, created_by_uid, DEC, "")                                                         \
	F(T, u32, nr_map_ids, DEC, "")                                                             \
	F(T, u64, map_ids, HEX, "")                                                                \
	F(T, chars(16), name, STR, "")                                                             \
	F(T, u32, ifindex, DEC, "")                                                                \
	F(T, u32, flags, HEX, "")                                                                  \
	F(T, u64, netns_dev, HEX, "")                                                              \
	F(T, u64, netns_ino, DEC, "")                                                              \
	F(T, u32, nr_jited_ksyms, DEC, "")                                                         \
	F(T, u32, nr_jited_func_lens, DEC, "")                                                     \
	F(T, u64, jited_ksyms, HEX, "")                                                            \
	F(T, u64, jited_func_lens, HEX, "")                                                        \
	F(T, u32, btf_id, DEC, "")                                                                 \
	F(T, u32, func_info_rec_size, DEC, "")                                                     \
	F(T, u64, func_info, HEX, "")                                                              \
	F(T, u32, nr_func_info, DEC, "")                                                           \
	F(T, u32, nr_line_info, DEC, "")                                                           \
	F(T, u64, line_info, HEX, "")                                                              \
	F(T, u64, jited_line_info, HEX, "")                                                        \
	F(T, u32, nr_jited_line_info, DEC, "")                                                     \
	F(T, u32, line_info_rec_size, DEC, "")                                                     \
	F(T, u32, jited_line_info_rec_size, DEC, "")                                               \
	F(T, u32, nr_prog_tags, DEC, "")                                                           \
	F(T, u64, prog_tags, HEX, "")                                                              \
	F(T, all(bpf_prog_info_more), more, DEC, "since 5.1")

#define PD_FEATURE_BPF_PROG_FIELDS(F, T)                                                           \
	F(T, u32, info_len, DEC, "bytes")                                                          \
	F(T, u32, data_len, DEC, "bytes")                                                          \
	F(T, u64, arrays, HEX, "which fields of info are offsets into data")                       \
	F(T, sized_as(bpf_prog_info, 3), info, HEX, "struct bpf_prog_info")                        \
	F(T, sized(3, 0), data, HEX, "arrays, in the structs of the kernel")

#define PD_FEATURE_BPF_PROG_INFOS_FIELDS(F, T)                                                     \
	F(T, u32, nr, DEC, "programs")                                                             \
	F(T, list(bpf_prog, 1), programs, HEX, "")

#define PD_FEATURE_BPF_BTF_ENTRY_FIELDS(F, T)                                                      \
	F(T, u32, id, DEC, "")                                                                     \
	F(T, u32, size, DEC, "bytes")                                                              \
	F(T, sized(1, 0), btf, HEX, "type information")

#define PD_FEATURE_BPF_BTF_FIELDS(F, T)                                                            \
	F(T, u32, nr, DEC, "entries")                                                              \
	F(T, list(bpf_btf_entry, 1), entries, HEX, "")

#define PD_FEATURE_COMPRESSION_FIELDS(F, T)                                                        \
	F(T, u32, version, DEC, "")                                                                \
	F(T, u32, type, DEC, "1: zstd")                                                            \
	F(T, u32, level, DEC, "")                                                                  \
	F(T, u32, ratio, DEC, "achieved")                                                          \
	F(T, u32, mmap_len, DEC, "bytes of a ring buffer")

#define PD_FEATURE_CPU_PMU_CAP_FIELDS(F, T)                                                        \
	F(T, text, name, STR, "")                                                                  \
	F(T, text, value, STR, "")

#define PD_FEATURE_CPU_PMU_CAPS_FIELDS(F, T)                                                       \
	F(T, u32, nr, DEC, "capabilities")                                                         \
	F(T, list(cpu_pmu_cap, 1), caps, STR, "")

#define PD_FEATURE_CLOCK_DATA_FIELDS(F, T)                                                         \
	F(T, u32, version, DEC, "")                                                                \
	F(T, u32, clockid, DEC, "of the samples")                                                  \
	F(T, u64, wall_clock, TIME, "at the same moment")                                          \
	F(T, u64, clockid_time, TIME, "")

#define PD_FEATURE_HYBRID_PMU_FIELDS(F, T)                                                         \
	F(T, text, pmu_name, STR, "")                                                              \
	F(T, text, cpus, STR, "")

#define PD_FEATURE_HYBRID_TOPOLOGY_FIELDS(F, T)                                                    \
	F(T, u32, nr, DEC, "PMUs")                                                                 \
	F(T, list(hybrid_pmu, 1), pmus, STR, "")

#define PD_FEATURE_PMU_CAPS_ENTRY_FIELDS(F, T)                                                     \
	F(T, u32, nr, DEC, "capabilities")                                                         \
	F(T, list(cpu_pmu_cap, 1), caps, STR, "")                                                  \
	F(T, text, pmu_name, STR, "")

#define PD_FEATURE_PMU_CAPS_FIELDS(F, T)                                                           \
	F(T, u32, nr_pmu, DEC, "PMUs")                                                             \
	F(T, list(pmu_caps_entry, 1), pmus, STR, "")

#define PD_FEATURE_SCHED_DOMAIN_V15_FIELDS(F, T)                                                   \
	F(T, u32, domain, DEC, "")                                                                 \
	F(T, text, cpumask, STR, "")                                                               \
	F(T, text, cpulist, STR, "")

#define PD_FEATURE_SCHED_DOMAIN_V17_FIELDS(F, T)                                                   \
	F(T, u32, domain, DEC, "")                                                                 \
	F(T, text, name, STR, "")                                                                  \
	F(T, text, cpumask, STR, "")                                                               \
	F(T, text, cpulist, STR, "")

#define PD_FEATURE_CPU_DOMAINS_V15_FIELDS(F, T)                                                    \
	F(T, u32, cpu, DEC, "")                                                                    \
	F(T, u32, nr_domains, DEC, "")                                                             \
	F(T, list(sched_domain_v15, 1), domains, DEC, "")

#define PD_FEATURE_CPU_DOMAINS_V17_FIELDS(F, T)                                                    \
	F(T, u32, cpu, DEC, "")                                                                    \
	F(T, u32, nr_domains, DEC, "")                                                             \
	F(T, list(sched_domain_v17, 1), domains, DEC, "")

#define PD_FEATURE_CPUS_DOMAINS_V15_FIELDS(F, T)                                                   \
	F(T, all(cpu_domains_v15), cpus, DEC, "online")

#define PD_FEATURE_CPUS_DOMAINS_V17_FIELDS(F, T)                                                   \
	F(T, all(cpu_domains_v17), cpus, DEC, "online")

#define PD_FEATURE_CPU_DOMAIN_INFO_FIELDS(F, T)                                                    \
	F(T, u32, schedstat_version, DEC, "")                                                      \
	F(T, u32, max_sched_domains, DEC, "")                                                      \
	F(T, as(cpu_domains), data, DEC, "by schedstat_version")

#define PD_FEATURE_E_MACHINE_FIELDS(F, T)                                                          \
	F(T, u32, e_machine, DEC, "EM_* of ELF")                                                   \
	F(T, u32, e_flags, HEX, "EF_* of ELF")

#define PD_FEATURE_CLN_SIZE_FIELDS(F, T)                                                           \
	F(T, u32, cln_size, DEC, "bytes of a cache line")

#define PD_FEATURE_META_INFO_ENTRY_FIELDS(F, T)                                                    \
	F(T, str, key, STR, "")                                                                    \
	F(T, str, value, STR, "")

#define PD_FEATURE_META_INFO_FIELDS(F, T)                                                          \
	F(T, all(meta_info_entry), entries, STR, "")

#define PD_FEATURE_SIMPLEPERF_SYMBOL_ENTRY_FIELDS(F, T)                                            \
	F(T, u64, vaddr, HEX, "")                                                                  \
	F(T, u32, len, DEC, "bytes")                                                               \
	F(T, str, name, STR, "")

#define PD_FEATURE_SIMPLEPERF_FILE_FIELDS(F, T)                                                    \
	F(T, str, path, STR, "")                                                                   \
	F(T, u32, type, DEC, "0 kernel 1 module 2 ELF 3 dex 4 symbol map")                         \
	F(T, u64, min_vaddr, HEX, "")                                                              \
	F(T, u32, nr, DEC, "symbols")                                                              \
	F(T, list(simpleperf_symbol_entry, 1), symbols, STR, "")                                   \
	F(T, bytes, more, HEX, "by type")

#define PD_FEATURE_SIMPLEPERF_FILE_ENTRY_FIELDS(F, T)                                              \
	F(T, u32, size, DEC, "bytes")                                                              \
	F(T, sized_as(simpleperf_file, 1), file, STR, "")

#define PD_FEATURE_SIMPLEPERF_FILES_FIELDS(F, T)                                                   \
	F(T, all(simpleperf_file_entry), files, STR, "")

#define PD_FEATURE_SIMPLEPERF_MESSAGE_FIELDS(F, T)                                                 \
	F(T, u32, size, DEC, "bytes")                                                              \
	F(T, sized(1, 0), message, HEX, "protobuf")

#define PD_FEATURE_SIMPLEPERF_MESSAGES_FIELDS(F, T)                                                \
	F(T, all(simpleperf_message), messages, HEX, "")

#define PD_FEATURE_STRUCTS(S)                                                                      \
	S(string, PD_FEATURE_STRING_FIELDS)                                                        \
	S(blob, PD_FEATURE_BLOB_FIELDS)                                                            \
	S(build_id_record, PD_FEATURE_BUILD_ID_RECORD_FIELDS)                                      \
	S(build_ids, PD_FEATURE_BUILD_IDS_FIELDS)                                                  \
	S(nrcpus, PD_FEATURE_NRCPUS_FIELDS)                                                        \
	S(total_mem, PD_FEATURE_TOTAL_MEM_FIELDS)                                                  \
	S(strings, PD_FEATURE_STRINGS_FIELDS)                                                      \
	S(event_desc_entry, PD_FEATURE_EVENT_DESC_ENTRY_FIELDS)                                    \
	S(event_desc, PD_FEATURE_EVENT_DESC_FIELDS)                                                \
	S(cpu_topology_id, PD_FEATURE_CPU_TOPOLOGY_ID_FIELDS)                                      \
	S(cpu_topology_die_id, PD_FEATURE_CPU_TOPOLOGY_DIE_ID_FIELDS)                              \
	S(cpu_topology_dies, PD_FEATURE_CPU_TOPOLOGY_DIES_FIELDS)                                  \
	S(cpu_topology, PD_FEATURE_CPU_TOPOLOGY_FIELDS)                                            \
	S(numa_node, PD_FEATURE_NUMA_NODE_FIELDS)                                                  \
	S(numa_topology, PD_FEATURE_NUMA_TOPOLOGY_FIELDS)                                          \
	S(pmu_mapping, PD_FEATURE_PMU_MAPPING_FIELDS)                                              \
	S(pmu_mappings, PD_FEATURE_PMU_MAPPINGS_FIELDS)                                            \
	S(group_desc_entry, PD_FEATURE_GROUP_DESC_ENTRY_FIELDS)                                    \
	S(group_desc, PD_FEATURE_GROUP_DESC_FIELDS)                                                \
	S(auxtrace_index_entry, PD_FEATURE_AUXTRACE_INDEX_ENTRY_FIELDS)                            \
	S(auxtrace_index, PD_FEATURE_AUXTRACE_INDEX_FIELDS)                                        \
	S(auxtrace_index_bare, PD_FEATURE_AUXTRACE_INDEX_BARE_FIELDS)                              \
	S(auxtrace_section, PD_FEATURE_AUXTRACE_SECTION_FIELDS)                                    \
	S(cache_level, PD_FEATURE_CACHE_LEVEL_FIELDS)                                              \
	S(cache, PD_FEATURE_CACHE_FIELDS)                                                          \
	S(sample_time, PD_FEATURE_SAMPLE_TIME_FIELDS)                                              \
	S(memory_node, PD_FEATURE_MEMORY_NODE_FIELDS)                                              \
	S(mem_topology, PD_FEATURE_MEM_TOPOLOGY_FIELDS)                                            \
	S(clockid, PD_FEATURE_CLOCKID_FIELDS)                                                      \
	S(dir_format, PD_FEATURE_DIR_FORMAT_FIELDS)                                                \
	S(bpf_prog_info_more, PD_FEATURE_BPF_PROG_INFO_MORE_FIELDS)                                \
	S(bpf_prog_info, PD_FEATURE_BPF_PROG_INFO_FIELDS)                                          \
	S(bpf_prog, PD_FEATURE_BPF_PROG_FIELDS)                                                    \
	S(bpf_prog_infos, PD_FEATURE_BPF_PROG_INFOS_FIELDS)                                        \
	S(bpf_btf_entry, PD_FEATURE_BPF_BTF_ENTRY_FIELDS)                                          \
	S(bpf_btf, PD_FEATURE_BPF_BTF_FIELDS)                                                      \
	S(compression, PD_FEATURE_COMPRESSION_FIELDS)                                              \
	S(cpu_pmu_cap, PD_FEATURE_CPU_PMU_CAP_FIELDS)                                              \
	S(cpu_pmu_caps, PD_FEATURE_CPU_PMU_CAPS_FIELDS)                                            \
	S(clock_data, PD_FEATURE_CLOCK_DATA_FIELDS)                                                \
	S(hybrid_pmu, PD_FEATURE_HYBRID_PMU_FIELDS)                                                \
	S(hybrid_topology, PD_FEATURE_HYBRID_TOPOLOGY_FIELDS)                                      \
	S(pmu_caps_entry, PD_FEATURE_PMU_CAPS_ENTRY_FIELDS)                                        \
	S(pmu_caps, PD_FEATURE_PMU_CAPS_FIELDS)                                                    \
	S(sched_domain_v15, PD_FEATURE_SCHED_DOMAIN_V15_FIELDS)                                    \
	S(sched_domain_v17, PD_FEATURE_SCHED_DOMAIN_V17_FIELDS)                                    \
	S(cpu_domains_v15, PD_FEATURE_CPU_DOMAINS_V15_FIELDS)                                      \
	S(cpu_domains_v17, PD_FEATURE_CPU_DOMAINS_V17_FIELDS)                                      \
	S(cpus_domains_v15, PD_FEATURE_CPUS_DOMAINS_V15_FIELDS)                                    \
	S(cpus_domains_v17, PD_FEATURE_CPUS_DOMAINS_V17_FIELDS)                                    \
	S(cpu_domain_info, PD_FEATURE_CPU_DOMAIN_INFO_FIELDS)                                      \
	S(e_machine, PD_FEATURE_E_MACHINE_FIELDS)                                                  \
	S(cln_size, PD_FEATURE_CLN_SIZE_FIELDS)                                                    \
	S(meta_info_entry, PD_FEATURE_META_INFO_ENTRY_FIELDS)                                      \
	S(meta_info, PD_FEATURE_META_INFO_FIELDS)                                                  \
	S(simpleperf_symbol_entry, PD_FEATURE_SIMPLEPERF_SYMBOL_ENTRY_FIELDS)                      \
	S(simpleperf_file, PD_FEATURE_SIMPLEPERF_FILE_FIELDS)                                      \
	S(simpleperf_file_entry, PD_FEATURE_SIMPLEPERF_FILE_ENTRY_FIELDS)                          \
	S(simpleperf_files, PD_FEATURE_SIMPLEPERF_FILES_FIELDS)                                    \
	S(simpleperf_message, PD_FEATURE_SIMPLEPERF_MESSAGE_FIELDS)                                \
	S(simpleperf_messages, PD_FEATURE_SIMPLEPERF_MESSAGES_FIELDS)

#define PD_FEATURES(F)                                                                             \
	F(1, TRACING_DATA, blob)                                                                   \
	F(2, BUILD_ID, build_ids)                                                                  \
	F(3, HOSTNAME, string)                                                                     \
	F(4, OSRELEASE, string)                                                                    \
	F(5, VERSION, string)                                                                      \
	F(6, ARCH, string)                                                                         \
	F(7, NRCPUS, nrcpus)                                                                       \
	F(8, CPUDESC, string)                                                                      \
	F(9, CPUID, string)                                                                        \
	F(10, TOTAL_MEM, total_mem)                                                                \
	F(11, CMDLINE, strings)                                                                    \
	F(12, EVENT_DESC, event_desc)                                                              \
	F(13, CPU_TOPOLOGY, cpu_topology)                                                          \
	F(14, NUMA_TOPOLOGY, numa_topology)                                                        \
	F(15, BRANCH_STACK, blob)                                                                  \
	F(16, PMU_MAPPINGS, pmu_mappings)                                                          \
	F(17, GROUP_DESC, group_desc)                                                              \
	F(18, AUXTRACE, auxtrace_section)                                                          \
	F(19, STAT, blob)                                                                          \
	F(20, CACHE, cache)                                                                        \
	F(21, SAMPLE_TIME, sample_time)                                                            \
	F(22, MEM_TOPOLOGY, mem_topology)                                                          \
	F(23, CLOCKID, clockid)                                                                    \
	F(24, DIR_FORMAT, dir_format)                                                              \
	F(25, BPF_PROG_INFO, bpf_prog_infos)                                                       \
	F(26, BPF_BTF, bpf_btf)                                                                    \
	F(27, COMPRESSED, compression)                                                             \
	F(28, CPU_PMU_CAPS, cpu_pmu_caps)                                                          \
	F(29, CLOCK_DATA, clock_data)                                                              \
	F(30, HYBRID_TOPOLOGY, hybrid_topology)                                                    \
	F(31, PMU_CAPS, pmu_caps)                                                                  \
	F(32, CPU_DOMAIN_INFO, cpu_domain_info)                                                    \
	F(33, E_MACHINE, e_machine)                                                                \
	F(34, CLN_SIZE, cln_size)                                                                  \
	F(128, SIMPLEPERF_FILE, simpleperf_files)                                                  \
	F(129, SIMPLEPERF_META_INFO, meta_info)                                                    \
	F(130, SIMPLEPERF_DEBUG_UNWIND, blob)                                                      \
	F(131, SIMPLEPERF_DEBUG_UNWIND_FILE, blob)                                                 \
	F(132, SIMPLEPERF_FILE2, simpleperf_messages)                                              \
	F(133, SIMPLEPERF_ETM_BRANCH_LIST, blob)                                                   \
	F(134, SIMPLEPERF_INIT_MAP, blob)
/* clang-format on */

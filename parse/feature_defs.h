/*
 * The header's feature sections: F(bit, NAME, codec). Codecs: STR, one string (u32 length, text);
 * STRS, a u32 count and strings; BODY, decoded where it is used; FLAG, no body. Source:
 * tools/perf/util/header.h and tools/perf/Documentation/perf.data-file-format.txt of Linux.
 */
/* clang-format off */
#define PD_FEATURES(F)                                                                             \
	F(1, TRACING_DATA, BODY)                                                                   \
	F(2, BUILD_ID, BODY)                                                                       \
	F(3, HOSTNAME, STR)                                                                        \
	F(4, OSRELEASE, STR)                                                                       \
	F(5, VERSION, STR)                                                                         \
	F(6, ARCH, STR)                                                                            \
	F(7, NRCPUS, BODY)                                                                         \
	F(8, CPUDESC, STR)                                                                         \
	F(9, CPUID, STR)                                                                           \
	F(10, TOTAL_MEM, BODY)                                                                     \
	F(11, CMDLINE, STRS)                                                                       \
	F(12, EVENT_DESC, BODY)                                                                    \
	F(13, CPU_TOPOLOGY, BODY)                                                                  \
	F(14, NUMA_TOPOLOGY, BODY)                                                                 \
	F(15, BRANCH_STACK, FLAG)                                                                  \
	F(16, PMU_MAPPINGS, BODY)                                                                  \
	F(17, GROUP_DESC, BODY)                                                                    \
	F(18, AUXTRACE, BODY)                                                                      \
	F(19, STAT, FLAG)                                                                          \
	F(20, CACHE, BODY)                                                                         \
	F(21, SAMPLE_TIME, BODY)                                                                   \
	F(22, MEM_TOPOLOGY, BODY)                                                                  \
	F(23, CLOCKID, BODY)                                                                       \
	F(24, DIR_FORMAT, BODY)                                                                    \
	F(25, BPF_PROG_INFO, BODY)                                                                 \
	F(26, BPF_BTF, BODY)                                                                       \
	F(27, COMPRESSED, BODY)                                                                    \
	F(28, CPU_PMU_CAPS, BODY)                                                                  \
	F(29, CLOCK_DATA, BODY)                                                                    \
	F(30, HYBRID_TOPOLOGY, BODY)                                                               \
	F(31, PMU_CAPS, BODY)                                                                      \
	F(32, CPU_DOMAIN_INFO, BODY)                                                               \
	F(33, E_MACHINE, BODY)                                                                     \
	F(34, CLN_SIZE, BODY)
/* clang-format on */

/*
 * struct perf_event_attr. Source: include/uapi/linux/perf_event.h of Linux.
 *
 * A(kind, name, offset, format, bits, "meaning") describes a field. "bits" is the table of names of
 * its bits (pdconv/bitfield.h).
 *
 * G(bit, width, name) describes a flag in the u64 at offset 40. Bits count from the lowest bit, as
 * a little-endian machine writes the word.
 */
/* clang-format off */
#define PD_ATTR_FIELDS(A)                                                                          \
	A(u32, type, 0, ATTR_TYPE, none, "PERF_TYPE_*, or the number of a PMU")                               \
	A(u32, size, 4, DEC, none, "bytes; 0: 64")                                                 \
	A(u64, config, 8, HEX, none, "event within that type")                                   \
	A(u64, sample_period, 16, DEC, none, "events, or Hz with the flag freq")                   \
	A(u64, sample_type, 24, HEX, sample_type, "fields of samples")                     \
	A(u64, read_format, 32, HEX, read_format, "fields of counter values")              \
	A(u64, flags, 40, HEX, flags, "see the flags")                                             \
	A(u32, wakeup_events, 48, DEC, none, "or bytes with the flag watermark")                   \
	A(u32, bp_type, 52, BREAKPOINT, none, "HW_BREAKPOINT_*")                                      \
	A(u64, config1, 56, HEX, none, "or bp_addr, kprobe_func, uprobe_path")                     \
	A(u64, config2, 64, HEX, none, "or bp_len, kprobe_addr, probe_offset")                     \
	A(u64, branch_sample_type, 72, HEX, branch_sample_type, "kinds of branches to keep")         \
	A(u64, sample_regs_user, 80, HEX, none, "mask of user registers")                \
	A(u32, sample_stack_user, 88, DEC, none, "bytes of user stack to capture")                  \
	A(u32, clockid, 92, DEC, none, "with the flag use_clockid")                                \
	A(u64, sample_regs_intr, 96, HEX, none, "registers at the interrupt")                      \
	A(u32, aux_watermark, 104, DEC, none, "bytes")                                             \
	A(u16, sample_max_stack, 108, DEC, none, "maximum number of call chain entries")                     \
	A(u32, aux_sample_size, 112, DEC, none, "bytes")                                           \
	A(u32, aux_action, 116, HEX, none, "start_paused, pause, resume")                          \
	A(u64, sig_data, 120, HEX, none, "for the flag sigtrap")                                   \
	A(u64, config3, 128, HEX, none, "")                                                        \
	A(u64, config4, 136, HEX, none, "")

#define PD_ATTR_FLAGS(G)                                                                           \
	G(0, 1, disabled) G(1, 1, inherit) G(2, 1, pinned) G(3, 1, exclusive)                      \
	G(4, 1, exclude_user) G(5, 1, exclude_kernel) G(6, 1, exclude_hv) G(7, 1, exclude_idle)    \
	G(8, 1, mmap) G(9, 1, comm) G(10, 1, freq) G(11, 1, inherit_stat)                          \
	G(12, 1, enable_on_exec) G(13, 1, task) G(14, 1, watermark) G(15, 2, precise_ip)           \
	G(17, 1, mmap_data) G(18, 1, sample_id_all) G(19, 1, exclude_host)                         \
	G(20, 1, exclude_guest) G(21, 1, exclude_callchain_kernel)                                 \
	G(22, 1, exclude_callchain_user) G(23, 1, mmap2) G(24, 1, comm_exec)                       \
	G(25, 1, use_clockid) G(26, 1, context_switch) G(27, 1, write_backward)                    \
	G(28, 1, namespaces) G(29, 1, ksymbol) G(30, 1, bpf_event) G(31, 1, aux_output)            \
	G(32, 1, cgroup) G(33, 1, text_poke) G(34, 1, build_id) G(35, 1, inherit_thread)           \
	G(36, 1, remove_on_exec) G(37, 1, sigtrap) G(38, 1, defer_callchain)                       \
	G(39, 1, defer_output)
/* clang-format on */

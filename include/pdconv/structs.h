/**
 * @file Structs whose members are rows of tables (attr_defs.h, record_defs.h, feature_defs.h,
 * header_defs.h), from which decoding, encoding and names are made as well. To change one, change
 * its table and run `make structs`.
 *
 * struct pd_str is text with its length, struct pd_view bytes or an array of integers, struct
 * pd_list an array of structs. They are borrowed from the record or section.
 */
#ifndef PDCONV_STRUCTS_H
#define PDCONV_STRUCTS_H

#include <stdint.h>

#include <pdconv/decls.h>
#include <pdconv/layout.h>

PD_DECLS_BEGIN

/* clang-format off */
/*
 * Records without a body have empty structs, of size 0 in C and 1 in C++. Nothing depends on that
 * size.
 */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#ifdef __clang__
#pragma clang diagnostic ignored "-Wextern-c-compat"
#endif

/* Structs of pdconv/attr.h. */

/** A decoded attr in host byte order. */
struct pd_attr {
	uint32_t type;                         /* PERF_TYPE_*, or the number of a PMU */
	uint32_t size;                         /* bytes; 0: 64 */
	uint64_t config;                       /* event within that type */
	uint64_t sample_period;                /* events, or Hz with the flag freq */
	uint64_t sample_type;                  /* fields of samples */
	uint64_t read_format;                  /* fields of counter values */
	uint64_t flags;                        /* see the flags */
	uint32_t wakeup_events;                /* or bytes with the flag watermark */
	uint32_t bp_type;                      /* HW_BREAKPOINT_* */
	uint64_t config1;                      /* or bp_addr, kprobe_func, uprobe_path */
	uint64_t config2;                      /* or bp_len, kprobe_addr, probe_offset */
	uint64_t branch_sample_type;           /* kinds of branches to keep */
	uint64_t sample_regs_user;             /* mask of user registers */
	uint32_t sample_stack_user;            /* bytes of user stack to capture */
	uint32_t clockid;                      /* with the flag use_clockid */
	uint64_t sample_regs_intr;             /* registers at the interrupt */
	uint32_t aux_watermark;                /* bytes */
	uint16_t sample_max_stack;             /* maximum number of call chain entries */
	uint32_t aux_sample_size;              /* bytes */
	uint32_t aux_action;                   /* start_paused, pause, resume */
	uint64_t sig_data;                     /* for the flag sigtrap */
	uint64_t config3;
	uint64_t config4;
};

/** Bit number of each flag in pd_attr.flags. A flag of several bits begins there. */
enum pd_attr_flag {
	PD_ATTR_disabled = 0,
	PD_ATTR_inherit = 1,
	PD_ATTR_pinned = 2,
	PD_ATTR_exclusive = 3,
	PD_ATTR_exclude_user = 4,
	PD_ATTR_exclude_kernel = 5,
	PD_ATTR_exclude_hv = 6,
	PD_ATTR_exclude_idle = 7,
	PD_ATTR_mmap = 8,
	PD_ATTR_comm = 9,
	PD_ATTR_freq = 10,
	PD_ATTR_inherit_stat = 11,
	PD_ATTR_enable_on_exec = 12,
	PD_ATTR_task = 13,
	PD_ATTR_watermark = 14,
	PD_ATTR_precise_ip = 15,
	PD_ATTR_mmap_data = 17,
	PD_ATTR_sample_id_all = 18,
	PD_ATTR_exclude_host = 19,
	PD_ATTR_exclude_guest = 20,
	PD_ATTR_exclude_callchain_kernel = 21,
	PD_ATTR_exclude_callchain_user = 22,
	PD_ATTR_mmap2 = 23,
	PD_ATTR_comm_exec = 24,
	PD_ATTR_use_clockid = 25,
	PD_ATTR_context_switch = 26,
	PD_ATTR_write_backward = 27,
	PD_ATTR_namespaces = 28,
	PD_ATTR_ksymbol = 29,
	PD_ATTR_bpf_event = 30,
	PD_ATTR_aux_output = 31,
	PD_ATTR_cgroup = 32,
	PD_ATTR_text_poke = 33,
	PD_ATTR_build_id = 34,
	PD_ATTR_inherit_thread = 35,
	PD_ATTR_remove_on_exec = 36,
	PD_ATTR_sigtrap = 37,
	PD_ATTR_defer_callchain = 38,
	PD_ATTR_defer_output = 39,
};

/* Structs of pdconv/record.h. */

struct pd_namespace_link {
	uint64_t dev;                          /* device of the nsfs inode */
	uint64_t ino;                          /* inode: net uts ipc pid user mnt cgroup */
};
extern const struct pd_layout pd_layout_namespace_link;

struct pd_id_index_entry {
	uint64_t id;                           /* event instance */
	uint64_t idx;                          /* ring buffer */
	uint64_t cpu;                          /* CPU, or -1 */
	uint64_t tid;                          /* thread, or -1 */
};
extern const struct pd_layout pd_layout_id_index_entry;

struct pd_id_index_vcpu {
	uint64_t machine_pid;                  /* of the guest */
	uint64_t vcpu;                         /* of the guest */
};
extern const struct pd_layout pd_layout_id_index_vcpu;

struct pd_auxtrace_words {
	struct pd_view words;
};
extern const struct pd_layout pd_layout_auxtrace_words;

struct pd_intel_pt_info {
	uint64_t pmu_type;
	uint64_t time_shift;
	uint64_t time_mult;
	uint64_t time_zero;
	uint64_t cap_user_time_zero;
	uint64_t tsc_bit;
	uint64_t noretcomp_bit;
	uint64_t have_sched_switch;
	uint64_t snapshot_mode;
	uint64_t per_cpu_mmaps;
	uint64_t mtc_bit;
	uint64_t mtc_freq_bits;
	uint64_t tsc_ctc_n;
	uint64_t tsc_ctc_d;
	uint64_t cyc_bit;
	uint64_t max_nonturbo_ratio;
	struct pd_list filter;                 /* since 4.9 */
};
extern const struct pd_layout pd_layout_intel_pt_info;

struct pd_intel_pt_filter {
	uint64_t filter_str_len;               /* bytes */
	struct pd_str filter_str;              /* address filter */
	struct pd_view more;                   /* padding and later words */
};
extern const struct pd_layout pd_layout_intel_pt_filter;

struct pd_intel_bts_info {
	uint64_t pmu_type;
	uint64_t time_shift;
	uint64_t time_mult;
	uint64_t time_zero;
	uint64_t cap_user_time_zero;
	uint64_t snapshot_mode;
};
extern const struct pd_layout pd_layout_intel_bts_info;

struct pd_auxtrace_error_0 {
	struct pd_str msg;                     /* what went wrong */
};
extern const struct pd_layout pd_layout_auxtrace_error_0;

struct pd_auxtrace_error_1 {
	uint64_t time;                         /* when */
	struct pd_str msg;                     /* what went wrong */
};
extern const struct pd_layout pd_layout_auxtrace_error_1;

struct pd_auxtrace_error_2 {
	uint64_t time;                         /* when */
	struct pd_str msg;                     /* what went wrong */
	uint32_t machine_pid;                  /* of the guest */
	uint32_t vcpu;                         /* of the guest */
};
extern const struct pd_layout pd_layout_auxtrace_error_2;

struct pd_thread_map_entry {
	uint64_t pid;                          /* thread */
	struct pd_str comm;                    /* its name */
};
extern const struct pd_layout pd_layout_thread_map_entry;

struct pd_cpu_map_cpus {
	uint16_t nr;                           /* CPUs */
	struct pd_view cpu;                    /* 65535: any */
};
extern const struct pd_layout pd_layout_cpu_map_cpus;

struct pd_cpu_map_mask32 {
	uint16_t nr;                           /* words */
	uint16_t long_size;                    /* bytes of a word */
	struct pd_view mask;                   /* a bit for each CPU */
};
extern const struct pd_layout pd_layout_cpu_map_mask32;

struct pd_cpu_map_mask64 {
	uint16_t nr;                           /* words */
	uint16_t long_size;                    /* bytes of a word */
	const uint8_t *pad;
	struct pd_view mask;                   /* a bit for each CPU */
};
extern const struct pd_layout pd_layout_cpu_map_mask64;

struct pd_cpu_map_range {
	uint8_t any_cpu;                       /* any CPU as well */
	uint8_t pad;
	uint16_t start_cpu;                    /* first */
	uint16_t end_cpu;                      /* last */
};
extern const struct pd_layout pd_layout_cpu_map_range;

struct pd_stat_config_term {
	uint64_t tag;                          /* 0 aggr_mode 1 interval 2 scale 3 aggr_level */
	uint64_t val;
};
extern const struct pd_layout pd_layout_stat_config_term;

struct pd_event_update_unit {
	struct pd_str unit;                    /* of the scaled count */
};
extern const struct pd_layout pd_layout_event_update_unit;

struct pd_event_update_scale {
	uint64_t scale;                        /* of the count */
};
extern const struct pd_layout pd_layout_event_update_scale;

struct pd_event_update_name {
	struct pd_str name;                    /* of the event */
};
extern const struct pd_layout pd_layout_event_update_name;

struct pd_time_conv_extension {
	uint64_t time_cycles;
	uint64_t time_mask;
	uint8_t cap_user_time_zero;
	uint8_t cap_user_time_short;
	const uint8_t *reserved;
};
extern const struct pd_layout pd_layout_time_conv_extension;

struct pd_bpf_metadata_entry {
	struct pd_str key;
	struct pd_str value;
};
extern const struct pd_layout pd_layout_bpf_metadata_entry;

struct pd_schedstat_domain_v15 {
	uint32_t idle_lb_count;
	uint32_t idle_lb_balanced;
	uint32_t idle_lb_failed;
	uint32_t idle_lb_imbalance;
	uint32_t idle_lb_gained;
	uint32_t idle_lb_hot_gained;
	uint32_t idle_lb_nobusyq;
	uint32_t idle_lb_nobusyg;
	uint32_t busy_lb_count;
	uint32_t busy_lb_balanced;
	uint32_t busy_lb_failed;
	uint32_t busy_lb_imbalance;
	uint32_t busy_lb_gained;
	uint32_t busy_lb_hot_gained;
	uint32_t busy_lb_nobusyq;
	uint32_t busy_lb_nobusyg;
	uint32_t newidle_lb_count;
	uint32_t newidle_lb_balanced;
	uint32_t newidle_lb_failed;
	uint32_t newidle_lb_imbalance;
	uint32_t newidle_lb_gained;
	uint32_t newidle_lb_hot_gained;
	uint32_t newidle_lb_nobusyq;
	uint32_t newidle_lb_nobusyg;
	uint32_t alb_count;
	uint32_t alb_failed;
	uint32_t alb_pushed;
	uint32_t sbe_count;
	uint32_t sbe_balanced;
	uint32_t sbe_pushed;
	uint32_t sbf_count;
	uint32_t sbf_balanced;
	uint32_t sbf_pushed;
	uint32_t ttwu_wake_remote;
	uint32_t ttwu_move_affine;
	uint32_t ttwu_move_balance;
};
extern const struct pd_layout pd_layout_schedstat_domain_v15;

struct pd_schedstat_domain_v16 {
	uint32_t busy_lb_count;
	uint32_t busy_lb_balanced;
	uint32_t busy_lb_failed;
	uint32_t busy_lb_imbalance;
	uint32_t busy_lb_gained;
	uint32_t busy_lb_hot_gained;
	uint32_t busy_lb_nobusyq;
	uint32_t busy_lb_nobusyg;
	uint32_t idle_lb_count;
	uint32_t idle_lb_balanced;
	uint32_t idle_lb_failed;
	uint32_t idle_lb_imbalance;
	uint32_t idle_lb_gained;
	uint32_t idle_lb_hot_gained;
	uint32_t idle_lb_nobusyq;
	uint32_t idle_lb_nobusyg;
	uint32_t newidle_lb_count;
	uint32_t newidle_lb_balanced;
	uint32_t newidle_lb_failed;
	uint32_t newidle_lb_imbalance;
	uint32_t newidle_lb_gained;
	uint32_t newidle_lb_hot_gained;
	uint32_t newidle_lb_nobusyq;
	uint32_t newidle_lb_nobusyg;
	uint32_t alb_count;
	uint32_t alb_failed;
	uint32_t alb_pushed;
	uint32_t sbe_count;
	uint32_t sbe_balanced;
	uint32_t sbe_pushed;
	uint32_t sbf_count;
	uint32_t sbf_balanced;
	uint32_t sbf_pushed;
	uint32_t ttwu_wake_remote;
	uint32_t ttwu_move_affine;
	uint32_t ttwu_move_balance;
};
extern const struct pd_layout pd_layout_schedstat_domain_v16;

struct pd_schedstat_domain_v17 {
	uint32_t busy_lb_count;
	uint32_t busy_lb_balanced;
	uint32_t busy_lb_failed;
	uint32_t busy_lb_imbalance_load;
	uint32_t busy_lb_imbalance_util;
	uint32_t busy_lb_imbalance_task;
	uint32_t busy_lb_imbalance_misfit;
	uint32_t busy_lb_gained;
	uint32_t busy_lb_hot_gained;
	uint32_t busy_lb_nobusyq;
	uint32_t busy_lb_nobusyg;
	uint32_t idle_lb_count;
	uint32_t idle_lb_balanced;
	uint32_t idle_lb_failed;
	uint32_t idle_lb_imbalance_load;
	uint32_t idle_lb_imbalance_util;
	uint32_t idle_lb_imbalance_task;
	uint32_t idle_lb_imbalance_misfit;
	uint32_t idle_lb_gained;
	uint32_t idle_lb_hot_gained;
	uint32_t idle_lb_nobusyq;
	uint32_t idle_lb_nobusyg;
	uint32_t newidle_lb_count;
	uint32_t newidle_lb_balanced;
	uint32_t newidle_lb_failed;
	uint32_t newidle_lb_imbalance_load;
	uint32_t newidle_lb_imbalance_util;
	uint32_t newidle_lb_imbalance_task;
	uint32_t newidle_lb_imbalance_misfit;
	uint32_t newidle_lb_gained;
	uint32_t newidle_lb_hot_gained;
	uint32_t newidle_lb_nobusyq;
	uint32_t newidle_lb_nobusyg;
	uint32_t alb_count;
	uint32_t alb_failed;
	uint32_t alb_pushed;
	uint32_t sbe_count;
	uint32_t sbe_balanced;
	uint32_t sbe_pushed;
	uint32_t sbf_count;
	uint32_t sbf_balanced;
	uint32_t sbf_pushed;
	uint32_t ttwu_wake_remote;
	uint32_t ttwu_move_affine;
	uint32_t ttwu_move_balance;
};
extern const struct pd_layout pd_layout_schedstat_domain_v17;

struct pd_event_id_entry {
	uint64_t attr_index;                   /* place in the attr table */
	uint64_t event_id;                     /* event instance */
};
extern const struct pd_layout pd_layout_event_id_entry;

/** PD_RECORD_MMAP, pd_body.mmap */
struct pd_mmap {
	uint32_t pid;                          /* process */
	uint32_t tid;                          /* thread */
	uint64_t addr;                         /* start, process virtual address */
	uint64_t len;                          /* bytes */
	uint64_t pgoff;                        /* file offset, bytes */
	struct pd_str filename;                /* path in the task's mount namespace */
};
extern const struct pd_layout pd_layout_mmap;

/** PD_RECORD_LOST, pd_body.lost */
struct pd_lost {
	uint64_t id;                           /* event instance */
	uint64_t lost;                         /* records lost in that ring buffer */
};
extern const struct pd_layout pd_layout_lost;

/** PD_RECORD_COMM, pd_body.comm */
struct pd_comm {
	uint32_t pid;                          /* process */
	uint32_t tid;                          /* thread */
	struct pd_str comm;                    /* new name */
};
extern const struct pd_layout pd_layout_comm;

/** PD_RECORD_EXIT, pd_body.exit */
struct pd_exit {
	uint32_t pid;                          /* process */
	uint32_t ppid;                         /* parent process */
	uint32_t tid;                          /* thread */
	uint32_t ptid;                         /* parent thread */
	uint64_t time;                         /* when */
};
extern const struct pd_layout pd_layout_exit;

/** PD_RECORD_THROTTLE, pd_body.throttle */
struct pd_throttle {
	uint64_t time;                         /* when */
	uint64_t id;                           /* event instance */
	uint64_t stream_id;                    /* event instance on that CPU */
};
extern const struct pd_layout pd_layout_throttle;

/** PD_RECORD_UNTHROTTLE, pd_body.unthrottle */
struct pd_unthrottle {
	uint64_t time;                         /* when */
	uint64_t id;                           /* event instance */
	uint64_t stream_id;                    /* event instance on that CPU */
};
extern const struct pd_layout pd_layout_unthrottle;

/** PD_RECORD_FORK, pd_body.fork */
struct pd_fork {
	uint32_t pid;                          /* process */
	uint32_t ppid;                         /* parent process */
	uint32_t tid;                          /* thread */
	uint32_t ptid;                         /* parent thread */
	uint64_t time;                         /* when */
};
extern const struct pd_layout pd_layout_fork;

/** PD_RECORD_READ, pd_body.read */
struct pd_read {
	uint32_t pid;                          /* process */
	uint32_t tid;                          /* thread */
	struct pd_view values;                 /* as read_format says */
};
extern const struct pd_layout pd_layout_read;

/** PD_RECORD_SAMPLE, pd_body.raw_sample */
struct pd_raw_sample {
	struct pd_view data;                   /* see pdconv/sample_defs.h */
};
extern const struct pd_layout pd_layout_raw_sample;

/** PD_RECORD_MMAP2, pd_body.mmap2 */
struct pd_mmap2 {
	uint32_t pid;                          /* process */
	uint32_t tid;                          /* thread */
	uint64_t addr;                         /* start, process virtual address */
	uint64_t len;                          /* bytes */
	uint64_t pgoff;                        /* file offset, bytes */
	uint32_t maj;                          /* device, major number */
	uint32_t min;                          /* device, minor number */
	uint64_t ino;                          /* inode */
	uint64_t ino_generation;               /* inode generation */
	uint32_t prot;                         /* PROT_* */
	uint32_t flags;                        /* MAP_* */
	struct pd_str filename;                /* path in the task's mount namespace */
};
extern const struct pd_layout pd_layout_mmap2;

/** PD_RECORD_MMAP2_BUILD_ID, pd_body.mmap2_build_id */
struct pd_mmap2_build_id {
	uint32_t pid;                          /* process */
	uint32_t tid;                          /* thread */
	uint64_t addr;                         /* start, process virtual address */
	uint64_t len;                          /* bytes */
	uint64_t pgoff;                        /* file offset, bytes */
	struct pd_build_id build_id;           /* of the mapped file */
	uint32_t prot;                         /* PROT_* */
	uint32_t flags;                        /* MAP_* */
	struct pd_str filename;                /* path in the task's mount namespace */
};
extern const struct pd_layout pd_layout_mmap2_build_id;

/** PD_RECORD_AUX, pd_body.aux */
struct pd_aux {
	uint64_t aux_offset;                   /* in the AUX buffer, bytes */
	uint64_t aux_size;                     /* bytes */
	uint64_t flags;                        /* PERF_AUX_FLAG_* */
};
extern const struct pd_layout pd_layout_aux;

/** PD_RECORD_ITRACE_START, pd_body.itrace_start */
struct pd_itrace_start {
	uint32_t pid;                          /* process */
	uint32_t tid;                          /* thread */
};
extern const struct pd_layout pd_layout_itrace_start;

/** PD_RECORD_LOST_SAMPLES, pd_body.lost_samples */
struct pd_lost_samples {
	uint64_t lost;                         /* samples */
};
extern const struct pd_layout pd_layout_lost_samples;

/** PD_RECORD_SWITCH, pd_body.context_switch */
struct pd_context_switch {
};
extern const struct pd_layout pd_layout_context_switch;

/** PD_RECORD_SWITCH_CPU_WIDE, pd_body.switch_cpu_wide */
struct pd_switch_cpu_wide {
	uint32_t next_prev_pid;                /* process switched to or from */
	uint32_t next_prev_tid;                /* its thread */
};
extern const struct pd_layout pd_layout_switch_cpu_wide;

/** PD_RECORD_NAMESPACES, pd_body.namespaces */
struct pd_namespaces {
	uint32_t pid;                          /* process */
	uint32_t tid;                          /* thread */
	uint64_t nr;                           /* namespaces */
	struct pd_list namespaces;             /* net uts ipc pid user mnt cgroup */
};
extern const struct pd_layout pd_layout_namespaces;

/** PD_RECORD_KSYMBOL, pd_body.ksymbol */
struct pd_ksymbol {
	uint64_t addr;                         /* kernel address */
	uint32_t len;                          /* bytes */
	uint16_t ksym_type;                    /* PERF_RECORD_KSYMBOL_TYPE_* */
	uint16_t flags;                        /* bit 0: unregistered */
	struct pd_str name;                    /* symbol */
};
extern const struct pd_layout pd_layout_ksymbol;

/** PD_RECORD_BPF_EVENT, pd_body.bpf_event */
struct pd_bpf_event {
	uint16_t event_type;                   /* PERF_BPF_EVENT_* */
	uint16_t flags;
	uint32_t id;                           /* program */
	const uint8_t *tag;                    /* program tag */
};
extern const struct pd_layout pd_layout_bpf_event;

/** PD_RECORD_CGROUP, pd_body.cgroup */
struct pd_cgroup {
	uint64_t id;                           /* cgroup */
	struct pd_str path;                    /* path in the cgroup hierarchy */
};
extern const struct pd_layout pd_layout_cgroup;

/** PD_RECORD_TEXT_POKE, pd_body.text_poke */
struct pd_text_poke {
	uint64_t addr;                         /* kernel address */
	uint16_t old_len;                      /* bytes */
	uint16_t new_len;                      /* bytes */
	struct pd_view old_bytes;              /* code before */
	struct pd_view new_bytes;              /* code after */
};
extern const struct pd_layout pd_layout_text_poke;

/** PD_RECORD_AUX_OUTPUT_HW_ID, pd_body.aux_output_hw_id */
struct pd_aux_output_hw_id {
	uint64_t hw_id;                        /* hardware event number */
};
extern const struct pd_layout pd_layout_aux_output_hw_id;

/** PD_RECORD_CALLCHAIN_DEFERRED, pd_body.callchain_deferred */
struct pd_callchain_deferred {
	uint64_t cookie;                       /* of the samples that it completes */
	uint64_t nr;                           /* addresses */
	struct pd_view ips;                    /* user call chain, leaf first */
};
extern const struct pd_layout pd_layout_callchain_deferred;

/** PD_RECORD_ATTR, pd_body.header_attr */
struct pd_header_attr {
	struct pd_view attr;                   /* perf_event_attr */
	struct pd_view ids;                    /* its event instances */
};
extern const struct pd_layout pd_layout_header_attr;

/** PD_RECORD_EVENT_TYPE, pd_body.header_event_type */
struct pd_header_event_type {
	uint64_t event_id;                     /* attr.config */
	struct pd_str name;                    /* event */
};
extern const struct pd_layout pd_layout_header_event_type;

/** PD_RECORD_TRACING_DATA, pd_body.header_tracing_data */
struct pd_header_tracing_data {
	uint32_t data_size;                    /* bytes that follow the record */
	struct pd_view pad;
};
extern const struct pd_layout pd_layout_header_tracing_data;

/** PD_RECORD_BUILD_ID, pd_body.header_build_id */
struct pd_header_build_id {
	uint32_t pid;                          /* -1: the host */
	const uint8_t *build_id;               /* 20 bytes; then, if misc says so, the length */
	struct pd_str filename;                /* of the binary */
};
extern const struct pd_layout pd_layout_header_build_id;

/** PD_RECORD_FINISHED_ROUND, pd_body.finished_round */
struct pd_finished_round {
};
extern const struct pd_layout pd_layout_finished_round;

/** PD_RECORD_ID_INDEX, pd_body.id_index */
struct pd_id_index {
	uint64_t nr;                           /* entries */
	struct pd_list entries;
	struct pd_list vcpus;                  /* of the same entries, if guests were recorded */
};
extern const struct pd_layout pd_layout_id_index;

/** PD_RECORD_AUXTRACE_INFO, pd_body.auxtrace_info */
struct pd_auxtrace_info {
	/* 1 PT 2 BTS 3 CS-ETM 4 SPE 5 CPUMSF 6 PTT 7 VPA-DTL */
	uint32_t trace_type;
	uint32_t reserved;
	struct pd_view priv;                   /* u64 words */
};
extern const struct pd_layout pd_layout_auxtrace_info;

/** PD_RECORD_AUXTRACE, pd_body.auxtrace */
struct pd_auxtrace {
	uint64_t data_size;                    /* bytes that follow the record */
	uint64_t aux_offset;                   /* in the AUX buffer, bytes */
	uint64_t reference;                    /* time stamp or the like */
	uint32_t idx;                          /* AUX buffer */
	uint32_t tid;                          /* thread, or -1 */
	uint32_t cpu;                          /* CPU, or -1 */
	uint32_t reserved;
};
extern const struct pd_layout pd_layout_auxtrace;

/** PD_RECORD_AUXTRACE_ERROR, pd_body.auxtrace_error */
struct pd_auxtrace_error {
	uint32_t error_type;                   /* 1: instruction trace */
	uint32_t code;                         /* of that type */
	uint32_t cpu;                          /* CPU, or -1 */
	uint32_t pid;                          /* process, or -1 */
	uint32_t tid;                          /* thread, or -1 */
	uint32_t fmt;                          /* which form follows */
	uint64_t ip;                           /* instruction pointer */
	struct pd_view data;                   /* by fmt */
};
extern const struct pd_layout pd_layout_auxtrace_error;

/** PD_RECORD_THREAD_MAP, pd_body.thread_map */
struct pd_thread_map {
	uint64_t nr;                           /* threads */
	struct pd_list entries;
};
extern const struct pd_layout pd_layout_thread_map;

/** PD_RECORD_CPU_MAP, pd_body.cpu_map */
struct pd_cpu_map {
	uint16_t map_type;                     /* 0 CPUs, 1 mask, 2 range */
	struct pd_view data;                   /* by map_type */
};
extern const struct pd_layout pd_layout_cpu_map;

/** PD_RECORD_STAT_CONFIG, pd_body.stat_config */
struct pd_stat_config {
	uint64_t nr;                           /* terms */
	struct pd_list terms;
};
extern const struct pd_layout pd_layout_stat_config;

/** PD_RECORD_STAT, pd_body.stat */
struct pd_stat {
	uint64_t id;                           /* event instance */
	uint32_t cpu;                          /* index of the CPU map */
	uint32_t thread;                       /* index of the thread map */
	uint64_t val;                          /* count */
	uint64_t ena;                          /* enabled */
	uint64_t run;                          /* running */
};
extern const struct pd_layout pd_layout_stat;

/** PD_RECORD_STAT_ROUND, pd_body.stat_round */
struct pd_stat_round {
	uint64_t round_type;                   /* 0 interval, 1 final */
	uint64_t time;                         /* when */
};
extern const struct pd_layout pd_layout_stat_round;

/** PD_RECORD_EVENT_UPDATE, pd_body.event_update */
struct pd_event_update {
	uint64_t update_type;                  /* 0 unit 1 scale 2 name 3 cpus */
	uint64_t id;                           /* event instance */
	struct pd_view data;                   /* by update_type */
};
extern const struct pd_layout pd_layout_event_update;

/** PD_RECORD_TIME_CONV, pd_body.time_conv */
struct pd_time_conv {
	uint64_t time_shift;
	uint64_t time_mult;
	uint64_t time_zero;
	struct pd_list extension;              /* since 5.12 */
};
extern const struct pd_layout pd_layout_time_conv;

/** PD_RECORD_FEATURE, pd_body.header_feature */
struct pd_header_feature {
	uint64_t feat_id;                      /* feature bit */
	struct pd_view data;                   /* as the feature section */
};
extern const struct pd_layout pd_layout_header_feature;

/** PD_RECORD_COMPRESSED, pd_body.compressed */
struct pd_compressed {
	struct pd_view data;                   /* zstd data */
};
extern const struct pd_layout pd_layout_compressed;

/** PD_RECORD_FINISHED_INIT, pd_body.finished_init */
struct pd_finished_init {
};
extern const struct pd_layout pd_layout_finished_init;

/** PD_RECORD_COMPRESSED2, pd_body.compressed2 */
struct pd_compressed2 {
	uint64_t data_size;                    /* bytes of zstd data */
	struct pd_view data;                   /* zstd data, padding */
};
extern const struct pd_layout pd_layout_compressed2;

/** PD_RECORD_BPF_METADATA, pd_body.bpf_metadata */
struct pd_bpf_metadata {
	struct pd_str prog_name;               /* BPF program */
	uint64_t nr_entries;                   /* entries */
	struct pd_list entries;
};
extern const struct pd_layout pd_layout_bpf_metadata;

/** PD_RECORD_SCHEDSTAT_CPU, pd_body.schedstat_cpu */
struct pd_schedstat_cpu {
	uint64_t timestamp;                    /* jiffies */
	uint32_t cpu;                          /* CPU */
	uint16_t version;                      /* of schedstat */
	uint16_t pad;
	uint32_t yld_count;
	uint32_t array_exp;
	uint32_t sched_count;
	uint32_t sched_goidle;
	uint32_t ttwu_count;
	uint32_t ttwu_local;
	uint64_t rq_cpu_time;                  /* running */
	uint64_t run_delay;                    /* waiting */
	uint64_t pcount;                       /* time slices */
};
extern const struct pd_layout pd_layout_schedstat_cpu;

/** PD_RECORD_SCHEDSTAT_DOMAIN, pd_body.schedstat_domain */
struct pd_schedstat_domain {
	uint64_t timestamp;                    /* jiffies */
	uint32_t cpu;                          /* CPU */
	uint16_t version;                      /* of schedstat */
	uint16_t domain;                       /* of that CPU */
	struct pd_view data;                   /* by version */
};
extern const struct pd_layout pd_layout_schedstat_domain;

/** PD_RECORD_SIMPLEPERF_KERNEL_SYMBOL, pd_body.kernel_symbol */
struct pd_kernel_symbol {
	uint32_t data_size;                    /* bytes */
	struct pd_str kallsyms;                /* as /proc/kallsyms */
};
extern const struct pd_layout pd_layout_kernel_symbol;

/** PD_RECORD_SIMPLEPERF_DSO, pd_body.simpleperf_dso */
struct pd_simpleperf_dso {
	uint64_t dso_type;                     /* 0 kernel 1 module 2 ELF 3 dex */
	uint64_t dso_id;
	uint64_t min_vaddr;                    /* of its code */
	struct pd_str name;                    /* path */
};
extern const struct pd_layout pd_layout_simpleperf_dso;

/** PD_RECORD_SIMPLEPERF_SYMBOL, pd_body.simpleperf_symbol */
struct pd_simpleperf_symbol {
	uint64_t addr;                         /* in the binary */
	uint64_t len;                          /* bytes */
	uint64_t dso_id;
	struct pd_str name;                    /* symbol */
};
extern const struct pd_layout pd_layout_simpleperf_symbol;

/** PD_RECORD_SIMPLEPERF_SPLIT, pd_body.split */
struct pd_split {
	struct pd_view data;                   /* part of a larger record */
};
extern const struct pd_layout pd_layout_split;

/** PD_RECORD_SIMPLEPERF_SPLIT_END, pd_body.split_end */
struct pd_split_end {
};
extern const struct pd_layout pd_layout_split_end;

/** PD_RECORD_SIMPLEPERF_EVENT_ID, pd_body.event_id */
struct pd_event_id {
	uint64_t nr;                           /* entries */
	struct pd_list entries;
};
extern const struct pd_layout pd_layout_event_id;

/** PD_RECORD_SIMPLEPERF_CALLCHAIN, pd_body.simpleperf_callchain */
struct pd_simpleperf_callchain {
	uint32_t pid;                          /* process */
	uint32_t tid;                          /* thread */
	uint64_t chain_type;
	uint64_t time;                         /* when */
	uint64_t nr;                           /* frames */
	struct pd_view ips;                    /* addresses, leaf first */
	struct pd_view sps;                    /* stack pointers */
};
extern const struct pd_layout pd_layout_simpleperf_callchain;

/** PD_RECORD_SIMPLEPERF_UNWINDING_RESULT, pd_body.unwinding_result */
struct pd_unwinding_result {
	uint64_t time;                         /* of the sample */
	uint64_t used_time;                    /* spent */
	uint64_t error_code;
	uint64_t error_addr;
	uint64_t stack_start;
	uint64_t stack_end;
	struct pd_view data;
};
extern const struct pd_layout pd_layout_unwinding_result;

/** PD_RECORD_SIMPLEPERF_TRACING_DATA, pd_body.simpleperf_tracing_data */
struct pd_simpleperf_tracing_data {
	uint32_t data_size;                    /* bytes */
	struct pd_view data;                   /* tracing data */
};
extern const struct pd_layout pd_layout_simpleperf_tracing_data;

/** PD_RECORD_SIMPLEPERF_DEBUG, pd_body.simpleperf_debug */
struct pd_simpleperf_debug {
	uint64_t time;                         /* when */
	struct pd_str text;
};
extern const struct pd_layout pd_layout_simpleperf_debug;

/* Structs of pdconv/feature.h. */

struct pd_string {
	struct pd_str value;
};
extern const struct pd_layout pd_layout_string;

struct pd_blob {
	struct pd_view data;
};
extern const struct pd_layout pd_layout_blob;

struct pd_build_id_record {
	uint32_t type;                         /* 67, or not set */
	uint16_t misc;                         /* cpumode, and whether the length is set */
	uint16_t size;                         /* of this entry, bytes */
	uint32_t pid;                          /* -1: the host */
	const uint8_t *build_id;               /* 20 bytes; then, if misc says so, the length */
	struct pd_str filename;                /* of the binary */
};
extern const struct pd_layout pd_layout_build_id_record;

struct pd_build_ids {
	struct pd_list entries;
};
extern const struct pd_layout pd_layout_build_ids;

struct pd_nrcpus {
	uint32_t nr_cpus_available;
	uint32_t nr_cpus_online;
};
extern const struct pd_layout pd_layout_nrcpus;

struct pd_total_mem {
	uint64_t total_mem;                    /* KiB */
};
extern const struct pd_layout pd_layout_total_mem;

struct pd_strings {
	uint32_t nr;                           /* strings */
	struct pd_list strings;
};
extern const struct pd_layout pd_layout_strings;

struct pd_event_desc_entry {
	struct pd_view attr;                   /* perf_event_attr */
	uint32_t nr_ids;                       /* event instances */
	struct pd_str name;                    /* as the user gave it */
	struct pd_view ids;                    /* event instances */
};
extern const struct pd_layout pd_layout_event_desc_entry;

struct pd_event_desc {
	uint32_t nr;                           /* events */
	uint32_t attr_size;                    /* bytes of each attr */
	struct pd_list events;
};
extern const struct pd_layout pd_layout_event_desc;

struct pd_cpu_topology_id {
	uint32_t core_id;
	uint32_t socket_id;
};
extern const struct pd_layout pd_layout_cpu_topology_id;

struct pd_cpu_topology_die_id {
	uint32_t die_id;
};
extern const struct pd_layout pd_layout_cpu_topology_die_id;

struct pd_cpu_topology_dies {
	uint32_t nr_dies;                      /* lists */
	struct pd_list dies_lists;             /* CPUs of each die */
	struct pd_list die_ids;                /* of each CPU */
};
extern const struct pd_layout pd_layout_cpu_topology_dies;

struct pd_cpu_topology {
	uint32_t nr_cores;                     /* lists */
	struct pd_list core_siblings;          /* CPUs of each package */
	uint32_t nr_threads;                   /* lists */
	struct pd_list thread_siblings;        /* CPUs of each core */
	struct pd_list ids;                    /* of each CPU, since 4.3 */
	struct pd_list dies;                   /* since 5.3 */
};
extern const struct pd_layout pd_layout_cpu_topology;

struct pd_numa_node {
	uint32_t node;
	uint64_t mem_total;                    /* KiB */
	uint64_t mem_free;                     /* KiB */
	struct pd_str cpulist;                 /* CPUs of the node */
};
extern const struct pd_layout pd_layout_numa_node;

struct pd_numa_topology {
	uint32_t nr;                           /* nodes */
	struct pd_list nodes;
};
extern const struct pd_layout pd_layout_numa_topology;

struct pd_pmu_mapping {
	uint32_t type;                         /* attr.type */
	struct pd_str name;                    /* PMU */
};
extern const struct pd_layout pd_layout_pmu_mapping;

struct pd_pmu_mappings {
	uint32_t nr;                           /* PMUs */
	struct pd_list pmus;
};
extern const struct pd_layout pd_layout_pmu_mappings;

struct pd_group_desc_entry {
	struct pd_str name;                    /* {anon_group}: none */
	uint32_t leader_idx;                   /* place in the attr table */
	uint32_t nr_members;
};
extern const struct pd_layout pd_layout_group_desc_entry;

struct pd_group_desc {
	uint32_t nr;                           /* groups */
	struct pd_list groups;
};
extern const struct pd_layout pd_layout_group_desc;

struct pd_auxtrace_index_entry {
	uint64_t file_offset;                  /* of an AUXTRACE record */
	uint64_t size;                         /* of the record, bytes */
};
extern const struct pd_layout pd_layout_auxtrace_index_entry;

struct pd_auxtrace_index {
	uint64_t nr;                           /* entries */
	struct pd_list entries;
};
extern const struct pd_layout pd_layout_auxtrace_index;

struct pd_auxtrace_index_bare {
	struct pd_list entries;
};
extern const struct pd_layout pd_layout_auxtrace_index_bare;

struct pd_auxtrace_section {
	struct pd_view index;
};
extern const struct pd_layout pd_layout_auxtrace_section;

struct pd_cache_level {
	uint32_t level;
	uint32_t line_size;                    /* bytes */
	uint32_t sets;
	uint32_t ways;
	struct pd_str type;                    /* Data, Instruction, Unified */
	struct pd_str size;
	struct pd_str cpu_list;                /* CPUs that share it */
};
extern const struct pd_layout pd_layout_cache_level;

struct pd_cache {
	uint32_t version;
	uint32_t nr;                           /* caches */
	struct pd_list caches;
};
extern const struct pd_layout pd_layout_cache;

struct pd_sample_time {
	uint64_t first_sample;
	uint64_t last_sample;
};
extern const struct pd_layout pd_layout_sample_time;

struct pd_memory_node {
	uint64_t node;
	uint64_t size;                         /* bits */
	uint64_t nr_bits;                      /* of the map */
	struct pd_view map;                    /* memory blocks of the node */
};
extern const struct pd_layout pd_layout_memory_node;

struct pd_mem_topology {
	uint64_t version;
	uint64_t block_size;                   /* bytes */
	uint64_t nr;                           /* nodes */
	struct pd_list nodes;
};
extern const struct pd_layout pd_layout_mem_topology;

struct pd_clockid {
	uint64_t resolution;                   /* of the clock */
};
extern const struct pd_layout pd_layout_clockid;

struct pd_dir_format {
	uint64_t version;
};
extern const struct pd_layout pd_layout_dir_format;

struct pd_bpf_prog_info_more {
	uint64_t run_time_ns;
	uint64_t run_cnt;
	struct pd_view more;                   /* later fields */
};
extern const struct pd_layout pd_layout_bpf_prog_info_more;

struct pd_bpf_prog_info {
	uint32_t type;
	uint32_t id;
	const uint8_t *tag;
	uint32_t jited_prog_len;
	uint32_t xlated_prog_len;
	uint64_t jited_prog_insns;
	uint64_t xlated_prog_insns;
	uint64_t load_time;
	uint32_t created_by_uid;
	uint32_t nr_map_ids;
	uint64_t map_ids;
	struct pd_str name;
	uint32_t ifindex;
	uint32_t flags;
	uint64_t netns_dev;
	uint64_t netns_ino;
	uint32_t nr_jited_ksyms;
	uint32_t nr_jited_func_lens;
	uint64_t jited_ksyms;
	uint64_t jited_func_lens;
	uint32_t btf_id;
	uint32_t func_info_rec_size;
	uint64_t func_info;
	uint32_t nr_func_info;
	uint32_t nr_line_info;
	uint64_t line_info;
	uint64_t jited_line_info;
	uint32_t nr_jited_line_info;
	uint32_t line_info_rec_size;
	uint32_t jited_line_info_rec_size;
	uint32_t nr_prog_tags;
	uint64_t prog_tags;
	struct pd_list more;                   /* since 5.1 */
};
extern const struct pd_layout pd_layout_bpf_prog_info;

struct pd_bpf_prog {
	uint32_t info_len;                     /* bytes */
	uint32_t data_len;                     /* bytes */
	uint64_t arrays;                       /* which fields of info are offsets into data */
	struct pd_view info;                   /* struct bpf_prog_info */
	struct pd_view data;                   /* arrays, in the structs of the kernel */
};
extern const struct pd_layout pd_layout_bpf_prog;

struct pd_bpf_prog_infos {
	uint32_t nr;                           /* programs */
	struct pd_list programs;
};
extern const struct pd_layout pd_layout_bpf_prog_infos;

struct pd_bpf_btf_entry {
	uint32_t id;
	uint32_t size;                         /* bytes */
	struct pd_view btf;                    /* type information */
};
extern const struct pd_layout pd_layout_bpf_btf_entry;

struct pd_bpf_btf {
	uint32_t nr;                           /* entries */
	struct pd_list entries;
};
extern const struct pd_layout pd_layout_bpf_btf;

struct pd_compression {
	uint32_t version;
	uint32_t type;                         /* 1: zstd */
	uint32_t level;
	uint32_t ratio;                        /* achieved */
	uint32_t mmap_len;                     /* bytes of a ring buffer */
};
extern const struct pd_layout pd_layout_compression;

struct pd_cpu_pmu_cap {
	struct pd_str name;
	struct pd_str value;
};
extern const struct pd_layout pd_layout_cpu_pmu_cap;

struct pd_cpu_pmu_caps {
	uint32_t nr;                           /* capabilities */
	struct pd_list caps;
};
extern const struct pd_layout pd_layout_cpu_pmu_caps;

struct pd_clock_data {
	uint32_t version;
	uint32_t clockid;                      /* of the samples */
	uint64_t wall_clock;                   /* at the same moment */
	uint64_t clockid_time;
};
extern const struct pd_layout pd_layout_clock_data;

struct pd_hybrid_pmu {
	struct pd_str pmu_name;
	struct pd_str cpus;
};
extern const struct pd_layout pd_layout_hybrid_pmu;

struct pd_hybrid_topology {
	uint32_t nr;                           /* PMUs */
	struct pd_list pmus;
};
extern const struct pd_layout pd_layout_hybrid_topology;

struct pd_pmu_caps_entry {
	uint32_t nr;                           /* capabilities */
	struct pd_list caps;
	struct pd_str pmu_name;
};
extern const struct pd_layout pd_layout_pmu_caps_entry;

struct pd_pmu_caps {
	uint32_t nr_pmu;                       /* PMUs */
	struct pd_list pmus;
};
extern const struct pd_layout pd_layout_pmu_caps;

struct pd_sched_domain_v15 {
	uint32_t domain;
	struct pd_str cpumask;
	struct pd_str cpulist;
};
extern const struct pd_layout pd_layout_sched_domain_v15;

struct pd_sched_domain_v17 {
	uint32_t domain;
	struct pd_str name;
	struct pd_str cpumask;
	struct pd_str cpulist;
};
extern const struct pd_layout pd_layout_sched_domain_v17;

struct pd_cpu_domains_v15 {
	uint32_t cpu;
	uint32_t nr_domains;
	struct pd_list domains;
};
extern const struct pd_layout pd_layout_cpu_domains_v15;

struct pd_cpu_domains_v17 {
	uint32_t cpu;
	uint32_t nr_domains;
	struct pd_list domains;
};
extern const struct pd_layout pd_layout_cpu_domains_v17;

struct pd_cpus_domains_v15 {
	struct pd_list cpus;                   /* online */
};
extern const struct pd_layout pd_layout_cpus_domains_v15;

struct pd_cpus_domains_v17 {
	struct pd_list cpus;                   /* online */
};
extern const struct pd_layout pd_layout_cpus_domains_v17;

struct pd_cpu_domain_info {
	uint32_t schedstat_version;
	uint32_t max_sched_domains;
	struct pd_view data;                   /* by schedstat_version */
};
extern const struct pd_layout pd_layout_cpu_domain_info;

struct pd_e_machine {
	uint32_t e_machine;                    /* EM_* of ELF */
	uint32_t e_flags;                      /* EF_* of ELF */
};
extern const struct pd_layout pd_layout_e_machine;

struct pd_cln_size {
	uint32_t cln_size;                     /* bytes of a cache line */
};
extern const struct pd_layout pd_layout_cln_size;

struct pd_meta_info_entry {
	struct pd_str key;
	struct pd_str value;
};
extern const struct pd_layout pd_layout_meta_info_entry;

struct pd_meta_info {
	struct pd_list entries;
};
extern const struct pd_layout pd_layout_meta_info;

struct pd_simpleperf_symbol_entry {
	uint64_t vaddr;
	uint32_t len;                          /* bytes */
	struct pd_str name;
};
extern const struct pd_layout pd_layout_simpleperf_symbol_entry;

struct pd_simpleperf_file {
	struct pd_str path;
	uint32_t type;                         /* 0 kernel 1 module 2 ELF 3 dex 4 symbol map */
	uint64_t min_vaddr;
	uint32_t nr;                           /* symbols */
	struct pd_list symbols;
	struct pd_view more;                   /* by type */
};
extern const struct pd_layout pd_layout_simpleperf_file;

struct pd_simpleperf_file_entry {
	uint32_t size;                         /* bytes */
	struct pd_view file;
};
extern const struct pd_layout pd_layout_simpleperf_file_entry;

struct pd_simpleperf_files {
	struct pd_list files;
};
extern const struct pd_layout pd_layout_simpleperf_files;

struct pd_simpleperf_message {
	uint32_t size;                         /* bytes */
	struct pd_view message;                /* protobuf */
};
extern const struct pd_layout pd_layout_simpleperf_message;

struct pd_simpleperf_messages {
	struct pd_list messages;
};
extern const struct pd_layout pd_layout_simpleperf_messages;

/* Structs of pdconv/header.h. */

struct pd_file_header {
	/* PERFILE2 or byteswapped 2ELIFREP; version 1: PERFFILE */
	struct pd_str magic;
	uint64_t size;                         /* of this header, bytes: 104, at first 72 */
	uint64_t attr_size;                    /* of an entry of the attr table, bytes */
	uint64_t attrs_offset;                 /* attr table */
	uint64_t attrs_size;                   /* bytes */
	uint64_t data_offset;                  /* records */
	uint64_t data_size;                    /* bytes; 0: the recorder never ended */
	uint64_t event_types_offset;           /* names of old recordings */
	uint64_t event_types_size;             /* bytes */
	struct pd_view adds_features;          /* a bit for each feature, in longs of the writer */
};
extern const struct pd_layout pd_layout_file_header;

struct pd_pipe_header {
	struct pd_str magic;                   /* as in a file */
	uint64_t size;                         /* of this header, bytes: 16 */
};
extern const struct pd_layout pd_layout_pipe_header;

#pragma GCC diagnostic pop
/* clang-format on */

PD_DECLS_END

#endif

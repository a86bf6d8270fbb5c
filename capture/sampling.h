/**
 * @file How events are sampled: what samples hold, how often they are taken, and which other
 * records the kernel writes.
 */
#ifndef PD_CAPTURE_SAMPLING_H
#define PD_CAPTURE_SAMPLING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/attr.h>
#include <pdconv/error.h>

#include "base/arch.h"
#include "capture/events/event_list.h"

/** How call stacks are sampled. */
enum cap_stacks {
	CAP_STACKS_NONE,
	/** Call chains that the kernel finds by frame pointers. */
	CAP_STACKS_FP,
	/** User registers and a copy of the user stack, unwound later. */
	CAP_STACKS_DWARF,
	/** Call chains whose user part BPF finds when the sample is taken. */
	CAP_STACKS_BPF,
	/** Branch stacks: the last calls that the processor recorded (LBR). */
	CAP_STACKS_LBR,
	/** Not chosen yet. Nothing is recorded so. */
	CAP_STACKS_UNSET,
};

/**
 * Bytes of stack in a sample: the maximum, a multiple of 8 (a record is smaller than 64 KiB), and
 * the default.
 */
enum { CAP_MAX_STACK_BYTES = PD_STACK_USER_MAX, CAP_DEFAULT_STACK_BYTES = 8192 };

/** Default number of samples per second. */
enum { CAP_DEFAULT_FREQUENCY = 999 };

struct cap_sampling {
	enum cap_stacks stacks;
	/** Bytes of stack for CAP_STACKS_DWARF, a multiple of 8. */
	uint32_t stack_bytes;
	/** They were chosen, and are not the default. */
	bool has_stack_bytes;
	/** User registers to sample, as bits of perf's numbers; 0: none. */
	uint64_t user_regs;
	/**
	 * Samples per second, or the number of events between samples, which takes precedence. An
	 * event whose terms set either keeps it. Both 0: tracepoints and the like are sampled each
	 * time, others CAP_DEFAULT_FREQUENCY times a second.
	 */
	uint64_t frequency;
	uint64_t period;
	/** Samples hold their CPU. */
	bool with_cpu;
	/** No records of mappings, names, forks and so on. */
	bool no_tracking;
	/** Samples hold the id of their event even if there is only one event. */
	bool with_ids;
	/** Call chains leave out the kernel. */
	bool no_kernel_chain;
	/** With CAP_STACKS_DWARF, call chains have user space too. */
	bool with_user_chain;
	/** Further fields of samples, as bits of attr.sample_type. */
	uint64_t sample_type;
	/** Further contents of counter values, PD_READ_*. */
	uint64_t read_format;
	/** Registers at the interrupt, as bits of perf's numbers; 0: none. */
	uint64_t intr_regs;
	/** PERF_SAMPLE_BRANCH_*; 0: no branch stack, except with CAP_STACKS_LBR. */
	uint64_t branch_sample_type;
	/** New threads and processes of the target are recorded, too. */
	bool inherit;
	/** Events are enabled by the exec of the command. */
	bool enable_on_exec;
	bool with_switches;
	bool with_namespaces;
	bool with_cgroups;
	bool with_build_ids;
	/** CLOCK_*; -1: perf's default clock. */
	int clock;
	/** Pages of each CPU's ring buffer, a power of two; 0: the default. */
	size_t pages;
	/** Bytes of each CPU's ring buffer, as cap_session_prepare() sets it. */
	size_t ring_bytes;
};

/** General registers of @p arch, those that unwinding needs, as bits of perf's numbers. */
uint64_t cap_general_regs(const struct pd_arch *arch);

/**
 * Set how stacks are sampled from "fp", "dwarf", "dwarf,4096" or "lbr", as perf record takes it, or
 * from "bpf" or "none". Errors: USAGE.
 */
struct pd_error *cap_sampling_set_stacks(
	struct cap_sampling *sampling, const char *text) pd_must_check;

/** Set the user registers from a list of names of @p arch like "ip,sp,bp". Errors: USAGE. */
struct pd_error *cap_sampling_set_regs(
	struct cap_sampling *sampling, const struct pd_arch *arch, const char *text) pd_must_check;

/**
 * Set the user registers from names of this machine; @p text NULL: the general registers. Errors:
 * USAGE; UNSUPPORTED, the registers of this machine are not known.
 */
struct pd_error *cap_sampling_use_regs(
	struct cap_sampling *sampling, const char *text) pd_must_check;

/**
 * Set the frequency from "997", or "max" for kernel.perf_event_max_sample_rate. Errors: USAGE, OS.
 */
struct pd_error *cap_sampling_set_frequency(
	struct cap_sampling *sampling, const char *text) pd_must_check;

/**
 * Apply the sampling options to the attr of event @p i of @p events. The first event also reports
 * mappings, names and so on. In a group that is read as a whole (modifier 'S') only the leader is
 * sampled, and nothing is inherited.
 */
void cap_sampling_apply(const struct cap_sampling *sampling, struct cap_events *events, size_t i);

/**
 * Size in bytes of a sample of user space with @p attr, without the entries of call chains and
 * branch stacks and without the fields of tracepoints, whose number varies. @p n_events: events of
 * its group.
 */
size_t cap_sample_bytes(const struct pd_attr *attr, size_t n_events);

#endif

/**
 * @file How events are sampled: what a sample holds, how often there is one, and what the kernel tells
 * besides.
 */
#ifndef PD_CAPTURE_SAMPLING_H
#define PD_CAPTURE_SAMPLING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/attr.h>
#include <pdconv/error.h>

#include "base/arch.h"
#include "capture/events.h"

enum cap_stacks {
	CAP_STACKS_NONE,
	/** The kernel follows frame pointers. */
	CAP_STACKS_FP,
	/** Registers and a copy of the stack. */
	CAP_STACKS_DWARF,
	/** The processor keeps the last calls. */
	CAP_STACKS_LBR,
};

/** Most that a sample can hold of a stack, a multiple of 8: more than 65,528 does not fit a record. */
enum { CAP_MAX_STACK_BYTES = PD_STACK_USER_MAX, CAP_DEFAULT_STACK_BYTES = 8192 };

/** Samples a second, where nobody says how many. */
enum { CAP_DEFAULT_FREQUENCY = 999 };

struct cap_sampling {
	enum cap_stacks stacks;
	/** Of CAP_STACKS_DWARF: a multiple of 8. */
	uint32_t stack_bytes;
	/** Registers of user space, perf's numbering; 0: none. */
	uint64_t user_regs;
	/**
	 * Samples a second; or else every so many events, which goes before. Events of which a term says
	 * so keep that. Neither: each time for tracepoints and the like, CAP_DEFAULT_FREQUENCY for others.
	 */
	uint64_t frequency;
	uint64_t period;
	/** Of everything on a CPU: samples say on which. */
	bool with_cpu;
	/** No records of mappings, names and the like. */
	bool no_tracking;
	/** Samples say of which event they are, even if there is one only. */
	bool with_ids;
	/** No call chains of the kernel's side. */
	bool no_kernel_chain;
	/** Threads and processes that are made are recorded too. */
	bool inherit;
	/** Counts begin when a program is started. */
	bool enable_on_exec;
	bool with_switches;
	bool with_namespaces;
	bool with_cgroups;
	bool with_build_ids;
	/** CLOCK_*; -1: the usual one of perf. */
	int clock;
	/** Of a CPU's ring buffer. */
	size_t ring_bytes;
};

/** Of this machine; NULL if it is not known. */
const struct pd_arch *cap_arch_here(void);

/** The general registers of @p arch, as unwinding needs them. */
uint64_t cap_general_regs(const struct pd_arch *arch);

/**
 * "fp", "dwarf", "dwarf,4096" or "lbr", as perf record --call-graph takes it. Errors: USAGE.
 */
struct pd_error *cap_sampling_set_stacks(
	struct cap_sampling *sampling, const char *text) pd_must_check;

/** "ip,sp,bp": registers of @p arch, which take the place of the general ones. Errors: USAGE. */
struct pd_error *cap_sampling_set_regs(
	struct cap_sampling *sampling, const struct pd_arch *arch, const char *text) pd_must_check;

/** The same of this machine; @p text NULL: the general ones. Errors: USAGE; UNSUPPORTED, they are not known. */
struct pd_error *cap_sampling_use_regs(
	struct cap_sampling *sampling, const char *text) pd_must_check;

/** "997" or "max": what kernel.perf_event_max_sample_rate allows. Errors: USAGE. */
struct pd_error *cap_sampling_set_frequency(
	struct cap_sampling *sampling, const char *text) pd_must_check;

/**
 * Have event number @p i of @p events sampled so; the first one tells of mappings, names and the like.
 * Of groups that are read as a whole only the leader is sampled, and nothing is inherited.
 */
void cap_sampling_apply(const struct cap_sampling *sampling, struct cap_events *events, size_t i);

#endif

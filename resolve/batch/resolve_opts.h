/**
 * @file Options of resolving, and what it hands to callbacks.
 */
#ifndef PD_RESOLVE_OPTS_H
#define PD_RESOLVE_OPTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/error.h>
#include <pdconv/record.h>
#include <pdconv/sample.h>

#include "profile/profile.h"
#include "profile/request.h"
#include "profile/sample_filter.h"
#include "symbolize/binary.h"
#include "symbolize/binary_names.h"
#include "symbolize/kernel/kernel.h"

/** The call chain of one sample, leaf first. */
struct resolve_chain {
	/** Process addresses, and the frames at these addresses. */
	const uint64_t *pcs;
	const struct prof_frame_id *frames;
	size_t n;
	/** Number of frames at the leaf that are in the kernel, a hypervisor or a guest. */
	size_t n_system;
	enum prof_stack_origin origin;
	/** Reason why the unwind ended; PD_N_UNWIND_ENDS if the stack was not unwound. */
	enum pd_unwind_end end;
};

/** Elapsed times in seconds. */
struct resolve_times {
	/** Reading, replaying and unwinding, which run in parallel. */
	double unwound;
	double named;
};

struct resolve_opts {
	/** Limit for the memory of the profile, which it outlives, and of reading; NULL: none. */
	struct pd_budget *budget;
	struct sym_search search;
	struct pd_name_opts names;
	struct sym_kernel_opts kernel;
	/** Samples to include; borrowed. NULL: all. */
	const struct prof_filter *filter;
	/**
	 * Path of a copy of /proc/modules of the recorded kernel; NULL: use recorded mappings only.
	 */
	const char *modules;
	struct pd_unwind_opts unwind;
	/** Complete truncated stacks from neighbouring samples, and mark where. */
	bool stitch;
	/** Do not mark truncated stacks. */
	bool no_truncated;
	/** Number of threads; 0: one for each processor. */
	size_t jobs;
	/** Value of prof_tags.input for all samples; NULL: none. */
	const char *input;
	/** Request of the output format. */
	struct prof_request request;
	/** Leave frames unnamed. */
	bool no_names;
	/** Do not apply the filters that look at the names of frames. */
	bool no_name_filters;
	/** Fill profile.attempts and profile.unused. */
	bool list_files;
	/**
	 * Called for every sample in time order; may be NULL. Arguments are borrowed. Frames of the
	 * profile have no names yet.
	 */
	void (*on_sample)(void *ctx, const struct profile *profile, const struct pd_sample *sample,
		const struct resolve_chain *chain);
	/** Called for every record before it is processed; may be NULL. */
	struct pd_error *(*on_record)(void *ctx, const struct pd_record *rec);
	/** Argument of both callbacks. */
	void *ctx;
	/** Set to the elapsed times; may be NULL. */
	struct resolve_times *times;
};

#endif

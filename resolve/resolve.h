/**
 * @file From a recording to a profile: reading, replaying, unwinding, naming.
 *
 * The one place that joins parse/, unwind/ and symbolize/.
 */
#ifndef PD_RESOLVE_RESOLVE_H
#define PD_RESOLVE_RESOLVE_H

#include <stdio.h>

#include <pdconv/error.h>
#include <pdconv/file.h>
#include <pdconv/record.h>
#include <pdconv/sample.h>

#include "profile/filter.h"
#include "profile/request.h"
#include "profile/profile.h"
#include "symbolize/binary.h"
#include "symbolize/kernel/kernel.h"
#include "symbolize/names.h"

/** The call chain of one sample, leaf first. */
struct resolve_chain {
	/** Process addresses, and the profile's numbers of the frames there. */
	const uint64_t *pcs;
	const struct prof_frame_id *frames;
	size_t n;
	/** The first so many are addresses of the kernel, a hypervisor or a guest. */
	size_t n_system;
	enum prof_stack_source source;
	/** Of the walk; PD_N_UNWIND_ENDS if there was none. */
	enum pd_unwind_end end;
};

/** Where the time went: seconds of the clock. */
struct resolve_times {
	/** Reading, replaying and unwinding, which go side by side. */
	double unwound;
	double named;
};

struct resolve_opts {
	struct sym_search search;
	struct sym_opts names;
	struct sym_kernel_opts kernel;
	/** Samples to include; borrowed. NULL: all. */
	const struct prof_filter *filter;
	/**
	 * Copy of the recorded kernel's /proc/modules; NULL: only recorded mappings tell of
	 * modules.
	 */
	const char *modules;
	/** User frames at most; 0: 1024. */
	size_t max_stack;
	bool no_kernel;
	bool no_user;
	/** Never follow frame pointers. */
	bool cfi_only;
	/** Complete stacks that were cut from neighbouring samples, and mark the place. */
	bool stitch;
	/** Do not mark stacks that were cut. */
	bool no_truncated;
	/** Threads; 0: one for each processor. */
	size_t jobs;
	/** What they have in prof_tags.input; NULL: nothing. */
	const char *input;
	/** What the format needs. */
	struct prof_request request;
	/** Leave frames unnamed. */
	bool no_names;
	/** Tell which files were tried for which binary: profile.attempts and unused. */
	bool list_files;
	/**
	 * Called for every sample, in time order; NULL: for none. Everything is borrowed. The
	 * profile has no names yet.
	 */
	void (*on_sample)(void *ctx, const struct profile *profile, const struct pd_sample *sample,
		const struct resolve_chain *chain);
	/** Called for every record, before anything else is done with it; NULL: for none. */
	struct pd_error *(*on_record)(void *ctx, const struct pd_record *rec);
	/** For both. */
	void *ctx;
	/** Filled in; NULL: nobody asks. */
	struct resolve_times *times;
};

/**
 * Read all of @p file, whose events may change with what is read. Damage that can be stepped over
 * goes to the file's diag.
 */
struct pd_error *resolve_profile(
	struct pd_file *file, const struct resolve_opts *opts, struct profile **ret) pd_must_check;

#endif

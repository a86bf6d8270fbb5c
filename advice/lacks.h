/**
 * @file What samples of language runtimes lack: frames, names or callers, and why.
 */
#ifndef PD_ADVICE_LACKS_H
#define PD_ADVICE_LACKS_H

#include <pdconv/error.h>
#include <pdconv/vec.h>

#include "advice/remedies.h"
#include "profile/profile.h"

/** Samples of one version of a runtime. */
struct advice_lack {
	enum prof_runtime runtime;
	/** 100 * major + minor; 0 if not known. */
	uint32_t version;
	/** Samples, indexed by the combination of ADVICE_LACKS_* that they lack. */
	uint64_t samples[ADVICE_N_LACKS];
};

/** Call chains that the kernel recorded, in samples. Chains without a user frame do not count. */
struct advice_chains {
	uint64_t n;
	/**
	 * Chains that look cut: without main(), without the start of a thread, and without a caller
	 * that could be one of them because its name is not known.
	 */
	uint64_t n_cut;
	/** Those of n_cut that hold only the function that ran. */
	uint64_t n_leaf_only;
	/**
	 * Those of n_cut that have as many frames as the kernel records; of the others those that
	 * end where a run time switches stacks; and of the others those that a recorder unwound.
	 * The rest looks cut for lack of frame pointers.
	 */
	uint64_t n_full;
	uint64_t n_switched;
	uint64_t n_walked;
};

/** How a call chain ends that was recorded with a sample. */
enum advice_chain_end {
	/** The sample has no recorded call chain with a user frame. */
	ADVICE_CHAIN_NONE,
	/** The chain reaches main() or the start of a thread, as far as names are known. */
	ADVICE_CHAIN_ROOTED,
	/** The chain looks cut. */
	ADVICE_CHAIN_CUT,
	/** The stack was made from branch records of the processor. */
	ADVICE_CHAIN_BRANCHES,
	ADVICE_N_CHAIN_ENDS,
};

/** Ends of recorded call chains by stack. */
struct advice_chain_ends {
	/** enum advice_chain_end, by stack id. NULL: no call chains were recorded. Owned. */
	uint8_t *by_stack;
};

struct advice_lacks {
	PD_VEC(struct advice_lack) runtimes;
	struct advice_chains chains;
	/** Samples with generated code without a name, which no runtime explains. */
	uint64_t n_unnamed;
	/** Samples whose recorded call chain looks cut, which no runtime explains. */
	uint64_t n_chains;
	/** Samples that were cut, of runtimes for which no captured stack is large enough. */
	uint64_t n_endless;
	/**
	 * Samples whose unwind ended without call frame information, which no runtime explains,
	 * indexed by the id of the binary where it ended. Owned.
	 */
	uint64_t *stuck;
};

/** Whether the code of @p binary was generated at run time, or is in a file of a runtime. */
bool advice_is_generated_code(const struct profile *profile, const struct prof_binary *binary);

/**
 * Count what samples of @p profile lack. Frames and names are not missed if names were not
 * requested. Errors: NOMEM.
 */
struct pd_error *advice_lacks_count(
	const struct profile *profile, struct advice_lacks *ret) pd_must_check;
void advice_lacks_deinit(struct advice_lacks *lacks);

/** Find how the recorded call chains of @p profile end. Errors: NOMEM. */
struct pd_error *advice_chain_ends_find(
	const struct profile *profile, struct advice_chain_ends *ret) pd_must_check;
/** A zeroed @p ends is permitted. */
void advice_chain_ends_deinit(struct advice_chain_ends *ends);
/** End of the recorded call chain of @p sample, which is ADVICE_CHAIN_NONE if it was unwound. */
enum advice_chain_end advice_chain_end_of(const struct profile *profile,
	const struct advice_chain_ends *ends, const struct prof_sample *sample);

/** Text for the end of a recorded call chain. Static storage. */
const char *advice_chain_end_text(enum advice_chain_end end);

#endif

/**
 * @file What samples of language run times lack: frames, names or callers, and why.
 */
#ifndef PD_PROFILE_LACKS_H
#define PD_PROFILE_LACKS_H

#include <pdconv/error.h>
#include <pdconv/vec.h>

#include "profile/profile.h"
#include "profile/runtimes.h"

/** Samples of one version of a run time. */
struct prof_lack {
	enum prof_runtime runtime;
	/** 100 * major + minor; 0 if not known. */
	uint32_t version;
	/** Samples, indexed by the combination of PROF_LACKS_* that they lack. */
	uint64_t samples[PROF_N_LACKS];
};

struct prof_lacks {
	PD_VEC(struct prof_lack) runtimes;
	/** Samples with generated code without a name, which no run time explains. */
	uint64_t n_unnamed;
	/**
	 * Samples whose call chain was recorded by the kernel, has an address in no mapping and
	 * does not reach main() or the start of a thread, which no run time explains.
	 */
	uint64_t n_chains;
	/** Samples that were cut, of run times for which no captured stack is large enough. */
	uint64_t n_endless;
	/**
	 * Samples whose unwind ended without call frame information, which no run time explains,
	 * indexed by the id of the binary where it ended.
	 */
	PD_VEC(uint64_t) stuck;
};

/** Whether the code of @p binary was generated at run time, or is in a file of a run time. */
bool prof_is_generated_code(const struct profile *profile, const struct prof_binary *binary);

/**
 * Count what samples of @p profile lack. Frames and names are not missed if names were not
 * requested. Errors: no memory.
 */
struct pd_error *prof_lacks_count(
	const struct profile *profile, struct prof_lacks *ret) pd_must_check;
void prof_lacks_deinit(struct prof_lacks *lacks);

#endif

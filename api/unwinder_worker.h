/**
 * @file Worker: unwinds one stack at a time, and keeps the frames that it has found.
 */
#ifndef PD_API_UNWINDER_WORKER_H
#define PD_API_UNWINDER_WORKER_H

#include <pdconv/unwinder.h>
#include <pdconv/vec.h>

#include "api/unwinder_state.h"

/** A sample to unwind. */
struct api_unwinder_job {
	const struct pd_sample *sample;
	/** PD_MISC_KERNEL and so on. */
	uint16_t cpumode;
	/** The sample has registers and a stack that belong to the mappings. */
	bool can_walk;
	/** Snapshots at the time of the sample. Referenced. */
	struct parse_maps *maps;
	struct parse_maps *kernel_maps;
};

/** A list of frames, leaf first, and what is known about it. */
struct api_unwinder_result {
	PD_VEC(struct pd_frame) frames;
	size_t n_kernel;
	enum pd_unwind_end end;
	/** A CALLCHAIN_DEFERRED record with this cookie has the user frames. */
	bool is_deferred;
	uint64_t cookie;
};

/** Create a worker for @p state, which is borrowed. Errors: UNSUPPORTED, NOMEM. */
struct pd_error *api_unwinder_worker_create(
	struct api_unwinder_state *state, struct api_unwinder_worker **ret) pd_must_check;
/** @p worker may be NULL. */
void api_unwinder_worker_destroy(struct api_unwinder_worker *worker);

/** Unwind @p job to @p ret, whose list is reused. Errors: NOMEM. */
struct pd_error *api_unwinder_worker_run(struct api_unwinder_worker *worker,
	const struct api_unwinder_job *job, struct api_unwinder_result *ret) pd_must_check;

/**
 * Replace the user frames of @p result by the call chain @p ips of a CALLCHAIN_DEFERRED record.
 * job->sample is not used. Errors: NOMEM.
 */
struct pd_error *api_unwinder_worker_complete(struct api_unwinder_worker *worker,
	const struct api_unwinder_job *job, const struct pd_view *ips,
	struct api_unwinder_result *result) pd_must_check;

#endif

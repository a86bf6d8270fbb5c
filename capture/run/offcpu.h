/**
 * @file Off-CPU time: turns samples of context switches into samples of how long the thread waited.
 *
 * The kernel samples a thread when it leaves the CPU, and writes a SWITCH record when it comes
 * back. The sample is held until then, and gets the time of the return and, as its period, the
 * nanoseconds in between. Preempted threads could have run on and did not wait. A thread that never
 * comes back waits until the recording ends, unless it exits.
 *
 * A sample of the kernel has the period 1. One with another period was made of a thread that was
 * found blocked (blocked.h): it has waited for this long.
 */
#ifndef PD_CAPTURE_RUN_OFFCPU_H
#define PD_CAPTURE_RUN_OFFCPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/attr.h>
#include <pdconv/error.h>
#include <pdconv/record.h>

/** Name of the event, which is perf's. */
#define CAP_OFFCPU_NAME "offcpu-time"

struct cap_offcpu;

/**
 * Measure off-CPU time by the event with @p attr, without instances so far. @p keep_switches:
 * SWITCH records are to be recorded, too. Errors: NOMEM.
 */
struct pd_error *cap_offcpu_create(
	const struct pd_attr *attr, bool keep_switches, struct cap_offcpu **ret) pd_must_check;
/** Add ids of further instances of the event. Errors: NOMEM. */
struct pd_error *cap_offcpu_add_ids(
	struct cap_offcpu *offcpu, const uint64_t *ids, size_t n_ids) pd_must_check;
/** Free @p offcpu; NULL is fine. */
void cap_offcpu_destroy(struct cap_offcpu *offcpu);

/** Take note of @p rec. @p is_held_ret: the caller must not write it. Errors: NOMEM. */
struct pd_error *cap_offcpu_take(
	struct cap_offcpu *offcpu, const struct pd_record *rec, bool *is_held_ret) pd_must_check;

/** Gets a sample to write, borrowed during the call. */
typedef struct pd_error *cap_offcpu_emit(void *ctx, const uint8_t *sample, size_t size);

/**
 * Emit samples in the order of time, after all rings have been drained: of threads that came back
 * before the previous round ended, because later transitions may still be in a ring. @p is_last:
 * nothing follows, so emit all. Errors: those of @p emit, NOMEM.
 */
struct pd_error *cap_offcpu_round(
	struct cap_offcpu *offcpu, bool is_last, cap_offcpu_emit *emit, void *ctx) pd_must_check;

#endif

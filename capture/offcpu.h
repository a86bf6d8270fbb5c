/**
 * @file How long threads waited: samples of context switches become samples of the time until the thread
 * ran again.
 *
 * The kernel samples a thread as it leaves the CPU, and tells (SWITCH) when it comes back. Such a sample
 * is held until then, and goes out with the time of the return and the time between as its period, in
 * nanoseconds. Threads that could have run on, and only lost the CPU to others, did not wait. One that
 * never comes back waits until the end, or is gone.
 */
#ifndef PD_CAPTURE_OFFCPU_H
#define PD_CAPTURE_OFFCPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/attr.h>
#include <pdconv/error.h>

/** As perf calls it. */
#define CAP_OFFCPU_NAME "offcpu-time"

struct cap_offcpu;

/**
 * @p attr: of the context switch event; @p ids: of its instances. @p keep_switches: SWITCH records are
 * wanted besides. Errors: no memory.
 */
struct pd_error *cap_offcpu_create(const struct pd_attr *attr, const uint64_t *ids, size_t n_ids,
	bool keep_switches, struct cap_offcpu **ret) pd_must_check;
/** NULL is fine. */
void cap_offcpu_destroy(struct cap_offcpu *offcpu);

/**
 * Look at the record @p bytes, @p size bytes. @p is_held_ret: it does not go out as it is. Errors: no
 * memory.
 */
struct pd_error *cap_offcpu_take(struct cap_offcpu *offcpu, const uint8_t *bytes, size_t size,
	bool *is_held_ret) pd_must_check;

/** Takes a sample, which is borrowed during the call. */
typedef struct pd_error *cap_offcpu_emit(void *ctx, const uint8_t *sample, size_t size);

/**
 * All rings have been looked at: hand over the samples of those who came back before the last time that
 * was so, in the order of time; later ones may not be complete. @p is_last: nothing will follow, all go.
 * Errors: those of @p emit, no memory.
 */
struct pd_error *cap_offcpu_round(
	struct cap_offcpu *offcpu, bool is_last, cap_offcpu_emit *emit, void *ctx) pd_must_check;

#endif

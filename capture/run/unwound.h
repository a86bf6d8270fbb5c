/**
 * @file Records on their way from the rings to a file in which samples have call chains instead of
 * copies of the stack: they wait for a round, and in order of time samples are unwound.
 *
 *	rings ──► queue ──► mappings, forks, exits ──► unwinder ◄── registers, stack of a sample
 *	                    │                                  │
 *	                    └──► sink ◄── SAMPLE with chain ◄──┘
 *
 * The unwinder needs the mappings that existed when the sample was taken, which may be in another
 * ring. The queue holds two rounds at most, so neither the delay nor memory grows with the length
 * of the recording.
 */
#ifndef PD_CAPTURE_RUN_UNWOUND_H
#define PD_CAPTURE_RUN_UNWOUND_H

#include <stddef.h>
#include <stdint.h>

#include <pdconv/attr.h>
#include <pdconv/error.h>
#include <pdconv/events.h>
#include <pdconv/record.h>
#include <pdconv/sample.h>
#include <pdconv/unwind_end.h>

/** User part of a call chain, with context markers; borrowed until the next one. */
struct cap_user_chain {
	const uint64_t *entries;
	size_t n;
	enum pd_unwind_end end;
};

/** Functions that unwind. The recorder itself reads no ELF files. */
struct cap_unwinder {
	/** Apply a record that is not a sample, in order of time. Errors: NOMEM, FORMAT. */
	struct pd_error *(*add)(
		void *ctx, const struct pd_events *events, const struct pd_record *rec);
	/** Unwind @p sample, whose record has @p misc. Errors: NOMEM. */
	struct pd_error *(*unwind)(void *ctx, const struct pd_sample *sample, uint16_t misc,
		struct cap_user_chain *ret);
	void *ctx;
};

struct cap_unwound_counts {
	/** Samples with a copy of the stack, by the reason why their unwind ended. */
	uint64_t ends[PD_N_UNWIND_ENDS];
	/** Samples that held less of the stack than was asked for (capture/stack_level.h). */
	uint64_t n_shortened;
	/** Samples that are left out, because they are damaged or too large with their chain. */
	uint64_t n_left_out;
};

struct cap_unwound;

/** @p events, those of the session with their ids, are borrowed. Errors: NOMEM. */
struct pd_error *cap_unwound_create(const struct cap_unwinder *unwinder,
	const struct pd_events *events, struct cap_unwound **ret) pd_must_check;
/** Free @p unwound; NULL is fine. Records that wait are dropped. */
void cap_unwound_destroy(struct cap_unwound *unwound);

/** Append whole records. Errors: NOMEM; FORMAT, the bytes are not records. */
struct pd_error *cap_unwound_add(
	struct cap_unwound *unwound, const void *records, size_t size) pd_must_check;

/** Gets a record after the other. */
typedef struct pd_error *cap_unwound_emit(void *ctx, const uint8_t *record, size_t size);

/**
 * Pass on the records of the round before, or all with @p is_end. Errors: NOMEM, and those of the
 * unwinder and of @p emit.
 */
struct pd_error *cap_unwound_round(
	struct cap_unwound *unwound, bool is_end, cap_unwound_emit *emit, void *ctx) pd_must_check;

const struct cap_unwound_counts *cap_unwound_counts(const struct cap_unwound *unwound);

#endif

/**
 * @file A walk under way: what the fast path, the complete path and the frame-pointer chain share.
 */
#ifndef PD_UNWIND_WALK_H
#define PD_UNWIND_WALK_H

#include "unwind/arch.h"
#include "unwind/frame_set.h"
#include "unwind/memory.h"
#include "unwind/unwind.h"

struct unw_walker {
	const struct unw_arch *arch;
	struct unw_opts opts;
	struct unw_frame_set set;
};

struct unw_walk {
	struct unw_walker *walker;
	const struct unw_space *space;
	struct unw_memory stack;
	bool is_stack_full;
	/** A signal frame was passed: the stack may be another one than the slice's. */
	bool has_passed_signal;
	/** The frame at hand. */
	uint64_t pc;
	uint64_t sp;
	uint64_t fp;
	/** UNW_FRAME_RETURN, UNW_FRAME_BY_FP: how it was reached. */
	uint32_t how;
	struct unw_stack *ret;
};

/** What came of a step. */
enum unw_progress {
	UNW_STEPPED,	/**< The frame at hand is the caller now. */
	UNW_ENDED,	/**< The walk is over; unw_stack.end tells why. */
	UNW_NEEDS_FULL, /**< Only the complete path can tell. */
};

static inline enum unw_progress unw_walk_end(struct unw_walk *w, enum unw_end end)
{
	w->ret->end = end;
	return UNW_ENDED;
}

/** The address inside the instruction of interest. */
static inline uint64_t unw_lookup_addr(uint64_t pc, uint32_t how)
{
	return how & UNW_FRAME_RETURN ? pc - 1 : pc;
}

static inline bool unw_read_word(const struct unw_walk *w, uint64_t addr, uint64_t *ret)
{
	return unw_memory_read(&w->stack, addr, w->walker->arch->word, ret);
}

/** End, because the process address @p addr was not captured. */
enum unw_progress unw_end_unreadable(struct unw_walk *w, uint64_t addr);

/** Append the frame at hand to the result. @p slot_ret is a copy. Errors: no memory. */
struct pd_error *unw_add_frame(struct unw_walk *w, struct unw_frame_slot *slot_ret) pd_must_check;

/**
 * Go on from a frame whose step of kind @p kind is not made with a row: end, or follow the frame
 * pointer.
 */
enum unw_progress unw_step_without_row(struct unw_walk *w, enum unw_step_kind kind);

/** What kind of step would lead on from @p pc, for one who only considers going there. */
enum unw_step_kind unw_peek(const struct unw_walk *w, uint64_t pc, uint32_t how);

/** One step along the frame-pointer chain; where it is not plausible, end with @p otherwise. */
enum unw_progress unw_step_by_fp(struct unw_walk *w, enum unw_end otherwise);

/** Walk the whole of @p input with all registers. Errors: no memory. */
struct pd_error *unw_walk_full(struct unw_walk *w, const struct unw_input *input) pd_must_check;

/**
 * Register @p reg as recorded. False if it was not, or if its value is a placeholder: the kernel
 * gives all ones for what its entry code had not saved when an NMI came.
 */
bool unw_recorded_reg(const struct unw_input *input, const struct pd_reg *reg, uint64_t *ret);

#endif

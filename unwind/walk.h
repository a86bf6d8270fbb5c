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
	/** Of arch. NULL where there is none, or it has no number. */
	const struct pd_reg *pc;
	const struct pd_reg *sp;
	const struct pd_reg *fp;
	const struct pd_reg *link;
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
	/** Bytes in an address, and what else steps need of the architecture. */
	uint8_t word;
	uint8_t cfa_above_sp;
	uint64_t ra_mask;
	/** The frame at hand. After a step by a chain sp may be too low: see unw_chain.end. */
	uint64_t pc;
	uint64_t sp;
	uint64_t fp;
	/** UNW_FRAME_RETURN, UNW_FRAME_BY_FP, UNW_FRAME_INEXACT: how it was reached. */
	uint32_t how;
	/** The link register in the first frame; 0 if it is not known. */
	uint64_t link;
	struct unw_stack *ret;
};

/** What came of a step. */
enum unw_progress {
	UNW_STEPPED,	/**< The frame at hand is the caller now. */
	UNW_ENDED,	/**< The walk is over; unw_stack.end tells why. */
	UNW_NEEDS_FULL, /**< Only the complete path can tell. */
};

static inline enum unw_progress unw_walk_end(struct unw_walk *w, enum pd_unwind_end end)
{
	w->ret->end = end;
	return UNW_ENDED;
}

/**
 * Whether the frame at hand may have the same stack pointer as its caller: where calls use a link
 * register, one that has not called.
 */
static inline bool unw_may_stay(const struct unw_walk *w)
{
	return unw_arch_has_link(w->walker->arch) && !(w->how & UNW_FRAME_RETURN);
}

/** The address inside the instruction of interest. */
static inline uint64_t unw_lookup_addr(uint64_t pc, uint32_t how)
{
	return how & UNW_FRAME_RETURN ? pc - 1 : pc;
}

static inline bool unw_read_word(const struct unw_walk *w, uint64_t addr, uint64_t *ret)
{
	return unw_memory_read(&w->stack, addr, w->word, ret);
}

/**
 * End, because a return address is zero: at the root, unless the frame at hand was found by what may
 * be wrong, or calls nothing: in prologues and epilogues much information is wrong.
 */
enum unw_progress unw_end_at_zero(struct unw_walk *w);

/** End, because the process address @p addr was not captured. */
enum unw_progress unw_end_unreadable(struct unw_walk *w, uint64_t addr);

/** Append the frame at hand to the result. @p slot_ret is valid until the next. Errors: no memory. */
struct pd_error *unw_add_frame(
	struct unw_walk *w, const struct unw_frame_slot **slot_ret) pd_must_check;

/**
 * Go on from a frame whose step of kind @p kind is not made with a row: end, or follow the chain.
 */
enum unw_progress unw_step_without_row(struct unw_walk *w, enum unw_step_kind kind);

/** What kind of step would lead on from @p pc, for one who only considers going there. */
enum unw_step_kind unw_peek(const struct unw_walk *w, uint64_t pc, uint32_t how);

/**
 * One step along the chain of frame pointers, or the back chain; where there is none, or it is not
 * plausible, end with @p otherwise.
 */
enum unw_progress unw_step_by_chain(struct unw_walk *w, enum pd_unwind_end otherwise);

/** Walk the whole of @p input with all registers. Errors: no memory. */
struct pd_error *unw_walk_full(struct unw_walk *w, const struct unw_input *input) pd_must_check;

/**
 * Register @p reg as recorded. False if it was not, or if its value is a placeholder: the kernel
 * gives all ones for what its entry code had not saved when an NMI came.
 */
bool unw_recorded_reg(const struct unw_walk *w, const struct unw_input *input,
	const struct pd_reg *reg, uint64_t *ret);

#endif

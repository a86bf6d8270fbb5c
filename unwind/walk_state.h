/**
 * @file State of an unwind in progress, shared by the fast path, the full path and frame chains.
 */
#ifndef PD_UNWIND_WALK_STATE_H
#define PD_UNWIND_WALK_STATE_H

#include "unwind/rules/arch_rules.h"
#include "unwind/frame_set.h"
#include "unwind/rules/captured_state.h"
#include "unwind/unwind.h"

struct unw_walker {
	const struct unw_arch *arch;
	/** Registers of arch; NULL if it has none, or if the register has no number. */
	const struct pd_reg *pc;
	const struct pd_reg *sp;
	const struct pd_reg *fp;
	const struct pd_reg *link;
	struct unw_opts opts;
	struct unw_frame_set set;
	/** First error of unw_peek(), which cannot report it; else NULL. */
	struct pd_error *peek_err;
};

struct unw_walk {
	struct unw_walker *walker;
	const struct unw_space *space;
	struct unw_memory stack;
	bool is_stack_full;
	/** The walk is on another stack than the captured one. */
	bool has_left_stack;
	/** Size of an address in bytes, and other facts of the architecture that steps need. */
	uint8_t word;
	uint8_t cfa_above_sp;
	uint64_t ra_mask;
	/** Current frame. After a step by a chain sp may be too low: see unw_frame_chain.end. */
	uint64_t pc;
	uint64_t sp;
	uint64_t fp;
	/** How the frame was reached: flags, except UNW_FRAME_SIGNAL. */
	uint32_t how;
	/** Link register in the leaf; 0 if it is unknown. */
	uint64_t link;
	/** A chain began in a frame that may not have linked its own frame yet. */
	bool may_have_skipped;
	struct unw_stack *ret;
};

/** Result of a step. */
enum unw_progress {
	UNW_STEPPED,	/**< The current frame is the caller now. */
	UNW_ENDED,	/**< The unwind has ended; unw_stack.end is the reason. */
	UNW_NEEDS_FULL, /**< The step needs the full path. */
};

static inline enum unw_progress unw_walk_end(struct unw_walk *w, enum pd_unwind_end end)
{
	w->ret->end = end;
	return UNW_ENDED;
}

/**
 * Whether the current frame may have the same stack pointer as its caller. That is so if calls use
 * a link register and the frame has not called.
 */
static inline bool unw_may_stay(const struct unw_walk *w)
{
	return unw_arch_has_link(w->walker->arch) && !(w->how & UNW_FRAME_RETURN);
}

/**
 * Whether @p module, which may be NULL, has a binary of the architecture that is unwound. A
 * recording may have programs of two word sizes.
 */
static inline bool unw_has_binary(const struct unw_walk *w, const struct unw_module *module)
{
	return module && module->binary && module->binary->arch == w->walker->arch;
}

/** Lookup address: inside the instruction of interest. See unwind/unwind.h. */
static inline uint64_t unw_lookup_addr(uint64_t pc, uint32_t how)
{
	return how & UNW_FRAME_RETURN ? pc - 1 : pc;
}

static inline bool unw_read_word(const struct unw_walk *w, uint64_t addr, uint64_t *ret)
{
	return unw_memory_read(&w->stack, addr, w->word, ret);
}

/**
 * End because a return address is zero. That is the root, unless the current frame was reached by
 * an inexact step or is a leaf: in prologues and epilogues much information is wrong.
 */
enum unw_progress unw_end_at_zero(struct unw_walk *w);

/** End because the process address @p addr was not captured. */
enum unw_progress unw_end_unreadable(struct unw_walk *w, uint64_t addr);

/**
 * Append the current frame to the result. @p slot_ret is valid until the next call. Errors: NOMEM.
 */
struct pd_error *unw_add_frame(
	struct unw_walk *w, const struct unw_frame_slot **slot_ret) pd_must_check;

/**
 * Continue from a frame without a row, whose step is of kind @p kind: end, or follow the frame
 * chain.
 */
enum unw_progress unw_step_without_row(struct unw_walk *w, enum unw_step_kind kind);

/**
 * Before a step by a row that may be wrong, or without a row: look at how the last frame was
 * found. Returns UNW_ENDED if the walk ends there, else UNW_STEPPED.
 */
enum unw_progress unw_begin_step(struct unw_walk *w);

/** After such a step with the result @p progress: look at the new frame. Returns the result. */
enum unw_progress unw_end_step(struct unw_walk *w, enum unw_progress progress);

/**
 * Find module, flags and step of the frame @p key, which is not in the frame set. Errors: NOMEM.
 */
struct pd_error *unw_resolve_frame(const struct unw_walk *w, const struct unw_frame_key *key,
	struct unw_frame *frame_ret, struct unw_step *step_ret) pd_must_check;

/** Kind of the step from a frame at @p pc, without going there. */
enum unw_step_kind unw_peek(const struct unw_walk *w, uint64_t pc, uint32_t how);

/**
 * Step along the frame pointers or the back chain. Without a plausible chain, end with
 * @p otherwise.
 */
enum unw_progress unw_step_by_chain(struct unw_walk *w, enum pd_unwind_end otherwise);

/** Whether the frame pointer is sure to be that of the current frame, so it leads to the caller. */
bool unw_is_chain_certain(const struct unw_walk *w);

/** Unwind @p input from its leaf with all registers. Errors: NOMEM. */
struct pd_error *unw_walk_full(struct unw_walk *w, const struct unw_input *input) pd_must_check;

/**
 * Recorded value of register @p reg. Returns false if it was not recorded or is a placeholder: the
 * kernel writes all ones for registers that its entry code had not saved yet when an NMI arrived.
 */
bool unw_recorded_reg(const struct unw_walk *w, const struct unw_input *input,
	const struct pd_reg *reg, uint64_t *ret);

#endif

#include "unwind/walk.h"

/** Link of a frame chain: where it is, where it leads to, and the return address next to it. */
struct link {
	uint64_t base;
	uint64_t saved;
	uint64_t ra;
	/** Process address that could not be read; 0 if the base is not plausible. */
	uint64_t bad_addr;
};

static bool is_back_chain(const struct unw_arch *arch)
{
	return arch->chain.reg == arch->sp;
}

static bool read_word(const struct unw_walk *w, struct link *link, uint64_t addr, uint64_t *ret)
{
	link->bad_addr = addr;
	return unw_read_word(w, addr, ret);
}

static bool read_link(const struct unw_walk *w, struct link *link)
{
	const struct unw_frame_chain *chain = &w->walker->arch->chain;

	if (link->base < w->sp || link->base % w->word ||
		!read_word(w, link, link->base + chain->saved, &link->saved))
		return false;
	/* The root frame has no return address. */
	if (chain->is_ra_in_caller && !link->saved)
		return true;
	uint64_t ra_base = chain->is_ra_in_caller ? link->saved : link->base;
	return read_word(w, link, ra_base + chain->ra, &link->ra);
}

/** Whether the chain is trusted: a back chain always, a frame pointer if a callee used it. */
static bool is_on_chain(const struct unw_walk *w)
{
	return w->how & UNW_FRAME_BY_FP || is_back_chain(w->walker->arch);
}

static enum unw_progress end_of_chain(
	struct unw_walk *w, const struct link *link, enum pd_unwind_end otherwise)
{
	/* The ABI marks the root by a frame pointer of zero. */
	if (is_on_chain(w) && !link->base)
		return unw_walk_end(w, PD_UNWIND_END_ROOT);
	/* The next link is above the captured stack, which was cut. */
	if (is_on_chain(w) && w->is_stack_full && link->bad_addr >= w->stack.start + w->stack.size)
		return unw_walk_end(w, PD_UNWIND_END_STACK_SHORT);
	return unw_walk_end(w, otherwise);
}

/**
 * Whether the word next to the link is plausible as a return address. Code with call frame
 * information may use the frame pointer for anything else, so there the direction of the link
 * proves nothing.
 */
static bool is_plausible(const struct unw_walk *w, const struct link *link)
{
	bool leads_up = !link->saved || link->saved > link->base;

	switch (unw_peek(w, link->ra, UNW_FRAME_RETURN | UNW_FRAME_BY_FP)) {
	case UNW_STEP_NO_MAPPING:
		return false;
	case UNW_STEP_NO_CFI:
	case UNW_STEP_ENTRY:
	case UNW_STEP_NO_FILE:
	case UNW_STEP_SIGNAL:
	case UNW_STEP_BAD:
		return leads_up;
	default:
		return leads_up || !is_back_chain(w->walker->arch);
	}
}

enum unw_progress unw_step_by_chain(struct unw_walk *w, enum pd_unwind_end otherwise)
{
	const struct unw_arch *arch = w->walker->arch;
	const struct unw_frame_chain *chain = &arch->chain;
	struct link link = { .base = is_back_chain(arch) ? w->sp : w->fp };

	if (w->walker->opts.cfi_only || chain->reg == PD_NO_DWARF)
		return unw_walk_end(w, otherwise);
	if (!read_link(w, &link))
		return end_of_chain(w, &link, otherwise);
	link.ra &= w->ra_mask;
	if (!link.ra && !link.saved && is_on_chain(w))
		return unw_walk_end(w, PD_UNWIND_END_ROOT);
	/* A zero word on its own proves nothing, nor does a word that is not a code address. */
	if (!link.ra || !is_plausible(w, &link))
		return unw_walk_end(w, otherwise);
	w->pc = link.ra;
	w->sp = is_back_chain(arch) ? link.saved : link.base + chain->end;
	if (chain->finds_fp)
		w->fp = link.saved;
	w->how = UNW_FRAME_RETURN | UNW_FRAME_BY_FP;
	return UNW_STEPPED;
}

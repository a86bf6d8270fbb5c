#include "unwind/walk.h"

/** The chain leaves the slice upwards, as it does where the slice is too short. */
static bool is_past_slice(const struct unw_walk *w)
{
	uint64_t slice_end = w->stack.start + w->stack.size;

	return w->is_stack_full && w->fp > w->sp &&
	       w->fp + w->walker->arch->fp_saved_ra >= slice_end;
}

/** Frame pointers were in use below this frame, so they are trusted here as well. */
static bool is_on_chain(const struct unw_walk *w)
{
	return w->how & UNW_FRAME_BY_FP;
}

static enum unw_progress end_of_chain(struct unw_walk *w, enum unw_end otherwise)
{
	/* The ABI marks the outermost frame by a frame pointer of zero. */
	if (is_on_chain(w) && !w->fp)
		return unw_walk_end(w, UNW_END_ROOT);
	if (is_on_chain(w) && is_past_slice(w))
		return unw_walk_end(w, UNW_END_STACK_SHORT);
	return unw_walk_end(w, otherwise);
}

/**
 * Whether @p ra can be a return address next to the saved frame pointer @p saved_fp. Code with call
 * frame information may use that register for anything, so there it proves nothing.
 */
static bool is_plausible(const struct unw_walk *w, uint64_t saved_fp, uint64_t ra)
{
	switch (unw_peek(w, ra, UNW_FRAME_RETURN | UNW_FRAME_BY_FP)) {
	case UNW_STEP_NO_MAPPING:
		return false;
	case UNW_STEP_NO_CFI:
	case UNW_STEP_ENTRY:
	case UNW_STEP_NO_FILE:
	case UNW_STEP_BAD:
		return !saved_fp || saved_fp > w->fp;
	default:
		return true;
	}
}

enum unw_progress unw_step_by_fp(struct unw_walk *w, enum unw_end otherwise)
{
	const struct unw_arch *arch = w->walker->arch;
	uint64_t saved_fp;
	uint64_t ra;

	if (w->walker->opts.cfi_only)
		return unw_walk_end(w, otherwise);
	if (w->fp < w->sp || w->fp % arch->word ||
		!unw_read_word(w, w->fp + arch->fp_saved_fp, &saved_fp) ||
		!unw_read_word(w, w->fp + arch->fp_saved_ra, &ra))
		return end_of_chain(w, otherwise);
	if (!ra && !saved_fp)
		return unw_walk_end(w, UNW_END_ROOT);
	if (!ra || !is_plausible(w, saved_fp, ra))
		return unw_walk_end(w, otherwise);
	w->pc = ra;
	w->sp = w->fp + arch->fp_cfa;
	w->fp = saved_fp;
	w->how = UNW_FRAME_RETURN | UNW_FRAME_BY_FP;
	return UNW_STEPPED;
}

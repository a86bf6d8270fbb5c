#include "base/limit.h"
#include "unwind/walk_state.h"

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

static inline bool read_word(
	const struct unw_walk *w, struct link *link, uint64_t addr, uint64_t *ret)
{
	link->bad_addr = addr;
	return unw_read_word(w, addr, ret);
}

static inline bool read_link(const struct unw_walk *w, struct link *link)
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
	/*
	 * The next link is above the captured stack, which was cut. A frame pointer that no callee
	 * used, as that of generated code below native code, must be near.
	 */
	if (w->is_stack_full && link->bad_addr >= w->stack.start + w->stack.size &&
		(is_on_chain(w) || link->bad_addr - w->stack.start <= PD_LIMIT_STACK_BYTES))
		return unw_walk_end(w, PD_UNWIND_END_STACK_SHORT);
	return unw_walk_end(w, otherwise);
}

/**
 * Whether the word next to the link is plausible as a return address. Code with call frame
 * information may use the frame pointer for anything else, so there the direction of the link
 * proves nothing.
 */
static inline bool is_plausible(const struct unw_walk *w, const struct link *link)
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

/** Whether a call in a frame of @p row may have left the stack pointer at @p sp. */
static bool may_be_row(const struct unw_walk *w, const struct unw_row *row, uint64_t sp)
{
	const struct unw_arch *arch = w->walker->arch;
	const struct unw_rule *rules = row->regs;
	uint64_t cfa = (row->cfa_reg == arch->sp ? sp : w->fp) + (uint64_t)row->cfa_off;
	uint64_t ra;

	if (row->cfa_expr.bytes || row->is_cfa_in_memory ||
		(row->cfa_reg != arch->sp && row->cfa_reg != arch->fp))
		return true;
	for (uint8_t i = 0; i < arch->n_regs; i++) {
		if (rules[i].kind == UNW_RULE_OFFSET && cfa + (uint64_t)rules[i].off < sp)
			return false;
	}
	const struct unw_rule *ra_rule = &rules[row->ra_column];
	if (ra_rule->kind != UNW_RULE_OFFSET ||
		!unw_read_word(w, cfa + (uint64_t)ra_rule->off, &ra))
		return true;
	return !ra || w->space->find(w->space, (ra & w->ra_mask) - 1);
}

/** Whether call frame information, if there is any, allows a call that returns to @p pc. */
static bool may_be_call_in(
	const struct unw_walk *w, const struct unw_binary *binary, uint64_t pc, uint64_t sp)
{
	enum unw_cfi_result result = UNW_CFI_NONE;
	struct unw_range range;
	struct unw_row row;
	struct pd_error *err = unw_binary_find_fde(binary, pc - 1, &range);

	if (!err && range.end)
		err = unw_binary_find_row(binary, pc - 1, true, &result, &row);
	pd_error_destroy(err);
	return result != UNW_CFI_ROW || may_be_row(w, &row, sp);
}

/**
 * Whether @p word at the address @p addr may be the return address of the leaf, which is in
 * @p own. In code of which nothing is known, every address may be.
 */
static bool may_be_return(
	const struct unw_walk *w, const struct unw_module *own, uint64_t word, uint64_t addr)
{
	enum { PAGE = 4096 };

	/* Most words of a stack are small numbers or point into it. */
	if (word < PAGE || word - w->stack.start < w->stack.size)
		return false;
	const struct unw_module *module = w->space->find(w->space, word - 1);
	if (!unw_has_binary(w, module))
		return module;
	uint64_t pc = word - module->bias;
	return unw_binary_may_return_to(module->binary, pc, module != own) &&
	       may_be_call_in(w, module->binary, pc, addr + w->word);
}

/**
 * Whether the chain, which begins with @p link in the current frame, may skip the caller. It does
 * in a function that keeps no frame pointer, and in a prologue or an epilogue: then the frame
 * pointer is that of the caller, and the return address is below it, in the frame or in the link
 * register. Without an address there, the current frame is the first one of the chain.
 */
static bool may_skip_caller(const struct unw_walk *w, const struct link *link)
{
	uint32_t id = w->ret->frames.data[w->ret->frames.n - 1];
	const struct unw_module *own = unw_walker_frame(w->walker, id)->module;
	const struct unw_frame_chain *chain = &w->walker->arch->chain;
	int64_t first = chain->saved < chain->ra ? chain->saved : chain->ra;
	uint64_t end = link->base + (uint64_t)first;
	uint64_t word = w->ret->frames.n == 1 ? w->link & w->ra_mask : 0;

	if (word && word != link->ra && may_be_return(w, own, word, w->sp - w->word))
		return true;
	for (uint64_t addr = w->sp; addr < end; addr += w->word) {
		if (!unw_read_word(w, addr, &word) ||
			may_be_return(w, own, word & w->ra_mask, addr))
			return true;
	}
	return false;
}

bool unw_is_chain_certain(const struct unw_walk *w)
{
	struct link link = { .base = w->fp };

	if (is_back_chain(w->walker->arch) || w->walker->arch->chain.reg == PD_NO_DWARF ||
		!read_link(w, &link))
		return false;
	link.ra &= w->ra_mask;
	return link.ra && is_plausible(w, &link) && !may_skip_caller(w, &link);
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
	if (w->ret->frames.n == 1 && !is_on_chain(w))
		w->may_have_skipped = may_skip_caller(w, &link);
	w->pc = link.ra;
	w->sp = is_back_chain(arch) ? link.saved : link.base + chain->end;
	if (chain->finds_fp)
		w->fp = link.saved;
	w->how = UNW_FRAME_RETURN | UNW_FRAME_BY_FP;
	return UNW_STEPPED;
}

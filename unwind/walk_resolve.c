/* What a program counter is: its module, and the step to its caller. */
#include "unwind/cfi.h"
#include "unwind/walk.h"

/** Return the step from the vaddr @p addr, which no call frame information covers. */
static struct unw_step step_without_cfi(
	const struct unw_module *module, uint64_t addr, uint32_t how)
{
	struct unw_step step;

	/* PLT entries jump and never call, so only a leaf can be in one. */
	if (!(how & UNW_FRAME_RETURN) && unw_cfi_plt_step(module->cfi, addr, &step))
		return step;
	return (struct unw_step){
		.kind = unw_cfi_is_entry(module->cfi, addr) ? UNW_STEP_ENTRY : UNW_STEP_NO_CFI,
	};
}

/**
 * Step by @p row at the vaddr @p addr. After a call the link register no longer holds the frame's
 * return address. If the row claims it does, the frame is the root or needs all registers.
 */
static struct unw_step step_by_row(const struct unw_walk *w, const struct unw_module *module,
	const struct unw_row *row, uint64_t addr, uint32_t how)
{
	struct unw_step step = unw_step_from_row(w->walker->arch, row, addr);
	uint8_t kind = step.kind & ~UNW_STEP_INEXACT;

	if (how & UNW_FRAME_RETURN) {
		/* Inexact rows are valid at calls. */
		step.kind = row->is_guess ? step.kind : kind;
		if (kind == UNW_STEP_SP_LINK || kind == UNW_STEP_FP_LINK)
			step.kind =
				unw_cfi_is_entry(module->cfi, addr) ? UNW_STEP_ROOT : UNW_STEP_FULL;
	}
	if (step.kind & UNW_STEP_INEXACT && w->walker->opts.cfi_only)
		return step_without_cfi(module, addr, how);
	return step;
}

/**
 * Whether this may be a signal trampoline. In the vDSO, only trampolines are returned to, unless an
 * image of it says otherwise by its rows. Their rules for registers cannot be trusted: some
 * architectures have none at all, and those of AArch64 skip the interrupted frame.
 */
static bool is_trampoline(
	const struct unw_walk *w, const struct unw_module *module, const struct unw_row *row)
{
	return module->is_vdso && w->walker->arch->n_signals && (!row || row->is_signal);
}

static bool has_cfi(const struct unw_walk *w, const struct unw_module *module)
{
	return module->cfi && unw_cfi_arch(module->cfi) == w->walker->arch;
}

/**
 * Find the module of a frame. Trampolines are returned to without a call, so they may be first in
 * their mapping, and then the lookup address is outside of it.
 */
static const struct unw_module *find_module(
	const struct unw_walk *w, const struct unw_frame_key *key, uint64_t addr)
{
	const struct unw_module *module = w->space->find(w->space, addr);

	if (module || addr == key->pc)
		return module;
	module = w->space->find(w->space, key->pc);
	return module && module->is_vdso ? module : NULL;
}

struct pd_error *unw_resolve_frame(const struct unw_walk *w, const struct unw_frame_key *key,
	struct unw_frame *frame, struct unw_step *step)
{
	uint64_t addr = unw_lookup_addr(key->pc, key->how);
	const struct unw_module *module = find_module(w, key, addr);
	enum unw_cfi_result result = UNW_CFI_NONE;
	struct unw_row row;

	*frame = (struct unw_frame){
		.space_id = key->space_id, .pc = key->pc, .module = module, .flags = key->how
	};
	*step = (struct unw_step){ .kind = module ? UNW_STEP_NO_FILE : UNW_STEP_NO_MAPPING };
	if (!module)
		return NULL;
	uint64_t vaddr = addr - module->bias;
	if (has_cfi(w, module) && unw_cfi_is_root(module->cfi, vaddr)) {
		step->kind = UNW_STEP_ROOT;
		return NULL;
	}
	if (has_cfi(w, module)) {
		struct pd_error *err = unw_cfi_find_row(
			module->cfi, vaddr, key->how & UNW_FRAME_RETURN, &result, &row);

		if (err)
			return err;
		*step = result == UNW_CFI_ROW ? step_by_row(w, module, &row, vaddr, key->how)
					      : step_without_cfi(module, vaddr, key->how);
		if (result == UNW_CFI_BAD)
			step->kind = UNW_STEP_BAD;
	}
	bool has_row = result == UNW_CFI_ROW;
	if (is_trampoline(w, module, has_row ? &row : NULL))
		step->kind = UNW_STEP_SIGNAL;
	/* A trampoline does not call the handler, so its pc is not a return address. */
	if ((step->kind == UNW_STEP_SIGNAL && key->how & UNW_FRAME_RETURN) ||
		(has_row && row.is_signal))
		frame->flags = (frame->flags & ~UNW_FRAME_RETURN) | UNW_FRAME_SIGNAL;
	return NULL;
}

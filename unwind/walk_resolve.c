/* Find the module of a program counter, and the step to its caller. */
#include "base/limit.h"
#include "unwind/binary_rows.h"
#include "unwind/walk_state.h"

/** Return the step from the vaddr @p addr, which no call frame information covers. */
static struct unw_step step_without_cfi(
	const struct unw_module *module, uint64_t addr, uint32_t how)
{
	struct unw_step step;

	/* PLT entries jump and never call, so only a leaf can be in one. */
	if (!(how & UNW_FRAME_RETURN) && unw_binary_plt_step(module->binary, addr, &step))
		return step;
	return (struct unw_step){
		.kind = unw_range_has(&module->binary->entry, addr) ? UNW_STEP_ENTRY
								    : UNW_STEP_NO_CFI,
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
			step.kind = unw_range_has(&module->binary->entry, addr) ? UNW_STEP_ROOT
										: UNW_STEP_FULL;
	}
	if (step.kind & UNW_STEP_INEXACT && w->walker->opts.cfi_only)
		return step_without_cfi(module, addr, how);
	return step;
}

/**
 * Whether this may be a signal trampoline of the kernel. In the vDSO, only trampolines are returned
 * to, unless an image of it says otherwise by its rows. Their rules for registers cannot be
 * trusted: some architectures have none at all, and those of AArch64 skip the interrupted frame.
 */
static bool may_be_of_kernel(
	const struct unw_walk *w, const struct unw_module *module, const struct unw_row *row)
{
	return module->is_vdso && w->walker->arch->signals.has_vdso_trampolines &&
	       (!row || row->is_signal);
}

/**
 * Find the module of a frame. Trampolines of signals and of return probes are returned to without a
 * call, so they may be first in their mapping, and then the lookup address is outside of it.
 */
static const struct unw_module *find_module(
	const struct unw_walk *w, const struct unw_frame_key *key, uint64_t addr)
{
	const struct unw_module *module = w->space->find(w->space, addr);

	if (module || addr == key->pc)
		return module;
	module = w->space->find(w->space, key->pc);
	return module && (module->is_vdso || module->is_uprobes) ? module : NULL;
}

/** Frame that is being resolved. */
struct lookup {
	const struct unw_walk *w;
	const struct unw_module *module;
	/** Binary of the module; NULL if there is none for this architecture. */
	const struct unw_binary *binary;
	/** Program counter as a vaddr. */
	uint64_t pc;
	/** How the frame was reached: unw_frame_key.how. */
	uint32_t how;
	/** Flags of the result; UNW_FRAME_RETURN if pc is looked up one byte earlier. */
	uint32_t flags;
	/** The return address was put on the stack by hand, so no call is before it. */
	bool is_by_hand;
	/** The frame is in a system call that is just before pc. */
	bool is_in_syscall;
	enum unw_cfi_result result;
	struct unw_row row;
};

static bool is_return(const struct lookup *l)
{
	return l->how & UNW_FRAME_RETURN && !l->is_by_hand;
}

static struct unw_code_at code_at(const struct lookup *l)
{
	return unw_binary_code_at(l->binary, l->pc);
}

static struct pd_error *find_row(struct lookup *l)
{
	return unw_binary_find_row(
		l->binary, unw_lookup_addr(l->pc, l->flags), is_return(l), &l->result, &l->row);
}

/** Whether the frame is described by a table. Rows from instructions are guesses. */
static bool is_in_table(const struct lookup *l)
{
	return l->result == UNW_CFI_BAD || (l->result == UNW_CFI_ROW && !l->row.is_guess);
}

/** Look up a return address at its own address if no call is before it. */
static struct pd_error *correct_return(struct lookup *l)
{
	struct pd_error *err =
		unw_binary_is_by_hand(l->binary, l->pc, is_in_table(l), &l->is_by_hand);

	if (err || !l->is_by_hand)
		return err;
	l->flags &= ~(uint32_t)UNW_FRAME_RETURN;
	return find_row(l);
}

/**
 * Decide whether the frame is the leaf, in a system call that is just before its program counter.
 * If that call is the end of a function, the program counter may also be the entry of the next one,
 * and only registers show which it is.
 *
 * Calls that end a function do not return: exit_group() and sigreturn(). For them, look up the
 * program counter one byte earlier.
 */
static struct pd_error *correct_syscall(struct lookup *l)
{
	bool is_shown = l->how & UNW_FRAME_SYSCALL;
	struct unw_range at, before;
	struct pd_error *err = unw_binary_find_fde(l->binary, l->pc, &at);

	if (!err)
		err = unw_binary_find_fde(l->binary, l->pc - 1, &before);
	if (err)
		return err;
	bool is_entry = at.end && at.start == l->pc;
	l->is_in_syscall = is_shown || (before.end && !is_entry);
	bool is_end = is_entry || (!at.end && (before.end || unw_is_after_trampoline(code_at(l))));
	if (!l->is_in_syscall || !is_end)
		return NULL;
	l->flags |= UNW_FRAME_RETURN;
	l->result = UNW_CFI_NONE;
	return before.end ? find_row(l) : NULL;
}

/** Find the row of the program counter, and correct the flags by what precedes it. */
static struct pd_error *find_corrected_row(struct lookup *l)
{
	struct pd_error *err = find_row(l);

	if (err)
		return err;
	if (l->how & UNW_FRAME_RETURN)
		return correct_return(l);
	return unw_is_after_syscall(code_at(l)) ? correct_syscall(l) : NULL;
}

/**
 * Whether the frame is the base of a stack that was made by hand. If its return address is said to
 * be in the link register, it has none.
 */
static bool is_base(const struct lookup *l)
{
	const struct unw_arch *arch = l->w->walker->arch;

	if (!(l->how & UNW_FRAME_RETURN) || (is_in_table(l) && !l->is_by_hand))
		return false;
	return unw_is_base(code_at(l)) ||
	       (l->is_by_hand && l->result == UNW_CFI_ROW && unw_arch_has_link(arch) &&
		       l->row.regs[l->row.ra_column].kind == UNW_RULE_SAME);
}

static struct unw_step step_of(const struct lookup *l)
{
	uint64_t addr = unw_lookup_addr(l->pc, l->flags);
	uint32_t how = l->is_by_hand ? l->how & ~(uint32_t)UNW_FRAME_RETURN : l->how;

	if (l->result == UNW_CFI_BAD)
		return (struct unw_step){ .kind = UNW_STEP_BAD };
	return l->result == UNW_CFI_ROW ? step_by_row(l->w, l->module, &l->row, addr, how)
					: step_without_cfi(l->module, addr, how);
}

/**
 * Whether the frame is in a trampoline of the program, by its code. If that has a row, the row is
 * that of a function, unless it is marked as a signal frame.
 */
static bool is_trampoline(const struct lookup *l)
{
	if (l->result == UNW_CFI_ROW && l->row.is_signal)
		return false;
	return unw_is_trampoline(code_at(l), l->how & UNW_FRAME_RETURN) ||
	       (l->is_in_syscall && unw_is_after_trampoline(code_at(l)));
}

/**
 * Whether the frame is at the call of the first function of a thread or a program, by its code. A
 * table says so itself.
 */
static bool is_first_call(const struct lookup *l)
{
	return is_return(l) && !is_in_table(l) &&
	       (unw_is_exit(code_at(l)) || unw_binary_is_after_entry_call(l->binary, l->pc));
}

/** Find flags and step by the binary of the module. */
static struct pd_error *resolve_in_binary(struct lookup *l, struct unw_step *step)
{
	struct pd_error *err = find_corrected_row(l);

	if (err)
		return err;
	*step = step_of(l);
	/* The lookup address is corrected now: a root may be followed by a function put by hand. */
	if (unw_binary_is_root(l->binary, unw_lookup_addr(l->pc, l->flags)) || is_first_call(l)) {
		step->kind = UNW_STEP_ROOT;
	} else if (is_trampoline(l)) {
		step->kind = UNW_STEP_SIGNAL;
		l->flags |= UNW_FRAME_SIGNAL;
	} else if (is_base(l)) {
		step->kind = UNW_STEP_ROOT;
		l->flags &= ~(uint32_t)UNW_FRAME_RETURN;
	} else if (l->flags & l->how & UNW_FRAME_RETURN && !l->module->prefers_chain) {
		bool is_uncalled;

		err = unw_binary_is_uncalled(l->binary, l->pc, &is_uncalled);
		l->flags |= is_uncalled ? UNW_FRAME_UNCALLED : 0;
	}
	return err;
}

/**
 * Whether a leaf is at or after the copy of an instruction with a probe. Most probes are at the
 * first instruction of a function, which hardly ever moves the stack pointer unless the kernel
 * emulates it, so the stack is as at a PLT entry. Of others the caller does not follow a call,
 * which shows that it is wrong.
 */
static bool is_at_probe(
	const struct unw_walk *w, const struct unw_module *module, const struct unw_frame_key *key)
{
	return module && module->is_uprobes && !(key->how & UNW_FRAME_RETURN) &&
	       w->walker->arch->plt.step;
}

struct pd_error *unw_resolve_frame(const struct unw_walk *w, const struct unw_frame_key *key,
	struct unw_frame *frame, struct unw_step *step)
{
	const struct unw_module *module = find_module(w, key, unw_lookup_addr(key->pc, key->how));
	struct lookup l = {
		.w = w,
		.module = module,
		.how = key->how,
		.flags = key->how & ~(uint32_t)UNW_FRAME_SYSCALL,
		.result = UNW_CFI_NONE,
	};

	*step = (struct unw_step){ .kind = module ? UNW_STEP_NO_FILE : UNW_STEP_NO_MAPPING };
	if (unw_has_binary(w, module)) {
		l.binary = module->binary;
		l.pc = key->pc - module->bias;
		PD_LIMIT_SCOPE();
		struct pd_error *err = resolve_in_binary(&l, step);
		if (base_limit_is_reached())
			unw_binary_note_limits(l.binary);
		if (err)
			return err;
	}
	if (is_at_probe(w, module, key))
		*step = w->walker->arch->plt.step(w->walker->arch, 0, false);
	const struct unw_row *row = l.result == UNW_CFI_ROW ? &l.row : NULL;
	if (module && may_be_of_kernel(w, module, row)) {
		step->kind = UNW_STEP_SIGNAL;
		l.flags |= key->how & UNW_FRAME_RETURN ? UNW_FRAME_SIGNAL : 0;
	}
	if (row && row->is_signal)
		l.flags |= UNW_FRAME_SIGNAL;
	/* The caller of an uncalled frame is as uncertain as the frame. */
	if (l.flags & UNW_FRAME_UNCALLED && unw_step_has_row(step->kind))
		step->kind |= UNW_STEP_INEXACT;
	/* A trampoline does not call the handler, so its pc is not a return address. */
	if ((l.flags & UNW_FRAME_SIGNAL || (module && module->is_uprobes)) &&
		key->how & UNW_FRAME_RETURN)
		l.flags &= ~(uint32_t)UNW_FRAME_RETURN;
	*frame = (struct unw_frame){
		.space_id = key->space_id, .pc = key->pc, .module = module, .flags = l.flags
	};
	return NULL;
}

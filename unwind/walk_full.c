#include "base/limit.h"
#include "unwind/walk_state.h"

#include <string.h>

#include <pdconv/attr.h>

#include "unwind/binary_rows.h"
#include "unwind/expr.h"
#include "unwind/rules/arch_rules.h"

/** State of an unwind with all registers. */
struct full_walk {
	struct unw_walk *w;
	struct unw_regs regs;
	struct unw_expr_env env;
};

static void set_reg(struct unw_regs *regs, uint8_t number, uint64_t value)
{
	regs->value[number] = value;
	regs->is_known[number] = true;
}

static void load_regs(struct full_walk *f, const struct unw_input *input)
{
	const struct unw_arch *arch = f->w->walker->arch;
	uint64_t value;

	for (size_t i = 0; i < arch->arch->n_regs; i++) {
		const struct pd_reg *reg = &arch->arch->regs[i];

		if (reg->dwarf < arch->n_regs && unw_recorded_reg(f->w, input, reg, &value))
			set_reg(&f->regs, reg->dwarf, value);
	}
	set_reg(&f->regs, arch->pc, f->w->pc);
	/* It may differ from the recorded one: see unw_signal_rules.interrupted_sp. */
	if (f->regs.is_known[arch->sp])
		set_reg(&f->regs, arch->sp, f->w->sp);
}

/** End the unwind because an evaluation failed. */
static enum unw_progress end_of_eval(struct full_walk *f, enum unw_eval eval)
{
	if (eval == UNW_EVAL_MEMORY)
		return unw_end_unreadable(f->w, f->env.bad_addr);
	return unw_walk_end(
		f->w, eval == UNW_EVAL_UNKNOWN ? PD_UNWIND_END_LOST_REG : PD_UNWIND_END_BAD_CFI);
}

static enum unw_eval read_reg(const struct full_walk *f, uint64_t number, uint64_t *ret)
{
	if (number >= f->env.n_regs)
		return UNW_EVAL_BAD;
	*ret = f->regs.value[number];
	return f->regs.is_known[number] ? UNW_EVAL_OK : UNW_EVAL_UNKNOWN;
}

static enum unw_eval read_memory(struct full_walk *f, uint64_t addr, uint64_t *ret)
{
	f->env.bad_addr = addr;
	return unw_read_word(f->w, addr, ret) ? UNW_EVAL_OK : UNW_EVAL_MEMORY;
}

static enum unw_eval find_cfa(struct full_walk *f, const struct unw_row *row, uint64_t *ret)
{
	if (row->cfa_expr.bytes)
		return unw_expr_eval(&f->env, &row->cfa_expr, NULL, ret);
	uint64_t base;
	enum unw_eval eval = read_reg(f, row->cfa_reg, &base);
	if (eval != UNW_EVAL_OK)
		return eval;
	*ret = base + (uint64_t)row->cfa_off;
	return row->is_cfa_in_memory ? read_memory(f, *ret, ret) : UNW_EVAL_OK;
}

/**
 * Find the caller's value of register @p number, saved at @p addr: see unw_arch.has_red_zone, and
 * restore_fp() in unwind/unwind.c.
 */
static enum unw_eval restore(struct full_walk *f, uint8_t number, uint64_t addr, uint64_t *ret)
{
	const struct unw_arch *arch = f->w->walker->arch;

	if (addr >= f->w->sp || f->w->how & UNW_FRAME_RETURN || number == arch->pc)
		return read_memory(f, addr, ret);
	return arch->has_red_zone ? UNW_EVAL_UNKNOWN : read_reg(f, number, ret);
}

/**
 * Find the caller's value of register @p number, saved at the address of an expression. In
 * epilogues of functions that realign the stack, the expression may use a register that was already
 * restored. Then the address is in the caller's frame, and the register itself has the caller's
 * value.
 */
static enum unw_eval restore_by_expr(
	struct full_walk *f, const struct unw_row *row, uint8_t number, uint64_t cfa, uint64_t *ret)
{
	uint64_t addr;
	enum unw_eval eval = unw_expr_eval(&f->env, &row->regs[number].expr, &cfa, &addr);

	if (eval != UNW_EVAL_OK)
		return eval;
	/* The kernel saves registers outside of the interrupted frames. */
	if (row->is_signal)
		return read_memory(f, addr, ret);
	return addr >= cfa ? read_reg(f, number, ret) : restore(f, number, addr, ret);
}

/** Find the caller's value of register @p number, saved at a distance from another register. */
static enum unw_eval restore_at_reg(
	struct full_walk *f, const struct unw_rule *rule, uint8_t number, uint64_t *ret)
{
	uint64_t base;
	enum unw_eval eval = read_reg(f, rule->at.reg, &base);

	return eval == UNW_EVAL_OK ? restore(f, number, base + (uint64_t)rule->at.off, ret) : eval;
}

/** Find the caller's value of register @p number. */
static enum unw_eval find_reg(
	struct full_walk *f, const struct unw_row *row, uint8_t number, uint64_t cfa, uint64_t *ret)
{
	const struct unw_rule *rule = &row->regs[number];

	switch (rule->kind) {
	case UNW_RULE_SAME:
		return read_reg(f, number, ret);
	case UNW_RULE_OFFSET:
		return restore(f, number, cfa + (uint64_t)rule->off, ret);
	case UNW_RULE_VAL_OFFSET:
		*ret = cfa + (uint64_t)rule->off;
		return UNW_EVAL_OK;
	case UNW_RULE_REGISTER:
		return read_reg(f, rule->reg, ret);
	case UNW_RULE_AT_REGISTER:
		return restore_at_reg(f, rule, number, ret);
	case UNW_RULE_EXPR:
		return restore_by_expr(f, row, number, cfa, ret);
	case UNW_RULE_VAL_EXPR:
		return unw_expr_eval(&f->env, &rule->expr, &cfa, ret);
	/*
	 * The row already has the rules of the ABI (unw_arch_default_row()), so a register without
	 * a rule is lost.
	 */
	default:
		return UNW_EVAL_UNKNOWN;
	}
}

/** Find all registers of the caller. One that cannot be found only matters if a rule needs it. */
static void find_regs(
	struct full_walk *f, const struct unw_row *row, uint64_t cfa, struct unw_regs *caller)
{
	for (uint8_t i = 0; i < f->env.n_regs; i++)
		caller->is_known[i] = find_reg(f, row, i, cfa, &caller->value[i]) == UNW_EVAL_OK;
}

/** Whether the return address of a frame is still in a register, where its call left it. */
static bool is_ra_untouched(const struct unw_row *row)
{
	enum unw_rule_kind kind = row->regs[row->ra_column].kind;

	return kind == UNW_RULE_SAME || kind == UNW_RULE_UNSPECIFIED;
}

/** Return the register that holds the return address of a frame, or arch.pc if none does. */
static uint64_t register_of_ra(const struct unw_arch *arch, const struct unw_row *row)
{
	if (is_ra_untouched(row))
		return row->ra_column;
	const struct unw_rule *rule = &row->regs[row->ra_column];
	return rule->kind == UNW_RULE_REGISTER ? rule->reg : arch->pc;
}

static uint32_t how_reached(const struct unw_walk *w, const struct unw_row *row)
{
	if (row->is_signal)
		return row->is_guess ? UNW_FRAME_INEXACT : 0;
	bool is_inexact = row->is_guess || (row->is_inexact && !(w->how & UNW_FRAME_RETURN));
	return UNW_FRAME_RETURN | (is_inexact ? UNW_FRAME_INEXACT : 0);
}

/**
 * Whether the caller's stack pointer may equal that of the current frame, which returns to the
 * address in register @p link. That is so if its call has pushed nothing, or if the function keeps
 * the pushed address in the register, as vfork() does.
 */
static bool may_stay(const struct unw_walk *w, uint64_t link)
{
	const struct unw_arch *arch = w->walker->arch;
	bool has_pushed = w->how & UNW_FRAME_RETURN && !unw_arch_has_link(arch);

	return unw_may_stay(w) || (link != arch->pc && !has_pushed);
}

/**
 * Make @p caller the current frame. Its call has overwritten the register with the return address,
 * so a frame that returns by the register cannot follow itself with the same stack pointer.
 */
static enum unw_progress enter(
	struct full_walk *f, const struct unw_row *row, struct unw_regs *caller, uint64_t ra)
{
	const struct unw_arch *arch = f->w->walker->arch;
	uint64_t sp = caller->value[arch->sp];
	uint64_t link = register_of_ra(arch, row);
	bool is_stuck = may_stay(f->w, link) ? sp < f->w->sp : sp <= f->w->sp;

	if (!caller->is_known[arch->sp])
		return unw_walk_end(f->w, PD_UNWIND_END_LOST_REG);
	/* A signal handler may have a separate stack at any address. */
	if (!row->is_signal && is_stuck)
		return unw_walk_end(f->w, PD_UNWIND_END_CYCLE);
	ra &= f->w->ra_mask;
	uint32_t how = how_reached(f->w, row);
	/* A signal frame is next to the stack that it interrupted, unless it is on another one. */
	f->w->has_left_stack |= row->is_signal && sp - f->w->sp > PD_STACK_USER_MAX;
	if (!row->is_signal && !ra)
		return how & UNW_FRAME_INEXACT ? unw_walk_end(f->w, PD_UNWIND_END_NO_CFI)
					       : unw_end_at_zero(f->w);
	caller->is_known[row->ra_column] = false;
	if (f->w->how & UNW_FRAME_RETURN && sp == f->w->sp && link < f->env.n_regs)
		caller->is_known[link] = false;
	set_reg(caller, arch->pc, ra);
	f->regs = *caller;
	f->w->pc = ra;
	f->w->sp = sp;
	f->w->how = how;
	return UNW_STEPPED;
}

/** Continue without a row. After that at most the stack and frame pointers are known. */
static enum unw_progress step_without_row(struct full_walk *f, enum unw_step_kind kind)
{
	const struct unw_arch *arch = f->w->walker->arch;

	/* An unknown frame pointer becomes 1: it is unaligned, so the chain is not followed. */
	f->w->fp = f->regs.is_known[arch->fp] ? f->regs.value[arch->fp] : 1;
	enum unw_progress progress = unw_step_without_row(f->w, kind);
	f->regs = (struct unw_regs){ 0 };
	set_reg(&f->regs, arch->pc, f->w->pc);
	if (arch->chain.finds_sp)
		set_reg(&f->regs, arch->sp, f->w->sp);
	if (arch->chain.finds_fp)
		set_reg(&f->regs, arch->fp, f->w->fp);
	return progress;
}

/**
 * Whether the frame chain can be used because the CFA depends on an unknown register. A back chain
 * can. Frame pointers can if they led here, since that is why the register is unknown.
 */
static bool has_other_way(const struct full_walk *f, const struct unw_row *row)
{
	const struct unw_arch *arch = f->w->walker->arch;

	if (arch->chain.reg == arch->sp)
		return f->w->how & UNW_FRAME_RETURN;
	return f->w->how & UNW_FRAME_BY_FP && !row->cfa_expr.bytes &&
	       (row->cfa_reg == arch->sp || row->cfa_reg == arch->fp);
}

/** Find the return address. If it was not captured, note the caller's stack pointer at least. */
static enum unw_eval find_ra(
	struct full_walk *f, const struct unw_row *row, uint64_t cfa, uint64_t *ret)
{
	const struct unw_arch *arch = f->w->walker->arch;
	uint64_t sp;

	if (is_ra_untouched(row))
		return read_reg(f, row->ra_column, ret);
	enum unw_eval eval = find_reg(f, row, row->ra_column, cfa, ret);
	if (eval != UNW_EVAL_MEMORY)
		return eval;
	/* Code that switches stacks on its own keeps its stack pointer in another register. */
	bool is_kept = row->cfa_reg != arch->sp && row->cfa_reg != arch->fp;
	f->w->has_left_stack |=
		is_kept && !row->cfa_expr.bytes && cfa - f->w->sp > PD_STACK_USER_MAX;
	/* A saved stack pointer was not captured either, but its value is known by the ABI. */
	if (find_reg(f, row, arch->sp, cfa, &sp) != UNW_EVAL_OK)
		sp = cfa - arch->cfa_above_sp;
	f->w->ret->caller_sp = sp > f->w->sp || f->w->has_left_stack ? sp : 0;
	return eval;
}

static enum unw_progress step_by_row(struct full_walk *f, const struct unw_row *row)
{
	const struct unw_rule *ra_rule = &row->regs[row->ra_column];
	struct unw_regs caller;
	uint64_t cfa;
	uint64_t ra;

	if (ra_rule->kind == UNW_RULE_UNDEFINED)
		return unw_walk_end(f->w, PD_UNWIND_END_ROOT);
	enum unw_eval eval = find_cfa(f, row, &cfa);
	if (eval == UNW_EVAL_UNKNOWN && has_other_way(f, row))
		return step_without_row(f, UNW_STEP_NO_CFI);
	if (eval == UNW_EVAL_OK)
		eval = find_ra(f, row, cfa, &ra);
	if (eval != UNW_EVAL_OK)
		return end_of_eval(f, eval);
	find_regs(f, row, cfa, &caller);
	return enter(f, row, &caller, ra);
}

/**
 * Whether the current frame, a leaf, is a trampoline by its link register. Functions in the vDSO do
 * not call, so only the return from a handler can leave an address in the vDSO in the link
 * register.
 */
static bool has_returned_here(const struct full_walk *f)
{
	const struct unw_space *space = f->w->space;
	uint64_t link;

	return read_reg(f, f->w->walker->arch->ra, &link) == UNW_EVAL_OK &&
	       space->find(space, link) == space->find(space, f->w->pc);
}

static bool is_frame_of(const struct full_walk *f, const struct unw_signal *signal, bool is_known)
{
	uint64_t sp = f->w->sp;
	uint64_t word;
	uint64_t copy = 0;

	if (signal->test == UNW_SIGNAL_ANY)
		return is_known || has_returned_here(f);
	if (!unw_read_word(f->w, sp + signal->test_off, &word))
		return false;
	switch (signal->test) {
	case UNW_SIGNAL_VALUE:
		return word == signal->test_with;
	default:
		return word && unw_read_word(f->w, sp + signal->test_with, &copy) && word == copy;
	}
}

/** Make a row from a signal frame. */
static void signal_row(
	const struct unw_arch *arch, const struct unw_signal *signal, struct unw_row *ret)
{
	unw_arch_default_row(arch, ret);
	ret->cfa_reg = arch->sp;
	ret->ra_column = arch->pc;
	ret->is_signal = true;
	for (size_t i = 0; i < signal->regs.n; i++) {
		const struct unw_signal_regs *regs = &signal->regs.data[i];

		for (uint8_t k = 0; k < regs->n; k++)
			ret->regs[regs->first + k] = (struct unw_rule){
				.kind = UNW_RULE_OFFSET,
				.off = regs->off + k * arch->arch->word,
			};
	}
}

/** Whether the program counter in the signal frame of @p row is in a module. */
static bool interrupted_code(const struct full_walk *f, const struct unw_row *row)
{
	uint64_t addr = f->w->sp + (uint64_t)row->regs[row->ra_column].off;
	uint64_t pc;

	return unw_read_word(f->w, addr, &pc) && f->w->space->find(f->w->space, pc);
}

/**
 * Step from a signal trampoline, whose caller is the frame that was interrupted. Code is known to
 * be one if it was recognized, or if it was returned to in the vDSO.
 */
static enum unw_progress step_from_trampoline(
	struct full_walk *f, bool is_known, enum unw_step_kind otherwise)
{
	const struct unw_arch *arch = f->w->walker->arch;
	struct unw_row row;

	for (size_t i = 0; i < arch->signals.frames.n && f->regs.is_known[arch->sp]; i++) {
		if (!is_frame_of(f, &arch->signals.frames.data[i], is_known))
			continue;
		signal_row(arch, &arch->signals.frames.data[i], &row);
		/* Two words may be equal by chance. */
		row.is_guess = !is_known && arch->signals.frames.data[i].test == UNW_SIGNAL_COPY;
		if (row.is_guess && f->w->walker->opts.cfi_only)
			continue;
		if (is_known || interrupted_code(f, &row))
			return step_by_row(f, &row);
	}
	return step_without_row(f, otherwise);
}

/** Step from code of the kernel in the process that may be a signal trampoline. */
static enum unw_progress step_from_vdso(struct full_walk *f, enum unw_step_kind otherwise)
{
	const struct unw_arch *arch = f->w->walker->arch;
	bool is_leaf = !(f->w->how & UNW_FRAME_RETURN);
	struct unw_row row;

	/* A return address proves more than two words that are equal. */
	if (is_leaf && !f->w->walker->opts.cfi_only && arch->syscalls.vdso_row &&
		arch->syscalls.vdso_row(f->w, &f->regs, &row))
		return step_by_row(f, &row);
	return step_from_trampoline(f, !is_leaf, otherwise);
}

/** Whether pc is at a trampoline that the kernel has put on the stack. */
static bool is_trampoline_on_stack(const struct full_walk *f)
{
	const struct unw_memory *stack = &f->w->stack;
	struct unw_code_at at = { f->w->walker->arch, stack->bytes, stack->size,
		f->w->pc - stack->start };

	return unw_is_trampoline(at, f->w->how & UNW_FRAME_RETURN);
}

/** Make a row for a PLT entry without call frame information from its step. */
static void plt_row(const struct unw_arch *arch, const struct unw_step *step, struct unw_row *ret)
{
	unw_arch_default_row(arch, ret);
	ret->cfa_reg = arch->sp;
	ret->cfa_off = step->cfa_off;
	ret->ra_column = arch->ra;
	if (step->kind == UNW_STEP_SP)
		ret->regs[arch->ra] =
			(struct unw_rule){ .kind = UNW_RULE_OFFSET, .off = step->ra_off };
}

static bool is_chain_certain(struct full_walk *f)
{
	uint8_t fp = f->w->walker->arch->fp;

	f->w->fp = f->regs.value[fp];
	return f->regs.is_known[fp] && unw_is_chain_certain(f->w);
}

static struct pd_error *step_from(
	struct full_walk *f, const struct unw_frame_slot *slot, enum unw_progress *progress_ret)
{
	enum unw_cfi_result result;
	struct unw_row row;
	struct pd_error *err;

	const struct unw_frame *frame = unw_walker_frame(f->w->walker, slot->id);
	bool is_signal = slot->step.kind == UNW_STEP_SIGNAL;
	if (is_trampoline_on_stack(f) || (is_signal && frame->flags & UNW_FRAME_SIGNAL)) {
		*progress_ret = step_from_trampoline(f, true, slot->step.kind);
		return NULL;
	}
	if (is_signal) {
		*progress_ret = step_from_vdso(f, slot->step.kind);
		return NULL;
	}
	if (!unw_step_has_row(slot->step.kind)) {
		*progress_ret = step_without_row(f, slot->step.kind);
		return NULL;
	}
	PD_LIMIT_SCOPE();
	/* The slot only caches the short step, so look up the row again. */
	const struct unw_module *module = frame->module;
	f->env.bias = module->bias;
	err = unw_binary_find_row(module->binary,
		unw_lookup_addr(f->w->pc, frame->flags) - module->bias,
		f->w->how & frame->flags & UNW_FRAME_RETURN, &result, &row);
	if (err)
		return err;
	if (result == UNW_CFI_NONE)
		plt_row(f->w->walker->arch, &slot->step, &row);
	if (module->prefers_chain && is_chain_certain(f)) {
		*progress_ret = step_without_row(f, UNW_STEP_NO_CFI);
		return NULL;
	}
	*progress_ret = result == UNW_CFI_BAD ? unw_walk_end(f->w, PD_UNWIND_END_BAD_CFI)
					      : step_by_row(f, &row);
	if (base_limit_is_reached())
		unw_binary_note_limits(module->binary);
	return NULL;
}

static struct pd_error *step(struct full_walk *f, enum unw_progress *progress_ret)
{
	const struct unw_frame_slot *slot;

	struct pd_error *err = unw_add_frame(f->w, &slot);
	if (err)
		return err;
	*progress_ret = unw_begin_step(f->w);
	if (*progress_ret != UNW_STEPPED)
		return NULL;
	err = step_from(f, slot, progress_ret);
	*progress_ret = err ? *progress_ret : unw_end_step(f->w, *progress_ret);
	return err;
}

struct pd_error *unw_walk_full(struct unw_walk *w, const struct unw_input *input)
{
	const struct unw_arch *arch = w->walker->arch;
	struct full_walk f = { .w = w };
	enum unw_progress progress = UNW_STEPPED;

	f.env = (struct unw_expr_env){
		.mem = &w->stack,
		.regs = &f.regs,
		.n_regs = arch->n_regs,
		.word = w->word,
		.swap = w->stack.swap,
	};
	load_regs(&f, input);
	/* Damaged stacks may be endless: the limit and the checks in enter() end the loop. */
	while (progress == UNW_STEPPED) {
		if (w->ret->frames.n == w->walker->opts.max_stack) {
			unw_walk_end(w, PD_UNWIND_END_LIMIT);
			return NULL;
		}
		struct pd_error *err = step(&f, &progress);
		if (err)
			return err;
	}
	return NULL;
}

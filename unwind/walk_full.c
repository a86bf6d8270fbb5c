#include "unwind/walk.h"

#include "unwind/cfi.h"
#include "unwind/expr.h"

/** A walk with every register. */
struct full_walk {
	struct unw_walk *w;
	struct unw_regs regs;
	struct unw_expr_env env;
};

static void load_regs(struct full_walk *f, const struct unw_input *input)
{
	const struct pd_arch *arch = f->w->walker->arch->arch;
	uint64_t value;

	for (size_t i = 0; i < arch->n_regs; i++) {
		uint8_t number = arch->regs[i].dwarf;

		if (number < f->w->walker->arch->n_regs &&
			unw_recorded_reg(input, &arch->regs[i], &value)) {
			f->regs.value[number] = value;
			f->regs.is_known[number] = true;
		}
	}
}

static void set_reg(struct unw_regs *regs, uint8_t number, uint64_t value)
{
	regs->value[number] = value;
	regs->is_known[number] = true;
}

/** Why the walk cannot go on without what @p eval failed to give. */
static enum unw_progress end_of_eval(struct full_walk *f, enum unw_eval eval)
{
	if (eval == UNW_EVAL_MEMORY)
		return unw_end_unreadable(f->w, f->env.bad_addr);
	return unw_walk_end(f->w, eval == UNW_EVAL_UNKNOWN ? UNW_END_LOST_REG : UNW_END_BAD_CFI);
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
	if (eval == UNW_EVAL_OK)
		*ret = base + (uint64_t)row->cfa_off;
	return eval;
}

/** The caller's value of register @p number by @p rule. */
static enum unw_eval find_reg(struct full_walk *f, uint8_t number, const struct unw_rule *rule,
	uint64_t cfa, uint64_t *ret)
{
	enum unw_eval eval;
	uint64_t addr;

	switch (rule->kind) {
	case UNW_RULE_SAME:
		return read_reg(f, number, ret);
	case UNW_RULE_OFFSET:
		addr = cfa + (uint64_t)rule->off;
		/* Free already, in an epilogue: see restore_fp() of the fast path. */
		if (addr < f->w->sp && number != f->w->walker->arch->ra)
			return read_reg(f, number, ret);
		return read_memory(f, addr, ret);
	case UNW_RULE_VAL_OFFSET:
		*ret = cfa + (uint64_t)rule->off;
		return UNW_EVAL_OK;
	case UNW_RULE_REGISTER:
		return read_reg(f, rule->reg, ret);
	case UNW_RULE_EXPR:
		eval = unw_expr_eval(&f->env, &rule->expr, &cfa, &addr);
		return eval == UNW_EVAL_OK ? read_memory(f, addr, ret) : eval;
	case UNW_RULE_VAL_EXPR:
		return unw_expr_eval(&f->env, &rule->expr, &cfa, ret);
	default:
		return UNW_EVAL_UNKNOWN;
	}
}

/** What cannot be found is not known in the caller, which matters only if somebody asks for it. */
static void find_regs(
	struct full_walk *f, const struct unw_row *row, uint64_t cfa, struct unw_regs *caller)
{
	for (uint8_t i = 0; i < f->env.n_regs; i++)
		caller->is_known[i] =
			find_reg(f, i, &row->regs[i], cfa, &caller->value[i]) == UNW_EVAL_OK;
}

/** Make @p caller the frame at hand. */
static enum unw_progress enter(
	struct full_walk *f, const struct unw_row *row, struct unw_regs *caller, uint64_t ra)
{
	const struct unw_arch *arch = f->w->walker->arch;
	uint64_t sp = caller->value[arch->sp];

	if (!caller->is_known[arch->sp])
		return unw_walk_end(f->w, UNW_END_LOST_REG);
	/* A handler may have a stack of its own, at any place. */
	if (!row->is_signal && sp <= f->w->sp)
		return unw_walk_end(f->w, UNW_END_CYCLE);
	if (!row->is_signal && !ra)
		return unw_walk_end(f->w, UNW_END_ROOT);
	set_reg(caller, arch->ra, ra);
	f->regs = *caller;
	f->w->pc = ra;
	f->w->sp = sp;
	f->w->how = row->is_signal ? 0 : UNW_FRAME_RETURN;
	f->w->has_passed_signal |= row->is_signal;
	return UNW_STEPPED;
}

static enum unw_progress step_by_row(struct full_walk *f, const struct unw_row *row)
{
	const struct unw_rule *ra_rule = &row->regs[row->ra_column];
	struct unw_regs caller;
	uint64_t cfa;
	uint64_t ra;

	if (ra_rule->kind == UNW_RULE_UNDEFINED)
		return unw_walk_end(f->w, UNW_END_ROOT);
	enum unw_eval eval = find_cfa(f, row, &cfa);
	if (eval == UNW_EVAL_OK)
		eval = find_reg(f, row->ra_column, ra_rule, cfa, &ra);
	if (eval != UNW_EVAL_OK)
		return end_of_eval(f, eval);
	find_regs(f, row, cfa, &caller);
	return enter(f, row, &caller, ra);
}

/** The frame pointer's step leaves only stack and frame pointer known. */
static enum unw_progress step_without_row(struct full_walk *f, enum unw_step_kind kind)
{
	const struct unw_arch *arch = f->w->walker->arch;

	/* 1 is aligned to nothing: not knowing it, the chain cannot be followed. */
	f->w->fp = f->regs.is_known[arch->fp] ? f->regs.value[arch->fp] : 1;
	enum unw_progress progress = unw_step_without_row(f->w, kind);
	f->regs = (struct unw_regs){ 0 };
	set_reg(&f->regs, arch->ra, f->w->pc);
	set_reg(&f->regs, arch->sp, f->w->sp);
	set_reg(&f->regs, arch->fp, f->w->fp);
	return progress;
}

static bool has_row(enum unw_step_kind kind)
{
	return kind == UNW_STEP_SP || kind == UNW_STEP_FP || kind == UNW_STEP_FP_DEREF ||
	       kind == UNW_STEP_FULL;
}

static struct pd_error *step(struct full_walk *f, enum unw_progress *progress_ret)
{
	struct unw_frame_slot slot;
	enum unw_cfi_result result;
	struct unw_row row;

	struct pd_error *err = unw_add_frame(f->w, &slot);
	if (err)
		return err;
	if (!has_row(slot.step.kind)) {
		*progress_ret = step_without_row(f, slot.step.kind);
		return NULL;
	}
	const struct unw_module *module = unw_walker_frame(f->w->walker, slot.id)->module;
	f->env.bias = module->bias;
	err = unw_cfi_find_row(
		module->cfi, unw_lookup_addr(f->w->pc, f->w->how) - module->bias, &result, &row);
	if (err)
		return err;
	*progress_ret =
		result == UNW_CFI_ROW ? step_by_row(f, &row) : unw_walk_end(f->w, UNW_END_BAD_CFI);
	return NULL;
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
		.word = arch->word,
		.swap = w->stack.swap,
	};
	load_regs(&f, input);
	while (progress == UNW_STEPPED) {
		if (w->ret->frames.n == w->walker->opts.max_frames) {
			unw_walk_end(w, UNW_END_LIMIT);
			return NULL;
		}
		struct pd_error *err = step(&f, &progress);
		if (err)
			return err;
	}
	return NULL;
}

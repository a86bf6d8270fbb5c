#include "unwind/rules/step.h"

#include <dwarf.h>

#include "unwind/rules/arch_rules.h"
#include "base/leb.h"

/** Functions with a realigned stack say by DW_OP_breg<fp> 0 that fp is saved where fp points to. */
static bool is_saved_at_fp(const struct unw_arch *arch, const struct unw_rule *rule)
{
	if (rule->kind == UNW_RULE_AT_REGISTER)
		return rule->at.reg == arch->fp && !rule->at.off;
	return rule->kind == UNW_RULE_EXPR && rule->expr.len == 2 &&
	       rule->expr.bytes[0] == DW_OP_breg0 + arch->fp && rule->expr.bytes[1] == 0;
}

/** Store @p off in cfa_off. Returns false if it does not fit. */
static bool set_cfa_off(struct unw_step *step, int64_t off)
{
	step->cfa_off = (int32_t)((uint32_t)off << 8) >> 8;
	return step->cfa_off == off;
}

/** Functions that realign their stack save the CFA in a slot: DW_OP_breg<fp> off; DW_OP_deref. */
static bool find_realigned_cfa(
	const struct unw_arch *arch, const struct unw_expr *expr, int64_t *off_ret)
{
	enum { MAX_LEN = 6 };

	if (expr->len < 3 || expr->len > MAX_LEN || expr->bytes[0] != DW_OP_breg0 + arch->fp)
		return false;
	struct pd_cursor c = pd_cursor_init(expr->bytes + 1, expr->len - 1, false);
	*off_ret = base_cursor_sleb(&c);
	return pd_cursor_u8(&c) == DW_OP_deref && !pd_cursor_left(&c) && !c.overrun;
}

static bool shorten_cfa_expr(
	const struct unw_arch *arch, const struct unw_row *row, uint64_t pc, struct unw_step *step)
{
	int32_t plt_off;
	int64_t off;

	if (arch->plt.cfa && arch->plt.cfa(arch, &row->cfa_expr, pc, &plt_off)) {
		step->kind = UNW_STEP_SP;
		return set_cfa_off(step, plt_off);
	}
	step->kind = UNW_STEP_FP_DEREF;
	return find_realigned_cfa(arch, &row->cfa_expr, &off) && set_cfa_off(step, off);
}

/** Set kind and cfa_off. Returns false if the CFA has no short form. */
static bool shorten_cfa(
	const struct unw_arch *arch, const struct unw_row *row, uint64_t pc, struct unw_step *step)
{
	if (row->cfa_expr.bytes)
		return shorten_cfa_expr(arch, row, pc, step);
	if (row->is_cfa_in_memory) {
		step->kind = UNW_STEP_FP_DEREF;
		return row->cfa_reg == arch->fp && set_cfa_off(step, row->cfa_off);
	}
	step->kind = row->cfa_reg == arch->sp ? UNW_STEP_SP : UNW_STEP_FP;
	return (row->cfa_reg == arch->sp || row->cfa_reg == arch->fp) &&
	       set_cfa_off(step, row->cfa_off);
}

static bool shorten_fp(
	const struct unw_arch *arch, const struct unw_row *row, struct unw_step *step)
{
	const struct unw_rule *rule = &row->regs[arch->fp];

	if (step->kind == UNW_STEP_FP_DEREF)
		return is_saved_at_fp(arch, rule);
	if (rule->kind == UNW_RULE_SAME)
		return true;
	step->fp_off = (int16_t)rule->off;
	return rule->kind == UNW_RULE_OFFSET && step->fp_off && step->fp_off == rule->off;
}

/** Shorten a row whose return address is still in the link register. */
static bool shorten_link(const struct unw_arch *arch, struct unw_step *step)
{
	if (!unw_arch_has_link(arch) || step->kind == UNW_STEP_FP_DEREF)
		return false;
	step->kind = step->kind == UNW_STEP_SP ? UNW_STEP_SP_LINK : UNW_STEP_FP_LINK;
	return true;
}

static bool shorten_ra(
	const struct unw_arch *arch, const struct unw_row *row, struct unw_step *step)
{
	const struct unw_rule *rule = &row->regs[row->ra_column];

	if (row->ra_column != arch->ra)
		return false;
	if (rule->kind == UNW_RULE_SAME)
		return shorten_link(arch, step);
	step->ra_off = (int16_t)rule->off;
	return rule->kind == UNW_RULE_OFFSET && step->ra_off == rule->off;
}

/**
 * Whether the caller's stack pointer is cfa_above_sp below the CFA. If there is a register save
 * area between the two, functions save the stack pointer in it, but its value is known by the ABI.
 */
static bool is_sp_at_cfa(const struct unw_arch *arch, const struct unw_row *row)
{
	const struct unw_rule *rule = &row->regs[arch->sp];

	if (rule->kind == UNW_RULE_OFFSET)
		return arch->cfa_above_sp;
	return rule->kind == UNW_RULE_VAL_OFFSET && rule->off == -arch->cfa_above_sp;
}

struct unw_step unw_step_from_row(
	const struct unw_arch *arch, const struct unw_row *row, uint64_t pc)
{
	uint8_t inexact = row->is_inexact || row->is_guess ? UNW_STEP_INEXACT : 0;
	struct unw_step step = { 0 };

	/* DWARF marks the root frame by an undefined return address. */
	if (row->regs[row->ra_column].kind == UNW_RULE_UNDEFINED)
		return (struct unw_step){ .kind = UNW_STEP_ROOT };
	if (row->is_signal || !is_sp_at_cfa(arch, row) || !shorten_cfa(arch, row, pc, &step) ||
		!shorten_fp(arch, row, &step) || !shorten_ra(arch, row, &step))
		return (struct unw_step){ .kind = UNW_STEP_FULL | inexact };
	step.kind |= inexact;
	return step;
}

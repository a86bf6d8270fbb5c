#include "unwind/step.h"

#include <dwarf.h>

#include "unwind/arch.h"

/** DW_OP_breg<fp> 0 is how a function with a realigned stack tells where it saved fp. */
static bool is_saved_at_fp(const struct unw_arch *arch, const struct unw_rule *rule)
{
	return rule->kind == UNW_RULE_EXPR && rule->expr.len == 2 &&
	       rule->expr.bytes[0] == DW_OP_breg0 + arch->fp && rule->expr.bytes[1] == 0;
}

/** Find kind and cfa_off; false if this CFA has no short form. */
static bool shorten_cfa(
	const struct unw_arch *arch, const struct unw_row *row, uint64_t pc, struct unw_step *step)
{
	if (row->cfa_expr.bytes) {
		step->kind = UNW_STEP_SP;
		if (arch->plt_cfa && arch->plt_cfa(&row->cfa_expr, pc, &step->cfa_off))
			return true;
		step->kind = UNW_STEP_FP_DEREF;
		return arch->realigned_cfa && arch->realigned_cfa(&row->cfa_expr, &step->cfa_off);
	}
	step->kind = row->cfa_reg == arch->sp ? UNW_STEP_SP : UNW_STEP_FP;
	step->cfa_off = (int32_t)row->cfa_off;
	return (row->cfa_reg == arch->sp || row->cfa_reg == arch->fp) &&
	       step->cfa_off == row->cfa_off;
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

static bool shorten_ra(
	const struct unw_arch *arch, const struct unw_row *row, struct unw_step *step)
{
	const struct unw_rule *rule = &row->regs[row->ra_column];

	if (row->ra_column != arch->ra || rule->kind != UNW_RULE_OFFSET)
		return false;
	step->ra_off = (int8_t)rule->off;
	return step->ra_off == rule->off;
}

static bool is_sp_the_cfa(const struct unw_arch *arch, const struct unw_row *row)
{
	const struct unw_rule *rule = &row->regs[arch->sp];

	return rule->kind == UNW_RULE_VAL_OFFSET && rule->off == 0;
}

struct unw_step unw_step_from_row(
	const struct unw_arch *arch, const struct unw_row *row, uint64_t pc)
{
	const struct unw_step full = { .kind = UNW_STEP_FULL };
	struct unw_step step = { 0 };

	if (row->regs[row->ra_column].kind == UNW_RULE_UNDEFINED)
		return (struct unw_step){ .kind = UNW_STEP_ROOT };
	if (row->is_signal || !is_sp_the_cfa(arch, row) || !shorten_cfa(arch, row, pc, &step) ||
		!shorten_fp(arch, row, &step) || !shorten_ra(arch, row, &step))
		return full;
	return step;
}

#include "unwind/cfi/cfa_program.h"

#include <dwarf.h>
#include <stddef.h>
#include <string.h>

#include "unwind/cfi/cfa_op_defs.h"
#include "base/leb.h"
#include "base/limit.h"

enum {
	/** Compilers nest remember_state once or twice. */
	MAX_REMEMBERED = PD_LIMIT_CFA_STATES,
	/** Instructions per row. The largest real functions have some tens of thousands. */
	MAX_OPS = PD_LIMIT_CFA_OPS,
	PRIMARY_OPCODE = 0xc0,
	PRIMARY_OPERAND = 0x3f,
};

/*
 * Like AARCH64_negate_ra_state, but not in every dwarf.h. DWARF for the Arm 64-bit Architecture,
 * 4.4.
 */
enum {
	AARCH64_SET_RA_STATE = 0x2b,
	AARCH64_NEGATE_RA_STATE_WITH_PC = 0x2c,
};

enum operand_kind {
	OPERAND_NONE,
	OPERAND_REG,
	OPERAND_U,
	OPERAND_S,
	OPERAND_UF,
	OPERAND_SF,
	OPERAND_NF,
	OPERAND_BLOCK,
	OPERAND_ADDR,
	OPERAND_D1,
	OPERAND_D2,
	OPERAND_D4,
	OPERAND_D8,
};

enum action {
	ACTION_UNKNOWN,
	ACTION_NOTHING,
	ACTION_SET_LOC,
	ACTION_ADVANCE,
	ACTION_RESTORE,
	ACTION_REMEMBER,
	ACTION_RECALL,
	ACTION_CFA,
	ACTION_CFA_REG,
	ACTION_CFA_OFF,
	ACTION_CFA_EXPR,
	/** From here on: set the rule of kind action - ACTION_SET. */
	ACTION_SET,
	ACTION_SET_UNDEFINED = ACTION_SET + UNW_RULE_UNDEFINED,
	ACTION_SET_SAME = ACTION_SET + UNW_RULE_SAME,
	ACTION_SET_OFFSET = ACTION_SET + UNW_RULE_OFFSET,
	ACTION_SET_VAL_OFFSET = ACTION_SET + UNW_RULE_VAL_OFFSET,
	ACTION_SET_REGISTER = ACTION_SET + UNW_RULE_REGISTER,
	ACTION_SET_EXPR = ACTION_SET + UNW_RULE_EXPR,
	ACTION_SET_VAL_EXPR = ACTION_SET + UNW_RULE_VAL_EXPR,
};

struct op {
	uint8_t operands[2];
	uint8_t action;
};

static const struct op ops[PRIMARY_OPERAND + 1] = {
#define OP_ROW(name, first, second, what) \
	[DW_CFA_##name] = { { OPERAND_##first, OPERAND_##second }, ACTION_##what },
	UNW_CFA_OPS(OP_ROW)
#undef OP_ROW
		[AARCH64_SET_RA_STATE] = { { OPERAND_U, OPERAND_S }, ACTION_NOTHING },
	[AARCH64_NEGATE_RA_STATE_WITH_PC] = { .action = ACTION_NOTHING },
};

static const struct op advance_op = { .action = ACTION_ADVANCE };
static const struct op restore_op = { .action = ACTION_RESTORE };
static const struct op offset_op = { { OPERAND_NONE, OPERAND_UF }, ACTION_SET_OFFSET };

/** Operands of an instruction. */
struct operands {
	uint64_t reg;
	/** Number, distance or address. Signed numbers are in two's complement. */
	uint64_t number;
	struct unw_expr expr;
};

struct machine {
	const struct unw_frame_section *section;
	const struct unw_cie *cie;
	uint64_t target;
	size_t n_regs;
	struct unw_row *row;
	/** Gets each row of a visit; NULL: the run is for the target. */
	unw_on_row *on_row;
	void *ctx;
	/** Vaddr at which the visit ends. */
	uint64_t limit;
	/** Row after the CIE's program, for DW_CFA_restore. NULL while that program runs. */
	const struct unw_row *initial;
	unsigned int n_ops;
	/** Number of instructions at which the run ends, or a checkpoint is added. */
	unsigned int stop;
	/** Checkpoints of long programs, and the one that runs. */
	struct unw_cfa_checkpoints *checkpoints;
	struct unw_cfa_program program;
	/** Highest address before the program went back to a lower one. */
	uint64_t highest;
	unsigned int n_remembered;
	struct unw_row remembered[MAX_REMEMBERED];
};

/** Copy the part of a row that the architecture uses. Whole rows are large. */
static void copy_row(const struct machine *m, struct unw_row *to, const struct unw_row *from)
{
	memcpy(to, from, offsetof(struct unw_row, regs) + m->n_regs * sizeof(from->regs[0]));
}

static bool read_operand(
	const struct machine *m, struct pd_cursor *c, enum operand_kind kind, struct operands *out)
{
	uint64_t code_align = m->cie->code_align;
	uint64_t data_align = (uint64_t)m->cie->data_align;

	switch (kind) {
	case OPERAND_NONE:
		break;
	case OPERAND_REG:
		/* Registers that are not unwound, such as vectors, are skipped in set_rule(). */
		out->reg = base_cursor_uleb(c);
		break;
	case OPERAND_U:
		out->number = base_cursor_uleb(c);
		break;
	case OPERAND_S:
		out->number = (uint64_t)base_cursor_sleb(c);
		break;
	case OPERAND_UF:
		out->number = base_cursor_uleb(c) * data_align;
		break;
	case OPERAND_SF:
		out->number = (uint64_t)base_cursor_sleb(c) * data_align;
		break;
	case OPERAND_NF:
		out->number = base_cursor_uleb(c) * (0 - data_align);
		break;
	case OPERAND_BLOCK:
		out->number = base_cursor_uleb(c);
		out->expr.bytes = pd_cursor_bytes(c, out->number);
		out->expr.len = (size_t)out->number;
		break;
	case OPERAND_ADDR:
		return unw_read_encoded(c, m->cie->encoding, m->section, &out->number);
	case OPERAND_D1:
		out->number = pd_cursor_u8(c) * code_align;
		break;
	case OPERAND_D2:
		out->number = pd_cursor_u16(c) * code_align;
		break;
	case OPERAND_D4:
		out->number = pd_cursor_u32(c) * code_align;
		break;
	case OPERAND_D8:
		out->number = pd_cursor_u64(c) * code_align;
		break;
	}
	return true;
}

static void set_rule(struct machine *m, enum unw_rule_kind kind, const struct operands *in)
{
	if (in->reg >= m->n_regs)
		return;
	struct unw_rule *rule = &m->row->regs[in->reg];
	rule->kind = kind;
	switch (kind) {
	case UNW_RULE_REGISTER:
		rule->reg = in->number;
		break;
	case UNW_RULE_EXPR:
	case UNW_RULE_VAL_EXPR:
		rule->expr = in->expr;
		break;
	default:
		rule->off = (int64_t)in->number;
	}
}

static bool restore(struct machine *m, const struct operands *in)
{
	if (!m->initial)
		return false;
	if (in->reg < m->n_regs)
		m->row->regs[in->reg] = m->initial->regs[in->reg];
	return true;
}

static bool remember(struct machine *m)
{
	if (m->n_remembered == MAX_REMEMBERED)
		return !base_limit_reach(PD_LIMIT_ID_CFA_STATES);
	copy_row(m, &m->remembered[m->n_remembered++], m->row);
	return true;
}

/**
 * Restore a remembered row with its CFA. DWARF does not mention the CFA, but compilers rely on it.
 */
static bool recall(struct machine *m)
{
	uint64_t start = m->row->start;

	if (!m->n_remembered)
		return false;
	copy_row(m, m->row, &m->remembered[--m->n_remembered]);
	m->row->start = start;
	return true;
}

/** Change the register or the offset of a CFA that is register + offset. */
static bool adjust_cfa(struct machine *m, uint64_t reg, uint64_t off)
{
	if (m->row->cfa_expr.bytes)
		return false;
	m->row->cfa_reg = reg;
	m->row->cfa_off = (int64_t)off;
	return true;
}

static bool act(struct machine *m, enum action action, const struct operands *in)
{
	struct unw_row *row = m->row;

	switch (action) {
	case ACTION_UNKNOWN:
		return false;
	case ACTION_NOTHING:
		return true;
	case ACTION_RESTORE:
		return restore(m, in);
	case ACTION_REMEMBER:
		return remember(m);
	case ACTION_RECALL:
		return recall(m);
	case ACTION_CFA:
		/* Only this one may replace an expression: the others change part of the CFA. */
		row->cfa_expr = (struct unw_expr){ 0 };
		return adjust_cfa(m, in->reg, in->number);
	case ACTION_CFA_REG:
		return adjust_cfa(m, in->reg, (uint64_t)row->cfa_off);
	case ACTION_CFA_OFF:
		return adjust_cfa(m, row->cfa_reg, in->number);
	case ACTION_CFA_EXPR:
		row->cfa_expr = in->expr;
		return true;
	default:
		set_rule(m, action - ACTION_SET, in);
		return true;
	}
}

/** Decode an opcode and the operand within it. */
static struct op decode_op(const struct machine *m, uint8_t opcode, struct operands *out)
{
	uint8_t low = opcode & PRIMARY_OPERAND;

	out->reg = low;
	switch (opcode & PRIMARY_OPCODE) {
	case DW_CFA_advance_loc:
		out->number = low * m->cie->code_align;
		return advance_op;
	case DW_CFA_offset:
		return offset_op;
	case DW_CFA_restore:
		return restore_op;
	default:
		return ops[low];
	}
}

/** Pass the row, which ends at @p loc. Returns false if the visit ends there or before. */
static bool pass_row(struct machine *m, uint64_t loc)
{
	uint64_t end = loc < m->limit ? loc : m->limit;

	if (end > m->row->start) {
		m->row->end = end;
		if (m->on_row(m->ctx, m->row))
			m->row->start = end;
		else
			m->limit = 0;
	}
	/* Where the program goes back, rows depend on the address that is asked for. */
	if (loc < m->row->start)
		m->limit = 0;
	return loc < m->limit;
}

/** Advance to the address @p loc. If the target is before that, set the row's end: false. */
static bool advance(struct machine *m, uint64_t loc)
{
	if (m->on_row)
		return pass_row(m, loc);
	if (loc > m->target) {
		m->row->end = loc;
		return false;
	}
	m->row->start = loc;
	return true;
}

/** Read the operands after the opcode. Most instructions have at most one. */
static inline bool read_operands(
	const struct machine *m, struct pd_cursor *c, const struct op *op, struct operands *out)
{
	return (!op->operands[0] || read_operand(m, c, op->operands[0], out)) &&
	       (!op->operands[1] || read_operand(m, c, op->operands[1], out)) && !c->overrun;
}

/** Remember the address before one that may be lower. */
static void note_jump(struct machine *m)
{
	if (m->highest < m->row->start)
		m->highest = m->row->start;
}

/** Add a checkpoint before the instruction at @p pos. */
static void add_mark(struct machine *m, const uint8_t *pos)
{
	struct unw_row rows[1 + MAX_REMEMBERED];
	uint64_t start = m->row->start;
	struct unw_cfa_checkpoint checkpoint = {
		.pos = pos,
		.n_ops = m->n_ops,
		.highest = start > m->highest ? start : m->highest,
		.rows = rows,
		.n_remembered = m->n_remembered,
	};

	memset(rows, 0, (1 + m->n_remembered) * sizeof(*rows));
	copy_row(m, &rows[0], m->row);
	for (unsigned int i = 0; i < m->n_remembered; i++)
		copy_row(m, &rows[1 + i], &m->remembered[i]);
	unw_cfa_checkpoints_add(m->checkpoints, &m->program, &checkpoint);
}

/** Continue at the last checkpoint of @p fde, if it has any. *program becomes the rest. */
static void go_to_checkpoint(
	struct machine *m, const struct unw_fde *fde, struct pd_cursor *program)
{
	struct unw_cfa_checkpoint checkpoint;
	uint64_t end = m->row->end;

	m->program = (struct unw_cfa_program){ program->pos, fde->start, fde->cie->off };
	m->stop = UNW_CFA_CHECKPOINT_OPS;
	if (!unw_cfa_checkpoints_find(m->checkpoints, &m->program, m->target, &checkpoint))
		return;
	copy_row(m, m->row, &checkpoint.rows[0]);
	m->row->end = end;
	for (unsigned int i = 0; i < checkpoint.n_remembered; i++)
		copy_row(m, &m->remembered[i], &checkpoint.rows[1 + i]);
	m->n_remembered = checkpoint.n_remembered;
	m->highest = checkpoint.highest;
	m->n_ops = checkpoint.n_ops;
	m->stop = checkpoint.n_ops + UNW_CFA_CHECKPOINT_OPS;
	program->pos = checkpoint.pos;
}

/**
 * Add a checkpoint before the instruction at @p pos. Returns false if there were too many
 * instructions: a damaged section may hold a program of any length.
 */
static bool pass(struct machine *m, const uint8_t *pos)
{
	if (m->n_ops >= MAX_OPS)
		return !base_limit_reach(PD_LIMIT_ID_CFA_OPS);
	add_mark(m, pos);
	m->stop += UNW_CFA_CHECKPOINT_OPS;
	return true;
}

/** Run @p program until it ends or the row for the target is complete. */
static bool run(struct machine *m, struct pd_cursor program)
{
	struct operands in = { 0 };

	while (pd_cursor_left(&program)) {
		if (m->n_ops == m->stop && !pass(m, program.pos))
			return false;
		struct op op = decode_op(m, pd_cursor_u8(&program), &in);

		m->n_ops++;
		if (!read_operands(m, &program, &op, &in))
			return false;
		if (op.action == ACTION_ADVANCE || op.action == ACTION_SET_LOC) {
			uint64_t loc = in.number;

			if (op.action == ACTION_SET_LOC)
				note_jump(m);
			else if (__builtin_add_overflow(m->row->start, in.number, &loc))
				return false;
			if (!advance(m, loc))
				return true;
		} else if (!act(m, op.action, &in)) {
			return false;
		}
	}
	return true;
}

/** Set @p m up for @p fde, and run the program of its CIE into @p row. */
static bool begin(struct machine *m, const struct unw_arch *arch,
	const struct unw_frame_section *section, const struct unw_fde *fde, struct unw_row *row)
{
	if (fde->cie->ra_column >= arch->n_regs)
		return false;
	/* The remembered rows are large and need no initialization, so set members one by one. */
	m->section = section;
	m->cie = fde->cie;
	m->n_regs = arch->n_regs;
	m->row = row;
	m->on_row = NULL;
	m->limit = fde->end;
	m->initial = NULL;
	m->n_ops = 0;
	m->stop = MAX_OPS;
	m->highest = 0;
	m->n_remembered = 0;

	unw_arch_default_row(arch, row);
	row->start = fde->start;
	row->end = fde->end;
	row->ra_column = (uint8_t)fde->cie->ra_column;
	row->is_signal = fde->cie->is_signal;
	return run(m, fde->cie->program);
}

bool unw_cfa_run(const struct unw_arch *arch, const struct unw_frame_section *section,
	const struct unw_fde *fde, uint64_t pc, struct unw_cfa_checkpoints *checkpoints,
	struct unw_row *ret)
{
	struct pd_cursor program = fde->program;
	struct unw_row initial;
	struct machine m;

	m.target = pc;
	if (!begin(&m, arch, section, fde, ret))
		return false;
	copy_row(&m, &initial, ret);
	m.initial = &initial;
	/* Each instruction takes a byte at least, so most programs are known to be short. */
	m.checkpoints = checkpoints;
	if (pd_cursor_left(&program) > UNW_CFA_CHECKPOINT_OPS && m.n_ops < UNW_CFA_CHECKPOINT_OPS)
		go_to_checkpoint(&m, fde, &program);
	if (!run(&m, program))
		return false;
	if (ret->end > fde->end)
		ret->end = fde->end;
	return true;
}

uint64_t unw_cfa_visit(const struct unw_arch *arch, const struct unw_frame_section *section,
	const struct unw_fde *fde, unw_on_row *fn, void *ctx)
{
	struct unw_row initial, row;
	struct machine m;

	m.target = fde->start;
	/* A program of a CIE that advances is that of no row. */
	if (!begin(&m, arch, section, fde, &row) || row.start != fde->start || row.end != fde->end)
		return fde->start;
	copy_row(&m, &initial, &row);
	m.initial = &initial;
	m.on_row = fn;
	m.ctx = ctx;
	/* Checkpoints would be of use to other runs only. */
	m.checkpoints = NULL;
	if (run(&m, fde->program))
		pass_row(&m, fde->end);
	return row.start;
}

#include "unwind/expr.h"

#include <dwarf.h>

#include "base/integer.h"
#include "base/leb.h"
#include "base/limit.h"

enum {
	MAX_STACK = PD_LIMIT_EXPRESSION_VALUES,
	/** Limit on operations, because branches can go backwards. */
	MAX_STEPS = PD_LIMIT_EXPRESSION_OPS,
};

struct machine {
	struct unw_expr_env *env;
	const struct unw_expr *expr;
	struct pd_cursor code;
	uint64_t stack[MAX_STACK];
	unsigned int depth;
	enum unw_eval status;
};

static void fail(struct machine *m, enum unw_eval why)
{
	if (m->status == UNW_EVAL_OK)
		m->status = why;
}

static void push(struct machine *m, uint64_t value)
{
	if (m->depth == MAX_STACK && base_limit_reach(PD_LIMIT_ID_EXPRESSION_VALUES)) {
		fail(m, UNW_EVAL_BAD);
		return;
	}
	m->stack[m->depth++] = m->env->word == 4 ? (uint32_t)value : value;
}

static uint64_t pop(struct machine *m)
{
	if (!m->depth) {
		fail(m, UNW_EVAL_BAD);
		return 0;
	}
	return m->stack[--m->depth];
}

/** Return stack entry @p n below the top. */
static uint64_t peek(struct machine *m, unsigned int n)
{
	if (n >= m->depth) {
		fail(m, UNW_EVAL_BAD);
		return 0;
	}
	return m->stack[m->depth - 1 - n];
}

static void push_reg(struct machine *m, uint64_t reg, int64_t off)
{
	const struct unw_regs *regs = m->env->regs;

	if (reg >= m->env->n_regs)
		fail(m, UNW_EVAL_BAD);
	else if (!regs->is_known[reg])
		fail(m, UNW_EVAL_UNKNOWN);
	else
		push(m, regs->value[reg] + (uint64_t)off);
}

static void deref(struct machine *m, unsigned int size)
{
	uint64_t addr = pop(m);
	uint64_t value;

	if (m->status != UNW_EVAL_OK)
		return;
	if (size != 1 && size != 2 && size != 4 && size != 8) {
		fail(m, UNW_EVAL_BAD);
	} else if (!unw_memory_read(m->env->mem, addr, size, &value)) {
		m->env->bad_addr = addr;
		fail(m, UNW_EVAL_MEMORY);
	} else {
		push(m, value);
	}
}

static void branch(struct machine *m, int16_t distance)
{
	int64_t target = (m->code.pos - m->expr->bytes) + distance;

	if (target < 0 || (uint64_t)target > m->expr->len)
		fail(m, UNW_EVAL_BAD);
	else
		m->code.pos = m->expr->bytes + target;
}

/** Convert the value to a signed integer with the size of an address. */
static int64_t as_signed(const struct machine *m, uint64_t value)
{
	return m->env->word == 4 ? (int32_t)(uint32_t)value : (int64_t)value;
}

/**
 * Divide with sign, as DWARF defines it. A divisor of -1 is handled separately, because INT64_MIN /
 * -1 overflows.
 */
static uint64_t divide(struct machine *m, uint64_t a, uint64_t b)
{
	if (!b) {
		fail(m, UNW_EVAL_BAD);
		return 0;
	}
	int64_t dividend = as_signed(m, a);
	int64_t divisor = as_signed(m, b);
	return divisor == -1 ? 0 - (uint64_t)dividend : (uint64_t)(dividend / divisor);
}

static uint64_t modulo(struct machine *m, uint64_t a, uint64_t b)
{
	if (!b) {
		fail(m, UNW_EVAL_BAD);
		return 0;
	}
	return a % b;
}

static uint64_t shift_right_signed(const struct machine *m, uint64_t a, uint64_t n)
{
	return (uint64_t)(as_signed(m, a) >> (n < 63 ? n : 63));
}

/** Compute an operation that replaces two entries. @p a was below @p b. */
static uint64_t binary(struct machine *m, uint8_t op, uint64_t a, uint64_t b)
{
	switch (op) {
	case DW_OP_and:
		return a & b;
	case DW_OP_or:
		return a | b;
	case DW_OP_xor:
		return a ^ b;
	case DW_OP_plus:
		return a + b;
	case DW_OP_minus:
		return a - b;
	case DW_OP_mul:
		return a * b;
	case DW_OP_div:
		return divide(m, a, b);
	case DW_OP_mod:
		return modulo(m, a, b);
	/* C does not define shifts by 64 bits and more; DWARF shifts all bits out. */
	case DW_OP_shl:
		return b < 64 ? a << b : 0;
	case DW_OP_shr:
		return b < 64 ? a >> b : 0;
	case DW_OP_shra:
		return shift_right_signed(m, a, b);
	case DW_OP_eq:
		return a == b;
	case DW_OP_ne:
		return a != b;
	case DW_OP_lt:
		return as_signed(m, a) < as_signed(m, b);
	case DW_OP_le:
		return as_signed(m, a) <= as_signed(m, b);
	case DW_OP_gt:
		return as_signed(m, a) > as_signed(m, b);
	case DW_OP_ge:
		return as_signed(m, a) >= as_signed(m, b);
	default:
		fail(m, UNW_EVAL_BAD);
		return 0;
	}
}

static void run_binary(struct machine *m, uint8_t op)
{
	uint64_t b = pop(m);
	uint64_t a = pop(m);

	push(m, binary(m, op, a, b));
}

/** Push a constant operand. Returns false if @p op is another operation. */
static bool run_constant(struct machine *m, uint8_t op)
{
	struct pd_cursor *c = &m->code;

	switch (op) {
	/* The operand is a vaddr, but registers and memory have addresses of the process. */
	case DW_OP_addr:
		push(m, base_cursor_uint(c, m->env->word) + m->env->bias);
		return true;
	case DW_OP_const1u:
		push(m, pd_cursor_u8(c));
		return true;
	case DW_OP_const1s:
		push(m, (uint64_t)(int8_t)pd_cursor_u8(c));
		return true;
	case DW_OP_const2u:
		push(m, pd_cursor_u16(c));
		return true;
	case DW_OP_const2s:
		push(m, (uint64_t)(int16_t)pd_cursor_u16(c));
		return true;
	case DW_OP_const4u:
		push(m, pd_cursor_u32(c));
		return true;
	case DW_OP_const4s:
		push(m, (uint64_t)(int32_t)pd_cursor_u32(c));
		return true;
	case DW_OP_const8u:
	case DW_OP_const8s:
		push(m, pd_cursor_u64(c));
		return true;
	case DW_OP_constu:
		push(m, base_cursor_uleb(c));
		return true;
	case DW_OP_consts:
		push(m, (uint64_t)base_cursor_sleb(c));
		return true;
	default:
		return false;
	}
}

static void rotate(struct machine *m)
{
	uint64_t top = pop(m);
	uint64_t second = pop(m);
	uint64_t third = pop(m);

	push(m, top);
	push(m, third);
	push(m, second);
}

static void swap(struct machine *m)
{
	uint64_t top = pop(m);
	uint64_t second = pop(m);

	push(m, top);
	push(m, second);
}

/** Rearrange the stack. Returns false if @p op is another operation. */
static bool run_stack(struct machine *m, uint8_t op)
{
	switch (op) {
	case DW_OP_dup:
		push(m, peek(m, 0));
		return true;
	case DW_OP_drop:
		pop(m);
		return true;
	case DW_OP_over:
		push(m, peek(m, 1));
		return true;
	case DW_OP_pick:
		push(m, peek(m, pd_cursor_u8(&m->code)));
		return true;
	case DW_OP_swap:
		swap(m);
		return true;
	case DW_OP_rot:
		rotate(m);
		return true;
	default:
		return false;
	}
}

/** Replace the top of the stack. Returns false if @p op is another operation. */
static bool run_unary(struct machine *m, uint8_t op)
{
	uint64_t top;

	switch (op) {
	/* push() keeps 32-bit values zero-extended, so bit 63 is not their sign. */
	case DW_OP_abs:
		top = pop(m);
		push(m, as_signed(m, top) < 0 ? 0 - top : top);
		return true;
	case DW_OP_neg:
		push(m, 0 - pop(m));
		return true;
	case DW_OP_not:
		push(m, ~pop(m));
		return true;
	case DW_OP_plus_uconst:
		push(m, pop(m) + base_cursor_uleb(&m->code));
		return true;
	case DW_OP_deref:
		deref(m, m->env->word);
		return true;
	case DW_OP_deref_size:
		deref(m, pd_cursor_u8(&m->code));
		return true;
	default:
		return false;
	}
}

static void run_branch_if(struct machine *m)
{
	int16_t distance = (int16_t)pd_cursor_u16(&m->code);

	if (pop(m))
		branch(m, distance);
}

static void run_op(struct machine *m, uint8_t op)
{
	uint64_t reg;

	if (op >= DW_OP_lit0 && op <= DW_OP_lit31) {
		push(m, op - DW_OP_lit0);
	} else if (op >= DW_OP_breg0 && op <= DW_OP_breg31) {
		push_reg(m, op - DW_OP_breg0, base_cursor_sleb(&m->code));
	} else if (op == DW_OP_bregx) {
		reg = base_cursor_uleb(&m->code);
		push_reg(m, reg, base_cursor_sleb(&m->code));
	} else if (op == DW_OP_skip) {
		branch(m, (int16_t)pd_cursor_u16(&m->code));
	} else if (op == DW_OP_bra) {
		run_branch_if(m);
	} else if (op != DW_OP_nop && !run_constant(m, op) && !run_stack(m, op) &&
		   !run_unary(m, op)) {
		run_binary(m, op);
	}
}

enum unw_eval unw_expr_eval(struct unw_expr_env *env, const struct unw_expr *expr,
	const uint64_t *initial, uint64_t *ret)
{
	struct machine m;

	/* The stack is large and needs no initialization, so set the members one by one. */
	m.env = env;
	m.expr = expr;
	m.code = pd_cursor_init(expr->bytes, expr->len, env->swap);
	m.depth = 0;
	m.status = UNW_EVAL_OK;
	if (initial)
		push(&m, *initial);
	for (int steps = 0; pd_cursor_left(&m.code); steps++) {
		if (steps == MAX_STEPS && base_limit_reach(PD_LIMIT_ID_EXPRESSION_OPS))
			return UNW_EVAL_BAD;
		run_op(&m, pd_cursor_u8(&m.code));
		if (m.code.overrun)
			return UNW_EVAL_BAD;
		if (m.status != UNW_EVAL_OK)
			return m.status;
	}
	/* The result is on top of the stack. Entries below it are allowed. */
	if (!m.depth)
		return UNW_EVAL_BAD;
	*ret = m.stack[m.depth - 1];
	return UNW_EVAL_OK;
}

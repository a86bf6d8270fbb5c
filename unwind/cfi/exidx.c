#include "unwind/cfi/exidx.h"

#include <pdconv/cursor.h>

#include "base/leb.h"
#include "base/limit.h"
#include "base/lower_bound.h"

enum {
	ENTRY_BYTES = 8,
	/** Second word of an entry: the function cannot be unwound. */
	CANTUNWIND = 1,
	/** Register that is the initial virtual stack pointer ("vsp"). */
	REG_SP = 13,
	REG_LR = 14,
	REG_PC = 15,
	N_CORE_REGS = 16,
	/** Instructions per entry; no real function needs as many. */
	MAX_OPS = PD_LIMIT_EXIDX_OPS,
};

static const uint32_t COMPACT = UINT32_C(1) << 31;

static uint32_t load_word(const struct unw_exidx *exidx, const uint8_t *p)
{
	return pd_load_u32(p, exidx->swap);
}

/** Return the address that @p word at @p vaddr points to by a signed distance of 31 bits. */
static uint64_t follow(uint32_t word, uint64_t vaddr)
{
	return (uint32_t)(vaddr + (uint64_t)((int32_t)(word << 1) >> 1));
}

static uint64_t entry_start(const struct unw_exidx *exidx, size_t i)
{
	const struct unw_section *index = &exidx->index;

	return follow(
		load_word(exidx, index->data + i * ENTRY_BYTES), index->vaddr + i * ENTRY_BYTES);
}

/** Stream of unwind instructions, in words with the first instruction in the highest byte. */
struct code {
	const struct unw_exidx *exidx;
	/** Current word; its lowest n_bytes bytes are left. */
	uint32_t word;
	unsigned int n_bytes;
	/** Words after the current one. */
	const uint8_t *next;
	unsigned int n_words;
};

enum { OP_FINISH = 0xb0 };

/** Read the next byte. The end of the stream implies "finish". */
static uint8_t next_byte(struct code *code)
{
	if (!code->n_bytes && code->n_words) {
		code->word = load_word(code->exidx, code->next);
		code->n_bytes = 4;
		code->next += 4;
		code->n_words--;
	}
	if (!code->n_bytes)
		return OP_FINISH;
	return (uint8_t)(code->word >> (8 * --code->n_bytes));
}

/** Find the instructions of an entry in .ARM.extab. Returns false if their format is unknown. */
static bool find_table_code(const struct unw_exidx *exidx, uint64_t vaddr, struct code *ret)
{
	const struct unw_section *extab = &exidx->extab;
	uint64_t off = vaddr - extab->vaddr;

	if (!extab->data || off >= extab->size)
		return false;
	struct pd_cursor c = pd_cursor_init(extab->data + off, extab->size - off, exidx->swap);
	uint32_t first = pd_cursor_u32(&c);
	/* The data after a personality routine is up to the routine; compilers use model 1 only. */
	bool is_generic = !(first & COMPACT);
	uint32_t word = is_generic ? pd_cursor_u32(&c) : first;
	unsigned int model = is_generic ? 1 : first >> 24 & 0xf;

	ret->exidx = exidx;
	ret->word = word;
	ret->n_bytes = is_generic ? 3 : model == 0 ? 3 : 2;
	ret->n_words = model == 0 ? 0 : (is_generic ? word >> 24 : word >> 16) & 0xff;
	ret->next = c.pos;
	pd_cursor_bytes(&c, 4 * (uint64_t)ret->n_words);
	return model <= 2 && !c.overrun;
}

/**
 * Interpreter of the unwind instructions. All distances are from the stack pointer, until the
 * virtual stack pointer is set to another register.
 */
struct machine {
	struct unw_row *row;
	/** Virtual stack pointer, as distance from the register row->cfa_reg. */
	int64_t vsp;
	/** A register was popped, so the base must not change any more. */
	bool has_popped;
};

/** Pop the registers of @p mask, the lowest one from the lowest address. */
static bool pop(struct machine *m, uint32_t mask)
{
	for (uint8_t reg = 0; reg < N_CORE_REGS; reg++) {
		if (!(mask >> reg & 1))
			continue;
		/*
		 * The CFA is not known before the end, so use distances from the base until then.
		 */
		m->row->regs[reg] = (struct unw_rule){ .kind = UNW_RULE_OFFSET, .off = m->vsp };
		m->vsp += 4;
	}
	m->has_popped |= mask != 0;
	return mask != 0;
}

static bool skip(struct machine *m, int64_t n_bytes)
{
	m->vsp += n_bytes;
	return true;
}

static bool set_vsp(struct machine *m, uint8_t reg)
{
	if (m->has_popped || reg == REG_SP || reg == REG_PC)
		return false;
	m->row->cfa_reg = reg;
	m->vsp = 0;
	return true;
}

static uint64_t next_uleb(struct code *code)
{
	uint64_t value = 0;

	for (unsigned int shift = 0; shift < 32; shift += 7) {
		uint8_t byte = next_byte(code);

		value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			break;
	}
	return value;
}

/** Instructions 0xb0 to 0xbf, without OP_FINISH. */
static bool run_b(struct machine *m, struct code *code, uint8_t op)
{
	uint8_t operand;

	switch (op) {
	case 0xb1:
		operand = next_byte(code);
		return !(operand & 0xf0) && pop(m, operand);
	case 0xb2:
		return skip(m, 0x204 + (int64_t)(next_uleb(code) << 2));
	case 0xb3:
		return skip(m, 8 * ((next_byte(code) & 0xf) + 1) + 4);
	case 0xb4: /* pop the authentication code of the return address */
		return skip(m, 4);
	case 0xb5: /* that code was made with this vsp */
		return true;
	default:
		return op >= 0xb8 && skip(m, 8 * ((op & 7) + 1) + 4);
	}
}

/** Instructions 0xc0 to 0xff: pop registers of coprocessors. */
static bool run_c(struct machine *m, struct code *code, uint8_t op)
{
	switch (op) {
	case 0xc6:
	case 0xc8:
	case 0xc9:
		return skip(m, 8 * ((next_byte(code) & 0xf) + 1));
	case 0xc7:
		return skip(m, 4 * __builtin_popcount(next_byte(code) & 0xf));
	default:
		return (op < 0xc6 || (op >= 0xd0 && op < 0xd8)) && skip(m, 8 * ((op & 7) + 1));
	}
}

static bool run_op(struct machine *m, struct code *code, uint8_t op)
{
	uint32_t mask;

	switch (op >> 4) {
	case 0x0 ... 0x3: /* vsp += n */
		return skip(m, ((op & 0x3f) << 2) + 4);
	case 0x4 ... 0x7: /* vsp -= n */
		return skip(m, -(((op & 0x3f) << 2) + 4));
	case 0x8: /* pop registers of r4 to r15 under a mask */
		/* An empty mask means "refuse to unwind". */
		mask = (uint32_t)(op & 0xf) << 12;
		return pop(m, mask | (uint32_t)next_byte(code) << 4);
	case 0x9: /* vsp = register */
		return set_vsp(m, op & 0xf);
	case 0xa: /* pop r4 to r[4 + n], and lr */
		mask = ((2U << (op & 7)) - 1) << 4;
		return pop(m, mask | (op & 8 ? 1U << REG_LR : 0));
	case 0xb:
		return run_b(m, code, op);
	default:
		return run_c(m, code, op);
	}
}

/** Convert distances from the base to distances from the CFA, the final value of vsp. */
static void settle(struct machine *m)
{
	struct unw_row *row = m->row;

	row->cfa_off = m->vsp;
	for (uint8_t reg = 0; reg < N_CORE_REGS; reg++) {
		if (row->regs[reg].kind == UNW_RULE_OFFSET)
			row->regs[reg].off -= m->vsp;
	}
	/* Only a signal frame holds the program counter in addition to the link register. */
	if (row->regs[REG_PC].kind == UNW_RULE_OFFSET) {
		row->ra_column = REG_PC;
		row->is_signal = row->regs[REG_SP].kind == UNW_RULE_OFFSET;
	}
}

static bool run(struct code *code, struct unw_row *row)
{
	struct machine m = { .row = row };

	for (int n = 0; code->n_bytes || code->n_words; n++) {
		if (n == MAX_OPS)
			return !base_limit_reach(PD_LIMIT_ID_EXIDX_OPS);
		uint8_t op = next_byte(code);

		if (op == OP_FINISH)
			break;
		if (!run_op(&m, code, op))
			return false;
	}
	settle(&m);
	return true;
}

/** Make the row of the entry whose second word, at @p vaddr, is @p word. */
static bool make_row(
	const struct unw_exidx *exidx, uint32_t word, uint64_t vaddr, struct unw_row *row)
{
	struct code code = { .exidx = exidx, .word = word, .n_bytes = 3 };

	row->cfa_reg = REG_SP;
	row->ra_column = REG_LR;
	row->is_inexact = true;
	/* An entry in the index can only hold model 0, which needs no .ARM.extab. */
	if (word & COMPACT ? word >> 24 != 0x80
			   : !find_table_code(exidx, follow(word, vaddr), &code))
		return false;
	return run(&code, row);
}

enum unw_cfi_result unw_exidx_find_row(const struct unw_exidx *exidx, const struct unw_arch *arch,
	uint64_t addr, struct unw_row *ret)
{
	size_t n = exidx->index.data ? exidx->index.size / ENTRY_BYTES : 0;
	size_t after = base_lower_bound(n, i, entry_start(exidx, i) <= addr);
	struct unw_row row;

	if (!after)
		return UNW_CFI_NONE;
	size_t off = (after - 1) * ENTRY_BYTES + 4;
	uint32_t word = load_word(exidx, exidx->index.data + off);
	/*
	 * Linkers also give this entry to code without a table, so the instructions are worth a
	 * try.
	 */
	if (word == CANTUNWIND)
		return UNW_CFI_NONE;
	unw_arch_default_row(arch, &row);
	/* Entries have no size: each extends to the start of the next one. */
	row.start = entry_start(exidx, after - 1);
	row.end = after < n ? entry_start(exidx, after) : UINT32_MAX;
	if (!make_row(exidx, word, exidx->index.vaddr + off, &row))
		return UNW_CFI_BAD;
	*ret = row;
	return UNW_CFI_ROW;
}

#include "unwind/go/go_runtime.h"

#include <string.h>

#include <pdconv/cursor.h>

#include "base/array.h"
#include "unwind/go/go_frames.h"

enum kind {
	/** Keeps its stack pointer in a register while it is on another stack. */
	SWITCHES = 1,
	/** Entered by the handler of signals. */
	INJECTED = 2,
};

/* Names and kinds. Some of the first kind switched in older versions of Go only. */
static const struct {
	const char *name;
	enum kind kind;
} functions[] = {
	{ "runtime.nanotime", SWITCHES },
	{ "runtime.nanotime1", SWITCHES },
	{ "runtime.walltime", SWITCHES },
	{ "runtime.walltime1", SWITCHES },
	{ "runtime.vgetrandom1", SWITCHES },
	{ "time.now", SWITCHES },
	{ "runtime.asyncPreempt", INJECTED },
	{ "runtime.sigpanic", INJECTED },
	{ "runtime.debugCallV2", INJECTED },
};

/* Move from or to the stack pointer, or a return. */
struct move {
	enum { MOVE_NONE, MOVE_FROM_SP, MOVE_TO_SP, MOVE_RETURN } kind;
	/** The other register, by DWARF number. */
	uint8_t reg;
};

/* Intel SDM, volume 2, MOV: opcode 89 between registers, with REX.W. */
static struct move read_x86_64(const uint8_t *code, size_t size)
{
	/* DWARF numbers of the registers by their numbers in instructions. */
	static const uint8_t dwarf[16] = { 0, 2, 1, 3, 7, 6, 4, 5, 8, 9, 10, 11, 12, 13, 14, 15 };
	enum { RET = 0xc3, MOV = 0x89, REX_W = 0x48, REX_R = 4, REX_B = 1, SP = 4 };

	if (code[0] == RET)
		return (struct move){ .kind = MOVE_RETURN };
	if (size < 3 || (code[0] & ~(REX_R | REX_B)) != REX_W || code[1] != MOV ||
		code[2] >> 6 != 3)
		return (struct move){ 0 };
	uint8_t from = (code[2] >> 3 & 7) | (code[0] & REX_R ? 8 : 0);
	uint8_t to = (code[2] & 7) | (code[0] & REX_B ? 8 : 0);
	if (from == SP && to != SP)
		return (struct move){ MOVE_FROM_SP, dwarf[to] };
	return (struct move){ to == SP && from != SP ? MOVE_TO_SP : MOVE_NONE, dwarf[from] };
}

/* Arm Architecture Reference Manual, MOV (to/from SP), RET. */
static struct move read_aarch64(const uint8_t *code, size_t size)
{
	enum { SP = 31 };
	static const uint32_t RET = 0xd65f03c0, MOV = 0x91000000, REGS = 0x3ff;

	if (size < 4)
		return (struct move){ 0 };
	/* Instructions are little-endian, also where data is not. */
	uint32_t insn = pd_load_u32(code, pd_is_big_endian(false));
	uint8_t from = insn >> 5 & 31, to = insn & 31;
	if (insn == RET)
		return (struct move){ .kind = MOVE_RETURN };
	if ((insn & ~REGS) != MOV || (from == SP) == (to == SP))
		return (struct move){ 0 };
	return from == SP ? (struct move){ MOVE_FROM_SP, to } : (struct move){ MOVE_TO_SP, from };
}

/* Code of a function that switches stacks. Offsets are from its start. */
struct code {
	const uint8_t *bytes;
	size_t size;
	struct move (*read)(const uint8_t *code, size_t size);
	size_t step;
	size_t length;
};

/* Find the first move of @p kind at or after @p off. Returns size if there is none. */
static size_t find_move(const struct code *code, size_t off, int kind, uint8_t reg)
{
	for (; off < code->size; off += code->step) {
		struct move move = code->read(code->bytes + off, code->size - off);

		if ((int)move.kind == kind && (kind == MOVE_RETURN || move.reg == reg))
			return off;
	}
	return code->size;
}

/*
 * Find the last move to the stack pointer, which takes back that of the function. Before it there
 * may be the one that switches.
 */
static struct move find_restore(const struct code *code, size_t *end_ret)
{
	struct move ret = { 0 };

	for (size_t off = 0; off < code->size; off += code->step) {
		struct move move = code->read(code->bytes + off, code->size - off);

		if (move.kind != MOVE_TO_SP)
			continue;
		ret = move;
		*end_ret = off + code->length;
	}
	return ret;
}

/*
 * Find the register that keeps the stack pointer of the function at offset @p off, and the offset
 * from which on it does. The function is on its own stack again from the instruction that takes the
 * stack pointer from the register up to the next return. What follows is reached by jumps from
 * before. Returns false at offsets where the register is not needed.
 */
static bool find_kept_sp(const struct code *code, size_t off, size_t *start_ret, uint8_t *reg_ret)
{
	size_t own = 0;
	struct move restore = find_restore(code, &own);

	if (!own)
		return false;
	size_t start = find_move(code, 0, MOVE_FROM_SP, restore.reg) + code->length;
	*start_ret = start;
	*reg_ret = restore.reg;
	return start < own && off >= start &&
	       (off < own || off > find_move(code, own, MOVE_RETURN, 0));
}

static bool get_code(const struct unw_section *text, const struct unw_arch *arch,
	const struct base_go_func *func, struct code *ret)
{
	enum { MAX_SIZE = 1 << 16 };
	uint64_t off = func->start - text->vaddr, size = func->end - func->start;

	*ret = (struct code){ .read = read_x86_64, .step = 1, .length = 3 };
	if (arch == &unw_arch_aarch64)
		*ret = (struct code){ .read = read_aarch64, .step = 4, .length = 4 };
	else if (arch != &unw_arch_x86_64)
		return false;
	if (off >= text->size || size > text->size - off || size > MAX_SIZE)
		return false;
	ret->bytes = text->data + off;
	ret->size = size;
	return true;
}

/* Count the frame from the register that keeps its stack pointer. */
static void correct_switch(const struct base_pclntab *table, const struct unw_section *text,
	const struct unw_arch *arch, const struct base_go_func *func, uint64_t addr,
	struct unw_row *row)
{
	struct code code;
	struct unw_row kept;
	size_t start;
	uint8_t reg;

	if (!get_code(text, arch, func, &code) ||
		!find_kept_sp(&code, addr - func->start, &start, &reg) ||
		!unw_go_find_row(table, text, arch, func->start + start, &kept))
		return;
	*row = kept;
	row->cfa_reg = reg;
	row->start = addr;
	row->end = addr + 1;
}

/*
 * Mark that the caller was interrupted. Where calls use a link register, Go moves its value to the
 * stack, which the row does not describe.
 */
static void correct_injected(const struct unw_arch *arch, struct unw_row *row)
{
	row->is_signal = true;
	row->is_guess |= unw_arch_has_link(arch);
}

/* Find the function at @p addr, and its row in functions. */
static bool find_function(
	const struct base_pclntab *table, uint64_t addr, struct base_go_func *func_ret, size_t *ret)
{
	size_t i = 0;

	if (!base_pclntab_find(table, addr, func_ret))
		return false;
	while (i < PD_ARRAY_LEN(functions) && strcmp(func_ret->name, functions[i].name) != 0)
		i++;
	*ret = i;
	return i < PD_ARRAY_LEN(functions);
}

void unw_go_correct_row(const struct base_pclntab *table, const struct unw_section *text,
	const struct unw_arch *arch, uint64_t addr, struct unw_row *row)
{
	struct base_go_func func;
	size_t i;

	if (!find_function(table, addr, &func, &i))
		return;
	if (functions[i].kind == SWITCHES)
		correct_switch(table, text, arch, &func, addr, row);
	else
		correct_injected(arch, row);
}

bool unw_go_corrects(const struct base_pclntab *table, uint64_t addr)
{
	struct base_go_func func;
	size_t i;

	return find_function(table, addr, &func, &i);
}

#include "unwind/go/go_frames.h"

#include <string.h>

#include <pdconv/cursor.h>

#include "base/limit.h"

/* Changes of the frame size in one function. Real ones have a few per return. */
enum {
	MAX_CHANGES = PD_LIMIT_GO_STACK_CHANGES,
	/** Largest frame: runtime.call1073741824 has 1 GiB of arguments, and a few words more. */
	MAX_FRAME_BYTES = (1 << 30) + 64,
};

/* Frame of a function at one address. */
struct frame {
	/** Vaddrs [start, end) with this size. */
	uint64_t start;
	uint64_t end;
	/** Bytes from the stack pointer up to the return address, or to the caller's frame. */
	int32_t size;
	/** Where the frame first was larger than 0, and its size there; 0 if it was not before. */
	uint64_t first_start;
	int32_t first_size;
	/** The function is at the base of a stack. */
	bool is_base;
};

static bool find_frame(const struct base_pclntab *table, uint64_t addr, struct frame *ret)
{
	struct base_go_func func;

	*ret = (struct frame){ 0 };
	if (!base_pclntab_find(table, addr, &func))
		return false;
	ret->is_base = func.flags & PD_GO_TOP_FRAME;
	struct base_go_values values = base_go_values_init(table, &func, func.frame_table);
	for (int i = 0; base_go_values_next(&values); i++) {
		if (i == MAX_CHANGES)
			return !base_limit_reach(PD_LIMIT_ID_GO_STACK_CHANGES);
		if (values.value > 0 && !ret->first_size) {
			ret->first_start = values.start;
			ret->first_size = values.value;
		}
		if (addr >= values.end)
			continue;
		ret->start = values.start;
		ret->end = values.end;
		ret->size = values.value;
		return values.value >= 0 && values.value <= MAX_FRAME_BYTES &&
		       values.value % table->word == 0;
	}
	return false;
}

/* Copy up to @p n bytes of code at @p addr. Missing ones are 0. */
static void read_code(const struct unw_section *text, uint64_t addr, uint8_t *ret, size_t n)
{
	uint64_t off = addr - text->vaddr;

	memset(ret, 0, n);
	if (off < text->size)
		memcpy(ret, text->data + off, n < text->size - off ? n : text->size - off);
}

/*
 * Length of the instruction that saves the frame pointer at the top of a frame of @p size bytes:
 * mov %rbp, size-8(%rsp). 0 if @p code is another one.
 */
static size_t save_length(const uint8_t code[static 8], int32_t size)
{
	static const uint8_t store_8[] = { 0x48, 0x89, 0x6c, 0x24 };
	static const uint8_t store_32[] = { 0x48, 0x89, 0xac, 0x24 };
	enum { WORD = 8 };

	if (memcmp(code, store_8, sizeof(store_8)) == 0 && (int8_t)code[4] == size - WORD)
		return 5;
	int32_t off = (int32_t)pd_load_u32(code + 4, pd_is_big_endian(false));
	return memcmp(code, store_32, sizeof(store_32)) == 0 && off == size - WORD ? 8 : 0;
}

/*
 * Address from which on a function of x86-64 has saved the frame pointer at the top of its frame.
 * Since Go 1.21 functions begin with push %rbp, before that they save it after they have made the
 * frame. 0 if the function leaves it alone.
 */
static uint64_t find_save(const struct unw_section *text, const struct frame *frame)
{
	enum { PUSH = 0x55, WORD = 8 };
	uint8_t code[8];

	read_code(text, frame->first_start - 1, code, 1);
	if (code[0] == PUSH && frame->first_size == WORD)
		return frame->first_start;
	read_code(text, frame->first_start, code, sizeof(code));
	size_t len = save_length(code, frame->first_size);
	return len ? frame->first_start + len : 0;
}

/* Set the rule of the frame pointer on x86-64, and reduce the range to where it holds. */
static void set_fp_x86_64(const struct unw_section *text, const struct unw_arch *arch,
	uint64_t addr, const struct frame *frame, struct unw_row *row)
{
	const struct unw_rule saved = { .kind = UNW_RULE_OFFSET, .off = -16 };

	if (!frame->size || frame->size < frame->first_size)
		return;
	uint64_t save = find_save(text, frame);
	if (!save)
		return;
	if (addr >= save)
		row->regs[arch->fp] = saved;
	if (addr >= save && row->start < save)
		row->start = save;
	else if (addr < save && row->end > save)
		row->end = save;
}

/*
 * Set the rule of the frame pointer. Of the machines that pdconv unwinds, Go keeps frame pointers
 * on two. AArch64 functions save it below their frame, where their callees do not write. On others
 * the register is like any other: Go code does not preserve registers for its callers.
 */
static void set_fp(const struct unw_section *text, const struct unw_arch *arch, uint64_t addr,
	const struct frame *frame, struct unw_row *row)
{
	struct unw_rule *rule = &row->regs[arch->fp];

	if (arch == &unw_arch_x86_64)
		set_fp_x86_64(text, arch, addr, frame, row);
	else if (arch != &unw_arch_aarch64)
		rule->kind = UNW_RULE_UNSPECIFIED;
	else if (frame->size)
		*rule = (struct unw_rule){ .kind = UNW_RULE_OFFSET,
			.off = -frame->size - arch->arch->word };
}

/*
 * Set the rule of the return address. Where calls use a link register, functions save it at the
 * bottom of their frame, and those at the base of a stack may leave it invalid.
 */
static void set_ra(const struct unw_arch *arch, const struct frame *frame, struct unw_row *row)
{
	struct unw_rule *rule = &row->regs[arch->ra];

	if (!unw_arch_has_link(arch))
		*rule = (struct unw_rule){ .kind = UNW_RULE_OFFSET, .off = -arch->arch->word };
	else if (frame->is_base)
		rule->kind = UNW_RULE_UNDEFINED;
	else if (frame->size)
		*rule = (struct unw_rule){ .kind = UNW_RULE_OFFSET, .off = -row->cfa_off };
}

bool unw_go_find_row(const struct base_pclntab *table, const struct unw_section *text,
	const struct unw_arch *arch, uint64_t addr, struct unw_row *ret)
{
	uint8_t word = arch->arch->word;
	struct frame frame;

	if (table->word != word || !find_frame(table, addr, &frame))
		return false;
	unw_arch_default_row(arch, ret);
	for (uint8_t reg = 0; reg < arch->n_regs; reg++) {
		if (ret->regs[reg].kind == UNW_RULE_SAME && reg != arch->fp && reg != arch->ra)
			ret->regs[reg].kind = UNW_RULE_UNSPECIFIED;
	}
	ret->start = frame.start;
	ret->end = frame.end;
	ret->cfa_reg = arch->sp;
	ret->ra_column = arch->ra;
	/* Calls that do not leave the return address in a register push it. */
	ret->cfa_off = frame.size + (unw_arch_has_link(arch) ? arch->cfa_above_sp : word);
	set_ra(arch, &frame, ret);
	set_fp(text, arch, addr, &frame, ret);
	return true;
}

struct unw_range unw_go_find_range(const struct base_pclntab *table, uint64_t addr)
{
	struct base_go_func func;

	if (!base_pclntab_find(table, addr, &func) || !func.frame_table)
		return (struct unw_range){ 0 };
	return (struct unw_range){ func.start, func.end };
}

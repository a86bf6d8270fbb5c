#include "unwind/bpf_table.h"

#include <dwarf.h>
#include <string.h>

#include "base/analyzer.h"
#include "base/array.h"
#include "base/leb.h"
#include "base/limit.h"
#include "base/lower_bound.h"
#include "unwind/rules/arch_rules.h"
#include "unwind/go/go_runtime.h"

/** Table that is being made. Rows have vaddrs until the base is known. */
struct wide_row {
	uint64_t start;
	struct bw_row row;
};

struct builder {
	const struct unw_binary *binary;
	const struct unw_arch *arch;
	bool is_vdso;
	PD_VEC(struct wide_row) rows;
	/** Vaddr after the last row. */
	uint64_t end;
};

static const struct bw_row gap = { .kind = BW_ROW_GAP };

/**
 * Row of a function that has set the frame pointer, and then the stack pointer to another stack.
 * Unlike a copy of one stack, the memory of a process has the frame that it left.
 */
enum { SWITCH_WORD = 8 };
static const struct bw_row by_fp = {
	.kind = BW_ROW_FP,
	.flags = BW_ROW_SWITCHES | BW_ROW_LOSES_KEPT,
	.cfa_off = 2 * SWITCH_WORD,
	.fp_off = -2 * SWITCH_WORD,
	.ra_off = -SWITCH_WORD,
};

static struct bw_row end_row(enum bw_end end)
{
	return (struct bw_row){ .kind = BW_ROW_END, .detail = (uint8_t)end };
}

/* One row. */

/** Whether @p expr is the word at the stack pointer + @p off: the CFA of a signal frame. */
static bool is_word_at_sp(const struct unw_arch *arch, const struct unw_expr *expr, int64_t off)
{
	if (expr->len < 3 || expr->bytes[0] != DW_OP_breg0 + arch->sp)
		return false;
	struct pd_cursor c = pd_cursor_init(expr->bytes + 1, expr->len - 1, false);
	int64_t found = base_cursor_sleb(&c);

	return pd_cursor_u8(&c) == DW_OP_deref && !pd_cursor_left(&c) && !c.overrun && found == off;
}

/** Distance of register @p number in the kernel's signal frame; 0 if it is not there. */
static int64_t signal_offset(const struct unw_arch *arch, uint8_t number)
{
	const struct unw_signal *signal = &arch->signals.frames.data[0];

	for (size_t i = 0; i < signal->regs.n; i++) {
		const struct unw_signal_regs *regs = &signal->regs.data[i];

		if (number >= regs->first && number - regs->first < regs->n)
			return regs->off + (number - regs->first) * arch->arch->word;
	}
	return 0;
}

static bool is_kernel_frame(const struct builder *b, const struct unw_row *row)
{
	if (b->is_vdso && b->arch->signals.has_vdso_trampolines)
		return true;
	return row->cfa_expr.bytes &&
	       is_word_at_sp(b->arch, &row->cfa_expr, signal_offset(b->arch, b->arch->sp));
}

/**
 * Recognize the row of a PLT, whose CFA depends on the place in an entry of 16 bytes: it is one
 * word more from some byte on.
 */
static bool is_plt(const struct unw_arch *arch, const struct unw_row *row, struct bw_row *ret)
{
	enum { ENTRY_BYTES = 16 };
	int32_t first, off;
	uint8_t at = 0;

	if (!row->cfa_expr.bytes || !arch->plt.cfa ||
		!arch->plt.cfa(arch, &row->cfa_expr, 0, &first))
		return false;
	do
		arch->plt.cfa(arch, &row->cfa_expr, ++at, &off);
	while (at < ENTRY_BYTES && off == first);
	*ret = (struct bw_row){ .kind = BW_ROW_PLT, .cfa_off = first, .ra_off = -8, .detail = at };
	return true;
}

static enum bw_row_kind kind_of_step(uint8_t kind)
{
	switch (kind) {
	case UNW_STEP_SP:
		return BW_ROW_SP;
	case UNW_STEP_FP:
		return BW_ROW_FP;
	case UNW_STEP_FP_DEREF:
		return BW_ROW_FP_DEREF;
	case UNW_STEP_SP_LINK:
		return BW_ROW_SP_LINK;
	case UNW_STEP_FP_LINK:
		return BW_ROW_FP_LINK;
	default:
		return BW_N_ROW_KINDS;
	}
}

/** Shorten @p row. Returns false if it has no short form. */
static bool shorten(const struct unw_arch *arch, const struct unw_row *row, struct bw_row *ret)
{
	const struct unw_step step = unw_step_from_row(arch, row, row->start);
	enum bw_row_kind kind = kind_of_step(step.kind);

	*ret = (struct bw_row){
		.kind = (uint8_t)kind,
		.cfa_off = step.cfa_off,
		.fp_off = step.fp_off,
		.ra_off = step.ra_off,
	};
	return kind != BW_N_ROW_KINDS;
}

/** Shorten @p row without the rule of the frame pointer, which is lost then. */
static bool shorten_without_fp(
	const struct unw_arch *arch, const struct unw_row *row, struct bw_row *ret)
{
	struct unw_row other = *row;

	if (row->regs[arch->fp].kind == UNW_RULE_OFFSET)
		return false;
	other.regs[arch->fp].kind = UNW_RULE_SAME;
	if (!shorten(arch, &other, ret))
		return false;
	ret->flags |= BW_ROW_LOSES_FP;
	return true;
}

/** Shorten @p row, whose CFA counts from a register other than the stack and frame pointers. */
static bool shorten_other_reg(
	const struct unw_arch *arch, const struct unw_row *row, struct bw_row *ret)
{
	struct unw_row other = *row;

	if (row->cfa_expr.bytes || row->is_cfa_in_memory)
		return false;
	other.cfa_reg = arch->sp;
	if (!shorten(arch, &other, ret) && !shorten_without_fp(arch, &other, ret))
		return false;
	if (ret->kind != BW_ROW_SP)
		return false;
	ret->kind = BW_ROW_REG;
	ret->detail = (uint8_t)row->cfa_reg;
	return true;
}

/** Add how the caller's kept register is found. */
static void add_kept(const struct unw_arch *arch, const struct unw_row *row, struct bw_row *ret)
{
	const struct unw_rule *rule = &row->regs[BW_KEPT_X86_64];
	int64_t word = arch->arch->word;

	if (arch != &unw_arch_x86_64 || rule->kind == UNW_RULE_SAME)
		return;
	ret->kept_off = (int8_t)(rule->off / word);
	if (rule->kind == UNW_RULE_OFFSET && ret->kept_off && ret->kept_off * word == rule->off)
		return;
	ret->kept_off = 0;
	ret->flags |= BW_ROW_LOSES_KEPT;
}

static enum bw_end why_not(const struct unw_row *row)
{
	enum unw_rule_kind kind = row->regs[row->ra_column].kind;

	return kind == UNW_RULE_REGISTER || kind == UNW_RULE_SAME ? BW_END_REGISTER
								  : BW_END_EXPRESSION;
}

/** Make @p row compact. It is changed. */
static struct bw_row compact(const struct builder *b, struct unw_row *row)
{
	bool is_signal = row->is_signal;
	struct bw_row ret;

	if (row->is_guess)
		return end_row(BW_END_GUESS);
	if (row->regs[row->ra_column].kind == UNW_RULE_UNDEFINED)
		return (struct bw_row){ .kind = BW_ROW_ROOT };
	if (is_signal && is_kernel_frame(b, row))
		return (struct bw_row){ .kind = BW_ROW_SIGNAL };
	if (is_plt(b->arch, row, &ret))
		return ret;
	row->is_signal = false;
	if (!shorten(b->arch, row, &ret) && !shorten_without_fp(b->arch, row, &ret) &&
		!shorten_other_reg(b->arch, row, &ret))
		return end_row(why_not(row));
	add_kept(b->arch, row, &ret);
	if (is_signal)
		ret.flags |= BW_ROW_INTERRUPTED;
	return ret;
}

/* All rows. */

/** Whether @p b says the same as @p a, which precedes it. Two flags are of first addresses only. */
static bool is_same(const struct bw_row *a, const struct bw_row *b)
{
	uint8_t flags = a->flags & (uint8_t) ~(BW_ROW_STARTS | BW_ROW_AFTER_SYSCALL);

	return a->kind == b->kind && flags == b->flags && a->detail == b->detail &&
	       a->kept_off == b->kept_off && a->cfa_off == b->cfa_off && a->fp_off == b->fp_off &&
	       a->ra_off == b->ra_off;
}

static struct bw_row *last_row(const struct builder *b)
{
	PD_IS_TRUE(b->rows.data || !b->rows.n, "rows have memory");
	return b->rows.n ? &b->rows.data[b->rows.n - 1].row : NULL;
}

/** Append the row of [@p start, @p end). A row that equals the one before it is joined with it. */
static bool push(struct builder *b, uint64_t start, uint64_t end, struct bw_row row)
{
	const struct bw_row *last = last_row(b);
	const struct wide_row new = { start, row };

	b->end = end;
	return (last && is_same(last, &row)) || pd_vec_push(&b->rows, new);
}

/** Whether rows of the function that has the vaddr @p addr are corrected for single addresses. */
static bool is_corrected(const struct builder *b, uint64_t addr)
{
	return b->binary->go && unw_go_corrects(b->binary->go, addr);
}

/** Append the rows of one address after the other from @p start on. @p flags are of the first. */
static struct pd_error *push_each(struct builder *b, uint64_t start, uint64_t end, uint8_t flags)
{
	enum unw_cfi_result result;
	struct unw_row row;

	while (start < end) {
		struct pd_error *err = unw_binary_find_row(b->binary, start, false, &result, &row);

		if (err)
			return err;
		uint64_t next = result == UNW_CFI_ROW ? row.end : end;
		if (next <= start || is_corrected(b, start))
			next = start + 1;
		if (next > end)
			next = end;
		struct bw_row new = result == UNW_CFI_ROW   ? compact(b, &row)
				    : result == UNW_CFI_BAD ? end_row(BW_END_BAD_CFI)
							    : gap;
		new.flags |= flags;
		flags = 0;
		if (!push(b, start, next, new))
			return &pd_enomem;
		start = next;
	}
	return NULL;
}

/** Function whose rows are appended. */
struct function {
	struct builder *b;
	/** Flags of its next row. */
	uint8_t flags;
	bool has_failed;
};

static bool push_row(void *ctx, struct unw_row *row)
{
	struct function *f = ctx;
	struct bw_row new = compact(f->b, row);

	new.flags |= f->flags;
	f->flags = 0;
	f->has_failed = !push(f->b, row->start, row->end, new);
	return !f->has_failed;
}

/** Find frames by the frame pointer where rows from number @p i on say another register. */
static void use_fp(struct builder *b, size_t i)
{
	for (; i < b->rows.n; i++) {
		struct bw_row *row = &b->rows.data[i].row;

		if (row->kind != BW_ROW_REG || row->flags & BW_ROW_INTERRUPTED)
			continue;
		uint8_t flags = row->flags;
		*row = by_fp;
		row->flags |= flags;
	}
}

/** Append the rows of [@p start, @p end), where one function begins, or a part of it. */
static struct pd_error *push_function(struct builder *b, uint64_t start, uint64_t end)
{
	struct function f = { .b = b };
	uint64_t next;

	if (unw_is_after_syscall(unw_binary_code_at(b->binary, start)))
		f.flags = BW_ROW_AFTER_SYSCALL;
	if (b->end < start && !push(b, b->end, start, gap))
		return &pd_enomem;
	const struct bw_row *last = last_row(b);
	if (f.flags || !last || last->kind == BW_ROW_GAP)
		f.flags |= BW_ROW_STARTS;
	struct pd_error *err = unw_binary_visit_rows(
		b->binary, (struct unw_range){ start, end }, push_row, &f, &next);
	if (!err && f.has_failed)
		err = &pd_enomem;
	size_t first = b->rows.n;
	if (!err)
		err = push_each(b, next, end, f.flags);
	/* Go's functions that keep the stack pointer of their frame in a register. */
	if (!err && is_corrected(b, start) && unw_binary_sets_fp(b->binary, start))
		use_fp(b, first);
	return err;
}

static struct pd_error *push_functions(struct builder *b, const struct unw_vaddrs *starts)
{
	for (size_t i = 0; i < starts->list.n; i++) {
		uint64_t start = starts->list.data[i];
		uint64_t next = i + 1 < starts->list.n ? starts->list.data[i + 1] : UINT64_MAX;
		struct unw_range range;
		struct pd_error *err = unw_binary_find_fde(b->binary, start, &range);

		if (err)
			return err;
		uint64_t end = range.end < next ? range.end : next;
		if (end <= start)
			continue;
		PD_LIMIT_SCOPE();
		err = push_function(b, start, end);
		if (base_limit_is_reached())
			unw_binary_note_limits(b->binary);
		if (err)
			return err;
	}
	return push(b, b->end, UINT64_MAX, gap) ? NULL : &pd_enomem;
}

/* Parts that are known otherwise. */

/** Index of the row that covers the vaddr @p addr, or the number of rows. */
static size_t find_index(const struct builder *b, uint64_t addr)
{
	size_t n = base_lower_bound(b->rows.n, i, b->rows.data[i].start <= addr);

	return n ? n - 1 : b->rows.n;
}

/** Let a row begin at the vaddr @p addr. Errors: NOMEM. */
static struct pd_error *cut(struct builder *b, uint64_t addr)
{
	size_t at = find_index(b, addr);

	if (at == b->rows.n || b->rows.data[at].start == addr)
		return NULL;
	struct wide_row part = b->rows.data[at];
	part.start = addr;
	part.row.flags &= (uint8_t) ~(BW_ROW_STARTS | BW_ROW_AFTER_SYSCALL | BW_ROW_BASE);
	if (!pd_vec_push(&b->rows, part))
		return &pd_enomem;
	memmove(&b->rows.data[at + 2], &b->rows.data[at + 1],
		(b->rows.n - at - 2) * sizeof(*b->rows.data));
	b->rows.data[at + 1] = part;
	return NULL;
}

/** Replace what the rows of [@p start, @p end) say. With @p gaps_only rows with a function stay. */
static struct pd_error *paint(
	struct builder *b, struct unw_range range, struct bw_row row, bool gaps_only)
{
	if (range.end <= range.start)
		return NULL;
	struct pd_error *err = cut(b, range.start);
	if (!err)
		err = cut(b, range.end);
	if (err)
		return err;
	size_t first = base_lower_bound(b->rows.n, i, b->rows.data[i].start < range.start);
	for (size_t i = first; i < b->rows.n && b->rows.data[i].start < range.end; i++) {
		struct bw_row *old = &b->rows.data[i].row;
		uint8_t flags = old->flags & (BW_ROW_STARTS | BW_ROW_AFTER_SYSCALL);

		if (gaps_only && old->kind != BW_ROW_GAP)
			continue;
		*old = row;
		old->flags |= flags;
	}
	return NULL;
}

/**
 * Replace the rows of @p range, in which the frame pointer leads to the stack that the function
 * left. Where the function has popped the frame pointer, it is on that stack.
 */
static struct pd_error *paint_switch(struct builder *b, struct unw_range range)
{
	uint64_t start = range.start;

	for (size_t i = find_index(b, start); i < b->rows.n && b->rows.data[i].start < range.end;
		i = find_index(b, start)) {
		uint64_t next = i + 1 < b->rows.n ? b->rows.data[i + 1].start : range.end;
		struct unw_range part = { start, next < range.end ? next : range.end };
		const struct bw_row *old = &b->rows.data[i].row;
		bool is_popped = old->kind == BW_ROW_SP && old->cfa_off == SWITCH_WORD;
		struct pd_error *err = is_popped ? NULL : paint(b, part, by_fp, false);

		if (err || part.end == range.end)
			return err;
		start = part.end;
	}
	return NULL;
}

static struct pd_error *paint_roots(struct builder *b)
{
	const struct bw_row root = { .kind = BW_ROW_ROOT };

	for (size_t i = 0; i < b->binary->roots.n; i++) {
		const struct unw_base *base = &b->binary->roots.data[i];
		bool has_fp = base->switches && unw_binary_sets_fp(b->binary, base->function);
		struct pd_error *err =
			has_fp ? paint_switch(b, base->range) : paint(b, base->range, root, false);

		if (err)
			return err;
	}
	return NULL;
}

static struct bw_row plt_row(const struct builder *b, uint64_t addr)
{
	struct unw_step step;

	if (!unw_binary_plt_step(b->binary, addr, &step))
		return gap;
	return (struct bw_row){
		.kind = (uint8_t)kind_of_step(step.kind),
		.cfa_off = step.cfa_off,
		.ra_off = step.ra_off,
	};
}

/** Describe the header of a PLT byte by byte. */
static struct pd_error *paint_plt_header(struct builder *b, uint64_t start, uint64_t end)
{
	for (uint64_t addr = start; addr < end; addr++) {
		struct unw_range byte = { addr, addr + 1 };
		struct pd_error *err = paint(b, byte, plt_row(b, addr), true);

		if (err)
			return err;
	}
	return NULL;
}

/**
 * Describe the entries of a PLT, which are alike: either the step is the same in all of an entry,
 * or a word has been pushed from some byte on. Entries that push are aligned. Others, of 8 bytes in
 * static programs, consist of one jump.
 */
static struct pd_error *paint_plt_entries(struct builder *b, uint64_t start, uint64_t end)
{
	enum { ENTRY_BYTES = 16 };
	struct bw_row row = plt_row(b, start);
	uint64_t at = start;

	while (at - start < ENTRY_BYTES && plt_row(b, at).cfa_off == row.cfa_off)
		at++;
	if (at - start < ENTRY_BYTES && start % ENTRY_BYTES == 0) {
		row.kind = BW_ROW_PLT;
		row.detail = (uint8_t)(at % ENTRY_BYTES);
	}
	return start < end ? paint(b, (struct unw_range){ start, end }, row, true) : NULL;
}

/** Describe PLTs without call frame information. Linkers align their entries. */
static struct pd_error *paint_plts(struct builder *b)
{
	for (size_t i = 0; i < UNW_MAX_PLTS && b->arch->plt.step; i++) {
		const struct unw_range plt = b->binary->plts.list[i];
		uint64_t header = unw_binary_plt_header(b->binary, i);

		if (plt.end - plt.start < header)
			continue;
		struct pd_error *err = paint_plt_header(b, plt.start, plt.start + header);
		if (!err)
			err = paint_plt_entries(b, plt.start + header, plt.end);
		if (err)
			return err;
	}
	return NULL;
}

static struct pd_error *paint_entry(struct builder *b)
{
	const struct bw_row entry = { .kind = BW_ROW_ENTRY };

	return paint(b, b->binary->entry, entry, true);
}

/**
 * Mark a trampoline at the vaddr @p pc. A handler returns to its first byte, which is looked up one
 * byte earlier.
 */
static struct pd_error *paint_trampoline(struct builder *b, uint64_t pc)
{
	const struct bw_row before = { .kind = BW_ROW_SIGNAL, .flags = BW_ROW_IF_RETURNED };
	const struct bw_row inside = { .kind = BW_ROW_SIGNAL };
	uint64_t end = pc + 1;

	while (unw_is_trampoline(unw_binary_code_at(b->binary, end), false) &&
		!unw_is_trampoline(unw_binary_code_at(b->binary, end), true))
		end++;
	size_t at = find_index(b, pc);
	/* Its row may say so already. */
	if (at < b->rows.n && b->rows.data[at].row.kind == BW_ROW_SIGNAL)
		return NULL;
	struct pd_error *err = paint(b, (struct unw_range){ pc - 1, pc }, before, false);
	if (!err)
		err = paint(b, (struct unw_range){ pc, end }, inside, false);
	if (!err)
		err = cut(b, end);
	return err;
}

static struct pd_error *paint_known_at(struct builder *b, uint64_t pc)
{
	struct pd_error *err = NULL;

	if (unw_is_trampoline(unw_binary_code_at(b->binary, pc), true))
		err = paint_trampoline(b, pc);
	if (err || !unw_is_base(unw_binary_code_at(b->binary, pc)))
		return err;
	err = cut(b, pc);
	size_t at = find_index(b, pc);
	if (!err && at < b->rows.n)
		b->rows.data[at].row.flags |= BW_ROW_BASE;
	return err;
}

/** Mark known code in [@p pc, @p end). Programs have megabytes without call frame information. */
static struct pd_error *paint_known_in(struct builder *b, uint64_t pc, uint64_t end)
{
	const uint64_t base = b->binary->text.vaddr;
	struct pd_error *err = NULL;

	while (!err && pc < end) {
		pc = base + unw_next_known(unw_binary_code_at(b->binary, pc), end - base);
		if (pc < end)
			err = paint_known_at(b, pc++);
	}
	return err;
}

/**
 * Mark code that is known by its instructions: trampolines, and bases of stacks. It is at the start
 * of a function or in a gap.
 */
static struct pd_error *paint_known_code(struct builder *b, const struct unw_vaddrs *starts)
{
	const struct unw_range text = unw_section_range(&b->binary->text);
	struct pd_error *err = NULL;

	for (size_t i = 0; !err && i < starts->list.n; i++)
		err = paint_known_at(b, starts->list.data[i]);
	for (size_t i = 0; !err && i < b->rows.n; i++) {
		bool is_last = i + 1 == b->rows.n;
		uint64_t pc = b->rows.data[i].start;
		uint64_t end = is_last ? text.end : b->rows.data[i + 1].start;

		if (b->rows.data[i].row.kind != BW_ROW_GAP)
			continue;
		err = paint_known_in(
			b, pc < text.start ? text.start : pc, end < text.end ? end : text.end);
	}
	return err;
}

/** Mark gaps that follow a system call. Only those matter that begin there. */
static void mark_syscalls(struct builder *b)
{
	for (size_t i = 0; i < b->rows.n; i++) {
		struct wide_row *row = &b->rows.data[i];

		if (unw_is_after_syscall(unw_binary_code_at(b->binary, row->start)))
			row->row.flags |= BW_ROW_AFTER_SYSCALL;
	}
}

/** Lowest vaddr of code, where the first gap begins. */
static uint64_t first_vaddr(const struct builder *b, const struct unw_vaddrs *starts)
{
	const struct unw_range text = unw_section_range(&b->binary->text), entry = b->binary->entry;
	uint64_t first = starts->list.n ? starts->list.data[0] : UINT64_MAX;

	if (text.end > text.start && text.start < first)
		first = text.start;
	if (entry.end && entry.start < first)
		first = entry.start;
	for (size_t i = 0; i < UNW_MAX_PLTS && b->arch->plt.step; i++) {
		const struct unw_range plt = b->binary->plts.list[i];

		if (plt.end > plt.start && plt.start < first)
			first = plt.start;
	}
	return first == UINT64_MAX ? 0 : first;
}

static struct pd_error *build(struct builder *b, struct unw_vaddrs *starts)
{
	struct pd_error *err = unw_binary_list_starts(b->binary, starts);

	if (err)
		return err;
	b->end = first_vaddr(b, starts);
	err = push_functions(b, starts);
	if (!err)
		err = paint_plts(b);
	if (!err)
		err = paint_entry(b);
	if (!err)
		err = paint_known_code(b, starts);
	if (!err)
		err = paint_roots(b);
	if (!err)
		mark_syscalls(b);
	return err;
}

static struct pd_error *finish(const struct builder *b, struct unw_table *table)
{
	table->base = b->rows.n ? b->rows.data[0].start : 0;
	if (!pd_vec_reserve(&table->rows, b->rows.n + 1))
		return &pd_enomem;
	for (size_t i = 0; i < b->rows.n; i++) {
		struct bw_row row = b->rows.data[i].row;
		uint64_t start = b->rows.data[i].start - table->base;

		if (start > UINT32_MAX)
			row = gap;
		row.start = start > UINT32_MAX ? UINT32_MAX : (uint32_t)start;
		if (!pd_vec_push(&table->rows, row))
			return &pd_enomem;
		if (start >= UINT32_MAX)
			break;
	}
	return NULL;
}

struct pd_error *unw_table_create(
	const struct unw_binary *binary, bool is_vdso, struct unw_table **ret)
{
	struct builder b = { .binary = binary, .arch = binary->arch, .is_vdso = is_vdso };
	struct unw_table *table = calloc(1, sizeof(*table));
	struct unw_vaddrs starts = { 0 };
	struct pd_error *err = table ? build(&b, &starts) : &pd_enomem;

	if (!err)
		err = finish(&b, table);
	pd_vec_deinit(&starts.list);
	pd_vec_deinit(&b.rows);
	if (!err)
		*ret = table;
	else
		unw_table_destroy(table);
	return err;
}

void unw_table_destroy(struct unw_table *table)
{
	if (!table)
		return;
	pd_vec_deinit(&table->rows);
	free(table);
}

const struct bw_row *unw_table_find(const struct unw_table *table, uint64_t addr)
{
	uint64_t off = addr - table->base;

	if (addr < table->base || off >= UINT32_MAX || !table->rows.n)
		return NULL;
	size_t n = base_lower_bound(table->rows.n, i, table->rows.data[i].start <= off);
	return n ? &table->rows.data[n - 1] : NULL;
}

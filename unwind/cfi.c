#include "unwind/cfi.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/limit.h"
#include "unwind/arch.h"
#include "unwind/cfa_program.h"
#include "unwind/cfi_ranges.h"
#include "unwind/code.h"
#include "unwind/exidx.h"
#include "unwind/fde.h"
#include "unwind/fde_table.h"
#include "unwind/go_frames.h"
#include "unwind/go_runtime.h"
#include "unwind/known_code.h"
#include "unwind/row.h"
#include "unwind/starts.h"

struct unw_cfi {
	const struct unw_arch *arch;
	struct unw_frame_section eh_frame;
	struct unw_frame_section debug_frame;
	struct unw_exidx exidx;
	const struct pd_pclntab *go;
	struct unw_section text;
	/** Marks of the text, owned. */
	uint64_t *isa_marks;
	struct unw_starts *starts;
	struct unw_hdr_table hdr;
	/** Tables for .eh_frame if hdr is not usable, and for .debug_frame. */
	struct unw_fde_table *eh_table;
	struct unw_fde_table *debug_table;
	struct unw_cfa_marks *marks;
	struct unw_range plts[UNW_MAX_PLTS];
	bool has_plt_header;
	/** Code at the entry point; empty if there is none. */
	struct unw_range entry;
	bool is_doubtful;
	struct unw_base *roots;
	size_t n_roots;
	/** Limits that were noted. Accessed atomically. */
	struct pd_limit_set *limits;
};

enum {
	/** Largest length of entry code in bytes: Free Pascal's _start has 80 on x86-64. */
	MAX_ENTRY_BYTES = 256,
	/**
	 * Largest length where the end is not found by instructions. The longest of glibc is _start
	 * of the dynamic loader: 60 on x86-64.
	 */
	UNKNOWN_ENTRY_BYTES = 64,
};

static struct unw_frame_section frame_section(const struct unw_cfi_input *input,
	const struct unw_arch *arch, const struct unw_section *bytes, bool is_debug_frame)
{
	return (struct unw_frame_section){
		.bytes = *bytes,
		.is_debug_frame = is_debug_frame,
		.swap = unw_arch_swap(arch),
		.word = arch->arch->word,
		.text_vaddr = input->text_vaddr,
		.data_vaddr = input->data_vaddr,
	};
}

const struct unw_arch *unw_cfi_arch(const struct unw_cfi *cfi)
{
	return cfi->arch;
}

bool unw_cfi_plt_step(const struct unw_cfi *cfi, uint64_t addr, struct unw_step *ret)
{
	for (size_t i = 0; i < UNW_MAX_PLTS && cfi->arch->plt_step; i++) {
		uint64_t off = addr - cfi->plts[i].start;
		uint64_t header = i == 0 && cfi->has_plt_header ? cfi->arch->plt_header : 0;

		if (addr < cfi->plts[i].start || addr >= cfi->plts[i].end)
			continue;
		bool is_header = off < header;
		*ret = cfi->arch->plt_step(cfi->arch, is_header ? off : off - header, is_header);
		return true;
	}
	return false;
}

bool unw_cfi_is_entry(const struct unw_cfi *cfi, uint64_t addr)
{
	return addr >= cfi->entry.start && addr < cfi->entry.end;
}

bool unw_cfi_is_root(const struct unw_cfi *cfi, uint64_t addr)
{
	for (size_t i = 0; i < cfi->n_roots; i++) {
		if (addr >= cfi->roots[i].range.start && addr < cfi->roots[i].range.end)
			return true;
	}
	return false;
}

static struct unw_code_at code_at(const struct unw_cfi *cfi, uint64_t pc)
{
	return (struct unw_code_at){ cfi->text.data, cfi->text.size, pc - cfi->text.vaddr };
}

bool unw_cfi_is_trampoline(const struct unw_cfi *cfi, uint64_t pc, bool is_return)
{
	return unw_is_trampoline(cfi->arch, code_at(cfi, pc), is_return);
}

bool unw_cfi_is_after_trampoline(const struct unw_cfi *cfi, uint64_t pc)
{
	return unw_is_after_trampoline(cfi->arch, code_at(cfi, pc));
}

bool unw_cfi_is_base(const struct unw_cfi *cfi, uint64_t pc)
{
	return unw_is_base(cfi->arch, code_at(cfi, pc));
}

bool unw_cfi_is_exit(const struct unw_cfi *cfi, uint64_t pc)
{
	return unw_is_exit(cfi->arch, code_at(cfi, pc));
}

bool unw_cfi_is_after_entry_call(const struct unw_cfi *cfi, uint64_t pc)
{
	uint64_t target;

	return unw_cfi_is_entry(cfi, pc - 1) && cfi->arch->call_before &&
	       cfi->arch->call_before(&cfi->text, pc, &target) != UNW_CALL_NONE;
}

uint64_t unw_cfi_next_known(const struct unw_cfi *cfi, uint64_t pc, uint64_t end)
{
	const uint64_t base = cfi->text.vaddr;

	return base + unw_next_known(cfi->arch, code_at(cfi, pc), end - base);
}

bool unw_cfi_is_after_syscall(const struct unw_cfi *cfi, uint64_t pc)
{
	return unw_is_after_syscall(cfi->arch, code_at(cfi, pc));
}

bool unw_cfi_may_return_to(const struct unw_cfi *cfi, uint64_t pc, bool from_outside)
{
	struct unw_step plt;
	uint64_t target;

	if (!cfi->arch->call_before || pc - 1 - cfi->text.vaddr >= cfi->text.size)
		return true;
	switch (cfi->arch->call_before(&cfi->text, pc, &target)) {
	case UNW_CALL_NONE:
		return false;
	case UNW_CALL_DIRECT:
		return !from_outside || unw_cfi_plt_step(cfi, target, &plt);
	default:
		return true;
	}
}

/**
 * Find the part of @p root that is the base of a stack. Returns false if a function that should
 * switch stacks does not: it is a wrapper of the same name.
 */
static bool find_base(const struct unw_cfi *cfi, const struct unw_root *root, struct unw_base *ret)
{
	const struct unw_section *text = &cfi->text;
	uint64_t off = root->start - text->vaddr;

	*ret = (struct unw_base){ .range = { root->start, root->end },
		.function = root->start,
		.switches = root->switches };
	if (!root->switches)
		return true;
	if (!cfi->arch->stack_switch || root->end <= root->start || off >= text->size)
		return false;
	size_t size = root->end - root->start;
	if (size > text->size - off)
		size = text->size - off;
	size_t after = cfi->arch->stack_switch(cfi->arch, text->data + off, size);
	ret->range.start += after;
	return after > 0;
}

/** Find the code at the entry point @p vaddr. Functions without tables may follow at once. */
static struct unw_range find_entry(const struct unw_cfi *cfi, uint64_t vaddr)
{
	const struct unw_arch *arch = cfi->arch;
	/* On other architectures it is not known which calls do not return. */
	uint64_t size = arch->is_last ? MAX_ENTRY_BYTES : UNKNOWN_ENTRY_BYTES;

	if (!vaddr)
		return (struct unw_range){ 0 };
	return (struct unw_range){ vaddr, unw_code_find_end(&cfi->text, arch, vaddr, size) };
}

static bool copy_roots(struct unw_cfi *cfi, const struct unw_cfi_input *input)
{
	size_t n = input->n_roots < UNW_MAX_ROOTS ? input->n_roots : UNW_MAX_ROOTS;

	if (!n)
		return true;
	cfi->roots = reallocarray(NULL, n, sizeof(*cfi->roots));
	for (size_t i = 0; cfi->roots && i < n; i++)
		cfi->n_roots += find_base(cfi, &input->roots[i], &cfi->roots[cfi->n_roots]);
	return cfi->roots;
}

static bool copy_text(struct unw_cfi *cfi, const struct unw_section *text)
{
	size_t n = text->n_isa_marks;

	cfi->text = *text;
	if (!n)
		return true;
	cfi->isa_marks = reallocarray(NULL, n, sizeof(*cfi->isa_marks));
	cfi->text.isa_marks = cfi->isa_marks;
	if (cfi->isa_marks)
		memcpy(cfi->isa_marks, text->isa_marks, n * sizeof(*cfi->isa_marks));
	return cfi->isa_marks;
}

struct pd_error *unw_cfi_create(const struct unw_cfi_input *input, struct unw_cfi **ret)
{
	const struct unw_arch *arch = unw_arch_find(input->arch);

	if (!arch)
		return pd_error_create(
			PD_ERROR_UNSUPPORTED, NULL, "unwinding this architecture is not supported");
	struct unw_cfi *cfi = calloc(1, sizeof(*cfi));
	if (!cfi)
		return &pd_enomem;
	cfi->arch = arch;
	memcpy(cfi->plts, input->plts, sizeof(cfi->plts));
	cfi->has_plt_header = input->has_plt_header;
	cfi->is_doubtful = input->is_doubtful;
	cfi->eh_frame = frame_section(input, arch, &input->eh_frame, false);
	cfi->debug_frame = frame_section(input, arch, &input->debug_frame, true);
	cfi->exidx = (struct unw_exidx){
		.index = input->exidx,
		.extab = input->extab,
		.swap = unw_arch_swap(arch),
	};
	cfi->go = input->go;
	if (!copy_text(cfi, &input->text)) {
		free(cfi);
		return &pd_enomem;
	}
	cfi->entry = find_entry(cfi, input->entry_vaddr);
	/* No FDE is read here: of most binaries only few addresses are looked up. */
	cfi->hdr = unw_hdr_table_read(&input->eh_frame_hdr, &cfi->eh_frame);
	cfi->eh_table = unw_fde_table_create(&cfi->eh_frame);
	cfi->debug_table = unw_fde_table_create(&cfi->debug_frame);
	cfi->marks = unw_cfa_marks_create();
	cfi->starts = unw_starts_create(&cfi->text, arch);
	cfi->limits = calloc(1, sizeof(*cfi->limits));
	if (!cfi->eh_table || !cfi->debug_table || !cfi->marks || !cfi->starts || !cfi->limits ||
		!copy_roots(cfi, input)) {
		unw_cfi_destroy(cfi);
		return &pd_enomem;
	}
	*ret = cfi;
	return NULL;
}

void unw_cfi_destroy(struct unw_cfi *cfi)
{
	if (!cfi)
		return;
	unw_fde_table_destroy(cfi->eh_table);
	unw_fde_table_destroy(cfi->debug_table);
	unw_cfa_marks_destroy(cfi->marks);
	unw_starts_destroy(cfi->starts);
	free(cfi->roots);
	free(cfi->isa_marks);
	free(cfi->limits);
	free(cfi);
}

void unw_cfi_note_limits(const struct unw_cfi *cfi)
{
	struct pd_limit_set set = pd_limit_take();

	for (size_t i = 0; i < PD_ARRAY_LEN(set.bits); i++)
		__atomic_fetch_or(&cfi->limits->bits[i], set.bits[i], __ATOMIC_RELAXED);
}

struct pd_limit_set unw_cfi_limits(const struct unw_cfi *cfi)
{
	struct pd_limit_set set = { 0 };

	for (size_t i = 0; i < PD_ARRAY_LEN(set.bits); i++)
		set.bits[i] = __atomic_load_n(&cfi->limits->bits[i], __ATOMIC_RELAXED);
	return set;
}

bool unw_cfi_has_unusable_debug_frame(const struct unw_cfi *cfi)
{
	const struct unw_range code = { cfi->text.vaddr, cfi->text.vaddr + cfi->text.size };

	return cfi->text.data && unw_fde_table_misses(cfi->debug_table, &code);
}

/** Read the FDE at @p off, and its CIE. */
static bool read_fde(const struct unw_frame_section *section, uint64_t off, struct unw_cie *cie_ret,
	struct unw_fde *fde_ret)
{
	struct unw_entry entry;

	return unw_entry_read(section, off, &entry) && !entry.is_cie &&
	       unw_cie_read(section, entry.cie_off, cie_ret) &&
	       unw_fde_read(section, &entry, cie_ret, fde_ret);
}

/** Compute the row of @p addr by the FDE at @p off, if that covers it. */
static enum unw_cfi_result row_of_fde(const struct unw_cfi *cfi,
	const struct unw_frame_section *section, uint64_t off, uint64_t addr, struct unw_row *ret)
{
	struct unw_cie cie;
	struct unw_fde fde;

	if (!read_fde(section, off, &cie, &fde))
		return UNW_CFI_BAD;
	if (addr < fde.start || addr >= fde.end)
		return UNW_CFI_NONE;
	return unw_cfa_run(cfi->arch, section, &fde, addr, cfi->marks, ret) ? UNW_CFI_ROW
									    : UNW_CFI_BAD;
}

/** Whether the FDE at @p off is empty. Some linkers keep those of functions that they discard. */
static bool is_empty_fde(const struct unw_frame_section *section, uint64_t off)
{
	struct unw_cie cie;
	struct unw_fde fde;

	return read_fde(section, off, &cie, &fde) && fde.start == fde.end;
}

/** Find the offset of the last FDE in @p section that begins at or before @p addr. */
static struct pd_error *find_offset(const struct unw_cfi *cfi,
	const struct unw_frame_section *section, uint64_t addr, bool *found_ret, uint64_t *off_ret)
{
	struct unw_fde_table *table = section->is_debug_frame ? cfi->debug_table : cfi->eh_table;
	bool has_hdr = !section->is_debug_frame && cfi->hdr.n;
	size_t n = has_hdr ? unw_hdr_table_count(&cfi->hdr, addr) : 0;

	*found_ret = n > 0;
	if (n)
		*off_ret = unw_hdr_table_offset(&cfi->hdr, section->bytes.vaddr, n - 1);
	/* An empty FDE may follow the one that covers the address. The table has none. */
	if (has_hdr && !(n && is_empty_fde(section, *off_ret)))
		return NULL;
	return unw_fde_table_find(table, addr, found_ret, off_ret);
}

static struct pd_error *find_in_section(const struct unw_cfi *cfi,
	const struct unw_frame_section *section, uint64_t addr, enum unw_cfi_result *result,
	struct unw_row *ret)
{
	uint64_t off;
	bool found;

	struct pd_error *err = find_offset(cfi, section, addr, &found, &off);
	if (err)
		return err;
	*result = found ? row_of_fde(cfi, section, off, addr, ret) : UNW_CFI_NONE;
	return NULL;
}

static struct pd_error *find_in_frames(const struct unw_cfi *cfi, uint64_t addr,
	enum unw_cfi_result *result_ret, struct unw_row *row_ret)
{
	enum unw_cfi_result debug_result;

	struct pd_error *err = find_in_section(cfi, &cfi->eh_frame, addr, result_ret, row_ret);
	if (err || *result_ret == UNW_CFI_ROW || !cfi->debug_frame.bytes.data)
		return err;
	err = find_in_section(cfi, &cfi->debug_frame, addr, &debug_result, row_ret);
	if (err)
		return err;
	if (debug_result != UNW_CFI_NONE)
		*result_ret = debug_result;
	return NULL;
}

/**
 * Whether looking for starts of functions pays. It takes reading the whole text, about 20 ms per
 * MiB. In a large binary that has call frame information, only a few functions written in assembly
 * lack it.
 */
static bool should_find_starts(const struct unw_cfi *cfi)
{
	enum { SMALL_TEXT = 32 << 10, USUAL_SHARE = 64 };
	size_t text = cfi->text.size;

	/* Call frame information usually takes a tenth of the bytes of the code. */
	return text <= SMALL_TEXT ||
	       cfi->eh_frame.bytes.size + cfi->debug_frame.bytes.size < text / USUAL_SHARE;
}

/** Find the row of @p addr by the instructions from the start of its function. */
static bool find_from_start(const struct unw_cfi *cfi, uint64_t addr, bool is_at_call,
	enum unw_code_trust trust, struct unw_row *ret)
{
	/* An address that is taken may be one of data, or of a part of the function. */
	enum { MAX_STARTS = 3 };
	uint64_t start = addr + 1;

	if (!should_find_starts(cfi))
		return false;
	for (int i = 0; i < MAX_STARTS && unw_starts_find(cfi->starts, start - 1, &start); i++) {
		if (unw_code_find_row_from(
			    &cfi->text, cfi->arch, start, addr, is_at_call, trust, ret))
			return true;
	}
	return false;
}

/** Find the row of @p addr by the instructions from there to the return, or from the start. */
static bool find_by_code(
	const struct unw_cfi *cfi, uint64_t addr, bool is_at_call, struct unw_row *ret)
{
	struct unw_row row;

	/* Entry code does not return. */
	if (unw_cfi_is_entry(cfi, addr))
		return false;
	enum unw_code_result result =
		unw_code_find_row(&cfi->text, cfi->arch, addr, is_at_call, ret);
	if (result == UNW_CODE_ROW)
		return true;
	if (find_from_start(cfi, addr, is_at_call, UNW_CODE_STRICT, &row)) {
		*ret = row;
		return true;
	}
	if (result == UNW_CODE_DOUBTFUL)
		return true;
	/* At calls the alignment of the stack shows whether the path has left the function. */
	return (is_at_call && find_from_start(cfi, addr, is_at_call, UNW_CODE_ANY_CALL, ret)) ||
	       find_from_start(cfi, addr, is_at_call, UNW_CODE_ANY_STACK, ret);
}

/** Find the row of @p addr, which no FDE covers. */
static enum unw_cfi_result find_otherwise(
	const struct unw_cfi *cfi, uint64_t addr, bool is_at_call, struct unw_row *ret)
{
	struct unw_step plt;
	struct unw_row row;

	/*
	 * An entry of ARM's index has no end, so a PLT after a function would seem to be part of
	 * it.
	 */
	if (unw_cfi_plt_step(cfi, addr, &plt))
		return UNW_CFI_NONE;
	enum unw_cfi_result result = unw_exidx_find_row(&cfi->exidx, cfi->arch, addr, ret);
	if (result == UNW_CFI_ROW && (is_at_call || ret->is_signal))
		return result;
	if (find_by_code(cfi, addr, is_at_call, &row)) {
		*ret = row;
		return UNW_CFI_ROW;
	}
	return result;
}

/** Whether the row says that the return address is still in the link register. */
static bool has_no_frame(const struct unw_arch *arch, const struct unw_row *row)
{
	return unw_arch_has_link(arch) && row->ra_column == arch->ra &&
	       row->regs[arch->ra].kind == UNW_RULE_SAME;
}

/** Find out whether @p row is the only one of its FDE. */
static struct pd_error *find_only(const struct unw_cfi *cfi, const struct unw_row *row, bool *ret)
{
	struct unw_range fde = { 0 };
	struct pd_error *err = unw_cfi_find_fde(cfi, row->start, &fde);

	*ret = fde.end && fde.start == row->start && fde.end == row->end;
	return err;
}

/** Correct rows that are known to be wrong. */
static struct pd_error *correct(
	const struct unw_cfi *cfi, uint64_t addr, bool is_at_call, struct unw_row *row)
{
	const struct unw_arch *arch = cfi->arch;
	struct pd_error *err = NULL;
	struct unw_row other;
	bool is_only = false;

	if (arch->correct_row)
		arch->correct_row(row);
	if (!has_no_frame(arch, row))
		return NULL;
	/*
	 * After a call the link register does not hold the frame's return address. A row that
	 * claims it does was never meant for this address, so look at the instructions. An FDE
	 * without instructions may be all that a function written in assembly has.
	 */
	if (!is_at_call)
		err = find_only(cfi, row, &is_only);
	if (err || !(is_at_call || is_only) ||
		!unw_code_find_row(&cfi->text, arch, addr, is_at_call, &other))
		return err;
	if (is_at_call || other.cfa_off != row->cfa_off || !has_no_frame(arch, &other))
		*row = other;
	return NULL;
}

struct pd_error *unw_cfi_find_row(const struct unw_cfi *cfi, uint64_t addr, bool is_at_call,
	enum unw_cfi_result *result_ret, struct unw_row *row_ret)
{
	struct pd_error *err = NULL;

	/*
	 * Go's linker makes call frame information from the table that is read here. It has no
	 * frame pointers, and calls CFA what is the caller's stack pointer, also where the ABI has
	 * a register save area between the two.
	 */
	if (cfi->go && unw_go_find_row(cfi->go, &cfi->text, cfi->arch, addr, row_ret))
		*result_ret = UNW_CFI_ROW;
	else
		err = find_in_frames(cfi, addr, result_ret, row_ret);
	if (err)
		return err;
	if (*result_ret == UNW_CFI_NONE)
		*result_ret = find_otherwise(cfi, addr, is_at_call, row_ret);
	else if (*result_ret == UNW_CFI_ROW)
		err = correct(cfi, addr, is_at_call, row_ret);
	if (err)
		return err;
	if (*result_ret == UNW_CFI_ROW && cfi->go)
		unw_go_correct_row(cfi->go, &cfi->text, cfi->arch, addr, row_ret);
	if (*result_ret == UNW_CFI_ROW && cfi->is_doubtful)
		row_ret->is_guess = true;
	return NULL;
}

/** Find the range of the FDE that covers @p addr in @p section; empty if none does. */
static struct pd_error *find_range(const struct unw_cfi *cfi,
	const struct unw_frame_section *section, uint64_t addr, struct unw_range *ret)
{
	struct unw_cie cie;
	struct unw_fde fde;
	uint64_t off;
	bool found;
	struct pd_error *err = find_offset(cfi, section, addr, &found, &off);

	*ret = (struct unw_range){ 0 };
	if (err || !found || !read_fde(section, off, &cie, &fde))
		return err;
	if (addr >= fde.start && addr < fde.end)
		*ret = (struct unw_range){ fde.start, fde.end };
	return NULL;
}

/** A visit of rows. */
struct visit {
	const struct unw_cfi *cfi;
	unw_cfi_on_row *fn;
	void *ctx;
	uint64_t end;
};

static bool visit_row(void *ctx, const struct unw_row *row)
{
	const struct visit *v = ctx;
	const struct unw_arch *arch = v->cfi->arch;
	struct unw_row own;

	if (row->start >= v->end)
		return false;
	memcpy(&own, row, offsetof(struct unw_row, regs) + arch->n_regs * sizeof(row->regs[0]));
	if (own.end > v->end)
		own.end = v->end;
	if (arch->correct_row)
		arch->correct_row(&own);
	own.is_guess |= v->cfi->is_doubtful;
	return v->fn(v->ctx, &own);
}

/**
 * Visit the rows of the FDE in @p section, if it covers v->end - 1 and begins at @p start. If it
 * does not, *others_ret is whether another section may.
 */
static struct pd_error *visit_section(struct visit *v, const struct unw_frame_section *section,
	uint64_t start, uint64_t *end_ret, bool *others_ret)
{
	struct unw_cie cie;
	struct unw_fde fde;
	uint64_t off;
	bool found;
	struct pd_error *err = find_offset(v->cfi, section, start, &found, &off);

	*others_ret = !err && !found;
	if (err || !found || !read_fde(section, off, &cie, &fde))
		return err;
	*others_ret = start >= fde.end;
	if (fde.start == start && v->end <= fde.end)
		*end_ret = unw_cfa_visit(v->cfi->arch, section, &fde, visit_row, v);
	return NULL;
}

struct pd_error *unw_cfi_visit_rows(const struct unw_cfi *cfi, struct unw_range range,
	unw_cfi_on_row *fn, void *ctx, uint64_t *end_ret)
{
	struct visit v = { .cfi = cfi, .fn = fn, .ctx = ctx, .end = range.end };
	bool others;

	*end_ret = range.start;
	/* Rows of Go's functions come from another table. */
	if (cfi->go && unw_go_find_range(cfi->go, range.start).end)
		return NULL;
	struct pd_error *err = visit_section(&v, &cfi->eh_frame, range.start, end_ret, &others);
	if (!err && others && cfi->debug_frame.bytes.data)
		err = visit_section(&v, &cfi->debug_frame, range.start, end_ret, &others);
	if (*end_ret > range.end)
		*end_ret = range.end;
	return err;
}

struct pd_error *unw_cfi_find_fde(const struct unw_cfi *cfi, uint64_t addr, struct unw_range *ret)
{
	struct pd_error *err = find_range(cfi, &cfi->eh_frame, addr, ret);

	if (!err && ret->start == ret->end)
		err = find_range(cfi, &cfi->debug_frame, addr, ret);
	if (!err && ret->start == ret->end && cfi->go)
		*ret = unw_go_find_range(cfi->go, addr);
	return err;
}

struct pd_error *unw_cfi_is_by_hand(
	const struct unw_cfi *cfi, uint64_t pc, bool is_covered, bool *ret)
{
	struct unw_range at = { 0 }, before;

	if (cfi->go)
		at = unw_go_find_range(cfi->go, pc);
	*ret = at.end && at.start == pc;
	if (is_covered || at.end)
		return NULL;
	struct pd_error *err = unw_cfi_find_fde(cfi, pc, &at);
	/* The entry code of Zig ends with its call, so the next function begins there. */
	if (err || !at.end || at.start != pc || unw_cfi_is_after_entry_call(cfi, pc))
		return err;
	err = unw_cfi_find_fde(cfi, pc - 1, &before);
	*ret = !err && !before.end;
	return err;
}

struct pd_error *unw_cfi_is_uncalled(const struct unw_cfi *cfi, uint64_t pc, bool *ret)
{
	struct unw_range fde = { 0 };

	*ret = !cfi->go && !unw_cfi_may_return_to(cfi, pc, false);
	struct pd_error *err = *ret ? unw_cfi_find_fde(cfi, pc - 1, &fde) : NULL;
	if (fde.end && fde.start == pc - 1)
		*ret = false;
	return err;
}

struct pd_error *unw_cfi_find_function(
	const struct unw_cfi *cfi, uint64_t addr, struct unw_range *ret)
{
	struct unw_row row;
	struct pd_error *err = unw_cfi_find_fde(cfi, addr, ret);

	if (!err && ret->start == ret->end &&
		unw_exidx_find_row(&cfi->exidx, cfi->arch, addr, &row) == UNW_CFI_ROW)
		*ret = (struct unw_range){ row.start, row.end };
	return err;
}

struct pd_error *unw_cfi_is_same_function(
	const struct unw_cfi *cfi, uint64_t a, uint64_t b, bool *ret)
{
	struct unw_range range;
	struct pd_error *err = unw_cfi_find_function(cfi, a, &range);

	*ret = !err && b >= range.start && b < range.end;
	return err;
}

static int compare_vaddrs(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static bool add_go_starts(const struct pd_pclntab *go, struct unw_vaddrs *ret)
{
	struct pd_go_func func;

	for (uint64_t i = 0; i < go->n_funcs; i++) {
		if (pd_pclntab_func(go, i, &func) && func.frame_table &&
			!pd_vec_push(&ret->list, func.start))
			return false;
	}
	return true;
}

struct pd_error *unw_cfi_list_starts(const struct unw_cfi *cfi, struct unw_vaddrs *ret)
{
	struct pd_error *err = NULL;
	size_t n = 0;

	if (cfi->hdr.n)
		err = unw_hdr_table_list(&cfi->hdr, ret);
	else if (cfi->eh_frame.bytes.data)
		err = unw_fde_table_list(cfi->eh_table, ret);
	if (!err && cfi->debug_frame.bytes.data)
		err = unw_fde_table_list(cfi->debug_table, ret);
	if (err)
		return err;
	if (cfi->go && !add_go_starts(cfi->go, ret))
		return &pd_enomem;
	if (ret->list.n)
		qsort(ret->list.data, ret->list.n, sizeof(*ret->list.data), compare_vaddrs);
	for (size_t i = 0; i < ret->list.n; i++) {
		if (!n || ret->list.data[n - 1] != ret->list.data[i])
			ret->list.data[n++] = ret->list.data[i];
	}
	ret->list.n = n;
	return NULL;
}

bool unw_cfi_plt(const struct unw_cfi *cfi, size_t i, struct unw_range *ret, uint64_t *header_ret)
{
	if (i >= UNW_MAX_PLTS || !cfi->arch->plt_step)
		return false;
	*ret = cfi->plts[i];
	*header_ret = i == 0 && cfi->has_plt_header ? cfi->arch->plt_header : 0;
	return true;
}

bool unw_cfi_root(const struct unw_cfi *cfi, size_t i, struct unw_base *ret)
{
	if (i >= cfi->n_roots)
		return false;
	*ret = cfi->roots[i];
	return true;
}

bool unw_cfi_sets_fp(const struct unw_cfi *cfi, uint64_t start)
{
	uint64_t off = start - cfi->text.vaddr;

	return cfi->arch == &unw_arch_x86_64 && off < cfi->text.size &&
	       unw_x86_sets_fp(cfi->text.data + off, cfi->text.size - off);
}

struct unw_range unw_cfi_entry(const struct unw_cfi *cfi)
{
	return cfi->entry;
}

struct unw_range unw_cfi_text(const struct unw_cfi *cfi)
{
	return (struct unw_range){ cfi->text.vaddr, cfi->text.vaddr + cfi->text.size };
}

bool unw_cfi_is_row_corrected(const struct unw_cfi *cfi, uint64_t addr)
{
	return cfi->go && unw_go_corrects(cfi->go, addr);
}

#include "unwind/binary_rows.h"

#include <stdlib.h>
#include <string.h>

#include "unwind/rules/code_analysis.h"
#include "unwind/go/go_frames.h"
#include "unwind/go/go_runtime.h"
#include "unwind/starts.h"

enum {
	/** Largest length of entry code in bytes: Free Pascal's _start has 80 on x86-64. */
	MAX_ENTRY_BYTES = 256,
	/**
	 * Largest length where the end is not found by instructions. The longest of glibc is _start
	 * of the dynamic loader: 60 on x86-64.
	 */
	UNKNOWN_ENTRY_BYTES = 64,
};

static struct unw_frame_section frame_section(const struct unw_binary_input *input,
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

bool unw_binary_plt_step(const struct unw_binary *binary, uint64_t addr, struct unw_step *ret)
{
	for (size_t i = 0; i < UNW_MAX_PLTS && binary->arch->plt.step; i++) {
		uint64_t off = addr - binary->plts.list[i].start;
		uint64_t header = unw_binary_plt_header(binary, i);

		if (!unw_range_has(&binary->plts.list[i], addr))
			continue;
		bool is_header = off < header;
		*ret = binary->arch->plt.step(
			binary->arch, is_header ? off : off - header, is_header);
		return true;
	}
	return false;
}

bool unw_binary_is_root(const struct unw_binary *binary, uint64_t addr)
{
	for (size_t i = 0; i < binary->roots.n; i++) {
		if (unw_range_has(&binary->roots.data[i].range, addr))
			return true;
	}
	return false;
}

bool unw_binary_sets_fp(const struct unw_binary *binary, uint64_t start)
{
	uint64_t off = start - binary->text.vaddr;

	return binary->arch == &unw_arch_x86_64 && off < binary->text.size &&
	       unw_x86_sets_fp(binary->text.data + off, binary->text.size - off);
}

bool unw_binary_is_after_entry_call(const struct unw_binary *binary, uint64_t pc)
{
	uint64_t target;

	return unw_range_has(&binary->entry, pc - 1) && binary->arch->calls.before &&
	       binary->arch->calls.before(binary->arch, &binary->text, pc, &target) !=
		       UNW_CALL_NONE;
}

bool unw_binary_may_return_to(const struct unw_binary *binary, uint64_t pc, bool from_outside)
{
	struct unw_step plt;
	uint64_t target;

	if (!binary->arch->calls.before || pc - 1 - binary->text.vaddr >= binary->text.size)
		return true;
	switch (binary->arch->calls.before(binary->arch, &binary->text, pc, &target)) {
	case UNW_CALL_NONE:
		return false;
	case UNW_CALL_DIRECT:
		return !from_outside || unw_binary_plt_step(binary, target, &plt);
	default:
		return true;
	}
}

/**
 * Find the part of @p root that is the base of a stack. Returns false if a function that should
 * switch stacks does not: it is a wrapper of the same name.
 */
static bool find_base(
	const struct unw_binary *binary, const struct unw_root *root, struct unw_base *ret)
{
	const struct unw_section *text = &binary->text;
	uint64_t off = root->start - text->vaddr;

	*ret = (struct unw_base){
		.range = { root->start, root->end },
		.function = root->start,
		.switches = root->switches,
	};
	if (!root->switches)
		return true;
	if (!binary->arch->base.find_switch || root->end <= root->start || off >= text->size)
		return false;
	size_t size = root->end - root->start;
	if (size > text->size - off)
		size = text->size - off;
	size_t after = binary->arch->base.find_switch(binary->arch, text->data + off, size);
	ret->range.start += after;
	return after > 0;
}

/** Find the code at the entry point @p vaddr. Functions without tables may follow at once. */
static struct unw_range find_entry(const struct unw_binary *binary, uint64_t vaddr)
{
	const struct unw_arch *arch = binary->arch;
	/* On other architectures it is not known which calls do not return. */
	uint64_t size = arch->calls.is_last ? MAX_ENTRY_BYTES : UNKNOWN_ENTRY_BYTES;

	if (!vaddr)
		return (struct unw_range){ 0 };
	return (struct unw_range){ vaddr, unw_code_find_end(&binary->text, arch, vaddr, size) };
}

static bool copy_roots(struct unw_binary *binary, const struct unw_binary_input *input)
{
	struct unw_base base;

	for (size_t i = 0; i < input->roots.n && i < UNW_MAX_ROOTS; i++) {
		if (find_base(binary, &input->roots.data[i], &base) &&
			!pd_vec_push(&binary->roots, base))
			return false;
	}
	return true;
}

static bool copy_text(struct unw_binary *binary, const struct unw_section *text)
{
	size_t n = text->mapping_symbols.n;
	uint64_t *marks = n ? reallocarray(NULL, n, sizeof(*marks)) : NULL;

	if (marks)
		memcpy(marks, text->mapping_symbols.data, n * sizeof(*marks));
	binary->text = *text;
	binary->text.mapping_symbols.data = marks;
	return marks || !n;
}

struct pd_error *unw_binary_create(const struct unw_binary_input *input, struct unw_binary **ret)
{
	const struct unw_arch *arch = unw_arch_find(input->arch);

	if (!arch)
		return pd_error_create(
			PD_ERROR_UNSUPPORTED, NULL, "unwinding this architecture is not supported");
	struct unw_binary *binary = calloc(1, sizeof(*binary));
	if (!binary)
		return &pd_enomem;
	binary->arch = arch;
	binary->plts = input->plts;
	binary->is_doubtful = input->is_doubtful;
	binary->cfi = (struct unw_cfi){
		.arch = arch,
		.eh_frame = frame_section(input, arch, &input->eh_frame, false),
		.debug_frame = frame_section(input, arch, &input->debug_frame, true),
	};
	binary->exidx = (struct unw_exidx){
		.index = input->exidx,
		.extab = input->extab,
		.swap = unw_arch_swap(arch),
	};
	binary->go = input->go;
	binary->starts = unw_starts_create(&binary->text, arch);
	binary->limits = calloc(1, sizeof(*binary->limits));
	if (!binary->starts || !binary->limits ||
		!unw_cfi_init(&binary->cfi, &input->eh_frame_hdr) ||
		!copy_text(binary, &input->text) || !copy_roots(binary, input)) {
		unw_binary_destroy(binary);
		return &pd_enomem;
	}
	binary->entry = find_entry(binary, input->entry_vaddr);
	*ret = binary;
	return NULL;
}

void unw_binary_destroy(struct unw_binary *binary)
{
	if (!binary)
		return;
	unw_cfi_deinit(&binary->cfi);
	unw_starts_destroy(binary->starts);
	pd_vec_deinit(&binary->roots);
	free((uint64_t *)binary->text.mapping_symbols.data);
	free(binary->limits);
	free(binary);
}

void unw_binary_note_limits(const struct unw_binary *binary)
{
	struct base_limit_set set = base_limit_reached();

	for (size_t i = 0; i < PD_ARRAY_LEN(set.bits); i++)
		__atomic_fetch_or(&binary->limits->bits[i], set.bits[i], __ATOMIC_RELAXED);
}

struct base_limit_set unw_binary_limits(const struct unw_binary *binary)
{
	struct base_limit_set set = { 0 };

	for (size_t i = 0; i < PD_ARRAY_LEN(set.bits); i++)
		set.bits[i] = __atomic_load_n(&binary->limits->bits[i], __ATOMIC_RELAXED);
	return set;
}

bool unw_binary_has_unusable_debug_frame(const struct unw_binary *binary)
{
	const struct unw_range code = unw_section_range(&binary->text);

	return binary->text.data && unw_fde_table_misses(binary->cfi.debug_table, &code);
}

/**
 * Whether looking for starts of functions pays. It takes reading the whole text, about 20 ms per
 * MiB. In a large binary that has call frame information, only a few functions written in assembly
 * lack it.
 */
static bool should_find_starts(const struct unw_binary *binary)
{
	enum { SMALL_TEXT = 32 << 10, LEAST_SHARE = 64 };
	size_t text = binary->text.size;

	/* Call frame information typically takes a tenth of the bytes of the code. */
	return text <= SMALL_TEXT ||
	       binary->cfi.eh_frame.bytes.size + binary->cfi.debug_frame.bytes.size <
		       text / LEAST_SHARE;
}

/** Find the row of @p addr by the instructions from the start of its function. */
static bool find_from_start(const struct unw_binary *binary, uint64_t addr, bool is_at_call,
	enum unw_code_trust trust, struct unw_row *ret)
{
	/* An address that is taken may be one of data, or of a part of the function. */
	enum { MAX_STARTS = 3 };
	uint64_t start = addr + 1;

	if (!should_find_starts(binary))
		return false;
	for (int i = 0; i < MAX_STARTS && unw_starts_find(binary->starts, start - 1, &start); i++) {
		if (unw_code_find_row_from(
			    &binary->text, binary->arch, start, addr, is_at_call, trust, ret))
			return true;
	}
	return false;
}

/** Find the row of @p addr by the instructions from there to the return, or from the start. */
static bool find_by_code(
	const struct unw_binary *binary, uint64_t addr, bool is_at_call, struct unw_row *ret)
{
	struct unw_row row;

	/* Entry code does not return. */
	if (unw_range_has(&binary->entry, addr))
		return false;
	enum unw_code_result result =
		unw_code_find_row(&binary->text, binary->arch, addr, is_at_call, ret);
	if (result == UNW_CODE_ROW)
		return true;
	if (find_from_start(binary, addr, is_at_call, UNW_CODE_STRICT, &row)) {
		*ret = row;
		return true;
	}
	if (result == UNW_CODE_DOUBTFUL)
		return true;
	/* At calls the alignment of the stack shows whether the path has left the function. */
	return (is_at_call && find_from_start(binary, addr, is_at_call, UNW_CODE_ANY_CALL, ret)) ||
	       find_from_start(binary, addr, is_at_call, UNW_CODE_ANY_STACK, ret);
}

/** Find the row of @p addr, which no FDE covers. */
static enum unw_cfi_result find_otherwise(
	const struct unw_binary *binary, uint64_t addr, bool is_at_call, struct unw_row *ret)
{
	struct unw_step plt;
	struct unw_row row;

	/*
	 * An entry of ARM's index has no end, so a PLT after a function would seem to be part of
	 * it.
	 */
	if (unw_binary_plt_step(binary, addr, &plt))
		return UNW_CFI_NONE;
	enum unw_cfi_result result = unw_exidx_find_row(&binary->exidx, binary->arch, addr, ret);
	if (result == UNW_CFI_ROW && (is_at_call || ret->is_signal))
		return result;
	if (find_by_code(binary, addr, is_at_call, &row)) {
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
static struct pd_error *find_only(
	const struct unw_binary *binary, const struct unw_row *row, bool *ret)
{
	struct unw_range fde = { 0 };
	struct pd_error *err = unw_binary_find_fde(binary, row->start, &fde);

	*ret = fde.end && fde.start == row->start && fde.end == row->end;
	return err;
}

/** Correct rows that are known to be wrong. */
static struct pd_error *correct(
	const struct unw_binary *binary, uint64_t addr, bool is_at_call, struct unw_row *row)
{
	const struct unw_arch *arch = binary->arch;
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
		err = find_only(binary, row, &is_only);
	if (err || !(is_at_call || is_only) ||
		!unw_code_find_row(&binary->text, arch, addr, is_at_call, &other))
		return err;
	if (is_at_call || other.cfa_off != row->cfa_off || !has_no_frame(arch, &other))
		*row = other;
	return NULL;
}

struct pd_error *unw_binary_find_row(const struct unw_binary *binary, uint64_t addr,
	bool is_at_call, enum unw_cfi_result *result_ret, struct unw_row *row_ret)
{
	struct pd_error *err = NULL;

	/*
	 * Go's linker makes call frame information from the table that is read here. It has no
	 * frame pointers, and calls CFA what is the caller's stack pointer, also where the ABI has
	 * a register save area between the two.
	 */
	if (binary->go && unw_go_find_row(binary->go, &binary->text, binary->arch, addr, row_ret))
		*result_ret = UNW_CFI_ROW;
	else
		err = unw_cfi_find_row(&binary->cfi, addr, result_ret, row_ret);
	if (err)
		return err;
	if (*result_ret == UNW_CFI_NONE)
		*result_ret = find_otherwise(binary, addr, is_at_call, row_ret);
	else if (*result_ret == UNW_CFI_ROW)
		err = correct(binary, addr, is_at_call, row_ret);
	if (err)
		return err;
	if (*result_ret == UNW_CFI_ROW && binary->go)
		unw_go_correct_row(binary->go, &binary->text, binary->arch, addr, row_ret);
	if (*result_ret == UNW_CFI_ROW && binary->is_doubtful)
		row_ret->is_guess = true;
	return NULL;
}

/** A visit of rows. */
struct visit {
	const struct unw_binary *binary;
	unw_binary_on_row *fn;
	void *ctx;
	uint64_t end;
};

static bool visit_row(void *ctx, const struct unw_row *row)
{
	const struct visit *v = ctx;
	const struct unw_arch *arch = v->binary->arch;
	struct unw_row own;

	if (row->start >= v->end)
		return false;
	memcpy(&own, row, offsetof(struct unw_row, regs) + arch->n_regs * sizeof(row->regs[0]));
	if (own.end > v->end)
		own.end = v->end;
	if (arch->correct_row)
		arch->correct_row(&own);
	own.is_guess |= v->binary->is_doubtful;
	return v->fn(v->ctx, &own);
}

struct pd_error *unw_binary_visit_rows(const struct unw_binary *binary, struct unw_range range,
	unw_binary_on_row *fn, void *ctx, uint64_t *end_ret)
{
	struct visit v = { .binary = binary, .fn = fn, .ctx = ctx, .end = range.end };

	*end_ret = range.start;
	/* Rows of Go's functions come from another table. */
	if (binary->go && unw_go_find_range(binary->go, range.start).end)
		return NULL;
	struct pd_error *err = unw_cfi_visit_rows(&binary->cfi, range, visit_row, &v, end_ret);
	if (*end_ret > range.end)
		*end_ret = range.end;
	return err;
}

struct pd_error *unw_binary_find_fde(
	const struct unw_binary *binary, uint64_t addr, struct unw_range *ret)
{
	struct pd_error *err = unw_cfi_find_fde(&binary->cfi, addr, ret);

	if (!err && ret->start == ret->end && binary->go)
		*ret = unw_go_find_range(binary->go, addr);
	return err;
}

struct pd_error *unw_binary_is_by_hand(
	const struct unw_binary *binary, uint64_t pc, bool is_covered, bool *ret)
{
	struct unw_range at = { 0 }, before;

	if (binary->go)
		at = unw_go_find_range(binary->go, pc);
	*ret = at.end && at.start == pc;
	if (is_covered || at.end)
		return NULL;
	struct pd_error *err = unw_binary_find_fde(binary, pc, &at);
	/* The entry code of Zig ends with its call, so the next function begins there. */
	if (err || !at.end || at.start != pc || unw_binary_is_after_entry_call(binary, pc))
		return err;
	err = unw_binary_find_fde(binary, pc - 1, &before);
	*ret = !err && !before.end;
	return err;
}

struct pd_error *unw_binary_is_uncalled(const struct unw_binary *binary, uint64_t pc, bool *ret)
{
	struct unw_range fde = { 0 };

	*ret = !binary->go && !unw_binary_may_return_to(binary, pc, false);
	struct pd_error *err = *ret ? unw_binary_find_fde(binary, pc - 1, &fde) : NULL;
	if (fde.end && fde.start == pc - 1)
		*ret = false;
	return err;
}

struct pd_error *unw_binary_find_function(
	const struct unw_binary *binary, uint64_t addr, struct unw_range *ret)
{
	struct unw_row row;
	struct pd_error *err = unw_binary_find_fde(binary, addr, ret);

	if (!err && ret->start == ret->end &&
		unw_exidx_find_row(&binary->exidx, binary->arch, addr, &row) == UNW_CFI_ROW)
		*ret = (struct unw_range){ row.start, row.end };
	return err;
}

struct pd_error *unw_binary_is_same_function(
	const struct unw_binary *binary, uint64_t a, uint64_t b, bool *ret)
{
	struct unw_range range;
	struct pd_error *err = unw_binary_find_function(binary, a, &range);

	*ret = !err && unw_range_has(&range, b);
	return err;
}

static int compare_vaddrs(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static bool add_go_starts(const struct base_pclntab *go, struct unw_vaddrs *ret)
{
	struct base_go_func func;

	for (uint64_t i = 0; i < go->n_funcs; i++) {
		if (base_pclntab_func(go, i, &func) && func.frame_table &&
			!pd_vec_push(&ret->list, func.start))
			return false;
	}
	return true;
}

struct pd_error *unw_binary_list_starts(const struct unw_binary *binary, struct unw_vaddrs *ret)
{
	struct pd_error *err = unw_cfi_list_starts(&binary->cfi, ret);
	size_t n = 0;

	if (err)
		return err;
	if (binary->go && !add_go_starts(binary->go, ret))
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

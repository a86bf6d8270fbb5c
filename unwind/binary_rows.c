/* Rows and functions of a binary. */
#include "unwind/binary.h"

#include <stdlib.h>
#include <string.h>

#include "unwind/code.h"
#include "unwind/go_frames.h"
#include "unwind/go_runtime.h"
#include "unwind/starts.h"

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

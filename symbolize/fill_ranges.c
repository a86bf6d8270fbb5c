#include "symbolize/fill_ranges.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cancel.h"
#include "base/cleanup.h"
#include "base/limit.h"
#include "base/containers/sort.h"
#include "symbolize/dwarf/unit_ranges.h"
#include "symbolize/file/image_sections.h"
#include "symbolize/symbols/demangle.h"
#include "symbolize/go/go_names.h"
#include "symbolize/symbols/languages.h"
#include "symbolize/symbols/plt.h"
#include "symbolize/table/ranges.h"

struct filling {
	struct sym_binary *binary;
	const uint64_t *vaddrs;
	size_t n;
	struct sym_new_ranges fresh;
	/** Debug information; no unit covers any code if the file has none. */
	struct sym_dwarf dwarf;
	struct sym_dwarf_target target;
	struct sym_plt plt;
	/** Reader of Go's table of functions, for what symbol tables and DWARF do not cover. */
	struct sym_go_reader go;
	/** Names that are not yet among the strings of the table. */
	struct base_arena arena;
};

/* Add a symbol's name without its version. "@plt" stays. */
static struct pd_error *enter_name(struct filling *f, const char *name, uint32_t *ret)
{
	size_t len = sym_unversioned_length(name);

	if (len && name[len] && strcmp(name + len, "@plt")) {
		name = base_arena_strndup(&f->arena, name, len);
		if (!name)
			return &pd_enomem;
	}
	return sym_ranges_string(&f->binary->ranges, name, ret);
}

/* Reduce the range of @p range to what it has in common with @p symbol. */
static void clip(struct sym_symbol_range *range, const struct sym_symbol *symbol)
{
	range->start = symbol->start > range->start ? symbol->start : range->start;
	range->end = symbol->end < range->end ? symbol->end : range->end;
}

/*
 * Find the Go function at @p addr. A symbol of the symbol table is replaced only if it is an
 * object, or has no size and may therefore extend too far.
 */
static void find_go_symbol(
	struct filling *f, uint64_t addr, struct sym_symbol_range *range, struct sym_symbol *symbol)
{
	struct sym_symbol go;

	if (symbol->name && symbol->is_sized && !symbol->is_object)
		return;
	sym_go_find_symbol(&f->go, addr, &go);
	if (symbol->name && go.name && symbol->start >= go.start)
		return;
	clip(range, &go);
	if (go.name)
		*symbol = go;
}

/* Whether @p addr is in code that linkers join to one function from pieces of several files. */
static bool is_joined(const struct sym_image *image, uint64_t addr)
{
	static const char *const names[] = { ".init", ".fini" };
	struct sym_section section;

	for (size_t i = 0; i < PD_ARRAY_LEN(names); i++) {
		if (sym_image_section(image, names[i], &section) &&
			addr - section.vaddr < section.size)
			return true;
	}
	return false;
}

/*
 * Find where a symbol without a size ends at the latest: where the code of a unit begins that does
 * not contain the start of the symbol.
 */
static uint64_t find_limit(const struct filling *f, const struct sym_symbol *symbol)
{
	uint64_t end = symbol->end - f->target.bias;
	struct sym_extent extent;
	uint32_t own = sym_dwarf_find_unit(&f->dwarf, symbol->start - f->target.bias, &extent);

	while (extent.end < end) {
		uint64_t start = extent.end;
		uint32_t unit = sym_dwarf_find_unit(&f->dwarf, start, &extent);

		if (unit != SYM_NO_UNIT && unit != own)
			return start + f->target.bias;
	}
	return symbol->end;
}

/* Cut a symbol without a size where it ends according to DWARF. No symbol covers what follows. */
static void limit_symbol(const struct filling *f, uint64_t addr, struct sym_symbol_range *range,
	struct sym_symbol *symbol)
{
	if (!symbol->name || symbol->is_sized)
		return;
	uint64_t limit = find_limit(f, symbol);
	if (limit == symbol->end || is_joined(f->binary->main, symbol->start))
		return;
	symbol->end = limit;
	if (addr < limit) {
		clip(range, symbol);
		return;
	}
	range->start = limit > range->start ? limit : range->start;
	*symbol = (struct sym_symbol){ 0 };
}

/*
 * Find the symbol at @p addr, whose name is NULL if there is none. *range is the range around
 * @p addr that has the same symbol.
 */
static struct pd_error *find_symbol(struct filling *f, uint64_t addr, size_t *hint,
	struct sym_symbol_range *range, struct sym_symbol *ret)
{
	const struct sym_symbol *found =
		sym_symtab_find_extent(&f->binary->symtab, addr, hint, &range->start, &range->end);

	*ret = (struct sym_symbol){ 0 };
	/* Entries of the PLT have no symbols, so they are looked up only where there is none. */
	if (found) {
		*ret = *found;
	} else {
		struct pd_error *err = sym_plt_find(
			&f->plt, f->binary->main, &f->binary->symtab, addr, &f->arena, ret);

		if (err)
			return err;
		clip(range, ret);
	}
	limit_symbol(f, addr, range, ret);
	find_go_symbol(f, addr, range, ret);
	return NULL;
}

/* Describe the range around @p addr that has one symbol. */
static struct pd_error *describe_symbol(
	struct filling *f, uint64_t addr, size_t *hint, struct sym_symbol_range *ret)
{
	struct sym_symbol symbol;
	struct pd_error *err = find_symbol(f, addr, hint, ret, &symbol);

	if (err || !symbol.name)
		return err;
	ret->symbol_start = symbol.start;
	/* DWARF knows better than an object which function its code belongs to. */
	ret->is_sized = symbol.is_sized && !symbol.is_object;
	return enter_name(f, symbol.name, &ret->name);
}

static struct pd_error *fill_symbols(struct filling *f)
{
	struct sym_binary *binary = f->binary;
	uint64_t end = 0;
	size_t hint = 0;

	binary->ranges.languages |= binary->symtab.languages;
	if (binary->go.functions.n_funcs)
		binary->ranges.languages |= SYM_DOTTED;
	for (size_t i = 0; i < f->n; i++) {
		struct sym_symbol_range range = { 0 };

		/* The previous range already covers this address. */
		if (f->vaddrs[i] < end)
			continue;
		struct pd_error *err = base_is_cancelled() ? base_cancel_error() : NULL;
		if (!err)
			err = describe_symbol(f, f->vaddrs[i], &hint, &range);
		if (err)
			return err;
		end = range.end;
		if (!pd_vec_push(&f->fresh.symbols, range))
			return &pd_enomem;
	}
	return NULL;
}

/*
 * Record the locations that Go's table has for @p addr, which no unit of DWARF covers, and for code
 * around it in @p extent. Both have addresses of the debug file. *extent is reduced to the range
 * that was recorded.
 */
static struct pd_error *fill_otherwise(
	struct filling *f, uint64_t bias, uint64_t addr, struct sym_extent *extent)
{
	uint64_t start = extent->start + bias;
	uint64_t end = extent->end == UINT64_MAX ? UINT64_MAX : extent->end + bias;
	struct pd_error *err = sym_go_read_location(&f->go, addr + bias, &start, &end);

	extent->start = start - bias;
	extent->end = end == UINT64_MAX ? UINT64_MAX : end - bias;
	return err;
}

/*
 * Sort the addresses by unit: keys are units, and indexes those of addresses. Addresses in no unit
 * are handled by fill_otherwise(), and left out.
 */
static struct pd_error *assign_units(struct filling *f, struct base_keyed *wanted, size_t *n_ret)
{
	uint64_t bias = f->target.bias;
	struct sym_extent extent = { 0 };
	size_t n = 0;

	for (size_t i = 0; i < f->n; i++) {
		uint64_t addr = f->vaddrs[i] - bias;
		bool is_noted = addr >= extent.start && addr < extent.end;
		uint32_t unit =
			is_noted ? SYM_NO_UNIT : sym_dwarf_find_unit(&f->dwarf, addr, &extent);

		/*
		 * Addresses ascend, so all of those in the same range follow each other, and it is
		 * recorded once.
		 */
		if (unit != SYM_NO_UNIT) {
			wanted[n++] = (struct base_keyed){ .key = unit, .index = (uint32_t)i };
			extent = (struct sym_extent){ 0 };
		} else if (!is_noted) {
			struct pd_error *err = fill_otherwise(f, bias, addr, &extent);

			if (err)
				return err;
		}
	}
	*n_ret = n;
	return base_sort_keyed(wanted, n) ? NULL : &pd_enomem;
}

static struct pd_error *read_units(struct filling *f)
{
	_cleanup_free_ struct base_keyed *wanted = reallocarray(NULL, f->n + 1, sizeof(*wanted));
	_cleanup_free_ uint64_t *addrs = reallocarray(NULL, f->n + 1, sizeof(*addrs));
	size_t n, end;

	if (!wanted || !addrs)
		return &pd_enomem;
	struct pd_error *err = assign_units(f, wanted, &n);
	if (err)
		return err;
	/*
	 * Reading a unit is expensive, so each one is read once for all addresses in it. They are
	 * sorted by unit, then by address, as sym_unit_read() expects.
	 */
	for (size_t start = 0; start < n; start = end) {
		if (base_is_cancelled())
			return base_cancel_error();
		uint32_t unit = (uint32_t)wanted[start].key;
		for (end = start; end < n && wanted[end].key == unit; end++)
			addrs[end] = f->vaddrs[wanted[end].index] - f->target.bias;
		err = sym_unit_read(&f->dwarf, unit, addrs + start, end - start, &f->target);
		if (err)
			return err;
	}
	return NULL;
}

/* Fill the locations of a file without DWARF. */
static struct pd_error *fill_without_dwarf(struct filling *f)
{
	struct sym_extent extent = { 0 };

	for (size_t i = 0; i < f->n; i++) {
		if (f->vaddrs[i] >= extent.start && f->vaddrs[i] < extent.end)
			continue;
		extent = (struct sym_extent){ 0, UINT64_MAX };
		struct pd_error *err = fill_otherwise(f, 0, f->vaddrs[i], &extent);
		if (err)
			return err;
	}
	return NULL;
}

/* Read the index of units, by which symbols are limited and locations are found. */
static struct pd_error *open_dwarf(struct filling *f)
{
	struct sym_binary *binary = f->binary;
	struct sym_dwarf_files files = {
		.search = binary->search,
		.debug = binary->dwarf,
		.binary_path = binary->main->path,
		.recorded_path = binary->name,
	};

	f->target.ranges = &binary->ranges;
	f->target.fresh = &f->fresh;
	if (!binary->dwarf)
		return NULL;
	f->target.bias = binary->main->first_vaddr - binary->dwarf->first_vaddr;
	return sym_dwarf_init(&f->dwarf, &files, &binary->ranges);
}

/* Prepare to look up symbols. */
static struct pd_error *open_files(struct filling *f)
{
	struct pd_error *err = sym_binary_read_go(f->binary);

	if (err)
		return err;
	sym_go_reader_init(&f->binary->go, &f->binary->ranges, &f->fresh, &f->go);
	err = sym_binary_read_symbols(f->binary);
	return err ? err : open_dwarf(f);
}

static struct pd_error *note_sources(struct sym_binary *binary)
{
	struct pd_error *err =
		sym_note_range_file(&binary->ranges, SYM_RANGE_FILE_MAIN, binary->main, NULL, 0);

	if (err || binary->dwarf == binary->main)
		return err;
	return sym_note_range_file(
		&binary->ranges, SYM_RANGE_FILE_DEBUG, binary->separate, NULL, 0);
}

static struct pd_error *fill(struct filling *f)
{
	struct pd_error *err = note_sources(f->binary);

	if (err)
		return err;
	err = open_files(f);
	if (err)
		return err;
	err = fill_symbols(f);
	if (err)
		return err;
	if (base_is_cancelled())
		return base_cancel_error();
	err = f->binary->dwarf ? read_units(f) : fill_without_dwarf(f);
	if (err)
		return err;
	return sym_ranges_merge(&f->binary->ranges, &f->fresh);
}

static void tear_down(struct filling *f)
{
	/* Decompressed sections are large, so they are freed when all units are read. */
	sym_dwarf_deinit(&f->dwarf);
	sym_plt_deinit(&f->plt);
	sym_go_reader_deinit(&f->go);
	sym_new_ranges_deinit(&f->fresh);
	base_arena_deinit(&f->arena);
}

struct pd_error *sym_fill_ranges(struct sym_binary *binary, const uint64_t *vaddrs, size_t n)
{
	struct filling f = { .binary = binary, .vaddrs = vaddrs, .n = n };
	struct pd_error *err = fill(&f);

	if (!err)
		err = sym_dwarf_check(&f.dwarf);
	if (!err)
		err = sym_binary_check(binary);
	tear_down(&f);
	return err;
}

struct pd_error *sym_find_symbol(struct sym_binary *binary, uint64_t vaddr, struct sym_symbol *ret)
{
	struct filling f = { .binary = binary };
	struct sym_symbol_range range = { 0 };
	size_t hint = 0;

	PD_LIMIT_SCOPE();
	struct pd_error *err = open_files(&f);
	if (!err)
		err = find_symbol(&f, vaddr, &hint, &range, ret);
	if (!err)
		err = sym_binary_check(binary);
	/* A result without a name is a gap between symbols. */
	if (err || !ret->name)
		*ret = (struct sym_symbol){ 0 };
	/* The names of PLT entries are freed here. */
	ret->name = NULL;
	tear_down(&f);
	sym_binary_note_limits(binary);
	return err;
}

#include "symbolize/names.h"

#include <stdlib.h>
#include <string.h>

#include <pdconv/vec.h>

#include "base/cleanup.h"
#include "symbolize/binary_private.h"
#include "symbolize/demangle.h"
#include "symbolize/dwarf_names.h"

/* What the symbol tables say of an address. */
struct by_symbol {
	const char *function;
	const char *linkage;
	bool is_sized;
};

struct job {
	struct sym_binary *binary;
	const struct sym_opts *opts;
	const uint64_t *vaddrs;
	size_t n;
	struct pd_arena *arena;
	struct sym_names *ret;
	struct by_symbol *symbols;
	struct sym_plt plt;
};

static bool keep_symbol(struct job *job, const struct sym_symbol *symbol, struct by_symbol *ret)
{
	size_t len = strcspn(symbol->name, "@");

	/* "@plt" is no version. */
	if (!len || strcmp(symbol->name + len, "@plt") == 0)
		len = strlen(symbol->name);
	ret->is_sized = symbol->is_sized;
	ret->linkage = pd_arena_strndup(job->arena, symbol->name, len);
	if (!ret->linkage)
		return false;
	ret->function =
		job->opts->no_demangle ? ret->linkage : sym_demangle(job->arena, ret->linkage);
	return ret->function != NULL;
}

/* The symbol of each address, in one sweep: both are sorted. */
static struct pd_error *find_symbols(struct job *job)
{
	const struct sym_symtab *symtab = &job->binary->symtab;
	const struct sym_symbol *symbol, *last = NULL;
	struct by_symbol kept = { 0 };
	size_t hint = 0;

	for (size_t i = 0; i < job->n; i++) {
		struct sym_symbol plt = { 0 };

		symbol = sym_symtab_find(symtab, job->vaddrs[i], &hint);
		if (!symbol) {
			struct pd_error *err = sym_plt_find(
				&job->plt, job->binary->main, job->vaddrs[i], job->arena, &plt);
			if (err)
				return err;
			symbol = plt.name ? &plt : NULL;
		}
		if (!symbol)
			continue;
		if (symbol != last && !keep_symbol(job, symbol, &kept))
			return &pd_enomem;
		last = symbol != &plt ? symbol : NULL;
		job->symbols[i] = kept;
		job->ret[i].symbol_start = symbol->start;
	}
	return NULL;
}

static int compare_wanted(const void *a, const void *b)
{
	const struct sym_wanted *x = a, *y = b;

	if (x->unit != y->unit)
		return x->unit < y->unit ? -1 : 1;
	return (x->addr > y->addr) - (x->addr < y->addr);
}

static struct pd_error *name_units(struct job *job, struct sym_dwarf *dwarf)
{
	const struct sym_binary *binary = job->binary;
	uint64_t bias = binary->main->first_vaddr - binary->dwarf->first_vaddr;
	_cleanup_free_ struct sym_wanted *wanted = reallocarray(NULL, job->n, sizeof(*wanted));
	size_t n = 0;

	if (!wanted)
		return &pd_enomem;
	for (size_t i = 0; i < job->n; i++) {
		uint64_t addr = job->vaddrs[i] - bias;
		uint32_t unit = sym_dwarf_find_unit(dwarf, addr);

		if (unit != SYM_NO_UNIT)
			wanted[n++] = (struct sym_wanted){ addr, unit, (uint32_t)i };
	}
	if (n)
		qsort(wanted, n, sizeof(*wanted), compare_wanted);
	for (size_t start = 0, end; start < n; start = end) {
		for (end = start + 1; end < n && wanted[end].unit == wanted[start].unit; end++)
			;
		struct pd_error *err = sym_unit_names(
			dwarf, job->opts, wanted + start, end - start, job->arena, job->ret);
		if (err)
			return err;
	}
	return NULL;
}

static struct pd_error *find_dwarf(struct job *job)
{
	struct sym_dwarf dwarf;

	if (!job->binary->dwarf || !job->n)
		return NULL;
	/* Unpacked sections and what libdw caches are large, so they go when this is done. */
	struct pd_error *err = sym_dwarf_init(&dwarf, job->binary->dwarf, job->binary->search);
	if (!err)
		err = name_units(job, &dwarf);
	sym_dwarf_deinit(&dwarf);
	return err;
}

/*
 * The function that holds the address is named after its symbol, so that a name does not depend on
 * whether there is debug information. A symbol without a size may reach too far: there DWARF knows
 * better.
 */
static struct pd_error *apply_symbol(
	struct job *job, struct sym_names *names, const struct by_symbol *symbol)
{
	if (!symbol->function)
		return NULL;
	if (!names->n) {
		names->names = pd_arena_alloc(job->arena, sizeof(*names->names));
		if (!names->names)
			return &pd_enomem;
		names->names[0] = (struct sym_name){ 0 };
		names->n = 1;
	}
	struct sym_name *outermost = &names->names[names->n - 1];
	if (outermost->function && !symbol->is_sized)
		return NULL;
	outermost->function = symbol->function;
	outermost->linkage = symbol->linkage;
	return NULL;
}

static struct pd_error *run(struct job *job)
{
	struct sym_binary *binary = job->binary;
	struct pd_error *err = NULL;

	if (!binary->has_symtab)
		err = sym_symtab_init(&binary->symtab, binary->main, binary->separate);
	if (err)
		return err;
	binary->has_symtab = true;
	err = find_symbols(job);
	if (!err)
		err = find_dwarf(job);
	for (size_t i = 0; !err && i < job->n; i++)
		err = apply_symbol(job, &job->ret[i], &job->symbols[i]);
	return err;
}

struct pd_error *sym_binary_names(struct sym_binary *binary, const struct sym_opts *opts,
	const uint64_t *vaddrs, size_t n, struct pd_arena *arena, struct sym_names *ret)
{
	static const struct sym_opts defaults;
	struct job job = {
		.binary = binary,
		.opts = opts ? opts : &defaults,
		.vaddrs = vaddrs,
		.n = n,
		.arena = arena,
		.ret = ret,
	};

	for (size_t i = 0; i < n; i++)
		ret[i] = (struct sym_names){ 0 };
	if (!binary->main || !n)
		return NULL;
	job.symbols = calloc(n, sizeof(*job.symbols));
	struct pd_error *err = job.symbols ? run(&job) : &pd_enomem;
	sym_plt_deinit(&job.plt);
	free(job.symbols);
	return err;
}

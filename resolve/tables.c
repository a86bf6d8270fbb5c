#include "resolve/tables.h"

#include <string.h>

#include "resolve/binaries.h"
#include "resolve/tables_cache.h"

/* Tables with fewer rows are made again: that takes about as long as reading them. */
enum { WORTH_KEEPING = 4096 };

static struct pd_error *make_table(struct sym_binary *symbols, bool is_vdso, struct unw_table **ret)
{
	struct unw_binary *binary = NULL;
	struct pd_error *err = resolve_unwind_open(symbols, &binary);

	if (!err && binary)
		err = unw_table_create(binary, is_vdso, ret);
	unw_binary_destroy(binary);
	return err;
}

/* Get the table from the cache, or make it and keep it there. The vDSO is made in no time. */
static struct pd_error *get_table(
	const char *cache_dir, struct sym_binary *symbols, bool is_vdso, struct unw_table **ret)
{
	const char *dir = is_vdso ? NULL : cache_dir;
	struct pd_error *err = resolve_rows_load(dir, symbols, ret);

	if (err || *ret)
		return err;
	err = make_table(symbols, is_vdso, ret);
	if (!err && *ret && (*ret)->rows.n >= WORTH_KEEPING)
		resolve_rows_save(dir, symbols, *ret);
	return err;
}

static struct pd_error *make(const struct sym_search *search, struct sym_binary *symbols,
	const struct sym_recorded *recorded, struct unw_table **ret, uint64_t *delta_ret)
{
	bool is_vdso = strcmp(recorded->name, "[vdso]") == 0;
	struct sym_segment segment;

	if (!sym_binary_segment(symbols, recorded->offset, recorded->size, &segment))
		return NULL;
	*delta_ret = segment.vaddr - segment.offset;
	if (!ret)
		return NULL;
	return get_table(search->cache_dir, symbols, is_vdso, ret);
}

struct pd_error *resolve_table_open(const struct sym_search *search, const struct pd_arch *arch,
	const struct sym_recorded *recorded, struct unw_table **ret, uint64_t *delta_ret)
{
	struct sym_binary *symbols;
	struct pd_error *err = sym_binary_open(search, recorded, &symbols);

	if (ret)
		*ret = NULL;
	if (err)
		return err;
	if (sym_binary_status(symbols) == SYM_FOUND && !sym_binary_is_debug_only(symbols) &&
		sym_binary_arch(symbols) == arch)
		err = make(search, symbols, recorded, ret, delta_ret);
	sym_binary_destroy(symbols);
	return err;
}

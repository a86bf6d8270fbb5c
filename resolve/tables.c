#include "resolve/tables.h"

#include <string.h>

#include "resolve/binaries.h"

static struct pd_error *make(struct sym_binary *symbols, const struct sym_recorded *recorded,
	struct unw_table **ret, uint64_t *delta_ret)
{
	bool is_vdso = strcmp(recorded->name, "[vdso]") == 0;
	struct sym_segment segment;
	struct unw_cfi *cfi = NULL;

	if (!sym_binary_segment(symbols, recorded->offset, &segment))
		return NULL;
	*delta_ret = segment.vaddr - segment.offset;
	if (!ret)
		return NULL;
	struct pd_error *err = resolve_cfi_open(symbols, &cfi);
	if (!err && cfi)
		err = unw_table_create(cfi, is_vdso, ret);
	unw_cfi_destroy(cfi);
	return err;
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
	if (sym_binary_status(symbols) == SYM_FOUND && sym_binary_arch(symbols) == arch)
		err = make(symbols, recorded, ret, delta_ret);
	sym_binary_destroy(symbols);
	return err;
}

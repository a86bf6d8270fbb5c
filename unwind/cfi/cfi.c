#include "unwind/cfi/cfi.h"

bool unw_cfi_init(struct unw_cfi *cfi, const struct unw_section *hdr)
{
	/* No FDE is read here: of most binaries only few addresses are looked up. */
	cfi->hdr = unw_hdr_table_read(hdr, &cfi->eh_frame);
	cfi->eh_table = unw_fde_table_create(&cfi->eh_frame);
	cfi->debug_table = unw_fde_table_create(&cfi->debug_frame);
	cfi->checkpoints = unw_cfa_checkpoints_create();
	return cfi->eh_table && cfi->debug_table && cfi->checkpoints;
}

void unw_cfi_deinit(struct unw_cfi *cfi)
{
	unw_fde_table_destroy(cfi->eh_table);
	unw_fde_table_destroy(cfi->debug_table);
	unw_cfa_checkpoints_destroy(cfi->checkpoints);
}

/** FDE with its CIE, to which it points. */
struct entry {
	struct unw_cie cie;
	struct unw_fde fde;
};

static bool read_entry(const struct unw_frame_section *section, uint64_t off, struct entry *ret)
{
	struct unw_entry entry;

	return unw_entry_read(section, off, &entry) && !entry.is_cie &&
	       unw_cie_read(section, entry.cie_off, &ret->cie) &&
	       unw_fde_read(section, &entry, &ret->cie, &ret->fde);
}

/** Whether the FDE at @p off is empty. Some linkers keep those of functions that they discard. */
static bool is_empty(const struct unw_frame_section *section, uint64_t off)
{
	struct entry entry;

	return read_entry(section, off, &entry) && entry.fde.start == entry.fde.end;
}

static bool covers(const struct unw_fde *fde, uint64_t addr)
{
	return addr >= fde->start && addr < fde->end;
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
	if (has_hdr && !(n && is_empty(section, *off_ret)))
		return NULL;
	return unw_fde_table_find(table, addr, found_ret, off_ret);
}

/**
 * Read the last FDE in @p section that begins at or before @p addr. Only with UNW_CFI_ROW there is
 * one, which need not cover the address.
 */
static struct pd_error *find_entry(const struct unw_cfi *cfi,
	const struct unw_frame_section *section, uint64_t addr, enum unw_cfi_result *result_ret,
	struct entry *ret)
{
	uint64_t off;
	bool found;
	struct pd_error *err = find_offset(cfi, section, addr, &found, &off);

	if (err || !found)
		*result_ret = UNW_CFI_NONE;
	else
		*result_ret = read_entry(section, off, ret) ? UNW_CFI_ROW : UNW_CFI_BAD;
	return err;
}

static struct pd_error *find_in_section(const struct unw_cfi *cfi,
	const struct unw_frame_section *section, uint64_t addr, enum unw_cfi_result *result_ret,
	struct unw_row *row_ret)
{
	struct entry entry;
	struct pd_error *err = find_entry(cfi, section, addr, result_ret, &entry);

	if (*result_ret != UNW_CFI_ROW)
		return err;
	if (!covers(&entry.fde, addr))
		*result_ret = UNW_CFI_NONE;
	else if (!unw_cfa_run(cfi->arch, section, &entry.fde, addr, cfi->checkpoints, row_ret))
		*result_ret = UNW_CFI_BAD;
	return err;
}

struct pd_error *unw_cfi_find_row(const struct unw_cfi *cfi, uint64_t addr,
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

/** Find the range of the FDE that covers @p addr in @p section; empty if none does. */
static struct pd_error *find_range(const struct unw_cfi *cfi,
	const struct unw_frame_section *section, uint64_t addr, struct unw_range *ret)
{
	enum unw_cfi_result result;
	struct entry entry;
	struct pd_error *err = find_entry(cfi, section, addr, &result, &entry);

	*ret = (struct unw_range){ 0 };
	if (result == UNW_CFI_ROW && covers(&entry.fde, addr))
		*ret = (struct unw_range){ entry.fde.start, entry.fde.end };
	return err;
}

struct pd_error *unw_cfi_find_fde(const struct unw_cfi *cfi, uint64_t addr, struct unw_range *ret)
{
	struct pd_error *err = find_range(cfi, &cfi->eh_frame, addr, ret);

	if (!err && ret->start == ret->end)
		err = find_range(cfi, &cfi->debug_frame, addr, ret);
	return err;
}

struct pd_error *unw_cfi_list_starts(const struct unw_cfi *cfi, struct unw_vaddrs *ret)
{
	struct pd_error *err = NULL;

	if (cfi->hdr.n)
		err = unw_hdr_table_list(&cfi->hdr, ret);
	else if (cfi->eh_frame.bytes.data)
		err = unw_fde_table_list(cfi->eh_table, ret);
	if (!err && cfi->debug_frame.bytes.data)
		err = unw_fde_table_list(cfi->debug_table, ret);
	return err;
}

struct pd_error *unw_cfi_visit_rows(const struct unw_cfi *cfi, struct unw_range range,
	unw_on_row *fn, void *ctx, uint64_t *end_ret)
{
	const struct unw_frame_section *section = &cfi->eh_frame;
	enum unw_cfi_result result;
	struct entry entry;
	struct pd_error *err = find_entry(cfi, section, range.start, &result, &entry);
	bool is_covered =
		result == UNW_CFI_BAD || (result == UNW_CFI_ROW && range.start < entry.fde.end);

	if (!err && !is_covered && cfi->debug_frame.bytes.data) {
		section = &cfi->debug_frame;
		err = find_entry(cfi, section, range.start, &result, &entry);
	}
	if (result == UNW_CFI_ROW && entry.fde.start == range.start && range.end <= entry.fde.end)
		*end_ret = unw_cfa_visit(cfi->arch, section, &entry.fde, fn, ctx);
	return err;
}

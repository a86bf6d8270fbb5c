#include "unwind/cfi/fde_table.h"

#include <dwarf.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include <pdconv/vec.h>

#include "base/lower_bound.h"

enum {
	HDR_VERSION = 1,
	/** Encoding that all linkers write. */
	HDR_TABLE_ENCODING = DW_EH_PE_datarel | DW_EH_PE_sdata4,
	PAIR_SIZE = 8,
};

static uint64_t hdr_vaddr_at(const struct unw_hdr_table *table, const uint8_t *p)
{
	uint32_t distance = pd_load_u32(p, false);

	/*
	 * A branch takes fewer instructions than pd_load_u32(p, table->swap), which always swaps.
	 */
	if (table->swap)
		distance = __builtin_bswap32(distance);
	return table->vaddr + (uint64_t)(int32_t)distance;
}

static bool is_sorted(const struct unw_hdr_table *table)
{
	for (size_t i = 1; i < table->n; i++) {
		const uint8_t *pair = table->pairs + i * PAIR_SIZE;

		if (hdr_vaddr_at(table, pair) < hdr_vaddr_at(table, pair - PAIR_SIZE))
			return false;
	}
	return true;
}

struct unw_hdr_table unw_hdr_table_read(
	const struct unw_section *hdr, const struct unw_frame_section *eh_frame)
{
	const struct unw_hdr_table none = { 0 };
	struct unw_frame_section section = *eh_frame;
	uint64_t unused;
	uint64_t n;

	if (!hdr->data || !eh_frame->bytes.data)
		return none;
	/* In the header, unlike in .eh_frame, datarel means relative to the header. */
	section.bytes = *hdr;
	section.data_vaddr = hdr->vaddr;
	struct pd_cursor c = pd_cursor_init(hdr->data, hdr->size, section.swap);
	uint8_t version = pd_cursor_u8(&c);
	uint8_t frame_encoding = pd_cursor_u8(&c);
	uint8_t count_encoding = pd_cursor_u8(&c);
	uint8_t table_encoding = pd_cursor_u8(&c);
	if (version != HDR_VERSION || table_encoding != HDR_TABLE_ENCODING ||
		!unw_read_encoded(&c, frame_encoding, &section, &unused) ||
		!unw_read_encoded(&c, count_encoding, &section, &n))
		return none;
	if (c.overrun || n > pd_cursor_left(&c) / PAIR_SIZE)
		return none;
	const struct unw_hdr_table table = {
		.pairs = c.pos, .n = n, .vaddr = hdr->vaddr, .swap = section.swap
	};
	return is_sorted(&table) ? table : none;
}

size_t unw_hdr_table_count(const struct unw_hdr_table *table, uint64_t addr)
{
	return base_lower_bound(
		table->n, i, hdr_vaddr_at(table, table->pairs + i * PAIR_SIZE) <= addr);
}

uint64_t unw_hdr_table_offset(const struct unw_hdr_table *table, uint64_t eh_frame_vaddr, size_t i)
{
	const uint8_t *pair = table->pairs + i * PAIR_SIZE;

	return hdr_vaddr_at(table, pair + PAIR_SIZE / 2) - eh_frame_vaddr;
}

struct pd_error *unw_hdr_table_list(const struct unw_hdr_table *table, struct unw_vaddrs *ret)
{
	for (size_t i = 0; i < table->n; i++) {
		if (!pd_vec_push(&ret->list, hdr_vaddr_at(table, table->pairs + i * PAIR_SIZE)))
			return &pd_enomem;
	}
	return NULL;
}

struct fde_start {
	uint64_t start;
	/** Offset in the section. */
	uint64_t off;
};

struct unw_fde_table {
	const struct unw_frame_section *section;
	PD_VEC(struct fde_start) fdes;
	/** The section has FDEs, which may be invalid. */
	bool has_fdes;
	pthread_mutex_t lock;
	/** Set when the list of FDEs is complete; it never changes afterwards. */
	atomic_bool is_built;
};

struct unw_fde_table *unw_fde_table_create(const struct unw_frame_section *section)
{
	struct unw_fde_table *table = calloc(1, sizeof(*table));

	if (!table)
		return NULL;
	table->section = section;
	pthread_mutex_init(&table->lock, NULL);
	atomic_init(&table->is_built, false);
	return table;
}

void unw_fde_table_destroy(struct unw_fde_table *table)
{
	if (!table)
		return;
	pd_vec_deinit(&table->fdes);
	pthread_mutex_destroy(&table->lock);
	free(table);
}

static int compare_starts(const void *a, const void *b)
{
	const struct fde_start *x = a;
	const struct fde_start *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (x->off > y->off) - (x->off < y->off);
}

/**
 * Whether an FDE is of a function in the file. Linkers keep the FDEs of discarded functions at
 * address 0 or with an empty range. These must not hide others.
 */
static bool is_live(const struct unw_fde *fde)
{
	return fde->start && fde->start < fde->end;
}

static bool build(struct unw_fde_table *table)
{
	const struct unw_frame_section *section = table->section;
	struct unw_cie cie;
	struct unw_fde fde;
	struct unw_entry entry;
	bool has_cie = false;

	table->fdes.n = 0;
	for (uint64_t off = 0; unw_entry_read(section, off, &entry); off = entry.next_off) {
		if (entry.is_cie)
			continue;
		table->has_fdes = true;
		/* Consecutive FDEs usually share a CIE. */
		if (!has_cie || cie.off != entry.cie_off)
			has_cie = unw_cie_read(section, entry.cie_off, &cie);
		/* One invalid entry must not hide those after it. */
		if (!has_cie || !unw_fde_read(section, &entry, &cie, &fde) || !is_live(&fde))
			continue;
		if (!pd_vec_push(
			    &table->fdes, ((struct fde_start){ .start = fde.start, .off = off })))
			return false;
	}
	if (table->fdes.n)
		qsort(table->fdes.data, table->fdes.n, sizeof(*table->fdes.data), compare_starts);
	return true;
}

static struct pd_error *build_once(struct unw_fde_table *table)
{
	if (atomic_load_explicit(&table->is_built, memory_order_acquire))
		return NULL;
	pthread_mutex_lock(&table->lock);
	bool is_built =
		atomic_load_explicit(&table->is_built, memory_order_relaxed) || build(table);
	atomic_store_explicit(&table->is_built, is_built, memory_order_release);
	pthread_mutex_unlock(&table->lock);
	return is_built ? NULL : &pd_enomem;
}

struct pd_error *unw_fde_table_find(
	struct unw_fde_table *table, uint64_t addr, bool *found_ret, uint64_t *off_ret)
{
	struct pd_error *err = build_once(table);

	if (err)
		return err;
	size_t lo = base_lower_bound(table->fdes.n, i, table->fdes.data[i].start <= addr);

	*found_ret = lo > 0;
	if (lo)
		*off_ret = table->fdes.data[lo - 1].off;
	return NULL;
}

struct pd_error *unw_fde_table_list(struct unw_fde_table *table, struct unw_vaddrs *ret)
{
	struct pd_error *err = build_once(table);

	for (size_t i = 0; !err && i < table->fdes.n; i++) {
		if (!pd_vec_push(&ret->list, table->fdes.data[i].start))
			err = &pd_enomem;
	}
	return err;
}

bool unw_fde_table_misses(struct unw_fde_table *table, const struct unw_range *code)
{
	if (!atomic_load_explicit(&table->is_built, memory_order_acquire) || !table->has_fdes)
		return false;
	size_t lo = base_lower_bound(table->fdes.n, i, table->fdes.data[i].start < code->start);

	return lo == table->fdes.n || table->fdes.data[lo].start >= code->end;
}

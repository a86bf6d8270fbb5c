#include "symbolize/dwarf/dwarf.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cancel.h"
#include "base/cleanup.h"
#include "base/integer.h"
#include "base/limit.h"
#include "base/lower_bound.h"
#include "symbolize/file/image_sections.h"
#include "symbolize/find/debug_paths.h"
#include "symbolize/table/ranges.h"

enum {
	/*
	 * Upper limit for the ranges of all units. Units may share a list, so the size of the file
	 * does not limit it.
	 */
	MAX_RANGES = PD_LIMIT_BINARY_RANGES,
	/*
	 * Upper limit for reading line tables, in multiples of their size. Damaged units may share
	 * one table; valid ones do not.
	 */
	LINE_TABLE_READS = PD_LIMIT_LINE_TABLE_READS,
};

/* State of the search for the code of each unit. */
struct indexer {
	struct sym_dwarf *dwarf;
	/** Ranges of the current unit. */
	struct sym_extents ranges;
	/** Flags by index in main.units: the unit's own entry does not describe all of its code. */
	bool *needs;
};

static bool add_code_sections(struct sym_dwarf *dwarf)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;

	while ((scn = elf_nextscn(dwarf->image->elf, scn))) {
		if (gelf_getshdr(scn, &shdr) && shdr.sh_flags & SHF_EXECINSTR &&
			!sym_extents_add(&dwarf->code, shdr.sh_addr, shdr.sh_addr + shdr.sh_size))
			return false;
	}
	return true;
}

static bool add_code_segments(struct sym_dwarf *dwarf)
{
	size_t n = 0;
	GElf_Phdr phdr;

	if (elf_getphdrnum(dwarf->image->elf, &n))
		return true;
	for (size_t i = 0; i < n; i++) {
		if (!gelf_getphdr(dwarf->image->elf, (int)i, &phdr) || phdr.p_type != PT_LOAD ||
			!(phdr.p_flags & PF_X))
			continue;
		if (!sym_extents_add(&dwarf->code, phdr.p_vaddr, phdr.p_vaddr + phdr.p_memsz))
			return false;
	}
	return true;
}

/* Find where code is. Sections of relocatable files have no addresses. */
static bool find_code(struct sym_dwarf *dwarf)
{
	if (dwarf->image->ehdr.e_type == ET_REL)
		return true;
	if (!add_code_sections(dwarf))
		return false;
	return dwarf->code.list.n || add_code_segments(dwarf);
}

static bool add_range(struct indexer *x, uint64_t start, uint64_t end, size_t unit)
{
	struct sym_unit_range range = { start, end, (uint32_t)unit };

	if (start >= end || !sym_extents_have_code(&x->dwarf->code, start))
		return true;
	if (x->dwarf->ranges.n >= MAX_RANGES)
		return base_limit_reach(PD_LIMIT_ID_BINARY_RANGES);
	return pd_vec_push(&x->dwarf->ranges, range);
}

static bool add_unit_ranges(struct indexer *x, size_t i)
{
	const struct sym_unit *unit = &x->dwarf->main.units.data[i];
	struct sym_extents *ranges = &x->ranges;

	ranges->list.n = 0;
	bool ok = unit->ranges.form ? sym_extents_add_list(ranges, unit, &unit->ranges)
				    : sym_extents_add_bounds(ranges, unit, unit->has_low_pc,
					      unit->low_pc, &unit->high_pc);
	/*
	 * DWARF 2 has no lists of ranges, so a unit with several ranges describes only one of them.
	 */
	x->needs[i] =
		ranges->list.n == 0 || (!unit->ranges.form && unit->header.encoding.version == 2);
	for (size_t r = 0; ok && r < ranges->list.n; r++)
		ok = add_range(x, ranges->list.data[r].start, ranges->list.data[r].end, i);
	return ok;
}

static bool describes_code(const struct sym_unit *unit)
{
	return unit->tag == DW_TAG_compile_unit || unit->tag == DW_TAG_skeleton_unit;
}

/* Read one set of .debug_aranges, DWARF 5 section 6.1.2. Returns false if there is no memory. */
static bool add_arange_set(struct indexer *x, struct pd_cursor *c)
{
	const uint8_t *start = c->pos;
	uint64_t len = pd_cursor_u32(c);
	unsigned offset_size = 4;

	if (len == 0xffffffff) {
		len = pd_cursor_u64(c);
		offset_size = 8;
	}
	struct pd_cursor set = pd_cursor_init(c->pos, pd_cursor_left(c), c->swap);
	if (!pd_cursor_bytes(c, len))
		return true;
	set.end = c->pos;
	pd_cursor_u16(&set); /* Version. */
	struct sym_unit *unit =
		sym_debug_file_unit(&x->dwarf->main, base_cursor_uint(&set, offset_size));
	unsigned size = pd_cursor_u8(&set);
	pd_cursor_u8(&set); /* Size of segment selectors. */
	if (!unit || set.overrun || !size || !describes_code(unit))
		return true;
	size_t i = (size_t)(unit - x->dwarf->main.units.data);
	/* Pairs are aligned to their own size, counted from the start of the set. */
	size_t slack = (size_t)(set.pos - start) % (2 * size);
	pd_cursor_bytes(&set, slack ? 2 * size - slack : 0);
	/*
	 * Units that describe all of their code are skipped, since .debug_aranges may lack parts of
	 * it.
	 */
	while (x->needs[i] && pd_cursor_left(&set)) {
		uint64_t addr = base_cursor_uint(&set, size), n = base_cursor_uint(&set, size);

		if (!set.overrun && !add_range(x, addr, addr + n, i))
			return false;
	}
	return true;
}

/* Read .debug_aranges for the units whose own entries do not describe all of their code. */
static bool add_aranges(struct indexer *x)
{
	struct sym_section section;
	bool ok = true;

	if (!sym_image_section(x->dwarf->image, ".debug_aranges", &section))
		return true;
	struct pd_cursor c = pd_cursor_init(section.data, section.size, x->dwarf->main.swap);
	while (ok && pd_cursor_left(&c))
		ok = add_arange_set(x, &c);
	return ok;
}

static bool add_units(struct indexer *x)
{
	const struct sym_debug_file *file = &x->dwarf->main;
	bool any = false;

	/* An incomplete index does no harm: the next loop is cancelled as well. */
	for (size_t i = 0; i < file->units.n && i < SYM_NO_UNIT && !base_is_cancelled(); i++) {
		if (!describes_code(&file->units.data[i]))
			continue;
		if (!add_unit_ranges(x, i))
			return false;
		any = any || x->needs[i];
	}
	return !any || add_aranges(x);
}

static int compare_ranges(const void *a, const void *b)
{
	const struct sym_unit_range *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (x->unit > y->unit) - (x->unit < y->unit);
}

/* Ranges that contain the current address of the sweep. The one of the first unit is on top. */
struct heap {
	PD_VEC(struct sym_unit_range) list;
};

static bool heap_push(struct heap *heap, const struct sym_unit_range *range)
{
	if (!pd_vec_push(&heap->list, *range))
		return false;
	struct sym_unit_range *list = heap->list.data;
	size_t i = heap->list.n - 1;
	for (; i && list[(i - 1) / 2].unit > range->unit; i = (i - 1) / 2)
		list[i] = list[(i - 1) / 2];
	list[i] = *range;
	return true;
}

static void heap_pop(struct heap *heap)
{
	struct sym_unit_range *list = heap->list.data;
	size_t n = --heap->list.n, i = 0;
	struct sym_unit_range last = list[n];

	for (size_t child; (child = 2 * i + 1) < n; i = child) {
		if (child + 1 < n && list[child + 1].unit < list[child].unit)
			child++;
		if (last.unit <= list[child].unit)
			break;
		list[i] = list[child];
	}
	list[i] = last;
}

static bool append(struct sym_dwarf *dwarf, struct sym_unit_range range)
{
	struct sym_unit_range *last =
		dwarf->ranges.n ? &dwarf->ranges.data[dwarf->ranges.n - 1] : NULL;

	if (!last || last->end != range.start || last->unit != range.unit)
		return pd_vec_push(&dwarf->ranges, range);
	last->end = range.end;
	return true;
}

/*
 * Divide the overlapping ranges @p sorted so that each address belongs to one unit, the first one.
 */
static bool flatten(struct sym_dwarf *dwarf, const struct sym_unit_range *sorted, size_t n)
{
	struct heap heap = { 0 };
	uint64_t pos = 0;
	bool ok = true;

	/*
	 * A sweep over the addresses: at each position the heap has the ranges that contain it, and
	 * the range on top lasts until it ends or another one starts.
	 */
	for (size_t i = 0; ok && (i < n || heap.list.n);) {
		if (!heap.list.n)
			pos = sorted[i].start;
		for (; ok && i < n && sorted[i].start <= pos; i++)
			ok = heap_push(&heap, &sorted[i]);
		while (heap.list.n && heap.list.data[0].end <= pos)
			heap_pop(&heap);
		if (!ok || !heap.list.n)
			continue;
		struct sym_unit_range range = heap.list.data[0];
		range.start = pos;
		if (i < n && sorted[i].start < range.end)
			range.end = sorted[i].start;
		pos = range.end;
		ok = append(dwarf, range);
	}
	pd_vec_deinit(&heap.list);
	return ok;
}

static bool settle_ranges(struct sym_dwarf *dwarf)
{
	size_t n = dwarf->ranges.n;
	_cleanup_free_ struct sym_unit_range *ranges = take_ptr(dwarf->ranges.data);

	dwarf->ranges.n = dwarf->ranges.cap = 0;
	if (n)
		qsort(ranges, n, sizeof(*ranges), compare_ranges);
	return flatten(dwarf, ranges, n);
}

static struct pd_error *index_units(struct sym_dwarf *dwarf)
{
	struct indexer x = {
		.dwarf = dwarf,
		.ranges = { .left = MAX_RANGES },
		.needs = base_calloc_n(dwarf->main.units.n, sizeof(*x.needs)),
	};
	bool ok = x.needs && find_code(dwarf) && add_units(&x);

	if (x.ranges.is_cut)
		base_limit_reach(PD_LIMIT_ID_BINARY_RANGES);
	pd_vec_deinit(&x.ranges.list);
	free(x.needs);
	return ok && settle_ranges(dwarf) ? NULL : &pd_enomem;
}

/* Read the name and build id in .gnu_debugaltlink, which are separated by a NUL. */
static const char *read_altlink(const struct sym_image *image, struct pd_build_id *id_ret)
{
	struct sym_section link;

	if (!sym_image_section(image, ".gnu_debugaltlink", &link))
		return NULL;
	size_t len = strnlen((const char *)link.data, link.size);
	if (!len || len + 1 >= link.size)
		return NULL;
	size_t id_len = link.size - len - 1;
	id_ret->len = id_len < PD_BUILD_ID_MAX ? (uint8_t)id_len : PD_BUILD_ID_MAX;
	memcpy(id_ret->bytes, link.data + len + 1, id_ret->len);
	return (const char *)link.data;
}

static struct pd_error *find_supplement(const struct sym_image *image,
	const struct sym_search *search, const char *recorded_path, const char *name,
	const struct pd_build_id *id, struct sym_image **ret)
{
	struct sym_finder finder = {
		.search = search,
		.recorded = { .name = recorded_path ? recorded_path : "" },
		.id = *id,
	};

	sym_finder_supplement(&finder, name, image);
	*ret = take_ptr(finder.found);
	struct pd_error *err = take_ptr(finder.err);
	sym_finder_deinit(&finder);
	return err;
}

struct pd_error *sym_dwarf_supplement(const struct sym_image *debug,
	const struct sym_search *search, const char *recorded_path, struct sym_image **ret)
{
	struct pd_build_id id = { 0 };
	const char *name = read_altlink(debug, &id);

	*ret = NULL;
	return name && debug->path ? find_supplement(debug, search, recorded_path, name, &id, ret)
				   : NULL;
}

static bool is_too_large(const struct sym_image *image)
{
	return sym_image_inflated_size(image) > PD_LIMIT_DEBUG_BYTES &&
	       base_limit_reach(PD_LIMIT_ID_DEBUG_BYTES);
}

static struct pd_error *open_supplement(
	struct sym_dwarf *dwarf, const struct sym_dwarf_files *files, struct sym_ranges *ranges)
{
	struct pd_build_id id = { 0 };
	const char *name = read_altlink(dwarf->image, &id);

	if (!name || !dwarf->image->path)
		return NULL;
	struct pd_error *err = find_supplement(
		dwarf->image, files->search, files->recorded_path, name, &id, &dwarf->alt_image);
	if (err)
		return err;
	err = sym_note_range_file(ranges, SYM_RANGE_FILE_SUPPLEMENT, dwarf->alt_image, name, 0);
	if (err || !dwarf->alt_image || is_too_large(dwarf->alt_image))
		return err;
	dwarf->main.supplement = &dwarf->alt;
	return sym_debug_file_init(&dwarf->alt, dwarf->alt_image);
}

struct pd_error *sym_dwarf_init(
	struct sym_dwarf *dwarf, const struct sym_dwarf_files *files, struct sym_ranges *ranges)
{
	*dwarf = (struct sym_dwarf){
		.split_search = sym_split_search_init(files),
	};
	struct pd_error *err = sym_image_reopen(files->debug, &dwarf->image);
	if (err)
		return err;
	/* A descriptor that could be read before no longer can. */
	if (!dwarf->image && files->debug->path)
		sym_trouble_add(files->search->trouble, files->debug->path, EIO);
	if (!dwarf->image || is_too_large(dwarf->image))
		return NULL;
	err = sym_debug_file_init(&dwarf->main, dwarf->image);
	if (err)
		return err;
	err = open_supplement(dwarf, files, ranges);
	if (err)
		return err;
	dwarf->line_bytes_left = LINE_TABLE_READS * (uint64_t)dwarf->main.sections.line.size;
	return index_units(dwarf);
}

struct pd_error *sym_dwarf_check(const struct sym_dwarf *dwarf)
{
	const struct sym_image *const images[] = { dwarf->image, dwarf->alt_image,
		dwarf->package.image };

	for (size_t i = 0; i < PD_ARRAY_LEN(images); i++) {
		struct pd_error *err = sym_image_check(images[i]);

		if (err)
			return err;
	}
	return NULL;
}

void sym_dwarf_deinit(struct sym_dwarf *dwarf)
{
	sym_debug_file_deinit(&dwarf->main);
	sym_debug_file_deinit(&dwarf->alt);
	sym_package_deinit(&dwarf->package);
	sym_image_destroy(dwarf->alt_image);
	sym_image_destroy(dwarf->image);
	pd_vec_deinit(&dwarf->code.list);
	pd_vec_deinit(&dwarf->ranges);
	free(dwarf->by_unit);
	free(dwarf->first_of_unit);
	*dwarf = (struct sym_dwarf){ 0 };
}

uint32_t sym_dwarf_find_unit(
	const struct sym_dwarf *dwarf, uint64_t addr, struct sym_extent *extent_ret)
{
	const struct sym_unit_range *ranges = dwarf->ranges.data;
	size_t i = base_lower_bound(dwarf->ranges.n, k, ranges[k].start <= addr);
	struct sym_extent extent = { 0, i < dwarf->ranges.n ? ranges[i].start : UINT64_MAX };
	bool is_held = i && addr < ranges[i - 1].end;

	if (is_held)
		extent = (struct sym_extent){ ranges[i - 1].start, ranges[i - 1].end };
	else if (i)
		extent.start = ranges[i - 1].end;
	*extent_ret = extent;
	return is_held ? ranges[i - 1].unit : SYM_NO_UNIT;
}

/* Sort the ranges by unit. Those of each one stay in the order of their addresses. */
static bool sort_by_unit(struct sym_dwarf *dwarf)
{
	size_t n_units = dwarf->main.units.n, n = dwarf->ranges.n;
	uint32_t *first = calloc(n_units + 2, sizeof(*first));
	uint32_t *order = reallocarray(NULL, n + 1, sizeof(*order));

	free(dwarf->first_of_unit);
	dwarf->first_of_unit = first;
	dwarf->by_unit = order;
	if (!first || !order)
		return false;
	/* A counting sort. After the second loop the ranges of unit i end at first[i + 1]. */
	for (size_t i = 0; i < n; i++)
		first[dwarf->ranges.data[i].unit + 2]++;
	for (size_t i = 2; i < n_units + 2; i++)
		first[i] += first[i - 1];
	for (size_t i = 0; i < n; i++)
		order[first[dwarf->ranges.data[i].unit + 1]++] = (uint32_t)i;
	return true;
}

struct pd_error *sym_dwarf_next_own(
	struct sym_dwarf *dwarf, uint32_t unit, uint64_t addr, struct sym_extent *extent_ret)
{
	const struct sym_unit_range *ranges = dwarf->ranges.data;

	if (!dwarf->by_unit && !sort_by_unit(dwarf))
		return &pd_enomem;
	size_t end = dwarf->first_of_unit[unit + 1];
	size_t at = base_lower_bound_from(
		dwarf->first_of_unit[unit], end, i, ranges[dwarf->by_unit[i]].end <= addr);
	*extent_ret = (struct sym_extent){ UINT64_MAX, UINT64_MAX };
	if (at < end)
		*extent_ret = (struct sym_extent){ ranges[dwarf->by_unit[at]].start,
			ranges[dwarf->by_unit[at]].end };
	return NULL;
}

#include "symbolize/dwarf_file.h"

#include <elfutils/libdwelf.h>
#include <stdlib.h>
#include <string.h>

#include <pdconv/vec.h>

#include "base/cleanup.h"
#include "symbolize/search.h"

/* Debug information of the largest programs there are unpacks to about 8 GiB. */
static const uint64_t MAX_INFLATED = (uint64_t)16 << 30;

enum {
	/* Ranges of all units; units may share a list, so the file's size is no bound. */
	MAX_RANGES = 1 << 23,
	/* Ranges looked at in search of the one that holds an address; real ones do not overlap. */
	MAX_OVERLAPS = 64,
	/* How often all line tables may be read. Units may share one, but real ones do not. */
	LINE_TABLE_READS = 8,
};

struct indexer {
	PD_VEC(struct sym_dwarf_unit) units;
	PD_VEC(struct sym_unit_range) ranges;
	/** Executable segments: what lies outside is the remains of code that was left out. */
	PD_VEC(struct sym_unit_range) code;
	uint32_t ranges_left;
};

static bool read_code_segments(struct indexer *x, const struct sym_image *image)
{
	size_t n = 0;
	GElf_Phdr phdr;

	if (elf_getphdrnum(image->elf, &n))
		return true;
	for (size_t i = 0; i < n; i++) {
		if (!gelf_getphdr(image->elf, (int)i, &phdr) || phdr.p_type != PT_LOAD ||
			!(phdr.p_flags & PF_X))
			continue;
		struct sym_unit_range range = { phdr.p_vaddr, phdr.p_vaddr + phdr.p_memsz, 0, 0 };
		if (!pd_vec_push(&x->code, range))
			return false;
	}
	return true;
}

static bool is_code(const struct indexer *x, uint64_t addr)
{
	for (size_t i = 0; i < x->code.n; i++) {
		if (addr >= x->code.data[i].start && addr < x->code.data[i].end)
			return true;
	}
	return x->code.n == 0;
}

static bool add_range(struct indexer *x, uint64_t start, uint64_t end, uint32_t unit)
{
	struct sym_unit_range range = { start, end, 0, unit };

	if (start >= end || !is_code(x, start))
		return true;
	return pd_vec_push(&x->ranges, range);
}

/* *n_ret is how many ranges the unit's own entry gives. */
static bool add_unit_ranges(struct indexer *x, Dwarf_Die *die, uint32_t unit, size_t *n_ret)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t pos = 0;
	size_t n = 0;

	while (x->ranges_left && (pos = dwarf_ranges(die, pos, &base, &start, &end)) > 0) {
		x->ranges_left--;
		n++;
		if (!add_range(x, start, end, unit))
			return false;
	}
	*n_ret = n;
	return true;
}

static int compare_offsets(const void *key, const void *element)
{
	Dwarf_Off off = *(const Dwarf_Off *)key;
	Dwarf_Off die = dwarf_dieoffset((Dwarf_Die *)element);

	return (off > die) - (off < die);
}

/* .debug_aranges tells of the units whose own entries do not say where their code is. */
static bool add_aranges(struct indexer *x, Dwarf *dw, const bool *needs)
{
	Dwarf_Aranges *aranges;
	size_t n = 0;
	Dwarf_Addr start;
	Dwarf_Word len;
	Dwarf_Off off;

	if (dwarf_getaranges(dw, &aranges, &n))
		return true;
	for (size_t i = 0; i < n; i++) {
		if (dwarf_getarangeinfo(dwarf_onearange(aranges, i), &start, &len, &off))
			continue;
		struct sym_dwarf_unit *unit = bsearch(
			&off, x->units.data, x->units.n, sizeof(*x->units.data), compare_offsets);
		if (!unit || !needs[unit - x->units.data])
			continue;
		if (!add_range(x, start, start + len, (uint32_t)(unit - x->units.data)))
			return false;
	}
	return true;
}

static bool is_of_code(Dwarf_Die *die)
{
	int tag = dwarf_tag(die);

	return tag == DW_TAG_compile_unit || tag == DW_TAG_skeleton_unit;
}

static bool add_units(struct indexer *x, Dwarf *dw)
{
	PD_VEC(bool) needs = { 0 };
	Dwarf_CU *cu = NULL;
	Dwarf_Die die;
	size_t n_ranges;
	bool any = false, ok = true;

	/* The last argument stays NULL: to ask for a split unit would open the file that it names. */
	while (ok && dwarf_get_units(dw, cu, &cu, NULL, NULL, &die, NULL) == 0) {
		if (!is_of_code(&die) || x->units.n >= SYM_NO_UNIT - 1)
			continue;
		struct sym_dwarf_unit unit = { die };
		ok = pd_vec_push(&x->units, unit) &&
		     add_unit_ranges(x, &die, (uint32_t)x->units.n - 1, &n_ranges) &&
		     pd_vec_push(&needs, n_ranges == 0);
		any = any || (ok && n_ranges == 0);
	}
	if (ok && any)
		ok = add_aranges(x, dw, needs.data);
	pd_vec_deinit(&needs);
	return ok;
}

static int compare_ranges(const void *a, const void *b)
{
	const struct sym_unit_range *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (x->unit > y->unit) - (x->unit < y->unit);
}

static struct pd_error *index_units(struct sym_dwarf *dwarf)
{
	struct indexer x = { .ranges_left = MAX_RANGES };
	bool ok = read_code_segments(&x, dwarf->image) && add_units(&x, dwarf->dw);

	pd_vec_deinit(&x.code);
	dwarf->units = x.units.data;
	dwarf->n_units = x.units.n;
	dwarf->ranges = x.ranges.data;
	dwarf->n_ranges = x.ranges.n;
	if (!ok)
		return &pd_enomem;
	if (dwarf->n_ranges)
		qsort(dwarf->ranges, dwarf->n_ranges, sizeof(*dwarf->ranges), compare_ranges);
	for (size_t i = 0; i < dwarf->n_ranges; i++) {
		uint64_t before = i ? dwarf->ranges[i - 1].max_end : 0;
		uint64_t end = dwarf->ranges[i].end;

		dwarf->ranges[i].max_end = end > before ? end : before;
	}
	return NULL;
}

/* libdw would look for the file itself, and open whatever has its name. */
static struct pd_error *open_supplement(struct sym_dwarf *dwarf, const struct sym_search *search)
{
	struct sym_hunt hunt = { .search = search, .recorded = { .name = "" } };
	const char *name;
	const void *id;
	ssize_t id_len = dwelf_dwarf_gnu_debugaltlink(dwarf->dw, &name, &id);

	if (id_len <= 0)
		return NULL;
	dwarf->alt_name = name;
	hunt.id.len = id_len < PD_BUILD_ID_MAX ? (uint8_t)id_len : PD_BUILD_ID_MAX;
	memcpy(hunt.id.bytes, id, hunt.id.len);
	sym_hunt_supplement(&hunt, name, dwarf->image->path);
	dwarf->alt_image = take_ptr(hunt.found);
	struct pd_error *err = take_ptr(hunt.err);
	sym_hunt_deinit(&hunt);
	if (!dwarf->alt_image || sym_image_inflated_size(dwarf->alt_image) > MAX_INFLATED)
		return err;
	dwarf->alt = dwarf_begin_elf(dwarf->alt_image->elf, DWARF_C_READ, NULL);
	if (dwarf->alt)
		dwarf_setalt(dwarf->dw, dwarf->alt);
	return err;
}

struct pd_error *sym_dwarf_init(
	struct sym_dwarf *dwarf, const struct sym_image *image, const struct sym_search *search)
{
	*dwarf = (struct sym_dwarf){ .image = sym_image_reopen(image) };
	if (!dwarf->image || sym_image_inflated_size(dwarf->image) > MAX_INFLATED)
		return NULL;
	dwarf->dw = dwarf_begin_elf(dwarf->image->elf, DWARF_C_READ, NULL);
	if (!dwarf->dw)
		return NULL;
	/* After dwarf_begin_elf(), which unpacks them. */
	sym_image_section(dwarf->image, ".debug_info", &dwarf->info);
	sym_image_section(dwarf->image, ".debug_abbrev", &dwarf->abbrev);
	sym_image_section(dwarf->image, ".debug_line", &dwarf->line);
	sym_image_section(dwarf->image, ".debug_line_str", &dwarf->line_str);
	sym_image_section(dwarf->image, ".debug_str", &dwarf->str);
	dwarf->line_bytes_left = LINE_TABLE_READS * (uint64_t)dwarf->line.size;
	struct pd_error *err = open_supplement(dwarf, search);
	return err ? err : index_units(dwarf);
}

void sym_dwarf_deinit(struct sym_dwarf *dwarf)
{
	dwarf_end(dwarf->dw);
	dwarf_end(dwarf->alt);
	sym_image_destroy(dwarf->alt_image);
	sym_image_destroy(dwarf->image);
	free(dwarf->units);
	free(dwarf->ranges);
	*dwarf = (struct sym_dwarf){ 0 };
}

static size_t ranges_up_to(const struct sym_dwarf *dwarf, uint64_t addr)
{
	size_t low = 0, high = dwarf->n_ranges;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (dwarf->ranges[mid].start <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

uint32_t sym_dwarf_find_unit(
	const struct sym_dwarf *dwarf, uint64_t addr, struct sym_extent *extent_ret)
{
	const struct sym_unit_range *ranges = dwarf->ranges;
	size_t i = ranges_up_to(dwarf, addr);
	struct sym_extent extent = { 0, i < dwarf->n_ranges ? ranges[i].start : UINT64_MAX };
	uint32_t unit = SYM_NO_UNIT;

	if (i)
		extent.start = ranges[i - 1].start;
	for (int tries = 0; i-- && tries < MAX_OVERLAPS; tries++) {
		if (ranges[i].end > addr) {
			unit = ranges[i].unit;
			extent.end = ranges[i].end < extent.end ? ranges[i].end : extent.end;
			break;
		}
		if (ranges[i].end > extent.start)
			extent.start = ranges[i].end;
		if (ranges[i].max_end <= addr) {
			if (ranges[i].max_end > extent.start)
				extent.start = ranges[i].max_end;
			break;
		}
	}
	*extent_ret = extent;
	return unit;
}

static bool is_in_supplement(unsigned form)
{
	return form == DW_FORM_GNU_ref_alt || form == DW_FORM_GNU_strp_alt ||
	       form == DW_FORM_ref_sup4 || form == DW_FORM_ref_sup8 || form == DW_FORM_strp_sup;
}

bool sym_dwarf_attr(
	const struct sym_dwarf *dwarf, Dwarf_Die *die, unsigned name, Dwarf_Attribute *ret)
{
	if (!dwarf_attr(die, name, ret))
		return false;
	/* A supplement has no supplement: libdw would look for one. */
	return !is_in_supplement(dwarf_whatform(ret)) ||
	       (dwarf->alt && dwarf_cu_getdwarf(die->cu) == dwarf->dw);
}

const char *sym_dwarf_text(const struct sym_dwarf *dwarf, Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attr;

	return sym_dwarf_attr(dwarf, die, name, &attr) ? dwarf_formstring(&attr) : NULL;
}

uint64_t sym_dwarf_number(
	const struct sym_dwarf *dwarf, Dwarf_Die *die, unsigned name, uint64_t otherwise)
{
	Dwarf_Attribute attr;
	Dwarf_Word value;

	if (!sym_dwarf_attr(dwarf, die, name, &attr) || dwarf_formudata(&attr, &value))
		return otherwise;
	return value;
}

#include "symbolize/dwarf/split_units.h"

#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/limit.h"
#include "symbolize/dwarf/dwarf.h"
#include "symbolize/file/image_sections.h"
#include "symbolize/find/binary_archive.h"
#include "symbolize/find/file_search.h"

/*
 * Upper limit for the units of one binary, including those of types: as high as for the main file
 * of a large program.
 */
static const uint64_t MAX_UNITS = PD_LIMIT_SPLIT_UNITS;

struct sym_split_search sym_split_search_init(const struct sym_dwarf_files *files)
{
	return (struct sym_split_search){
		.search = files->search,
		.paths = { files->binary_path, files->debug->path },
		.recorded_path = files->recorded_path,
		.units_left = MAX_UNITS,
		.inflated_left = PD_LIMIT_DEBUG_BYTES,
	};
}

/*
 * Close *image if it exceeds the limit. Each skeleton may name another file, so the limit is for
 * all files of the binary together.
 */
static void limit_image(struct sym_split_search *search, struct sym_image **image)
{
	uint64_t inflated = *image ? sym_image_inflated_size(*image) : 0;

	if (inflated <= search->inflated_left)
		search->inflated_left -= inflated;
	else if (base_limit_reach(PD_LIMIT_ID_DEBUG_BYTES))
		sym_image_destroy(take_ptr(*image));
}

/* Open @p path. *ret is NULL if there is no such file, or if it exceeds the limit. */
static struct pd_error *open_image(
	const char *path, struct sym_split_search *search, struct sym_image **ret)
{
	struct sym_failure failure;

	*ret = NULL;
	if (!*path)
		return NULL;
	struct pd_error *err =
		sym_image_open(path, sym_search_access(search->search), ret, &failure);
	if (!err)
		limit_image(search, ret);
	return err;
}

/* Open a file of an archive like open_image(). */
static struct pd_error *open_member(const struct sym_archive *archive,
	const struct sym_member *member, struct sym_split_search *search, struct sym_image **ret)
{
	struct sym_failure failure;
	struct pd_error *err = sym_image_open_range(
		sym_archive_fd(archive), member->offset, member->size, member->path, ret, &failure);

	if (!err)
		limit_image(search, ret);
	return err;
}

/* Find the unit with the id @p dwo_id, or NULL. */
static struct sym_unit *unit_of_id(struct sym_debug_file *file, uint64_t dwo_id)
{
	for (size_t i = 0; i < file->units.n; i++) {
		struct sym_unit *unit = &file->units.data[i];

		if (unit->tag == DW_TAG_compile_unit && unit->dwo_id == dwo_id)
			return unit;
	}
	return NULL;
}

/* List the units of split->file, and find the one with the id @p dwo_id. */
static struct pd_error *list_units(
	struct sym_split *split, struct sym_split_search *search, uint64_t dwo_id)
{
	if (!search->units_left) {
		base_limit_reach(PD_LIMIT_ID_SPLIT_UNITS);
		return NULL;
	}
	split->file.max_units = search->units_left;
	struct pd_error *err = sym_debug_file_list(&split->file);
	search->units_left -= split->file.units.n;
	split->unit = unit_of_id(&split->file, dwo_id);
	return err;
}

static bool is_info(const struct sym_image *image, Elf_Scn *scn)
{
	size_t strings;
	GElf_Shdr shdr;

	if (elf_getshdrstrndx(image->elf, &strings) || !gelf_getshdr(scn, &shdr))
		return false;
	const char *name = elf_strptr(image->elf, strings, shdr.sh_name);
	/* .zdebug sections are compressed in the older GNU format. */
	return name &&
	       (strcmp(name, ".debug_info.dwo") == 0 || strcmp(name, ".zdebug_info.dwo") == 0);
}

/*
 * Find the unit in a .dwo file. Besides that of the unit, the file has a section .debug_info.dwo
 * for each type, since types are shared between files.
 */
static struct pd_error *find_unit(
	struct sym_split *split, struct sym_split_search *search, uint64_t dwo_id)
{
	struct sym_debug_sections sections = { 0 };
	Elf_Scn *scn = NULL;

	/* The file has only one section of each other kind, which all of its units share. */
	sym_debug_sections_find(&sections, split->image, true);
	while (!split->unit && (scn = elf_nextscn(split->image->elf, scn))) {
		if (!is_info(split->image, scn) ||
			!sym_image_bytes(split->image, scn, &sections.info))
			continue;
		sym_debug_file_deinit(&split->file);
		split->file = (struct sym_debug_file){
			.sections = sections,
			.swap = split->image->swap,
			.is_split = true,
		};
		struct pd_error *err = list_units(split, search, dwo_id);
		if (err)
			return err;
	}
	return NULL;
}

/* Look for the unit in split->image, and close that if it is not there. */
static struct pd_error *try_image(
	struct sym_split *split, struct sym_split_search *search, uint64_t dwo_id)
{
	if (!split->image)
		return NULL;
	struct pd_error *err = find_unit(split, search, dwo_id);
	if (split->unit && !err)
		return NULL;
	sym_debug_file_deinit(&split->file);
	sym_image_destroy(take_ptr(split->image));
	split->unit = NULL;
	return err;
}

static struct pd_error *try_file(
	struct sym_split *split, struct sym_split_search *search, const char *path, uint64_t dwo_id)
{
	struct pd_error *err = open_image(path, search, &split->image);

	return err ? err : try_image(split, search, dwo_id);
}

/* Archives have .dwo files of any directory, so each one with the name is tried. */
static struct pd_error *try_archive(struct sym_split *split, struct sym_split_search *search,
	struct sym_archive *archive, uint64_t dwo_id)
{
	const char *base = sym_path_base(split->wanted.text);
	const struct sym_member *member;

	for (size_t i = 0; !split->unit && (member = sym_archive_find_base(archive, base, i));
		i++) {
		struct pd_error *err = open_member(archive, member, search, &split->image);

		if (!err)
			err = try_image(split, search, dwo_id);
		if (err)
			return err;
	}
	return NULL;
}

/* Each directory has two candidates for a .dwo file: the skeleton's name, and its base name. */
enum { N_NAMES = 2 };

/*
 * Get candidate @p number for a .dwo file next to the binary or its debug file, or next to where
 * the binary was recorded. *ret is "" if the candidate does not apply. Returns false after the last
 * one.
 */
static bool beside(const struct sym_split_search *s, const struct sym_unit *skeleton,
	const char *wanted, size_t number, struct sym_path *ret)
{
	const size_t n_paths = PD_ARRAY_LEN(s->paths);
	size_t i = number / N_NAMES;
	struct sym_path recorded, dir;

	sym_path_format(ret, "%s", "");
	sym_path_format(&recorded, "%s", "");
	if (i >= n_paths && (!s->recorded_path || !sym_recorded_path(s->search, s->recorded_path,
							  i - n_paths, &recorded)))
		return false;
	const char *path = i < n_paths ? s->paths[i] : recorded.text;
	if (!path || !*path)
		return true;
	sym_path_dir(&dir, path);
	const char *name = number % N_NAMES ? sym_path_base(wanted) : skeleton->dwo_name;
	/* A name such as "../obj/x.dwo" may lead to any file of this machine. */
	if (sym_search_has_own_paths(s->search))
		sym_path_format(ret, "%s/%s", dir.text, name);
	else
		sym_path_below(ret, dir.text, name);
	return true;
}

static struct pd_error *try_wanted(
	struct sym_split *split, struct sym_split_search *search, const struct sym_unit *skeleton)
{
	struct pd_error *err = NULL;
	struct sym_path path;

	for (size_t i = 0; !err && !split->unit &&
			   sym_recorded_path(search->search, split->wanted.text, i, &path);
		i++)
		err = try_file(split, search, path.text, skeleton->dwo_id);
	return err;
}

static struct pd_error *try_beside(
	struct sym_split *split, struct sym_split_search *search, const struct sym_unit *skeleton)
{
	struct pd_error *err = NULL;
	struct sym_path path;

	for (size_t i = 0;
		!err && !split->unit && beside(search, skeleton, split->wanted.text, i, &path); i++)
		err = try_file(split, search, path.text, skeleton->dwo_id);
	return err;
}

static struct pd_error *try_debug_dirs(
	struct sym_split *split, struct sym_split_search *search, const struct sym_unit *skeleton)
{
	const char *wanted = split->wanted.text;
	struct pd_error *err = NULL;
	struct sym_path dir, path;
	size_t pos = 0;

	while (!err && !split->unit && sym_path_next(search->search->debug_dirs, &pos, &dir)) {
		sym_path_below(&path, dir.text, wanted);
		err = try_file(split, search, path.text, skeleton->dwo_id);
		if (err || split->unit)
			break;
		sym_path_below(&path, dir.text, sym_path_base(wanted));
		err = try_file(split, search, path.text, skeleton->dwo_id);
	}
	return err;
}

static struct pd_error *try_files(
	struct sym_split *split, struct sym_split_search *search, const struct sym_unit *skeleton)
{
	const char *name = skeleton->dwo_name, *dir = skeleton->comp_dir;

	if (name[0] == '/' || !dir)
		sym_path_format(&split->wanted, "%s", name);
	else
		sym_path_format(&split->wanted, "%s/%s", dir, name);
	struct pd_error *err = try_wanted(split, search, skeleton);
	if (!err)
		err = try_beside(split, search, skeleton);
	if (!err)
		err = try_debug_dirs(split, search, skeleton);
	for (size_t i = 0; !err && !split->unit && i < search->search->n_archives; i++)
		err = try_archive(split, search, search->search->archives[i], skeleton->dwo_id);
	return err;
}

/* Use package->image, and close it if it is not a package. */
static void use_package(struct sym_package *package)
{
	if (!package->image)
		return;
	if (sym_image_section(package->image, ".debug_cu_index", &package->index))
		sym_debug_sections_find(&package->sections, package->image, true);
	else
		sym_image_destroy(take_ptr(package->image));
}

static struct pd_error *try_package(
	struct sym_package *package, struct sym_split_search *search, const char *path)
{
	if (package->image)
		return NULL;
	struct pd_error *err = open_image(path, search, &package->image);
	if (!err)
		use_package(package);
	return err;
}

/* Try the packages in archives with the name @p base. */
static struct pd_error *try_packages_in_archives(
	struct sym_package *package, struct sym_split_search *search, const char *base)
{
	for (size_t i = 0; !package->image && i < search->search->n_archives; i++) {
		struct sym_archive *archive = search->search->archives[i];
		const struct sym_member *member = sym_archive_find_base(archive, base, 0);
		struct pd_error *err =
			member ? open_member(archive, member, search, &package->image) : NULL;

		if (err)
			return err;
		use_package(package);
	}
	return NULL;
}

/* Try the files next to the binary and its debug file, wherever they were found. */
static struct pd_error *try_packages_beside(
	struct sym_package *package, struct sym_split_search *search)
{
	struct sym_path path;

	for (size_t i = 0; i < 2; i++) {
		if (!search->paths[i])
			continue;
		sym_path_format(&path, "%s.dwp", search->paths[i]);
		struct pd_error *err = try_package(package, search, path.text);
		if (err)
			return err;
	}
	return NULL;
}

/* Try what is named after the binary as it was recorded: the binary may be in a cache now. */
static struct pd_error *try_recorded_packages(
	struct sym_package *package, struct sym_split_search *search)
{
	struct sym_path recorded, dir, path;
	size_t pos = 0;

	sym_path_format(&recorded, "%s.dwp", search->recorded_path);
	struct pd_error *err = NULL;
	for (size_t i = 0; !err && sym_recorded_path(search->search, recorded.text, i, &path); i++)
		err = try_package(package, search, path.text);
	while (!err && sym_path_next(search->search->debug_dirs, &pos, &dir)) {
		sym_path_below(&path, dir.text, sym_path_base(recorded.text));
		err = try_package(package, search, path.text);
	}
	return err ? err : try_packages_in_archives(package, search, sym_path_base(recorded.text));
}

struct pd_error *sym_package_find(struct sym_package *package, struct sym_split_search *search)
{
	if (package->was_searched)
		return NULL;
	package->was_searched = true;
	struct pd_error *err = try_packages_beside(package, search);
	return err || !search->recorded_path ? err : try_recorded_packages(package, search);
}

void sym_package_deinit(struct sym_package *package)
{
	sym_image_destroy(package->image);
	*package = (struct sym_package){ 0 };
}

/* Index of a package, in version 5 or GNU version 2. DWARF 5 section 7.3.5.3. */
struct index {
	struct pd_cursor start;
	uint32_t version;
	uint32_t n_columns;
	uint32_t n_units;
	uint32_t n_slots;
};

enum {
	INDEX_HEADER = 16,
	/*
	 * Slots that are tried for a unit. A third of them is free, so in a table that is not
	 * damaged more than 64 are used by one unit of 10^11.
	 */
	MAX_PROBES = PD_LIMIT_PACKAGE_PROBES,
};

static uint64_t index_number(const struct index *index, uint64_t offset, unsigned size)
{
	struct pd_cursor c = index->start;

	pd_cursor_bytes(&c, offset);
	return size == 8 ? pd_cursor_u64(&c) : pd_cursor_u32(&c);
}

static bool read_index(const struct sym_package *package, struct index *ret)
{
	bool swap = package->image->swap;
	struct pd_cursor c = pd_cursor_init(package->index.data, package->index.size, swap);

	ret->start = c;
	/* Version 5 has a 2-byte version and 2 bytes of padding, GNU version 2 a 4-byte version. */
	uint16_t first = pd_cursor_u16(&c), second = pd_cursor_u16(&c);
	ret->version = first ? first : second;
	ret->n_columns = pd_cursor_u32(&c);
	ret->n_units = pd_cursor_u32(&c);
	ret->n_slots = pd_cursor_u32(&c);
	uint64_t table = (uint64_t)ret->n_slots * 12;
	uint64_t columns = (uint64_t)ret->n_columns * 4 * (1 + 2 * (uint64_t)ret->n_units);
	return !c.overrun && ret->n_columns <= 16 && ret->n_slots &&
	       !(ret->n_slots & (ret->n_slots - 1)) &&
	       table + columns <= package->index.size - INDEX_HEADER;
}

/* Find the row of the unit with the id @p dwo_id. Rows are numbered from 1; 0 if there is none. */
static uint32_t find_row(const struct index *index, uint64_t dwo_id)
{
	uint64_t mask = index->n_slots - 1;
	/*
	 * The hash table uses double hashing. An odd step reaches all slots, whose number is a
	 * power of 2.
	 */
	uint64_t slot = dwo_id & mask, step = (dwo_id >> 32 & mask) | 1;
	uint64_t rows = INDEX_HEADER + (uint64_t)index->n_slots * 8;

	for (uint32_t i = 0; i < index->n_slots; i++, slot = (slot + step) & mask) {
		uint32_t row = (uint32_t)index_number(index, rows + slot * 4, 4);

		if (!row || (i == MAX_PROBES && base_limit_reach(PD_LIMIT_ID_PACKAGE_PROBES)))
			return 0;
		if (index_number(index, INDEX_HEADER + slot * 8, 8) == dwo_id)
			return row <= index->n_units ? row : 0;
	}
	return 0;
}

static struct sym_section cut(struct sym_section whole, uint64_t offset, uint64_t size)
{
	if (offset > whole.size || size > whole.size - offset)
		return (struct sym_section){ 0 };
	return (struct sym_section){ whole.data + offset, size, 0 };
}

/* Identifiers of sections in a package (DWARF 5, 7.3.5.3), not in <dwarf.h> of elfutils 0.186. */
enum {
	SECT_INFO = 1,
	SECT_ABBREV = 3,
	SECT_STR_OFFSETS = 6,
	SECT_RNGLISTS = 8,
};

/* Reduce the section with the identifier @p id to the unit's part of it. */
static void cut_section(struct sym_debug_sections *sections, uint32_t version, uint64_t id,
	uint64_t offset, uint64_t size)
{
	switch (id) {
	case SECT_INFO:
		sections->info = cut(sections->info, offset, size);
		break;
	case SECT_ABBREV:
		sections->abbrev = cut(sections->abbrev, offset, size);
		break;
	case SECT_STR_OFFSETS:
		sections->str_offsets = cut(sections->str_offsets, offset, size);
		break;
	case SECT_RNGLISTS:
		/* In GNU version 2 this identifier stands for macros. */
		if (version >= 5)
			sections->rnglists = cut(sections->rnglists, offset, size);
		break;
	default:
		break;
	}
}

/*
 * Find the unit in a package. Its parts of the package's sections are treated as if they were a
 * file.
 */
static struct pd_error *find_in_package(struct sym_split *split, const struct sym_package *package,
	struct sym_split_search *search, uint64_t dwo_id)
{
	struct index index;
	uint32_t row;

	if (!package->image || !read_index(package, &index) || !(row = find_row(&index, dwo_id)))
		return NULL;
	/*
	 * The hash table has 8 bytes for the id and 4 for the row in each slot. It is followed by
	 * the table of offsets, which begins with a row of section identifiers, and the table of
	 * sizes, which has no such row. Sections without a column are shared by all units.
	 */
	uint64_t ids = INDEX_HEADER + (uint64_t)index.n_slots * 12;
	uint64_t offsets = ids + (uint64_t)row * index.n_columns * 4;
	uint64_t sizes = offsets + (uint64_t)index.n_units * index.n_columns * 4;
	split->file = (struct sym_debug_file){
		.sections = package->sections,
		.swap = package->image->swap,
		.is_split = true,
	};
	for (uint64_t i = 0; i < index.n_columns; i++)
		cut_section(&split->file.sections, index.version,
			index_number(&index, ids + 4 * i, 4),
			index_number(&index, offsets + 4 * i, 4),
			index_number(&index, sizes + 4 * i, 4));
	return list_units(split, search, dwo_id);
}

struct pd_error *sym_split_init(struct sym_split *split, const struct sym_package *package,
	struct sym_split_search *search, const struct sym_unit *skeleton)
{
	*split = (struct sym_split){ 0 };
	struct pd_error *err = find_in_package(split, package, search, skeleton->dwo_id);
	if (err)
		return err;
	if (!split->unit) {
		sym_debug_file_deinit(&split->file);
		err = try_files(split, search, skeleton);
		if (err)
			return err;
	}
	if (split->unit)
		split->unit->skeleton = skeleton;
	return NULL;
}

void sym_split_deinit(struct sym_split *split)
{
	sym_debug_file_deinit(&split->file);
	sym_image_destroy(split->image);
	*split = (struct sym_split){ 0 };
}

#include "parse/space/dso.h"

#include <string.h>

#include "base/array.h"
#include "parse/space/namesakes.h"
#include "parse/open_file.h"
#include "parse/space/snapshot.h"

/* Identity of a dso. */
struct dso_key {
	struct pd_build_id build_id;
	uint8_t owner;
	uint32_t name;
	/** 0 unless parse_space.splits_inodes: kernel and /proc show different ones on overlays. */
	uint32_t maj;
	uint32_t min;
	uint64_t ino;
};

static struct dso_key make_key(const struct parse_space *space, uint32_t name,
	enum parse_owner owner, const struct parse_region *region)
{
	struct dso_key key;

	memset(&key, 0, sizeof(key)); /* keys are compared bytewise, padding included */
	key.build_id = region->build_id;
	key.owner = (uint8_t)owner;
	key.name = name;
	key.ino = region->ino;
	if (space->splits_inodes) {
		key.maj = region->maj;
		key.min = region->min;
	}
	return key;
}

/* Take the build id in HEADER_BUILD_ID for the name. False if there is none. */
static bool take_listed_id(const struct parse_space *space, struct parse_dso *dso)
{
	const struct pd_build_id *listed = pd_file_build_id(
		space->file, dso->name, dso->is_kernel ? PD_MISC_KERNEL : PD_MISC_USER);

	if (!listed)
		return false;
	dso->build_id = *listed;
	dso->id_origin = parse_namesakes_origin(space->namesakes, dso);
	return true;
}

static uint64_t unidentified_key(uint32_t name, bool is_kernel)
{
	return (uint64_t)name << 1 | is_kernel;
}

/* Find the build id. One from HEADER_BUILD_ID may arrive later, see learn_build_id(). */
static bool identify(struct parse_space *space, uint32_t name, struct parse_dso *dso)
{
	bool is_new;

	if (dso->build_id.len || take_listed_id(space, dso))
		return true;
	uint64_t *last =
		base_map_add(&space->unidentified, unidentified_key(name, dso->is_kernel), &is_new);
	if (!last)
		return false;
	dso->unidentified = is_new ? NULL : (struct parse_dso *)(uintptr_t)*last;
	*last = (uint64_t)(uintptr_t)dso;
	return true;
}

const struct parse_dso *parse_space_get_dso(struct parse_space *space, const char *name,
	enum parse_owner owner, const struct parse_region *region)
{
	struct dso_key key = make_key(space, base_intern_str(&space->names, name), owner, region);
	uint32_t id = base_intern_add(&space->dso_keys, &key, sizeof(key));
	if (key.name == PD_INTERN_NONE || id == PD_INTERN_NONE)
		return NULL;
	if (id < space->dsos.n)
		return space->dsos.data[id];

	struct parse_dso *dso = base_arena_alloc(&space->arena, sizeof(*dso));
	if (!dso || !pd_vec_push(&space->dsos, dso))
		return NULL;
	*dso = (struct parse_dso){
		.id = id,
		.is_kernel = owner != PD_OWNER_USER,
		.is_generated = owner == PD_OWNER_GENERATED,
		.name = base_intern_bytes(&space->names, key.name),
		.build_id = region->build_id,
		.pid = region->pid,
		.pgoff = region->pgoff,
		.size = region->len,
		.is_code = region->prot & PD_PROT_EXEC,
		.maj = region->maj,
		.min = region->min,
		.ino = region->ino,
	};
	return identify(space, key.name, dso) ? dso : NULL;
}

static void learn_build_id(struct parse_space *space, const struct pd_build_id_entry *entry)
{
	uint32_t name = base_intern_find(&space->names, entry->name, strlen(entry->name));
	bool is_kernel = entry->cpumode == PD_MISC_KERNEL;

	if ((!is_kernel && entry->cpumode != PD_MISC_USER) || name == PD_INTERN_NONE)
		return;
	uint64_t *last = base_map_find(&space->unidentified, unidentified_key(name, is_kernel));
	struct parse_dso *dso = last ? (struct parse_dso *)(uintptr_t)*last : NULL;
	for (; dso; dso = dso->unidentified)
		take_listed_id(space, dso);
	if (last)
		*last = 0;
}

void parse_space_learn_build_ids(struct parse_space *space)
{
	for (; space->n_build_ids < space->file->build_ids.n; space->n_build_ids++)
		learn_build_id(space, &space->file->build_ids.data[space->n_build_ids]);
}

size_t parse_space_n_dsos(const struct parse_space *space)
{
	return space->dsos.n;
}

const struct parse_dso *parse_space_dso(const struct parse_space *space, size_t id)
{
	return space->dsos.data[id];
}

enum { HUGE_PAGE = 2 << 20 };

/* Beginnings of the names that the kernel gives to memory without a file of code. */
static const char *const NO_FILES[] = { "//anon", "[anon", "/memfd:", "/dev/zero", "/SYSV" };

static bool is_without_file(const char *name)
{
	for (size_t i = 0; i < PD_ARRAY_LEN(NO_FILES); i++) {
		if (strncmp(name, NO_FILES[i], strlen(NO_FILES[i])) == 0)
			return true;
	}
	return !*name;
}

static bool is_file(const struct parse_dso *dso)
{
	return dso->name[0] == '/' && !is_without_file(dso->name);
}

void parse_note_program(struct parse_process *process, const struct parse_dso *dso)
{
	if (!process->program && is_file(dso))
		process->program = dso;
}

bool parse_is_moved_text(const struct parse_process *process, const struct parse_region *region)
{
	uint64_t end = region->start + region->len;

	if (!is_without_file(region->name))
		return false;
	const struct parse_maps_entry *entry = parse_maps_first(process->maps, region->start, end);
	if (!entry || entry->start > region->start || entry->end < end ||
		!is_file(entry->mapping->dso))
		return false;
	return entry->mapping->dso == process->program ||
	       (region->start % HUGE_PAGE == 0 && end % HUGE_PAGE == 0);
}

static const struct parse_maps_entry *entry_before(const struct parse_maps *maps, uint64_t addr)
{
	return addr ? parse_maps_first(maps, addr - 1, addr) : NULL;
}

/* Whether the region continues the file that is mapped before @p moved. */
static bool continues(const struct parse_process *process, const struct parse_maps_entry *moved,
	const struct parse_region *region)
{
	const struct parse_maps_entry *head = entry_before(process->maps, moved->start);

	/* Nothing else is mapped right before the program, which is the first file. */
	if (!head || !is_file(head->mapping->dso))
		return !process->program;
	return strcmp(head->mapping->dso->name, region->name) == 0 &&
	       head->mapping->pgoff - head->mapping->start == region->pgoff - region->start;
}

void parse_join_moved_text(const struct parse_process *process, struct parse_region *region)
{
	const struct parse_maps_entry *moved = entry_before(process->maps, region->start);

	if (!moved || is_without_file(region->name) || !is_without_file(moved->mapping->dso->name))
		return;
	uint64_t size = region->start - moved->start;
	if (size > region->pgoff || !continues(process, moved, region))
		return;
	region->start -= size;
	region->pgoff -= size;
	region->len += size;
}

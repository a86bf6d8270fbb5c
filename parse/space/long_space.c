#include "parse/space/long_space.h"

#include <string.h>

#include "parse/space/dso.h"
#include "parse/space/snapshot.h"
#include "parse/space/space_state.h"

struct parse_maps *parse_space_known_maps(const struct parse_space *space, uint32_t pid)
{
	const struct parse_process *process = parse_space_find_process(space, pid);

	return process ? process->maps : NULL;
}

struct parse_maps *parse_space_empty_maps(struct parse_space *space)
{
	return parse_maps_create(++space->next_maps_id);
}

static const struct parse_thread *known_thread(
	const struct parse_space *space, uint32_t pid, uint32_t tid)
{
	const uint64_t *slot = base_map_find(&space->threads, (uint64_t)pid << 32 | tid);

	return slot ? (const struct parse_thread *)(uintptr_t)*slot : NULL;
}

const char *parse_space_known_comm(const struct parse_space *space, uint32_t pid, uint32_t tid)
{
	const struct parse_thread *thread = known_thread(space, pid, tid);

	if (!thread || !thread->comm)
		thread = known_thread(space, pid, pid);
	return thread ? thread->comm : NULL;
}

void parse_space_split_inodes(struct parse_space *space)
{
	space->splits_inodes = true;
}

size_t parse_space_n_created(const struct parse_space *space)
{
	return space->next_mapping_id + space->threads.n;
}

struct pd_error *parse_space_unmap_all(struct parse_space *space, uint32_t pid)
{
	struct parse_process *process = parse_space_find_process(space, pid);

	return process ? parse_space_replace(space, &process->maps, 0, UINT64_MAX, NULL) : NULL;
}

/* A process without known threads may live: only its mappings were recorded. */
enum life { UNKNOWN, DEAD, ALIVE };

/* Fill @p ret with the enum life of each process that has threads. */
static struct pd_error *find_living(const struct parse_space *space, struct base_map *ret)
{
	base_map_each(slot, &space->threads)
	{
		const struct parse_thread *thread =
			(const struct parse_thread *)(uintptr_t)slot->value;
		uint64_t *life = base_map_add(ret, thread->pid, NULL);

		if (!life)
			return &pd_enomem;
		if (*life != ALIVE)
			*life = thread->has_exited ? DEAD : ALIVE;
	}
	return NULL;
}

static struct pd_error *copy_name(struct parse_space *to, const char *name, const char **ret)
{
	uint32_t id = name ? base_intern_str(&to->names, name) : PD_INTERN_NONE;

	*ret = id == PD_INTERN_NONE ? NULL : base_intern_bytes(&to->names, id);
	return name && !*ret ? &pd_enomem : NULL;
}

static struct pd_error *copy_threads(const struct parse_space *from, struct parse_space *to)
{
	base_map_each(slot, &from->threads)
	{
		const struct parse_thread *thread =
			(const struct parse_thread *)(uintptr_t)slot->value;

		if (thread->has_exited)
			continue;
		struct parse_thread *copy = parse_space_thread(to, thread->pid, thread->tid);
		struct pd_error *err = copy ? copy_name(to, thread->comm, &copy->comm) : &pd_enomem;
		if (err)
			return err;
	}
	return NULL;
}

static struct pd_error *copy_mapping(const struct parse_mapping *mapping, struct parse_space *to,
	const struct parse_mapping **ret)
{
	const struct parse_dso *dso = mapping->dso;
	const struct parse_region region = {
		.pid = mapping->pid,
		.prot = mapping->prot,
		.start = mapping->start,
		.len = mapping->end - mapping->start,
		.pgoff = mapping->pgoff,
		.build_id = dso->build_id,
		.maj = dso->maj,
		.min = dso->min,
		.ino = dso->ino,
	};
	enum parse_owner owner = dso->is_generated ? PD_OWNER_GENERATED
				 : dso->is_kernel  ? PD_OWNER_KERNEL
						   : PD_OWNER_USER;

	*ret = parse_space_create_mapping(
		to, &region, parse_space_get_dso(to, dso->name, owner, &region));
	return *ret ? NULL : &pd_enomem;
}

static struct pd_error *copy_maps(
	const struct parse_maps *from, struct parse_space *to, struct parse_maps **ret)
{
	for (const struct parse_maps_entry *entry = parse_maps_next(from, NULL); entry;
		entry = parse_maps_next(from, entry)) {
		const struct parse_mapping *mapping;
		struct pd_error *err = copy_mapping(entry->mapping, to, &mapping);

		if (!err)
			err = parse_space_replace(to, ret, entry->start, entry->end, mapping);
		if (err)
			return err;
	}
	return NULL;
}

static struct pd_error *copy_processes(
	const struct parse_space *from, const struct base_map *lives, struct parse_space *to)
{
	base_map_each(slot, &from->processes)
	{
		const struct parse_process *process =
			(const struct parse_process *)(uintptr_t)slot->value;
		const uint64_t *life = base_map_find(lives, slot->key);

		if (!process->maps->n || (life && *life == DEAD))
			continue;
		struct parse_process *copy = parse_space_process(to, (uint32_t)slot->key);
		struct pd_error *err =
			copy ? copy_maps(process->maps, to, &copy->maps) : &pd_enomem;
		if (err)
			return err;
	}
	return NULL;
}

static struct pd_error *copy_modules(const struct parse_space *from, struct parse_space *to)
{
	for (size_t i = 0; i < from->modules.n; i++) {
		const struct parse_mapping *mapping;
		struct pd_error *err = copy_mapping(from->modules.data[i], to, &mapping);

		if (err)
			return err;
		if (!pd_vec_push(&to->modules, mapping))
			return &pd_enomem;
	}
	return NULL;
}

static struct pd_error *copy_kernel(const struct parse_space *from, struct parse_space *to)
{
	const struct parse_mapping *image;
	struct pd_error *err = copy_maps(from->kernel_maps, to, &to->kernel_maps);

	if (!err)
		err = copy_modules(from, to);
	if (err || !from->kernel.dso)
		return err;
	to->kernel.ref_addr = from->kernel.ref_addr;
	err = copy_name(to, from->kernel.ref_symbol, &to->kernel.ref_symbol);
	if (!err)
		err = copy_mapping(from->kernel_maps->kernel_image, to, &image);
	if (err)
		return err;
	to->kernel.dso = image->dso;
	return parse_maps_set_kernel_image(&to->kernel_maps, ++to->next_maps_id, image)
		       ? NULL
		       : &pd_enomem;
}

static struct pd_error *copy_all(const struct parse_space *from, struct parse_space *to)
{
	struct base_map lives = { 0 };
	struct pd_error *err = find_living(from, &lives);

	to->splits_inodes = from->splits_inodes;
	if (!err)
		err = copy_threads(from, to);
	if (!err)
		err = copy_processes(from, &lives, to);
	base_map_deinit(&lives);
	return err ? err : copy_kernel(from, to);
}

struct pd_error *parse_space_copy_living(const struct parse_space *old, struct parse_space **ret)
{
	struct parse_space *space;
	struct pd_error *err = parse_space_create(old->file, &space);

	if (err)
		return err;
	err = copy_all(old, space);
	if (err) {
		parse_space_destroy(space);
		return err;
	}
	*ret = space;
	return NULL;
}

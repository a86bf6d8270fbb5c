#include "parse/long_space.h"

#include <string.h>

#include "parse/dso.h"
#include "parse/snapshot.h"
#include "parse/space_state.h"

struct pd_maps *pd_space_known_maps(const struct pd_space *space, uint32_t pid)
{
	const struct pd_process *process = pd_space_find_process(space, pid);

	return process ? process->maps : NULL;
}

struct pd_maps *pd_space_empty_maps(struct pd_space *space)
{
	return pd_maps_create(++space->next_maps_id);
}

static const struct pd_thread *known_thread(
	const struct pd_space *space, uint32_t pid, uint32_t tid)
{
	const uint64_t *slot = pd_map_find(&space->threads, (uint64_t)pid << 32 | tid);

	return slot ? (const struct pd_thread *)*slot : NULL;
}

const char *pd_space_known_comm(const struct pd_space *space, uint32_t pid, uint32_t tid)
{
	const struct pd_thread *thread = known_thread(space, pid, tid);

	if (!thread || !thread->comm)
		thread = known_thread(space, pid, pid);
	return thread ? thread->comm : NULL;
}

void pd_space_split_inodes(struct pd_space *space)
{
	space->splits_inodes = true;
}

size_t pd_space_n_created(const struct pd_space *space)
{
	return space->next_mapping_id + space->threads.n;
}

struct pd_error *pd_space_unmap_all(struct pd_space *space, uint32_t pid)
{
	struct pd_process *process = pd_space_find_process(space, pid);

	return process ? pd_space_replace(space, &process->maps, 0, UINT64_MAX, NULL) : NULL;
}

/* A process without known threads may live: only its mappings were recorded. */
enum life { UNKNOWN, DEAD, ALIVE };

/* Fill @p ret with the enum life of each process that has threads. */
static struct pd_error *find_living(const struct pd_space *space, struct pd_map *ret)
{
	pd_map_each (slot, &space->threads) {
		const struct pd_thread *thread = (const struct pd_thread *)slot->value;
		uint64_t *life = pd_map_add(ret, thread->pid, NULL);

		if (!life)
			return &pd_enomem;
		if (*life != ALIVE)
			*life = thread->has_exited ? DEAD : ALIVE;
	}
	return NULL;
}

static struct pd_error *copy_name(struct pd_space *to, const char *name, const char **ret)
{
	uint32_t id = name ? pd_intern_str(&to->names, name) : PD_INTERN_NONE;

	*ret = id == PD_INTERN_NONE ? NULL : pd_intern_bytes(&to->names, id);
	return name && !*ret ? &pd_enomem : NULL;
}

static struct pd_error *copy_threads(const struct pd_space *from, struct pd_space *to)
{
	pd_map_each (slot, &from->threads) {
		const struct pd_thread *thread = (const struct pd_thread *)slot->value;

		if (thread->has_exited)
			continue;
		struct pd_thread *copy = pd_space_thread(to, thread->pid, thread->tid);
		struct pd_error *err = copy ? copy_name(to, thread->comm, &copy->comm) : &pd_enomem;
		if (err)
			return err;
	}
	return NULL;
}

static struct pd_error *copy_mapping(
	const struct pd_mapping *mapping, struct pd_space *to, const struct pd_mapping **ret)
{
	const struct pd_dso *dso = mapping->dso;
	const struct pd_region region = {
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
	enum pd_owner owner = dso->is_generated ? PD_OWNER_GENERATED
			      : dso->is_kernel	? PD_OWNER_KERNEL
						: PD_OWNER_USER;

	*ret = pd_space_create_mapping(
		to, &region, pd_space_get_dso(to, dso->name, owner, &region));
	return *ret ? NULL : &pd_enomem;
}

static struct pd_error *copy_maps(
	const struct pd_maps *from, struct pd_space *to, struct pd_maps **ret)
{
	for (const struct pd_maps_entry *entry = pd_maps_next(from, NULL); entry;
		entry = pd_maps_next(from, entry)) {
		const struct pd_mapping *mapping;
		struct pd_error *err = copy_mapping(entry->mapping, to, &mapping);

		if (!err)
			err = pd_space_replace(to, ret, entry->start, entry->end, mapping);
		if (err)
			return err;
	}
	return NULL;
}

static struct pd_error *copy_processes(
	const struct pd_space *from, const struct pd_map *lives, struct pd_space *to)
{
	pd_map_each (slot, &from->processes) {
		const struct pd_process *process = (const struct pd_process *)slot->value;
		const uint64_t *life = pd_map_find(lives, slot->key);

		if (!process->maps->n || (life && *life == DEAD))
			continue;
		struct pd_process *copy = pd_space_process(to, (uint32_t)slot->key);
		struct pd_error *err =
			copy ? copy_maps(process->maps, to, &copy->maps) : &pd_enomem;
		if (err)
			return err;
	}
	return NULL;
}

static struct pd_error *copy_modules(const struct pd_space *from, struct pd_space *to)
{
	for (size_t i = 0; i < from->modules.n; i++) {
		const struct pd_mapping *mapping;
		struct pd_error *err = copy_mapping(from->modules.data[i], to, &mapping);

		if (err)
			return err;
		if (!pd_vec_push(&to->modules, mapping))
			return &pd_enomem;
	}
	return NULL;
}

static struct pd_error *copy_kernel(const struct pd_space *from, struct pd_space *to)
{
	const struct pd_mapping *image;
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
	return pd_maps_set_kernel_image(&to->kernel_maps, ++to->next_maps_id, image) ? NULL
										     : &pd_enomem;
}

static struct pd_error *copy_all(const struct pd_space *from, struct pd_space *to)
{
	struct pd_map lives = { 0 };
	struct pd_error *err = find_living(from, &lives);

	to->splits_inodes = from->splits_inodes;
	if (!err)
		err = copy_threads(from, to);
	if (!err)
		err = copy_processes(from, &lives, to);
	pd_map_deinit(&lives);
	return err ? err : copy_kernel(from, to);
}

struct pd_error *pd_space_copy_living(const struct pd_space *old, struct pd_space **ret)
{
	struct pd_space *space;
	struct pd_error *err = pd_space_create(old->file, &space);

	if (err)
		return err;
	err = copy_all(old, space);
	if (err) {
		pd_space_destroy(space);
		return err;
	}
	*ret = space;
	return NULL;
}

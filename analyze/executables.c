#include "analyze/executables.h"

#include <string.h>

#include "analyze/binary_roles.h"
#include "profile/ahead.h"

/* How sure a value of a map is. A surer one replaces it. */
enum rank { BY_NAME = 1, BY_ROOT = 2 };

/* Values are a rank and a binary, or none if there are several of that rank. */
static uint64_t value_of(enum rank rank, struct prof_binary_id binary)
{
	return (uint64_t)rank << 32 | binary.i;
}

static struct prof_binary_id binary_of(const uint64_t *value)
{
	return value ? (struct prof_binary_id){ (uint32_t)*value } : prof_no_binary();
}

static bool add(struct base_map *map, uint64_t key, uint64_t value)
{
	uint64_t *known = base_map_add(map, key, NULL);

	if (!known)
		return false;
	if (value >> 32 > *known >> 32)
		*known = value;
	else if (value >> 32 == *known >> 32 && value != *known)
		*known |= PROF_NONE;
	return true;
}

static uint64_t key_of(const struct prof_thread *thread)
{
	return (uint64_t)thread->pid << 32 | thread->comm.i;
}

/* Whether threads called @p comm are named after @p base, which the kernel cuts. */
static bool is_namesake(const char *comm, const char *base)
{
	enum { COMM_CHARS = 15 };
	size_t len = strlen(comm);

	return len && strncmp(comm, base, len) == 0 && (!base[len] || len == COMM_CHARS);
}

/* Return how sure it is that a thread runs the program in which one of its frames is; 0: not. */
static unsigned rank_of(const struct profile *profile, const struct prof_sample *sample,
	struct prof_binary_id id, bool is_root)
{
	const struct prof_thread *thread = prof_thread(profile, sample->thread);

	if (prof_is_none(id) ||
		ana_binary_kind(profile, prof_binary(profile, id)) != ANA_BINARY_PROGRAM)
		return 0;
	const char *base = prof_binary_base(profile, id);
	if (is_root && thread->pid == thread->tid && pd_unwind_end_has_root(sample->end) &&
		strncmp(base, "ld-", 3) != 0)
		return BY_ROOT;
	return is_namesake(prof_string(profile, thread->comm), base) ? BY_NAME : 0;
}

static bool add_sample(
	struct ana_executables *e, const struct profile *profile, const struct prof_sample *sample)
{
	uint32_t n;
	const struct prof_frame_id *frames = prof_stack(profile, sample->stack, &n);
	uint64_t key = key_of(prof_thread(profile, sample->thread));

	for (uint32_t i = 0; i < 2 && n; i++) {
		struct prof_binary_id id = prof_frame(profile, frames[i ? n - 1 : 0])->binary;
		unsigned rank = rank_of(profile, sample, id, i);

		if (rank && !add(&e->by_name, key, value_of((enum rank)rank, id)))
			return false;
	}
	return true;
}

struct pd_error *ana_executables_init(struct ana_executables *e, const struct profile *profile)
{
	for (struct prof_sample_id id = { 0 }; id.i < profile->samples.n; id.i++) {
		prof_load_stacks_after(profile, id);
		if (!add_sample(e, profile, prof_sample(profile, id)))
			return &pd_enomem;
	}
	base_map_each(slot, &e->by_name)
	{
		if (!add(&e->by_pid, slot->key >> 32, slot->value))
			return &pd_enomem;
	}
	return NULL;
}

void ana_executables_deinit(struct ana_executables *e)
{
	base_map_deinit(&e->by_name);
	base_map_deinit(&e->by_pid);
}

struct prof_binary_id ana_executable(
	const struct ana_executables *e, const struct prof_thread *thread)
{
	struct prof_binary_id id = binary_of(base_map_find(&e->by_name, key_of(thread)));

	return prof_is_none(id) ? binary_of(base_map_find(&e->by_pid, thread->pid)) : id;
}

#include "resolve/runtimes.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "base/map.h"
#include "profile/runtimes.h"

/* Run time and version of a dso. */
struct known {
	enum prof_runtime runtime;
	uint32_t version;
};

static struct known *recognize_dsos(const struct pd_space *space)
{
	size_t n = pd_space_n_dsos(space);
	struct known *known = calloc(n + 1, sizeof(*known));

	for (size_t i = 0; known && i < n; i++) {
		const struct pd_dso *dso = pd_space_dso(space, i);

		known[i].runtime = dso->is_kernel
					   ? PROF_N_RUNTIMES
					   : prof_runtime_of_file(dso->name, &known[i].version);
	}
	return known;
}

static bool add_use(struct profile *profile, size_t first, uint32_t pid, const struct known *known)
{
	const struct prof_runtime_use use = { pid, known->runtime, known->version };

	for (size_t i = first; i < profile->runtimes.n; i++) {
		struct prof_runtime_use *other = &profile->runtimes.data[i];

		if (other->runtime != known->runtime)
			continue;
		/* The name of the program may lack the version that its library has. */
		if (!other->version)
			other->version = known->version;
		return true;
	}
	return pd_vec_push(&profile->runtimes, use);
}

static bool add_process(
	struct profile *profile, struct pd_space *space, uint32_t pid, const struct known *known)
{
	const struct pd_maps *maps = pd_space_maps(space, pid);
	size_t first = profile->runtimes.n;

	for (uint32_t i = 0; maps && i < maps->n; i++) {
		const struct known *dso = &known[maps->entries[i].mapping->dso->id];

		if (dso->runtime != PROF_N_RUNTIMES && !add_use(profile, first, pid, dso))
			return false;
	}
	return maps;
}

static bool add_processes(
	struct profile *profile, struct pd_space *space, const struct known *known)
{
	struct pd_map pids = { 0 };
	bool ok = true;

	for (struct prof_thread_id id = { 0 }; ok && id.i < profile->threads.n; id.i++) {
		uint32_t pid = profile_thread(profile, id)->pid;
		bool is_new;

		ok = pd_map_add(&pids, pid, &is_new) &&
		     (!is_new || add_process(profile, space, pid, known));
	}
	pd_map_deinit(&pids);
	return ok;
}

struct pd_error *resolve_note_runtimes(struct profile *profile, struct pd_space *space)
{
	_cleanup_free_ struct known *known = recognize_dsos(space);

	return known && add_processes(profile, space, known) ? NULL : &pd_enomem;
}

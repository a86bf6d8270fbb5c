#include "resolve/runtimes.h"

#include <stdlib.h>

#include "base/limit.h"
#include "base/map.h"
#include "profile/known_runtimes.h"

/*
 * Mappings that are looked at, about 0.2 s. Recordings have far fewer, except those in which many
 * processes inherit tens of thousands of mappings. Runtimes are only known for hints.
 */
enum { MAX_STEPS = PD_LIMIT_RUNTIME_STEPS };

/* Runtime and version of a dso. */
struct known {
	enum prof_runtime runtime;
	uint32_t version;
};

struct search {
	struct profile *profile;
	struct pd_space *space;
	/** Runtimes, indexed by pd_dso.id. */
	struct known *known;
	/** Some of them are runtimes. */
	bool has_any;
	size_t n_steps;
};

static bool recognize_dsos(struct search *search)
{
	size_t n = pd_space_n_dsos(search->space);
	struct known *known = calloc(n + 1, sizeof(*known));

	for (size_t i = 0; known && i < n; i++) {
		const struct pd_dso *dso = pd_space_dso(search->space, i);

		known[i].runtime = dso->is_kernel
					   ? PROF_N_RUNTIMES
					   : prof_runtime_of_file(dso->name, &known[i].version);
		search->has_any |= known[i].runtime != PROF_N_RUNTIMES;
	}
	search->known = known;
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

static bool add_process(struct search *search, uint32_t pid)
{
	const struct pd_maps *maps = pd_space_maps(search->space, pid);
	size_t first = search->profile->runtimes.n;
	const struct pd_maps_entry *entry = NULL;

	while (maps && (entry = pd_maps_next(maps, entry))) {
		if (search->n_steps == MAX_STEPS && pd_limit_reach(PD_LIMIT_ID_RUNTIME_STEPS))
			break;
		const struct known *dso = &search->known[entry->mapping->dso->id];

		search->n_steps++;
		if (dso->runtime != PROF_N_RUNTIMES && !add_use(search->profile, first, pid, dso))
			return false;
	}
	return maps;
}

static bool add_processes(struct search *search)
{
	struct profile *profile = search->profile;
	struct pd_map pids = { 0 };
	bool ok = true;

	for (struct prof_thread_id id = { 0 }; ok && id.i < profile->threads.n; id.i++) {
		uint32_t pid = prof_thread(profile, id)->pid;
		bool is_new;

		ok = pd_map_add(&pids, pid, &is_new) && (!is_new || add_process(search, pid));
	}
	pd_map_deinit(&pids);
	return ok;
}

struct pd_error *resolve_note_runtimes(struct profile *profile, struct pd_space *space)
{
	struct search search = { .profile = profile, .space = space };
	bool ok = recognize_dsos(&search) && (!search.has_any || add_processes(&search));

	free(search.known);
	return ok ? NULL : &pd_enomem;
}

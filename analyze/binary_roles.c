#include "analyze/binary_roles.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/text.h"
#include "profile/ahead.h"

enum ana_binary_kind ana_binary_kind(
	const struct profile *profile, const struct prof_binary *binary)
{
	const char *base = base_file_name(prof_string(profile, binary->name));

	if (binary->is_generated)
		return ANA_BINARY_GENERATED;
	if (binary->is_kernel)
		return ANA_BINARY_KERNEL;
	if (strstr(base, ".so"))
		return ANA_BINARY_LIBRARY;
	return binary->has_image ? ANA_BINARY_PROGRAM : ANA_BINARY_OTHER;
}

/* Ways to find it, the most reliable one first. */
enum way { BY_ROOT, BY_NAME, BY_LEAF, N_WAYS };

/* Binary that may be the program. */
struct candidate {
	/** File name; NULL if it cannot be the program. */
	const char *base;
	bool is_loader;
	/** Name of the thread that was compared last, and whether that thread is named after it. */
	struct prof_string_id comm;
	bool is_namesake;
	/** Samples, by way. */
	uint64_t votes[N_WAYS];
};

static bool is_program(const struct profile *profile, struct prof_binary_id id)
{
	const struct prof_binary *binary = prof_binary(profile, id);

	return !binary->is_kernel && !binary->is_generated && binary->has_image;
}

/* Programs are started at their own entry point or, if it is still running, the loader's. */
static bool is_loader(const char *base)
{
	return strncmp(base, "ld-", strlen("ld-")) == 0 ||
	       strncmp(base, "ld.so", strlen("ld.so")) == 0;
}

/*
 * Whether a thread is named after a program. The kernel cuts names of threads, and a name may also
 * be that of a link: "python3" to "python3.11".
 */
static bool is_named_after(const char *comm, const char *base)
{
	return *comm && strncmp(base, comm, strlen(comm)) == 0;
}

/* Whether threads called @p comm are named after @p c. Most samples have the name of the last. */
static bool is_namesake(
	const struct profile *profile, struct candidate *c, struct prof_string_id comm)
{
	if (c->comm.i != comm.i) {
		c->comm = comm;
		c->is_namesake = is_named_after(prof_string(profile, comm), c->base);
	}
	return c->is_namesake;
}

/* Count a sample for the binary of a frame at one of the ends of its stack. */
static void vote(const struct profile *profile, struct prof_sample_id id,
	struct prof_binary_id binary, bool is_root, struct candidate *candidates)
{
	struct candidate *c = prof_is_none(binary) ? NULL : &candidates[binary.i];

	if (!c || !c->base)
		return;
	const struct prof_sample *sample = prof_sample(profile, id);
	const struct prof_thread *thread = prof_thread(profile, sample->thread);
	uint64_t times = prof_value(profile, id)->samples;

	if (!is_root)
		c->votes[BY_LEAF] += times;
	else if (thread->pid == thread->tid && pd_unwind_end_has_root(sample->end) && !c->is_loader)
		c->votes[BY_ROOT] += times;
	if (is_namesake(profile, c, thread->comm))
		c->votes[BY_NAME] += times;
}

/* Return the binary of each frame: many fit the cache, unlike the frames. NULL: no memory. */
static struct prof_binary_id *list_binaries(const struct profile *profile)
{
	struct prof_binary_id *binaries = base_calloc_n(profile->frames.n, sizeof(*binaries));

	for (struct prof_frame_id id = { 0 }; binaries && id.i < profile->frames.n; id.i++)
		binaries[id.i] = prof_frame(profile, id)->binary;
	return binaries;
}

static void vote_all(const struct profile *profile, const struct prof_binary_id *binaries,
	struct candidate *candidates)
{
	for (struct prof_sample_id id = { 0 }; id.i < profile->samples.n; id.i++) {
		uint32_t n;
		const struct prof_frame_id *frames =
			prof_stack(profile, prof_sample(profile, id)->stack, &n);

		prof_load_stacks_after(profile, id);
		if (!n)
			continue;
		vote(profile, id, binaries[frames[0].i], false, candidates);
		vote(profile, id, binaries[frames[n - 1].i], true, candidates);
	}
}

static struct candidate *create_candidates(const struct profile *profile)
{
	struct candidate *candidates = base_calloc_n(profile->binaries.n, sizeof(*candidates));

	for (struct prof_binary_id id = { 0 }; candidates && id.i < profile->binaries.n; id.i++) {
		struct candidate *c = &candidates[id.i];

		c->comm = prof_no_string();
		if (!is_program(profile, id))
			continue;
		c->base = prof_binary_base(profile, id);
		c->is_loader = is_loader(c->base);
	}
	return candidates;
}

struct pd_error *ana_find_main_binary(const struct profile *profile, struct prof_binary_id *ret)
{
	_cleanup_free_ struct candidate *candidates = create_candidates(profile);
	_cleanup_free_ struct prof_binary_id *binaries = list_binaries(profile);

	*ret = prof_no_binary();
	if (!candidates || !binaries)
		return &pd_enomem;
	vote_all(profile, binaries, candidates);
	for (enum way way = 0; way < N_WAYS && prof_is_none(*ret); way++) {
		uint64_t most = 0;

		for (struct prof_binary_id id = { 0 }; id.i < profile->binaries.n; id.i++) {
			if (candidates[id.i].votes[way] <= most)
				continue;
			most = candidates[id.i].votes[way];
			*ret = id;
		}
	}
	return NULL;
}

#include "profile/main_binary.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"

/* Ways to find it, the most reliable one first. */
enum way { BY_ROOT, BY_NAME, BY_LEAF, N_WAYS };

/* Samples of a binary, by way. */
struct votes {
	uint64_t of[N_WAYS];
};

static bool is_program(const struct profile *profile, struct prof_binary_id id)
{
	const struct prof_binary *binary = prof_is_none(id) ? NULL : profile_binary(profile, id);

	return binary && !binary->is_kernel && !binary->is_generated && binary->has_image;
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

/* Count a sample for the binary of a frame at one of the ends of its stack. */
static void vote(const struct profile *profile, struct prof_sample_id id,
	struct prof_frame_id frame, bool is_root, struct votes *votes)
{
	const struct prof_sample *sample = profile_sample(profile, id);
	const struct prof_thread *thread = profile_thread(profile, sample->thread);
	uint64_t times = profile_value(profile, id)->samples;
	struct prof_binary_id binary = profile_frame(profile, frame)->binary;

	if (!is_program(profile, binary))
		return;
	const char *base =
		pd_base_name(profile_string(profile, profile_binary(profile, binary)->name));
	if (!is_root)
		votes[binary.i].of[BY_LEAF] += times;
	else if (thread->pid == thread->tid && pd_unwind_end_has_root(sample->end) &&
		 !is_loader(base))
		votes[binary.i].of[BY_ROOT] += times;
	if (is_named_after(profile_string(profile, thread->comm), base))
		votes[binary.i].of[BY_NAME] += times;
}

static void vote_all(const struct profile *profile, struct votes *votes)
{
	for (struct prof_sample_id id = { 0 }; id.i < profile->samples.n; id.i++) {
		uint32_t n;
		const struct prof_frame_id *frames =
			profile_stack(profile, profile_sample(profile, id)->stack, &n);

		if (!n)
			continue;
		vote(profile, id, frames[0], false, votes);
		vote(profile, id, frames[n - 1], true, votes);
	}
}

struct pd_error *prof_find_main_binary(const struct profile *profile, struct prof_binary_id *ret)
{
	_cleanup_free_ struct votes *votes = calloc(profile->binaries.n + 1, sizeof(*votes));

	*ret = prof_no_binary();
	if (!votes)
		return &pd_enomem;
	vote_all(profile, votes);
	for (enum way way = 0; way < N_WAYS && prof_is_none(*ret); way++) {
		uint64_t most = 0;

		for (struct prof_binary_id id = { 0 }; id.i < profile->binaries.n; id.i++) {
			if (votes[id.i].of[way] <= most)
				continue;
			most = votes[id.i].of[way];
			*ret = id;
		}
	}
	return NULL;
}

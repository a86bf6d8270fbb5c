#include "output/listing.h"

#include <stdlib.h>

#include "base/cleanup.h"

static struct pd_error *list_attempt(
	struct profile *profile, uint32_t binary, const struct sym_attempt *attempt)
{
	struct prof_attempt entry = {
		.binary = binary,
		.place = attempt->place,
		.status = attempt->status,
		.is_debug = attempt->is_debug,
		.path = pd_intern_str(&profile->strings, attempt->path),
		.why = pd_intern_str(&profile->strings, attempt->why),
	};

	if (entry.path == PD_INTERN_NONE || entry.why == PD_INTERN_NONE)
		return &pd_enomem;
	return pd_vec_push(&profile->attempts, entry) ? NULL : &pd_enomem;
}

static struct pd_error *list_binary(struct profile *profile, const struct out_binary *binary)
{
	struct pd_error *err = sym_binary_fetch_debug(binary->symbols);
	size_t n;
	const struct sym_attempt *attempts = sym_binary_attempts(binary->symbols, &n);

	for (size_t i = 0; i < n && !err; i++)
		err = list_attempt(profile, binary->profile_id, &attempts[i]);
	return err;
}

static struct pd_error *list_unused(struct profile *profile, const struct pd_dso *dso)
{
	struct prof_unused entry = {
		.name = pd_intern_str(&profile->strings, dso->name),
		.build_id = dso->build_id,
	};

	if (entry.name == PD_INTERN_NONE || !pd_vec_push(&profile->unused, entry))
		return &pd_enomem;
	return NULL;
}

static struct pd_error *list_all_unused(
	struct profile *profile, const struct pd_space *space, const bool *is_used)
{
	struct pd_error *err = NULL;

	for (size_t i = 0; i < pd_space_n_dsos(space) && !err; i++) {
		const struct pd_dso *dso = pd_space_dso(space, i);

		if (!is_used[i] && !sym_is_no_image(dso->name))
			err = list_unused(profile, dso);
	}
	return err;
}

struct pd_error *out_list_files(
	struct profile *profile, struct out_binaries *binaries, const struct pd_space *space)
{
	_cleanup_free_ bool *is_used = calloc(pd_space_n_dsos(space) + 1, sizeof(*is_used));
	struct pd_error *err = NULL;

	if (!is_used)
		return &pd_enomem;
	for (size_t i = 0; i < out_binaries_n(binaries) && !err; i++) {
		const struct out_binary *binary = out_binaries_get(binaries, i);

		if (binary->profile_id == PROF_NONE)
			continue;
		if (!out_binary_is_generated(binary))
			is_used[binary->dso->id] = true;
		err = list_binary(profile, binary);
	}
	return err ? err : list_all_unused(profile, space, is_used);
}

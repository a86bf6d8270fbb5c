#include "resolve/listing.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "resolve/naming/naming_kernel.h"

static struct pd_error *list_attempt(
	struct profile *profile, struct prof_binary_id binary, const struct sym_attempt *attempt)
{
	struct prof_attempt entry = {
		.binary = binary,
		.is_debug = attempt->is_debug,
		.is_taken = attempt->status == SYM_FOUND,
		.search_path = prof_add_string(profile, sym_search_path_name(attempt->search_path)),
		.path = prof_add_string(profile, attempt->path),
		.why = prof_add_string(profile, attempt->why),
	};

	if (prof_is_none(entry.search_path) || prof_is_none(entry.path) || prof_is_none(entry.why))
		return &pd_enomem;
	return pd_vec_push(&profile->attempts, entry) ? NULL : &pd_enomem;
}

static struct pd_error *list_attempts(struct profile *profile, struct prof_binary_id binary,
	const struct sym_attempt *attempts, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct pd_error *err = list_attempt(profile, binary, &attempts[i]);
		if (err)
			return err;
	}
	return NULL;
}

static struct pd_error *list_companion(struct profile *profile, const struct prof_companion *entry)
{
	if (prof_is_none(entry->path) || prof_is_none(entry->name))
		return &pd_enomem;
	return pd_vec_push(&profile->companions, *entry) ? NULL : &pd_enomem;
}

static struct pd_error *list_perf_map(struct profile *profile, const struct resolve_binary *binary)
{
	const struct sym_perf_map_origin *origin = sym_perf_map_origin(binary->perf_map);
	char name[sizeof("/tmp/perf-4294967295.map")];

	snprintf(name, sizeof(name), "/tmp/perf-%" PRIu32 ".map", binary->pid);
	const struct prof_companion entry = {
		.path = prof_add_string(profile, origin->path),
		.name = prof_add_string(profile, name),
		.dev = origin->dev,
		.ino = origin->ino,
	};
	return list_companion(profile, &entry);
}

static struct pd_error *list_supplement(
	struct profile *profile, const struct resolve_binary *binary)
{
	struct sym_supplement found;
	struct pd_error *err = sym_binary_supplement(binary->symbols, &found);

	if (err || !found.path)
		return err;
	const struct prof_companion entry = {
		.path = prof_add_string(profile, found.path),
		.name = prof_add_string(profile, found.path),
		.build_id = found.id,
		.is_of_debug = found.is_of_separate,
	};
	free(found.path);
	return list_companion(profile, &entry);
}

static struct pd_error *list_companions(
	struct profile *profile, const struct resolve_binary *binary)
{
	return binary->perf_map ? list_perf_map(profile, binary) : list_supplement(profile, binary);
}

static struct pd_error *list_binary(struct profile *profile, const struct resolve_binary *binary)
{
	struct pd_error *err = sym_binary_fetch_debug(binary->symbols);
	size_t n;
	const struct sym_attempt *attempts = sym_binary_attempts(binary->symbols, &n);

	if (!err)
		err = list_attempts(profile, binary->profile_id, attempts, n);
	return err ? err : list_companions(profile, binary);
}

static void set_found(struct profile *profile, const struct resolve_binary *binary, bool is_found)
{
	struct prof_binary *entry = &profile->binaries.data[binary->profile_id.i];

	entry->has_image = true;
	entry->is_found = is_found;
}

static struct pd_error *list_kernel(struct profile *profile, const struct resolve_binary *binary,
	const struct parse_kernel *kernel, const struct resolve_opts *opts)
{
	struct sym_kernel *found;
	struct pd_error *err =
		resolve_open_kernel(profile, kernel, &opts->search, &opts->kernel, &found);
	size_t n;

	if (err)
		return err;
	const struct sym_attempt *attempts = sym_kernel_attempts(found, &n);
	set_found(profile, binary, sym_kernel_status(found) == SYM_KERNEL_FOUND);
	err = list_attempts(profile, binary->profile_id, attempts, n);
	sym_kernel_destroy(found);
	return err;
}

static struct pd_error *list_module(struct profile *profile, const struct resolve_binary *binary,
	const struct resolve_opts *opts)
{
	struct sym_module *found;
	struct pd_error *err = resolve_open_module(profile, binary->dso, &opts->search, &found);
	size_t n;

	if (err)
		return err;
	const struct sym_attempt *attempts = sym_module_attempts(found, &n);
	set_found(profile, binary, sym_module_path(found));
	err = list_attempts(profile, binary->profile_id, attempts, n);
	sym_module_destroy(found);
	return err;
}

/* Code that the kernel generated has no file to list. */
static struct pd_error *list_any(struct profile *profile, const struct resolve_binary *binary,
	const struct parse_space *space, const struct resolve_opts *opts)
{
	const struct parse_kernel *kernel = parse_space_kernel(space);

	if (!binary->dso->is_kernel)
		return list_binary(profile, binary);
	if (binary->dso->is_generated)
		return NULL;
	if (binary->dso == kernel->dso)
		return list_kernel(profile, binary, kernel, opts);
	return list_module(profile, binary, opts);
}

static struct pd_error *list_unused(struct profile *profile, const struct parse_dso *dso)
{
	struct prof_unused entry = {
		.name = prof_add_string(profile, dso->name),
		.build_id = dso->build_id,
	};

	if (prof_is_none(entry.name) || !pd_vec_push(&profile->unused, entry))
		return &pd_enomem;
	return NULL;
}

static struct pd_error *list_all_unused(
	struct profile *profile, const struct parse_space *space, const bool *is_used)
{
	for (size_t i = 0; i < parse_space_n_dsos(space); i++) {
		const struct parse_dso *dso = parse_space_dso(space, i);

		if (is_used[i] || sym_is_no_image(dso->name))
			continue;
		struct pd_error *err = list_unused(profile, dso);
		if (err)
			return err;
	}
	return NULL;
}

struct pd_error *resolve_list_files(struct profile *profile, struct resolve_binaries *binaries,
	const struct parse_space *space, const struct resolve_opts *opts)
{
	_cleanup_free_ bool *is_used = base_calloc_n(parse_space_n_dsos(space), sizeof(*is_used));

	if (!is_used)
		return &pd_enomem;
	for (size_t i = 0; i < resolve_binaries_n(binaries); i++) {
		const struct resolve_binary *binary = resolve_binaries_get(binaries, i);

		if (prof_is_none(binary->profile_id))
			continue;
		if (!resolve_binary_is_generated(binary))
			is_used[binary->dso->id] = true;
		struct pd_error *err = list_any(profile, binary, space, opts);
		if (err)
			return err;
	}
	return list_all_unused(profile, space, is_used);
}

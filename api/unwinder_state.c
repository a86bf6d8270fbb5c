#include "api/unwinder_state.h"

#include <stdlib.h>
#include <string.h>

#include "api/opts_copy.h"
#include "api/unwinder_worker.h"
#include "base/array.h"
#include "base/cleanup.h"
#include "base/system/base_machine.h"
#include "parse/space/long_space.h"
#include "parse/open_file.h"
#include "symbolize/kernel/proc_copies.h"
#include "symbolize/perf_map.h"

/* The space asks a recording for build ids, and notes damage in it. There is none here. */
static const struct pd_file no_file = { .path = "records" };

static void unref_config(struct api_unwinder_config *config)
{
	if (atomic_fetch_sub_explicit(&config->refs, 1, memory_order_acq_rel) != 1)
		return;
	api_reading_deinit(&config->reading);
	base_arena_deinit(&config->arena);
	free(config);
}

static void destroy(struct api_unwinder_state *state)
{
	for (size_t i = 0; i < state->idle.n; i++)
		api_unwinder_worker_destroy(state->idle.data[i]);
	pd_vec_deinit(&state->idle);
	base_map_each(slot, &state->frame_binaries) pthread_mutex_destroy(
		&((struct api_unwinder_binary *)(uintptr_t)slot->value)->naming);
	base_map_deinit(&state->frame_binaries);
	sym_kernel_destroy(state->kernel);
	resolve_binaries_destroy(state->binaries);
	if (state->no_maps)
		parse_maps_unref(state->no_maps);
	parse_space_destroy(state->space);
	base_arena_deinit(&state->arena);
	pthread_mutex_destroy(&state->lock);
	unref_config(state->config);
	free(state);
}

struct api_unwinder_state *api_unwinder_state_ref(struct api_unwinder_state *state)
{
	atomic_fetch_add_explicit(&state->refs, 1, memory_order_relaxed);
	return state;
}

void api_unwinder_state_unref(struct api_unwinder_state *state)
{
	if (state && atomic_fetch_sub_explicit(&state->refs, 1, memory_order_acq_rel) == 1)
		destroy(state);
}

/* Takes a reference to @p config. */
static struct api_unwinder_state *allocate(struct api_unwinder_config *config)
{
	struct api_unwinder_state *state = calloc(1, sizeof(*state));

	if (!state)
		return NULL;
	atomic_init(&state->refs, 1);
	atomic_init(&state->n_binaries, 0);
	pthread_mutex_init(&state->lock, NULL);
	atomic_fetch_add_explicit(&config->refs, 1, memory_order_relaxed);
	state->config = config;
	return state;
}

static struct pd_error *set_opts(
	struct api_unwinder_config *config, const struct pd_unwinder_opts *opts)
{
	struct pd_profile_opts reading = {
		.unwind = opts->unwind,
		.names = opts->names,
	};
	struct resolve_opts *resolve = &config->reading.resolve;
	struct utsname here;
	struct pd_error *err = api_search_opts_copy(&opts->search, &config->arena, &reading.search);

	if (!err)
		err = api_reading_init(&reading, NULL, NULL, &config->reading);
	if (err)
		return err;
	resolve->kernel.wants_modules = true;
	resolve->search.is_here = !opts->is_offline && base_machine_here(&here);
	if (!resolve->search.is_here)
		return NULL;
	config->release = base_arena_strndup(&config->arena, here.release, strlen(here.release));
	return config->release ? NULL : &pd_enomem;
}

static struct pd_error *create_config(const struct pd_arch *arch,
	const struct pd_unwinder_opts *opts, struct api_unwinder_config **ret)
{
	struct api_unwinder_config *config = calloc(1, sizeof(*config));

	if (!config)
		return &pd_enomem;
	atomic_init(&config->refs, 1);
	config->arch = arch;
	struct pd_error *err = set_opts(config, opts);
	if (err) {
		unref_config(config);
		return err;
	}
	*ret = config;
	return NULL;
}

static struct pd_error *create_binaries(struct api_unwinder_state *state)
{
	state->no_maps = parse_space_empty_maps(state->space);
	if (!state->no_maps)
		return &pd_enomem;
	const struct sym_search *search = &state->config->reading.resolve.search;
	struct pd_error *err =
		resolve_binaries_create(state->config->arch, search, &state->binaries);
	if (!err && search->is_here)
		resolve_binaries_follow_maps(state->binaries);
	return err;
}

/* Whether the architecture can be unwound, which creating a walker shows. */
static struct pd_error *check_arch(const struct pd_arch *arch)
{
	struct unw_walker *walker;
	struct pd_error *err = unw_walker_create(arch, NULL, &walker);

	if (!err)
		unw_walker_destroy(walker);
	return err;
}

/* Map the kernel modules that the records may have no mappings of. */
static struct pd_error *add_modules(struct api_unwinder_state *state, const char *path)
{
	_cleanup_(sym_loaded_modules_deinit) struct sym_loaded_modules modules = { 0 };
	const struct sym_search *search = &state->config->reading.resolve.search;
	struct pd_error *err =
		path ? sym_modules_file_read(path, sym_search_access(search), &modules) : NULL;

	for (size_t i = 0; !err && i < modules.n; i++)
		err = parse_space_add_module(state->space, modules.list[i].name,
			modules.list[i].start, modules.list[i].size);
	return err;
}

static struct pd_error *set_up(
	struct api_unwinder_state *state, const struct pd_unwinder_opts *opts)
{
	struct pd_error *err = parse_space_create(&no_file, &state->space);

	if (err)
		return err;
	parse_space_split_inodes(state->space);
	err = add_modules(state, opts->search.modules);
	return err ? err : create_binaries(state);
}

struct pd_error *api_unwinder_state_create(const struct pd_arch *arch,
	const struct pd_unwinder_opts *opts, struct api_unwinder_state **ret)
{
	struct api_unwinder_config *config;
	struct pd_error *err = check_arch(arch);

	if (!err)
		err = create_config(arch, opts, &config);
	if (err)
		return err;
	struct api_unwinder_state *state = allocate(config);
	unref_config(config);
	err = state ? set_up(state, opts) : &pd_enomem;
	if (!err)
		*ret = state;
	else
		api_unwinder_state_unref(state);
	return err;
}

static struct pd_error *take_over(
	const struct api_unwinder_state *old, struct api_unwinder_state *state)
{
	struct pd_error *err = parse_space_copy_living(old->space, &state->space);

	return err ? err : create_binaries(state);
}

struct pd_error *api_unwinder_state_renew(
	const struct api_unwinder_state *old, struct api_unwinder_state **ret)
{
	struct api_unwinder_state *state = allocate(old->config);
	struct pd_error *err = state ? take_over(old, state) : &pd_enomem;

	if (!err)
		*ret = state;
	else
		api_unwinder_state_unref(state);
	return err;
}

static struct pd_frame_binary describe(const struct resolve_binary *binary)
{
	const struct parse_dso *dso = binary->dso;
	enum sym_status status = sym_binary_status(binary->symbols);
	struct pd_frame_binary ret = {
		.path = dso->name,
		.build_id = dso->build_id,
		.is_kernel = dso->is_kernel,
		.is_generated = !dso->is_kernel && (binary->perf_map || binary->live.pid),
	};

	if (!ret.build_id.len && status == SYM_FOUND)
		ret.build_id = *sym_binary_build_id(binary->symbols);
	if (status != SYM_FOUND && status != SYM_NO_IMAGE)
		ret.why = sym_binary_why(binary->symbols);
	return ret;
}

static struct api_unwinder_binary *add_binary(
	struct api_unwinder_state *state, struct resolve_binary *binary)
{
	struct api_unwinder_binary *ret = base_arena_alloc(&state->arena, sizeof(*ret));
	uint64_t *slot = ret ? base_map_add(&state->frame_binaries, (uintptr_t)binary, NULL) : NULL;

	if (!slot)
		return NULL;
	*ret = (struct api_unwinder_binary){ .shown = describe(binary), .binary = binary };
	pthread_mutex_init(&ret->naming, NULL);
	*slot = (uintptr_t)ret;
	atomic_fetch_add_explicit(&state->n_binaries, 1, memory_order_relaxed);
	return ret;
}

static struct pd_error *get_binary(struct api_unwinder_state *state, struct resolve_binary *binary,
	const struct pd_frame_binary **ret)
{
	pthread_mutex_lock(&state->lock);
	const uint64_t *slot = base_map_find(&state->frame_binaries, (uintptr_t)binary);
	const struct api_unwinder_binary *found =
		slot ? (const struct api_unwinder_binary *)(uintptr_t)*slot
		     : add_binary(state, binary);
	pthread_mutex_unlock(&state->lock);
	if (!found)
		return &pd_enomem;
	*ret = &found->shown;
	return NULL;
}

struct pd_error *api_unwinder_state_frame(struct api_unwinder_state *state,
	const struct resolve_module *module, uint64_t pc, bool is_return, struct pd_frame *ret)
{
	uint64_t lookup = pc - is_return;
	struct pd_frame frame = {
		.pc = pc,
		.is_return = is_return,
		.vaddr = PD_NO_ADDR,
		.offset = PD_NO_ADDR,
	};

	if (module) {
		enum sym_status status = sym_binary_status(module->binary->symbols);
		struct pd_error *err = get_binary(state, module->binary, &frame.binary);

		if (err)
			return err;
		if (status == SYM_FOUND)
			frame.vaddr = resolve_module_addr(module, lookup);
		if (status != SYM_NO_IMAGE && module->mapping)
			frame.offset = lookup - module->mapping->start + module->mapping->pgoff;
	}
	*ret = frame;
	return NULL;
}

/* Set the only name, which is borrowed. */
static struct pd_error *set_name(struct base_arena *arena, const char *name, struct sym_names *ret)
{
	struct sym_name *names = base_arena_alloc(arena, sizeof(*names));

	if (!names)
		return &pd_enomem;
	*names = (struct sym_name){ .function = name, .linkage = name };
	*ret = (struct sym_names){ .names = names, .n = 1 };
	return NULL;
}

static struct pd_error *open_kernel(
	struct api_unwinder_state *state, const struct sym_kernel_identity *identity)
{
	const struct api_unwinder_config *config = state->config;
	struct sym_kernel_identity known = *identity;
	struct pd_error *err = NULL;

	known.release = config->release;
	pthread_mutex_lock(&state->lock);
	if (state->has_kernel_failed)
		err = &pd_enomem;
	else if (!state->kernel)
		err = sym_kernel_open(&known, &config->reading.resolve.search,
			&config->reading.resolve.kernel, &state->kernel);
	pthread_mutex_unlock(&state->lock);
	return err;
}

static struct pd_error *name_kernel(struct api_unwinder_state *state,
	const struct sym_kernel_identity *identity, const struct api_unwinder_binary *binary,
	uint64_t addr, struct base_arena *arena, struct sym_names *ret)
{
	const struct parse_dso *dso = binary->binary->dso;

	if (dso->is_generated)
		return set_name(arena, dso->name, ret);
	/* Without the kernel's mapping its addresses mean nothing. */
	if (!identity->ref_symbol)
		return NULL;
	struct pd_error *err = open_kernel(state, identity);
	if (err)
		return err;
	err = sym_kernel_names(
		state->kernel, &state->config->reading.resolve.names, &addr, 1, arena, ret);
	if (err) {
		pthread_mutex_lock(&state->lock);
		state->has_kernel_failed = true;
		pthread_mutex_unlock(&state->lock);
	}
	return err;
}

static struct pd_error *name_generated(struct api_unwinder_state *state,
	struct resolve_binary *binary, uint64_t addr, struct base_arena *arena,
	struct sym_names *ret)
{
	const char *name;
	struct pd_error *err =
		resolve_binaries_generated_name(state->binaries, binary, addr, arena, &name);

	return err || !name ? err : set_name(arena, name, ret);
}

static struct pd_error *name_file(const struct api_unwinder_state *state,
	struct api_unwinder_binary *binary, uint64_t vaddr, struct base_arena *arena,
	struct sym_names *ret)
{
	pthread_mutex_lock(&binary->naming);
	struct pd_error *err = &pd_enomem;
	if (!binary->has_failed)
		err = sym_binary_names(binary->binary->symbols,
			&state->config->reading.resolve.names, &vaddr, 1, arena, ret);
	binary->has_failed = err;
	pthread_mutex_unlock(&binary->naming);
	return err;
}

struct pd_error *api_unwinder_state_name(struct api_unwinder_state *state,
	const struct sym_kernel_identity *kernel, const struct pd_frame *frame,
	struct base_arena *arena, struct sym_names *ret)
{
	/* The member is in a struct of this file, which is not const. */
	struct api_unwinder_binary *binary =
		base_container_of(frame->binary, struct api_unwinder_binary, shown);
	uint64_t lookup = frame->pc - frame->is_return;

	*ret = (struct sym_names){ 0 };
	if (frame->binary->is_kernel)
		return name_kernel(state, kernel, binary, lookup, arena, ret);
	if (frame->binary->is_generated)
		return name_generated(state, binary->binary, lookup, arena, ret);
	if (frame->vaddr == PD_NO_ADDR)
		return NULL;
	return name_file(state, binary, frame->vaddr, arena, ret);
}

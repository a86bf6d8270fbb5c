#include "api/unwinder_state.h"

#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "api/unwinder_worker.h"
#include "base/array.h"
#include "symbolize/perf_map.h"

/* The space asks a recording for build ids, and notes damage in it. There is none here. */
static const struct pd_file no_file = { .path = "records" };

static void destroy(struct pd_unwinder_state *state)
{
	for (size_t i = 0; i < state->idle.n; i++)
		pd_unwinder_worker_destroy(state->idle.data[i]);
	pd_vec_deinit(&state->idle);
	pd_map_each (slot, &state->frame_binaries)
		pthread_mutex_destroy(&((struct pd_unwinder_binary *)slot->value)->naming);
	pd_map_deinit(&state->frame_binaries);
	sym_kernel_destroy(state->kernel);
	resolve_binaries_destroy(state->binaries);
	if (state->no_maps)
		pd_maps_unref(state->no_maps);
	pd_space_destroy(state->space);
	pd_arena_deinit(&state->arena);
	pd_arena_deinit(&state->strings);
	pthread_mutex_destroy(&state->lock);
	free(state);
}

struct pd_unwinder_state *pd_unwinder_state_ref(struct pd_unwinder_state *state)
{
	atomic_fetch_add_explicit(&state->refs, 1, memory_order_relaxed);
	return state;
}

void pd_unwinder_state_unref(struct pd_unwinder_state *state)
{
	if (state && atomic_fetch_sub_explicit(&state->refs, 1, memory_order_acq_rel) == 1)
		destroy(state);
}

static struct pd_unwinder_state *allocate(const struct pd_arch *arch)
{
	struct pd_unwinder_state *state = calloc(1, sizeof(*state));

	if (!state)
		return NULL;
	atomic_init(&state->refs, 1);
	atomic_init(&state->n_binaries, 0);
	pthread_mutex_init(&state->lock, NULL);
	state->arch = arch;
	return state;
}

/* Copy a string that may be NULL. False if out of memory. */
static bool copy(struct pd_unwinder_state *state, const char *text, const char **ret)
{
	*ret = text ? pd_arena_strndup(&state->strings, text, strlen(text)) : NULL;
	return *ret || !text;
}

static struct pd_error *set_opts(
	struct pd_unwinder_state *state, const struct pd_unwinder_opts *opts)
{
	struct utsname here;
	bool is_here = !opts->is_offline && uname(&here) == 0;

	state->no_kernel = opts->no_kernel;
	state->unw.max_frames = opts->max_frames;
	state->unw.cfi_only = opts->exact_only;
	state->names.no_inline = opts->no_inline;
	state->names.no_lines = opts->no_lines;
	state->search.is_here = is_here;
	return copy(state, is_here ? here.release : NULL, &state->release) &&
			       copy(state, opts->symfs, &state->search.symfs) &&
			       copy(state, opts->debug_dirs, &state->search.debug_dirs)
		       ? NULL
		       : &pd_enomem;
}

static struct pd_error *create_binaries(struct pd_unwinder_state *state)
{
	state->no_maps = pd_space_empty_maps(state->space);
	if (!state->no_maps)
		return &pd_enomem;
	return resolve_binaries_create(state->arch, &state->search, &state->binaries);
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

static struct pd_error *set_up(struct pd_unwinder_state *state, const struct pd_unwinder_opts *opts)
{
	struct pd_error *err = check_arch(state->arch);

	if (!err)
		err = set_opts(state, opts);
	if (!err)
		err = pd_space_create(&no_file, &state->space);
	if (err)
		return err;
	pd_space_split_inodes(state->space);
	return create_binaries(state);
}

struct pd_error *pd_unwinder_state_create(const struct pd_arch *arch,
	const struct pd_unwinder_opts *opts, struct pd_unwinder_state **ret)
{
	struct pd_unwinder_state *state = allocate(arch);
	struct pd_error *err = state ? set_up(state, opts) : &pd_enomem;

	if (!err)
		*ret = state;
	else
		pd_unwinder_state_unref(state);
	return err;
}

static struct pd_error *take_over(
	const struct pd_unwinder_state *old, struct pd_unwinder_state *state)
{
	state->no_kernel = old->no_kernel;
	state->unw = old->unw;
	state->names = old->names;
	state->search = old->search;
	if (!copy(state, old->release, &state->release) ||
		!copy(state, old->search.symfs, &state->search.symfs) ||
		!copy(state, old->search.debug_dirs, &state->search.debug_dirs))
		return &pd_enomem;
	struct pd_error *err = pd_space_copy_living(old->space, &state->space);
	return err ? err : create_binaries(state);
}

struct pd_error *pd_unwinder_state_renew(
	const struct pd_unwinder_state *old, struct pd_unwinder_state **ret)
{
	struct pd_unwinder_state *state = allocate(old->arch);
	struct pd_error *err = state ? take_over(old, state) : &pd_enomem;

	if (!err)
		*ret = state;
	else
		pd_unwinder_state_unref(state);
	return err;
}

static struct pd_frame_binary describe(const struct resolve_binary *binary)
{
	const struct pd_dso *dso = binary->dso;
	enum sym_status status = sym_binary_status(binary->symbols);
	struct pd_frame_binary ret = {
		.path = dso->name,
		.build_id = dso->build_id,
		.is_kernel = dso->is_kernel,
		.is_generated = resolve_binary_is_generated(binary),
	};

	if (!ret.build_id.len && status == SYM_FOUND)
		ret.build_id = *sym_binary_build_id(binary->symbols);
	if (status != SYM_FOUND && status != SYM_NO_IMAGE)
		ret.why = sym_binary_why(binary->symbols);
	return ret;
}

static struct pd_unwinder_binary *add_binary(
	struct pd_unwinder_state *state, struct resolve_binary *binary)
{
	struct pd_unwinder_binary *ret = pd_arena_alloc(&state->arena, sizeof(*ret));
	uint64_t *slot = ret ? pd_map_add(&state->frame_binaries, (uintptr_t)binary, NULL) : NULL;

	if (!slot)
		return NULL;
	*ret = (struct pd_unwinder_binary){ .shown = describe(binary), .binary = binary };
	pthread_mutex_init(&ret->naming, NULL);
	*slot = (uintptr_t)ret;
	atomic_fetch_add_explicit(&state->n_binaries, 1, memory_order_relaxed);
	return ret;
}

static struct pd_error *get_binary(struct pd_unwinder_state *state, struct resolve_binary *binary,
	const struct pd_frame_binary **ret)
{
	pthread_mutex_lock(&state->lock);
	const uint64_t *slot = pd_map_find(&state->frame_binaries, (uintptr_t)binary);
	const struct pd_unwinder_binary *found =
		slot ? (const struct pd_unwinder_binary *)*slot : add_binary(state, binary);
	pthread_mutex_unlock(&state->lock);
	if (!found)
		return &pd_enomem;
	*ret = &found->shown;
	return NULL;
}

struct pd_error *pd_unwinder_state_frame(struct pd_unwinder_state *state,
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
static struct pd_error *set_name(struct pd_arena *arena, const char *name, struct sym_names *ret)
{
	struct sym_name *names = pd_arena_alloc(arena, sizeof(*names));

	if (!names)
		return &pd_enomem;
	*names = (struct sym_name){ .function = name, .linkage = name };
	*ret = (struct sym_names){ .names = names, .n = 1 };
	return NULL;
}

static struct pd_error *open_kernel(
	struct pd_unwinder_state *state, const struct sym_kernel_identity *identity)
{
	const struct sym_kernel_opts opts = { .wants_modules = true };
	struct sym_kernel_identity known = *identity;
	struct pd_error *err = NULL;

	known.release = state->release;
	pthread_mutex_lock(&state->lock);
	if (state->has_kernel_failed)
		err = &pd_enomem;
	else if (!state->kernel)
		err = sym_kernel_open(&known, &state->search, &opts, &state->kernel);
	pthread_mutex_unlock(&state->lock);
	return err;
}

static struct pd_error *name_kernel(struct pd_unwinder_state *state,
	const struct sym_kernel_identity *identity, const struct pd_unwinder_binary *binary,
	uint64_t addr, struct pd_arena *arena, struct sym_names *ret)
{
	const struct pd_dso *dso = binary->binary->dso;

	if (dso->is_generated)
		return set_name(arena, dso->name, ret);
	/* Without the kernel's mapping its addresses mean nothing. */
	if (!identity->ref_symbol)
		return NULL;
	struct pd_error *err = open_kernel(state, identity);
	if (err)
		return err;
	err = sym_kernel_names(state->kernel, &state->names, &addr, 1, arena, ret);
	if (err) {
		pthread_mutex_lock(&state->lock);
		state->has_kernel_failed = true;
		pthread_mutex_unlock(&state->lock);
	}
	return err;
}

static struct pd_error *name_generated(const struct sym_perf_map *map, uint64_t addr,
	struct pd_arena *arena, struct sym_names *ret)
{
	struct sym_perf_map_code code;

	return sym_perf_map_lookup(map, addr, &code) ? set_name(arena, code.name, ret) : NULL;
}

static struct pd_error *name_file(const struct pd_unwinder_state *state,
	struct pd_unwinder_binary *binary, uint64_t vaddr, struct pd_arena *arena,
	struct sym_names *ret)
{
	pthread_mutex_lock(&binary->naming);
	struct pd_error *err = &pd_enomem;
	if (!binary->has_failed)
		err = sym_binary_names(
			binary->binary->symbols, &state->names, &vaddr, 1, arena, ret);
	binary->has_failed = err;
	pthread_mutex_unlock(&binary->naming);
	return err;
}

struct pd_error *pd_unwinder_state_name(struct pd_unwinder_state *state,
	const struct sym_kernel_identity *kernel, const struct pd_frame *frame,
	struct pd_arena *arena, struct sym_names *ret)
{
	/* The member is in a struct of this file, which is not const. */
	struct pd_unwinder_binary *binary =
		pd_container_of(frame->binary, struct pd_unwinder_binary, shown);
	uint64_t lookup = frame->pc - frame->is_return;

	*ret = (struct sym_names){ 0 };
	if (frame->binary->is_kernel)
		return name_kernel(state, kernel, binary, lookup, arena, ret);
	if (binary->binary->perf_map)
		return name_generated(binary->binary->perf_map, lookup, arena, ret);
	if (frame->vaddr == PD_NO_ADDR)
		return NULL;
	return name_file(state, binary, frame->vaddr, arena, ret);
}

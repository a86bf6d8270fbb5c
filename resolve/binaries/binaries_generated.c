#include "resolve/binaries/binaries_generated.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "parse/jitdump.h"
#include "resolve/binaries/known_code.h"
#include "symbolize/perf_map.h"

/* perf-PID.map files of processes that still write them. */

/*
 * Names that are missing are looked for at once, those of code that was replaced after a second. To
 * look takes at most a tenth of the time.
 */
static const double SECONDS_BETWEEN = 1;
enum { PAUSE_FACTOR = 10 };

void resolve_binaries_follow_maps(struct resolve_binaries *binaries)
{
	binaries->follows_maps = true;
}

/* Set the state of the file in @p ret. Returns whether it is another one than before. */
static bool has_changed(const struct sym_perf_map_file *file, struct resolve_live_map *ret)
{
	struct resolve_live_map before = *ret;
	struct stat st;

	if (fstat(file->fd, &st) < 0)
		return false;
	ret->dev = st.st_dev;
	ret->ino = st.st_ino;
	ret->size = st.st_size;
	ret->mtime_ns = (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec;
	return ret->dev != before.dev || ret->ino != before.ino || ret->size != before.size ||
	       ret->mtime_ns != before.mtime_ns;
}

/* Read the map if it has changed. A map that is gone is kept: its process may have exited. */
static struct pd_error *read_again(struct resolve_binaries *binaries, struct resolve_binary *binary)
{
	_cleanup_(sym_perf_map_file_deinit) struct sym_perf_map_file file = { .fd = -1 };
	struct pd_error *err = sym_perf_map_find(binaries->search, binary->live.pid, &file);
	struct sym_perf_map *map;

	if (err || !file.path || !has_changed(&file, &binary->live))
		return err;
	err = sym_perf_map_read(&file, sym_search_access(binaries->search), &map);
	if (err)
		return err;
	sym_perf_map_destroy(binary->perf_map);
	binary->perf_map = map;
	return NULL;
}

struct pd_error *binaries_follow_map(
	struct resolve_binaries *binaries, struct resolve_binary *binary, bool is_missing)
{
	struct resolve_live_map *live = &binary->live;
	double start = base_clock_now();

	if (!live->pid || start < live->next ||
		(!is_missing && start < live->looked + SECONDS_BETWEEN))
		return NULL;
	struct pd_error *err = read_again(binaries, binary);
	live->looked = base_clock_now();
	live->next = live->looked + PAUSE_FACTOR * (live->looked - start);
	return err;
}

/* Find the code at @p addr. The map is read again before or, if it lacks the code, after that. */
static struct pd_error *look_up(struct resolve_binaries *binaries, struct resolve_binary *binary,
	uint64_t addr, struct sym_perf_map_code *ret)
{
	struct pd_error *err = binaries_follow_map(binaries, binary, false);

	if (err || (binary->perf_map && sym_perf_map_lookup(binary->perf_map, addr, ret)))
		return err;
	ret->name = NULL;
	err = binaries_follow_map(binaries, binary, true);
	if (!err && binary->perf_map && !sym_perf_map_lookup(binary->perf_map, addr, ret))
		ret->name = NULL;
	return err;
}

struct pd_error *resolve_binaries_generated_name(struct resolve_binaries *binaries,
	struct resolve_binary *binary, uint64_t addr, struct base_arena *arena, const char **ret)
{
	struct sym_perf_map_code code = { .name = NULL };

	pthread_mutex_lock(&binaries->lock);
	struct pd_error *err = look_up(binaries, binary, addr, &code);
	*ret = code.name ? base_arena_strndup(arena, code.name, strlen(code.name)) : NULL;
	if (!err && code.name && !*ret)
		err = &pd_enomem;
	pthread_mutex_unlock(&binaries->lock);
	return err;
}

/* Binaries of generated code. */

struct resolve_binary *binaries_add_generated(
	struct resolve_binaries *binaries, const char *name, uint32_t pid)
{
	struct parse_dso *dso = base_arena_alloc(&binaries->arena, sizeof(*dso));
	struct sym_recorded recorded = { .name = BINARIES_NO_FILE };
	char *copy = base_arena_strndup(&binaries->arena, name, strlen(name));
	struct resolve_binary *binary = dso ? binaries_add(binaries, dso) : NULL;
	if (!copy || !binary)
		return NULL;
	*dso = (struct parse_dso){ .name = copy };
	binary->pid = pid;
	struct pd_error *err = sym_binary_open(binaries->search, &recorded, &binary->symbols);
	if (err || !pd_vec_push(&binaries->list, binary)) {
		pd_error_destroy(err);
		sym_binary_destroy(binary->symbols);
		return NULL;
	}
	return binary;
}

/* Create the binary for generated code of process @p pid, named as in perf. */
static struct resolve_binary *add_generated(struct resolve_binaries *binaries, uint32_t pid)
{
	char name[sizeof("[JIT] tid 4294967295")];

	snprintf(name, sizeof(name), "[JIT] tid %" PRIu32, pid);
	return binaries_add_generated(binaries, name, pid);
}

/* Create a binary of the unwinder that lives as long as the binaries. */
static struct pd_error *create_unwind(struct resolve_binaries *binaries,
	const struct unw_binary_input *input, struct unw_binary **ret)
{
	struct unw_binary *unwind;
	struct pd_error *err = unw_binary_create(input, &unwind);

	if (err)
		return err;
	if (!pd_vec_push(&binaries->generated_unwinds, unwind)) {
		unw_binary_destroy(unwind);
		return &pd_enomem;
	}
	*ret = unwind;
	return NULL;
}

static struct pd_error *open_perf_map(
	struct resolve_binaries *binaries, uint32_t pid, struct resolve_binary **ret)
{
	_cleanup_(sym_perf_map_file_deinit) struct sym_perf_map_file file = { .fd = -1 };
	struct pd_error *err = sym_perf_map_find(binaries->search, pid, &file);

	*ret = NULL;
	if (err || !file.path)
		return err;
	struct resolve_binary *binary = add_generated(binaries, pid);
	if (!binary)
		return &pd_enomem;
	err = sym_perf_map_read(&file, sym_search_access(binaries->search), &binary->perf_map);
	if (!err)
		*ret = binary;
	return err;
}

/* Create a binary for memory whose map may exist later. */
static struct pd_error *open_live_map(struct resolve_binaries *binaries,
	const struct parse_mapping *mapping, struct resolve_binary **ret)
{
	struct resolve_binary *binary =
		binaries_add_generated(binaries, mapping->dso->name, mapping->pid);

	if (!binary)
		return &pd_enomem;
	binary->live.pid = mapping->pid;
	*ret = binary;
	return binaries_follow_map(binaries, binary, true);
}

/* Find the map of the process of @p mapping. *ret is NULL if it has none. */
static struct pd_error *get_map(struct resolve_binaries *binaries,
	const struct parse_mapping *mapping, struct resolve_binary **ret)
{
	bool is_new;
	struct pd_error *err = NULL;

	*ret = NULL;
	bool is_live = binaries->follows_maps;
	uint64_t kind = is_live ? (uint64_t)mapping->dso->id << 32 : 0;
	uint64_t *known = base_map_add(&binaries->perf_maps, kind | mapping->pid, &is_new);
	if (!known)
		return &pd_enomem;
	if (is_new) {
		err = is_live ? open_live_map(binaries, mapping, ret)
			      : open_perf_map(binaries, mapping->pid, ret);
		*known = (uintptr_t)*ret;
	}
	*ret = (struct resolve_binary *)(uintptr_t)*known;
	return err;
}

struct pd_error *binaries_get_perf_map(struct resolve_binaries *binaries,
	const struct parse_mapping *mapping, struct resolve_binary **ret)
{
	*ret = NULL;
	if (mapping->dso->is_kernel || !sym_may_be_generated(mapping->dso->name))
		return NULL;
	return get_map(binaries, mapping, ret);
}

struct pd_error *binaries_get_file_map(struct resolve_binaries *binaries,
	const struct parse_mapping *mapping, struct resolve_binary **ret)
{
	*ret = NULL;
	if (mapping->dso->is_kernel || binaries->follows_maps ||
		!sym_file_may_be_generated(mapping->dso->name))
		return NULL;
	struct pd_error *err = get_map(binaries, mapping, ret);
	if (err || !*ret)
		return err;
	if (!sym_perf_map_has_code((*ret)->perf_map, mapping->start, mapping->end))
		*ret = NULL;
	return NULL;
}

static struct resolve_module *create_known_module(struct resolve_binaries *binaries,
	struct resolve_binary *binary, const struct sym_perf_map_code *code,
	const struct unw_section *eh_frame)
{
	const struct unw_binary_input input = {
		.arch = binaries->arch,
		.eh_frame = *eh_frame,
		.is_doubtful = true,
	};
	struct resolve_module *module = base_arena_alloc(&binaries->arena, sizeof(*module));
	struct unw_binary *unwind;
	struct pd_error *err = module ? create_unwind(binaries, &input, &unwind) : &pd_enomem;

	if (err) {
		pd_error_destroy(err);
		return NULL;
	}
	*module = (struct resolve_module){
		.unw = { .start = code->start, .end = code->start + code->size, .binary = unwind },
		.binary = binary,
	};
	return module;
}

struct pd_error *binaries_get_known_code(struct resolve_binaries *binaries,
	struct resolve_binary *binary, uint64_t addr, struct resolve_module **ret)
{
	struct sym_perf_map_code code;

	*ret = NULL;
	if (!sym_perf_map_lookup(binary->perf_map, addr, &code))
		return NULL;
	const struct unw_section eh_frame = resolve_known_eh_frame(binaries->arch, &code);
	if (!eh_frame.data)
		return NULL;
	uint64_t *known = base_map_add(&binary->known_code, code.start, NULL);
	if (!known)
		return &pd_enomem;
	if (!*known)
		*known = (uintptr_t)create_known_module(binaries, binary, &code, &eh_frame);
	*ret = (struct resolve_module *)(uintptr_t)*known;
	return *ret ? NULL : &pd_enomem;
}

static struct pd_error *add_jit(struct resolve_binaries *binaries, const struct parse_jit *jit,
	const char *path, const struct pd_arch *arch, uint32_t pid)
{
	size_t modules_size = (parse_jit_n_codes(jit) + 1) * sizeof(struct resolve_module *);
	struct jit entry = {
		.jit = jit,
		.arch = arch,
		.modules = base_arena_alloc(&binaries->arena, modules_size),
		.binary = add_generated(binaries, pid),
	};

	if (!entry.binary || !entry.modules)
		return &pd_enomem;
	memset(entry.modules, 0, modules_size);
	entry.binary->jit = jit;
	entry.binary->jitdump = path;
	uint64_t *number = base_map_add(&binaries->jit_numbers, (uintptr_t)jit, NULL);
	if (!number || !pd_vec_push(&binaries->jits, entry))
		return &pd_enomem;
	*number = binaries->jits.n - 1;
	return NULL;
}

struct pd_error *resolve_binaries_add_jit(struct resolve_binaries *binaries,
	const struct parse_jit *jit, const char *path, const struct pd_arch *arch, uint32_t pid)
{
	pthread_mutex_lock(&binaries->lock);
	struct pd_error *err = add_jit(binaries, jit, path, arch, pid);
	pthread_mutex_unlock(&binaries->lock);
	return err;
}

/* Call frame information of code without any in the jitdump, by its name. */
static struct unw_section known_eh_frame(const struct jit *jit, const struct parse_jit_code *code)
{
	const struct sym_perf_map_code named = {
		.start = code->offset,
		.size = code->end - code->start,
		.name = code->name,
	};

	return resolve_known_eh_frame(jit->arch, &named);
}

/*
 * Unwind by call frame information from the jitdump. If it has none, the name of the code or its
 * instructions show how to unwind it. The module has no binary if these are not known either.
 */
static struct pd_error *open_jit_unwind(struct resolve_binaries *binaries, const struct jit *jit,
	const struct parse_jit_code *code, struct unw_module *module)
{
	const uint64_t size = code->end - code->start;
	struct unw_binary *unwind;
	struct unw_binary_input input = {
		.arch = jit->arch,
		.eh_frame = { .data = code->eh_frame,
			.size = code->eh_frame_size,
			.vaddr = code->offset + ((size + 7) & ~UINT64_C(7)) },
	};

	if (!jit->arch)
		return NULL;
	if (!code->eh_frame_size) {
		input.eh_frame = known_eh_frame(jit, code);
		input.is_doubtful = true;
	}
	if (!input.eh_frame.size) {
		input.text = (struct unw_section){
			.data = code->bytes, .size = size, .vaddr = code->offset
		};
		module->prefers_chain = true;
	}
	if (!input.eh_frame.size && !input.text.data)
		return NULL;
	struct pd_error *err = create_unwind(binaries, &input, &unwind);
	if (!err)
		module->binary = unwind;
	return err;
}

static struct resolve_module *create_jit_module(
	struct resolve_binaries *binaries, const struct jit *jit, const struct parse_jit_code *code)
{
	struct resolve_module *module = base_arena_alloc(&binaries->arena, sizeof(*module));

	if (!module)
		return NULL;
	*module = (struct resolve_module){
		.unw = {
			.start = code->start,
			.end = code->end,
			/*
			 * Frames hold the offset in the dump, which distinguishes this code from
			 * other code that was at the same address at another time.
			 */
			.bias = code->start - code->offset,
			.missing = PD_UNWIND_END_NO_CFI,
		},
		.binary = jit->binary,
	};
	struct pd_error *err = open_jit_unwind(binaries, jit, code, &module->unw);
	if (!err)
		return module;
	pd_error_destroy(err);
	return NULL;
}

/* Find the module of the code of @p dump (may be NULL) at addr. *ret is NULL if there is none. */
static struct pd_error *get_jit(struct resolve_binaries *binaries, const struct parse_jit *dump,
	uint32_t epoch, uint64_t addr, struct resolve_module **ret)
{
	const struct parse_jit_code *code = dump ? parse_jit_find(dump, epoch, addr) : NULL;
	const uint64_t *number =
		code ? base_map_find(&binaries->jit_numbers, (uintptr_t)dump) : NULL;

	*ret = NULL;
	if (!number)
		return NULL;
	struct jit *jit = &binaries->jits.data[*number];
	struct resolve_module **known = &jit->modules[parse_jit_number(dump, code)];
	if (!*known)
		*known = create_jit_module(binaries, jit, code);
	*ret = *known;
	return *ret ? NULL : &pd_enomem;
}

struct pd_error *binaries_get_jit(struct resolve_binaries *binaries, const struct parse_maps *maps,
	uint64_t addr, struct resolve_module **ret)
{
	struct pd_error *err = get_jit(binaries, maps->jit, maps->jit_epoch, addr, ret);

	if (err || *ret)
		return err;
	return get_jit(binaries, maps->older_jit, maps->older_jit_epoch, addr, ret);
}

#include "capture/bpf/bpf_processes.h"

#include <bpf/bpf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <pdconv/record.h>

#include "base/cleanup.h"
#include "base/containers/hash.h"
#include "capture/bpf/bpf_files.h"
#include "capture/synth/synth_maps.h"

/* Programs that are about to be mapped: their tables are requested before the first sample. */

/** Request the table of code that will be mapped. */
static struct pd_error *expect_code(void *ctx, const char *path, uint64_t offset, uint64_t size)
{
	struct cap_mapping mapping = {
		.end = size, .pgoff = offset, .prot = PROT_EXEC, .name = path
	};
	const struct cap_bpf_file *file;
	struct stat st;

	if (stat(path, &st) < 0)
		return NULL;
	mapping.maj = major(st.st_dev);
	mapping.min = minor(st.st_dev);
	mapping.ino = st.st_ino;
	return cap_bpf_get_file(ctx, (uint32_t)getpid(), &mapping, &file);
}

static struct pd_error *expect_program(struct cap_bpf *bpf, const char *program, bool is_command)
{
	const struct cap_table_maker *maker = &bpf->maker;

	if (!maker->list)
		return NULL;
	return maker->list(maker->ctx, program, is_command, expect_code, bpf);
}

struct pd_error *cap_bpf_expect_command(struct cap_bpf *bpf, const char *program)
{
	bpf->command = strdup(program);
	return bpf->command ? expect_program(bpf, program, true) : &pd_enomem;
}

/** Note that the recorded command has started the program @p path. */
static struct pd_error *note_started(struct cap_bpf *bpf, const char *path)
{
	char *copy = bpf->command && !bpf->is_system_wide ? strdup(path) : NULL;

	if (!copy || pd_vec_push(&bpf->started, copy))
		return NULL;
	free(copy);
	return &pd_enomem;
}

void cap_bpf_keep_started(struct cap_bpf *bpf)
{
	const struct cap_table_maker *maker = &bpf->maker;

	if (maker->keep && bpf->started.n)
		maker->keep(maker->ctx, bpf->command, (const char *const *)bpf->started.data,
			bpf->started.n);
	for (size_t i = 0; i < bpf->started.n; i++)
		free(bpf->started.data[i]);
	pd_vec_deinit(&bpf->started);
	free(bpf->command);
}

struct pd_error *cap_bpf_expect_libraries(struct cap_bpf *bpf, uint32_t pid)
{
	char link[64], path[PATH_MAX];
	struct stat st, there;
	bool is_new;

	snprintf(link, sizeof(link), "/proc/%u/exe", pid);
	ssize_t n = readlink(link, path, sizeof(path) - 1);
	if (n < 0 || stat(link, &st) < 0)
		return NULL;
	if (!base_map_add(&bpf->programs_seen, base_hash_pair(st.st_ino, st.st_dev), &is_new))
		return &pd_enomem;
	path[n] = '\0';
	/* A process with another root sees other files by these paths. */
	if (!is_new || stat(path, &there) < 0 || there.st_ino != st.st_ino ||
		there.st_dev != st.st_dev)
		return NULL;
	struct pd_error *err = note_started(bpf, path);
	return err ? err : expect_program(bpf, path, false);
}

/* Mappings. */

/** How long the program waits before it asks again for a process whose mappings did not change. */
enum { LEAST_PATIENCE_NS = 5000000, MOST_PATIENCE_NS = 1000000000 };

static bool has_table(const struct cap_mapping *mapping)
{
	return mapping->ino || strcmp(mapping->name, "[vdso]") == 0;
}

static void set_table(struct cap_bpf *bpf, const struct cap_mapping *mapping,
	const struct cap_bpf_file *file, struct bw_mapping *ret)
{
	const struct cap_bpf_file *main = &bpf->files.data[file->main];

	ret->table = file->is_loading ? BW_TABLE_LOADING : main->table;
	if (cap_bpf_has_live_table(main)) {
		ret->top = main->pages[main->n_pages - 1] & (BW_MAX_PAGES - 1);
		ret->shift = main->shift & 31;
	}
	ret->base = mapping->start - mapping->pgoff + main->base - file->delta;
	bpf->is_loading |= ret->table == BW_TABLE_LOADING;
}

static struct pd_error *add_mapping(
	struct cap_bpf *bpf, uint32_t pid, const struct cap_mapping *mapping)
{
	struct bw_mapping new = {
		.start = mapping->start, .end = mapping->end, .table = BW_NO_TABLE
	};
	const struct cap_bpf_file *file = NULL;

	if (!(mapping->prot & PROT_EXEC) || mapping->end > BW_NO_ADDR ||
		bpf->mappings.n == BW_MAX_MAPPINGS)
		return NULL;
	if (has_table(mapping)) {
		struct pd_error *err = cap_bpf_get_file(bpf, pid, mapping, &file);

		if (err)
			return err;
	}
	if (file)
		set_table(bpf, mapping, file, &new);
	const struct cap_code code = { new.start, new.end,
		cap_code_file(mapping->name, strlen(mapping->name)) };
	if (!pd_vec_push(&bpf->code, code))
		return &pd_enomem;
	return pd_vec_push(&bpf->mappings, new) ? NULL : &pd_enomem;
}

/** Read the mappings of a process with code. One that has exited or may not be read has none. */
static struct pd_error *read_mappings(struct cap_bpf *bpf, uint32_t pid, bool *exists_ret)
{
	uint32_t tid;
	_cleanup_fclose_ FILE *in = cap_machine_open_maps(&bpf->machine, pid, &tid);
	struct cap_mapping mapping;

	bpf->mappings.n = bpf->code.n = 0;
	bpf->is_loading = false;
	*exists_ret = in;
	while (in && getline(&bpf->line, &bpf->line_cap, in) > 0) {
		if (!cap_mapping_parse(bpf->line, &mapping))
			continue;
		struct pd_error *err = add_mapping(bpf, tid, &mapping);
		if (err)
			return err;
	}
	return NULL;
}

static void remove_chunks(struct cap_bpf *bpf, const struct cap_bpf_process *process)
{
	struct bw_chunk_key key = { .generation = process->generation };

	for (key.index = 0; key.index < process->n_chunks; key.index++)
		bpf_map_delete_elem(bpf->chunks, &key);
}

/** Write the mappings that were read as chunks of a new generation. Returns false if full. */
static bool write_chunks(struct cap_bpf *bpf, struct bw_chunk_key key, struct bw_space *space)
{
	const struct bw_mapping none = { .start = BW_NO_ADDR, .end = BW_NO_ADDR };

	for (size_t at = 0; at < bpf->mappings.n; at += BW_CHUNK_MAPPINGS, key.index++) {
		struct bw_chunk chunk;

		for (size_t i = 0; i < BW_CHUNK_MAPPINGS; i++)
			chunk.mappings[i] =
				at + i < bpf->mappings.n ? bpf->mappings.data[at + i] : none;
		space->first[key.index] = chunk.mappings[0].start;
		if (bpf_map_update_elem(bpf->chunks, &key, &chunk, BPF_ANY) < 0)
			return false;
	}
	return true;
}

static uint64_t hash_mappings(const struct cap_bpf *bpf)
{
	uint64_t hash = bpf->mappings.n;

	for (size_t i = 0; i < bpf->mappings.n; i++) {
		const struct bw_mapping *mapping = &bpf->mappings.data[i];

		hash = base_hash_pair(mapping->start, hash);
		hash = base_hash_pair(mapping->end + mapping->table, hash);
		hash = base_hash_pair(mapping->base, hash);
	}
	return hash;
}

static struct pd_error *get_process(struct cap_bpf *bpf, uint32_t pid, struct cap_bpf_process **ret)
{
	uint64_t *slot = base_map_add(&bpf->processes, pid, NULL);

	if (!slot)
		return &pd_enomem;
	if (!*slot) {
		struct cap_bpf_process *process = calloc(1, sizeof(*process));

		if (!process)
			return &pd_enomem;
		process->patience = LEAST_PATIENCE_NS;
		*slot = (uintptr_t)process;
		bpf->counts.n_processes++;
	}
	*ret = (struct cap_bpf_process *)(uintptr_t)*slot;
	return NULL;
}

static void forget_process(struct cap_bpf *bpf, uint32_t pid)
{
	uint64_t *slot = base_map_find(&bpf->processes, pid);

	/* One that was forked may have a space without being known. */
	bpf_map_delete_elem(bpf->spaces, &pid);
	if (!slot || !*slot)
		return;
	struct cap_bpf_process *process = (struct cap_bpf_process *)(uintptr_t)*slot;
	remove_chunks(bpf, process);
	cap_code_views_deinit(&process->views);
	free(process);
	*slot = 0;
}

/** Write what was read of a process, whose mappings have changed. */
static void write_space(
	struct cap_bpf *bpf, uint32_t pid, struct cap_bpf_process *process, bool is_changed)
{
	const struct cap_bpf_process old = *process;
	struct bw_space space = { .patience = old.patience,
		.generation = is_changed ? ++bpf->generation : old.generation };
	const struct bw_chunk_key key = { .generation = space.generation };

	for (size_t i = 0; i < BW_MAX_CHUNKS; i++)
		space.first[i] = BW_NO_ADDR;
	/* Full maps: the samples of the process stay without user frames. */
	if (!write_chunks(bpf, key, &space) ||
		bpf_map_update_elem(bpf->spaces, &pid, &space, BPF_ANY) < 0)
		return;
	if (!is_changed)
		return;
	process->generation = space.generation;
	process->n_chunks =
		(uint32_t)((bpf->mappings.n + BW_CHUNK_MAPPINGS - 1) / BW_CHUNK_MAPPINGS);
	remove_chunks(bpf, &old);
}

/** Remember the code that was read, for the generation that the process has now. */
static struct pd_error *note_view(struct cap_bpf *bpf, struct cap_bpf_process *process)
{
	struct cap_code_view *view = cap_code_views_begin(&process->views, process->generation);

	for (size_t i = 0; i < bpf->code.n; i++) {
		if (!pd_vec_push(&view->list, bpf->code.data[i]))
			return &pd_enomem;
	}
	return NULL;
}

struct pd_error *cap_bpf_read_process(struct cap_bpf *bpf, uint32_t pid)
{
	struct cap_bpf_process *process;
	bool exists;
	struct pd_error *err = read_mappings(bpf, pid, &exists);

	bpf->counts.n_reads++;
	if (err)
		return err;
	if (!exists) {
		forget_process(bpf, pid);
		return NULL;
	}
	err = get_process(bpf, pid, &process);
	if (err)
		return err;
	uint64_t hash = hash_mappings(bpf);
	bool is_changed = hash != process->hash || !process->generation;
	process->hash = hash;
	process->is_loading = bpf->is_loading;
	process->patience = is_changed ? LEAST_PATIENCE_NS : 2 * process->patience;
	if (process->patience > MOST_PATIENCE_NS)
		process->patience = MOST_PATIENCE_NS;
	write_space(bpf, pid, process, is_changed);
	return is_changed ? note_view(bpf, process) : NULL;
}

struct pd_error *cap_bpf_read_loading(struct cap_bpf *bpf)
{
	PD_VEC(uint32_t) pids = { 0 };
	struct pd_error *err = NULL;

	/* Reading adds nothing to the map, but may remove its processes. */
	base_map_each(slot, &bpf->processes)
	{
		const struct cap_bpf_process *process =
			(const struct cap_bpf_process *)(uintptr_t)slot->value;

		if (process && process->is_loading && !pd_vec_push(&pids, (uint32_t)slot->key))
			err = &pd_enomem;
	}
	for (size_t i = 0; !err && i < pids.n; i++)
		err = cap_bpf_read_process(bpf, pids.data[i]);
	pd_vec_deinit(&pids);
	return err;
}

/* Records. */

static bool is_known(const struct cap_bpf *bpf, uint32_t pid)
{
	const uint64_t *slot = base_map_find(&bpf->processes, pid);

	return slot && *slot;
}

/** Note that the process @p pid was forked, and has the space of its parent if it still runs. */
static struct pd_error *note_fork(struct cap_bpf *bpf, uint32_t pid)
{
	struct cap_bpf_process *process;
	struct bw_space space;

	if (is_known(bpf, pid) || bpf_map_lookup_elem(bpf->spaces, &pid, &space) < 0)
		return NULL;
	return get_process(bpf, pid, &process);
}

struct pd_error *cap_bpf_note(struct cap_bpf *bpf, const struct pd_record *rec)
{
	enum {
		MMAP_DATA = 1 << 13,
		PID_AT = PD_RECORD_HEADER_BYTES,
		PARENT_AT = PID_AT + 4,
		TID_AT = PID_AT + 8,
	};

	if (rec->size < TID_AT + 4)
		return NULL;
	uint32_t pid = pd_load_u32(rec->bytes + PID_AT, false);
	bool is_code = !(rec->misc & MMAP_DATA);
	bool is_mapping = rec->type == PD_RECORD_MMAP || rec->type == PD_RECORD_MMAP2;

	if (rec->type == PD_RECORD_EXIT && pid == pd_load_u32(rec->bytes + TID_AT, false))
		forget_process(bpf, pid);
	if (rec->type == PD_RECORD_FORK && pid != pd_load_u32(rec->bytes + PARENT_AT, false))
		return note_fork(bpf, pid);
	if (!((is_mapping && is_code) || rec->type == PD_RECORD_COMM) || !is_known(bpf, pid))
		return NULL;
	/* A process that maps many libraries has its records next to each other. */
	if (bpf->changed.n && bpf->changed.data[bpf->changed.n - 1] == pid)
		return NULL;
	return pd_vec_push(&bpf->changed, pid) ? NULL : &pd_enomem;
}

struct pd_error *cap_bpf_refresh(struct cap_bpf *bpf)
{
	struct pd_error *err = NULL;

	for (size_t i = 0; !err && i < bpf->changed.n; i++)
		err = is_known(bpf, bpf->changed.data[i])
			      ? cap_bpf_read_process(bpf, bpf->changed.data[i])
			      : NULL;
	bpf->changed.n = 0;
	return err;
}

void cap_bpf_note_code(struct cap_bpf *bpf, const struct cap_replaced_code *code)
{
	if (is_known(bpf, code->pid))
		cap_replaced_note(&bpf->replaced, code);
}

uint16_t cap_bpf_n_certain(const struct cap_bpf *bpf, const struct bw_record *stack, uint64_t time)
{
	const uint64_t *slot = base_map_find(&bpf->processes, stack->pid);

	if (!slot || !*slot || !cap_replaced_has(&bpf->replaced, stack->pid))
		return stack->n;
	const struct cap_bpf_process *process = (const struct cap_bpf_process *)(uintptr_t)*slot;
	return cap_replaced_n_certain(&bpf->replaced, &process->views, stack, time);
}

#include "parse/space/space_state.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/analyzer.h"
#include "base/limit.h"
#include "parse/open_file.h"
#include "parse/space/snapshot.h"
#include "parse/space/dso.h"

/* The kernel allows 65,530 mappings by default (vm.max_map_count), but some machines allow more. */
enum { MAX_MAPPINGS = PD_LIMIT_MAPPINGS, MAX_MODULES = PD_LIMIT_MODULES };

/* See spend_step(). */
enum { FIRST_STEPS = 1 << 17, STEPS_PER_RECORD = 64 };

static const char kernel_name[] = PD_KERNEL_NAME;

/* Whether the region is not empty and within the address space. */
static bool is_possible(const struct parse_region *region)
{
	return region->len && region->start + region->len >= region->start;
}

struct pd_error *parse_space_create(const struct pd_file *file, struct parse_space **ret)
{
	struct parse_space *space = calloc(1, sizeof(*space));

	if (!space)
		return &pd_enomem;
	space->file = file;
	space->kernel.ref_symbol = "";
	space->n_steps = FIRST_STEPS;
	space->n_build_ids = file->build_ids.n;
	space->kernel_maps = parse_maps_create(++space->next_maps_id);
	if (!space->kernel_maps) {
		parse_space_destroy(space);
		return &pd_enomem;
	}
	*ret = space;
	return NULL;
}

static void drop_maps(struct base_map *processes)
{
	base_map_each(slot, processes)
	{
		const struct parse_process *process =
			(struct parse_process *)(uintptr_t)slot->value;

		parse_maps_unref(process->maps);
		parse_maps_unref(process->all_maps);
		parse_maps_unref(process->replaced);
	}
}

void parse_space_destroy(struct parse_space *space)
{
	if (!space)
		return;
	drop_maps(&space->processes);
	parse_maps_unref(space->kernel_maps);
	base_map_deinit(&space->processes);
	base_map_deinit(&space->threads);
	base_map_deinit(&space->unidentified);
	base_intern_deinit(&space->names);
	base_intern_deinit(&space->dso_keys);
	pd_vec_deinit(&space->dsos);
	pd_vec_deinit(&space->modules);
	base_arena_deinit(&space->arena);
	free(space);
}

struct parse_process *parse_space_find_process(const struct parse_space *space, uint32_t pid)
{
	const uint64_t *slot = base_map_find(&space->processes, pid);

	return slot ? (struct parse_process *)(uintptr_t)*slot : NULL;
}

struct parse_process *parse_space_process(struct parse_space *space, uint32_t pid)
{
	struct parse_process *process = parse_space_find_process(space, pid);

	if (process)
		return process;
	process = base_arena_alloc(&space->arena, sizeof(*process));
	if (!process)
		return NULL;
	*process = (struct parse_process){ .maps = parse_maps_create(++space->next_maps_id) };
	if (space->keeps_data)
		process->all_maps = parse_maps_create(++space->next_maps_id);
	bool ok = process->maps && (process->all_maps || !space->keeps_data);
	uint64_t *slot = ok ? base_map_add(&space->processes, pid, NULL) : NULL;
	if (!slot) {
		parse_maps_unref(process->maps);
		parse_maps_unref(process->all_maps);
		return NULL;
	}
	*slot = (uintptr_t)process;
	return process;
}

struct parse_thread *parse_space_thread(struct parse_space *space, uint32_t pid, uint32_t tid)
{
	bool is_new;
	uint64_t *slot = base_map_add(&space->threads, (uint64_t)pid << 32 | tid, &is_new);

	if (!slot)
		return NULL;
	if (!is_new)
		return (struct parse_thread *)(uintptr_t)*slot;
	struct parse_thread *thread = base_arena_alloc(&space->arena, sizeof(*thread));
	if (!thread)
		return NULL;
	*thread = (struct parse_thread){ .pid = pid, .tid = tid };
	*slot = (uintptr_t)thread;
	/*
	 * A thread whose COMM or FORK was not recorded takes the name of its process. Pid 0 is the
	 * idle task.
	 */
	if (pid == 0 && tid == 0)
		thread->comm = "swapper";
	else if (tid != pid && (slot = base_map_find(&space->threads, (uint64_t)pid << 32 | pid)))
		thread->comm = ((struct parse_thread *)(uintptr_t)*slot)->comm;
	return thread;
}

struct parse_maps *parse_space_maps(struct parse_space *space, uint32_t pid)
{
	struct parse_process *process = parse_space_process(space, pid);

	return process ? process->maps : NULL;
}

void parse_space_use_namesakes(struct parse_space *space, const struct parse_namesakes *namesakes)
{
	space->namesakes = namesakes;
}

void parse_space_keep_data(struct parse_space *space)
{
	space->keeps_data = true;
}

struct parse_maps *parse_space_all_maps(struct parse_space *space, uint32_t pid)
{
	struct parse_process *process = parse_space_process(space, pid);

	return process ? process->all_maps : NULL;
}

bool parse_space_is_replaced(const struct parse_space *space, uint32_t pid, uint64_t addr)
{
	const struct parse_process *process = parse_space_find_process(space, pid);

	return process && process->replaced && parse_maps_find(process->replaced, addr) &&
	       !parse_maps_find(process->maps, addr);
}

struct parse_maps *parse_space_kernel_maps(struct parse_space *space)
{
	return space->kernel_maps;
}

const struct parse_kernel *parse_space_kernel(const struct parse_space *space)
{
	return &space->kernel;
}

const struct parse_mapping *parse_space_create_mapping(
	struct parse_space *space, const struct parse_region *region, const struct parse_dso *dso)
{
	struct parse_mapping *mapping = base_arena_alloc(&space->arena, sizeof(*mapping));

	if (!mapping || !dso)
		return NULL;
	*mapping = (struct parse_mapping){
		.id = space->next_mapping_id++,
		.prot = region->prot,
		.start = region->start,
		.end = region->start + region->len,
		.pgoff = region->pgoff,
		.dso = dso,
		.pid = region->pid,
	};
	return mapping;
}

struct pd_error *parse_space_replace(struct parse_space *space, struct parse_maps **maps,
	uint64_t start, uint64_t end, const struct parse_mapping *mapping)
{
	if (mapping && (*maps)->n >= MAX_MAPPINGS) {
		parse_file_note_limit(space->file, PD_LIMIT_ID_MAPPINGS);
		return NULL;
	}
	if (!parse_maps_replace(maps, ++space->next_maps_id, start, end, mapping))
		return &pd_enomem;
	return NULL;
}

/*
 * Spend a step of work on one mapping, for a record that may concern all of a process. Each record
 * grants some more, so the steps of a recording are bounded by its size. False if none is left,
 * which only happens in recordings that are made to take long.
 */
static bool spend_step(struct parse_space *space)
{
	if (space->n_steps) {
		space->n_steps--;
		return true;
	}
	pd_diag_warn(space->file->diag, space->file->path, PD_NO_OFFSET, NULL,
		"records of mappings concern too many others: some mappings of code are missing");
	return false;
}

/*
 * Store symbol and address of "[kernel.kallsyms]_text", the kernel's mapping: its pgoff is that
 * address.
 */
static const char *note_kernel(struct parse_space *space, struct parse_region *region)
{
	const size_t len = sizeof(kernel_name) - 1;

	if (strncmp(region->name, kernel_name, len) != 0)
		return region->name;
	if (!space->kernel.dso) {
		uint32_t symbol = base_intern_str(&space->names, region->name + len);

		if (symbol != PD_INTERN_NONE)
			space->kernel.ref_symbol = base_intern_bytes(&space->names, symbol);
		space->kernel.ref_addr = region->pgoff;
	}
	region->pgoff = region->start;
	return kernel_name;
}

/* Map the modules again, which a mapping of the kernel's image may have covered. */
static struct pd_error *map_modules_again(struct parse_space *space)
{
	for (size_t i = 0; i < space->modules.n && spend_step(space); i++) {
		const struct parse_mapping *module = space->modules.data[i];
		struct pd_error *err = parse_space_replace(
			space, &space->kernel_maps, module->start, module->end, module);
		if (err)
			return err;
	}
	return NULL;
}

static struct pd_error *map_kernel(struct parse_space *space, struct parse_region *region)
{
	const char *name = note_kernel(space, region);
	const struct parse_dso *dso = parse_space_get_dso(space, name, PD_OWNER_KERNEL, region);
	const struct parse_mapping *mapping = parse_space_create_mapping(space, region, dso);

	if (!mapping)
		return &pd_enomem;
	struct pd_error *err = parse_space_replace(
		space, &space->kernel_maps, mapping->start, mapping->end, mapping);
	if (err || name != kernel_name)
		return err;
	if (!space->kernel.dso)
		space->kernel.dso = dso;
	if (!parse_maps_set_kernel_image(&space->kernel_maps, ++space->next_maps_id, mapping))
		return &pd_enomem;
	return map_modules_again(space);
}

struct pd_error *parse_space_add_module(
	struct parse_space *space, const char *name, uint64_t start, uint64_t len)
{
	struct parse_region region = {
		.start = start, .len = len, .prot = PD_PROT_EXEC, .name = name
	};

	if (!is_possible(&region))
		return NULL;
	if (space->modules.n >= MAX_MODULES) {
		parse_file_note_limit(space->file, PD_LIMIT_ID_MODULES);
		return NULL;
	}
	const struct parse_mapping *mapping = parse_space_create_mapping(
		space, &region, parse_space_get_dso(space, name, PD_OWNER_KERNEL, &region));
	if (!mapping || !pd_vec_push(&space->modules, mapping))
		return &pd_enomem;
	return parse_space_replace(
		space, &space->kernel_maps, mapping->start, mapping->end, mapping);
}

/* Whether the region maps the same bytes of the same file as old, where they overlap. */
static bool is_same_bytes(const struct parse_mapping *old, const struct parse_region *region)
{
	return strcmp(old->dso->name, region->name) == 0 &&
	       (old->pgoff - old->start == region->pgoff - region->start ||
		       strncmp(region->name, "//anon", 6) == 0);
}

/*
 * Apply a mapping that is not executable. A change of protection is recorded as a mapping too. If
 * the same bytes of the same file only lose their execute permission, as generated code does while
 * it is written, the old mapping stays, so that frames in it can still be resolved.
 */
static struct pd_error *map_data(
	struct parse_space *space, struct parse_process *process, const struct parse_region *region)
{
	uint64_t end = region->start + region->len;
	uint64_t at = region->start;

	while (at < end) {
		if (!spend_step(space))
			return parse_space_replace(space, &process->maps, at, end, NULL);
		/* parse_space_replace() may free the entries, so look up each one anew. */
		const struct parse_maps_entry *entry = parse_maps_first(process->maps, at, end);
		if (!entry)
			return NULL;
		uint64_t from = entry->start > at ? entry->start : at;
		uint64_t to = entry->end < end ? entry->end : end;
		if (!is_same_bytes(entry->mapping, region)) {
			struct pd_error *err =
				parse_space_replace(space, &process->maps, from, to, NULL);
			if (err)
				return err;
		}
		at = to;
	}
	return NULL;
}

/*
 * Whether the process of a [vdso] at @p addr is one of 32 bits, on machines whose 64-bit processes
 * map it near the stack. Its vdso is another file, which perf lists as "[vdso32]".
 */
static bool is_vdso_of_32_bits(const struct parse_space *space, uint64_t addr)
{
	const char *machine = space->file->text[PD_FEATURE_ARCH];

	return addr <= UINT32_MAX && machine &&
	       (strcmp(machine, "x86_64") == 0 || strcmp(machine, "aarch64") == 0);
}

static struct pd_error *map_user(struct parse_space *space, struct parse_region *region)
{
	struct parse_process *process = parse_space_process(space, region->pid);

	if (!process)
		return &pd_enomem;
	bool is_code = region->prot & PD_PROT_EXEC;
	if (parse_is_moved_text(process, region))
		return NULL;
	if (is_code)
		parse_join_moved_text(process, region);
	struct pd_error *err = is_code ? NULL : map_data(space, process, region);
	if (err || (!is_code && !space->keeps_data))
		return err;
	if (strcmp(region->name, "[vdso]") == 0) {
		region->pgoff = 0;
		if (is_vdso_of_32_bits(space, region->start))
			region->name = "[vdso32]";
	}
	const struct parse_mapping *mapping = parse_space_create_mapping(
		space, region, parse_space_get_dso(space, region->name, PD_OWNER_USER, region));
	if (!mapping)
		return &pd_enomem;
	if (is_code) {
		parse_note_program(process, mapping->dso);
		err = parse_space_replace(
			space, &process->maps, mapping->start, mapping->end, mapping);
	}
	if (err || !space->keeps_data)
		return err;
	PD_IS_TRUE(process->all_maps, "parse_space_keep_data() comes before the first record");
	return parse_space_replace(
		space, &process->all_maps, mapping->start, mapping->end, mapping);
}

/* Huge pages are named after a file that has none of their bytes. */
static struct parse_region without_file(const struct parse_region *region)
{
	struct parse_region ret = *region;

	ret.name = "//anon";
	ret.maj = ret.min = 0;
	ret.ino = 0;
	return ret;
}

static struct pd_error *apply_mapping(
	struct parse_space *space, struct parse_region *region, uint16_t misc)
{
	if (!is_possible(region))
		return NULL;
	/* These are anonymous, although the kernel reports a file name for them. */
	if (region->flags & PD_MAP_FLAG_HUGETLB)
		*region = without_file(region);
	switch (misc & PD_MISC_CPUMODE_MASK) {
	case PD_MISC_KERNEL:
		return map_kernel(space, region);
	case PD_MISC_USER:
		return map_user(space, region);
	default:
		return NULL; /* guests have separate address spaces */
	}
}

struct pd_error *parse_space_set_jit(
	struct parse_space *space, uint32_t pid, const struct parse_jit *jit, uint32_t epoch)
{
	struct parse_process *process = parse_space_process(space, pid);

	if (!process || !parse_maps_set_jit(&process->maps, ++space->next_maps_id, jit, epoch))
		return &pd_enomem;
	return NULL;
}

static struct pd_error *apply_comm(
	struct parse_space *space, const struct pd_comm *comm, uint16_t misc)
{
	struct parse_thread *thread = parse_space_thread(space, comm->pid, comm->tid);
	uint32_t name = base_intern_add(&space->names, comm->comm.s, comm->comm.len);

	if (!thread || name == PD_INTERN_NONE)
		return &pd_enomem;
	thread->comm = base_intern_bytes(&space->names, name);
	thread->has_exited = false;
	if (!(misc & PD_MISC_COMM_EXEC))
		return NULL;
	/* exec replaces the whole address space. */
	struct parse_process *process = parse_space_process(space, comm->pid);
	if (!process)
		return &pd_enomem;
	parse_maps_unref(process->replaced);
	process->replaced = parse_maps_ref(process->maps);
	process->program = NULL;
	struct pd_error *err = parse_space_replace(space, &process->maps, 0, UINT64_MAX, NULL);
	if (!err && space->keeps_data)
		err = parse_space_replace(space, &process->all_maps, 0, UINT64_MAX, NULL);
	return err ? err : parse_space_set_jit(space, comm->pid, NULL, 0);
}

static struct pd_error *apply_fork(
	struct parse_space *space, const struct pd_fork *fork, uint16_t misc)
{
	struct parse_thread *child = parse_space_thread(space, fork->pid, fork->tid);
	struct parse_thread *parent = parse_space_thread(space, fork->ppid, fork->ptid);

	if (!child || !parent)
		return &pd_enomem;
	if (parent->comm)
		child->comm = parent->comm;
	child->has_exited = false;
	/*
	 * A thread shares the mappings of its process. FORK_EXEC marks a process that existed
	 * before the recording, whose own mappings perf writes too.
	 */
	if (fork->pid == fork->ppid || misc & PD_MISC_FORK_EXEC)
		return NULL;
	struct parse_process *from = parse_space_process(space, fork->ppid);
	struct parse_process *to = parse_space_process(space, fork->pid);
	if (!from || !to)
		return &pd_enomem;
	parse_maps_unref(to->maps);
	parse_maps_unref(to->replaced);
	to->maps = parse_maps_ref(from->maps);
	if (space->keeps_data) {
		parse_maps_unref(to->all_maps);
		to->all_maps = parse_maps_ref(from->all_maps);
	}
	to->replaced = NULL;
	to->program = from->program;
	return NULL;
}

/* Samples of the task may follow, so it keeps its name and mappings. */
static void apply_exit(struct parse_space *space, const struct pd_exit *exited)
{
	uint64_t *slot = base_map_find(&space->threads, (uint64_t)exited->pid << 32 | exited->tid);

	if (slot)
		((struct parse_thread *)(uintptr_t)*slot)->has_exited = true;
}

enum { KSYMBOL_UNREGISTER = 1 };

/* Remove what is left of generated code: the kernel may put other code there, without a record. */
static struct pd_error *remove_generated(
	struct parse_space *space, const struct parse_region *region)
{
	uint64_t end = region->start + region->len;
	const struct parse_maps_entry *entry =
		parse_maps_first(space->kernel_maps, region->start, end);

	if (!entry || !entry->mapping->dso->is_generated ||
		strcmp(entry->mapping->dso->name, region->name) != 0)
		return NULL;
	return parse_space_replace(space, &space->kernel_maps, region->start, end, NULL);
}

/*
 * Apply a KSYMBOL record: code that the kernel generated, such as a BPF program, becomes a dso with
 * one symbol of the same name. Later records may replace it by other code.
 */
static struct pd_error *apply_ksymbol(struct parse_space *space, const struct pd_ksymbol *ksymbol)
{
	struct parse_region region = {
		.start = ksymbol->addr,
		.len = ksymbol->len,
		.pgoff = ksymbol->addr,
		.prot = PD_PROT_EXEC,
		.name = ksymbol->name.s,
	};

	if (!is_possible(&region))
		return NULL;
	if (ksymbol->flags & KSYMBOL_UNREGISTER)
		return remove_generated(space, &region);
	const struct parse_dso *dso =
		parse_space_get_dso(space, region.name, PD_OWNER_GENERATED, &region);
	const struct parse_mapping *mapping = parse_space_create_mapping(space, &region, dso);
	if (!mapping)
		return &pd_enomem;
	return parse_space_replace(
		space, &space->kernel_maps, mapping->start, mapping->end, mapping);
}

static struct pd_error *apply_body(
	struct parse_space *space, const struct pd_record *rec, const union pd_body *body)
{
	struct parse_region region;

	if (parse_region_of(rec, body, &region))
		return apply_mapping(space, &region, rec->misc);
	switch (rec->type) {
	case PD_RECORD_COMM:
		return apply_comm(space, &body->comm, rec->misc);
	case PD_RECORD_FORK:
		return apply_fork(space, &body->fork, rec->misc);
	case PD_RECORD_EXIT:
		apply_exit(space, &body->exit);
		return NULL;
	case PD_RECORD_KSYMBOL:
		return apply_ksymbol(space, &body->ksymbol);
	default:
		return NULL;
	}
}

static bool changes_space(uint32_t type)
{
	return type == PD_RECORD_MMAP || type == PD_RECORD_MMAP2 || type == PD_RECORD_COMM ||
	       type == PD_RECORD_FORK || type == PD_RECORD_EXIT || type == PD_RECORD_KSYMBOL;
}

struct pd_error *parse_space_apply(
	struct parse_space *space, const struct pd_record *rec, size_t sid_bytes)
{
	union pd_body body;
	const char *wrong;

	if (!changes_space(rec->type))
		return NULL;
	space->n_steps += STEPS_PER_RECORD;
	if (!pd_record_decode(rec, sid_bytes, &body, &wrong)) {
		pd_diag_note(space->file->diag, pd_file_part_path(space->file, rec->part),
			rec->offset, pd_layout_find(rec->type, rec->misc)->name, wrong);
		return NULL;
	}
	return apply_body(space, rec, &body);
}

#include "capture/bpf.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
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
#include "base/clock.h"
#include "base/hash.h"
#include "base/map.h"
#include "bpf/maps.h"
#include "capture/machine.h"
#include "capture/table_loader.h"
#include "capture/table_pool.h"
#include "capture/synth_private.h"

/* The program, as clang has compiled it. */
__asm__(".pushsection .rodata\n"
	".balign 8\n"
	"cap_bpf_object:\n"
	".incbin \"" PD_BPF_OBJECT "\"\n"
	"cap_bpf_object_end:\n"
	".popsection\n");
extern const char cap_bpf_object[] __attribute__((visibility("hidden")));
extern const char cap_bpf_object_end[] __attribute__((visibility("hidden")));

/** How long the program waits before it asks again for a process whose mappings did not change. */
enum { LEAST_PATIENCE_NS = 5000000, MOST_PATIENCE_NS = 1000000000 };

enum { TABLES_BYTES = BW_MAX_TABLES * sizeof(struct bw_table) };

/** How long a table is not requested again for which there was no room. */
static const double SECONDS_AFTER_REFUSAL = 1;

/** A file with code that is mapped from one offset on. */
struct file {
	/** Device and inode; all 0: the vdso. */
	uint32_t maj;
	uint32_t min;
	uint64_t ino;
	/** File offset for which delta was found: see cap_table_source. */
	uint64_t pgoff;
	uint64_t delta;
	/** The delta is not known yet. */
	bool is_loading;
	/** Index of the file whose table it has: the first one with this inode. */
	size_t main;
	/** Only that one has the members below. Number of the table, as in struct bw_mapping. */
	uint32_t table;
	/** Pages of the table in the pool. Allocated. */
	uint32_t *pages;
	size_t n_pages;
	uint32_t shift;
	/** The table was dropped, or was not loaded, and may be requested again from then on. */
	bool is_dropped;
	double wanted_from;
	/** Vaddr of the table's base. */
	uint64_t base;
};

/** Process that the maps of the program know. */
struct process {
	uint32_t generation;
	uint32_t n_chunks;
	uint32_t patience;
	/** Hash of its mappings. */
	uint64_t hash;
	/** A table of its mappings is being made. */
	bool is_loading;
};

struct cap_bpf {
	struct cap_table_loader *loader;
	struct cap_table_source source;
	struct cap_pool *pool;
	/** The map of tables, mapped. */
	struct bw_table *tables;
	struct bpf_object *object;
	struct ring_buffer *misses;
	struct cap_programs programs;
	int stats_fd;
	int forks_fd;
	int execs_fd;
	int spaces;
	int chunks;
	int rings;
	struct cap_machine machine;
	PD_VEC(struct file) files;
	/** Index in files by a hash of device, inode and offset, plus 1. */
	struct pd_map file_numbers;
	/** Index of the first one by a hash of device and inode, plus 1. */
	struct pd_map main_numbers;
	/** Programs whose libraries were forecast, by a hash of device and inode. */
	struct pd_map programs_seen;
	/** Recorded command, or NULL, and the programs that it has started. */
	char *command;
	PD_VEC(char *) started;
	bool is_system_wide;
	/** Processes, as pointers, by id; 0: forgotten. */
	struct pd_map processes;
	/** Processes whose mappings changed. */
	PD_VEC(uint32_t) changed;
	/** Mappings of the process that is being read; a table of one is being made. */
	PD_VEC(struct bw_mapping) mappings;
	bool is_loading;
	/** Number of the next table, and of tables that exist. */
	uint32_t next_table;
	uint32_t n_tables;
	/** Generation that was given to a process last. Each is given once. */
	uint32_t generation;
	char *line;
	size_t line_cap;
	/** First error in a callback of libbpf. */
	struct pd_error *err;
	struct cap_bpf_counts counts;
};

static struct pd_error *expect_libraries(struct cap_bpf *bpf, uint32_t pid);
static void keep_started(struct cap_bpf *bpf);

bool cap_bpf_is_built(void)
{
	return true;
}

/* Loading. */

static struct pd_error *load_error(int why)
{
	if (why == EPERM || why == EACCES)
		return pd_error_create(PD_ERROR_UNSUPPORTED, NULL,
			"cannot load the BPF program: CAP_BPF and CAP_PERFMON are needed");
	if (libbpf_probe_bpf_helper(BPF_PROG_TYPE_PERF_EVENT, BPF_FUNC_loop, NULL) == 0)
		return pd_error_create(PD_ERROR_UNSUPPORTED, NULL,
			"cannot load the BPF program: bpf_loop is missing, which needs Linux 6.1");
	return pd_error_create(PD_ERROR_UNSUPPORTED, NULL,
		"cannot load the BPF program: %s (Linux 6.1 is needed)", strerror(why));
}

static int find_map(const struct cap_bpf *bpf, const char *name)
{
	return bpf_object__find_map_fd_by_name(bpf->object, name);
}

static int find_program(const struct cap_bpf *bpf, const char *name)
{
	return bpf_program__fd(bpf_object__find_program_by_name(bpf->object, name));
}

static int set_entries(struct bpf_object *object, const char *name, size_t n)
{
	return bpf_map__set_max_entries(bpf_object__find_map_by_name(object, name), (uint32_t)n);
}

/** Leave out a program, because the kernel takes 30 ms to verify it. */
static int leave_out(struct bpf_object *object, const char *name)
{
	return bpf_program__set_autoload(bpf_object__find_program_by_name(object, name), false);
}

/** Set what depends on the machine and on options. Returns a positive errno. */
static int adapt(struct bpf_object *object, const struct cap_bpf_opts *opts)
{
	int why = set_entries(object, "slabs", cap_pool_slabs(opts->memory));

	if (!why)
		why = set_entries(object, "caches", (size_t)libbpf_num_possible_cpus());
	if (!why && !opts->has_traces)
		why = leave_out(object, "reach_tracepoint");
	if (!why && !opts->has_traces)
		why = leave_out(object, "reach_probe");
	return -why;
}

static struct pd_error *load(struct cap_bpf *bpf, const struct cap_bpf_opts *opts)
{
	/* cppcheck-suppress comparePointers; both are in the same object */
	const size_t size = (size_t)(cap_bpf_object_end - cap_bpf_object);

	if (access("/sys/kernel/btf/vmlinux", R_OK) < 0)
		return pd_error_create(PD_ERROR_UNSUPPORTED, NULL,
			"cannot load a BPF program: the kernel has no type information "
			"(/sys/kernel/btf/vmlinux)");
	/* Libraries do not print. */
	libbpf_print_fn_t print = libbpf_set_print(NULL);
	bpf->object = bpf_object__open_mem(cap_bpf_object, size, NULL);
	int why = bpf->object ? adapt(bpf->object, opts) : errno;
	if (!why)
		why = -bpf_object__load(bpf->object);
	libbpf_set_print(print);
	if (why)
		return load_error(why);
	bpf->programs = (struct cap_programs){
		.sample = find_program(bpf, "sample"),
		.tracepoint = find_program(bpf, "reach_tracepoint"),
		.probe = find_program(bpf, "reach_probe"),
	};
	bpf->spaces = find_map(bpf, "spaces");
	bpf->chunks = find_map(bpf, "chunks");
	bpf->rings = find_map(bpf, "rings");
	return NULL;
}

static struct pd_error *configure(const struct cap_bpf *bpf, const struct cap_bpf_opts *opts)
{
	/** PROC_PID_INIT_INO of the kernel. */
	enum { FIRST_PID_NS = (int)0xeffffffc };
	struct bw_config config = { .is_system_wide = opts->is_system_wide };
	const uint32_t zero = 0;
	struct stat ns;

	if (stat("/proc/self/ns/pid", &ns) < 0)
		return pd_error_os("/proc/self/ns/pid", "cannot read");
	config.pid_ns_dev = ns.st_dev;
	config.pid_ns_ino = ns.st_ino;
	config.is_first_ns = (uint32_t)ns.st_ino == (uint32_t)FIRST_PID_NS;
	if (bpf_map_update_elem(find_map(bpf, "config"), &zero, &config, BPF_ANY) < 0)
		return pd_error_os(NULL, "cannot configure the BPF program");
	return NULL;
}

/** Read the mappings of a process that has begun another program. */
static struct pd_error *read_program(struct cap_bpf *bpf, uint32_t pid)
{
	struct pd_error *err = cap_bpf_read_process(bpf, pid);

	return err ? err : expect_libraries(bpf, pid);
}

static int take_miss(void *ctx, void *data, size_t size)
{
	struct cap_bpf *bpf = ctx;
	const struct bw_miss *miss = data;

	(void)size;
	bpf->counts.n_misses++;
	if (!bpf->err)
		bpf->err = miss->kind == BW_MISS_EXEC ? read_program(bpf, miss->pid)
						      : cap_bpf_read_process(bpf, miss->pid);
	return 0;
}

/** Map the tables that the program reads, all of which do not exist yet. */
static struct pd_error *map_tables(struct cap_bpf *bpf)
{
	void *memory = mmap(
		NULL, TABLES_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, find_map(bpf, "tables"), 0);

	if (memory == MAP_FAILED)
		return pd_error_os(NULL, "cannot map the tables of the BPF program");
	bpf->tables = memory;
	for (size_t i = 0; i < BW_MAX_TABLES; i++)
		bpf->tables[i].number = BW_NO_TABLE;
	return NULL;
}

/** Run a program for each @p event of the machine. Returns a descriptor. */
static int watch(const struct cap_bpf *bpf, const char *event, const char *program)
{
	return bpf_raw_tracepoint_open(event, find_program(bpf, program));
}

static struct pd_error *watch_processes(struct cap_bpf *bpf)
{
	bpf->forks_fd = watch(bpf, "sched_process_fork", "reach_fork");
	if (bpf->forks_fd >= 0)
		bpf->execs_fd = watch(bpf, "sched_process_exec", "reach_exec");
	return bpf->execs_fd < 0 ? pd_error_os(NULL, "cannot watch for processes by BPF") : NULL;
}

static struct pd_error *set_up(struct cap_bpf *bpf, const struct cap_bpf_opts *opts)
{
	struct pd_error *err = load(bpf, opts);

	if (!err)
		err = configure(bpf, opts);
	if (!err)
		err = map_tables(bpf);
	if (!err)
		err = cap_pool_create(find_map(bpf, "slabs"), opts->memory, &bpf->pool);
	if (!err)
		err = watch_processes(bpf);
	if (err)
		return err;
	bpf->misses = ring_buffer__new(find_map(bpf, "misses"), take_miss, bpf, NULL);
	if (!bpf->misses)
		return pd_error_os(NULL, "cannot map the ring of the BPF program");
	/* Without these statistics only their line is missing from the report. */
	bpf->stats_fd = bpf_enable_stats(BPF_STATS_RUN_TIME);
	return NULL;
}

struct pd_error *cap_bpf_create(const struct cap_table_source *source,
	const struct cap_bpf_opts *opts, struct cap_bpf **ret)
{
	struct cap_bpf *bpf = calloc(1, sizeof(*bpf));

	if (!bpf)
		return &pd_enomem;
	bpf->source = *source;
	bpf->stats_fd = bpf->forks_fd = bpf->execs_fd = -1;
	bpf->is_system_wide = opts->is_system_wide;
	bpf->machine = cap_machine_init(NULL);
	struct pd_error *err = set_up(bpf, opts);
	if (!err)
		err = cap_table_loader_create(source, bpf->pool, &bpf->loader);
	if (err) {
		cap_bpf_destroy(bpf);
		return err;
	}
	*ret = bpf;
	return NULL;
}

void cap_bpf_destroy(struct cap_bpf *bpf)
{
	if (!bpf)
		return;
	cap_table_loader_destroy(bpf->loader);
	keep_started(bpf);
	cap_pool_destroy(bpf->pool);
	if (bpf->tables)
		munmap(bpf->tables, TABLES_BYTES);
	ring_buffer__free(bpf->misses);
	pd_close(&bpf->stats_fd);
	pd_close(&bpf->forks_fd);
	pd_close(&bpf->execs_fd);
	bpf_object__close(bpf->object);
	pd_map_each (slot, &bpf->processes)
		free((struct process *)(uintptr_t)slot->value);
	pd_map_deinit(&bpf->processes);
	pd_map_deinit(&bpf->file_numbers);
	pd_map_deinit(&bpf->main_numbers);
	pd_map_deinit(&bpf->programs_seen);
	for (size_t i = 0; i < bpf->files.n; i++)
		free(bpf->files.data[i].pages);
	pd_vec_deinit(&bpf->files);
	pd_vec_deinit(&bpf->changed);
	pd_vec_deinit(&bpf->mappings);
	pd_error_destroy(bpf->err);
	free(bpf->line);
	free(bpf);
}

const struct cap_programs *cap_bpf_programs(const struct cap_bpf *bpf)
{
	return &bpf->programs;
}

struct pd_error *cap_bpf_add_ring(struct cap_bpf *bpf, int cpu, int fd)
{
	if (bpf_map_update_elem(bpf->rings, &cpu, &fd, BPF_ANY) < 0)
		return pd_error_os(NULL, "cannot let the BPF program write to a ring");
	return NULL;
}

/* Tables. */

static uint64_t bytes_of(size_t n_pages)
{
	return n_pages * sizeof(union bw_page);
}

static bool has_live_table(const struct file *file)
{
	return file->table < BW_TABLE_LOADING;
}

static struct bw_table *table_of(const struct cap_bpf *bpf, const struct file *file)
{
	return &bpf->tables[file->table % BW_MAX_TABLES];
}

static uint32_t now_in_steps(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint32_t)(((uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec) >>
			  BW_USE_SHIFT);
}

static void drop_table(struct cap_bpf *bpf, struct file *file)
{
	/* A program that has seen the number before may go on with the pages: see the pool. */
	__atomic_store_n(&table_of(bpf, file)->number, BW_NO_TABLE, __ATOMIC_RELEASE);
	cap_pool_return(bpf->pool, file->pages, file->n_pages);
	free(file->pages);
	file->pages = NULL;
	bpf->counts.table_bytes -= bytes_of(file->n_pages);
	bpf->counts.n_dropped++;
	bpf->n_tables--;
	file->table = BW_NO_TABLE;
	file->is_dropped = true;
	file->wanted_from = 0;
}

/** Drop the table that was not used for longest. Returns false if all are in use. */
static bool drop_oldest(struct cap_bpf *bpf)
{
	/* A table that was used in this step or the one before would be missed at once. */
	uint32_t oldest = now_in_steps() - 1;
	struct file *found = NULL;

	for (size_t i = 0; i < bpf->files.n; i++) {
		struct file *file = &bpf->files.data[i];
		uint32_t use = has_live_table(file) ? table_of(bpf, file)->used_at : oldest;

		if (use < oldest) {
			found = file;
			oldest = use;
		}
	}
	if (found)
		drop_table(bpf, found);
	return found;
}

/** Take @p n pages for a table. Returns false if there is no room for it. */
static bool make_room(struct cap_bpf *bpf, size_t n, uint32_t *ret)
{
	uint64_t most = bytes_of(cap_pool_capacity(bpf->pool));

	if (bytes_of(n) > most)
		return false;
	while (bpf->n_tables == BW_MAX_TABLES || bpf->counts.table_bytes + bytes_of(n) > most) {
		if (!drop_oldest(bpf))
			return false;
	}
	if (cap_pool_take(bpf->pool, n, ret))
		return true;
	cap_pool_settle(bpf->pool);
	cap_pool_reserve(bpf->pool, n);
	return cap_pool_take(bpf->pool, n, ret);
}

/** Get the number of a new table: one whose entry is not in use, as one is after make_room(). */
static uint32_t number_table(struct cap_bpf *bpf)
{
	while (bpf->tables[bpf->next_table % BW_MAX_TABLES].number != BW_NO_TABLE)
		bpf->next_table++;
	return bpf->next_table++;
}

/** Let the program use the table @p pages of @p file. Returns false without room for it. */
static bool use_table(struct cap_bpf *bpf, const struct cap_pages *pages, struct file *file)
{
	const size_t n = pages->list.n;
	uint32_t *numbers = calloc(n, sizeof(*numbers));

	if (!numbers || !make_room(bpf, n, numbers)) {
		free(numbers);
		return false;
	}
	for (size_t i = 0; i < n; i++)
		cap_pages_copy(pages, i, numbers, cap_pool_page(bpf->pool, numbers[i]));
	file->table = number_table(bpf);
	file->pages = numbers;
	file->n_pages = n;
	file->shift = pages->shift;
	file->base = pages->base;
	file->is_dropped = false;
	/* It counts as used from the beginning. No mapping refers to it yet. */
	*table_of(bpf, file) = (struct bw_table){
		.number = file->table,
		.used_at = now_in_steps(),
	};
	bpf->n_tables++;
	bpf->counts.n_tables++;
	bpf->counts.table_bytes += bytes_of(n);
	if (bpf->counts.table_bytes > bpf->counts.most_table_bytes)
		bpf->counts.most_table_bytes = bpf->counts.table_bytes;
	return true;
}

static void take_table(struct cap_bpf *bpf, struct cap_loaded *loaded)
{
	struct file *file = &bpf->files.data[loaded->number];
	struct file *main = &bpf->files.data[file->main];

	file->delta = loaded->delta;
	file->is_loading = false;
	if (!loaded->with_table)
		return;
	main->table = BW_NO_TABLE;
	if (loaded->pages.list.n && !use_table(bpf, &loaded->pages, main)) {
		bpf->counts.n_refused++;
		/* Stacks end there. By frame pointers they would lack callers. */
		main->table = BW_TABLE_LOADING;
		main->is_dropped = true;
		main->wanted_from = pd_clock_now() + SECONDS_AFTER_REFUSAL;
	}
	cap_pages_deinit(&loaded->pages);
}

static bool is_same_inode(const struct file *file, const struct cap_mapping *mapping)
{
	return file->maj == mapping->maj && file->min == mapping->min && file->ino == mapping->ino;
}

static uint64_t hash_inode(const struct cap_mapping *mapping)
{
	return pd_hash_pair(mapping->ino, (uint64_t)mapping->maj << 32 | mapping->min);
}

/** Find the file whose table the new file number @p number has, which may be itself. */
static struct pd_error *find_main(
	struct cap_bpf *bpf, const struct cap_mapping *mapping, size_t number, size_t *ret)
{
	uint64_t *slot = pd_map_add(&bpf->main_numbers, hash_inode(mapping), NULL);

	if (!slot)
		return &pd_enomem;
	if (!*slot)
		*slot = number + 1;
	*ret = *slot - 1;
	/* Two inodes with one hash: the second one has a table for each offset. */
	if (*ret != number && !is_same_inode(&bpf->files.data[*ret], mapping))
		*ret = number;
	return NULL;
}

/** Add the file of @p mapping, and request its table. */
static struct pd_error *add_file(
	struct cap_bpf *bpf, uint32_t pid, const struct cap_mapping *mapping, size_t *ret)
{
	struct file file = {
		.maj = mapping->maj,
		.min = mapping->min,
		.ino = mapping->ino,
		.pgoff = mapping->pgoff,
		.is_loading = true,
		.table = BW_TABLE_LOADING,
	};
	struct pd_error *err = find_main(bpf, mapping, bpf->files.n, &file.main);

	if (err)
		return err;
	*ret = bpf->files.n;
	if (!pd_vec_push(&bpf->files, file))
		return &pd_enomem;
	return cap_table_loader_add(bpf->loader, *ret, pid, mapping, file.main == *ret);
}

/** Request the table of the file number @p number again, if it was dropped. */
static struct pd_error *request_again(
	struct cap_bpf *bpf, uint32_t pid, const struct cap_mapping *mapping, size_t number)
{
	struct file *main = &bpf->files.data[bpf->files.data[number].main];

	if (!main->is_dropped || pd_clock_now() < main->wanted_from)
		return NULL;
	main->is_dropped = false;
	main->table = BW_TABLE_LOADING;
	return cap_table_loader_add(bpf->loader, number, pid, mapping, true);
}

static struct pd_error *get_file(struct cap_bpf *bpf, uint32_t pid,
	const struct cap_mapping *mapping, const struct file **ret)
{
	uint64_t key = pd_hash_pair(hash_inode(mapping), mapping->pgoff);
	uint64_t *slot = pd_map_add(&bpf->file_numbers, key, NULL);
	size_t i = 0;

	if (!slot)
		return &pd_enomem;
	if (!*slot) {
		struct pd_error *err = add_file(bpf, pid, mapping, &i);

		if (err)
			return err;
		*slot = i + 1;
	}
	*ret = &bpf->files.data[*slot - 1];
	/* Two files with one hash: the second one has no table. */
	if (!is_same_inode(*ret, mapping) || (*ret)->pgoff != mapping->pgoff) {
		*ret = NULL;
		return NULL;
	}
	return request_again(bpf, pid, mapping, *slot - 1);
}

/* Processes. */

static bool has_table(const struct cap_mapping *mapping)
{
	return mapping->ino || strcmp(mapping->name, "[vdso]") == 0;
}

static void set_table(struct cap_bpf *bpf, const struct cap_mapping *mapping,
	const struct file *file, struct bw_mapping *ret)
{
	const struct file *main = &bpf->files.data[file->main];

	ret->table = file->is_loading ? BW_TABLE_LOADING : main->table;
	if (has_live_table(main)) {
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
	const struct file *file = NULL;

	if (!(mapping->prot & PROT_EXEC) || mapping->end > BW_NO_ADDR ||
		bpf->mappings.n == BW_MAX_MAPPINGS)
		return NULL;
	if (has_table(mapping)) {
		struct pd_error *err = get_file(bpf, pid, mapping, &file);

		if (err)
			return err;
	}
	if (file)
		set_table(bpf, mapping, file, &new);
	return pd_vec_push(&bpf->mappings, new) ? NULL : &pd_enomem;
}

/** Read the mappings of a process with code. One that has exited or may not be read has none. */
static struct pd_error *read_mappings(struct cap_bpf *bpf, uint32_t pid, bool *exists_ret)
{
	_cleanup_fclose_ FILE *in = cap_machine_open(&bpf->machine, "/proc/%u/maps", pid);
	struct cap_mapping mapping;

	bpf->mappings.n = 0;
	bpf->is_loading = false;
	*exists_ret = in;
	while (in && getline(&bpf->line, &bpf->line_cap, in) > 0) {
		if (!cap_mapping_parse(bpf->line, &mapping))
			continue;
		struct pd_error *err = add_mapping(bpf, pid, &mapping);
		if (err)
			return err;
	}
	return NULL;
}

static void remove_chunks(struct cap_bpf *bpf, const struct process *process)
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

		hash = pd_hash_pair(mapping->start, hash);
		hash = pd_hash_pair(mapping->end + mapping->table, hash);
		hash = pd_hash_pair(mapping->base, hash);
	}
	return hash;
}

static struct pd_error *get_process(struct cap_bpf *bpf, uint32_t pid, struct process **ret)
{
	uint64_t *slot = pd_map_add(&bpf->processes, pid, NULL);

	if (!slot)
		return &pd_enomem;
	if (!*slot) {
		struct process *process = calloc(1, sizeof(*process));

		if (!process)
			return &pd_enomem;
		process->patience = LEAST_PATIENCE_NS;
		*slot = (uintptr_t)process;
		bpf->counts.n_processes++;
	}
	*ret = (struct process *)(uintptr_t)*slot;
	return NULL;
}

static void forget_process(struct cap_bpf *bpf, uint32_t pid)
{
	uint64_t *slot = pd_map_find(&bpf->processes, pid);

	/* One that was forked may have a space without being known. */
	bpf_map_delete_elem(bpf->spaces, &pid);
	if (!slot || !*slot)
		return;
	struct process *process = (struct process *)(uintptr_t)*slot;
	remove_chunks(bpf, process);
	free(process);
	*slot = 0;
}

/** Write what was read of a process, whose mappings have changed. */
static void write_space(struct cap_bpf *bpf, uint32_t pid, struct process *process, bool is_changed)
{
	const struct process old = *process;
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

struct pd_error *cap_bpf_read_process(struct cap_bpf *bpf, uint32_t pid)
{
	struct process *process;
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
	return NULL;
}

/** Request the table of code that will be mapped. */
static struct pd_error *expect_code(void *ctx, const char *path, uint64_t offset, uint64_t size)
{
	struct cap_mapping mapping = {
		.end = size, .pgoff = offset, .prot = PROT_EXEC, .name = path
	};
	const struct file *file;
	struct stat st;

	if (stat(path, &st) < 0)
		return NULL;
	mapping.maj = major(st.st_dev);
	mapping.min = minor(st.st_dev);
	mapping.ino = st.st_ino;
	return get_file(ctx, (uint32_t)getpid(), &mapping, &file);
}

static struct pd_error *expect_program(struct cap_bpf *bpf, const char *program, bool is_command)
{
	const struct cap_table_source *source = &bpf->source;

	if (!source->list)
		return NULL;
	return source->list(source->ctx, program, is_command, expect_code, bpf);
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

/** Remember which programs the command has started, and free the list. */
static void keep_started(struct cap_bpf *bpf)
{
	const struct cap_table_source *source = &bpf->source;

	if (source->keep && bpf->started.n)
		source->keep(source->ctx, bpf->command, (const char *const *)bpf->started.data,
			bpf->started.n);
	for (size_t i = 0; i < bpf->started.n; i++)
		free(bpf->started.data[i]);
	pd_vec_deinit(&bpf->started);
	free(bpf->command);
}

/**
 * Load the tables of the libraries of the program that process @p pid has begun, before the dynamic
 * linker maps them. Each program is looked at once. Errors: NOMEM, OS.
 */
static struct pd_error *expect_libraries(struct cap_bpf *bpf, uint32_t pid)
{
	char link[64], path[PATH_MAX];
	struct stat st, there;
	bool is_new;

	snprintf(link, sizeof(link), "/proc/%u/exe", pid);
	ssize_t n = readlink(link, path, sizeof(path) - 1);
	if (n < 0 || stat(link, &st) < 0)
		return NULL;
	if (!pd_map_add(&bpf->programs_seen, pd_hash_pair(st.st_ino, st.st_dev), &is_new))
		return &pd_enomem;
	path[n] = '\0';
	/* A process with another root sees other files by these paths. */
	if (!is_new || stat(path, &there) < 0 || there.st_ino != st.st_ino ||
		there.st_dev != st.st_dev)
		return NULL;
	struct pd_error *err = note_started(bpf, path);
	return err ? err : expect_program(bpf, path, false);
}

/** Read the processes again whose tables were being made. */
static struct pd_error *read_loading(struct cap_bpf *bpf)
{
	PD_VEC(uint32_t) pids = { 0 };
	struct pd_error *err = NULL;

	/* Reading adds nothing to the map, but may remove its processes. */
	pd_map_each (slot, &bpf->processes) {
		const struct process *process = (const struct process *)(uintptr_t)slot->value;

		if (process && process->is_loading && !pd_vec_push(&pids, (uint32_t)slot->key))
			err = &pd_enomem;
	}
	for (size_t i = 0; !err && i < pids.n; i++)
		err = cap_bpf_read_process(bpf, pids.data[i]);
	pd_vec_deinit(&pids);
	return err;
}

static struct pd_error *take_tables(struct cap_bpf *bpf, double until)
{
	struct cap_loaded loaded;
	bool has_one, has_any = false;
	struct pd_error *err;

	while (!(err = cap_table_loader_take(bpf->loader, until, &loaded, &has_one)) && has_one) {
		take_table(bpf, &loaded);
		has_any = true;
	}
	return err || !has_any ? err : read_loading(bpf);
}

struct pd_error *cap_bpf_wait(struct cap_bpf *bpf, double seconds)
{
	return take_tables(bpf, pd_clock_now() + seconds);
}

int cap_bpf_table_fd(const struct cap_bpf *bpf)
{
	return cap_table_loader_fd(bpf->loader);
}

struct pd_error *cap_bpf_take_tables(struct cap_bpf *bpf)
{
	return take_tables(bpf, 0);
}

int cap_bpf_miss_fd(const struct cap_bpf *bpf)
{
	return ring_buffer__epoll_fd(bpf->misses);
}

struct pd_error *cap_bpf_take_misses(struct cap_bpf *bpf)
{
	if (ring_buffer__consume(bpf->misses) < 0)
		return pd_error_os(NULL, "cannot read the ring of the BPF program");
	return take_ptr(bpf->err);
}

/* Records. */

static uint32_t load_u32(const uint8_t *at)
{
	uint32_t value;

	memcpy(&value, at, sizeof(value));
	return value;
}

static bool is_known(const struct cap_bpf *bpf, uint32_t pid)
{
	const uint64_t *slot = pd_map_find(&bpf->processes, pid);

	return slot && *slot;
}

/** Note that the process @p pid was forked, and has the space of its parent if it still runs. */
static struct pd_error *note_fork(struct cap_bpf *bpf, uint32_t pid)
{
	struct process *process;
	struct bw_space space;

	if (is_known(bpf, pid) || bpf_map_lookup_elem(bpf->spaces, &pid, &space) < 0)
		return NULL;
	return get_process(bpf, pid, &process);
}

struct pd_error *cap_bpf_note(struct cap_bpf *bpf, const uint8_t *record, size_t size)
{
	enum {
		MMAP_DATA = 1 << 13,
		PID_AT = PD_RECORD_HEADER_BYTES,
		PARENT_AT = PID_AT + 4,
		TID_AT = PID_AT + 8,
	};
	struct cap_record_header header;

	if (!cap_record_header_read(record, size, &header) || header.size < TID_AT + 4)
		return NULL;
	uint32_t pid = load_u32(record + PID_AT);
	bool is_code = !(header.misc & MMAP_DATA);
	bool is_mapping = header.type == PD_RECORD_MMAP || header.type == PD_RECORD_MMAP2;

	if (header.type == PD_RECORD_EXIT && pid == load_u32(record + TID_AT))
		forget_process(bpf, pid);
	if (header.type == PD_RECORD_FORK && pid != load_u32(record + PARENT_AT))
		return note_fork(bpf, pid);
	if (!((is_mapping && is_code) || header.type == PD_RECORD_COMM) || !is_known(bpf, pid))
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

/** Add the statistics of a program. */
static void add_runs(int program, struct cap_bpf_counts *counts)
{
	struct bpf_prog_info info = { 0 };
	uint32_t size = sizeof(info);

	if (bpf_obj_get_info_by_fd(program, &info, &size) < 0)
		return;
	counts->n_runs += info.run_cnt;
	counts->run_ns += info.run_time_ns;
}

struct cap_bpf_counts cap_bpf_counts(const struct cap_bpf *bpf)
{
	struct cap_bpf_counts ret = bpf->counts;

	add_runs(bpf->programs.sample, &ret);
	add_runs(bpf->programs.tracepoint, &ret);
	add_runs(bpf->programs.probe, &ret);
	return ret;
}

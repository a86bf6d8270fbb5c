#include "capture/bpf/bpf_program.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <pdconv/record.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "capture/bpf/bpf_files.h"
#include "capture/bpf/bpf_processes.h"

/* The program, as clang has compiled it. */
__asm__(".pushsection .rodata\n"
	".balign 8\n"
	"cap_bpf_object:\n"
	".incbin \"" PD_BPF_OBJECT "\"\n"
	"cap_bpf_object_end:\n"
	".popsection\n");
extern const char cap_bpf_object[] __attribute__((visibility("hidden")));
extern const char cap_bpf_object_end[] __attribute__((visibility("hidden")));

enum { TABLES_BYTES = BW_MAX_TABLES * sizeof(struct bw_table) };

/* Loading. */

static struct pd_error *load_error(int why)
{
	char text[128];

	if (why == EPERM || why == EACCES)
		return pd_error_create(PD_ERROR_UNSUPPORTED, NULL,
			"cannot load the BPF program: CAP_BPF and CAP_PERFMON are needed");
	if (libbpf_probe_bpf_helper(BPF_PROG_TYPE_PERF_EVENT, BPF_FUNC_loop, NULL) == 0)
		return pd_error_create(PD_ERROR_UNSUPPORTED, NULL,
			"cannot load the BPF program: bpf_loop is missing, which needs Linux 6.1");
	/* Numbers from 4000 are errors of libbpf, which strerror() does not know. */
	libbpf_strerror(why, text, sizeof(text));
	return pd_error_create(PD_ERROR_UNSUPPORTED, NULL,
		"cannot load the BPF program: %s (Linux 6.1 is needed)", text);
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

	return err ? err : cap_bpf_expect_libraries(bpf, pid);
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
	libbpf_print_fn_t print = libbpf_set_print(NULL);
	bpf->misses = ring_buffer__new(find_map(bpf, "misses"), take_miss, bpf, NULL);
	libbpf_set_print(print);
	if (!bpf->misses)
		return pd_error_os(NULL, "cannot map the ring of the BPF program");
	/* Without these statistics only their line is missing from the report. */
	bpf->stats_fd = bpf_enable_stats(BPF_STATS_RUN_TIME);
	return NULL;
}

struct pd_error *cap_bpf_create(
	const struct cap_table_maker *maker, const struct cap_bpf_opts *opts, struct cap_bpf **ret)
{
	struct cap_bpf *bpf = calloc(1, sizeof(*bpf));

	if (!bpf)
		return &pd_enomem;
	bpf->maker = *maker;
	bpf->stats_fd = bpf->forks_fd = bpf->execs_fd = -1;
	bpf->is_system_wide = opts->is_system_wide;
	bpf->machine = cap_machine_init(NULL);
	struct pd_error *err = set_up(bpf, opts);
	if (!err)
		err = cap_table_loader_create(maker, bpf->pool, &bpf->loader);
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
	cap_bpf_keep_started(bpf);
	cap_pool_destroy(bpf->pool);
	if (bpf->tables)
		munmap(bpf->tables, TABLES_BYTES);
	ring_buffer__free(bpf->misses);
	base_close(&bpf->stats_fd);
	base_close(&bpf->forks_fd);
	base_close(&bpf->execs_fd);
	bpf_object__close(bpf->object);
	base_map_each(slot, &bpf->processes)
	{
		struct cap_bpf_process *process = (struct cap_bpf_process *)(uintptr_t)slot->value;

		if (process)
			cap_code_views_deinit(&process->views);
		free(process);
	}
	base_map_deinit(&bpf->processes);
	base_map_deinit(&bpf->file_numbers);
	base_map_deinit(&bpf->main_numbers);
	base_map_deinit(&bpf->programs_seen);
	for (size_t i = 0; i < bpf->files.n; i++)
		free(bpf->files.data[i].pages);
	pd_vec_deinit(&bpf->files);
	pd_vec_deinit(&bpf->changed);
	pd_vec_deinit(&bpf->mappings);
	pd_vec_deinit(&bpf->code);
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

static struct pd_error *take_tables(struct cap_bpf *bpf, double until)
{
	struct cap_loaded loaded;
	bool has_one, has_any = false;
	struct pd_error *err;

	while (!(err = cap_table_loader_take(bpf->loader, until, &loaded, &has_one)) && has_one) {
		cap_bpf_take_table(bpf, &loaded);
		has_any = true;
	}
	return err || !has_any ? err : cap_bpf_read_loading(bpf);
}

struct pd_error *cap_bpf_wait(struct cap_bpf *bpf, double seconds)
{
	return take_tables(bpf, base_clock_now() + seconds);
}

struct pd_error *cap_bpf_watch(const struct cap_bpf *bpf, struct cap_stream *stream)
{
	struct pd_error *err = cap_stream_watch(stream, ring_buffer__epoll_fd(bpf->misses));

	return err ? err : cap_stream_watch(stream, cap_table_loader_fd(bpf->loader));
}

struct pd_error *cap_bpf_take_ready(struct cap_bpf *bpf, int fd)
{
	if (fd == cap_table_loader_fd(bpf->loader))
		return take_tables(bpf, 0);
	if (fd != ring_buffer__epoll_fd(bpf->misses))
		return NULL;
	if (ring_buffer__consume(bpf->misses) < 0)
		return pd_error_os(NULL, "cannot read the ring of the BPF program");
	return take_ptr(bpf->err);
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

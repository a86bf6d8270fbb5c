/* Address spaces: mappings over time, fork and exec, names of threads, the kernel. */
#include "tests/unit/test_recording.h"

#include <inttypes.h>
#include <sys/mman.h>

#include "base/array.h"
#include "parse/open_file.h"
#include "parse/space/space.h"

/* A space, and the bytes of the record that is applied next. */
struct fixture {
	struct pd_file file;
	struct parse_space *space;
	struct bytes b;
};

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	f->file.path = "test";
	f->file.diag = pd_diag_create();
	assert_ok(parse_space_create(&f->file, &f->space));
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	parse_space_destroy(f->space);
	pd_diag_destroy(f->file.diag);
	pd_vec_deinit(&f->file.build_ids);
	base_map_deinit(&f->file.build_id_index);
	bytes_free(&f->b);
	free(f);
	return 0;
}

enum { TRAILER_BYTES = 16 };

static void begin(struct fixture *f, uint32_t type, uint16_t misc)
{
	f->b.n = 0;
	record_begin(&f->b, type, misc);
}

static void apply(struct fixture *f)
{
	tid_time(&f->b, 0xdead, 0xdead,
		1); /* the sample id, which must not be decoded as part of the body */
	record_end(&f->b, 0);
	struct pd_record rec = {
		.type = f->b.data[0],
		.misc = (uint16_t)(f->b.data[4] | f->b.data[5] << 8),
		.size = (uint16_t)f->b.n,
		.bytes = f->b.data,
	};
	assert_ok(parse_space_apply(f->space, &rec, TRAILER_BYTES));
}

struct region {
	uint32_t pid;
	uint64_t addr;
	uint64_t len;
	uint64_t pgoff;
	/** 0: code. */
	uint32_t prot;
	uint32_t flags;
	const char *name;
	/** If set, the record is an MMAP2 with a build id instead of an inode. */
	const struct pd_build_id *build_id;
	uint16_t cpumode;
};

static void map_region(struct fixture *f, const struct region *r)
{
	uint16_t misc = r->cpumode ? r->cpumode : PD_MISC_USER;

	begin(f, PD_RECORD_MMAP2, r->build_id ? misc | PD_MISC_MMAP_BUILD_ID : misc);
	u32(&f->b, r->pid);
	u32(&f->b, r->pid);
	u64(&f->b, r->addr);
	u64(&f->b, r->len);
	u64(&f->b, r->pgoff);
	if (r->build_id) {
		put(&f->b, r->build_id->len, 1);
		put(&f->b, 0, 3);
		bytes_add(&f->b, r->build_id->bytes, 20);
	} else {
		u64(&f->b, 0xfe); /* device */
		u64(&f->b, 4711); /* inode, generation */
		u64(&f->b, 1);
	}
	u32(&f->b, r->prot ? r->prot : PROT_READ | PROT_EXEC);
	u32(&f->b, r->flags);
	padded(&f->b, r->name);
	apply(f);
}

#define MAP(...) map_region(f, &(struct region){ __VA_ARGS__ })

static void map_old(struct fixture *f, uint16_t misc, uint32_t pid, uint64_t addr, uint64_t len,
	uint64_t pgoff, const char *name)
{
	begin(f, PD_RECORD_MMAP, misc);
	u32(&f->b, pid);
	u32(&f->b, pid);
	u64(&f->b, addr);
	u64(&f->b, len);
	u64(&f->b, pgoff);
	padded(&f->b, name);
	apply(f);
}

static void comm(struct fixture *f, uint16_t misc, uint32_t pid, uint32_t tid, const char *name)
{
	begin(f, PD_RECORD_COMM, misc);
	u32(&f->b, pid);
	u32(&f->b, tid);
	padded(&f->b, name);
	apply(f);
}

static void fork_to(
	struct fixture *f, uint16_t misc, uint32_t ppid, uint32_t ptid, uint32_t pid, uint32_t tid)
{
	begin(f, PD_RECORD_FORK, misc);
	u32(&f->b, pid);
	u32(&f->b, ppid);
	u32(&f->b, tid);
	u32(&f->b, ptid);
	u64(&f->b, 1);
	apply(f);
}

static void ksymbol(
	struct fixture *f, uint64_t addr, uint32_t len, uint16_t flags, const char *name)
{
	begin(f, PD_RECORD_KSYMBOL, 0);
	u64(&f->b, addr);
	u32(&f->b, len);
	put(&f->b, 1, 2);
	put(&f->b, flags, 2);
	padded(&f->b, name);
	apply(f);
}

/* Compare a snapshot with @p want: "start-end name+offset-of-start ...". */
static void expect_maps(const struct parse_maps *maps, const char *want)
{
	char have[1024] = "";
	size_t n = 0;
	uint32_t n_entries = 0;
	const struct parse_maps_entry *before = NULL;

	for (const struct parse_maps_entry *e = NULL; (e = parse_maps_next(maps, e)); before = e) {
		n += (size_t)snprintf(have + n, sizeof(have) - n,
			"%s%" PRIx64 "-%" PRIx64 " %s+%" PRIx64, before ? " " : "", e->start,
			e->end, e->mapping->dso->name,
			e->start - e->mapping->start + e->mapping->pgoff);
		n_entries++;
		assert_true(e->start < e->end);
		assert_true(!before || before->end <= e->start);
		/* A lookup finds the same mapping. */
		assert_ptr_equal(parse_maps_find(maps, e->start), e->mapping);
		assert_ptr_equal(parse_maps_find(maps, e->end - 1), e->mapping);
		if (!before && e->start)
			assert_null(parse_maps_find(maps, e->start - 1));
	}
	if (before)
		assert_null(parse_maps_find(maps, before->end));
	assert_int_equal(maps->n, n_entries);
	assert_string_equal(have, want);
}

static void expect(struct fixture *f, uint32_t pid, const char *want)
{
	expect_maps(parse_space_maps(f->space, pid), want);
}

static void a_mapping_takes_the_place_of_others(void **state)
{
	const struct {
		uint64_t start;
		uint64_t end;
		const char *want;
	} cases[] = {
		{ 0x1000, 0x2000, "1000-2000 n+0 2000-4000 a+0 5000-6000 b+100" },
		{ 0x1000, 0x3000, "1000-3000 n+0 3000-4000 a+1000 5000-6000 b+100" },
		{ 0x2000, 0x3000, "2000-3000 n+0 3000-4000 a+1000 5000-6000 b+100" },
		{ 0x2800, 0x3000, "2000-2800 a+0 2800-3000 n+0 3000-4000 a+1000 5000-6000 b+100" },
		{ 0x3000, 0x4000, "2000-3000 a+0 3000-4000 n+0 5000-6000 b+100" },
		{ 0x3000, 0x5000, "2000-3000 a+0 3000-5000 n+0 5000-6000 b+100" },
		{ 0x3000, 0x5800, "2000-3000 a+0 3000-5800 n+0 5800-6000 b+900" },
		{ 0x2000, 0x4000, "2000-4000 n+0 5000-6000 b+100" },
		{ 0x2000, 0x6000, "2000-6000 n+0" },
		{ 0x1000, 0x7000, "1000-7000 n+0" },
		{ 0x4000, 0x5000, "2000-4000 a+0 4000-5000 n+0 5000-6000 b+100" },
		{ 0x6000, 0x7000, "2000-4000 a+0 5000-6000 b+100 6000-7000 n+0" },
		{ 0x7000, 0x8000, "2000-4000 a+0 5000-6000 b+100 7000-8000 n+0" },
		{ 0, 0x10000, "0-10000 n+0" },
	};
	struct fixture *f = *state;

	for (uint32_t i = 0; i < PD_ARRAY_LEN(cases); i++) {
		uint32_t pid = 100 + i;

		MAP(.pid = pid, .addr = 0x2000, .len = 0x2000, .name = "a");
		MAP(.pid = pid, .addr = 0x5000, .len = 0x1000, .pgoff = 0x100, .name = "b");
		expect(f, pid, "2000-4000 a+0 5000-6000 b+100");
		MAP(.pid = pid, .addr = cases[i].start, .len = cases[i].end - cases[i].start,
			.name = "n");
		expect(f, pid, cases[i].want);
	}
}

/* Compare random mappings with a model that has one name for each page. */
static void any_sequence_of_mappings_ends_right(void **state)
{
	enum { PAGES = 40 };
	struct fixture *f = *state;
	uint64_t random = 88172645463325252U;

	for (uint32_t pid = 1; pid <= 30; pid++) {
		int model[PAGES];

		memset(model, -1, sizeof(model));
		for (int step = 0; step < 40; step++) {
			uint64_t r = random_next(&random);
			uint64_t start = r % PAGES, n = 1 + r / 64 % 12;
			bool is_code = r / 4096 % 4 != 0;
			char name[16];

			if (start + n > PAGES)
				n = PAGES - start;
			snprintf(name, sizeof(name), "lib%d", step);
			MAP(.pid = pid, .addr = start << 12, .len = n << 12, .name = name,
				.prot = is_code ? PROT_READ | PROT_EXEC : PROT_READ);
			for (uint64_t p = start; p < start + n; p++)
				model[p] = is_code ? step : -1;
			const struct parse_maps *maps = parse_space_maps(f->space, pid);
			for (uint64_t p = 0; p < PAGES; p++) {
				const struct parse_mapping *m =
					parse_maps_find(maps, (p << 12) + 5);

				snprintf(name, sizeof(name), "lib%d", model[p]);
				assert_string_equal(m ? m->dso->name : "lib-1", name);
			}
		}
	}
}

static void exec_leaves_nothing(void **state)
{
	struct fixture *f = *state;

	MAP(.pid = 7, .addr = 0x1000, .len = 0x1000, .name = "/bin/sh");
	MAP(.pid = 7, .addr = 0xffffffffff600000, .len = 0x1000, .name = "[vsyscall]");
	MAP(.pid = 8, .addr = 0x1000, .len = 0x1000, .name = "/bin/sh");
	comm(f, 0, 7, 7, "renamed");
	expect(f, 7, "1000-2000 /bin/sh+0 ffffffffff600000-ffffffffff601000 [vsyscall]+0");
	comm(f, PD_MISC_COMM_EXEC, 7, 7, "ls");
	expect(f, 7, "");
	expect(f, 8, "1000-2000 /bin/sh+0");
	assert_string_equal(parse_space_thread(f->space, 7, 7)->comm, "ls");
	/* Samples within execve() may still have registers of the old program. */
	MAP(.pid = 7, .addr = 0x1800, .len = 0x1000, .name = "/bin/ls");
	assert_true(parse_space_is_replaced(f->space, 7, 0x1000));
	assert_false(parse_space_is_replaced(f->space, 7, 0x1800));
	assert_false(parse_space_is_replaced(f->space, 7, 0x3000));
	assert_false(parse_space_is_replaced(f->space, 8, 0x1000));
	fork_to(f, 0, 8, 8, 7, 7);
	assert_false(parse_space_is_replaced(f->space, 7, 0x1000));
}

static void fork_shares_until_somebody_maps(void **state)
{
	struct fixture *f = *state;

	MAP(.pid = 1, .addr = 0x1000, .len = 0x1000, .name = "a");
	fork_to(f, 0, 1, 1, 2, 2);
	assert_ptr_equal(parse_space_maps(f->space, 1), parse_space_maps(f->space, 2));
	MAP(.pid = 2, .addr = 0x5000, .len = 0x1000, .name = "b");
	expect(f, 1, "1000-2000 a+0");
	expect(f, 2, "1000-2000 a+0 5000-6000 b+0");
	fork_to(f, 0, 2, 2, 3, 3);
	MAP(.pid = 2, .addr = 0x1000, .len = 0x1000, .name = "c");
	expect(f, 2, "1000-2000 c+0 5000-6000 b+0");
	expect(f, 3, "1000-2000 a+0 5000-6000 b+0");
	assert_int_not_equal(parse_space_maps(f->space, 2)->id, parse_space_maps(f->space, 3)->id);
	/* The pid is reused: the mappings of its previous process are gone. */
	fork_to(f, 0, 1, 1, 3, 3);
	expect(f, 3, "1000-2000 a+0");
	/* A new thread shares the mappings of its process. */
	fork_to(f, 0, 1, 1, 1, 9);
	expect(f, 1, "1000-2000 a+0");
	expect(f, 9, "");
}

/* perf synthesizes such records for existing processes, followed by their MMAP records. */
static void a_fork_before_exec_shares_nothing(void **state)
{
	struct fixture *f = *state;

	MAP(.pid = 1, .addr = 0x1000, .len = 0x1000, .name = "perf");
	comm(f, 0, 1, 1, "perf");
	fork_to(f, PD_MISC_FORK_EXEC, 1, 1, 2, 2);
	expect(f, 2, "");
}

static void snapshots_never_change(void **state)
{
	struct fixture *f = *state;

	MAP(.pid = 1, .addr = 0x1000, .len = 0x4000, .name = "a");
	struct parse_maps *before = parse_maps_ref(parse_space_maps(f->space, 1));
	uint64_t id = before->id;
	assert_ptr_equal(parse_space_maps(f->space, 1), before);
	MAP(.pid = 1, .addr = 0x2000, .len = 0x1000, .name = "b");
	struct parse_maps *between = parse_maps_ref(parse_space_maps(f->space, 1));
	comm(f, PD_MISC_COMM_EXEC, 1, 1, "x");
	struct parse_maps *after = parse_maps_ref(parse_space_maps(f->space, 1));
	expect_maps(before, "1000-5000 a+0");
	expect_maps(between, "1000-2000 a+0 2000-3000 b+0 3000-5000 a+2000");
	expect_maps(after, "");
	assert_int_equal(before->id, id);
	assert_int_not_equal(between->id, id);
	assert_int_not_equal(after->id, id);
	assert_int_not_equal(after->id, between->id);
	parse_maps_unref(after);
	parse_maps_unref(between);
	expect_maps(before, "1000-5000 a+0");
	parse_maps_unref(before);
}

static void threads_have_names(void **state)
{
	struct fixture *f = *state;
	struct parse_space *space = f->space;

	assert_string_equal(parse_space_thread(space, 0, 0)->comm, "swapper");
	assert_null(parse_space_thread(space, 5, 5)->comm);
	comm(f, 0, 5, 5, "main");
	struct parse_thread *thread = parse_space_thread(space, 5, 5);
	assert_string_equal(thread->comm, "main");
	assert_int_equal(thread->pid, 5);
	assert_int_equal(thread->tid, 5);
	assert_ptr_equal(parse_space_thread(space, 5, 5), thread);

	/* A new thread has the name of its creator until it is renamed. */
	fork_to(f, 0, 5, 5, 5, 6);
	assert_string_equal(parse_space_thread(space, 5, 6)->comm, "main");
	comm(f, 0, 5, 6, "worker");
	assert_string_equal(parse_space_thread(space, 5, 6)->comm, "worker");
	assert_string_equal(parse_space_thread(space, 5, 5)->comm, "main");
	fork_to(f, 0, 5, 6, 5, 7);
	assert_string_equal(parse_space_thread(space, 5, 7)->comm, "worker");
	/* A thread without a FORK record has the name of its process. */
	assert_string_equal(parse_space_thread(space, 5, 8)->comm, "main");
	/* A forked process has the name of the thread that forked it. */
	fork_to(f, 0, 5, 6, 9, 9);
	assert_string_equal(parse_space_thread(space, 9, 9)->comm, "worker");
	/* A thread id in another process is another thread. */
	assert_null(parse_space_thread(space, 55, 6)->comm);
	/* Names that were returned before stay valid. */
	const char *held = parse_space_thread(space, 5, 5)->comm;
	comm(f, 0, 5, 5, "other");
	assert_string_equal(held, "main");
}

static void the_kernel_has_maps_of_its_own(void **state)
{
	struct fixture *f = *state;
	struct parse_space *space = f->space;

	assert_string_equal(parse_space_kernel(space)->ref_symbol, "");
	map_old(f, PD_MISC_KERNEL, UINT32_MAX, 0xffffffff81000000, 0x1000000, 0xffffffff81000100,
		"[kernel.kallsyms]_text");
	map_old(f, PD_MISC_KERNEL, UINT32_MAX, 0xffffffffc0000000, 0x3000, 0,
		"/lib/modules/6.1/kernel/fs/ext4.ko");
	const struct parse_kernel *kernel = parse_space_kernel(space);
	assert_string_equal(kernel->ref_symbol, "_text");
	assert_true(kernel->ref_addr == 0xffffffff81000100);
	assert_string_equal(kernel->dso->name, "[kernel.kallsyms]");
	assert_true(kernel->dso->is_kernel);
	expect_maps(parse_space_kernel_maps(space),
		"ffffffff81000000-ffffffff82000000 [kernel.kallsyms]+ffffffff81000000 "
		"ffffffffc0000000-ffffffffc0003000 /lib/modules/6.1/kernel/fs/ext4.ko+0");
	expect(f, UINT32_MAX, "");
	expect(f, 0, "");

	/* A BPF program at the end of a module's mapping has its own symbol. */
	ksymbol(f, 0xffffffffc0002000, 0x200, 0, "bpf_prog_1234_count");
	const struct parse_mapping *m =
		parse_maps_find(parse_space_kernel_maps(space), 0xffffffffc0002010);
	assert_non_null(m);
	assert_true(m->dso->is_generated);
	assert_string_equal(m->dso->name, "bpf_prog_1234_count");
	assert_true(m->dso->is_kernel);
	/* Other code may have the addresses of a program that was unloaded. */
	ksymbol(f, 0xffffffffc0002000, 0x200, 1, "another");
	assert_ptr_equal(parse_maps_find(parse_space_kernel_maps(space), 0xffffffffc0002010), m);
	ksymbol(f, 0xffffffffc0002000, 0x200, 1, "bpf_prog_1234_count");
	assert_null(parse_maps_find(parse_space_kernel_maps(space), 0xffffffffc0002010));
	ksymbol(f, 0xffffffffc0002100, 0, 0, "nothing");
	ksymbol(f, UINT64_MAX - 5, 100, 0, "overflow");
	assert_null(parse_maps_find(parse_space_kernel_maps(space), UINT64_MAX - 5));
	assert_string_equal(
		parse_maps_find(parse_space_kernel_maps(space), 0xffffffffc0002200)->dso->name,
		"/lib/modules/6.1/kernel/fs/ext4.ko");
}

/* Modules of the kernel that are known from a list only. */
static void more_modules_than_fit_are_reported(void **state)
{
	struct fixture *f = *state;
	char name[32];
	size_t n = pd_diag_n(f->file.diag);

	for (uint64_t i = 0; i <= PD_LIMIT_MODULES; i++) {
		assert_int_equal(pd_diag_n(f->file.diag), n);
		snprintf(name, sizeof(name), "[m%d]", (int)i);
		assert_ok(parse_space_add_module(
			f->space, name, 0xffffffffc0000000 + i * 0x1000, 0x1000));
	}
	assert_int_equal(pd_diag_n(f->file.diag), n + 1);
	const struct pd_error *noted = pd_diag_get(f->file.diag, n).first;
	assert_string_equal(noted->what, "MODULES");
	assert_string_equal(noted->message,
		"further ones are left out: the limit for kernel modules without a mapping is reached");
}

/* Guests are other machines. */
static void guests_are_left_out(void **state)
{
	struct fixture *f = *state;

	MAP(.pid = 1, .addr = 0x1000, .len = 0x1000, .name = "g", .cpumode = PD_MISC_GUEST_USER);
	MAP(.pid = 1, .addr = 0x1000, .len = 0x1000, .name = "g", .cpumode = PD_MISC_GUEST_KERNEL);
	expect(f, 1, "");
	expect_maps(parse_space_kernel_maps(f->space), "");
}

static void data_takes_the_place_of_code(void **state)
{
	struct fixture *f = *state;

	MAP(.pid = 1, .addr = 0x1000, .len = 0x4000, .name = "a");
	MAP(.pid = 1, .addr = 0x2000, .len = 0x1000, .name = "heap", .prot = PROT_READ);
	expect(f, 1, "1000-2000 a+0 3000-5000 a+2000");
	/* A mapping of an MMAP record, which has no protection, replaces it too. */
	map_old(f, PD_MISC_USER | PD_MISC_MMAP_DATA, 1, 0x4000, 0x1000, 0, "data");
	expect(f, 1, "1000-2000 a+0 3000-4000 a+2000");
	map_old(f, PD_MISC_USER, 1, 0x4000, 0x1000, 0x10, "code");
	expect(f, 1, "1000-2000 a+0 3000-4000 a+2000 4000-5000 code+10");
	/* A data mapping that replaces nothing does not even make a new snapshot. */
	uint64_t id = parse_space_maps(f->space, 1)->id;
	MAP(.pid = 1, .addr = 0x9000, .len = 0x1000, .name = "data", .prot = PROT_READ);
	assert_int_equal(parse_space_maps(f->space, 1)->id, id);
}

/* mprotect: the same bytes of the same file under other permissions. */
static void lost_permission_does_not_unmap(void **state)
{
	struct fixture *f = *state;

	MAP(.pid = 1, .addr = 0x1000, .len = 0x4000, .pgoff = 0x1000, .name = "a");
	MAP(.pid = 1, .addr = 0x2000, .len = 0x1000, .pgoff = 0x2000, .name = "a",
		.prot = PROT_READ | PROT_WRITE);
	expect(f, 1, "1000-5000 a+1000");
	/* Another offset of the same file is another mapping. */
	MAP(.pid = 1, .addr = 0x3000, .len = 0x1000, .pgoff = 0x9000, .name = "a",
		.prot = PROT_READ);
	expect(f, 1, "1000-3000 a+1000 4000-5000 a+4000");
	/* Memory with generated code is made writable for a moment. */
	MAP(.pid = 1, .addr = 0x10000, .len = 0x2000, .pgoff = 0x10000, .name = "//anon");
	MAP(.pid = 1, .addr = 0x10000, .len = 0x1000, .pgoff = 0x10000, .name = "//anon",
		.prot = PROT_READ | PROT_WRITE);
	expect(f, 1, "1000-3000 a+1000 4000-5000 a+4000 10000-12000 //anon+10000");
}

static void impossible_ranges_are_left_out(void **state)
{
	struct fixture *f = *state;

	MAP(.pid = 1, .addr = 0x1000, .len = 0x1000, .name = "a");
	uint64_t id = parse_space_maps(f->space, 1)->id;
	MAP(.pid = 1, .addr = 0x1000, .len = 0, .name = "empty");
	MAP(.pid = 1, .addr = UINT64_MAX - 0xfff, .len = 0x2000, .name = "around");
	MAP(.pid = 1, .addr = 1, .len = UINT64_MAX, .name = "around");
	assert_int_equal(parse_space_maps(f->space, 1)->id, id);
	expect(f, 1, "1000-2000 a+0");
	MAP(.pid = 1, .addr = 0, .len = UINT64_MAX, .name = "all");
	assert_string_equal(
		parse_maps_find(parse_space_maps(f->space, 1), UINT64_MAX - 1)->dso->name, "all");
}

static const struct pd_build_id id_a = { 20,
	{ 'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a',
		'a', 'a' } };
static const struct pd_build_id id_b = { 8, "bbbbbbbb" };

static const struct parse_mapping *at(struct fixture *f, uint32_t pid, uint64_t addr)
{
	const struct parse_mapping *m = parse_maps_find(parse_space_maps(f->space, pid), addr);

	assert_non_null(m);
	return m;
}

static void build_ids_may_come_late(void **state)
{
	struct fixture *f = *state;
	const struct pd_build_id_entry late = {
		.id = id_a,
		.cpumode = PD_MISC_USER,
		.name = "/bin/late",
	};

	MAP(.pid = 1, .addr = 0x1000, .len = 0x1000, .name = "/bin/late");
	MAP(.pid = 1, .addr = 0x2000, .len = 0x1000, .name = "/bin/late", .build_id = &id_b);
	assert_int_equal(at(f, 1, 0x1000)->dso->build_id.len, 0);
	assert_true(pd_vec_push(&f->file.build_ids, late));
	assert_ok(parse_file_index_build_ids(&f->file));
	parse_space_learn_build_ids(f->space);
	assert_true(pd_build_id_equal(&at(f, 1, 0x1000)->dso->build_id, &id_a));
	assert_true(pd_build_id_equal(&at(f, 1, 0x2000)->dso->build_id, &id_b));
}

static void mappings_carry_build_ids(void **state)
{
	struct fixture *f = *state;

	MAP(.pid = 1, .addr = 0x1000, .len = 0x1000, .name = "lib", .build_id = &id_a);
	MAP(.pid = 1, .addr = 0x2000, .len = 0x1000, .name = "lib", .build_id = &id_b);
	MAP(.pid = 2, .addr = 0x7000, .len = 0x1000, .name = "lib", .build_id = &id_a);
	expect(f, 1, "1000-2000 lib+0 2000-3000 lib+0");
	/* Two builds have the same path after an update during the recording. */
	const struct parse_dso *a = at(f, 1, 0x1000)->dso, *b = at(f, 1, 0x2000)->dso;
	assert_true(pd_build_id_equal(&a->build_id, &id_a));
	assert_int_equal(b->build_id.len, 8);
	assert_true(pd_build_id_equal(&b->build_id, &id_b));
	assert_int_not_equal(a->id, b->id);
	assert_ptr_equal(at(f, 2, 0x7000)->dso, a);
}

static void the_header_has_build_ids_for_names(void **state)
{
	struct fixture *f = *state;
	const struct pd_build_id_entry entries[] = {
		{ .id = id_a, .cpumode = PD_MISC_USER, .name = "/bin/listed" },
		{ .id = id_b, .cpumode = PD_MISC_KERNEL, .name = "[kernel.kallsyms]" },
	};

	for (size_t i = 0; i < 2; i++)
		assert_true(pd_vec_push(&f->file.build_ids, entries[i]));
	assert_ok(parse_file_index_build_ids(&f->file));
	MAP(.pid = 1, .addr = 0x1000, .len = 0x1000, .name = "/bin/listed");
	MAP(.pid = 1, .addr = 0x2000, .len = 0x1000, .name = "/bin/other");
	MAP(.pid = 1, .addr = 0x3000, .len = 0x1000, .name = "/bin/listed", .build_id = &id_b);
	map_old(f, PD_MISC_KERNEL, UINT32_MAX, 0xffffffff81000000, 0x1000000, 0xffffffff81000000,
		"[kernel.kallsyms]_stext");
	assert_true(pd_build_id_equal(&at(f, 1, 0x1000)->dso->build_id, &id_a));
	assert_int_equal(at(f, 1, 0x2000)->dso->build_id.len, 0);
	/* The build id in the mapping takes precedence. */
	assert_true(pd_build_id_equal(&at(f, 1, 0x3000)->dso->build_id, &id_b));
	assert_true(pd_build_id_equal(&parse_space_kernel(f->space)->dso->build_id, &id_b));
}

/* Programs move code to memory in huge pages, which is recorded as memory without a file. */
static void moved_text_stays_that_of_the_file(void **state)
{
	struct fixture *f = *state;

	MAP(.pid = 1, .addr = 0x400000, .len = 0x8000, .pgoff = 0x1000, .name = "/bin/p");
	MAP(.pid = 1, .addr = 0x40000000, .len = 0xa00000, .name = "/lib/l");
	MAP(.pid = 1, .addr = 0x402000, .len = 0x2000, .prot = PROT_READ | PROT_WRITE,
		.name = "//anon");
	MAP(.pid = 1, .addr = 0x402000, .len = 0x2000, .name = "//anon");
	/* A library may have been unmapped, so only whole huge pages in it count. */
	MAP(.pid = 1, .addr = 0x40200000, .len = 0x400000, .name = "/anon_hugepage (deleted)",
		.flags = MAP_HUGETLB | MAP_PRIVATE);
	expect(f, 1, "400000-408000 /bin/p+1000 40000000-40a00000 /lib/l+0");
	MAP(.pid = 1, .addr = 0x40201000, .len = 0x1000, .name = "//anon");
	MAP(.pid = 1, .addr = 0x407000, .len = 0x2000, .name = "//anon");
	expect(f, 1,
		"400000-407000 /bin/p+1000 407000-409000 //anon+0 40000000-40201000 /lib/l+0 "
		"40201000-40202000 //anon+0 40202000-40a00000 /lib/l+202000");
	/* A program that is executed, and the child that inherits it. */
	fork_to(f, 0, 1, 1, 2, 2);
	comm(f, PD_MISC_COMM_EXEC, 1, 1, "q");
	MAP(.pid = 1, .addr = 0x500000, .len = 0x8000, .name = "/bin/q");
	MAP(.pid = 1, .addr = 0x501000, .len = 0x1000, .name = "/memfd:text (deleted)");
	MAP(.pid = 2, .addr = 0x401000, .len = 0x1000, .name = "//anon");
	expect(f, 1, "500000-508000 /bin/q+0");
	assert_string_equal(at(f, 2, 0x401000)->dso->name, "/bin/p");
}

static void text_may_have_been_moved_before_the_recording(void **state)
{
	struct fixture *f = *state;

	MAP(.pid = 1, .addr = 0x401000, .len = 0x2000, .name = "//anon");
	MAP(.pid = 1, .addr = 0x403000, .len = 0x1000, .pgoff = 0x3000, .name = "/bin/p");
	MAP(.pid = 1, .addr = 0x7000000, .len = 0x1000, .pgoff = 0x1000, .name = "/lib/l");
	MAP(.pid = 1, .addr = 0x7001000, .len = 0x5000, .name = "//anon");
	MAP(.pid = 1, .addr = 0x7006000, .len = 0x1000, .pgoff = 0x7000, .name = "/lib/l");
	expect(f, 1,
		"401000-404000 /bin/p+1000 7000000-7001000 /lib/l+1000 7001000-7007000 /lib/l+2000");
	/* Generated code is next to libraries, too. */
	MAP(.pid = 1, .addr = 0x8000000, .len = 0x1000, .name = "//anon");
	MAP(.pid = 1, .addr = 0x8001000, .len = 0x1000, .pgoff = 0x5000, .name = "/lib/m");
	assert_string_equal(at(f, 1, 0x8000000)->dso->name, "//anon");
	MAP(.pid = 1, .addr = 0x9000000, .len = 0x1000, .pgoff = 0x1000, .name = "/lib/n");
	MAP(.pid = 1, .addr = 0x9001000, .len = 0x1000, .name = "//anon");
	MAP(.pid = 1, .addr = 0x9002000, .len = 0x1000, .pgoff = 0x5000, .name = "/lib/n");
	assert_string_equal(at(f, 1, 0x9001000)->dso->name, "//anon");
}

static void special_mappings(void **state)
{
	struct fixture *f = *state;

	/* Huge pages are named after a file that has none of their bytes. */
	MAP(.pid = 1, .addr = 0x200000, .len = 0x200000, .name = "/anon_hugepage (deleted)",
		.flags = MAP_HUGETLB | MAP_PRIVATE);
	assert_string_equal(at(f, 1, 0x200000)->dso->name, "//anon");
	/* The vdso is mapped from its start, whatever pgoff says. */
	MAP(.pid = 1, .addr = 0x7000, .len = 0x2000, .pgoff = 0x7000, .name = "[vdso]");
	assert_int_equal(at(f, 1, 0x7000)->pgoff, 0);
	assert_string_equal(at(f, 1, 0x7000)->dso->name, "[vdso]");
}

/* The vdso of a process of 32 bits on a machine of 64 bits has the name that perf gives it. */
static void vdsos_of_both_sizes_are_told_apart(void **state)
{
	struct fixture *f = *state;
	static char machine[] = "x86_64";

	f->file.text[PD_FEATURE_ARCH] = machine;
	MAP(.pid = 1, .addr = 0x7ffc1000, .len = 0x2000, .name = "[vdso]");
	MAP(.pid = 2, .addr = 0x7ffd00000000, .len = 0x2000, .name = "[vdso]");
	assert_string_equal(at(f, 1, 0x7ffc1000)->dso->name, "[vdso32]");
	assert_string_equal(at(f, 2, 0x7ffd00000000)->dso->name, "[vdso]");
	f->file.text[PD_FEATURE_ARCH] = NULL;
}

static void damaged_records_are_told_and_left_out(void **state)
{
	struct fixture *f = *state;

	MAP(.pid = 1, .addr = 0x1000, .len = 0x1000, .name = "a");
	begin(f, PD_RECORD_MMAP2, PD_MISC_USER);
	u64(&f->b, 1);
	apply(f);
	begin(f, PD_RECORD_COMM, 0);
	u32(&f->b, 1);
	u32(&f->b, 1);
	bytes_add(&f->b, "noend!!!", 8);
	apply(f);
	begin(f, PD_RECORD_FORK, 0);
	apply(f);
	expect(f, 1, "1000-2000 a+0");
	assert_null(parse_space_thread(f->space, 1, 1)->comm);
	assert_true(pd_diag_n(f->file.diag) >= 1);
	assert_non_null(strstr(diag_text(f->file.diag, 0), "MMAP2: "));
}

/* A task's samples may come after its EXIT. */
static void exit_changes_nothing(void **state)
{
	struct fixture *f = *state;

	MAP(.pid = 1, .addr = 0x1000, .len = 0x1000, .name = "a");
	comm(f, 0, 1, 1, "a");
	begin(f, PD_RECORD_EXIT, 0);
	for (int i = 0; i < 4; i++)
		u32(&f->b, 1);
	u64(&f->b, 5);
	apply(f);
	expect(f, 1, "1000-2000 a+0");
	assert_string_equal(parse_space_thread(f->space, 1, 1)->comm, "a");
}

/* A change of protection that reaches into a neighbour replaces the neighbour only. */
static void data_keeps_its_own_code_and_takes_the_rest(void **state)
{
	struct fixture *f = *state;

	MAP(.pid = 1, .addr = 0x1000, .len = 0x1000, .pgoff = 0, .name = "a");
	MAP(.pid = 1, .addr = 0x2000, .len = 0x1000, .pgoff = 0, .name = "b");
	MAP(.pid = 1, .addr = 0x1800, .len = 0x1000, .pgoff = 0x800, .prot = PROT_READ,
		.name = "a");
	expect(f, 1, "1000-2000 a+0 2800-3000 b+800");
}

/* All mappings are kept in a snapshot of their own, which fork and exec change like that of code. */
static void data_is_kept_if_wanted(void **state)
{
	struct fixture *f = *state;

	assert_null(parse_space_all_maps(f->space, 1));
	parse_space_keep_data(f->space);
	MAP(.pid = 2, .addr = 0x1000, .len = 0x1000, .name = "a");
	MAP(.pid = 2, .addr = 0x2000, .len = 0x2000, .pgoff = 0x1000, .prot = PROT_READ,
		.name = "a");
	MAP(.pid = 2, .addr = 0x4000, .len = 0x1000, .prot = PROT_READ | PROT_WRITE,
		.name = "//anon");
	MAP(.pid = 2, .addr = 0x6000, .len = 0x1000, .prot = PROT_READ, .name = "b");
	fork_to(f, 0, 2, 2, 3, 3);
	MAP(.pid = 2, .addr = 0x2000, .len = 0x1000, .prot = PROT_READ, .name = "c");
	expect(f, 2, "1000-2000 a+0");
	expect_maps(parse_space_all_maps(f->space, 2),
		"1000-2000 a+0 2000-3000 c+0 3000-4000 a+2000 4000-5000 //anon+0 6000-7000 b+0");
	const struct parse_maps *maps = parse_space_all_maps(f->space, 3);
	expect_maps(maps, "1000-2000 a+0 2000-4000 a+1000 4000-5000 //anon+0 6000-7000 b+0");
	assert_ptr_equal(parse_maps_find_before(maps, 0x4fff), parse_maps_find(maps, 0x3000));
	assert_null(parse_maps_find_before(maps, 0x6000));
	assert_null(parse_maps_find_before(maps, 0x5000));
	assert_null(parse_maps_find_before(maps, 0x1000));
	assert_null(parse_maps_find_before(maps, 0x8000));
	comm(f, PD_MISC_COMM_EXEC, 2, 2, "program");
	expect_maps(parse_space_all_maps(f->space, 2), "");
	assert_int_equal(parse_space_all_maps(f->space, 3)->n, 4);
}

static void mappings_have_a_limit(void **state)
{
	enum { MOST = 1 << 20, MORE = 5000 };
	struct fixture *f = *state;

	for (uint64_t i = MOST + MORE; i; i--)
		MAP(.pid = 1, .addr = i * 0x2000, .len = 0x1000, .name = "a");
	assert_int_equal(parse_space_maps(f->space, 1)->n, MOST);
	assert_int_equal(pd_diag_n(f->file.diag), 1);
	assert_int_equal(pd_diag_get(f->file.diag, 0).count, MORE);
}

/*
 * A change of protection leaves the mappings of the same bytes, so it may concern all of them. The
 * work on them is bounded: some are removed then, and that is reported once.
 */
static void changes_of_many_mappings_have_a_limit(void **state)
{
	enum { MANY = 30000, TIMES = 20 };
	struct fixture *f = *state;

	for (uint64_t i = 0; i < MANY; i++)
		MAP(.pid = 1, .addr = 0x2000 * i, .len = 0x1000, .pgoff = 0x2000 * i, .name = "a");
	/* 131,072 steps, and 64 for each of 30,000 records, are enough for this often. */
	for (int i = 0; i < TIMES; i++)
		MAP(.pid = 1, .addr = 0, .len = 0x2000 * MANY, .prot = PROT_READ, .name = "a");
	assert_int_equal(parse_space_maps(f->space, 1)->n, MANY);
	assert_int_equal(pd_diag_n(f->file.diag), 0);
	for (int i = 0; i < 4 * TIMES; i++)
		MAP(.pid = 1, .addr = 0, .len = 0x2000 * MANY, .prot = PROT_READ, .name = "a");
	assert_uint_in_range(parse_space_maps(f->space, 1)->n, 0, MANY - 1);
	assert_int_equal(pd_diag_n(f->file.diag), 1);
}

#define space_test(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		space_test(a_mapping_takes_the_place_of_others),
		space_test(any_sequence_of_mappings_ends_right),
		space_test(exec_leaves_nothing),
		space_test(fork_shares_until_somebody_maps),
		space_test(a_fork_before_exec_shares_nothing),
		space_test(snapshots_never_change),
		space_test(threads_have_names),
		space_test(the_kernel_has_maps_of_its_own),
		space_test(more_modules_than_fit_are_reported),
		space_test(guests_are_left_out),
		space_test(data_takes_the_place_of_code),
		space_test(lost_permission_does_not_unmap),
		space_test(impossible_ranges_are_left_out),
		space_test(mappings_carry_build_ids),
		space_test(build_ids_may_come_late),
		space_test(the_header_has_build_ids_for_names),
		space_test(moved_text_stays_that_of_the_file),
		space_test(text_may_have_been_moved_before_the_recording),
		space_test(special_mappings),
		space_test(vdsos_of_both_sizes_are_told_apart),
		space_test(damaged_records_are_told_and_left_out),
		space_test(exit_changes_nothing),
		space_test(data_keeps_its_own_code_and_takes_the_rest),
		space_test(data_is_kept_if_wanted),
		space_test(mappings_have_a_limit),
		space_test(changes_of_many_mappings_have_a_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * Synthesized records of processes that existed before recording: written, read back, and compared
 * with /proc.
 */
#include "base/array.h"
#include "tests/unit/capture/root.h"
#include "tests/unit/test_writing.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/bpf.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "capture/machine/build_ids.h"
#include "capture/synth/synth_state.h"
#include "capture/synth/synth.h"
#include "capture/synth/synth_kernel.h"
#include "parse/open_file.h"

/* A recording and its records. */
struct result {
	struct bytes bytes;
	struct pd_file *file;
	struct pd_reader *reader;
	struct cap_synth_counts counts;
	size_t sid_bytes;
};

static size_t sid_bytes(void)
{
	struct pd_attr attr = written_attr();
	struct pd_plan plan;

	pd_plan_compile(&attr, &plan);
	return plan.sid_bytes;
}

static struct pd_error *add(void *ctx, const void *record, size_t size)
{
	return pd_writer_add_records(ctx, record, size);
}

enum what { KERNEL, BPF, CGROUPS, PROCESS, THREAD, ALL };

static struct pd_error *synthesise(struct cap_synth *synth, enum what what, uint32_t pid)
{
	switch (what) {
	case KERNEL:
		return cap_synth_kernel(synth);
	case BPF:
		return cap_synth_bpf(synth);
	case CGROUPS:
		return cap_synth_cgroups(synth);
	case PROCESS:
		return cap_synth_process(synth, pid);
	case THREAD:
		return cap_synth_thread(synth, pid);
	default:
		return cap_synth_all(synth);
	}
}

/* Write synthesized records to a file and open it. */
static struct result record(struct cap_synth_opts opts, enum what what, uint32_t pid)
{
	FILE *out = tmpfile();
	struct pd_writer *writer = writer_open(out, false, false);
	struct pd_attr attr = written_attr();
	struct result result = { .sid_bytes = sid_bytes() };
	struct cap_synth *synth;

	opts.sid_bytes = result.sid_bytes;
	assert_ok(pd_writer_add_event(writer, &attr, &(uint64_t){ 1 }, 1));
	assert_ok(cap_synth_create(&opts, add, writer, &synth));
	assert_ok(synthesise(synth, what, pid));
	result.counts = *cap_synth_counts(synth);
	cap_synth_destroy(synth);
	writer_close(writer);
	result.bytes = written(out);
	assert_ok(pd_file_open_memory(
		"synth", result.bytes.data, result.bytes.n, NULL, &result.file));
	assert_ok(pd_reader_create(result.file, PD_ORDER_FILE, &result.reader));
	return result;
}

static void result_free(struct result *result)
{
	pd_reader_destroy(result->reader);
	assert_int_equal(pd_diag_n(result->file->diag), 0);
	pd_file_close(result->file);
	bytes_free(&result->bytes);
}

/*
 * Read the next record of @p type (0: any); false at the end. All records must have a trailer of
 * zeros.
 */
static bool next(struct result *result, uint32_t type, struct pd_record *rec, union pd_body *body)
{
	const char *wrong = NULL;

	for (;;) {
		assert_ok(pd_reader_next(result->reader, rec));
		if (!rec->bytes)
			return false;
		if (rec->type == PD_RECORD_FINISHED_ROUND || (type && rec->type != type))
			continue;
		assert_true(pd_record_decode(rec, result->sid_bytes, body, &wrong));
		for (size_t i = rec->size - result->sid_bytes; i < rec->size; i++)
			assert_int_equal(rec->bytes[i], 0);
		return true;
	}
}

static void assert_text(const struct pd_str *str, const char *text)
{
	assert_int_equal(str->len, strlen(text));
	assert_memory_equal(str->s, text, str->len);
}

static void *wait_for_end(void *arg)
{
	(void)arg;
	for (;;)
		pause();
	return NULL;
}

/* Start a child with @p n_threads that do nothing, and wait until they exist. */
static pid_t start_child(int n_threads)
{
	int fds[2];
	char byte;

	assert_int_equal(pipe(fds), 0);
	pid_t pid = fork();
	if (pid == 0) {
		pthread_t thread;

		/* Let the kernel kill the child if the test fails. */
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (int i = 1; i < n_threads; i++)
			pthread_create(&thread, NULL, wait_for_end, NULL);
		(void)!write(fds[1], "", 1);
		wait_for_end(NULL);
	}
	assert_true(pid > 0);
	assert_int_equal(read(fds[0], &byte, 1), 1);
	close(fds[0]);
	close(fds[1]);
	return pid;
}

static void end_child(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* Check that record @p body is the next executable mapping of /proc/PID/maps. */
static void check_mapping(FILE *maps, bool data, const union pd_body *body, uint16_t misc)
{
	char line[8192];
	char name[4096];
	char access[5];
	uint64_t start;
	uint64_t end;
	uint64_t pgoff;
	uint64_t ino;
	unsigned maj;
	unsigned min;
	uint32_t prot;

	do {
		assert_non_null(fgets(line, sizeof(line), maps));
		strcpy(name, "//anon");
		assert_true(sscanf(line,
				    "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %x:%x %" SCNu64
				    " %4095[^\n]",
				    &start, &end, access, &pgoff, &maj, &min, &ino, name) >= 7);
		prot = (access[0] == 'r') | (access[1] == 'w') << 1 | (access[2] == 'x') << 2;
	} while (!(prot & PROT_EXEC) && !(data && prot & PROT_READ));
	assert_int_equal(body->mmap2.addr, start);
	assert_int_equal(body->mmap2.len, end - start);
	assert_int_equal(body->mmap2.pgoff, pgoff);
	assert_int_equal(body->mmap2.prot, prot);
	assert_int_equal(body->mmap2.flags, access[3] == 's' ? MAP_SHARED : MAP_PRIVATE);
	assert_int_equal(misc & PD_MISC_MMAP_DATA, prot & PROT_EXEC ? 0 : PD_MISC_MMAP_DATA);
	assert_int_equal(misc & PD_MISC_CPUMODE_MASK, PD_MISC_USER);
	assert_text(&body->mmap2.filename, name);
	assert_int_equal(body->mmap2.maj, maj);
	assert_int_equal(body->mmap2.min, min);
	assert_int_equal(body->mmap2.ino, ino);
}

static void check_maps(pid_t pid, bool data)
{
	const struct cap_synth_opts opts = { .data = data };
	struct result result = record(opts, PROCESS, (uint32_t)pid);
	struct pd_record rec;
	union pd_body body;
	char path[64];
	size_t n = 0;

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	FILE *maps = fopen(path, "r");
	assert_non_null(maps);
	while (next(&result, PD_RECORD_MMAP2, &rec, &body)) {
		assert_int_equal(body.mmap2.pid, pid);
		assert_int_equal(body.mmap2.tid, pid);
		check_mapping(maps, data, &body, rec.misc);
		n++;
	}
	assert_true(n > 2);
	assert_int_equal(n, result.counts.mappings);
	assert_int_equal(result.counts.processes, 1);
	fclose(maps);
	result_free(&result);
}

static void mappings_are_those_of_proc(void **state)
{
	pid_t child = start_child(1);

	(void)state;
	check_maps(getpid(), false);
	check_maps(child, false);
	check_maps(child, true);
	end_child(child);
}

/* The build id that readelf prints, or "". */
static void readelf_build_id(const char *path, char ret[PD_BUILD_ID_HEX_MAX])
{
	char command[4200];

	snprintf(command, sizeof(command),
		"readelf -n '%s' 2>/dev/null | sed -n 's/.*Build ID: //p'", path);
	FILE *in = popen(command, "r");
	ret[0] = '\0';
	if (in && fgets(ret, PD_BUILD_ID_HEX_MAX, in))
		ret[strcspn(ret, "\n")] = '\0';
	if (in)
		pclose(in);
}

static void build_ids_are_those_of_readelf(void **state)
{
	const struct cap_synth_opts opts = { .build_ids = true, .data = true };
	pid_t child = start_child(1);
	struct result result = record(opts, PROCESS, (uint32_t)child);
	struct pd_record rec;
	union pd_body body;
	size_t n = 0;

	(void)state;
	while (next(&result, PD_RECORD_MMAP2, &rec, &body)) {
		bool has_id = rec.misc & PD_MISC_MMAP_BUILD_ID;
		const struct pd_str *name =
			has_id ? &body.mmap2_build_id.filename : &body.mmap2.filename;
		char expected[PD_BUILD_ID_HEX_MAX];
		char found[PD_BUILD_ID_HEX_MAX] = "";
		char path[4096];

		snprintf(path, sizeof(path), "%.*s", (int)name->len, name->s);
		if (path[0] != '/' || path[1] == '/')
			continue;
		readelf_build_id(path, expected);
		if (has_id)
			pd_build_id_hex(&body.mmap2_build_id.build_id, found);
		assert_string_equal(found, expected);
		n += has_id;
	}
	assert_true(n > 0);
	result_free(&result);
	end_child(child);
}

static void check_namespaces(const union pd_body *body, pid_t pid)
{
	static const char *const names[] = { "net", "uts", "ipc", "pid", "user", "mnt", "cgroup" };
	struct pd_list_iter it = pd_list_iter(&body->namespaces.namespaces, NULL);
	struct pd_namespace_link link;
	size_t n = 0;

	while (pd_list_next(&it, &pd_layout_namespace_link, &link)) {
		struct stat st = { 0 };
		char path[64];

		snprintf(path, sizeof(path), "/proc/%d/ns/%s", pid, names[n++]);
		if (stat(path, &st) != 0)
			continue;
		assert_int_equal(link.dev, st.st_dev);
		assert_int_equal(link.ino, st.st_ino);
	}
	assert_int_equal(n, 7);
}

static void threads_are_in_the_order_of_perf(void **state)
{
	const struct cap_synth_opts opts = { .namespaces = true };
	enum { N_THREADS = 4 };
	pid_t child = start_child(N_THREADS);
	struct result result = record(opts, PROCESS, (uint32_t)child);
	struct pd_record rec;
	union pd_body body;

	(void)state;
	for (int i = 0; i < N_THREADS; i++) {
		uint32_t parent = (uint32_t)(i ? child : getpid());

		do
			assert_true(next(&result, 0, &rec, &body));
		while (rec.type == PD_RECORD_MMAP2 && i == 1);
		assert_int_equal(rec.type, PD_RECORD_FORK);
		assert_int_equal(rec.misc, PD_MISC_FORK_EXEC);
		uint32_t tid = body.fork.tid;
		assert_int_equal(body.fork.pid, child);
		assert_int_equal(body.fork.ppid, parent);
		assert_int_equal(body.fork.ptid, parent);
		assert_int_equal(tid == (uint32_t)child, i == 0);
		assert_true(next(&result, 0, &rec, &body));
		assert_int_equal(rec.type, PD_RECORD_NAMESPACES);
		assert_int_equal(body.namespaces.tid, tid);
		check_namespaces(&body, child);
		assert_true(next(&result, 0, &rec, &body));
		assert_int_equal(rec.type, PD_RECORD_COMM);
		assert_int_equal(body.comm.pid, child);
		assert_int_equal(body.comm.tid, tid);
		assert_text(&body.comm.comm, program_invocation_short_name);
	}
	assert_false(next(&result, 0, &rec, &body));
	assert_int_equal(result.counts.threads, N_THREADS);
	result_free(&result);
	end_child(child);
}

/* Without FORK records, and for a single thread. */
static void a_thread_comes_with_its_process(void **state)
{
	const struct cap_synth_opts opts = { .no_forks = true };
	pid_t child = start_child(2);
	struct result result = record(opts, PROCESS, (uint32_t)child);
	struct pd_record rec;
	union pd_body body;
	uint32_t tid = 0;

	(void)state;
	while (next(&result, 0, &rec, &body)) {
		assert_int_not_equal(rec.type, PD_RECORD_FORK);
		if (rec.type == PD_RECORD_COMM)
			tid = body.comm.tid;
	}
	assert_int_not_equal(tid, child);
	result_free(&result);

	result = record(opts, THREAD, tid);
	assert_true(next(&result, 0, &rec, &body));
	assert_int_equal(body.comm.pid, child);
	assert_int_equal(body.comm.tid, tid);
	assert_true(next(&result, 0, &rec, &body));
	assert_int_equal(body.comm.tid, child);
	assert_true(next(&result, PD_RECORD_MMAP2, &rec, &body));
	assert_int_equal(result.counts.threads, 2);
	result_free(&result);
	end_child(child);
}

static void a_process_that_is_gone_is_no_error(void **state)
{
	const struct cap_synth_opts opts = { .namespaces = true };
	pid_t child = start_child(1);
	struct pd_record rec;
	union pd_body body;

	(void)state;
	end_child(child);
	for (enum what what = PROCESS; what <= THREAD; what++) {
		struct result result = record(opts, what, (uint32_t)child);

		assert_int_equal(result.counts.gone, 1);
		assert_int_equal(result.counts.records, 0);
		assert_false(next(&result, 0, &rec, &body));
		result_free(&result);
	}
}

static struct pd_error *ignore(void *ctx, const void *record_, size_t size)
{
	(void)ctx;
	(void)record_;
	(void)size;
	return NULL;
}

/*
 * Run as an unprivileged user and check that the mappings of process 1 count as denied while its
 * threads are found.
 */
static bool is_denied_to_nobody(void)
{
	const struct cap_synth_opts opts = { .build_ids = true, .namespaces = true };
	enum { NOBODY = 65534 };
	struct cap_synth *synth;

	if (setgid(NOBODY) != 0 || setuid(NOBODY) != 0 ||
		cap_synth_create(&opts, ignore, NULL, &synth) || cap_synth_process(synth, 1))
		return false;
	const struct cap_synth_counts *counts = cap_synth_counts(synth);
	return counts->denied == 1 && counts->threads && !counts->mappings;
}

static void unreadable_mappings_are_counted(void **state)
{
	int status_;

	(void)state;
	if (getuid() != 0)
		skip();
	pid_t child = fork();
	if (child == 0)
		_exit(!is_denied_to_nobody());
	assert_int_equal(waitpid(child, &status_, 0), child);
	assert_int_equal(status_, 0);
}

/* Other processes start and exit as fast as they can. */
static pid_t start_churn(void)
{
	pid_t pid = fork();

	if (pid == 0)
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (pid == 0) {
		pid_t inner = fork();

		if (inner == 0)
			_exit(0);
		waitpid(inner, NULL, 0);
	}
	return pid;
}

static void all_processes_are_found_while_others_come_and_go(void **state)
{
	const struct cap_synth_opts opts = { .namespaces = true, .build_ids = true };
	pid_t churn = start_churn();
	struct pd_record rec;
	union pd_body body;

	(void)state;
	for (int i = 0; i < 5; i++) {
		struct result result = record(opts, ALL, 0);
		int n_own = 0;

		while (next(&result, PD_RECORD_COMM, &rec, &body))
			n_own += body.comm.tid == (uint32_t)getpid();
		assert_int_equal(n_own, 1);
		result_free(&result);
	}
	end_child(churn);
}

/* Without any time budget, threads are found at once, and mappings only when they are asked for. */
static void mappings_can_be_postponed(void **state)
{
	struct cap_postponed postponed = { 0 };
	const struct cap_synth_opts opts = { .postponed = &postponed };
	struct result result = record(opts, ALL, 0);
	uint32_t pid = (uint32_t)getpid();
	struct pd_record rec;
	union pd_body body;
	uint32_t taken;

	(void)state;
	assert_false(next(&result, PD_RECORD_MMAP2, &rec, &body));
	assert_int_equal(result.counts.mappings, 0);
	assert_true(cap_postponed_n_unseen(&postponed) > 0);
	assert_false(cap_postponed_take(&postponed, &taken));
	cap_postponed_note(&postponed, UINT32_MAX);
	cap_postponed_note(&postponed, pid);
	cap_postponed_note(&postponed, pid);
	assert_true(cap_postponed_take(&postponed, &taken));
	assert_int_equal(taken, pid);
	assert_false(cap_postponed_take(&postponed, &taken));
	assert_int_equal(cap_postponed_n_unseen(&postponed), postponed.pids.n - 1);
	result_free(&result);
	cap_postponed_deinit(&postponed);
}

/* Lines with unusual fields. */

static const char status[] = "Name:\tod\\\\d\\nname that is long\nUmask:\t0022\nState:\tS\n"
			     "Tgid:\t7\nPid:\t7\nPPid:\t3\n";

static void add_line(struct bytes *b, const char *name)
{
	static const char head[] = "00001000-00003000 r-xs 00005000 fe:01 77 ";

	bytes_add(b, head, strlen(head));
	bytes_add(b, name, strlen(name));
	bytes_add(b, "\n", 1);
}

static void check_name(struct result *result, const char *name, uint32_t flags)
{
	struct pd_record rec;
	union pd_body body;

	assert_true(next(result, PD_RECORD_MMAP2, &rec, &body));
	assert_text(&body.mmap2.filename, name);
	assert_int_equal(body.mmap2.flags, flags);
	assert_int_equal(body.mmap2.addr, 0x1000);
	assert_int_equal(body.mmap2.maj, 0xfe);
	assert_int_equal(body.mmap2.ino, 77);
}

static void odd_lines_become_valid_records(void **state)
{
	static const char *const names[] = { "[heap]", "[vdso]", "/x (deleted)", "/a\\040b\\012c",
		"/with blanks  in it", "anon_inode:[x]", "/mnt/hugely" };
	enum { N_NAMES = PD_ARRAY_LEN(names) };
	static char longest[PATH_MAX];
	static char longer[3 * 65536];
	struct root root = root_create();
	struct bytes maps = { 0 };
	struct pd_record rec;
	union pd_body body;

	(void)state;
	memset(longest, 'x', sizeof(longest) - 1);
	memset(longer, 'y', sizeof(longer) - 1);
	longest[0] = longer[0] = '/';
	for (size_t i = 0; i < N_NAMES; i++)
		add_line(&maps, names[i]);
	add_line(&maps, longest);
	add_line(&maps, longer);
	add_line(&maps, "");
	add_line(&maps, "/mnt/huge/pages");
	static const char nonsense[] = "\nx\n1-2\n1-2 rwxp\n1-2 r-xp 0 0:0\n1-2 r-xq 0 0:0 0\n"
				       "2-1 r-xp 0 0:0 0\n1-2 r-xp 0 0:0 0x\n1-2 r-x";
	bytes_add(&maps, nonsense, strlen(nonsense));
	root_write(&root, "/proc/7/task/7/maps", maps.data, maps.n);
	root_text(&root, "/proc/7/task/7/status", status);
	root_text(&root, "/proc/7/task/8/status", "Name:\tcut off\nTgid:");
	root_text(&root, "/proc/mounts", "none /mnt/huge hugetlbfs rw 0 0\n");

	struct result result = record((struct cap_synth_opts){ .root = root.path }, ALL, 0);
	assert_int_equal(result.counts.gone, 1);
	assert_int_equal(result.counts.threads, 1);
	assert_true(next(&result, PD_RECORD_FORK, &rec, &body));
	assert_int_equal(body.fork.ppid, 3);
	assert_true(next(&result, PD_RECORD_COMM, &rec, &body));
	assert_text(&body.comm.comm, "od\\d\nname that ");
	for (size_t i = 0; i < N_NAMES; i++)
		check_name(&result, names[i], MAP_SHARED);
	check_name(&result, longest, MAP_SHARED);
	check_name(&result, "//toolong", MAP_SHARED);
	check_name(&result, "//anon", MAP_SHARED);
	check_name(&result, "//anon", MAP_SHARED | MAP_HUGETLB);
	assert_false(next(&result, PD_RECORD_MMAP2, &rec, &body));
	result_free(&result);
	bytes_free(&maps);
	root_destroy(&root);
}

/* A main thread that has ended has no mappings, while its process goes on. */
static void mappings_of_a_thread_are_those_of_its_process(void **state)
{
	struct root root = root_create();
	struct bytes maps = { 0 };
	struct pd_record rec;
	union pd_body body;

	(void)state;
	add_line(&maps, "/x");
	root_text(&root, "/proc/7/task/7/maps", "");
	root_text(&root, "/proc/7/task/7/status", status);
	root_text(&root, "/proc/7/task/8/maps", "");
	root_write(&root, "/proc/7/task/9/maps", maps.data, maps.n);
	struct result result = record((struct cap_synth_opts){ .root = root.path }, PROCESS, 7);
	assert_int_equal(result.counts.mappings, 1);
	assert_true(next(&result, PD_RECORD_MMAP2, &rec, &body));
	assert_text(&body.mmap2.filename, "/x");
	assert_int_equal(body.mmap2.pid, 7);
	assert_int_equal(body.mmap2.tid, 7);
	result_free(&result);
	bytes_free(&maps);
	root_destroy(&root);
}

/* The last record of a list that was cut is marked. */
static void mappings_that_take_too_long_are_cut(void **state)
{
	struct cap_synth_opts opts = { .maps_timeout_ms = 1 };
	struct root root = root_create();
	struct bytes maps = { 0 };
	struct pd_record rec;
	union pd_body body;

	(void)state;
	for (int i = 0; i < 300000; i++)
		add_line(&maps, "/x");
	root_write(&root, "/proc/7/task/7/maps", maps.data, maps.n);
	root_text(&root, "/proc/7/task/7/status", status);
	opts.root = root.path;
	struct result result = record(opts, PROCESS, 7);
	assert_int_equal(result.counts.cut, 1);
	for (uint64_t i = 0; i < result.counts.mappings; i++) {
		assert_true(next(&result, PD_RECORD_MMAP2, &rec, &body));
		bool is_last = i + 1 == result.counts.mappings;
		assert_int_equal(rec.misc & PD_MISC_PROC_MAP_PARSE_TIMEOUT,
			is_last ? PD_MISC_PROC_MAP_PARSE_TIMEOUT : 0);
	}
	result_free(&result);
	bytes_free(&maps);
	root_destroy(&root);
}

/* The kernel and its modules. */

static void check_module(struct result *result, uint64_t start, uint64_t size, const char *name)
{
	struct pd_record rec;
	union pd_body body;

	assert_true(next(result, PD_RECORD_MMAP, &rec, &body));
	assert_int_equal(rec.misc, PD_MISC_KERNEL);
	assert_int_equal(body.mmap.pid, UINT32_MAX);
	assert_int_equal(body.mmap.tid, 0);
	assert_int_equal(body.mmap.addr, start);
	assert_int_equal(body.mmap.len, size);
	assert_text(&body.mmap.filename, name);
}

/* An ELF note with a build id of four bytes. */
static const uint8_t notes[] = { 4, 0, 0, 0, 2, 0, 0, 0, 9, 0, 0, 0, 'G', 'N', 'U', 0, 1, 2, 0, 0,
	4, 0, 0, 0, 4, 0, 0, 0, 3, 0, 0, 0, 'G', 'N', 'U', 0, 0xab, 0xcd, 0xef, 1 };

static struct root kernel_root(void)
{
	struct root root = root_create();

	root_text(&root, "/proc/kallsyms",
		"0000000000000000 A fixed\nffffffff81000000 T _stext\nffffffff81000000 T _text\n"
		"ffffffff81500000 T _etext\nffffffffc0000000 t _text\t[one]\n");
	root_text(&root, "/proc/modules",
		"two 8192 0 - Live 0xffffffffc0010000 (OE)\n"
		"snd_hda 16384 1 two, Live 0xffffffffc0000000\nnowhere 1 0 - Live\n");
	root_text(&root, "/proc/sys/kernel/osrelease", "6.0-test\n");
	root_text(&root, "/lib/modules/6.0-test/kernel/sound/snd-hda.ko.xz", "");
	root_text(&root, "/lib/modules/6.0-test/kernel/sound/two.kobold", "");
	root_text(&root, "/lib/modules/6.0-test/modules.dep", "");
	root_write(&root, "/sys/kernel/notes", notes, sizeof(notes));
	root_write(&root, "/sys/module/two/notes/.note.gnu.build-id", notes, sizeof(notes));
	return root;
}

static void kernel_and_modules_are_mapped(void **state)
{
	struct root root = kernel_root();
	struct result result = record((struct cap_synth_opts){ .root = root.path }, KERNEL, 0);
	struct pd_record rec;
	union pd_body body;

	(void)state;
	assert_true(next(&result, PD_RECORD_MMAP, &rec, &body));
	assert_int_equal(rec.misc, PD_MISC_KERNEL);
	assert_int_equal(body.mmap.pid, UINT32_MAX);
	assert_int_equal(body.mmap.addr, 0xffffffff81000000);
	assert_int_equal(body.mmap.len, 0x500000);
	assert_int_equal(body.mmap.pgoff, 0xffffffff81000000);
	assert_text(&body.mmap.filename, "[kernel.kallsyms]_text");
	check_module(&result, 0xffffffffc0000000, 16384,
		"/lib/modules/6.0-test/kernel/sound/snd-hda.ko.xz");
	check_module(&result, 0xffffffffc0010000, 8192, "[two]");
	assert_false(next(&result, 0, &rec, &body));
	result_free(&result);
	root_destroy(&root);
}

static void kernels_have_build_ids(void **state)
{
	struct root root = kernel_root();
	const struct cap_synth_opts opts = { .root = root.path, .build_ids = true };
	struct result result = record(opts, KERNEL, 0);
	struct pd_record rec;
	union pd_body body;

	(void)state;
	assert_true(next(&result, PD_RECORD_MMAP2, &rec, &body));
	assert_int_equal(rec.misc, PD_MISC_KERNEL | PD_MISC_MMAP_BUILD_ID);
	assert_int_equal(body.mmap2_build_id.build_id.len, 4);
	assert_memory_equal(body.mmap2_build_id.build_id.bytes, "\xab\xcd\xef\1", 4);
	assert_int_equal(body.mmap2_build_id.pgoff, 0xffffffff81000000);
	assert_true(next(&result, PD_RECORD_MMAP2, &rec, &body));
	assert_text(&body.mmap2_build_id.filename, "[two]");
	result_free(&result);
	root_destroy(&root);
}

static void hidden_addresses_give_no_kernel_mapping(void **state)
{
	struct root root = kernel_root();
	struct pd_record rec;
	union pd_body body;

	(void)state;
	root_text(&root, "/proc/kallsyms", "0000000000000000 T _text\n0000000000000000 T _etext\n");
	struct result result = record((struct cap_synth_opts){ .root = root.path }, KERNEL, 0);
	assert_true(result.counts.is_kernel_hidden);
	assert_false(next(&result, 0, &rec, &body));
	result_free(&result);
	root_destroy(&root);
}

/* Load a BPF program that returns 0; negative if the kernel refuses it. */
static int load_program(void)
{
	const struct bpf_insn insns[] = { { .code = BPF_ALU64 | BPF_MOV | BPF_K },
		{ .code = BPF_JMP | BPF_EXIT } };
	union bpf_attr attr = {
		.prog_type = BPF_PROG_TYPE_SOCKET_FILTER,
		.insns = (uintptr_t)insns,
		.insn_cnt = 2,
		.license = (uintptr_t) "GPL",
		.prog_name = "pdconv_test",
	};

	return (int)syscall(SYS_bpf, BPF_PROG_LOAD, &attr, sizeof(attr));
}

static void bpf_programs_have_symbols(void **state)
{
	int fd = load_program();
	struct result result = record((struct cap_synth_opts){ 0 }, BPF, 0);
	struct pd_record rec;
	union pd_body body;
	size_t n = 0;

	(void)state;
	while (next(&result, PD_RECORD_KSYMBOL, &rec, &body)) {
		assert_int_equal(body.ksymbol.ksym_type, PD_KSYMBOL_BPF);
		assert_true(body.ksymbol.addr && body.ksymbol.len);
		n += body.ksymbol.name.len > 12 &&
		     memcmp(body.ksymbol.name.s + body.ksymbol.name.len - 12, "_pdconv_test", 12) ==
			     0;
	}
	/* The kernel reports symbols only with a JIT compiler and permission to see addresses. */
	if (fd >= 0 && result.counts.programs)
		assert_int_equal(n, 1);
	if (fd >= 0)
		close(fd);
	result_free(&result);
}

static void cgroups_are_a_tree(void **state)
{
	struct root root = root_create();
	struct pd_record rec;
	union pd_body body;
	struct stat st;

	(void)state;
	root_text(&root, "/cg/a b/c/cgroup.procs", "");
	root_text(&root, "/proc/mounts", "x /y ext4 rw 0 0\nx /cg cgroup2 rw 0 0\n");
	struct result result = record((struct cap_synth_opts){ .root = root.path }, CGROUPS, 0);
	static const char *const names[] = { "", "/a b", "/a b/c" };
	for (size_t i = 0; i < 3; i++) {
		char path[PATH_MAX];

		snprintf(path, sizeof(path), "%s/cg%s", root.path, names[i]);
		assert_int_equal(stat(path, &st), 0);
		assert_true(next(&result, PD_RECORD_CGROUP, &rec, &body));
		assert_text(&body.cgroup.path, i ? names[i] : "/");
		assert_int_not_equal(body.cgroup.id, 0);
	}
	assert_int_equal(result.counts.cgroups, 3);
	result_free(&result);
	root_destroy(&root);
}

static struct pd_error *refuse(void *ctx, const void *record_, size_t size)
{
	(void)record_;
	(void)size;
	++*(int *)ctx;
	return pd_error_create(PD_ERROR_OS, NULL, "full");
}

static void an_error_of_the_callback_stops_synthesis(void **state)
{
	const struct cap_synth_opts opts = { 0 };
	struct cap_synth *synth;
	int n = 0;

	(void)state;
	assert_ok(cap_synth_create(&opts, refuse, &n, &synth));
	assert_error(cap_synth_all(synth), PD_ERROR_OS);
	assert_int_equal(n, 1);
	cap_synth_destroy(synth);
	cap_synth_destroy(NULL);
}

/* Build ids of damaged files. */

static void load_self(struct bytes *b)
{
	FILE *in = fopen("/proc/self/exe", "rb");
	uint8_t buf[16384];
	size_t n = fread(buf, 1, sizeof(buf), in);

	bytes_add(b, buf, n);
	fclose(in);
}

static void damaged_files_have_no_wrong_build_id(void **state)
{
	struct root root = root_create();
	struct pd_build_id whole;
	struct bytes self = { 0 };
	char path[PATH_MAX];

	(void)state;
	snprintf(path, sizeof(path), "%s/x", root.path);
	load_self(&self);
	bool has_id = cap_build_id_file("/proc/self/exe", &whole);
	for (size_t n = 0; n < 4096; n += n < 256 ? 1 : 37) {
		struct pd_build_id id;

		root_write(&root, "/x", self.data, n);
		if (cap_build_id_file(path, &id))
			assert_true(has_id && pd_build_id_equal(&id, &whole));
	}
	for (size_t at = 0; at < 1024; at++) {
		struct pd_build_id id;
		uint8_t kept = self.data[at];

		self.data[at] = (uint8_t)(at & 1 ? 0xff : 0x80);
		root_write(&root, "/x", self.data, self.n);
		(void)!cap_build_id_file(path, &id);
		self.data[at] = kept;
	}
	bytes_free(&self);
	root_destroy(&root);
}

/* Reading a FIFO would block forever. */
static void pipes_and_devices_are_not_opened(void **state)
{
	struct root root = root_create();
	struct pd_build_id id;
	char path[PATH_MAX];

	(void)state;
	snprintf(path, sizeof(path), "%s/fifo", root.path);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_false(cap_build_id_file(path, &id));
	assert_false(cap_build_id_file("/dev/zero", &id));
	assert_false(cap_build_id_file("/nowhere", &id));
	root_destroy(&root);
}

/* Without access to map_files, a file of that name must have the same inode. */
static void a_replaced_file_gives_no_build_id(void **state)
{
	struct root root = root_create();
	struct cap_machine machine = cap_machine_init(root.path);
	struct cap_build_ids cache = { 0 };
	struct pd_build_id id;
	struct pd_build_id expected;
	struct bytes self = { 0 };
	char path[PATH_MAX];
	struct stat st;

	(void)state;
	load_self(&self);
	root_write(&root, "/proc/7/root/bin/x", self.data, self.n);
	snprintf(path, sizeof(path), "%s/proc/7/root/bin/x", root.path);
	if (cap_build_id_file(path, &expected)) {
		struct cap_mapping mapping = { .end = 1, .min = 3, .name = "/bin/x" };

		assert_int_equal(stat(path, &st), 0);
		mapping.ino = st.st_ino;
		assert_ok(cap_build_ids_find(&cache, &machine, 7, &mapping, &id));
		assert_true(id.len && pd_build_id_equal(&id, &expected));
		mapping.ino++;
		assert_ok(cap_build_ids_find(&cache, &machine, 7, &mapping, &id));
		assert_int_equal(id.len, 0);
		assert_int_equal(cache.ids.n, 1);
		mapping.ino--;
		assert_int_equal(remove(path), 0);
		assert_ok(cap_build_ids_find(&cache, &machine, 7, &mapping, &id));
		assert_int_equal(id.len, expected.len);
	}
	cap_build_ids_deinit(&cache);
	bytes_free(&self);
	root_destroy(&root);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(mappings_are_those_of_proc),
		cmocka_unit_test(build_ids_are_those_of_readelf),
		cmocka_unit_test(threads_are_in_the_order_of_perf),
		cmocka_unit_test(a_thread_comes_with_its_process),
		cmocka_unit_test(a_process_that_is_gone_is_no_error),
		cmocka_unit_test(unreadable_mappings_are_counted),
		cmocka_unit_test(all_processes_are_found_while_others_come_and_go),
		cmocka_unit_test(mappings_can_be_postponed),
		cmocka_unit_test(odd_lines_become_valid_records),
		cmocka_unit_test(mappings_of_a_thread_are_those_of_its_process),
		cmocka_unit_test(mappings_that_take_too_long_are_cut),
		cmocka_unit_test(kernel_and_modules_are_mapped),
		cmocka_unit_test(kernels_have_build_ids),
		cmocka_unit_test(hidden_addresses_give_no_kernel_mapping),
		cmocka_unit_test(bpf_programs_have_symbols),
		cmocka_unit_test(cgroups_are_a_tree),
		cmocka_unit_test(an_error_of_the_callback_stops_synthesis),
		cmocka_unit_test(damaged_files_have_no_wrong_build_id),
		cmocka_unit_test(pipes_and_devices_are_not_opened),
		cmocka_unit_test(a_replaced_file_gives_no_build_id),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

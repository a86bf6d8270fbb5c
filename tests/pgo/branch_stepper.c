/*
 * Record the branches of a program with branch stacks, without a processor that records them: the
 * program is single-stepped.
 *
 * branch_stepper OUT TRUTH DEPTH EVERY PROGRAM [ARGUMENT...]
 *
 * OUT is what `perf record -j any,u` would write on a processor with branch stacks of DEPTH entries
 * that samples every EVERY taken branches. TRUTH has the branches that the program took, one line
 * "FROM TO N MISPREDICTED" each, with process addresses. If EVERY is DEPTH, each of them is in
 * exactly one branch stack: the last sample, at the end of the program, has only those that no
 * earlier one has.
 *
 * Stepping begins where the program does: the dynamic linker before it would take most of the time.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <pdconv/pdconv.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/containers/intern.h"
#include "tests/pgo/branch_decode.h"
#include "tests/unwind/die.h"
#include "tests/unwind/image.h"
#include "tests/unwind/mappings.h"

enum {
	FIRST_TIME = 1000000000,
	STEP_NS = 1000,
	PERIOD = 100003,
	MAX_DEPTH = 64,
	KNOWN_CODE = 1 << 16,
	MISPREDICTED = 1,
	PREDICTED = 2
};

/* A branch as in a branch stack (struct perf_branch_entry). */
struct entry {
	uint64_t from;
	uint64_t to;
	uint64_t flags;
};

/* An instruction that was executed, and what a simple processor predicts if it is a branch. */
struct known {
	uint64_t addr;
	size_t length;
	enum branch_kind kind;
	/* Saturating counter of conditional branches; the target of others. */
	unsigned counter;
	uint64_t target;
};

struct edge {
	uint64_t from;
	uint64_t to;
};

struct count {
	uint64_t n;
	uint64_t mispredicted;
};

struct stepper {
	pid_t pid;
	int memory;
	size_t depth;
	size_t every;
	/* The last branches, newest first. */
	struct entry stack[MAX_DEPTH];
	size_t n_stack;
	size_t n_since_sample;
	struct known *known;
	struct base_intern edges;
	PD_VEC(struct count) counts;
	struct mappings recorded;
	struct pd_writer *writer;
	struct pd_plan plan;
	struct pd_bytes record;
	struct pd_bytes build_ids;
	uint64_t time;
};

static void check(struct pd_error *err)
{
	if (!err)
		return;
	_cleanup_free_ char *text = pd_error_string(err);
	die("%s", text ? text : "no memory");
}

/* The attr of perf record -e cycles:u -j any,u -c PERIOD. */
static struct pd_attr make_attr(void)
{
	enum { KERNEL_6_1_BYTES = 128, BRANCH_USER = 1 };
	static const enum pd_attr_flag flags[] = { PD_ATTR_disabled, PD_ATTR_inherit,
		PD_ATTR_exclude_kernel, PD_ATTR_exclude_hv, PD_ATTR_mmap, PD_ATTR_comm,
		PD_ATTR_enable_on_exec, PD_ATTR_task, PD_ATTR_sample_id_all, PD_ATTR_exclude_guest,
		PD_ATTR_mmap2, PD_ATTR_comm_exec };
	struct pd_attr attr = {
		.type = PD_TYPE_HARDWARE,
		.size = KERNEL_6_1_BYTES,
		.sample_period = PERIOD,
		.sample_type = 1 << PD_SAMPLE_IP | 1 << PD_SAMPLE_TID | 1 << PD_SAMPLE_TIME |
			       1 << PD_SAMPLE_PERIOD | 1 << PD_SAMPLE_BRANCH_STACK,
		.branch_sample_type = BRANCH_USER | PD_BRANCH_ANY,
	};

	for (size_t i = 0; i < PD_ARRAY_LEN(flags); i++)
		attr.flags |= (uint64_t)1 << flags[i];
	return attr;
}

static void add_text(struct stepper *s, enum pd_feature_bit bit, const char *text)
{
	struct pd_string body = { .value = { .s = text, .len = strlen(text) } };
	struct pd_bytes out = { 0 };

	pd_layout_encode(&pd_layout_string, &body, NULL, &out);
	check(pd_writer_add_feature(s->writer, bit, out.buf.data, out.buf.n));
	pd_bytes_deinit(&out);
}

static void begin_recording(struct stepper *s, FILE *out, const char *path)
{
	const struct pd_writer_opts opts = { 0 };
	const struct pd_attr attr = make_attr();
	const uint64_t id = 1;

	check(pd_writer_create(out, path, &opts, &s->writer));
	pd_plan_compile(&attr, &s->plan);
	check(pd_writer_add_event(s->writer, &attr, &id, 1));
	add_text(s, PD_FEATURE_HOSTNAME, "recorder");
	add_text(s, PD_FEATURE_OSRELEASE, "6.1.0");
	add_text(s, PD_FEATURE_ARCH, "x86_64");
}

static void add_record(struct stepper *s)
{
	if (s->record.failed)
		die("no memory");
	check(pd_writer_add_records(s->writer, s->record.buf.data, s->record.buf.n));
	s->record.buf.n = 0;
}

static void encode(
	struct stepper *s, const struct pd_layout *layout, uint16_t misc, const union pd_body *body)
{
	struct pd_sid sid = { .pid = (uint32_t)s->pid, .tid = (uint32_t)s->pid, .time = s->time };
	struct pd_bytes trailer = { 0 };

	pd_sid_encode(&s->plan, &sid, &trailer);
	if (!pd_record_encode(layout, misc, body, trailer.buf.data, trailer.buf.n, &s->record))
		die("a record is too large");
	pd_bytes_deinit(&trailer);
	add_record(s);
}

static struct pd_str str(const char *text)
{
	return (struct pd_str){ .s = text, .len = strlen(text) };
}

static void add_comm(struct stepper *s, const char *program)
{
	const char *slash = strrchr(program, '/');
	const union pd_body body = { .comm = { (uint32_t)s->pid, (uint32_t)s->pid,
					     str(slash ? slash + 1 : program) } };

	encode(s, &pd_layout_comm, PD_MISC_COMM_EXEC, &body);
}

/* Add the build id of a file to the feature BUILD_ID. */
static void add_build_id(struct stepper *s, const char *path)
{
	struct image image;
	uint8_t id[24] = { 0 };

	if (path[0] != '/' || !image_read(path, &image) || !image.build_id.len)
		return;
	memcpy(id, image.build_id.bytes, image.build_id.len);
	id[PD_BUILD_ID_MAX] = image.build_id.len;
	size_t start = pd_record_begin(0, PD_MISC_USER | PD_MISC_BUILD_ID_SIZE, &s->build_ids);
	pd_bytes_u32(&s->build_ids, (uint32_t)s->pid);
	pd_bytes_put(&s->build_ids, id, sizeof(id));
	pd_bytes_put(&s->build_ids, path, strlen(path) + 1);
	if (!pd_record_end(start, &s->build_ids))
		die("a path is too long");
}

static void add_mapping(struct stepper *s, const struct mapping *mapping)
{
	const union pd_body body = { .mmap2 = {
					     .pid = (uint32_t)s->pid,
					     .tid = (uint32_t)s->pid,
					     .addr = mapping->start,
					     .len = mapping->end - mapping->start,
					     .pgoff = mapping->offset,
					     .maj = mapping->major,
					     .min = mapping->minor,
					     .ino = mapping->inode,
					     .prot = (uint32_t)mapping->prot,
					     .flags = MAP_PRIVATE,
					     .filename = str(
						     mapping->path[0] ? mapping->path : "//anon"),
				     } };

	encode(s, &pd_layout_mmap2, PD_MISC_USER, &body);
	add_build_id(s, mapping->path);
	if (!pd_vec_push(&s->recorded.list, *mapping))
		die("no memory");
}

/* Record the executable mappings that are new. */
static void add_mappings(struct stepper *s)
{
	struct mappings now = { 0 };

	mappings_read(s->pid, &now);
	for (size_t i = 0; i < now.list.n; i++) {
		const struct mapping *mapping = &now.list.data[i];

		if (mapping->prot & PROT_EXEC && !mappings_find(&s->recorded, mapping->start))
			add_mapping(s, mapping);
	}
	mappings_deinit(&now);
}

static void add_sample(struct stepper *s, uint64_t ip)
{
	const struct pd_sample sample = {
		.ip = ip,
		.pid = (uint32_t)s->pid,
		.tid = (uint32_t)s->pid,
		.time = s->time,
		.period = PERIOD,
		.branch_stack = { .entries = { .data = (const uint8_t *)s->stack,
					  .elem_size = sizeof(struct entry),
					  .n = s->n_stack },
			.lacks_hw_idx = true },
	};

	if (!pd_sample_encode(&s->plan, PD_MISC_USER, &sample, &s->record))
		die("a sample is too large");
	add_record(s);
}

/* Predict a branch, and learn from what it does. Returns whether the prediction was wrong. */
static bool is_mispredicted(struct known *known, bool is_taken, uint64_t to)
{
	bool is_wrong = false;

	if (known->kind == BRANCH_CONDITIONAL) {
		is_wrong = (known->counter >= 2) != is_taken;
		if (is_taken && known->counter < 3)
			known->counter++;
		else if (!is_taken && known->counter)
			known->counter--;
	} else if (known->kind == BRANCH_INDIRECT) {
		is_wrong = known->target != to;
		known->target = to;
	}
	return is_wrong;
}

static void count(struct stepper *s, const struct entry *entry)
{
	const struct edge edge = { entry->from, entry->to };
	const struct count none = { 0 };
	uint32_t id = base_intern_add(&s->edges, &edge, sizeof(edge));

	if (id == PD_INTERN_NONE || (id == s->counts.n && !pd_vec_push(&s->counts, none)))
		die("no memory");
	s->counts.data[id].n++;
	s->counts.data[id].mispredicted += entry->flags == MISPREDICTED;
}

static void take_branch(struct stepper *s, uint64_t from, uint64_t to, bool is_wrong)
{
	const struct entry entry = { from, to, is_wrong ? MISPREDICTED : PREDICTED };

	count(s, &entry);
	memmove(&s->stack[1], &s->stack[0], (s->depth - 1) * sizeof(entry));
	s->stack[0] = entry;
	s->n_stack += s->n_stack < s->depth;
	if (++s->n_since_sample < s->every)
		return;
	s->n_since_sample = 0;
	add_sample(s, to);
}

/* Look at the instruction at @p pc, which is decoded once. */
static struct known *look(struct stepper *s, uint64_t pc)
{
	struct known *known = &s->known[pc % KNOWN_CODE];
	uint8_t code[BRANCH_CODE_BYTES] = { 0 };

	if (known->addr == pc)
		return known;
	if (pread(s->memory, code, sizeof(code), (off_t)pc) <= 0)
		die("no code at %#" PRIx64, pc);
	*known = (struct known){ .addr = pc };
	known->kind = branch_decode(code, &known->length);
	return known;
}

static struct user_regs_struct get_regs(const struct stepper *s)
{
	struct user_regs_struct regs;

	if (ptrace(PTRACE_GETREGS, s->pid, NULL, &regs) < 0)
		die("registers: %s", strerror(errno));
	return regs;
}

/* Execute one instruction. Returns false when the program has ended. */
static bool step(struct stepper *s)
{
	int status;

	if (ptrace(PTRACE_SINGLESTEP, s->pid, NULL, NULL) < 0 || waitpid(s->pid, &status, 0) < 0)
		die("step: %s", strerror(errno));
	if (WIFEXITED(status) && WEXITSTATUS(status))
		die("the program failed");
	if (WIFSTOPPED(status) && WSTOPSIG(status) != SIGTRAP)
		die("the program got signal %d", WSTOPSIG(status));
	return WIFSTOPPED(status);
}

static void run(struct stepper *s)
{
	struct user_regs_struct regs = get_regs(s);

	for (;;) {
		struct known *known = look(s, regs.rip);
		uint64_t from = regs.rip;

		if (!step(s))
			return;
		s->time += STEP_NS;
		regs = get_regs(s);
		/* The system call is known from the registers after it. */
		if (known->kind == BRANCH_NONE) {
			if (regs.orig_rax == SYS_mmap || regs.orig_rax == SYS_mprotect)
				add_mappings(s);
			continue;
		}
		bool is_taken =
			known->kind != BRANCH_CONDITIONAL || regs.rip != from + known->length;
		bool is_wrong = is_mispredicted(known, is_taken, regs.rip);
		if (is_taken)
			take_branch(s, from, regs.rip, is_wrong);
	}
}

/* Find the first instruction of the program, as the dynamic linker does. */
static uint64_t find_entry(const struct stepper *s)
{
	struct {
		uint64_t type;
		uint64_t value;
	} aux = { .type = AT_NULL };
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/auxv", s->pid);
	_cleanup_fclose_ FILE *in = fopen(path, "re");
	while (in && aux.type != AT_ENTRY && fread(&aux, sizeof(aux), 1, in) == 1)
		;
	if (aux.type != AT_ENTRY)
		die("%s: no entry point", path);
	return aux.value;
}

/* Let the program run until it executes the instruction at @p addr. */
static void run_to(const struct stepper *s, uint64_t addr)
{
	void *at = (void *)(uintptr_t)addr;
	struct user_regs_struct regs;
	int status;

	errno = 0;
	long code = ptrace(PTRACE_PEEKTEXT, s->pid, at, NULL);
	long breakpoint = (code & ~0xffL) | 0xcc;
	if (errno || ptrace(PTRACE_POKETEXT, s->pid, at, (void *)breakpoint) < 0 ||
		ptrace(PTRACE_CONT, s->pid, NULL, NULL) < 0 || waitpid(s->pid, &status, 0) < 0 ||
		!WIFSTOPPED(status) || WSTOPSIG(status) != SIGTRAP)
		die("the program does not reach its first instruction");
	if (ptrace(PTRACE_POKETEXT, s->pid, at, (void *)code) < 0 ||
		ptrace(PTRACE_GETREGS, s->pid, NULL, &regs) < 0)
		die("cannot remove a breakpoint: %s", strerror(errno));
	regs.rip = addr;
	if (ptrace(PTRACE_SETREGS, s->pid, NULL, &regs) < 0)
		die("cannot set the registers: %s", strerror(errno));
}

static void start(struct stepper *s, char **argv)
{
	char path[64];
	int status;

	s->pid = fork();
	if (s->pid == 0) {
		personality(ADDR_NO_RANDOMIZE);
		if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) == 0)
			execv(argv[0], argv);
		_exit(127);
	}
	if (waitpid(s->pid, &status, 0) < 0 || !WIFSTOPPED(status))
		die("cannot run '%s'", argv[0]);
	run_to(s, find_entry(s));
	snprintf(path, sizeof(path), "/proc/%d/mem", s->pid);
	s->memory = open(path, O_RDONLY | O_CLOEXEC);
	if (s->memory < 0)
		die("%s: %s", path, strerror(errno));
}

static void write_truth(const struct stepper *s, const char *path)
{
	_cleanup_fclose_ FILE *out = fopen(path, "we");

	if (!out)
		die("%s: %s", path, strerror(errno));
	for (uint32_t i = 0; i < s->edges.n; i++) {
		const struct edge *edge = base_intern_bytes(&s->edges, i);

		fprintf(out, "%" PRIx64 " %" PRIx64 " %" PRIu64 " %" PRIu64 "\n", edge->from,
			edge->to, s->counts.data[i].n, s->counts.data[i].mispredicted);
	}
}

static void finish_recording(struct stepper *s, FILE *out)
{
	s->n_stack = s->n_since_sample < s->depth ? s->n_since_sample : s->depth;
	if (s->n_stack)
		add_sample(s, s->stack[0].to);
	check(pd_writer_add_feature(
		s->writer, PD_FEATURE_BUILD_ID, s->build_ids.buf.data, s->build_ids.buf.n));
	check(pd_writer_finish(s->writer));
	pd_writer_destroy(s->writer);
	if (fclose(out) != 0)
		die("cannot write the recording");
}

int main(int argc, char **argv)
{
	enum { OUT = 1, TRUTH, DEPTH, EVERY, PROGRAM };
	struct stepper s = { .time = FIRST_TIME, .edges.width = sizeof(struct edge) };

	if (argc <= PROGRAM)
		die("usage: branch_stepper OUT TRUTH DEPTH EVERY PROGRAM [ARGUMENT...]");
	s.depth = strtoul(argv[DEPTH], NULL, 10);
	s.every = strtoul(argv[EVERY], NULL, 10);
	s.known = calloc(KNOWN_CODE, sizeof(*s.known));
	FILE *out = fopen(argv[OUT], "w+be");
	if (!s.known || !out || !s.depth || s.depth > MAX_DEPTH || !s.every)
		die("cannot write '%s', or no depth from 1 to %d", argv[OUT], MAX_DEPTH);
	start(&s, argv + PROGRAM);
	begin_recording(&s, out, argv[OUT]);
	add_comm(&s, argv[PROGRAM]);
	add_mappings(&s);
	run(&s);
	finish_recording(&s, out);
	write_truth(&s, argv[TRUTH]);
	base_intern_deinit(&s.edges);
	pd_vec_deinit(&s.counts);
	mappings_deinit(&s.recorded);
	pd_bytes_deinit(&s.record);
	pd_bytes_deinit(&s.build_ids);
	free(s.known);
	close(s.memory);
	return 0;
}

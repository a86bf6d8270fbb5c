#include "capture/run/blocked_threads.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include <pdconv/arch.h>
#include <pdconv/record.h>
#include <pdconv/sample.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/containers/intern.h"
#include "capture/bpf/task_regs.h"
#include "capture/machine/machine.h"

enum {
	MAX_KERNEL_FRAMES = 64,
	MAX_USER_FRAMES = 127,
	/** Bytes of a stack that fit a record with all other fields. */
	MAX_STACK_BYTES = (UINT16_MAX & ~7) - 2048,
};

struct cap_blocked {
	struct cap_machine machine;
	const struct pd_arch *arch;
	struct pd_attr attr;
	struct pd_plan plan;
	uint64_t id;
	/** Bytes of the stack in a sample. */
	size_t stack_bytes;
	/** Functions of the kernel, and their addresses by the index of the name; 0: hidden. */
	struct base_intern names;
	PD_VEC(uint64_t) addresses;
	/** Reads registers; NULL: they cannot be read. */
	struct cap_task_regs *regs;
	struct cap_blocked_counts counts;
};

/** Contents of /proc/TID/status. They are the same again if the thread has not run in between. */
struct status {
	char state;
	uint32_t pid;
	/** Number of times the thread left its CPU to wait, and because it was preempted. */
	uint64_t n_left;
	uint64_t n_preempted;
};

/** A blocked thread. */
struct waiting {
	uint32_t tid;
	struct status status;
	uint64_t sp;
	uint64_t pc;
	uint64_t time;
	uint64_t waited_ns;
	/** Registers of attr.sample_regs_user. */
	uint64_t regs[64];
	/** The call chain with its context markers. */
	uint64_t chain[MAX_KERNEL_FRAMES + MAX_USER_FRAMES + 3];
	size_t n_chain;
	/** Copy of the stack from sp on: stack_bytes, of which n_stack were read. */
	uint8_t *stack;
	size_t n_stack;
};

/* Whether the kernel follows frame pointers in user space for the samples of the event. */
static bool has_user_chain(const struct pd_attr *attr)
{
	return attr->sample_type >> PD_SAMPLE_CALLCHAIN & 1 &&
	       !pd_attr_has(attr, PD_ATTR_exclude_callchain_user);
}

struct pd_error *cap_blocked_create(
	const struct pd_attr *attr, uint64_t id, struct cap_blocked **ret)
{
	struct cap_blocked *blocked = calloc(1, sizeof(*blocked));

	if (!blocked)
		return &pd_enomem;
	blocked->machine = cap_machine_init(NULL);
	blocked->arch = pd_arch_of_machine();
	blocked->attr = *attr;
	pd_plan_compile(attr, &blocked->plan);
	blocked->id = id;
	blocked->stack_bytes = attr->sample_stack_user < MAX_STACK_BYTES ? attr->sample_stack_user
									 : MAX_STACK_BYTES;
	if (attr->sample_regs_user || has_user_chain(attr))
		blocked->regs = cap_task_regs_create();
	*ret = blocked;
	return NULL;
}

void cap_blocked_destroy(struct cap_blocked *blocked)
{
	if (!blocked)
		return;
	cap_task_regs_destroy(blocked->regs);
	base_intern_deinit(&blocked->names);
	pd_vec_deinit(&blocked->addresses);
	free(blocked);
}

struct cap_blocked_counts cap_blocked_counts(const struct cap_blocked *blocked)
{
	return blocked->counts;
}

/* Functions of the kernel. */

/* Cut the next function off the text of /proc/TID/stack: "[<0>] do_nanosleep+0x6e/0x1a0". */
static bool next_function(char **at, const char **name_ret, uint64_t *offset_ret)
{
	char *line = strsep(at, "\n");
	char *name = line ? strstr(line, "] ") : NULL;
	char *plus = name ? strrchr(name, '+') : NULL;

	if (!plus)
		return false;
	*plus = '\0';
	*name_ret = name + 2;
	*offset_ret = strtoull(plus + 1, NULL, 16);
	return true;
}

static struct pd_error *learn_names(struct cap_blocked *blocked, pid_t tid)
{
	_cleanup_free_ char *text =
		cap_machine_read(&blocked->machine, NULL, "/proc/%d/stack", tid);
	char *at = text;
	const char *name;
	uint64_t offset;

	while (at && next_function(&at, &name, &offset)) {
		if (base_intern_str(&blocked->names, name) == PD_INTERN_NONE)
			return &pd_enomem;
	}
	return NULL;
}

/* Take "ADDRESS TYPE NAME" of /proc/kallsyms. The first function of a name is not in a module. */
static void take_symbol(struct cap_blocked *blocked, char *line)
{
	char *end;
	uint64_t address = strtoull(line, &end, 16);

	if (strncmp(end, " t ", 3) != 0 && strncmp(end, " T ", 3) != 0)
		return;
	char *name = end + 3;
	uint32_t i = base_intern_find(&blocked->names, name, strcspn(name, "\t\n"));
	if (i != PD_INTERN_NONE && !blocked->addresses.data[i])
		blocked->addresses.data[i] = address;
}

static struct pd_error *find_addresses(struct cap_blocked *blocked)
{
	size_t n = blocked->names.n;
	_cleanup_fclose_ FILE *in = cap_machine_open(&blocked->machine, "/proc/kallsyms");
	_cleanup_free_ char *line = NULL;
	size_t cap = 0;

	if (!pd_vec_reserve(&blocked->addresses, n))
		return &pd_enomem;
	memset(blocked->addresses.data, 0, n * sizeof(*blocked->addresses.data));
	blocked->addresses.n = n;
	while (in && getline(&line, &cap, in) > 0)
		take_symbol(blocked, line);
	return NULL;
}

struct pd_error *cap_blocked_learn(struct cap_blocked *blocked, const pid_t *tids, size_t n)
{
	if (pd_attr_has(&blocked->attr, PD_ATTR_exclude_callchain_kernel))
		return NULL;
	for (size_t i = 0; i < n; i++) {
		struct pd_error *err = learn_names(blocked, tids[i]);

		if (err)
			return err;
	}
	struct pd_error *err = cap_machine_check(&blocked->machine);
	/* Only root can read the stacks. */
	return err || !blocked->names.n ? err : find_addresses(blocked);
}

static void add_kernel_chain(struct cap_blocked *blocked, struct waiting *w)
{
	_cleanup_free_ char *text =
		cap_machine_read(&blocked->machine, NULL, "/proc/%" PRIu32 "/stack", w->tid);
	char *at = text;
	const char *name;
	uint64_t offset;

	while (at && w->n_chain <= MAX_KERNEL_FRAMES && next_function(&at, &name, &offset)) {
		uint32_t i = base_intern_find(&blocked->names, name, strlen(name));

		if (i >= blocked->addresses.n || !blocked->addresses.data[i])
			return;
		if (!w->n_chain)
			w->chain[w->n_chain++] = PD_CONTEXT_KERNEL;
		w->chain[w->n_chain++] = blocked->addresses.data[i] + offset;
	}
}

/*
 * Copy @p size bytes at @p at of the process. Returns false and sets errno if they cannot be read,
 * as by a 32-bit process beyond 4 GiB.
 */
static bool read_memory(const struct waiting *w, uint64_t at, void *to, size_t size)
{
	struct iovec local = { to, size };
	struct iovec remote = { (void *)(uintptr_t)at, size };

	errno = EFAULT;
	return (uintptr_t)at == at &&
	       process_vm_readv((pid_t)w->tid, &local, 1, &remote, 1, 0) == (ssize_t)size;
}

/* Follow the frame pointers, as the kernel does for other samples. */
static void add_callers(const struct cap_blocked *blocked, struct waiting *w)
{
	const struct pd_reg *reg = pd_reg_find(blocked->arch, "bp");
	uint64_t fp = 0, frame[2];

	if (!reg)
		reg = pd_reg_find(blocked->arch, "x29");
	if (!reg || !blocked->regs ||
		!cap_task_regs_read(blocked->regs, (pid_t)w->tid, (uint64_t)1 << reg->perf, &fp))
		return;
	for (size_t i = 1; i < MAX_USER_FRAMES && fp >= w->sp && fp % 8 == 0; i++) {
		if (!read_memory(w, fp, frame, sizeof(frame)) || !frame[1])
			return;
		w->chain[w->n_chain++] = frame[1];
		if (frame[0] <= fp)
			return;
		fp = frame[0];
	}
}

static void add_chain(struct cap_blocked *blocked, struct waiting *w)
{
	if (!pd_attr_has(&blocked->attr, PD_ATTR_exclude_callchain_kernel))
		add_kernel_chain(blocked, w);
	/* Copies of stacks are unwound by readers of the recording. */
	if (blocked->stack_bytes)
		return;
	w->chain[w->n_chain++] = PD_CONTEXT_USER;
	w->chain[w->n_chain++] = w->pc;
	if (has_user_chain(&blocked->attr))
		add_callers(blocked, w);
}

/* The state and the stack of a thread. */

static bool read_status(struct cap_blocked *blocked, uint32_t tid, struct status *ret)
{
	_cleanup_free_ char *text =
		cap_machine_read(&blocked->machine, NULL, "/proc/%" PRIu32 "/status", tid);
	int n = 0;

	*ret = (struct status){ 0 };
	for (char *at = text, *line; at && (line = strsep(&at, "\n"));) {
		n += sscanf(line, "State: %c", &ret->state) == 1;
		n += sscanf(line, "Tgid: %" SCNu32, &ret->pid) == 1;
		n += sscanf(line, "voluntary_ctxt_switches: %" SCNu64, &ret->n_left) == 1;
		n += sscanf(line, "nonvoluntary_ctxt_switches: %" SCNu64, &ret->n_preempted) == 1;
	}
	return n == 4;
}

static bool is_blocked(const struct status *status)
{
	return strchr("SDTt", status->state) != NULL;
}

static bool is_same(const struct status *a, const struct status *b)
{
	return a->state == b->state && a->pid == b->pid && a->n_left == b->n_left &&
	       a->n_preempted == b->n_preempted;
}

/*
 * Read "NUMBER ARGUMENT ... SP PC" of the system call, or "-1 SP PC" outside of one; an errno. The
 * file of a thread that runs has another word.
 */
static int read_pointers(struct cap_blocked *blocked, struct waiting *w)
{
	errno = 0;
	_cleanup_free_ char *text =
		cap_machine_read(&blocked->machine, NULL, "/proc/%" PRIu32 "/syscall", w->tid);
	char *pc = text ? strrchr(text, ' ') : NULL;

	if (!pc)
		return text ? EAGAIN : errno;
	*pc = '\0';
	char *sp = strrchr(text, ' ');
	w->pc = strtoull(pc + 1, NULL, 16);
	w->sp = sp ? strtoull(sp + 1, NULL, 16) : 0;
	return w->sp && w->pc ? 0 : EAGAIN;
}

/* Copy the stack page by page, up to the end of its mapping; an errno. */
static int read_stack(const struct cap_blocked *blocked, struct waiting *w)
{
	size_t wanted = blocked->stack_bytes;
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	while (w->n_stack < wanted) {
		uint64_t from = w->sp + w->n_stack;
		size_t n = page - from % page;

		if (n > wanted - w->n_stack)
			n = wanted - w->n_stack;
		if (!read_memory(w, from, w->stack + w->n_stack, n))
			return w->n_stack ? 0 : errno;
		w->n_stack += n;
	}
	return 0;
}

/* Registers of a 64-bit program, unless its stack is where only those of 32-bit programs are. */
static uint64_t abi_of(const struct cap_blocked *blocked, const struct waiting *w)
{
	bool is_compat = blocked->arch->compat && w->sp >> 32 == 0;

	return blocked->arch->word == 8 && !is_compat ? PD_REGS_ABI_64 : PD_REGS_ABI_32;
}

/* Set a register in the list of those that samples have. */
static void set_reg(uint64_t *values, uint64_t mask, unsigned bit, uint64_t value)
{
	if (mask >> bit & 1)
		values[__builtin_popcountll(mask & (((uint64_t)1 << bit) - 1))] = value;
}

static void read_regs(const struct cap_blocked *blocked, struct waiting *w)
{
	uint64_t mask = blocked->attr.sample_regs_user;
	const struct pd_reg *sp = pd_reg_find(blocked->arch, "sp");

	if (blocked->regs && abi_of(blocked, w) == PD_REGS_ABI_64 &&
		!cap_task_regs_read(blocked->regs, (pid_t)w->tid, mask, w->regs))
		memset(w->regs, 0, sizeof(w->regs));
	set_reg(w->regs, mask, blocked->arch->pc, w->pc);
	if (sp)
		set_reg(w->regs, mask, sp->perf, w->sp);
}

static struct pd_error *encode(
	struct cap_blocked *blocked, const struct waiting *w, struct pd_bytes *out)
{
	uint64_t mask = blocked->attr.sample_regs_user;
	const struct pd_sample sample = {
		.id = blocked->id,
		.ip = w->pc,
		.pid = w->status.pid,
		.tid = w->tid,
		.time = w->time,
		.period = w->waited_ns,
		.callchain = { (const uint8_t *)w->chain, 8, false, w->n_chain },
		.regs_user = {
			.abi = abi_of(blocked, w),
			.mask = mask,
			.values = { (const uint8_t *)w->regs, 8, false,
				(uint64_t)__builtin_popcountll(mask) },
		},
		.stack_user = {
			.bytes = { w->stack, 1, false, w->n_stack },
			.reserved = blocked->stack_bytes,
			.dyn_size = w->n_stack,
		},
	};

	if (pd_sample_encode(&blocked->plan, PD_MISC_USER, &sample, out))
		blocked->counts.n_sampled++;
	return out->failed ? &pd_enomem : NULL;
}

/* Whether all fields of the samples can be filled. */
static bool is_possible(const struct cap_blocked *blocked)
{
	const uint64_t unknown = (uint64_t)1 << PD_SAMPLE_READ | (uint64_t)1 << PD_SAMPLE_AUX;

	return blocked->arch && !(blocked->attr.sample_type & unknown);
}

struct pd_error *cap_blocked_sample(struct cap_blocked *blocked, pid_t tid,
	struct cap_time_marks *marks, uint64_t begin_ns, struct pd_bytes *out)
{
	struct waiting w = { .tid = (uint32_t)tid };
	struct status after;

	if (!is_possible(blocked) || !read_status(blocked, w.tid, &w.status) ||
		!is_blocked(&w.status) || !cap_time_marks_now(marks, &w.time) || w.time <= begin_ns)
		return cap_machine_check(&blocked->machine);
	w.waited_ns = w.time - begin_ns;
	_cleanup_free_ uint8_t *stack = base_calloc_n(blocked->stack_bytes, 1);
	w.stack = stack;
	if (!stack)
		return &pd_enomem;
	int why = read_pointers(blocked, &w);
	if (!why)
		why = read_stack(blocked, &w);
	if (!why) {
		read_regs(blocked, &w);
		add_chain(blocked, &w);
	}
	/* The stack belongs to the registers only if the thread did not run meanwhile. */
	if (!read_status(blocked, w.tid, &after) || !is_same(&w.status, &after))
		return cap_machine_check(&blocked->machine);
	blocked->counts.n_refused += why == EPERM || why == EACCES;
	return why ? cap_machine_check(&blocked->machine) : encode(blocked, &w, out);
}

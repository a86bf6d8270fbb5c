#include "tests/unwind/target.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <pdconv/vec.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "tests/unwind/die.h"
#include "tests/unwind/image.h"

struct target_ptrace {
	struct target target;
	bool follow;
	/** Known threads. Those that are not stepped run freely. */
	PD_VEC(pid_t) known;
	PD_VEC(pid_t) stepped;
};

#define REG(member) offsetof(struct user_regs_struct, member)

/* Registers by perf's numbers: asm/perf_regs.h. */
static const size_t regs_at[] = { REG(rax), REG(rbx), REG(rcx), REG(rdx), REG(rsi), REG(rdi),
	REG(rbp), REG(rsp), REG(rip), REG(eflags), REG(cs), REG(ss), REG(ds), REG(es), REG(fs),
	REG(gs), REG(r8), REG(r9), REG(r10), REG(r11), REG(r12), REG(r13), REG(r14), REG(r15) };

static struct target_ptrace *self_of(struct target *target)
{
	return (struct target_ptrace *)target;
}

static bool is_stepped(const struct target_ptrace *self, pid_t tid)
{
	for (size_t i = 0; i < self->stepped.n; i++) {
		if (self->stepped.data[i] == tid)
			return true;
	}
	return false;
}

/* Return false if the thread was known. */
static bool add_known(struct target_ptrace *self, pid_t tid)
{
	for (size_t i = 0; i < self->known.n; i++) {
		if (self->known.data[i] == tid)
			return false;
	}
	if (!pd_vec_push(&self->known, tid))
		die("no memory");
	return true;
}

static void add_stepped(struct target_ptrace *self, pid_t tid)
{
	if (!pd_vec_push(&self->stepped, tid))
		die("no memory");
}

static void go_on(enum __ptrace_request how, pid_t tid, int signal)
{
	/* The exit of the program may kill a thread at any time. */
	if (ptrace(how, tid, NULL, (void *)(intptr_t)signal) < 0 && errno != ESRCH)
		die("thread %d: %s", tid, strerror(errno));
}

static pid_t wait_any(int *status_ret)
{
	pid_t tid;

	do
		tid = waitpid(-1, status_ret, __WALL);
	while (tid < 0 && errno == EINTR);
	return tid;
}

/* Continue a thread that is not stepped, whatever stopped it. */
static void let_run(struct target_ptrace *self, pid_t tid, int status)
{
	int signal = WSTOPSIG(status);

	if (add_known(self, tid) || signal == SIGTRAP)
		signal = 0;
	go_on(PTRACE_CONT, tid, signal);
}

static bool take_status(struct target_ptrace *self, pid_t tid, int status, struct target_event *ret)
{
	*ret = (struct target_event){ .kind = TARGET_STEPPED, .tid = tid };
	if (tid < 0 || (!WIFSTOPPED(status) && tid == self->target.pid)) {
		ret->kind = TARGET_EXITED;
		return true;
	}
	if (!WIFSTOPPED(status)) {
		ret->kind = TARGET_DIED;
		return is_stepped(self, tid);
	}
	if (self->follow && add_known(self, tid)) {
		add_stepped(self, tid);
		ret->kind = TARGET_BORN;
		return true;
	}
	if (!is_stepped(self, tid)) {
		let_run(self, tid, status);
		return false;
	}
	if (status >> 16) { /* a new thread; its parent is still in clone() */
		go_on(PTRACE_SINGLESTEP, tid, 0);
		return false;
	}
	if (WSTOPSIG(status) != SIGTRAP) {
		ret->kind = TARGET_SIGNALLED;
		ret->signal = WSTOPSIG(status);
	}
	return true;
}

static struct target_event wait_event(struct target *target)
{
	struct target_event event;
	int status = 0;
	pid_t tid;

	do
		tid = wait_any(&status);
	while (!take_status(self_of(target), tid, status, &event));
	return event;
}

static void step(struct target *target, pid_t tid, int signal)
{
	(void)target;
	go_on(PTRACE_SINGLESTEP, tid, signal);
}

static void get_regs(struct target *target, pid_t tid, struct cpu *ret)
{
	struct user_regs_struct regs;

	(void)target;
	*ret = (struct cpu){ 0 };
	if (ptrace(PTRACE_GETREGS, tid, NULL, &regs) < 0)
		return;
	for (size_t i = 0; i < PD_ARRAY_LEN(regs_at); i++)
		memcpy(&ret->reg[i], (char *)&regs + regs_at[i], sizeof(ret->reg[i]));
}

static void poke(pid_t tid, uint64_t addr, long word)
{
	if (ptrace(PTRACE_POKETEXT, tid, (void *)addr, (void *)word) < 0)
		die("breakpoint at %#lx: %s", addr, strerror(errno));
}

/* Run until the breakpoint is hit. */
static pid_t run_freely(struct target_ptrace *self, pid_t tid)
{
	int status;

	go_on(PTRACE_CONT, tid, 0);
	for (;;) {
		pid_t stopped = wait_any(&status);

		if (stopped < 0 || (!WIFSTOPPED(status) && stopped == self->target.pid))
			die("%s ended early", self->target.program);
		if (!WIFSTOPPED(status))
			continue;
		bool is_new = add_known(self, stopped);
		if (!is_new && status >> 8 == SIGTRAP)
			return stopped;
		go_on(PTRACE_CONT, stopped,
			is_new || WSTOPSIG(status) == SIGTRAP ? 0 : WSTOPSIG(status));
	}
}

/* Threads that run next to a stepped one would time out. */
static void stop_others(struct target_ptrace *self, pid_t tid)
{
	int status;

	for (size_t i = 0; i < self->known.n; i++) {
		pid_t other = self->known.data[i];

		if (other == tid || tgkill(self->target.pid, other, SIGSTOP) < 0)
			continue;
		while (waitpid(other, &status, __WALL) == other && WIFSTOPPED(status) &&
			WSTOPSIG(status) != SIGSTOP)
			go_on(PTRACE_CONT, other, 0);
	}
}

static pid_t run_to(struct target *target, uint64_t pc)
{
	struct target_ptrace *self = self_of(target);
	pid_t tid = self->stepped.data[0];

	errno = 0;
	long word = ptrace(PTRACE_PEEKTEXT, tid, (void *)pc, NULL);
	if (errno)
		die("nothing at %#lx", pc);
	poke(tid, pc, (word & ~0xffL) | 0xcc);
	tid = run_freely(self, tid);
	stop_others(self, tid);
	poke(tid, pc, word);
	if (ptrace(PTRACE_POKEUSER, tid, (void *)REG(rip), (void *)pc) < 0)
		die("thread %d: %s", tid, strerror(errno));
	self->stepped.n = 0;
	add_stepped(self, tid);
	return tid;
}

static void get_mappings(struct target *target, struct mappings *ret)
{
	mappings_read(target->pid, ret);
}

static void destroy(struct target *target)
{
	struct target_ptrace *self = self_of(target);
	int status;

	kill(target->pid, SIGKILL);
	while (waitpid(-1, &status, __WALL) > 0)
		;
	pd_vec_deinit(&self->known);
	pd_vec_deinit(&self->stepped);
	free(self);
}

static const struct target_ops ptrace_ops = {
	.wait = wait_event,
	.step = step,
	.run_to = run_to,
	.regs = get_regs,
	.mappings = get_mappings,
	.destroy = destroy,
};

static void run_program(char **argv)
{
	personality(ADDR_NO_RANDOMIZE);
	if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) == 0)
		execv(argv[0], argv);
	_exit(127);
}

static uint64_t find_bias(struct target *target)
{
	char path[64];
	uint8_t auxv[1024];
	struct image image;

	snprintf(path, sizeof(path), "/proc/%d/auxv", target->pid);
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, auxv, sizeof(auxv));
	if (n <= 0 || !image_read(target->program, &image))
		die("'%s' is not an ELF file, or is not running", target->program);
	return target_auxv(target, auxv, (size_t)n, AT_PHDR) - image.phdrs;
}

struct target *target_ptrace(const struct target_opts *opts)
{
	struct target_ptrace *self = calloc(1, sizeof(*self));
	int status;

	if (!self)
		die("no memory");
	self->target.ops = &ptrace_ops;
	self->target.arch = opts->arch;
	self->target.program = opts->program;
	self->follow = opts->follow;
	self->target.pid = fork();
	if (self->target.pid == 0)
		run_program(opts->argv);
	if (waitpid(self->target.pid, &status, 0) < 0 || !WIFSTOPPED(status))
		die("cannot run '%s'", opts->argv[0]);
	if (ptrace(PTRACE_SETOPTIONS, self->target.pid, NULL,
		    (void *)(intptr_t)(PTRACE_O_EXITKILL | PTRACE_O_TRACECLONE)) < 0)
		die("ptrace: %s", strerror(errno));
	add_known(self, self->target.pid);
	add_stepped(self, self->target.pid);
	self->target.bias = find_bias(&self->target);
	return &self->target;
}

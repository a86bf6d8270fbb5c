/*
 * Run a command whose system calls transfer fewer bytes than it asks for.
 *
 * usage: short_calls [-i] COMMAND [ARGUMENT...]
 *
 * Each read and each write transfers half of the bytes, at least one, as the kernel may do for pipes, signals and file
 * systems. With -i, each of them, and each wait for processes or descriptors, fails with EINTR first. Messages are
 * exempt from that: the C library's standard error does not write them again.
 *
 * This holds for COMMAND, its threads, and the processes that it forks, not for the programs that these execute, and not
 * for the dynamic linker, which does not expect it. Exits with the status of COMMAND, or 128 and the number of the
 * signal that ended it.
 */
#include <elf.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__x86_64__)
typedef struct user_regs_struct registers;
#define REG_IP(regs) (regs)->rip
#define REG_FD(regs) (regs)->rdi
#define REG_COUNT(regs) (regs)->rdx
#elif defined(__aarch64__)
typedef struct user_regs_struct registers;
#define REG_IP(regs) (regs)->pc
#define REG_FD(regs) (regs)->regs[0]
#define REG_COUNT(regs) (regs)->regs[2]
#else
#error "add the registers of this architecture"
#endif

/* Calls whose third argument is a number of bytes. */
static const unsigned transfers[] = { SYS_read, SYS_write, SYS_pread64, SYS_pwrite64 };
/* Calls that only -i changes. */
static const unsigned waits[] = {
#ifdef SYS_poll
	SYS_poll,
#endif
	SYS_ppoll,
	SYS_wait4,
	SYS_waitid,
};
enum {
	N_TRANSFERS = sizeof(transfers) / sizeof(*transfers),
	N_WAITS = sizeof(waits) / sizeof(*waits)
};

/* A thread. */
struct thread {
	pid_t tid;
	/* It executes another program, which is left alone. */
	bool is_other;
	/* Its last call was interrupted. */
	bool is_interrupted;
};

static struct thread threads[4096];
static bool interrupts;

static _Noreturn void fail(const char *what)
{
	perror(what);
	exit(125);
}

static struct thread *find(pid_t tid)
{
	struct thread *unused = NULL;

	for (size_t i = 0; i < sizeof(threads) / sizeof(*threads); i++) {
		if (threads[i].tid == tid)
			return &threads[i];
		if (!threads[i].tid && !unused)
			unused = &threads[i];
	}
	if (!unused) {
		fputs("short_calls: too many threads\n", stderr);
		exit(125);
	}
	*unused = (struct thread){ .tid = tid };
	return unused;
}

/* Stop at the calls that are changed. */
static void install_filter(void)
{
	struct sock_filter code[N_TRANSFERS + N_WAITS + 3];
	size_t n = 0, n_calls = N_TRANSFERS + N_WAITS;

	code[n++] = (struct sock_filter)BPF_STMT(
		BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
	for (size_t i = 0; i < n_calls; i++) {
		unsigned call = i < N_TRANSFERS ? transfers[i] : waits[i - N_TRANSFERS];

		code[n++] = (struct sock_filter)BPF_JUMP(
			BPF_JMP | BPF_JEQ | BPF_K, call, (uint8_t)(n_calls - i), 0);
	}
	code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE);
	struct sock_fprog program = { .len = (unsigned short)n, .filter = code };
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
		prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		fail("short_calls: seccomp");
}

/* Addresses of the dynamic linker. Forked processes have the same. */
static uint64_t linker_start, linker_end;

/* Find the dynamic linker of a program that begins. */
static void find_linker(pid_t pid)
{
	char path[64], line[4352];

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	FILE *maps = fopen(path, "re");
	while (maps && fgets(line, sizeof(line), maps)) {
		unsigned long start, end;

		if (!strstr(line, "/ld-") || sscanf(line, "%lx-%lx", &start, &end) != 2)
			continue;
		linker_start = linker_start ? linker_start : start;
		linker_end = end;
	}
	if (maps)
		fclose(maps);
}

/* Whether the descriptor is one of a signalfd, an eventfd or an event, which are never read in parts. */
static bool is_atomic(pid_t tid, uint64_t fd)
{
	static const char anonymous[] = "anon_inode:";
	char path[64], target[sizeof(anonymous) - 1];

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", tid, (int)fd);
	return readlink(path, target, sizeof(target)) == sizeof(target) &&
	       memcmp(target, anonymous, sizeof(target)) == 0;
}

static bool is_transfer(uint64_t call)
{
	for (size_t i = 0; i < N_TRANSFERS; i++) {
		if (transfers[i] == call)
			return true;
	}
	return false;
}

/* Replace the system call by the result @p result. */
static void skip_call(pid_t tid, registers *regs, long result)
{
#if defined(__x86_64__)
	regs->orig_rax = (uint64_t)-1;
	regs->rax = (uint64_t)result;
#else
	int none = -1;
	struct iovec call = { &none, sizeof(none) };

	regs->regs[0] = (uint64_t)result;
	if (ptrace(PTRACE_SETREGSET, tid, (void *)NT_ARM_SYSTEM_CALL, &call))
		fail("short_calls: PTRACE_SETREGSET");
#endif
	(void)tid;
}

static uint64_t number_of_call(pid_t tid)
{
	struct __ptrace_syscall_info info;

	return ptrace(PTRACE_GET_SYSCALL_INFO, tid, sizeof(info), &info) > 0 ? info.seccomp.nr
									     : UINT64_MAX;
}

static void change_call(struct thread *thread)
{
	registers regs;
	struct iovec all = { &regs, sizeof(regs) };
	uint64_t call = number_of_call(thread->tid);

	if (ptrace(PTRACE_GETREGSET, thread->tid, (void *)NT_PRSTATUS, &all) ||
		(REG_IP(&regs) >= linker_start && REG_IP(&regs) < linker_end))
		return;
	bool is_message = call == SYS_write && REG_FD(&regs) == STDERR_FILENO;
	thread->is_interrupted = interrupts && !is_message && !thread->is_interrupted;
	if (thread->is_interrupted)
		skip_call(thread->tid, &regs, -EINTR);
	else if (is_transfer(call) && REG_COUNT(&regs) > 1 &&
		 !is_atomic(thread->tid, REG_FD(&regs)))
		REG_COUNT(&regs) /= 2;
	if (ptrace(PTRACE_SETREGSET, thread->tid, (void *)NT_PRSTATUS, &all) && errno != ESRCH)
		fail("short_calls: PTRACE_SETREGSET");
}

/* Handle a stop. Returns the signal that the thread gets when it continues. */
static int handle_stop(pid_t first, pid_t tid, int status)
{
	struct thread *thread = find(tid);
	int event = status >> 16;
	unsigned long child;

	if (event == PTRACE_EVENT_SECCOMP && !thread->is_other)
		change_call(thread);
	if (event == PTRACE_EVENT_EXEC)
		thread->is_other = tid != first;
	if (event == PTRACE_EVENT_EXEC && tid == first)
		find_linker(tid);
	/* Its first stop may be reported before or after this event. */
	if ((event == PTRACE_EVENT_FORK || event == PTRACE_EVENT_VFORK ||
		    event == PTRACE_EVENT_CLONE) &&
		!ptrace(PTRACE_GETEVENTMSG, tid, NULL, &child))
		find((pid_t)child)->is_other = thread->is_other;
	int signal = WSTOPSIG(status);
	return event || signal == SIGSTOP || signal == SIGTRAP ? 0 : signal;
}

static int trace(pid_t first)
{
	int status, result = 125;
	pid_t tid;

	while ((tid = waitpid(-1, &status, __WALL)) > 0) {
		if (WIFSTOPPED(status)) {
			ptrace(PTRACE_CONT, tid, NULL,
				(void *)(intptr_t)handle_stop(first, tid, status));
			continue;
		}
		*find(tid) = (struct thread){ 0 };
		if (tid == first)
			result = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	}
	return result;
}

int main(int argc, char **argv)
{
	int status;

	interrupts = argc > 1 && strcmp(argv[1], "-i") == 0;
	argv += interrupts ? 2 : 1;
	if (!*argv)
		return 125;
	pid_t child = fork();
	if (child == 0) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGSTOP);
		install_filter();
		execvp(*argv, argv);
		fail(*argv);
	}
	if (child < 0 || waitpid(child, &status, 0) != child)
		fail("short_calls: fork");
	long options = PTRACE_O_TRACESECCOMP | PTRACE_O_TRACEEXEC | PTRACE_O_TRACEFORK |
		       PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL;
	if (ptrace(PTRACE_SETOPTIONS, child, NULL, (void *)options) ||
		ptrace(PTRACE_CONT, child, NULL, NULL))
		fail("short_calls: ptrace");
	return trace(child);
}

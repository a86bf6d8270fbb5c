/*
 * A library that is preloaded into pdconv and, when that exits, attempts what the sandbox should refuse, and what it
 * must allow. A line on standard error says how each attempt ended.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/keyctl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

static int close_opened(int fd)
{
	return fd < 0 ? fd : close(fd);
}

static int read_file(void)
{
	return close_opened(open("/proc/self/maps", O_RDONLY));
}

static int create_in_output_folder(void)
{
	return close_opened(open("output/new", O_WRONLY | O_CREAT, 0600));
}

static int replace_in_output_folder(void)
{
	return rename("output/new", "output/newer");
}

static void *do_nothing(void *arg)
{
	return arg;
}

static int create_thread(void)
{
	pthread_t thread;

	errno = pthread_create(&thread, NULL, do_nothing, NULL);
	return errno ? -1 : pthread_join(thread, NULL);
}

static int create_outside(void)
{
	return close_opened(open("outside/new", O_WRONLY | O_CREAT, 0600));
}

static int write_outside(void)
{
	return close_opened(open("outside/old", O_WRONLY));
}

static int truncate_outside(void)
{
	return truncate("outside/old", 0);
}

static int remove_outside(void)
{
	return unlink("outside/spare");
}

static int move_outside(void)
{
	return rename("output/newer", "outside/newer");
}

static int link_outside(void)
{
	return symlink("old", "outside/link");
}

static int create_directory(void)
{
	return mkdir("output/directory", 0700);
}

static int create_pipe_file(void)
{
	return mkfifo("output/pipe", 0600);
}

static int change_mode(void)
{
	return chmod("outside/old", 0777);
}

static int create_process(void)
{
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	return pid < 0 ? -1 : (int)(waitpid(pid, NULL, 0) != pid);
}

/* An executable file without the format of a program: only a refusal comes before reading it. */
static int execute(void)
{
	char *argv[] = { "command", NULL };

	execve("outside/command", argv, NULL);
	return errno == ENOEXEC ? 0 : -1;
}

static int open_tcp(void)
{
	return close_opened(socket(AF_INET, SOCK_STREAM, 0));
}

static int open_unix(void)
{
	return close_opened(socket(AF_UNIX, SOCK_STREAM, 0));
}

static int signal_parent(void)
{
	return kill(getppid(), SIGCONT);
}

static int trace(void)
{
	return (int)ptrace(PTRACE_TRACEME, 0, NULL, NULL);
}

/* Calls that a container or the kernel may refuse for other reasons. */
static int reached_kernel(void)
{
	return errno == ENOSYS ? -1 : 0;
}

static int read_process(void)
{
	char byte;
	struct iovec to = { &byte, 1 }, from = { &byte, 1 };

	process_vm_readv(getpid(), &to, 1, &from, 1, 0);
	return reached_kernel();
}

static int set_user(void)
{
	return setuid(getuid());
}

static int unmount(void)
{
	umount2("/nonexistent/missing", 0);
	return reached_kernel();
}

static int get_keyring(void)
{
	syscall(SYS_keyctl, KEYCTL_GET_KEYRING_ID, KEY_SPEC_PROCESS_KEYRING, 1);
	return reached_kernel();
}

static int call_with_null(long number)
{
	syscall(number, 0, NULL, 0, 0, 0);
	return reached_kernel();
}

static int open_perf_event(void)
{
	return call_with_null(SYS_perf_event_open);
}

static int load_bpf(void)
{
	return call_with_null(SYS_bpf);
}

static int create_ring(void)
{
	return call_with_null(SYS_io_uring_setup);
}

/* The argument is invalid, so that nothing is typed where it is allowed. */
static int type_for_user(void)
{
	ioctl(STDIN_FILENO, TIOCSTI, NULL);
	return reached_kernel();
}

static const struct {
	const char *name;
	int (*run)(void);
} attempts[] = {
	{ "read a file", read_file },
	{ "create a thread", create_thread },
	{ "create a file in the folder of the output", create_in_output_folder },
	{ "replace a file in the folder of the output", replace_in_output_folder },
	{ "create a file elsewhere", create_outside },
	{ "write a file elsewhere", write_outside },
	{ "truncate a file elsewhere", truncate_outside },
	{ "remove a file elsewhere", remove_outside },
	{ "move a file elsewhere", move_outside },
	{ "create a link elsewhere", link_outside },
	{ "create a directory", create_directory },
	{ "create a named pipe", create_pipe_file },
	{ "change the mode of a file", change_mode },
	{ "create a process", create_process },
	{ "execute a program", execute },
	{ "open a TCP socket", open_tcp },
	{ "open a Unix socket", open_unix },
	{ "signal another process", signal_parent },
	{ "be traced", trace },
	{ "read the memory of a process", read_process },
	{ "set the user", set_user },
	{ "unmount a file system", unmount },
	{ "get a key ring", get_keyring },
	{ "open a perf event", open_perf_event },
	{ "load a BPF program", load_bpf },
	{ "create an I/O ring", create_ring },
	{ "type on the terminal", type_for_user },
};

__attribute__((destructor)) static void attempt_all(void)
{
	if (!getenv("PDCONV_PROBE"))
		return;
	for (size_t i = 0; i < sizeof(attempts) / sizeof(*attempts); i++) {
		errno = 0;
		fprintf(stderr, "%-45s %s\n", attempts[i].name,
			attempts[i].run() < 0 ? "refused" : "allowed");
	}
}

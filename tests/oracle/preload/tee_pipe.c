/*
 * Preloaded into pdconv record: copies what goes through the first pipe of the process to the file
 * $TEE_TO as well, so that a test has the recording that was converted while it was made.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

typedef int pipe2_fn(int *, int);

int pipe2(int *fds, int flags);

static void write_all(int fd, const char *bytes, ssize_t n)
{
	while (n > 0) {
		ssize_t done = write(fd, bytes, (size_t)n);

		if (done < 0)
			_exit(1);
		bytes += done;
		n -= done;
	}
}

static void copy(int from, int to, const char *path)
{
	static char bytes[1 << 16];
	int file = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0600);
	ssize_t n;

	signal(SIGINT, SIG_IGN);
	while ((n = read(from, bytes, sizeof(bytes))) > 0) {
		write_all(file, bytes, n);
		write_all(to, bytes, n);
	}
	_exit(n < 0);
}

int pipe2(int *fds, int flags)
{
	pipe2_fn *real = (pipe2_fn *)dlsym(RTLD_NEXT, "pipe2");
	char *path = getenv("TEE_TO");
	int before[2], after[2];

	if (!path)
		return real(fds, flags);
	if (real(before, flags) < 0 || real(after, flags) < 0)
		return -1;
	if (fork() == 0) {
		close(before[1]);
		close(after[0]);
		copy(before[0], after[1], path);
	}
	unsetenv("TEE_TO");
	close(before[0]);
	close(after[1]);
	fds[0] = after[0];
	fds[1] = before[1];
	return 0;
}

#include "cmd/process/standby.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/process/memory.h"

/* The life of the process. Executing a program closes the pipes. */
static _Noreturn void live(cmd_standby_fn *run, void *ctx, int begin, int result)
{
	char byte;
	ssize_t n;

	do
		n = read(begin, &byte, 1);
	while (n < 0 && errno == EINTR);
	if (n != 1)
		_exit(0);
	cmd_memory_lift();
	int errnum = run(ctx);
	if (errnum && write(result, &errnum, sizeof(errnum)) < 0)
		_exit(1);
	_exit(errnum ? 1 : 0);
}

int cmd_standby_fork(cmd_standby_fn *run, void *ctx, struct cmd_standby *ret)
{
	int begin[2], result[2];
	int errnum;

	if (pipe2(begin, O_CLOEXEC) < 0)
		return errno;
	if (pipe2(result, O_CLOEXEC) < 0) {
		errnum = errno;
		close(begin[0]);
		close(begin[1]);
		return errnum;
	}
	pid_t pid = fork();
	errnum = pid < 0 ? errno : 0;
	if (pid == 0) {
		close(begin[1]);
		close(result[0]);
		live(run, ctx, begin[0], result[1]);
	}
	close(begin[0]);
	close(result[1]);
	if (errnum) {
		close(begin[1]);
		close(result[0]);
		return errnum;
	}
	*ret = (struct cmd_standby){ .pid = pid, .begin = begin[1], .result = result[0] };
	return 0;
}

int cmd_standby_begin(struct cmd_standby *standby)
{
	int errnum = 0;
	ssize_t n;

	standby->has_begun = true;
	do
		n = write(standby->begin, "", 1);
	while (n < 0 && errno == EINTR);
	close(standby->begin);
	if (n == 1)
		do
			n = read(standby->result, &errnum, sizeof(errnum));
		while (n < 0 && errno == EINTR);
	else
		errnum = errno;
	close(standby->result);
	return errnum;
}

int cmd_standby_wait(pid_t pid)
{
	int status;
	pid_t ended;

	do
		ended = waitpid(pid, &status, 0);
	while (ended < 0 && errno == EINTR);
	return ended < 0 ? -1 : status;
}

void cmd_standby_dismiss(struct cmd_standby *standby)
{
	if (!standby->pid || standby->has_begun)
		return;
	close(standby->begin);
	close(standby->result);
	cmd_standby_wait(standby->pid);
	standby->pid = 0;
}

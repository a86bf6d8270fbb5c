#include "cmd/process/pager.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/text.h"
#include "cmd/options/message.h"
#include "cmd/process/standby.h"

/* The pager that runs, for signal handlers. */
static struct {
	/* 0: none. */
	volatile sig_atomic_t pid;
	/* Write end of the pipe to it. */
	volatile sig_atomic_t fd;
	const char *command;
} pager;

/* The process that becomes the pager. */
static struct standby {
	struct cmd_standby process;
	const char *command;
	/* Read end of the pipe to it, in that process. */
	int input;
	/* Write end; NULL: no process stands by. */
	FILE *stream;
} standby;

/* Signals that a person or the system ends programs with, and how they were handled before. */
static const int fatal[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
static struct sigaction fatal_before[PD_ARRAY_LEN(fatal)];
static struct sigaction pipe_before;

void cmd_pager_abandon(void)
{
	if (!pager.pid)
		return;
	/* The pager waits for the end of the text. */
	close(pager.fd);
	cmd_standby_wait(pager.pid);
}

/* The shell would take the terminal back from a pager that is still there: end after it. */
static void end_after_pager(int signal)
{
	cmd_pager_abandon();
	sigaction(signal, &(struct sigaction){ .sa_handler = SIG_DFL }, NULL);
	raise(signal);
}

/* A handler, because a signal that is ignored would be ignored by the pager, too. */
static void do_nothing(int signal)
{
	(void)signal;
}

static void catch_signals(void)
{
	const struct sigaction on_fatal = { .sa_handler = end_after_pager };
	const struct sigaction on_pipe = { .sa_handler = do_nothing };

	for (size_t i = 0; i < PD_ARRAY_LEN(fatal); i++) {
		sigaction(fatal[i], &on_fatal, &fatal_before[i]);
		/* nohup and the background of a shell ignore signals on purpose. */
		if (fatal_before[i].sa_handler == SIG_IGN)
			sigaction(fatal[i], &fatal_before[i], NULL);
	}
	sigaction(SIGPIPE, &on_pipe, &pipe_before);
}

static void release_signals(void)
{
	for (size_t i = 0; i < PD_ARRAY_LEN(fatal); i++)
		sigaction(fatal[i], &fatal_before[i], NULL);
	sigaction(SIGPIPE, &pipe_before, NULL);
}

/* Once the text is complete, the keys for SIGINT and SIGQUIT are commands of the pager. */
static void leave_keys_to_pager(void)
{
	const struct sigaction ignore = { .sa_handler = SIG_IGN };

	sigaction(SIGINT, &ignore, NULL);
	sigaction(SIGQUIT, &ignore, NULL);
}

/* The command line of the pager; NULL: none is wanted. */
static const char *find_command(void)
{
	static const char *const variables[] = { "PDCONV_PAGER", "PAGER" };
	const char *command = NULL;

	for (size_t i = 0; !command && i < PD_ARRAY_LEN(variables); i++)
		command = getenv(variables[i]);
	if (!command)
		command = "less";
	return *command && strcmp(command, "cat") != 0 ? command : NULL;
}

/* Only the default may be missing. */
static bool is_default(void)
{
	return !getenv("PDCONV_PAGER") && !getenv("PAGER");
}

/* Execute the pager with the pipe as its standard input. */
static int run(void *ctx)
{
	struct standby *s = ctx;
	bool needs_shell = s->command[strcspn(s->command, "|&;<>()$`\\\"' \t\n*?[#~=%")] != '\0';
	char *shell[] = { "sh", "-c", (char *)s->command, NULL };
	char *direct[] = { (char *)s->command, NULL };
	char **argv = needs_shell ? shell : direct;

	/* Quit if the text fits on one screen, pass on colours, and leave the screen as it is. */
	setenv("LESS", "FRX", 0);
	fclose(s->stream);
	if (dup2(s->input, STDIN_FILENO) < 0)
		return errno;
	execvp(argv[0], argv);
	return errno;
}

static void report_failure(const struct cmd_options *options, const char *command, int errnum)
{
	if (options->quiet || (is_default() && errnum == ENOENT))
		return;
	fputs("cannot run the pager '", cmd_begin());
	base_text_write_message(stderr, command);
	fprintf(stderr, "': %s\n", strerror(errnum));
}

/* Fork the process that becomes the pager, and reads from a pipe. */
static struct pd_error *fork_pager(const char *command)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) < 0)
		return pd_error_os(NULL, "cannot create a pipe to the pager");
	FILE *stream = fdopen(ends[1], "w");
	if (!stream) {
		close(ends[0]);
		close(ends[1]);
		return &pd_enomem;
	}
	standby = (struct standby){ .command = command, .input = ends[0], .stream = stream };
	int errnum = cmd_standby_fork(run, &standby, &standby.process);
	close(ends[0]);
	if (!errnum)
		return NULL;
	fclose(take_ptr(standby.stream));
	return pd_error_create(
		PD_ERROR_OS, NULL, "cannot create the process of the pager: %s", strerror(errnum));
}

struct pd_error *cmd_pager_stand_by(const struct cmd_options *options)
{
	const char *command = find_command();

	if (options->no_pager || !command || !cmd_terminal_is_capable() || standby.stream)
		return NULL;
	return fork_pager(command);
}

struct pd_error *cmd_pager_start(const struct cmd_options *options, FILE **ret)
{
	struct pd_error *err = cmd_pager_stand_by(options);

	*ret = NULL;
	if (err || !standby.stream)
		return err;
	fflush(stderr);
	catch_signals();
	int errnum = cmd_standby_begin(&standby.process);
	if (errnum) {
		release_signals();
		fclose(take_ptr(standby.stream));
		cmd_standby_wait(standby.process.pid);
		report_failure(options, standby.command, errnum);
		return NULL;
	}
	pager.command = standby.command;
	pager.fd = fileno(standby.stream);
	pager.pid = standby.process.pid;
	*ret = take_ptr(standby.stream);
	return NULL;
}

/* A shell reports with these statuses that it did not find or could not run a command. */
static bool is_not_run(int status)
{
	return status >= 0 && WIFEXITED(status) &&
	       (WEXITSTATUS(status) == 127 || WEXITSTATUS(status) == 126);
}

struct pd_error *cmd_pager_finish(FILE *stream, struct pd_error *err)
{
	fflush(stream);
	leave_keys_to_pager();
	pager.fd = -1;
	fclose(stream);
	int status = cmd_standby_wait(pager.pid);
	pager.pid = 0;
	release_signals();
	if (!err && is_not_run(status))
		return pd_error_create(PD_ERROR_OS, NULL,
			"cannot run the pager '%s': exit status %d", pager.command,
			WEXITSTATUS(status));
	return err;
}

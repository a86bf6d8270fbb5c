#include "cmd/process/browser.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/format.h"

/* Words of a command, at most. */
enum { MAX_WORDS = 32 };

/*
 * Replace the first "%s" in @p word with @p path. Returns @p word if there is none, otherwise an
 * allocated string. NULL: no memory.
 */
static char *insert_path(char *word, const char *path)
{
	const char *mark = strstr(word, "%s");

	return mark ? base_format("%.*s%s%s", (int)(mark - word), word, path, mark + 2) : word;
}

/*
 * Replace this process, which only has to start the program, and which is thrown away: memory is
 * not freed. Returns if the program cannot be started.
 */
static void run(char *command, char *path)
{
	char *words[MAX_WORDS + 2];
	bool has_path = false;
	size_t n = 0;
	char *next;

	for (char *word = strtok_r(command, " \t", &next); word && n < MAX_WORDS;
		word = strtok_r(NULL, " \t", &next)) {
		char *inserted = insert_path(word, path);

		if (!inserted)
			return;
		has_path |= inserted != word;
		words[n++] = inserted;
	}
	if (!n)
		return;
	if (!has_path)
		words[n++] = path;
	words[n] = NULL;
	execvp(words[0], words);
}

/* Leave the terminal: the browser outlives pdconv, and what it prints is of no interest. */
static void detach(void)
{
	int null = open("/dev/null", O_RDWR);

	setsid();
	for (int fd = 0; null >= 0 && fd <= STDERR_FILENO; fd++)
		dup2(null, fd);
}

/* Start @p command as a child of init. @p status: receives a byte if it cannot be started. */
static void start(char *command, char *path, int status)
{
	pid_t child = fork();

	if (child > 0)
		_exit(0);
	if (child == 0) {
		detach();
		run(command, path);
	}
	if (write(status, "", 1) < 0)
		_exit(1);
	_exit(1);
}

/* Start @p command. *@p started_ret: its program could be executed. Returns an error number. */
static int try_command(char *command, char *path, bool *started_ret)
{
	int status[2];
	char byte;

	/* Executing a program closes the pipe; only a failure to do so is written to it. */
	if (pipe2(status, O_CLOEXEC) < 0)
		return errno;
	pid_t child = fork();
	int errnum = child < 0 ? errno : 0;
	if (child == 0)
		start(command, path, status[1]);
	close(status[1]);
	ssize_t n;
	do
		n = child > 0 ? read(status[0], &byte, 1) : 1;
	while (n < 0 && errno == EINTR);
	*started_ret = n == 0;
	close(status[0]);
	if (child > 0)
		cmd_standby_wait(child);
	return errnum;
}

static bool has_variable(const char *name)
{
	const char *value = getenv(name);

	return value && value[0];
}

/* Return the commands to try, separated by ':'. Allocated; NULL: no memory. */
static char *find_commands(void)
{
	bool has_display = has_variable("DISPLAY") || has_variable("WAYLAND_DISPLAY");

	return base_format("%s:%s", has_variable("BROWSER") ? getenv("BROWSER") : "",
		has_display ? "xdg-open" : "");
}

/* Start the first of the programs that can be started. Returns 0, ENOENT: none can, or an error. */
static int open_page(void *ctx)
{
	_cleanup_free_ char *commands = find_commands();
	bool is_started = false;
	int errnum = 0;
	char *next;

	if (!commands)
		return ENOMEM;
	/* The browser may not start in this directory. */
	_cleanup_free_ char *absolute = realpath(ctx, NULL);
	if (!absolute)
		return errno;
	for (char *command = strtok_r(commands, ":", &next); command && !is_started && !errnum;
		command = strtok_r(NULL, ":", &next))
		errnum = try_command(command, absolute, &is_started);
	return errnum || is_started ? errnum : ENOENT;
}

struct pd_error *cmd_browser_stand_by(const char *path, struct cmd_standby *ret)
{
	int errnum = cmd_standby_fork(open_page, (char *)path, ret);

	if (!errnum)
		return NULL;
	return pd_error_create(PD_ERROR_OS, NULL, "cannot create the process of the browser: %s",
		strerror(errnum));
}

struct pd_error *cmd_browser_open(struct cmd_standby *standby, bool *opened_ret)
{
	int errnum = cmd_standby_begin(standby);

	cmd_standby_wait(standby->pid);
	*opened_ret = !errnum;
	if (!errnum || errnum == ENOENT)
		return NULL;
	return pd_error_create(PD_ERROR_OS, NULL, "cannot start a browser: %s", strerror(errnum));
}

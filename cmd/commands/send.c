#include "cmd/commands/send.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/io/fd_stream.h"
#include "base/format.h"
#include "base/plural.h"
#include "base/protobuf.h"
#include "base/io/temporary.h"
#include "base/text.h"
#include "cmd/options/commands.h"
#include "cmd/options/message.h"
#include "cmd/options/send_target.h"
#include "cmd/process/output_file.h"
#include "cmd/commands/send_state.h"
#include "cmd/process/standby.h"

enum {
	/** Most bytes of a file with headers. */
	MAX_HEADERS = 64 << 10,
	/** For how long requests are repeated by default, in seconds. */
	RETRY_SECONDS = 60,
};

/* Bytes that may wait by default. */
static const uint64_t SPOOL_BYTES = UINT64_C(256) << 20;

/* Header lines of requests. */
struct headers {
	/** Text of the user, with NULs in place of line ends; erased when it is freed. */
	char *text;
	size_t size;
	PD_VEC(const char *) lines;
};

static void headers_deinit(struct headers *headers)
{
	if (headers->text)
		explicit_bzero(headers->text, headers->size);
	free(headers->text);
	pd_vec_deinit(&headers->lines);
}

static struct pd_error *read_file(const char *path, struct headers *headers)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = 0;

	if (fd < 0)
		return pd_error_os(path, "cannot open");
	headers->text = calloc(1, MAX_HEADERS + 1);
	if (!headers->text)
		return &pd_enomem;
	while (headers->size < MAX_HEADERS && (n = base_read_some(fd, headers->text + headers->size,
						       MAX_HEADERS - headers->size)) > 0)
		headers->size += (size_t)n;
	if (n < 0)
		return pd_error_os(path, "cannot read");
	return headers->size < MAX_HEADERS
		       ? NULL
		       : pd_error_create(PD_ERROR_USAGE, path, "has 64 KiB or more of headers");
}

/* Messages do not show headers, which are secret. */
static struct pd_error *add_line(struct headers *headers, const char *line, size_t number)
{
	const char *colon = strchr(line, ':');

	for (const char *at = line; *at; at++) {
		if ((unsigned char)*at < ' ' && *at != '\t')
			colon = NULL;
	}
	if (!colon || colon == line)
		return pd_error_create(PD_ERROR_USAGE, NULL,
			"invalid header in line %zu: expected NAME: VALUE", number);
	return pd_vec_push(&headers->lines, line) ? NULL : &pd_enomem;
}

static struct pd_error *split(struct headers *headers)
{
	size_t number = 0;
	char *rest = headers->text, *line;

	while (rest && (line = strsep(&rest, "\n"))) {
		size_t len = strlen(line);

		number++;
		if (len && line[len - 1] == '\r')
			line[--len] = '\0';
		struct pd_error *err = len ? add_line(headers, line, number) : NULL;
		if (err)
			return err;
	}
	return NULL;
}

/* Read the header lines of the user, from a file or from the environment. */
static struct pd_error *read_headers(const struct cmd_options *options, struct headers *ret)
{
	const char *path = options->send.headers, *given = getenv("PDCONV_SEND_HEADERS");
	struct pd_error *err = NULL;

	if (path) {
		err = read_file(path, ret);
	} else if (given) {
		ret->text = strdup(given);
		ret->size = strlen(given);
		err = ret->text ? NULL : &pd_enomem;
	}
	return err ? err : split(ret);
}

static struct pd_error *create_http(
	const struct cmd_options *options, const struct snd_target *target, struct snd_http **ret)
{
	_cleanup_(headers_deinit) struct headers headers = { 0 };
	_cleanup_free_ char *type = base_format("Content-Type: %s", target->content_type);
	struct pd_error *err = type ? read_headers(options, &headers) : &pd_enomem;

	if (err)
		return err;
	if (!pd_vec_push(&headers.lines, type) ||
		(target->is_gzipped && !pd_vec_push(&headers.lines, "Content-Encoding: gzip")))
		return &pd_enomem;
	return snd_http_create(target->url, headers.lines.data, headers.lines.n, ret);
}

/* Return the folder in which profiles wait. It has a folder for each server. */
static struct pd_error *find_spool(const struct cmd_options *options, char **ret)
{
	const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");

	*ret = NULL;
	if (options->send.spool)
		*ret = strdup(options->send.spool);
	else if (state && *state == '/')
		*ret = base_format("%s/pdconv/spool", state);
	else if (home && *home == '/')
		*ret = base_format("%s/.local/state/pdconv/spool", home);
	else
		return pd_error_create(PD_ERROR_USAGE, NULL,
			"cannot find a folder for profiles that wait, because HOME is not set: use "
			"--spool");
	return *ret ? NULL : &pd_enomem;
}

/* The command that runs; 0: none. */
static volatile pid_t child;

/* Pass a signal on, unless it comes from the terminal, which has sent it to the command, too. */
static void pass_on(int signal_number, siginfo_t *info, void *context)
{
	(void)context;
	if (child && info->si_code <= 0)
		kill(child, signal_number);
	if (child)
		return;
	signal(signal_number, SIG_DFL);
	raise(signal_number);
}

static void watch_signals(void)
{
	static const int signals[] = { SIGINT, SIGTERM };
	struct sigaction old,
		action = { .sa_sigaction = pass_on, .sa_flags = SA_SIGINFO | SA_RESTART };

	for (size_t i = 0; i < PD_ARRAY_LEN(signals); i++) {
		/* nohup and the background of a shell ignore signals on purpose. */
		if (sigaction(signals[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
			sigaction(signals[i], &action, NULL);
	}
}

_Noreturn void cmd_sending_become(struct cmd_sending *s, const sigset_t *mask)
{
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	sigprocmask(SIG_SETMASK, mask, NULL);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	exit(s->run(s->options));
}

/* Run the command in a separate process, and wait for its end. */
static struct pd_error *run_apart(struct cmd_sending *s, int *status_ret)
{
	sigset_t both, mask;

	sigemptyset(&both);
	sigaddset(&both, SIGINT);
	sigaddset(&both, SIGTERM);
	sigprocmask(SIG_BLOCK, &both, &mask);
	fflush(NULL);
	pid_t pid = fork();
	if (pid == 0)
		cmd_sending_become(s, &mask);
	if (pid > 0) {
		child = pid;
		watch_signals();
	}
	sigprocmask(SIG_SETMASK, &mask, NULL);
	if (pid < 0)
		return pd_error_os(NULL, "cannot create a process");
	int status = cmd_standby_wait(pid);
	child = 0;
	if (status >= 0 && WIFEXITED(status)) {
		*status_ret = WEXITSTATUS(status);
		return NULL;
	}
	return pd_error_create(PD_ERROR_OS, NULL, "the command was ended by signal %d",
		status < 0 ? 0 : WTERMSIG(status));
}

/* Write the body of a request for the profile in the next @p size bytes, and let it wait. */
static struct pd_error *make_body(struct cmd_sending *s, FILE *from, uint64_t size)
{
	const struct cmd_labels *tags = &s->options->tags;
	_cleanup_free_ char *body = snd_spool_new_path(&s->spool, ".tmp");
	int fd, error = 0;

	if (!body)
		return &pd_enomem;
	fd = open(body, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return pd_error_os(body, "cannot create");
	FILE *to = base_fd_stream_open(fd, true, &error);
	if (!to) {
		base_close(&fd);
		return &pd_enomem;
	}
	struct pd_error *err =
		snd_target_write(&s->target, from, size, tags->items.data, tags->items.n, to);
	struct pd_error *close_err = cmd_output_close(to, &error, body);
	if (err)
		pd_error_destroy(close_err);
	else
		err = close_err;
	if (!err)
		err = snd_spool_add(&s->spool, body);
	if (err)
		unlink(body);
	return err;
}

/* Read the size of the next message. Returns false at the end. */
static bool read_size(FILE *from, uint64_t *ret)
{
	uint8_t bytes[BASE_VARINT_BYTES];
	size_t n = 0;
	int c;

	while (n < sizeof(bytes) && (c = getc(from)) != EOF) {
		bytes[n++] = (uint8_t)c;
		if (c < 0x80)
			break;
	}
	struct base_proto number = { .at = bytes, .end = bytes + n };
	return base_proto_take_varint(&number, ret);
}

/* Let a profile wait as the bodies of requests: one, or one for each message. */
static struct pd_error *make_bodies(struct cmd_sending *s, const char *path)
{
	_cleanup_fclose_ FILE *from = fopen(path, "re");
	struct pd_error *err = NULL;
	uint64_t size;

	if (!from)
		return pd_error_os(path, "cannot open");
	if (!s->target.most_bytes)
		return make_body(s, from, UINT64_MAX);
	while (!err && read_size(from, &size))
		err = make_body(s, from, size);
	return err;
}

/* Print a line about @p n profiles, with the reason, which servers may choose. */
static void say(uint64_t n, const char *what, const char *why)
{
	if (!n)
		return;
	fprintf(cmd_begin(), "%" PRIu64 " profile%s %s%s", n, base_plural(n), what,
		*why ? ": " : "");
	base_text_write_message(stderr, why);
	fputc('\n', stderr);
}

/* Say once that it takes longer, and why. */
static void say_pause(const char *why, double seconds)
{
	static bool was_said;

	(void)seconds;
	if (was_said)
		return;
	was_said = true;
	base_text_write_message(cmd_begin(), why);
	fputs("; trying again\n", stderr);
}

/* Report what was not sent. Returns whether all was. */
static bool report(const struct cmd_options *options, const struct snd_spool *spool,
	const struct snd_result *result)
{
	_cleanup_free_ char *waiting = base_format("not sent yet, to be sent by the next --send "
						   "to this server from %s",
		spool->dir);

	if (!options->quiet && result->n_sent > 1)
		say(result->n_sent, "sent", "");
	say(result->n_waiting, waiting ? waiting : "not sent yet", result->why);
	say(result->n_refused, "refused by the server, and dropped", result->why);
	say(result->n_unsure,
		"sent without an answer; not sent again, because the server may have them",
		result->why);
	say(result->n_dropped, "dropped, the oldest of those that waited: see --spool-size", "");
	say(result->n_rejected, "left out by the server", result->why);
	return !result->n_waiting && !result->n_refused && !result->n_unsure &&
	       !result->n_dropped && !result->n_rejected;
}

static double retry_seconds(void)
{
	const char *text = getenv("PDCONV_SEND_SECONDS");
	char *end;

	if (!text || !*text)
		return RETRY_SECONDS;
	double seconds = strtod(text, &end);
	return seconds >= 0 && seconds < 1e6 && !*end ? seconds : RETRY_SECONDS;
}

struct pd_error *cmd_sending_keep(struct cmd_sending *s, const char *path)
{
	/* A command that failed has no output; one that missed a threshold has. */
	struct pd_error *err = access(path, F_OK) == 0 ? make_bodies(s, path) : NULL;

	unlink(path);
	return err;
}

struct pd_error *cmd_sending_send(struct cmd_sending *s, bool *is_all_ret)
{
	const struct cmd_options *options = s->options;
	const struct snd_sender_opts opts = {
		.most_bytes = options->send.spool_bytes ? options->send.spool_bytes : SPOOL_BYTES,
		.seconds = retry_seconds(),
		.on_pause = options->quiet ? NULL : say_pause,
	};
	struct snd_http *http = NULL;
	struct snd_result result;
	struct pd_error *err = create_http(options, &s->target, &http);

	/* TLS writes to connections that the server may have closed. */
	signal(SIGPIPE, SIG_IGN);
	if (!err)
		err = snd_spool_send(&s->spool, &s->target, http, &opts, &result);
	snd_http_destroy(http);
	if (!err)
		*is_all_ret = report(options, &s->spool, &result);
	return err;
}

/* Whether the recorder starts a program. */
static bool has_program(const struct cmd_options *options)
{
	return options->command == CMD_RECORD && options->record.command[0];
}

/* Find out early what would fail after the command. */
static struct pd_error *check(const struct cmd_options *options, const struct snd_target *target)
{
	struct snd_http *http = NULL;

	if (options->send.every > 0 && (options->record.opts.duration > 0 || has_program(options)))
		return pd_error_create(PD_ERROR_USAGE, NULL,
			"--every records until it is stopped: it takes neither --duration nor a "
			"command");
	struct pd_error *err = create_http(options, target, &http);
	snd_http_destroy(http);
	return err;
}

static struct pd_error *run_and_send(struct cmd_sending *s, int *status_ret)
{
	_cleanup_free_ char *path = snd_spool_new_path(&s->spool, s->options->format->suffix);
	bool is_all = true;

	if (!path)
		return &pd_enomem;
	s->options->output = path;
	struct pd_error *err = run_apart(s, status_ret);
	s->options->output = NULL;
	if (!err)
		err = cmd_sending_keep(s, path);
	else
		unlink(path);
	/* Waiting profiles are sent even if the command has failed. */
	if (!err)
		err = cmd_sending_send(s, &is_all);
	if (!is_all && *status_ret == CMD_DONE)
		*status_ret = CMD_FAILED;
	return err;
}

struct pd_error *cmd_send_run(
	struct cmd_options *options, int (*run)(struct cmd_options *options), int *status_ret)
{
	struct cmd_sending s = {
		.options = options, .run = run, .spool = { .fd = -1, .lock = -1 }
	};
	_cleanup_free_ char *base = NULL;
	struct pd_error *err = cmd_send_target_init(options, &s.target);

	if (!err)
		err = check(options, &s.target);
	if (!err)
		err = find_spool(options, &base);
	if (!err)
		err = snd_spool_open(base, s.target.url, &s.spool);
	if (!err)
		err = options->send.every > 0 ? cmd_sending_repeat(&s, status_ret)
					      : run_and_send(&s, status_ret);
	snd_spool_deinit(&s.spool);
	snd_target_deinit(&s.target);
	return err;
}

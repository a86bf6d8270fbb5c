#include "cmd/commands/live.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/io/write_queue.h"
#include "capture/machine/machine.h"
#include "cmd/commands/convert_command.h"
#include "cmd/process/signals.h"
#include "cmd/process/memory.h"
#include "cmd/process/standby.h"
#include "output/formats.h"
#include "profile/time_spans.h"

/* Bytes that wait for the conversion: it may pause when it opens a large binary. */
enum { QUEUE_BYTES = 32 << 20 };

bool cmd_live_is_possible(const struct cmd_options *options)
{
	_cleanup_(prof_time_spans_deinit) struct prof_time_spans spans = { 0 };
	const struct cmd_list *times = &options->filter.times;

	if (!options->format || options->format->rereads_input)
		return false;
	/* The conversion reports invalid ones. */
	for (size_t i = 0; i < times->items.n; i++)
		pd_error_destroy(prof_time_spans_parse(&spans, times->items.data[i]));
	return prof_time_spans_are_absolute(&spans);
}

/* Values that the recorder writes to the eventfd when the recording has ended. */
enum { ENDED = 1, ENDED_BY_SIGNAL = 2 };

/* For the handler: the eventfd, what was read from it, and whether a signal was ignored. */
static int handler_fd = -1;
static eventfd_t end_of_recording;
static bool has_ignored;

/*
 * Ctrl-C ends the recording, and reaches this process, too, perhaps late. Only the next one is
 * meant for the conversion.
 */
static void end_if_recorded(int signal_number)
{
	int before = errno;

	if (!end_of_recording && eventfd_read(handler_fd, &end_of_recording) < 0)
		errno = before;
	if (!end_of_recording || (end_of_recording == ENDED_BY_SIGNAL && !has_ignored)) {
		has_ignored = true;
		return;
	}
	signal(signal_number, SIG_DFL);
	raise(signal_number);
}

static void become_converter(struct cmd_live *live, pid_t recorder, const int *ends)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGQUIT };

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != recorder)
		_exit(CMD_FAILED);
	close(ends[1]);
	live->input = ends[0];
	handler_fd = live->end_fd;
	cmd_signals_handle(signals, PD_ARRAY_LEN(signals), end_if_recorded);
}

static struct pd_error *open_stream(struct cmd_live *live)
{
	if (live->pid < 0)
		return pd_error_os(NULL, "cannot create the process that converts");
	live->queue = base_write_queue_create(live->output, QUEUE_BYTES);
	if (!live->queue)
		return pd_error_os(NULL, "cannot start a thread");
	live->stream = base_write_queue_open(live->queue);
	return live->stream ? NULL : &pd_enomem;
}

/* Pass on all that was written, and close the pipe. */
static void close_stream(struct cmd_live *live)
{
	if (live->stream)
		fclose(take_ptr(live->stream));
	base_write_queue_destroy(take_ptr(live->queue));
	base_close(&live->output);
}

double cmd_live_fill(void *ctx)
{
	const struct cmd_live *live = ctx;

	return base_write_queue_fill(live->queue);
}

struct pd_error *cmd_live_start(struct cmd_live *ret)
{
	pid_t recorder = getpid();
	int ends[2];

	*ret = (struct cmd_live){ .input = -1, .output = -1 };
	ret->end_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (ret->end_fd < 0 || pipe2(ends, O_CLOEXEC) < 0) {
		base_close(&ret->end_fd);
		return pd_error_os(NULL, "cannot create a pipe to the conversion");
	}
	fflush(NULL);
	ret->pid = fork();
	if (ret->pid == 0) {
		become_converter(ret, recorder, ends);
		return NULL;
	}
	ret->output = ends[1];
	close(ends[0]);
	struct pd_error *err = open_stream(ret);
	if (err)
		cmd_live_abandon(ret);
	return err;
}

/*
 * The recorder says how the recording has ended before it closes the pipe. If it is killed, the
 * kernel closes the pipe a moment before it kills this process.
 */
static struct pd_error *check_end(void)
{
	struct pollfd end = { .fd = handler_fd, .events = POLLIN };

	if (poll(&end, 1, 0) == 1 || end_of_recording)
		return NULL;
	return pd_error_create(
		PD_ERROR_OS, NULL, "the recorder was killed, so nothing was written");
}

struct pd_error *cmd_live_convert(
	struct cmd_live *live, const struct cmd_options *options, struct cmd_result *result)
{
	const struct cmd_input_file input = { .path = "the recording", .fd = live->input };
	const struct cmd_conversion conversion = {
		.options = options,
		.format = options->format,
		.recording = &input,
		.check_end = check_end,
	};

	cmd_memory_enforce(options);
	/* On a busy machine the recorder would wait for it otherwise. */
	cap_priority_raise();
	struct pd_error *err = cmd_conversion_run(&conversion, result);
	base_close(&live->input);
	return err;
}

static int wait_for(struct cmd_live *live)
{
	int status = cmd_standby_wait(live->pid);

	base_close(&live->end_fd);
	live->pid = 0;
	return status;
}

struct pd_error *cmd_live_finish(struct cmd_live *live, bool is_by_signal, int *status_ret)
{
	eventfd_write(live->end_fd, is_by_signal ? ENDED_BY_SIGNAL : ENDED);
	/* Ctrl-C is for the process that converts, or for its pager. */
	signal(SIGINT, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	close_stream(live);
	int status = wait_for(live);
	if (status >= 0 && WIFEXITED(status)) {
		*status_ret = WEXITSTATUS(status);
		return NULL;
	}
	return pd_error_create(PD_ERROR_OS, NULL, "the conversion was ended by signal %d",
		status < 0 ? 0 : WTERMSIG(status));
}

bool cmd_live_has_ended(const struct cmd_live *live)
{
	struct pollfd output = { .fd = live->output };

	return poll(&output, 1, 0) == 1 && output.revents & POLLERR;
}

void cmd_live_abandon(struct cmd_live *live)
{
	/* Without a reader the thread of the queue ends. */
	if (live->pid > 0) {
		kill(live->pid, SIGKILL);
		wait_for(live);
	}
	close_stream(live);
	base_close(&live->end_fd);
}

/* pd_profiler: record on a separate thread, then convert the recording. */
#include "api/profiler_private.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/reserved.h"
#include "base/temporary.h"

enum { BEGUN = 1, ENDED = 2 };

/* Create a file that gets its name when the recording has begun: events may be refused. */
static struct pd_error *open_named(struct pd_profiler *profiler, const char *path, int *fd_ret)
{
	struct pd_error *err = pd_file_sink_open(path, true, &profiler->sink);

	if (err)
		return err;
	profiler->is_unnamed = true;
	*fd_ret = fcntl(profiler->sink.fd, F_DUPFD_CLOEXEC, 0);
	return NULL;
}

static struct pd_error *open_file(struct pd_profiler *profiler, const char *path)
{
	int fd = path ? -1 : pd_temporary_open();
	struct pd_error *err = path ? open_named(profiler, path, &fd) : NULL;

	if (err)
		return err;
	profiler->name =
		path ? pd_arena_strndup(&profiler->arena, path, strlen(path)) : "temporary file";
	if (!profiler->name)
		return &pd_enomem;
	/* A device or a pipe is opened for writing only. */
	bool is_special = path && !profiler->sink.temporary;
	profiler->file = fd < 0 ? NULL : fdopen(fd, is_special ? "w" : "w+");
	if (profiler->file)
		return NULL;
	err = pd_error_os(profiler->name, "cannot create");
	pd_close(&fd);
	return err;
}

/* Give the recording its name. */
static struct pd_error *begin(void *ctx)
{
	struct pd_profiler *profiler = ctx;

	if (!profiler->is_unnamed)
		return NULL;
	profiler->is_unnamed = false;
	return pd_file_sink_finish(&profiler->sink, NULL);
}

static struct pd_error *open_events(struct pd_profiler *profiler)
{
	struct cap_recording_opts *opts = &profiler->recording.opts;

	profiler->stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	profiler->begun_fd = eventfd(0, EFD_CLOEXEC);
	profiler->request_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (profiler->stop_fd < 0 || profiler->begun_fd < 0 || profiler->request_fd < 0)
		return pd_error_os("profiler", "cannot create an eventfd");
	opts->stop_fd = profiler->stop_fd;
	opts->begun_fd = profiler->begun_fd;
	opts->begun = begin;
	opts->begun_ctx = profiler;
	opts->request_fd = profiler->request_fd;
	opts->on_request = pd_profiler_serve;
	opts->request_ctx = profiler;
	opts->name = profiler->name;
	return NULL;
}

static void *record(void *arg)
{
	struct pd_profiler *profiler = arg;

	struct pd_error *err = cap_recording_run(&profiler->recording, profiler->file);
	pthread_mutex_lock(&profiler->lock);
	profiler->err = err;
	profiler->has_ended = true;
	pthread_cond_broadcast(&profiler->changed);
	pthread_mutex_unlock(&profiler->lock);
	eventfd_write(profiler->begun_fd, ENDED);
	return NULL;
}

/* Block all signals in the new thread: handlers of the program must not run on it. */
static int start_thread(struct pd_profiler *profiler)
{
	sigset_t all, before;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	int errnum = pthread_create(&profiler->thread, NULL, record, profiler);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return errnum;
}

static void end_thread(struct pd_profiler *profiler)
{
	if (profiler->is_running)
		pthread_join(profiler->thread, NULL);
	profiler->is_running = false;
}

static struct pd_error *start(struct pd_profiler *profiler)
{
	eventfd_t state = 0;
	int errnum = start_thread(profiler);

	if (errnum) {
		errno = errnum;
		return pd_error_os("profiler", "cannot start a thread");
	}
	profiler->is_running = true;
	while (eventfd_read(profiler->begun_fd, &state) < 0 && errno == EINTR)
		;
	if (state & BEGUN)
		return NULL;
	end_thread(profiler);
	return pd_profiler_failure(profiler);
}

static struct pd_error *set_up_and_start(
	struct pd_profiler *profiler, const struct pd_profiler_opts *opts)
{
	struct pd_error *err = PD_CHECK_RESERVED("struct pd_profiler_opts", opts);
	if (err)
		return err;
	err = pd_profiler_set_up(profiler, opts);
	if (err)
		return err;
	err = open_file(profiler, opts->recording);
	if (err)
		return err;
	err = open_events(profiler);
	return err ? err : start(profiler);
}

struct pd_error *pd_profiler_start(const struct pd_profiler_opts *opts, struct pd_profiler **ret)
{
	struct pd_profiler *profiler = calloc(1, sizeof(*profiler));

	if (!profiler)
		return &pd_enomem;
	cap_recording_init(&profiler->recording);
	profiler->stop_fd = profiler->begun_fd = profiler->request_fd = -1;
	pthread_mutex_init(&profiler->lock, NULL);
	pthread_cond_init(&profiler->changed, NULL);
	struct pd_error *err = set_up_and_start(profiler, opts);
	if (err) {
		pd_profiler_destroy(profiler);
		return err;
	}
	*ret = profiler;
	return NULL;
}

void pd_profiler_destroy(struct pd_profiler *profiler)
{
	if (!profiler)
		return;
	if (profiler->is_running)
		eventfd_write(profiler->stop_fd, 1);
	/* The thread uses the file and the descriptors, so it has to end before they are closed. */
	end_thread(profiler);
	pd_error_destroy(profiler->err);
	if (profiler->is_unnamed)
		(void)!pd_file_sink_finish(&profiler->sink, &pd_enomem);
	if (profiler->file)
		fclose(profiler->file);
	pd_close(&profiler->stop_fd);
	pd_close(&profiler->begun_fd);
	pd_close(&profiler->request_fd);
	for (size_t i = 0; i < profiler->tags.n; i++)
		free(profiler->tags.data[i]);
	pd_vec_deinit(&profiler->tags);
	cap_recording_deinit(&profiler->recording);
	pd_arena_deinit(&profiler->arena);
	pthread_cond_destroy(&profiler->changed);
	pthread_mutex_destroy(&profiler->lock);
	free(profiler);
}

struct pd_error *pd_profiler_stop_as(struct pd_profiler *profiler, const char *format,
	pd_on_bytes *fn, void *ctx, struct pd_profiler_result *ret)
{
	eventfd_write(profiler->stop_fd, 1);
	end_thread(profiler);
	struct pd_error *err = pd_profiler_failure(profiler);
	if (err)
		return err;
	err = fn ? pd_profiler_convert(profiler, format, fn, ctx) : NULL;
	if (!err && ret)
		*ret = pd_profiler_result_of(&profiler->recording.result.counts);
	return err;
}

struct pd_error *pd_profiler_stop(
	struct pd_profiler *profiler, pd_on_bytes *fn, void *ctx, struct pd_profiler_result *ret)
{
	return pd_profiler_stop_as(profiler, "pprof", fn, ctx, ret);
}

/* pd_profiler: record on a separate thread, then convert the recording. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <pdconv/convert.h>
#include <pdconv/file.h>
#include <pdconv/header.h>

#include "api/output_sink.h"
#include "api/profile_read.h"
#include "api/profile_write.h"
#include "api/profiler_setup.h"
#include "base/cleanup.h"
#include "base/reserved.h"
#include "base/io/temporary.h"

/* Requests to the thread that records. */

/** A request of another thread to the one that records. */
struct api_profiler_request {
	/** Process to add; 0: write a snapshot to @ref out. */
	pid_t pid;
	FILE *out;
	struct cap_snapshot snapshot;
	bool is_done;
	struct pd_error *err;
};

/* A cap_on_request, whose context is a profiler: serve its request. */
static void serve(void *ctx, struct cap_run *run)
{
	struct pd_profiler *profiler = ctx;

	pthread_mutex_lock(&profiler->lock);
	struct api_profiler_request *request = profiler->request;
	if (request && !request->is_done) {
		request->err = request->pid
				       ? cap_run_add_process(run, request->pid)
				       : cap_run_snapshot(run, request->out, &request->snapshot);
		request->is_done = true;
		pthread_cond_broadcast(&profiler->changed);
	}
	pthread_mutex_unlock(&profiler->lock);
}

static struct pd_error *copy_error(const struct pd_error *err)
{
	return !err || err == &pd_enomem
		       ? (struct pd_error *)err
		       : pd_error_create(err->code, err->path, "%s", err->message);
}

static struct pd_error *failure_of(struct pd_profiler *profiler)
{
	pthread_mutex_lock(&profiler->lock);
	struct pd_error *err = copy_error(profiler->err);
	pthread_mutex_unlock(&profiler->lock);
	return err;
}

/* Wait for one's turn, then for the answer. The lock is held. */
static void await_answer(struct pd_profiler *profiler, struct api_profiler_request *request)
{
	while (profiler->request && !profiler->has_ended)
		pthread_cond_wait(&profiler->changed, &profiler->lock);
	if (profiler->has_ended)
		return;
	profiler->request = request;
	eventfd_write(profiler->request_fd, 1);
	while (!request->is_done && !profiler->has_ended)
		pthread_cond_wait(&profiler->changed, &profiler->lock);
	profiler->request = NULL;
	pthread_cond_broadcast(&profiler->changed);
}

static struct pd_error *ask(
	struct pd_profiler *profiler, struct api_profiler_request *request, bool *has_ended_ret)
{
	pthread_mutex_lock(&profiler->lock);
	await_answer(profiler, request);
	pthread_mutex_unlock(&profiler->lock);
	*has_ended_ret = !request->is_done;
	return request->is_done ? request->err : failure_of(profiler);
}

struct pd_error *pd_profiler_add_pid(struct pd_profiler *profiler, pid_t pid)
{
	struct api_profiler_request request = { .pid = pid };
	bool has_ended;

	if (pid <= 0)
		return pd_error_create(PD_ERROR_USAGE, NULL,
			"invalid process %d: expected a number above 0", (int)pid);
	struct pd_error *err = ask(profiler, &request, &has_ended);
	if (err || !has_ended)
		return err;
	return pd_error_create(PD_ERROR_USAGE, NULL,
		"process %d cannot be added: the profiler has been stopped", (int)pid);
}

/* Snapshots. */

static bool is_unsupported(int errnum)
{
	return errnum == EXDEV || errnum == EINVAL || errnum == ENOSYS || errnum == EOPNOTSUPP;
}

/* Copy at most 64 KiB from @p at to the same place. Returns -1 and sets errno on failure. */
static ssize_t copy_some(int from, int to, off_t at, size_t size)
{
	char buf[1 << 16];
	ssize_t n = pread(from, buf, size < sizeof(buf) ? size : sizeof(buf), at);

	return n > 0 ? pwrite(to, buf, (size_t)n, at) : n;
}

/* Copy bytes [at, end). File systems may share them between the files, or not support that. */
static struct pd_error *copy_bytes(int from, int to, off_t at, off_t end)
{
	bool is_by_kernel = true;

	while (at < end) {
		off_t read_at = at, write_at = at;
		size_t size = (size_t)(end - at);
		ssize_t n = is_by_kernel ? copy_file_range(from, &read_at, to, &write_at, size, 0)
					 : copy_some(from, to, at, size);

		if (n < 0 && is_by_kernel && is_unsupported(errno))
			is_by_kernel = false;
		else if (n < 0 && errno != EINTR)
			return pd_error_os("temporary file", "cannot copy the recording");
		else if (n == 0)
			return pd_error_create(
				PD_ERROR_OS, NULL, "the recording has been truncated");
		at += n > 0 ? n : 0;
	}
	return NULL;
}

static struct pd_error *open_temporary(FILE **ret)
{
	int fd = base_temporary_open_large();

	*ret = fd < 0 ? NULL : fdopen(fd, "w+");
	if (*ret)
		return NULL;
	struct pd_error *err = pd_error_os("temporary file", "cannot create");
	base_close(&fd);
	return err;
}

static struct pd_error *convert_fd(
	const struct pd_profiler *profiler, int fd, const char *format, pd_on_bytes *fn, void *ctx)
{
	struct pd_file *file;

	if (lseek(fd, 0, SEEK_SET) < 0)
		return pd_error_os(profiler->name, "cannot read back");
	struct pd_error *err = pd_file_open_fd(fd, profiler->name, NULL, &file);
	if (err)
		return err;
	err = pd_convert(file, &profiler->profile, format, fn, ctx, NULL);
	pd_file_close(file);
	return err;
}

static struct pd_error *convert_recording(
	const struct pd_profiler *profiler, const char *format, pd_on_bytes *fn, void *ctx)
{
	return convert_fd(profiler, fileno(profiler->file), format, fn, ctx);
}

static struct pd_profiler_result result_of(const struct cap_counts *counts)
{
	return (struct pd_profiler_result){
		.n_samples = counts->n_samples,
		.n_lost = counts->n_lost,
		.seconds = 1e-9 * (double)(counts->last_ns - counts->first_ns),
		.n_shortened = counts->n_shortened,
	};
}

/* Convert @p out, the snapshot of @p request, once it is complete. */
static struct pd_error *convert_snapshot(const struct pd_profiler *profiler,
	const struct api_profiler_request *request, const char *format, pd_on_bytes *fn, void *ctx)
{
	int fd = fileno(request->out);
	struct pd_error *err = copy_bytes(
		fileno(profiler->file), fd, PD_HEADER_BYTES, (off_t)request->snapshot.n_shared);

	return err ? err : convert_fd(profiler, fd, format, fn, ctx);
}

struct pd_error *pd_profiler_snapshot(struct pd_profiler *profiler, const char *format,
	pd_on_bytes *fn, void *ctx, struct pd_profiler_result *ret)
{
	_cleanup_fclose_ FILE *out = NULL;
	struct api_profiler_request request = { 0 };
	const struct out_format *found;
	bool has_ended;

	struct pd_error *err = api_stream_format_find(format, &found);
	if (err)
		return err;
	err = open_temporary(&out);
	if (err)
		return err;
	request.out = out;
	err = ask(profiler, &request, &has_ended);
	if (err)
		return err;
	err = has_ended ? convert_recording(profiler, format, fn, ctx)
			: convert_snapshot(profiler, &request, format, fn, ctx);
	if (!err && ret)
		*ret = result_of(
			has_ended ? &profiler->recording.result.counts : &request.snapshot.counts);
	return err;
}

/* Files. */

/* Start and stop. */

enum { BEGUN = 1, ENDED = 2 };

/* Create a file that gets its name when the recording has begun: events may be refused. */
static struct pd_error *open_named(struct pd_profiler *profiler, const char *path, int *fd_ret)
{
	struct pd_error *err = api_file_sink_open(path, true, &profiler->sink);

	if (err)
		return err;
	profiler->is_unnamed = true;
	*fd_ret = base_fd_share(profiler->sink.fd);
	return NULL;
}

static struct pd_error *open_file(struct pd_profiler *profiler, const char *path)
{
	int fd = path ? -1 : base_temporary_open();
	struct pd_error *err = path ? open_named(profiler, path, &fd) : NULL;

	if (err)
		return err;
	profiler->name =
		path ? base_arena_strndup(&profiler->arena, path, strlen(path)) : "temporary file";
	if (!profiler->name)
		return &pd_enomem;
	/* A device or a pipe is opened for writing only. */
	bool is_special = path && !profiler->sink.temporary;
	profiler->file = fd < 0 ? NULL : fdopen(fd, is_special ? "w" : "w+");
	if (profiler->file)
		return NULL;
	err = pd_error_os(profiler->name, "cannot create");
	base_close(&fd);
	return err;
}

/* Give the recording its name. */
static struct pd_error *begin(void *ctx)
{
	struct pd_profiler *profiler = ctx;

	if (!profiler->is_unnamed)
		return NULL;
	profiler->is_unnamed = false;
	return api_file_sink_finish(&profiler->sink, NULL);
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
	opts->on_request = serve;
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
	return failure_of(profiler);
}

static struct pd_error *set_up_and_start(
	struct pd_profiler *profiler, const struct pd_profiler_opts *opts)
{
	struct pd_error *err = PD_CHECK_RESERVED("struct pd_profiler_opts", opts);
	if (err)
		return err;
	err = api_profiler_set_up(profiler, opts);
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
		(void)!api_file_sink_finish(&profiler->sink, &pd_enomem);
	if (profiler->file)
		fclose(profiler->file);
	base_close(&profiler->stop_fd);
	base_close(&profiler->begun_fd);
	base_close(&profiler->request_fd);
	for (size_t i = 0; i < profiler->tags.n; i++)
		free(profiler->tags.data[i]);
	pd_vec_deinit(&profiler->tags);
	cap_recording_deinit(&profiler->recording);
	base_arena_deinit(&profiler->arena);
	pthread_cond_destroy(&profiler->changed);
	pthread_mutex_destroy(&profiler->lock);
	free(profiler);
}

static struct pd_error *stop_as(struct pd_profiler *profiler, const char *format, pd_on_bytes *fn,
	void *ctx, struct pd_profiler_result *ret)
{
	eventfd_write(profiler->stop_fd, 1);
	end_thread(profiler);
	struct pd_error *err = failure_of(profiler);
	if (err)
		return err;
	err = fn ? convert_recording(profiler, format, fn, ctx) : NULL;
	if (!err && ret)
		*ret = result_of(&profiler->recording.result.counts);
	return err;
}

struct pd_error *pd_profiler_stop(
	struct pd_profiler *profiler, pd_on_bytes *fn, void *ctx, struct pd_profiler_result *ret)
{
	return stop_as(profiler, "pprof", fn, ctx, ret);
}

typedef struct pd_error *output_fn(struct pd_profiler *profiler, const char *format,
	pd_on_bytes *fn, void *ctx, struct pd_profiler_result *ret);

static struct pd_error *write_file(struct pd_profiler *profiler, const char *format,
	const char *path, output_fn *output, struct pd_profiler_result *ret)
{
	const struct out_format *found;
	struct pd_profiler_result result;
	struct api_file_sink sink;

	struct pd_error *err = api_stream_format_find(format, &found);
	if (err)
		return err;
	/* Only these files have the memory of processes. */
	err = api_file_sink_open(path, profiler->profile.format.perfdata.keep_stacks, &sink);
	if (err)
		return err;
	err = output(profiler, format, api_file_sink_write, &sink, &result);
	err = api_file_sink_finish(&sink, err);
	if (!err && ret)
		*ret = result;
	return err;
}

struct pd_error *pd_profiler_stop_to_file(struct pd_profiler *profiler, const char *format,
	const char *path, struct pd_profiler_result *ret)
{
	return write_file(profiler, format, path, stop_as, ret);
}

struct pd_error *pd_profiler_snapshot_to_file(struct pd_profiler *profiler, const char *format,
	const char *path, struct pd_profiler_result *ret)
{
	return write_file(profiler, format, path, pd_profiler_snapshot, ret);
}

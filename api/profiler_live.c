/* pd_profiler: what other threads want while it records, and its output. */
#include "api/profiler_private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <pdconv/convert.h>
#include <pdconv/file.h>
#include <pdconv/header.h>

#include "api/file_sink.h"
#include "api/profile_private.h"
#include "base/cleanup.h"
#include "base/temporary.h"

/* Requests to the thread that records. */

void pd_profiler_serve(void *ctx, struct cap_run *run)
{
	struct pd_profiler *profiler = ctx;

	pthread_mutex_lock(&profiler->lock);
	struct pd_profiler_request *request = profiler->request;
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

struct pd_error *pd_profiler_failure(struct pd_profiler *profiler)
{
	pthread_mutex_lock(&profiler->lock);
	struct pd_error *err = copy_error(profiler->err);
	pthread_mutex_unlock(&profiler->lock);
	return err;
}

/* Wait for one's turn, then for the answer. The lock is held. */
static void ask(struct pd_profiler *profiler, struct pd_profiler_request *request)
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

struct pd_error *pd_profiler_ask(
	struct pd_profiler *profiler, struct pd_profiler_request *request, bool *has_ended_ret)
{
	pthread_mutex_lock(&profiler->lock);
	ask(profiler, request);
	pthread_mutex_unlock(&profiler->lock);
	*has_ended_ret = !request->is_done;
	return request->is_done ? request->err : pd_profiler_failure(profiler);
}

struct pd_error *pd_profiler_add_pid(struct pd_profiler *profiler, pid_t pid)
{
	struct pd_profiler_request request = { .pid = pid };
	bool has_ended;

	if (pid <= 0)
		return pd_error_create(PD_ERROR_USAGE, NULL,
			"invalid process %d: expected a number above 0", (int)pid);
	struct pd_error *err = pd_profiler_ask(profiler, &request, &has_ended);
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
	int fd = pd_temporary_open_large();

	*ret = fd < 0 ? NULL : fdopen(fd, "w+");
	if (*ret)
		return NULL;
	struct pd_error *err = pd_error_os("temporary file", "cannot create");
	pd_close(&fd);
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

struct pd_error *pd_profiler_convert(
	const struct pd_profiler *profiler, const char *format, pd_on_bytes *fn, void *ctx)
{
	return convert_fd(profiler, fileno(profiler->file), format, fn, ctx);
}

struct pd_profiler_result pd_profiler_result_of(const struct cap_counts *counts)
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
	const struct pd_profiler_request *request, const char *format, pd_on_bytes *fn, void *ctx)
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
	struct pd_profiler_request request = { 0 };
	const struct out_format *found;
	bool has_ended;

	struct pd_error *err = pd_format_find(format, &found);
	if (err)
		return err;
	err = open_temporary(&out);
	if (err)
		return err;
	request.out = out;
	err = pd_profiler_ask(profiler, &request, &has_ended);
	if (err)
		return err;
	err = has_ended ? pd_profiler_convert(profiler, format, fn, ctx)
			: convert_snapshot(profiler, &request, format, fn, ctx);
	if (!err && ret)
		*ret = pd_profiler_result_of(
			has_ended ? &profiler->recording.result.counts : &request.snapshot.counts);
	return err;
}

/* Files. */

typedef struct pd_error *output_fn(struct pd_profiler *profiler, const char *format,
	pd_on_bytes *fn, void *ctx, struct pd_profiler_result *ret);

static struct pd_error *write_file(struct pd_profiler *profiler, const char *format,
	const char *path, output_fn *output, struct pd_profiler_result *ret)
{
	const struct out_format *found;
	struct pd_profiler_result result;
	struct pd_file_sink sink;

	struct pd_error *err = pd_format_find(format, &found);
	if (err)
		return err;
	/* Only these files have the memory of processes. */
	err = pd_file_sink_open(path, profiler->profile.format.perfdata.keep_stacks, &sink);
	if (err)
		return err;
	err = output(profiler, format, pd_file_sink_write, &sink, &result);
	err = pd_file_sink_finish(&sink, err);
	if (!err && ret)
		*ret = result;
	return err;
}

struct pd_error *pd_profiler_stop_to_file(struct pd_profiler *profiler, const char *format,
	const char *path, struct pd_profiler_result *ret)
{
	return write_file(profiler, format, path, pd_profiler_stop_as, ret);
}

struct pd_error *pd_profiler_snapshot_to_file(struct pd_profiler *profiler, const char *format,
	const char *path, struct pd_profiler_result *ret)
{
	return write_file(profiler, format, path, pd_profiler_snapshot, ret);
}

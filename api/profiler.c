/* pd_profiler: record on a separate thread, then convert the recording to pprof. */
#include <pdconv/profiler.h>

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <pdconv/file.h>

#include "api/sink.h"
#include "base/cleanup.h"
#include "base/temporary.h"
#include "base/format.h"
#include "capture/capture_opts.h"
#include "capture/recording.h"
#include "resolve/resolve.h"
#include "output/formats.h"

enum { BEGUN = 1, ENDED = 2 };

struct pd_profiler {
	struct pd_profiler_opts opts;
	/** "KEY=VALUE" each. */
	PD_VEC(char *) tags;
	struct cap_recording recording;
	/** The recording, and its name for messages. */
	FILE *file;
	const char *name;
	int stop_fd;
	/** An eventfd: BEGUN is added when recording has begun, ENDED when the thread has ended. */
	int begun_fd;
	pthread_t thread;
	bool is_running;
	/** Result of the thread, once it has ended. */
	struct pd_error *err;
};

static struct pd_error *set_target(struct pd_profiler *profiler)
{
	struct cap_target *target = &profiler->recording.target;
	pid_t pid = profiler->opts.pid;
	struct pd_error *err = cap_target_use_online_cpus(target);

	target->is_system_wide = !pid;
	return err || !pid ? err : cap_target_add_process(target, pid);
}

static struct pd_error *set_sampling(struct pd_profiler *profiler)
{
	struct pd_capture_opts capture = profiler->opts.capture;

	if (!capture.callchain && !capture.stack_bytes)
		capture.stack_bytes = CAP_DEFAULT_STACK_BYTES;
	capture.no_kernel_chain |= profiler->opts.no_kernel;
	capture.inherit = profiler->opts.pid != 0;
	profiler->recording.sampling.with_build_ids = true;
	return cap_capture_opts_apply(&capture, &profiler->recording);
}

/* Tags are stored in the recording, from where the profile gets them as labels. */
static struct pd_error *set_tags(struct pd_profiler *profiler)
{
	for (size_t i = 0; i < profiler->opts.n_tags; i++) {
		const struct pd_tag *tag = &profiler->opts.tags[i];

		if (!tag->key[0] || strchr(tag->key, '=') || !tag->value[0])
			return pd_error_create(PD_ERROR_USAGE, NULL,
				"invalid tag '%s': expected a key without '=' and a value that is not empty",
				tag->key);
		char *text = pd_format("%s=%s", tag->key, tag->value);
		if (!text || !pd_vec_push(&profiler->tags, text)) {
			free(text);
			return &pd_enomem;
		}
	}
	/* Pushing may have moved the list, so its address is taken last. */
	profiler->recording.opts.tags = (const char *const *)profiler->tags.data;
	profiler->recording.opts.n_tags = profiler->tags.n;
	return NULL;
}

static struct pd_error *open_file(struct pd_profiler *profiler)
{
	const char *path = profiler->opts.recording;
	int fd = path ? -1 : pd_temporary_open();

	profiler->name = path ? path : "temporary file";
	profiler->file = path ? fopen(path, "w+e") : fd < 0 ? NULL : fdopen(fd, "w+");
	if (profiler->file)
		return NULL;
	struct pd_error *err = pd_error_os(profiler->name, "cannot create");
	pd_close(&fd);
	return err;
}

static struct pd_error *set_opts(struct pd_profiler *profiler)
{
	struct cap_recording_opts *opts = &profiler->recording.opts;

	profiler->stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	profiler->begun_fd = eventfd(0, EFD_CLOEXEC);
	if (profiler->stop_fd < 0 || profiler->begun_fd < 0)
		return pd_error_os("profiler", "cannot create an eventfd");
	opts->stop_fd = profiler->stop_fd;
	opts->begun_fd = profiler->begun_fd;
	opts->name = profiler->name;
	return NULL;
}

static struct pd_error *set_up(struct pd_profiler *profiler)
{
	struct pd_error *err = set_target(profiler);
	if (err)
		return err;
	err = set_sampling(profiler);
	if (err)
		return err;
	err = set_tags(profiler);
	if (err)
		return err;
	err = open_file(profiler);
	return err ? err : set_opts(profiler);
}

static void *record(void *arg)
{
	struct pd_profiler *profiler = arg;

	profiler->err = cap_recording_run(&profiler->recording, profiler->file);
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

static struct pd_error *end_thread(struct pd_profiler *profiler)
{
	if (profiler->is_running)
		pthread_join(profiler->thread, NULL);
	profiler->is_running = false;
	struct pd_error *err = profiler->err;
	profiler->err = NULL;
	return err;
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
	return state & BEGUN ? NULL : end_thread(profiler);
}

static struct pd_error *set_up_and_start(struct pd_profiler *profiler)
{
	struct pd_error *err = set_up(profiler);

	return err ? err : start(profiler);
}

struct pd_error *pd_profiler_start(const struct pd_profiler_opts *opts, struct pd_profiler **ret)
{
	struct pd_profiler *profiler = calloc(1, sizeof(*profiler));

	if (!profiler)
		return &pd_enomem;
	cap_recording_init(&profiler->recording);
	profiler->opts = *opts;
	profiler->stop_fd = profiler->begun_fd = -1;
	struct pd_error *err = set_up_and_start(profiler);
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
	pd_error_destroy(end_thread(profiler));
	if (profiler->file)
		fclose(profiler->file);
	pd_close(&profiler->stop_fd);
	pd_close(&profiler->begun_fd);
	for (size_t i = 0; i < profiler->tags.n; i++)
		free(profiler->tags.data[i]);
	pd_vec_deinit(&profiler->tags);
	cap_recording_deinit(&profiler->recording);
	free(profiler);
}

static struct pd_error *resolve_file(const struct pd_profiler *profiler, struct pd_file *file,
	const struct out_write_opts *write_opts, struct profile **ret)
{
	struct resolve_opts opts = {
		.no_kernel = profiler->opts.no_kernel,
		.jobs = profiler->opts.jobs,
	};

	if (out_format_pprof.prepare) {
		struct pd_error *err = out_format_pprof.prepare(write_opts, &opts.request);
		if (err)
			return err;
	}
	return resolve_profile(file, &opts, ret);
}

static struct pd_error *build(const struct pd_profiler *profiler,
	const struct out_write_opts *write_opts, struct profile **ret)
{
	struct pd_file *file;

	if (fflush(profiler->file) != 0 || lseek(fileno(profiler->file), 0, SEEK_SET) < 0)
		return pd_error_os(profiler->name, "cannot read back");
	struct pd_error *err = pd_file_open_fd(fileno(profiler->file), profiler->name, NULL, &file);
	if (err)
		return err;
	err = resolve_file(profiler, file, write_opts, ret);
	pd_file_close(file);
	return err;
}

static void set_result(const struct cap_counts *counts, struct pd_profiler_result *ret)
{
	*ret = (struct pd_profiler_result){
		.n_samples = counts->n_samples,
		.n_lost = counts->n_lost,
		.seconds = 1e-9 * (double)(counts->last_ns - counts->first_ns),
		.n_shortened = counts->n_shortened,
	};
}

static struct pd_error *convert(struct pd_profiler *profiler, pd_on_bytes *fn, void *ctx)
{
	struct out_write_opts opts = out_write_defaults();
	struct profile *profile = NULL;

	opts.input = profiler->name;
	opts.jobs = profiler->opts.jobs;
	struct pd_error *err = build(profiler, &opts, &profile);

	if (err)
		return err;
	err = pd_sink_write(&out_format_pprof, profile, &opts, fn, ctx);
	profile_destroy(profile);
	return err;
}

struct pd_error *pd_profiler_stop(
	struct pd_profiler *profiler, pd_on_bytes *fn, void *ctx, struct pd_profiler_result *ret)
{
	eventfd_write(profiler->stop_fd, 1);
	struct pd_error *err = end_thread(profiler);
	if (err)
		return err;
	err = convert(profiler, fn, ctx);
	if (err)
		return err;
	if (ret)
		set_result(&profiler->recording.result.counts, ret);
	return NULL;
}

#include "api/output_sink.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/io/temporary.h"

/* A stream whose bytes go to a function of the caller. */
struct sink {
	pd_on_bytes *fn;
	void *ctx;
	/* The first error that the function returned. */
	struct pd_error *err;
};

static ssize_t put_bytes(void *cookie, const char *bytes, size_t size)
{
	struct sink *sink = cookie;

	if (!sink->err)
		sink->err = sink->fn(sink->ctx, bytes, size);
	if (!sink->err)
		return (ssize_t)size;
	errno = EIO;
	return 0;
}

struct pd_error *pd_write_to_stream(void *stream, const void *bytes, size_t size)
{
	return fwrite(bytes, 1, size, stream) == size ? NULL : pd_error_os(NULL, "cannot write");
}

/* Close @p out after the format returned @p err, and return the first error of writing. */
static struct pd_error *finish(FILE *out, struct pd_error *err)
{
	bool has_failed = ferror(out);
	bool is_out_of_memory = has_failed && errno == ENOMEM;

	has_failed = fclose(out) != 0 || has_failed;
	if (err || !has_failed)
		return err;
	return is_out_of_memory ? &pd_enomem : pd_error_os("profile", "cannot write");
}

struct pd_error *api_sink_stream(api_sink_fn *fn, const void *what, const struct api_target *to)
{
	const cookie_io_functions_t functions = { .write = put_bytes };
	struct sink sink = { .fn = to->fn, .ctx = to->ctx };

	if (to->stream)
		return fn(what, to->stream);
	FILE *out = fopencookie(&sink, "w", functions);
	if (!out)
		return pd_error_os("profile", "cannot write");
	struct pd_error *err = finish(out, fn(what, out));
	if (!sink.err)
		return err;
	pd_error_destroy(err);
	return sink.err;
}

/* A profile that is written in a format. */
struct output {
	const struct out_format *format;
	const struct profile *profile;
	const struct out_write_opts *opts;
};

static struct pd_error *write_format(const void *what, FILE *out)
{
	const struct output *output = what;

	return output->format->write(output->profile, output->opts, out);
}

static struct pd_error *copy(FILE *from, const struct api_target *to)
{
	char buf[65536];
	size_t n;

	rewind(from);
	while ((n = fread(buf, 1, sizeof(buf), from)) > 0) {
		struct pd_error *err = to->fn(to->ctx, buf, n);

		if (err)
			return err;
	}
	return ferror(from) ? pd_error_os("temporary file", "cannot read") : NULL;
}

/* Write to a temporary file first, because the header is completed last. */
static struct pd_error *write_seekable(const struct output *output, const struct api_target *to)
{
	int fd = base_temporary_open_large();
	_cleanup_fclose_ FILE *file = fd < 0 ? NULL : fdopen(fd, "w+");

	if (!file) {
		struct pd_error *err = pd_error_os("temporary file", "cannot open");

		base_close(&fd);
		return err;
	}
	struct pd_error *err = write_format(output, file);
	if (err)
		return err;
	if (ferror(file) || fflush(file) != 0)
		return pd_error_os("temporary file", "cannot write");
	return copy(file, to);
}

struct pd_error *api_sink_write(const struct out_format *format, const struct profile *profile,
	const struct out_write_opts *opts, const struct api_target *to)
{
	const struct output output = { format, profile, opts };

	if (format->rereads_input && !to->stream)
		return write_seekable(&output, to);
	return api_sink_stream(write_format, &output, to);
}

/* Modes of files that everybody may read, as far as the umask allows, and of others. */
enum { MODE = 0666, PRIVATE_MODE = 0600 };

static struct pd_error *open_in_place(struct api_file_sink *sink, bool is_private)
{
	sink->fd = base_destination_open(&sink->to, is_private ? PRIVATE_MODE : MODE);
	return sink->fd < 0 ? pd_error_os(sink->path, "cannot open") : NULL;
}

static struct pd_error *open_temporary(struct api_file_sink *sink, bool is_private)
{
	const struct base_destination *to = &sink->to;

	sink->fd = base_destination_create_beside(
		to, is_private ? PRIVATE_MODE : MODE, &sink->temporary);
	if (sink->fd < 0)
		return pd_error_os(sink->path, "cannot create");
	/* The user may have hidden the older file from others. */
	if (to->exists && to->state.st_uid == base_user() && !is_private)
		base_fd_set_mode(sink->fd, to->state.st_mode & 0777);
	return NULL;
}

struct pd_error *api_file_sink_open(const char *path, bool is_private, struct api_file_sink *ret)
{
	struct api_file_sink sink = { .path = path, .fd = -1 };
	struct pd_error *err = base_destination_find(path, true, &sink.to);

	if (err)
		return err;
	err = base_destination_is_special(&sink.to) ? open_in_place(&sink, is_private)
						    : open_temporary(&sink, is_private);
	if (err) {
		base_destination_deinit(&sink.to);
		return err;
	}
	*ret = sink;
	return NULL;
}

struct pd_error *api_file_sink_write(void *ctx, const void *bytes, size_t size)
{
	const struct api_file_sink *sink = ctx;

	return base_write_all(sink->fd, bytes, size) ? NULL
						     : pd_error_os(sink->path, "cannot write");
}

/* Some file systems report that a write failed only when the file is closed. */
static struct pd_error *commit(const struct api_file_sink *sink)
{
	if (close(sink->fd) < 0)
		return pd_error_os(sink->path, "cannot write");
	if (sink->temporary &&
		renameat(sink->to.dir, sink->temporary, sink->to.dir, sink->to.name) < 0)
		return pd_error_os(sink->path, "cannot rename to it");
	return NULL;
}

struct pd_error *api_file_sink_finish(struct api_file_sink *sink, struct pd_error *err)
{
	if (err)
		close(sink->fd);
	else
		err = commit(sink);
	if (err && sink->temporary)
		unlinkat(sink->to.dir, sink->temporary, 0);
	free(sink->temporary);
	base_destination_deinit(&sink->to);
	return err;
}

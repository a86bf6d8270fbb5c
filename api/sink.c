#include "api/sink.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/temporary.h"

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

static struct pd_error *write_stream(const struct out_format *format, const struct profile *profile,
	const struct out_write_opts *opts, struct sink *sink)
{
	const cookie_io_functions_t functions = { .write = put_bytes };
	FILE *out = fopencookie(sink, "w", functions);

	if (!out)
		return pd_error_os("profile", "cannot write");
	struct pd_error *err = finish(out, format->write(profile, opts, out));
	if (!sink->err)
		return err;
	pd_error_destroy(err);
	return sink->err;
}

static struct pd_error *copy(FILE *from, const struct sink *sink)
{
	char buf[65536];
	size_t n;

	rewind(from);
	while ((n = fread(buf, 1, sizeof(buf), from)) > 0) {
		struct pd_error *err = sink->fn(sink->ctx, buf, n);

		if (err)
			return err;
	}
	return ferror(from) ? pd_error_os("temporary file", "cannot read") : NULL;
}

static struct pd_error *write_seekable(const struct out_format *format,
	const struct profile *profile, const struct out_write_opts *opts, const struct sink *sink)
{
	int fd = pd_temporary_open_large();
	_cleanup_fclose_ FILE *file = fd < 0 ? NULL : fdopen(fd, "w+");

	if (!file) {
		struct pd_error *err = pd_error_os("temporary file", "cannot open");

		pd_close(&fd);
		return err;
	}
	struct pd_error *err = format->write(profile, opts, file);
	if (err)
		return err;
	if (ferror(file) || fflush(file) != 0)
		return pd_error_os("temporary file", "cannot write");
	return copy(file, sink);
}

struct pd_error *pd_sink_write(const struct out_format *format, const struct profile *profile,
	const struct out_write_opts *opts, const struct pd_target *to)
{
	struct sink sink = { .fn = to->fn, .ctx = to->ctx };

	if (to->stream)
		return format->write(profile, opts, to->stream);
	return format->rereads_input ? write_seekable(format, profile, opts, &sink)
				     : write_stream(format, profile, opts, &sink);
}

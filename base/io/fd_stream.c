#include "base/io/fd_stream.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/io/temporary.h"

/* Streams of fopencookie() have buffers of 4 KiB, so that most of the time goes to system calls. */
enum { BUFFER_BYTES = 1 << 16 };

struct fd_stream {
	int fd;
	bool owns_fd;
	int *error;
	char buffer[BUFFER_BYTES];
};

static void note_failure(const struct fd_stream *stream)
{
	if (!*stream->error)
		*stream->error = errno;
}

static ssize_t write_bytes(void *cookie, const char *bytes, size_t size)
{
	const struct fd_stream *stream = cookie;

	if (base_write_all(stream->fd, bytes, size))
		return (ssize_t)size;
	note_failure(stream);
	return 0;
}

static int seek(void *cookie, off64_t *offset, int whence)
{
	const struct fd_stream *stream = cookie;

	*offset = lseek(stream->fd, *offset, whence);
	if (*offset >= 0)
		return 0;
	/* A pipe has no position, which is not a failure of it. */
	if (errno != ESPIPE)
		note_failure(stream);
	return -1;
}

static int close_stream(void *cookie)
{
	struct fd_stream *stream = cookie;
	int result = stream->owns_fd ? close(stream->fd) : 0;

	if (result)
		note_failure(stream);
	free(stream);
	return result;
}

FILE *base_fd_stream_open(int fd, bool owns_fd, int *error)
{
	int flags = fcntl(fd, F_GETFL);
	const cookie_io_functions_t functions = {
		.write = write_bytes,
		.seek = flags >= 0 && flags & O_APPEND ? NULL : seek,
		.close = close_stream,
	};
	struct fd_stream *stream = malloc(sizeof(*stream));
	FILE *out = stream ? fopencookie(stream, "w", functions) : NULL;

	*error = 0;
	if (!out) {
		free(stream);
		return NULL;
	}
	stream->fd = fd;
	stream->owns_fd = owns_fd;
	stream->error = error;
	setvbuf(out, stream->buffer, _IOFBF, sizeof(stream->buffer));
	return out;
}

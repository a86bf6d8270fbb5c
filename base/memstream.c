#include "base/analyzer.h"
#include "base/memstream.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_CAPACITY = 256 };

struct memstream {
	char **text;
	size_t *len;
	size_t capacity;
};

static bool make_room(struct memstream *stream, size_t n)
{
	size_t capacity = stream->capacity;
	size_t wanted;

	if (__builtin_add_overflow(*stream->len, n + 1, &wanted))
		return false;
	while (capacity < wanted && capacity <= SIZE_MAX / 2)
		capacity *= 2;
	if (capacity < wanted)
		return false;
	char *grown =
		capacity > stream->capacity ? realloc(*stream->text, capacity) : *stream->text;
	if (!grown)
		return false;
	*stream->text = grown;
	PD_IS_OWNED(grown, "the caller of base_memstream_open() frees the text");
	stream->capacity = capacity;
	return true;
}

static ssize_t write_bytes(void *cookie, const char *bytes, size_t n)
{
	struct memstream *stream = cookie;

	/* 0 is the failure of a cookie's write function. */
	if (!make_room(stream, n))
		return 0;
	memcpy(*stream->text + *stream->len, bytes, n);
	*stream->len += n;
	(*stream->text)[*stream->len] = 0;
	return (ssize_t)n;
}

/* Return the position, for ftell(). */
static int seek(void *cookie, off64_t *offset, int whence)
{
	const struct memstream *stream = cookie;

	if (whence != SEEK_CUR || *offset)
		return -1;
	*offset = (off64_t)*stream->len;
	return 0;
}

static int close_cookie(void *cookie)
{
	free(cookie);
	return 0;
}

FILE *base_memstream_open(char **text_ret, size_t *len_ret)
{
	const cookie_io_functions_t functions = {
		.write = write_bytes, .seek = seek, .close = close_cookie
	};
	struct memstream *stream = malloc(sizeof(*stream));
	char *text = malloc(FIRST_CAPACITY);
	FILE *out = stream && text ? fopencookie(stream, "w", functions) : NULL;

	if (!out) {
		free(text);
		free(stream);
		return NULL;
	}
	*text = 0;
	*text_ret = text;
	*len_ret = 0;
	*stream = (struct memstream){ text_ret, len_ret, FIRST_CAPACITY };
	return out;
}

bool base_memstream_close(FILE *out, char **text)
{
	bool ok = !ferror(out);

	ok = fclose(out) == 0 && ok;
	if (!ok) {
		free(*text);
		*text = NULL;
	}
	return ok;
}

void base_stream_fail(FILE *out)
{
	/* POSIX has no call for it, but reading from a stream that is open for writing fails. */
	(void)fgetc(out);
	errno = ENOMEM;
}

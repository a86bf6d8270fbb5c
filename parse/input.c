#include "parse/input.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/system/file_map.h"
#include "base/io/inflate.h"
#include "base/io/temporary.h"

enum { RAW_BYTES = 128 * 1024 };

struct parse_input {
	char *name;
	struct pd_diag *diag;
	/**
	 * The whole input, mapped or borrowed from the caller; NULL for a stream and a file that is
	 * read by offset.
	 */
	const uint8_t *bytes;
	uint64_t size;
	struct base_file_map map;
	/** Mapping that @ref bytes are in: @ref map, or that of another input. */
	const struct base_file_map *source;
	/** Descriptor to read; -1 if the input is mapped, and after the end of a stream. */
	int fd;
	/** The descriptor is a regular file, which is read by offset. */
	bool is_regular;
	/** Offset of the next bytes to decompress of a regular file. */
	uint64_t next;
	/** The members from here on are for streams. */
	struct base_inflate *inflate;
	/** Buffer of RAW_BYTES for compressed bytes. */
	uint8_t *raw;
	/** Bytes that were read, if the input is not compressed. */
	struct base_window window;
};

void parse_input_close(struct parse_input *input)
{
	if (!input)
		return;
	base_file_map_close(&input->map);
	base_close(&input->fd);
	base_inflate_destroy(input->inflate);
	base_window_deinit(&input->window);
	free(input->raw);
	free(input->name);
	free(input);
}

struct pd_error *parse_input_check(const struct parse_input *input)
{
	return input->source ? base_file_map_check(input->source, input->name) : NULL;
}

static bool is_stream(const struct parse_input *input)
{
	return input->inflate || !(input->bytes || input->is_regular);
}

uint64_t parse_input_size(const struct parse_input *input)
{
	return is_stream(input) ? UINT64_MAX : input->size;
}

const uint8_t *parse_input_bytes(const struct parse_input *input)
{
	return input->inflate ? NULL : input->bytes;
}

struct pd_error *parse_input_read_at(
	const struct parse_input *input, uint64_t offset, void *to, size_t size)
{
	if (input->bytes) {
		memcpy(to, input->bytes + offset, size);
		return NULL;
	}
	for (size_t done = 0; done < size;) {
		ssize_t n =
			pread(input->fd, (char *)to + done, size - done, (off_t)(offset + done));

		if (n < 0 && errno != EINTR)
			return pd_error_os(input->name, "cannot read");
		if (!n)
			return pd_error_create(
				PD_ERROR_OS, input->name, "was truncated while it was read");
		done += n > 0 ? (size_t)n : 0;
	}
	return NULL;
}

void parse_input_drop(const struct parse_input *input, uint64_t from, uint64_t to)
{
	/* Memory of the caller, or a mapping that another input reads, stays as it is. */
	if (input->map.bytes)
		base_file_map_drop(&input->map, (size_t)from, (size_t)to);
}

struct base_seen parse_input_peek(const struct parse_input *input)
{
	return input->inflate ? base_inflate_peek(input->inflate)
			      : base_window_peek(&input->window);
}

void parse_input_take(struct parse_input *input, size_t len)
{
	if (input->inflate)
		base_inflate_take(input->inflate, len);
	else
		base_window_take(&input->window, len);
}

/* The position of a regular file is that of the caller, so it is neither used nor changed. */
static ssize_t read_next(struct parse_input *input, void *to, size_t room)
{
	if (!input->is_regular)
		return read(input->fd, to, room);
	ssize_t n = pread(input->fd, to, room, (off_t)input->next);
	input->next += n > 0 ? (size_t)n : 0;
	return n;
}

/* Read once, blocking. At the end n_ret is 0 and the descriptor is closed. */
static struct pd_error *read_some(struct parse_input *input, void *to, size_t room, size_t *n_ret)
{
	ssize_t n = 0;

	while (input->fd >= 0 && (n = read_next(input, to, room)) < 0) {
		struct pollfd wait = { .fd = input->fd, .events = POLLIN };

		if (errno == EAGAIN)
			poll(&wait, 1, -1);
		else if (errno != EINTR)
			return pd_error_os(input->name, "cannot read");
	}
	if (!n)
		base_close(&input->fd);
	*n_ret = (size_t)n;
	return NULL;
}

static struct pd_error *fill_window(struct parse_input *input, bool *more_ret)
{
	size_t room;
	uint8_t *to = base_window_room(&input->window, &room);
	size_t n = 0;

	if (!to)
		return &pd_enomem;
	struct pd_error *err = read_some(input, to, room, &n);
	if (err)
		return err;
	base_window_add(&input->window, n);
	*more_ret = n;
	return NULL;
}

/* Read compressed bytes for the codec; none at the end. */
static struct pd_error *feed(struct parse_input *input, size_t *n_ret)
{
	*n_ret = 0;
	if (input->fd < 0)
		return NULL;
	struct pd_error *err = read_some(input, input->raw, RAW_BYTES, n_ret);
	if (err)
		return err;
	base_inflate_feed(input->inflate, input->raw, *n_ret);
	return NULL;
}

static void end_with_warning(struct parse_input *input, const char *wrong)
{
	pd_diag_cut(input->diag, input->name, PD_NO_OFFSET, "compressed input", "%s", wrong);
	base_close(&input->fd);
}

static struct pd_error *fill_unpacked(struct parse_input *input, bool *more_ret)
{
	const char *wrong;
	size_t n = 1;

	while (n) {
		struct pd_error *err = base_inflate_fill(input->inflate, more_ret, &wrong);
		if (err || *more_ret)
			return err;
		if (wrong) {
			end_with_warning(input, wrong);
			return NULL;
		}
		/* A block of compressed bytes may yield no output, so feed more until one does. */
		err = feed(input, &n);
		if (err)
			return err;
	}
	if (base_inflate_is_cut(input->inflate))
		end_with_warning(input, "truncated");
	return NULL;
}

struct pd_error *parse_input_fill(struct parse_input *input, bool *more_ret)
{
	*more_ret = false;
	if (!is_stream(input))
		return NULL;
	return input->inflate ? fill_unpacked(input, more_ret) : fill_window(input, more_ret);
}

struct pd_error *parse_input_look(struct parse_input *input, void *to, size_t want, size_t *n_ret)
{
	bool more = true;

	if (!is_stream(input)) {
		*n_ret = input->size < want ? (size_t)input->size : want;
		return parse_input_read_at(input, 0, to, *n_ret);
	}
	while (parse_input_peek(input).len < want && more) {
		struct pd_error *err = parse_input_fill(input, &more);
		if (err)
			return err;
	}
	struct base_seen seen = parse_input_peek(input);
	*n_ret = seen.len < want ? seen.len : want;
	if (*n_ret)
		memcpy(to, seen.bytes, *n_ret);
	return NULL;
}

/*
 * Decompress from now on if the first bytes have the magic of a compression format. The caller
 * feeds them.
 */
static struct pd_error *find_codec(struct parse_input *input, const uint8_t *bytes, size_t len)
{
	enum base_codec codec = base_codec_detect(bytes, len);

	if (len >= 3 && !memcmp(bytes, "BZh", 3))
		return pd_error_create(PD_ERROR_UNSUPPORTED, input->name,
			"is compressed by bzip2: unpack it first");
	if (codec == PD_CODEC_NONE)
		return NULL;
	return base_inflate_create(codec, &input->inflate);
}

/* Decompress the whole input, which is in memory, if it is compressed. */
static struct pd_error *start_whole(struct parse_input *input)
{
	struct pd_error *err = find_codec(input, input->bytes, input->size);

	if (!err && input->inflate)
		base_inflate_feed(input->inflate, input->bytes, input->size);
	return err;
}

static struct pd_error *map(struct parse_input *input, int fd, uint64_t size)
{
	input->bytes = (const uint8_t *)"";
	if (!size)
		return NULL;
	if (!base_file_map_open(fd, 0, size, PD_MAP_IN_ORDER, &input->map))
		return pd_error_os(input->name, "cannot map");
	input->bytes = input->map.bytes;
	input->size = input->map.size;
	input->source = &input->map;
	return NULL;
}

/* Read the file by offset. If it is compressed, it becomes a stream. */
static struct pd_error *start_regular(struct parse_input *input, int fd, uint64_t size)
{
	uint8_t start[PD_CODEC_MAGIC_BYTES];
	size_t n = size < sizeof(start) ? (size_t)size : sizeof(start);

	input->fd = base_fd_share(fd);
	if (input->fd < 0)
		return pd_error_os(input->name, "cannot open");
	input->is_regular = true;
	input->size = size;
	struct pd_error *err = parse_input_read_at(input, 0, start, n);
	if (err)
		return err;
	err = find_codec(input, start, n);
	if (err || !input->inflate)
		return err;
	input->raw = malloc(RAW_BYTES);
	return input->raw ? NULL : &pd_enomem;
}

static struct pd_error *start_file(struct parse_input *input, int fd, uint64_t size)
{
	if (!base_file_map_is_cheap(size))
		return start_regular(input, fd, size);
	struct pd_error *err = map(input, fd, size);
	return err ? err : start_whole(input);
}

static struct pd_error *start_stream(struct parse_input *input, int fd)
{
	size_t n = 1;

	input->fd = base_fd_share(fd);
	input->raw = malloc(RAW_BYTES);
	if (input->fd < 0)
		return pd_error_os(input->name, "cannot open");
	if (!input->raw)
		return &pd_enomem;
	size_t len = 0;
	/* A read from a pipe may return fewer bytes than the magic has. */
	while (len < PD_CODEC_MAGIC_BYTES && n) {
		struct pd_error *err = read_some(input, input->raw + len, RAW_BYTES - len, &n);
		if (err)
			return err;
		len += n;
	}
	struct pd_error *err = find_codec(input, input->raw, len);
	if (err)
		return err;
	if (input->inflate) {
		base_inflate_feed(input->inflate, input->raw, len);
		return NULL;
	}
	/* The input is not compressed. Bytes that were read to find that out are its first ones. */
	for (size_t at = 0; at < len; at += n) {
		uint8_t *to = base_window_room(&input->window, &n);

		if (!to)
			return &pd_enomem;
		n = n < len - at ? n : len - at;
		memcpy(to, input->raw + at, n);
		base_window_add(&input->window, n);
	}
	return NULL;
}

static struct pd_error *start(struct parse_input *input, int fd)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return pd_error_os(input->name, "cannot stat");
	if (S_ISREG(st.st_mode))
		return start_file(input, fd, (uint64_t)st.st_size);
	if (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode))
		return start_stream(input, fd);
	return pd_error_create(PD_ERROR_UNSUPPORTED, input->name, "is a %s, not a recording",
		S_ISDIR(st.st_mode) ? "directory" : "device");
}

static struct parse_input *create(const char *name, struct pd_diag *diag)
{
	struct parse_input *input = calloc(1, sizeof(*input));

	if (!input)
		return NULL;
	input->fd = -1;
	input->diag = diag;
	input->name = strdup(name);
	if (!input->name) {
		parse_input_close(input);
		return NULL;
	}
	return input;
}

static struct pd_error *started(
	struct parse_input *input, struct pd_error *err, struct parse_input **ret)
{
	if (err)
		parse_input_close(input);
	else
		*ret = input;
	return err;
}

struct pd_error *parse_input_open_fd(
	int fd, const char *name, struct pd_diag *diag, struct parse_input **ret)
{
	struct parse_input *input = create(name, diag);

	return input ? started(input, start(input, fd), ret) : &pd_enomem;
}

struct pd_error *parse_input_open_memory(const void *bytes, size_t size, const char *name,
	struct pd_diag *diag, struct parse_input **ret)
{
	struct parse_input *input = create(name, diag);

	if (!input)
		return &pd_enomem;
	input->bytes = bytes ? bytes : (const void *)"";
	input->size = size;
	return started(input, start_whole(input), ret);
}

struct pd_error *parse_input_open_again(
	const struct parse_input *input, struct pd_diag *diag, struct parse_input **ret)
{
	if (input->is_regular) {
		struct parse_input *again = create(input->name, diag);

		return again ? started(again, start_regular(again, input->fd, input->size), ret)
			     : &pd_enomem;
	}
	struct pd_error *err =
		parse_input_open_memory(input->bytes, input->size, input->name, diag, ret);

	if (!err)
		(*ret)->source = input->source;
	return err;
}

/* Open without waiting for a device, but wait for the writer of a FIFO before reading from it. */
static int open_path(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;

	if (fd >= 0 && fstat(fd, &st) == 0 && S_ISFIFO(st.st_mode)) {
		struct pollfd wait = { .fd = fd, .events = POLLIN };

		poll(&wait, 1, -1);
		fcntl(fd, F_SETFL, O_RDONLY);
	}
	return fd;
}

struct pd_error *parse_input_open(const char *path, struct pd_diag *diag, struct parse_input **ret)
{
	if (strcmp(path, "-") == 0)
		return parse_input_open_fd(STDIN_FILENO, path, diag, ret);
	_cleanup_close_ int fd = open_path(path);
	if (fd < 0)
		return pd_error_os(path, "cannot open");
	return parse_input_open_fd(fd, path, diag, ret);
}

/* Copy what the descriptor still gives to @p to. At the end it is closed. */
static struct pd_error *copy_rest(struct parse_input *input, int to)
{
	_cleanup_free_ uint8_t *bytes = malloc(RAW_BYTES);
	size_t n = 1;

	if (!bytes)
		return &pd_enomem;
	while (n) {
		struct pd_error *err = read_some(input, bytes, RAW_BYTES, &n);

		if (err)
			return err;
		if (!base_write_all(to, bytes, n))
			return pd_error_os(input->name, "cannot copy to a temporary file");
	}
	return NULL;
}

struct pd_error *parse_input_await(struct parse_input *input)
{
	if (input->fd < 0 || input->is_regular)
		return NULL;
	_cleanup_close_ int fd = base_temporary_open_large();
	if (fd < 0)
		return pd_error_os(input->name, "cannot create a temporary file");
	struct pd_error *err = copy_rest(input, fd);
	if (err)
		return err;
	if (lseek(fd, 0, SEEK_SET) < 0)
		return pd_error_os(input->name, "cannot read a temporary file");
	input->fd = fd;
	fd = -1;
	return NULL;
}

static struct pd_error *copy_out(struct parse_input *input, int fd)
{
	bool more = true;

	while (more) {
		struct base_seen seen = parse_input_peek(input);

		if (!base_write_all(fd, seen.bytes, seen.len))
			return pd_error_os(input->name, "cannot copy to a temporary file");
		parse_input_take(input, seen.len);
		struct pd_error *err = parse_input_fill(input, &more);
		if (err)
			return err;
	}
	return NULL;
}

struct pd_error *parse_input_spool(struct parse_input *input)
{
	_cleanup_close_ int fd = base_temporary_open();

	if (fd < 0)
		return pd_error_os(input->name, "cannot create a temporary file");
	struct pd_error *err = copy_out(input, fd);
	if (err)
		return err;
	base_inflate_destroy(take_ptr(input->inflate));
	base_file_map_close(&input->map);
	base_window_deinit(&input->window);
	base_close(&input->fd);
	input->bytes = NULL;
	input->size = 0;
	struct stat st;
	if (fstat(fd, &st) < 0)
		return pd_error_os(input->name, "cannot stat");
	uint64_t size = (uint64_t)st.st_size;
	return base_file_map_is_cheap(size) ? map(input, fd, size) : start_regular(input, fd, size);
}

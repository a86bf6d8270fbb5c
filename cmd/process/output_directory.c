#include "cmd/process/output_directory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/io/fd_stream.h"
#include "cmd/process/output_file.h"

/* Open the regular file @p name in @p dir. Returns -1 if it is not one. */
static int open_regular(int dir, const char *name, struct stat *st)
{
	int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0 || (fstat(fd, st) == 0 && S_ISREG(st->st_mode)))
		return fd;
	close(fd);
	return -1;
}

/* Whether the regular file @p name in @p dir ends with the mark of the format. */
static bool is_marked(int dir, const char *name, const char *mark)
{
	char end[OUT_MARK_BYTES];
	struct stat st;
	_cleanup_close_ int fd = open_regular(dir, name, &st);

	if (fd < 0)
		return false;
	off_t at = st.st_size > OUT_MARK_BYTES ? st.st_size - OUT_MARK_BYTES : 0;
	ssize_t n = pread(fd, end, sizeof(end), at);
	size_t len = strlen(mark);

	for (size_t i = 0; n > 0 && i + len <= (size_t)n; i++) {
		if (memcmp(end + i, mark, len) == 0)
			return true;
	}
	return false;
}

/* Whether the first column of the table @p list in @p dir has the regular file @p name. */
static bool is_listed(int dir, const char *name, const char *list)
{
	struct stat st;
	_cleanup_close_ int file = open_regular(dir, name, &st);
	_cleanup_close_ int fd = open_regular(dir, list, &st);
	_cleanup_fclose_ FILE *table = file < 0 || fd < 0 ? NULL : fdopen(fd, "r");
	_cleanup_free_ char *line = NULL;
	size_t cap = 0, len = strlen(name);

	/* The stream has the descriptor now. */
	if (table)
		fd = -1;
	while (table && getline(&line, &cap, table) >= 0) {
		if (strncmp(line, name, len) == 0 && line[len] == '\t')
			return true;
	}
	return false;
}

/* Whether the format wrote the file @p name in @p dir. */
static bool is_written(int dir, const char *name, const struct out_format *format)
{
	if (!format->list || strcmp(name, format->list) == 0)
		return is_marked(dir, name, format->mark);
	return is_marked(dir, format->list, format->mark) && is_listed(dir, name, format->list);
}

static DIR *open_list(int dir, const char *name)
{
	int fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *list = fd < 0 ? NULL : fdopendir(fd);

	if (!list)
		base_close(&fd);
	return list;
}

/* Return the next entry except "." and ".."; NULL: there is none. */
static const struct dirent *next_entry(DIR *list)
{
	const struct dirent *entry;

	do {
		entry = readdir(list);
	} while (entry && (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0));
	return entry;
}

/*
 * Remove the directory @p name in @p dir if it has no files but those that the format wrote.
 * Returns false and sets errno on failure.
 */
static bool remove_older(int dir, const char *name, const struct out_format *format)
{
	DIR *list = open_list(dir, name);
	const struct dirent *entry;

	if (!list)
		return false;
	while ((entry = next_entry(list))) {
		bool is_list = format->list && strcmp(entry->d_name, format->list) == 0;

		if (!is_list && is_written(dirfd(list), entry->d_name, format))
			unlinkat(dirfd(list), entry->d_name, 0);
	}
	/* The others are known by it, so it is the last one. */
	if (format->list && is_written(dirfd(list), format->list, format))
		unlinkat(dirfd(list), format->list, 0);
	closedir(list);
	return unlinkat(dir, name, AT_REMOVEDIR) == 0;
}

/* Remove the new directory with its files. */
static void discard(const struct cmd_output_directory *d)
{
	const struct dirent *entry;

	rewinddir(d->list);
	while ((entry = next_entry(d->list)))
		unlinkat(dirfd(d->list), entry->d_name, 0);
	unlinkat(d->destination.dir, d->temporary, AT_REMOVEDIR);
}

/* Whether what exists at @p to may be replaced. */
static struct pd_error *check_replaced(
	const struct base_destination *to, const char *path, const struct out_format *format)
{
	DIR *list = open_list(to->dir, to->name);
	const struct dirent *entry;
	struct pd_error *err = NULL;

	if (!list)
		return errno == ENOTDIR ? pd_error_create(PD_ERROR_USAGE, path,
						  "is not a directory, which the format %s writes",
						  format->name)
					: pd_error_os(path, "cannot read");
	while (!err && (entry = next_entry(list))) {
		if (!is_written(dirfd(list), entry->d_name, format))
			err = pd_error_create(PD_ERROR_USAGE, path,
				"is not replaced, because the format %s did not write '%s' in it",
				format->name, entry->d_name);
	}
	closedir(list);
	return err;
}

static struct pd_error *find(
	const char *path, const struct out_format *format, struct base_destination *ret)
{
	struct pd_error *err = base_destination_find(path, true, ret);

	if (err || !ret->exists)
		return err;
	err = check_replaced(ret, path, format);
	if (err)
		base_destination_deinit(ret);
	return err;
}

void cmd_output_directory_trim(char *path)
{
	size_t len = strlen(path);

	while (len > 1 && path[len - 1] == '/')
		path[--len] = '\0';
}

struct pd_error *cmd_output_directory_check(const char *path, const struct out_format *format)
{
	_cleanup_(base_destination_deinit) struct base_destination to = { 0 };

	if (cmd_output_is_stdout(path))
		return pd_error_create(PD_ERROR_USAGE, NULL,
			"the format %s writes a directory, whose name --output takes",
			format->name);
	_cleanup_free_ char *trimmed = strdup(path);
	if (!trimmed)
		return &pd_enomem;
	cmd_output_directory_trim(trimmed);
	struct pd_error *err = find(trimmed, format, &to);
	if (!err && faccessat(to.dir, ".", W_OK | X_OK, AT_EACCESS) < 0)
		err = pd_error_os(path, "cannot create");
	return err;
}

struct pd_error *cmd_output_add_file(
	int dir, const char *path, const char *name, out_write_file *write, void *what)
{
	int error = 0;
	int fd = openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);

	if (fd < 0)
		return pd_error_os(path, "cannot create '%s' in it", name);
	FILE *stream = base_fd_stream_open(fd, true, &error);
	if (!stream) {
		close(fd);
		return &pd_enomem;
	}
	struct pd_error *err = write(what, stream);
	struct pd_error *close_err = cmd_output_close(stream, &error, path);
	/* The error of the stream has the path; that of a writer that noticed it has none. */
	if (err && !error) {
		pd_error_destroy(close_err);
		return err;
	}
	pd_error_destroy(err);
	return close_err;
}

/* An out_directory.add of a struct cmd_output_directory. */
static struct pd_error *add_file(void *ctx, const char *name, out_write_file *write, void *what)
{
	const struct cmd_output_directory *directory = ctx;

	return cmd_output_add_file(dirfd(directory->list), directory->path, name, write, what);
}

struct pd_error *cmd_output_directory_open(
	const char *path, const struct out_format *format, struct cmd_output_directory *ret)
{
	struct base_destination *to = &ret->destination;

	*ret = (struct cmd_output_directory){
		.to = { add_file, ret },
		.path = path,
		.format = format,
	};
	struct pd_error *err = find(path, format, to);
	if (err)
		return err;
	int fd = base_destination_create_beside(to, S_IFDIR | 0777, &ret->temporary);
	ret->list = fd < 0 ? NULL : fdopendir(fd);
	if (!ret->list) {
		err = pd_error_os(path, "cannot create");
		if (fd >= 0)
			unlinkat(to->dir, ret->temporary, AT_REMOVEDIR);
		base_close(&fd);
		free(ret->temporary);
		base_destination_deinit(to);
		return err;
	}
	/* The user may have hidden the older directory from others. */
	if (to->exists && to->state.st_uid == base_user())
		base_fd_set_mode(fd, to->state.st_mode & 0777);
	return NULL;
}

/* Exchange the names of the new and the older directory, or else remove the older one first. */
static struct pd_error *replace(struct cmd_output_directory *d)
{
	const struct base_destination *to = &d->destination;

	if (base_swap_names(to->dir, d->temporary, to->name)) {
		_cleanup_free_ char *older = take_ptr(d->temporary);

		if (remove_older(to->dir, older, d->format))
			return NULL;
		return pd_error_os(d->path, "cannot remove the older directory, now '%s'", older);
	}
	if (!remove_older(to->dir, to->name, d->format))
		return pd_error_os(d->path, "cannot remove the older directory");
	return renameat(to->dir, d->temporary, to->dir, to->name) < 0
		       ? pd_error_os(d->path, "cannot rename to it")
		       : NULL;
}

static struct pd_error *commit(struct cmd_output_directory *d)
{
	const struct base_destination *to = &d->destination;

	/* This replaces an empty directory as well. */
	if (renameat(to->dir, d->temporary, to->dir, to->name) == 0)
		return NULL;
	return errno == ENOTEMPTY || errno == EEXIST ? replace(d)
						     : pd_error_os(d->path, "cannot rename to it");
}

struct pd_error *cmd_output_directory_finish(
	struct cmd_output_directory *directory, struct pd_error *err)
{
	struct cmd_output_directory *d = directory;

	if (!err)
		err = commit(d);
	if (err && d->temporary)
		discard(d);
	closedir(d->list);
	base_destination_deinit(&d->destination);
	free(d->temporary);
	return err;
}

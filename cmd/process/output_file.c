#include "cmd/process/output_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/io/fd_stream.h"
#include "base/io/temporary.h"
#include "cmd/process/pager.h"

/* Mode of files that only the user may read. */
enum { PRIVATE_MODE = 0600 };

/* Close and remove what has not been committed. */
static void discard(struct cmd_output_file *file)
{
	if (file->stream)
		fclose(file->stream);
	if (file->temporary)
		unlinkat(file->is_named ? AT_FDCWD : file->destination.dir, file->temporary, 0);
	base_destination_deinit(&file->destination);
	free(file->temporary);
	free(file->path);
	*file = (struct cmd_output_file){ 0 };
}

static struct pd_error *open_stream(struct cmd_output_file *file, int fd)
{
	file->stream = base_fd_stream_open(fd, true, &file->error);
	if (file->stream)
		return NULL;
	close(fd);
	return &pd_enomem;
}

/* Standard output stays open: messages about the output may follow it. */
static struct pd_error *use_stdout(struct cmd_output_file *file)
{
	file->stream = base_fd_stream_open(STDOUT_FILENO, false, &file->error);
	return file->stream ? NULL : &pd_enomem;
}

/* Open a file that gets the name of the destination later. */
static struct pd_error *open_temporary(struct cmd_output_file *file, bool is_private)
{
	const struct base_destination *destination = &file->destination;
	int fd = base_destination_create_beside(
		destination, is_private ? PRIVATE_MODE : 0666, &file->temporary);

	if (fd < 0)
		return pd_error_os(file->path, "cannot create");
	/* The user may have hidden the older file from others. */
	if (destination->exists && destination->state.st_uid == base_user() && !is_private)
		base_fd_set_mode(fd, destination->state.st_mode & 0777);
	return open_stream(file, fd);
}

/* Whether other users can rename or remove the files of the user in the directory. */
static bool is_open_to_all(const char *dir)
{
	struct stat st;

	return stat(dir, &st) == 0 && (st.st_mode & S_IWOTH) && !(st.st_mode & S_ISVTX);
}

struct pd_error *cmd_output_temporary(const char *suffix, struct cmd_output_file *ret)
{
	*ret = (struct cmd_output_file){ 0 };
	if (is_open_to_all(base_temporary_dir()))
		return pd_error_create(PD_ERROR_OS, base_temporary_dir(),
			"cannot create a file: everybody can replace files in this directory");
	int fd = base_temporary_create(suffix, &ret->path);
	if (fd < 0)
		return pd_error_os(base_temporary_dir(), "cannot create a file");
	ret->stream = base_fd_stream_open(fd, true, &ret->error);
	/* It is removed if the output fails, like a file with a temporary name. */
	ret->is_named = true;
	ret->temporary = strdup(ret->path);
	if (ret->stream && ret->temporary)
		return NULL;
	if (!ret->stream)
		close(fd);
	unlink(ret->path);
	discard(ret);
	return &pd_enomem;
}

static bool is_same_file(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* Whether @p output is in the directory @p path, which `perf record --threads` makes. */
static bool is_in_directory(const struct stat *output, const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *entry;
	struct stat st;
	bool result = false;

	if (!dir)
		return false;
	while (!result && (entry = readdir(dir)))
		result = fstatat(dirfd(dir), entry->d_name, &st, 0) == 0 &&
			 is_same_file(output, &st);
	closedir(dir);
	return result;
}

/* Compare device and inode: links, "./" and bind mounts give one file several names. */
static bool is_input(const struct stat *output, const char *input)
{
	struct stat st;

	if ((strcmp(input, "-") == 0 ? fstat(STDIN_FILENO, &st) : stat(input, &st)) < 0)
		return false;
	if (is_same_file(output, &st))
		return true;
	return S_ISDIR(st.st_mode) && is_in_directory(output, input);
}

/* Only a regular file can be destroyed: /dev/null and a terminal may be both input and output. */
static struct pd_error *refuse_input(
	const struct cmd_list *inputs, const char *name, const struct stat *st)
{
	if (!S_ISREG(st->st_mode))
		return NULL;
	for (size_t i = 0; i < inputs->items.n; i++) {
		const char *input = inputs->items.data[i];

		if (is_input(st, input))
			return pd_error_create(PD_ERROR_USAGE, name,
				"is also the input '%s', and a recording is never overwritten",
				input);
	}
	return NULL;
}

/* Open the file itself, not a temporary one. */
static struct pd_error *open_in_place(struct cmd_output_file *file, bool is_private)
{
	int fd = base_destination_open(&file->destination, is_private ? PRIVATE_MODE : 0666);

	return fd < 0 ? pd_error_os(file->path, "cannot open") : open_stream(file, fd);
}

/* Whether the destination is standard output itself, as /dev/stdout is. */
static bool is_open_as_stdout(const struct base_destination *destination)
{
	struct stat st;

	return destination->is_open_file && fstat(STDOUT_FILENO, &st) == 0 &&
	       is_same_file(&destination->state, &st);
}

static struct pd_error *open_destination(
	const struct cmd_output_opts *opts, struct cmd_output_file *file)
{
	const struct base_destination *destination = &file->destination;
	struct pd_error *err =
		base_destination_find(file->path, !opts->in_place, &file->destination);

	if (!err && destination->exists)
		err = refuse_input(&opts->options->inputs, file->path, &destination->state);
	if (err)
		return err;
	if (is_open_as_stdout(destination))
		return use_stdout(file);
	return (opts->in_place && destination->exists) || base_destination_is_special(destination)
		       ? open_in_place(file, opts->is_private)
		       : open_temporary(file, opts->is_private);
}

static struct pd_error *open_stdout(
	const struct cmd_output_opts *opts, struct cmd_output_file *file)
{
	struct stat st;
	struct pd_error *err = fstat(STDOUT_FILENO, &st) < 0 ? NULL
							     : refuse_input(&opts->options->inputs,
								       "standard output", &st);

	if (!err && opts->is_text)
		err = cmd_pager_start(opts->options, &file->stream);
	file->is_paged = file->stream;
	return err || file->stream ? err : use_stdout(file);
}

struct pd_error *cmd_output_open(
	const char *path, const struct cmd_output_opts *opts, struct cmd_output_file *ret)
{
	*ret = (struct cmd_output_file){ 0 };
	if (cmd_output_is_stdout(path))
		return open_stdout(opts, ret);
	ret->path = strdup(path);
	if (!ret->path)
		return &pd_enomem;
	struct pd_error *err = open_destination(opts, ret);
	if (err)
		discard(ret);
	return err;
}

struct pd_error *cmd_output_check(const char *path, const struct cmd_output_opts *opts)
{
	struct base_destination destination;

	if (cmd_output_is_stdout(path))
		return NULL;
	struct pd_error *err = base_destination_find(path, !opts->in_place, &destination);
	if (err)
		return err;
	if (base_destination_is_special(&destination)) {
		if (S_ISDIR(destination.state.st_mode)) {
			errno = EISDIR;
			err = pd_error_os(path, "cannot open");
		}
	} else if (faccessat(destination.dir, ".", W_OK | X_OK, AT_EACCESS) < 0)
		err = pd_error_os(path, "cannot create");
	base_destination_deinit(&destination);
	return err;
}

struct pd_error *cmd_output_close(FILE *stream, const int *error, const char *name)
{
	bool has_failed = ferror(stream);

	if (fclose(stream))
		has_failed = true;
	/* Not an error of the stream: a failed seek, after which a format wrote as to a pipe. */
	has_failed = has_failed || *error;
	/* Text is also missing if memory ran out before it could be written. */
	if (has_failed && !*error)
		return &pd_enomem;
	errno = *error;
	return has_failed ? pd_error_os(name, "cannot write") : NULL;
}

/* Give the complete file its name. */
static struct pd_error *commit(struct cmd_output_file *file)
{
	const char *name = file->path ? file->path : "standard output";
	struct pd_error *err = cmd_output_close(take_ptr(file->stream), &file->error, name);

	if (err || !file->temporary)
		return err;
	const struct base_destination *to = &file->destination;
	if (!file->is_named && renameat(to->dir, file->temporary, to->dir, to->name) < 0)
		return pd_error_os(name, "cannot rename to it");
	free(file->temporary);
	file->temporary = NULL;
	return NULL;
}

struct pd_error *cmd_output_finish(struct cmd_output_file *file, struct pd_error *err)
{
	if (file->is_paged)
		err = cmd_pager_finish(take_ptr(file->stream), err);
	else if (!err)
		err = commit(file);
	discard(file);
	return err;
}

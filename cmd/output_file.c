#include "cmd/output_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/temporary.h"
#include "cmd/pager.h"

/* Close and remove what has not been committed. */
static void discard(struct cmd_output_file *file)
{
	if (file->stream && file->stream != stdout)
		fclose(file->stream);
	if (file->temporary)
		unlink(file->temporary);
	free(file->temporary);
	free(file->path);
	*file = (struct cmd_output_file){ 0 };
}

static struct pd_error *open_temporary(struct cmd_output_file *file)
{
	char *path;

	if (asprintf(&path, "%s.XXXXXX", file->path) < 0)
		return &pd_enomem;
	int fd = mkstemp(path);
	if (fd < 0) {
		free(path);
		return pd_error_os(file->path, "cannot create");
	}
	file->temporary = path;
	/* Give it the mode that open() would have given it. */
	mode_t mask = umask(0);
	umask(mask);
	fchmod(fd, 0666 & ~mask);
	file->stream = fdopen(fd, "w");
	if (!file->stream) {
		close(fd);
		return &pd_enomem;
	}
	return NULL;
}

struct pd_error *cmd_output_temporary(const char *suffix, struct cmd_output_file *ret)
{
	*ret = (struct cmd_output_file){ 0 };
	int fd = pd_temporary_create(suffix, &ret->path);
	if (fd < 0)
		return pd_error_os(pd_temporary_dir(), "cannot create a file");
	ret->stream = fdopen(fd, "w");
	/* It is removed if the output fails, like a file with a temporary name. */
	ret->temporary = strdup(ret->path);
	if (ret->stream && ret->temporary)
		return NULL;
	if (!ret->stream)
		close(fd);
	unlink(ret->path);
	discard(ret);
	return &pd_enomem;
}

/* Whether @p path is a device or a pipe, which cannot be replaced by a regular file. */
static bool is_special(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && !S_ISREG(st.st_mode);
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
static struct pd_error *refuse_input(const struct cmd_list *inputs, const char *path)
{
	bool is_stdout = strcmp(path, "-") == 0;
	const char *name = is_stdout ? "standard output" : path;
	struct stat st;

	if ((is_stdout ? fstat(STDOUT_FILENO, &st) : stat(path, &st)) < 0 || !S_ISREG(st.st_mode))
		return NULL;
	for (size_t i = 0; i < inputs->items.n; i++) {
		const char *input = inputs->items.data[i];

		if (is_input(&st, input))
			return pd_error_create(PD_ERROR_USAGE, name,
				"is also the input '%s', and a recording is never overwritten",
				input);
	}
	return NULL;
}

/* Open the file itself, not a temporary one. */
static struct pd_error *open_in_place(struct cmd_output_file *file)
{
	file->stream = fopen(file->path, "w");
	return file->stream ? NULL : pd_error_os(file->path, "cannot open");
}

static struct pd_error *open_stdout(
	const struct cmd_output_opts *opts, struct cmd_output_file *file)
{
	struct pd_error *err = opts->is_text ? cmd_pager_start(opts->options, &file->stream) : NULL;

	file->is_paged = file->stream;
	if (!file->stream)
		file->stream = stdout;
	return err;
}

struct pd_error *cmd_output_open(
	const char *path, const struct cmd_output_opts *opts, struct cmd_output_file *ret)
{
	struct pd_error *err = refuse_input(&opts->options->inputs, path ? path : "-");

	*ret = (struct cmd_output_file){ 0 };
	if (err)
		return err;
	if (!path || strcmp(path, "-") == 0)
		return open_stdout(opts, ret);
	ret->path = strdup(path);
	if (!ret->path)
		return &pd_enomem;
	err = opts->in_place || is_special(path) ? open_in_place(ret) : open_temporary(ret);
	if (err)
		discard(ret);
	return err;
}

/* Give the complete file its name. */
static struct pd_error *commit(struct cmd_output_file *file)
{
	FILE *stream = take_ptr(file->stream);
	const char *name = file->path ? file->path : "standard output";
	bool has_failed = ferror(stream);

	if (stream == stdout ? fflush(stream) : fclose(stream))
		has_failed = true;
	if (has_failed)
		return pd_error_os(name, "cannot write");
	if (!file->temporary)
		return NULL;
	if (strcmp(file->temporary, file->path) && rename(file->temporary, file->path) < 0)
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

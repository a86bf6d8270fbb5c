#include "cmd/output_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"

static struct pd_error *open_temporary(struct cmd_output_file *file)
{
	int fd = mkstemp(file->temporary);

	if (fd < 0) {
		free(file->temporary);
		file->temporary = NULL;
		return pd_error_os(file->path, "cannot create");
	}
	/* As a plain open would have made it. */
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

/* Devices and pipes are written to as they are; only a regular file can be replaced. */
static bool is_special(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && !S_ISREG(st.st_mode);
}

static bool is_same_file(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* Whether @p output is one of the files in the directory @p path, as `perf record --threads` makes it. */
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

/* Names prove nothing: links, "./" and bind mounts give one file several. Device and inode do. */
static bool is_input(const struct stat *output, const char *input)
{
	struct stat st;

	if ((strcmp(input, "-") == 0 ? fstat(STDIN_FILENO, &st) : stat(input, &st)) < 0)
		return false;
	if (is_same_file(output, &st))
		return true;
	return S_ISDIR(st.st_mode) && is_in_directory(output, input);
}

/* Only a regular file can be destroyed: /dev/null and a terminal may well be both input and output. */
static struct pd_error *refuse_input(const struct cmd_options *options, const char *path)
{
	bool is_stdout = strcmp(path, "-") == 0;
	const char *name = is_stdout ? "standard output" : path;
	struct stat st;

	if ((is_stdout ? fstat(STDOUT_FILENO, &st) : stat(path, &st)) < 0 || !S_ISREG(st.st_mode))
		return NULL;
	for (size_t i = 0; i < options->inputs.items.n; i++) {
		const char *input = options->inputs.items.data[i];

		if (is_input(&st, input))
			return pd_error_create(PD_ERROR_USAGE, name,
				"is also the input '%s', and a recording is never overwritten",
				input);
	}
	return NULL;
}

struct pd_error *cmd_output_open(
	const struct cmd_options *options, const char *path, struct cmd_output_file *ret)
{
	struct pd_error *err = refuse_input(options, path);

	if (err)
		return err;
	*ret = (struct cmd_output_file){ 0 };
	if (strcmp(path, "-") == 0) {
		ret->stream = stdout;
		return NULL;
	}
	ret->path = strdup(path);
	if (!ret->path)
		return &pd_enomem;
	if (options->in_place || is_special(path)) {
		ret->stream = fopen(path, "w");
		if (!ret->stream)
			err = pd_error_os(path, "cannot open");
	} else if (asprintf(&ret->temporary, "%s.XXXXXX", path) < 0) {
		ret->temporary = NULL;
		err = &pd_enomem;
	} else {
		err = open_temporary(ret);
	}
	if (err)
		cmd_output_discard(ret);
	return err;
}

struct pd_error *cmd_output_commit(struct cmd_output_file *file)
{
	FILE *stream = take_ptr(file->stream);
	const char *name = file->path ? file->path : "standard output";
	bool failed = ferror(stream);
	struct pd_error *err = NULL;

	if (stream == stdout ? fflush(stream) : fclose(stream))
		failed = true;
	if (failed)
		err = pd_error_os(name, "cannot write");
	else if (file->temporary && rename(file->temporary, file->path) < 0)
		err = pd_error_os(name, "cannot rename to it");
	if (!err) {
		free(file->temporary);
		file->temporary = NULL;
	}
	cmd_output_discard(file);
	return err;
}

void cmd_output_discard(struct cmd_output_file *file)
{
	if (file->stream && file->stream != stdout)
		fclose(file->stream);
	if (file->temporary)
		unlink(file->temporary);
	free(file->temporary);
	free(file->path);
	*file = (struct cmd_output_file){ 0 };
}

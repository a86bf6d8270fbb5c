#include "cmd/output_file.h"

#include <errno.h>
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

static struct pd_error *open_output(const char *path, bool in_place, struct cmd_output_file *ret)
{
	*ret = (struct cmd_output_file){ 0 };
	if (strcmp(path, "-") == 0) {
		ret->stream = stdout;
		return NULL;
	}
	ret->path = strdup(path);
	if (!ret->path)
		return &pd_enomem;
	struct pd_error *err = NULL;
	if (in_place || is_special(path)) {
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

struct pd_error *cmd_output_open(const char *path, struct cmd_output_file *ret)
{
	return open_output(path, false, ret);
}

struct pd_error *cmd_output_open_in_place(const char *path, struct cmd_output_file *ret)
{
	return open_output(path, true, ret);
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

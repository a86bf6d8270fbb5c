#include "batch/inputs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "parse/recognize.h"

void bat_inputs_init(struct bat_inputs *inputs, const char *const *arguments, size_t n, FILE *list,
	const struct stat *output)
{
	*inputs = (struct bat_inputs){
		.arguments = arguments, .n_arguments = n, .list = list, .output = *output
	};
}

void bat_inputs_deinit(struct bat_inputs *inputs)
{
	while (inputs->folders.n)
		closedir(inputs->folders.data[--inputs->folders.n].list);
	pd_vec_deinit(&inputs->folders);
	pd_vec_deinit(&inputs->path);
	free(inputs->line);
}

/* Set the path to its first @p len bytes and @p name. */
static bool set_path(struct bat_inputs *inputs, size_t len, const char *name)
{
	size_t n = strlen(name);

	if (!pd_vec_reserve(&inputs->path, len + n + 2))
		return false;
	if (len && inputs->path.data[len - 1] != '/')
		inputs->path.data[len++] = '/';
	memcpy(inputs->path.data + len, name, n + 1);
	inputs->path.n = len + n;
	return true;
}

static bool is_output(const struct bat_inputs *inputs, const struct stat *st)
{
	return st->st_dev == inputs->output.st_dev && st->st_ino == inputs->output.st_ino;
}

/* Whether the regular file @p fd, called @p name, is a recording. */
static bool is_recording(int fd, const char *name)
{
	switch (parse_likeness_of(fd)) {
	case PARSE_LIKE_RECORDING:
		return true;
	case PARSE_LIKE_COMPRESSED:
		/* perf.data.tar.zst is an archive. */
		return strstr(name, ".data.") && !strstr(name, ".data.tar.");
	case PARSE_LIKE_NOTHING:
		break;
	}
	return false;
}

/* Begin to read the folder @p fd, which is closed later, at the current path. */
static bool enter(struct bat_inputs *inputs, int fd)
{
	DIR *list = fdopendir(fd);
	const struct bat_folder folder = { list, inputs->path.n };

	if (list && pd_vec_push(&inputs->folders, folder))
		return true;
	if (list)
		closedir(list);
	else
		close(fd);
	return false;
}

/* Whether open() failed because the entry is gone, a dangling link, a socket or a device. */
static bool is_nothing_to_open(void)
{
	return errno == ENOENT || errno == ENXIO || errno == ELOOP || errno == ENODEV;
}

/*
 * Judge an entry of the folder that is read last, and enter it if it is a folder of others. Returns
 * whether it is a recording; *@p no_memory is set if memory ran out. What cannot be opened counts
 * as one, so that somebody hears of it.
 */
static bool judge(struct bat_inputs *inputs, int dir, const struct dirent *entry, bool *no_memory)
{
	size_t len = inputs->folders.data[inputs->folders.n - 1].len;
	bool is_link = entry->d_type == DT_LNK;
	struct stat st;

	if (entry->d_name[0] == '.')
		return false;
	/* Without blocking: pipes and devices are not opened for long. */
	_cleanup_close_ int fd =
		openat(dir, entry->d_name, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	if (fd < 0 && !is_nothing_to_open()) {
		*no_memory = !set_path(inputs, len, entry->d_name);
		return !*no_memory;
	}
	if (fd < 0 || fstat(fd, &st) < 0 || (S_ISDIR(st.st_mode) && is_link) ||
		is_output(inputs, &st))
		return false;
	*no_memory = !set_path(inputs, len, entry->d_name);
	if (*no_memory || S_ISREG(st.st_mode))
		return !*no_memory && is_recording(fd, entry->d_name);
	if (!S_ISDIR(st.st_mode) || parse_is_recorded_folder(fd))
		return S_ISDIR(st.st_mode);
	*no_memory = !enter(inputs, fcntl(fd, F_DUPFD_CLOEXEC, 0));
	return false;
}

/* Find the next recording in the folders. Returns false if there is none, or no memory. */
static bool next_in_folders(struct bat_inputs *inputs, bool *no_memory)
{
	while (inputs->folders.n && !*no_memory) {
		DIR *list = inputs->folders.data[inputs->folders.n - 1].list;
		const struct dirent *entry = readdir(list);

		if (!entry) {
			closedir(list);
			inputs->folders.n--;
		} else if (judge(inputs, dirfd(list), entry, no_memory)) {
			return true;
		}
	}
	return false;
}

/* Take a path that was given. A folder of recordings is entered; all else is a recording. */
static struct pd_error *take(struct bat_inputs *inputs, const char *path, bool *is_folder_ret)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	*is_folder_ret = fd >= 0 && !parse_is_recorded_folder(fd);
	if (!set_path(inputs, 0, path)) {
		base_close(&fd);
		return &pd_enomem;
	}
	if (*is_folder_ret)
		return enter(inputs, fd) ? NULL : &pd_enomem;
	base_close(&fd);
	return NULL;
}

/* Read the next line of the list that is not empty. NULL: the list has ended. */
static const char *next_line(struct bat_inputs *inputs)
{
	ssize_t n;

	while ((n = getline(&inputs->line, &inputs->line_size, inputs->list)) > 0) {
		inputs->line[strcspn(inputs->line, "\n")] = '\0';
		if (inputs->line[0])
			return inputs->line;
	}
	return NULL;
}

/* Find the next path that was given. *ret is NULL if there is none. */
static struct pd_error *next_given(struct bat_inputs *inputs, const char **ret)
{
	*ret = NULL;
	while (inputs->n_arguments) {
		const char *argument = inputs->arguments[0];
		bool is_list = strcmp(argument, "-") == 0;

		*ret = is_list && inputs->list ? next_line(inputs) : is_list ? NULL : argument;
		if (is_list && inputs->list && ferror(inputs->list))
			return pd_error_os("standard input", "cannot read");
		if (is_list && *ret)
			return NULL;
		inputs->arguments++;
		inputs->n_arguments--;
		if (*ret)
			return NULL;
	}
	return NULL;
}

struct pd_error *bat_inputs_next(struct bat_inputs *inputs, struct bat_input *ret, bool *is_end_ret)
{
	bool no_memory = false, is_folder = true;
	const char *given;

	*is_end_ret = false;
	for (;;) {
		if (next_in_folders(inputs, &no_memory)) {
			size_t root = inputs->folders.data[0].len;
			const char *name = inputs->path.data + root;

			*ret = (struct bat_input){ inputs->path.data, name + strspn(name, "/") };
			return NULL;
		}
		if (no_memory)
			return &pd_enomem;
		struct pd_error *err = next_given(inputs, &given);
		if (!err && given)
			err = take(inputs, given, &is_folder);
		*is_end_ret = !given;
		if (err || !given)
			return err;
		if (!is_folder) {
			*ret = (struct bat_input){ inputs->path.data, inputs->path.data };
			return NULL;
		}
	}
}

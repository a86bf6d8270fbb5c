#include "parse/directory.h"
#include "base/format.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

bool parse_directory_is(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

bool parse_directory_is_file(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

void parse_directory_deinit(struct parse_directory *directory)
{
	for (size_t i = 0; i < directory->entries.n; i++)
		free(directory->entries.data[i].path);
	pd_vec_deinit(&directory->entries);
}

static const char prefix[] = "data.";

static struct pd_error *check_part(DIR *dir, const char *path, const char *name, bool *is_part_ret)
{
	struct stat st;

	*is_part_ret = false;
	if (strncmp(name, prefix, sizeof(prefix) - 1) != 0)
		return NULL;
	/* A part that is left out silently would be missing in the output. */
	if (fstatat(dirfd(dir), name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return pd_error_os(path, "cannot read '%s'", name);
	*is_part_ret = S_ISREG(st.st_mode);
	return NULL;
}

static uint64_t number_of(const char *name)
{
	const char *digits = name + sizeof(prefix) - 1;
	char *end;
	uint64_t number = strtoull(digits, &end, 10);

	return end == digits || *end ? UINT64_MAX : number;
}

static struct pd_error *add(struct parse_directory *directory, const char *path, const char *name)
{
	struct parse_directory_entry entry = {
		.number = number_of(name),
		.path = base_format("%s/%s", path, name),
	};

	if (!entry.path)
		return &pd_enomem;
	if (!pd_vec_push(&directory->entries, entry)) {
		free(entry.path);
		return &pd_enomem;
	}
	return NULL;
}

/* Add the next part of @p dir. Only errno tells whether readdir() failed or is at the end. */
static struct pd_error *add_next(
	struct parse_directory *directory, DIR *dir, const char *path, bool *is_at_end_ret)
{
	bool is_part;

	errno = 0;
	struct dirent *entry = readdir(dir);
	if (!entry && errno)
		return pd_error_os(path, "cannot read");
	*is_at_end_ret = !entry;
	if (!entry)
		return NULL;
	struct pd_error *err = check_part(dir, path, entry->d_name, &is_part);
	if (err || !is_part)
		return err;
	return add(directory, path, entry->d_name);
}

static int compare(const void *a, const void *b)
{
	const struct parse_directory_entry *left = a;
	const struct parse_directory_entry *right = b;

	if (left->number != right->number)
		return left->number < right->number ? -1 : 1;
	return strcmp(left->path, right->path);
}

struct pd_error *parse_directory_read(const char *path, struct parse_directory *ret)
{
	struct parse_directory directory = { 0 };
	struct pd_error *err = NULL;
	DIR *dir = opendir(path);
	bool is_at_end = false;

	if (!dir)
		return pd_error_os(path, "cannot open");
	while (!err && !is_at_end)
		err = add_next(&directory, dir, path, &is_at_end);
	closedir(dir);
	if (err) {
		parse_directory_deinit(&directory);
		return err;
	}
	/*
	 * readdir() has no order, but the reader returns records with equal times in the order of
	 * their parts.
	 */
	if (directory.entries.n)
		qsort(directory.entries.data, directory.entries.n, sizeof(*directory.entries.data),
			compare);
	*ret = directory;
	return NULL;
}

#include "base/io/destination.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/format.h"
#include "base/io/temporary.h"

/* A path that is followed, part by part. */
struct walk {
	/** In messages. */
	const char *path;
	bool replaces;
	/** Directory that has been reached, and what is left of the path. */
	int dir;
	char *rest;
	unsigned n_links;
};

static struct pd_error *replace_dir(struct walk *w, int fd)
{
	if (fd < 0)
		return pd_error_os(w->path, "cannot create");
	if (w->dir >= 0)
		close(w->dir);
	w->dir = fd;
	return NULL;
}

/* Go to the root or the current directory, where @p w->rest begins. */
static struct pd_error *start(struct walk *w)
{
	bool is_absolute = w->rest[0] == '/';

	if (!is_absolute && w->dir >= 0)
		return NULL;
	return replace_dir(w, open(is_absolute ? "/" : ".", O_PATH | O_DIRECTORY | O_CLOEXEC));
}

/*
 * Whether only the user, root or the owner of the directory can have put @p st into it. This is
 * the rule of fs.protected_symlinks, for all directories that everybody can write.
 */
static bool is_trusted(const struct walk *w, const struct stat *st)
{
	struct stat dir;

	if (fstat(w->dir, &dir) < 0)
		return false;
	return !(dir.st_mode & S_IWOTH) || st->st_uid == geteuid() || st->st_uid == 0 ||
	       st->st_uid == dir.st_uid;
}

static struct pd_error *refuse(const struct walk *w, const char *name, const char *what)
{
	return pd_error_create(PD_ERROR_OS, w->path,
		"cannot write: '%s' is %s of another user in a directory that everybody can write",
		name, what);
}

static bool is_in_procfs(int fd)
{
	struct statfs fs;

	return fstatfs(fd, &fs) == 0 && fs.f_type == PROC_SUPER_MAGIC;
}

/* Continue with what the link @p link contains, followed by @p rest. */
static struct pd_error *follow(struct walk *w, int link, const char *rest)
{
	enum { MAX_LINKS = 40 };
	char target[PATH_MAX];
	ssize_t len = readlinkat(link, "", target, sizeof(target));
	char *joined;

	if (w->n_links++ == MAX_LINKS) {
		errno = ELOOP;
		len = -1;
	}
	if (len < 0)
		return pd_error_os(w->path, "cannot follow its links");
	joined = base_format("%.*s/%s", (int)len, target, rest);
	if (!joined)
		return &pd_enomem;
	/* A slash that was not there would say that the file is a directory. */
	if (!*rest)
		joined[len] = '\0';
	free(w->rest);
	w->rest = joined;
	return start(w);
}

/* The part @p name is the last one: it is the destination. */
static struct pd_error *arrive(
	struct walk *w, const char *name, const struct stat *st, struct base_destination *ret)
{
	bool is_kept = st && !S_ISDIR(st->st_mode) && !(w->replaces && S_ISREG(st->st_mode));

	if (is_kept && !is_trusted(w, st))
		return refuse(w, name, "a file");
	ret->name = strdup(name);
	if (!ret->name)
		return &pd_enomem;
	ret->exists = st;
	if (st)
		ret->state = *st;
	ret->dir = w->dir;
	w->dir = -1;
	return NULL;
}

/* Take the next step. It arrives if @p ret gets a name. */
static struct pd_error *step(struct walk *w, struct base_destination *ret)
{
	char *name = w->rest + strspn(w->rest, "/");
	char *end = strchrnul(name, '/');
	bool is_last = !*end;
	struct stat st;

	_cleanup_free_ char *part = strndup(*name ? name : ".", *name ? (size_t)(end - name) : 1);
	if (!part)
		return &pd_enomem;
	_cleanup_close_ int fd = openat(w->dir, part, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 && errno == ENOENT && is_last)
		return arrive(w, part, NULL, ret);
	if (fd < 0 || fstat(fd, &st) < 0)
		return pd_error_os(w->path, "cannot create");
	if (S_ISLNK(st.st_mode) && is_in_procfs(fd)) {
		/* Links of the kernel lead to open files, whatever they contain. */
		int open_file = openat(w->dir, part, O_PATH | O_CLOEXEC);

		if (open_file < 0 || fstat(open_file, &st) < 0)
			return pd_error_os(w->path, "cannot open");
		close(fd);
		fd = open_file;
		ret->is_open_file = is_last;
	} else if (S_ISLNK(st.st_mode)) {
		return is_trusted(w, &st) ? follow(w, fd, end + strspn(end, "/"))
					  : refuse(w, part, "a link");
	}
	if (is_last)
		return arrive(w, part, &st, ret);
	memmove(w->rest, end, strlen(end) + 1);
	int dir = fd;
	fd = -1;
	return replace_dir(w, dir);
}

struct pd_error *base_destination_find(
	const char *path, bool replaces, struct base_destination *ret)
{
	struct base_destination found = { .dir = -1 };
	struct walk w = { .path = path, .replaces = replaces, .dir = -1, .rest = strdup(path) };
	struct pd_error *err = w.rest ? start(&w) : &pd_enomem;

	while (!err && !found.name)
		err = step(&w, &found);
	free(w.rest);
	if (w.dir >= 0)
		close(w.dir);
	if (!err)
		*ret = found;
	return err;
}

void base_destination_deinit(struct base_destination *destination)
{
	if (!destination->name)
		return;
	close(destination->dir);
	free(destination->name);
	*destination = (struct base_destination){ 0 };
}

bool base_destination_is_special(const struct base_destination *destination)
{
	return destination->is_open_file ||
	       (destination->exists && !S_ISREG(destination->state.st_mode));
}

int base_destination_open(const struct base_destination *destination, mode_t mode)
{
	int flags = destination->is_open_file ? 0 : O_NOFOLLOW | O_CREAT;

	return openat(destination->dir, destination->name,
		O_WRONLY | O_TRUNC | O_CLOEXEC | O_NOCTTY | flags, mode);
}

int base_destination_create_beside(
	const struct base_destination *destination, mode_t mode, char **name_ret)
{
	enum { N_RANDOM = 6, MAX_START = NAME_MAX - N_RANDOM - 1 };
	char start[NAME_MAX + 1];

	snprintf(start, sizeof(start), "%.*s.", MAX_START, destination->name);
	return base_temporary_create_in(destination->dir, start, "", mode, name_ret);
}

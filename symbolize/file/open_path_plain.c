#include "symbolize/file/open_path.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/limit.h"

/* Paths are followed by name: directories are not expected to change meanwhile. */

/* A path that is followed. */
struct walk {
	/** Its root, which is never left. */
	const char *path;
	size_t root_len;
	/** Components that were followed, without links and "..". */
	struct sym_path done;
	/** Components that are left. */
	struct sym_path rest;
	unsigned links;
};

static bool fail(int error)
{
	errno = error;
	return false;
}

/* Set @p ret to the place of @p name, which is below what was followed. */
static bool place(const struct walk *walk, const char *name, struct sym_path *ret)
{
	const char *text = sym_path_format(
		ret, "%.*s%s%s", (int)walk->root_len, walk->path, walk->done.text, name);

	return *text || fail(ENAMETOOLONG);
}

/* Continue with what the link at @p place contains, followed by @p tail. */
static bool follow(struct walk *walk, const char *place, const char *tail)
{
	struct sym_path target, joined;
	ssize_t len = readlink(place, target.text, sizeof(target.text) - 1);

	if (len <= 0)
		return len < 0 ? false : fail(ENOENT);
	if (++walk->links > PD_LIMIT_PATH_LINKS)
		return fail(ELOOP);
	target.text[len] = '\0';
	if (target.text[0] == '/')
		walk->done.text[0] = '\0';
	if (!*sym_path_format(&joined, "%s%s", target.text, tail))
		return fail(ENAMETOOLONG);
	walk->rest = joined;
	return true;
}

static void drop_last(struct sym_path *done)
{
	char *slash = strrchr(done->text, '/');

	if (slash)
		*slash = '\0';
}

/* Follow the first component of the rest. */
static bool advance(struct walk *walk, struct stat *st)
{
	struct sym_path at, tail, rest = walk->rest;
	const char *name = rest.text + strspn(rest.text, "/");
	size_t len = strcspn(name, "/");
	char component[256];

	if (len + 2 > sizeof(component))
		return fail(ENAMETOOLONG);
	sym_path_format(&tail, "%s", name + len);
	snprintf(component, sizeof(component), "/%.*s", (int)len, name);
	name = component + 1;
	walk->rest = tail;
	if (strcmp(name, "..") == 0)
		drop_last(&walk->done);
	if (!*name || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
		return true;
	if (!place(walk, component, &at) || lstat(at.text, st))
		return false;
	if (S_ISLNK(st->st_mode))
		return follow(walk, at.text, tail.text);
	if (*tail.text && !S_ISDIR(st->st_mode))
		return fail(ENOTDIR);
	return *sym_path_format(&at, "%s%s", walk->done.text, component) ? (walk->done = at, true)
									 : fail(ENAMETOOLONG);
}

bool sym_see(const char *path, size_t root_len, bool follows_magic, struct sym_seen *ret)
{
	struct walk walk = { .path = path, .root_len = root_len };
	struct sym_path real, here = { "" };
	struct stat st;

	(void)follows_magic;
	if (!root_len && *path != '/' && !getcwd(here.text, sizeof(here.text)))
		return false;
	if (!*path)
		return fail(ENOENT);
	if (!*sym_path_format(&walk.rest, "%s/%s", here.text, path + root_len))
		return fail(ENAMETOOLONG);
	while (*walk.rest.text) {
		if (!advance(&walk, &st))
			return false;
	}
	if (!place(&walk, "", &real) && !*sym_path_format(&real, "/"))
		return false;
	*ret = (struct sym_seen){ .fd = -1 };
	if (stat(real.text, &ret->st))
		return false;
	ret->real = strdup(real.text);
	return ret->real || fail(ENOMEM);
}

bool sym_see_by_steps(const char *path, size_t root_len, struct sym_seen *ret)
{
	return sym_see(path, root_len, true, ret);
}

void sym_unsee(struct sym_seen *seen)
{
	free(seen->real);
	seen->real = NULL;
}

int sym_seen_open(const struct sym_seen *seen, const char *path, size_t root_len)
{
	(void)path;
	(void)root_len;
	return open(seen->real, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
}

bool sym_seen_is_of_kernel(const struct sym_seen *seen)
{
	(void)seen;
	return false;
}

void sym_seen_link(const struct sym_seen *seen, struct sym_path *ret)
{
	sym_path_format(ret, "%s", seen->real);
}

bool sym_seen_path(
	const struct sym_seen *seen, const char *path, size_t root_len, struct sym_path *ret)
{
	(void)path;
	(void)root_len;
	return *sym_path_format(ret, "%s", seen->real);
}

bool sym_path_is_virtual(const char *path)
{
	(void)path;
	return false;
}

#include "base/io/destination.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/format.h"
#include "base/io/temporary.h"

/* Links of other users are a concern of Linux only. Paths are opened as they are given. */

/* Return the path of what the link @p path contains, allocated; NULL: @p path is not a link. */
static char *follow(const char *path)
{
	char target[PATH_MAX];
	ssize_t len = readlink(path, target, sizeof(target));
	const char *slash = strrchr(path, '/');

	if (len < 0 || (size_t)len == sizeof(target))
		return NULL;
	if (target[0] == '/' || !slash)
		return base_format("%.*s", (int)len, target);
	return base_format("%.*s/%.*s", (int)(slash - path), path, (int)len, target);
}

struct pd_error *base_destination_find(
	const char *path, bool replaces, struct base_destination *ret)
{
	struct base_destination found = { .dir = AT_FDCWD };
	char *name = strdup(path), *next;

	(void)replaces;
	found.exists = stat(path, &found.state) == 0;
	if (name && !found.exists && errno != ENOENT) {
		free(name);
		return pd_error_os(path, "cannot create");
	}
	/* stat() has found that the links end. */
	while (name && (next = follow(name))) {
		free(name);
		name = next;
	}
	if (!name)
		return &pd_enomem;
	found.name = name;
	*ret = found;
	return NULL;
}

void base_destination_deinit(struct base_destination *destination)
{
	free(destination->name);
	*destination = (struct base_destination){ 0 };
}

bool base_destination_is_special(const struct base_destination *destination)
{
	return destination->exists && !S_ISREG(destination->state.st_mode);
}

int base_destination_open(const struct base_destination *destination, mode_t mode)
{
	return open(destination->name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);
}

int base_destination_create_beside(
	const struct base_destination *destination, mode_t mode, char **name_ret)
{
	char *start = base_format("%s.", destination->name);

	if (!start) {
		errno = ENOMEM;
		return -1;
	}
	int fd = base_temporary_create_in(AT_FDCWD, start, "", mode, name_ret);
	free(start);
	return fd;
}

#include "base/temporary.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/format.h"

const char *base_temporary_dir(void)
{
	const char *dir = getenv("TMPDIR");

	return dir && dir[0] ? dir : "/tmp";
}

int base_temporary_create(const char *suffix, char **path_ret)
{
	_cleanup_free_ char *path = base_format("%s/pdconv-XXXXXX%s", base_temporary_dir(), suffix);

	if (!path) {
		errno = ENOMEM;
		return -1;
	}
	int fd = mkostemps(path, (int)strlen(suffix), O_CLOEXEC);
	if (fd >= 0)
		*path_ret = take_ptr(path);
	return fd;
}

const char *base_temporary_large_dir(void)
{
	const char *dir = getenv("TMPDIR");

	if (dir && dir[0])
		return dir;
	return access("/var/tmp", W_OK) == 0 ? "/var/tmp" : "/tmp";
}

static int open_in(const char *dir)
{
	int fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (fd >= 0)
		return fd;
	/* Not every file system supports O_TMPFILE. */
	_cleanup_free_ char *path = base_format("%s/pdconv-XXXXXX", dir);
	if (!path)
		return -1;
	fd = mkostemp(path, O_CLOEXEC);
	if (fd >= 0)
		unlink(path);
	return fd;
}

int base_temporary_open(void)
{
	return open_in(base_temporary_dir());
}

int base_temporary_open_large(void)
{
	return open_in(base_temporary_large_dir());
}

bool base_write_all(int fd, const void *bytes, size_t len)
{
	const char *at = bytes;

	while (len) {
		ssize_t n = write(fd, at, len);

		if (n < 0 && errno != EINTR)
			return false;
		at += n > 0 ? n : 0;
		len -= n > 0 ? (size_t)n : 0;
	}
	return true;
}

ssize_t base_read_some(int fd, void *bytes, size_t size)
{
	ssize_t n;

	do {
		n = read(fd, bytes, size);
	} while (n < 0 && errno == EINTR);
	return n;
}

#include "base/io/temporary.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/format.h"

const char *base_temporary_dir(void)
{
	const char *dir = getenv("TMPDIR");

	return dir && dir[0] ? dir : "/tmp";
}

/* Fill @p text with @p n random letters and digits, which other users cannot guess. */
static bool make_random(char *text, size_t n)
{
	static const char letters[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
	unsigned char bytes[16];

	if (!base_random(bytes, n))
		return false;
	for (size_t i = 0; i < n; i++)
		text[i] = letters[bytes[i] % (sizeof(letters) - 1)];
	text[n] = '\0';
	return true;
}

static int create_at(int dir, const char *path, mode_t mode)
{
	if (!S_ISDIR(mode))
		return openat(dir, path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
	if (mkdirat(dir, path, mode & ~(mode_t)S_IFMT) < 0)
		return -1;
	int fd = openat(dir, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	int error = errno;

	if (fd < 0)
		unlinkat(dir, path, AT_REMOVEDIR);
	errno = error;
	return fd;
}

int base_temporary_create_in(
	int dir, const char *start, const char *suffix, mode_t mode, char **path_ret)
{
	enum { N_TRIES = 100, N_RANDOM = 6 };
	char random[N_RANDOM + 1];
	int fd = -1;

	errno = EEXIST;
	for (int i = 0; fd < 0 && errno == EEXIST && i < N_TRIES; i++) {
		if (!make_random(random, N_RANDOM))
			return -1;
		_cleanup_free_ char *path = base_format("%s%s%s", start, random, suffix);
		if (!path) {
			errno = ENOMEM;
			return -1;
		}
		fd = create_at(dir, path, mode);
		if (fd >= 0)
			*path_ret = take_ptr(path);
	}
	return fd;
}

static int create_in(const char *dir, const char *suffix, char **path_ret)
{
	_cleanup_free_ char *start = base_format("%s/pdconv-", dir);

	if (start)
		return base_temporary_create_in(AT_FDCWD, start, suffix, 0600, path_ret);
	errno = ENOMEM;
	return -1;
}

int base_temporary_create(const char *suffix, char **path_ret)
{
	return create_in(base_temporary_dir(), suffix, path_ret);
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
	int fd = base_open_unnamed(dir);

	if (fd >= 0)
		return fd;
	/* Not every file system can create such a file. */
	_cleanup_free_ char *path = NULL;
	fd = create_in(dir, "", &path);
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

#include "base/system/libc.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

bool base_random(void *bytes, size_t n)
{
	/* After the start of the kernel there may be too little entropy. */
	return getrandom(bytes, n, GRND_NONBLOCK) == (ssize_t)n;
}

const char *base_error_text(int error)
{
	const char *text = strerrordesc_np(error);

	return text ? text : "unknown error";
}

void base_sort_with(void *list, size_t n, size_t size, base_compare_fn *compare, void *ctx)
{
	if (n)
		qsort_r(list, n, size, compare, ctx);
}

int base_fd_share(int fd)
{
	return fcntl(fd, F_DUPFD_CLOEXEC, 0);
}

void base_close(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

unsigned base_user(void)
{
	return geteuid();
}

void base_fd_set_mode(int fd, unsigned mode)
{
	fchmod(fd, mode);
}

int base_open_in_memory(void)
{
	return memfd_create("pdconv", MFD_CLOEXEC);
}

size_t base_terminal_columns(int fd)
{
	struct winsize size;

	return ioctl(fd, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

int base_open_unnamed(const char *dir)
{
	return open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
}

bool base_swap_names(int dir, const char *a, const char *b)
{
	return renameat2(dir, a, dir, b, RENAME_EXCHANGE) == 0;
}

char *base_real_path(const char *path)
{
	return realpath(path, NULL);
}

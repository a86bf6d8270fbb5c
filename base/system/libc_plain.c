#include "base/system/libc.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pdconv/vec.h>

bool base_random(void *bytes, size_t n)
{
	return getentropy(bytes, n) == 0;
}

const char *base_error_text(int error)
{
	return strerror(error);
}

/* Elements to be sorted, and room for as many. */
struct sorting {
	char *list;
	char *scratch;
	size_t size;
	base_compare_fn *compare;
	void *ctx;
};

/* Insert each element among those before it. */
static void sort_in_place(const struct sorting *s, size_t from, size_t to)
{
	size_t size = s->size;

	for (size_t i = from + 1; i < to; i++) {
		for (size_t j = i; j > from; j--) {
			char *right = s->list + j * size, *left = right - size;

			if (s->compare(left, right, s->ctx) <= 0)
				break;
			for (size_t k = 0; k < size; k++) {
				char byte = left[k];
				left[k] = right[k];
				right[k] = byte;
			}
		}
	}
}

static void merge(const struct sorting *s, size_t from, size_t middle, size_t to)
{
	size_t size = s->size, left = from, right = middle;

	for (size_t i = from; i < to; i++) {
		bool is_left = right == to ||
			       (left < middle && s->compare(s->list + left * size,
							 s->list + right * size, s->ctx) <= 0);
		size_t at = is_left ? left++ : right++;

		memcpy(s->scratch + i * size, s->list + at * size, size);
	}
	memcpy(s->list + from * size, s->scratch + from * size, (to - from) * size);
}

void base_sort_with(void *list, size_t n, size_t size, base_compare_fn *compare, void *ctx)
{
	enum { FEW = 8 };
	struct sorting s = { list, NULL, size, compare, ctx };
	/* Without memory it takes longer. */
	size_t run = n;

	if (n > FEW && (s.scratch = calloc(n, size)))
		run = FEW;
	for (size_t at = 0; at < n; at += run)
		sort_in_place(&s, at, n - at < run ? n : at + run);
	for (; run < n; run *= 2) {
		for (size_t at = 0; n - at > run; at += n - at < 2 * run ? n - at : 2 * run)
			merge(&s, at, at + run, n - at < 2 * run ? n : at + 2 * run);
	}
	free(s.scratch);
}

/* Number of additional owners, by descriptor. Used by one thread only. */
static PD_VEC(uint32_t) shared;

int base_fd_share(int fd)
{
	while (shared.n <= (size_t)fd) {
		if (!pd_vec_push(&shared, 0)) {
			errno = ENOMEM;
			return -1;
		}
	}
	shared.data[fd]++;
	return fd;
}

void base_close(int *fd)
{
	if (*fd >= 0 && (size_t)*fd < shared.n && shared.data[*fd])
		shared.data[*fd]--;
	else if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

unsigned base_user(void)
{
	return 0;
}

void base_fd_set_mode(int fd, unsigned mode)
{
	(void)fd;
	(void)mode;
}

int base_open_in_memory(void)
{
	errno = ENOTSUP;
	return -1;
}

size_t base_terminal_columns(int fd)
{
	(void)fd;
	return 0;
}

int base_open_unnamed(const char *dir)
{
	(void)dir;
	errno = ENOTSUP;
	return -1;
}

bool base_swap_names(int dir, const char *a, const char *b)
{
	(void)dir;
	(void)a;
	(void)b;
	errno = ENOSYS;
	return false;
}

char *base_real_path(const char *path)
{
	return access(path, F_OK) == 0 ? strdup(path) : NULL;
}

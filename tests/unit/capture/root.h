/**
 * @file A fake root directory for tests, with files like those of /proc and /sys. It is removed
 * when a test ends.
 */
#ifndef PD_TESTS_UNIT_CAP_ROOT_H
#define PD_TESTS_UNIT_CAP_ROOT_H

#include "tests/unit/test.h"

#include <ftw.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

struct root {
	char path[64];
};

static inline struct root root_create(void)
{
	struct root root = { "/tmp/pdconv-root-XXXXXX" };

	assert_non_null(mkdtemp(root.path));
	return root;
}

static inline int root_remove(const char *path, const struct stat *st, int kind, struct FTW *place)
{
	(void)st;
	(void)kind;
	(void)place;
	return remove(path);
}

static inline void root_destroy(struct root *root)
{
	nftw(root->path, root_remove, 16, FTW_DEPTH | FTW_PHYS);
}

/** Create the file @p name ("/proc/1/status") with @p n bytes, and its directories. */
static inline void root_write(const struct root *root, const char *name, const void *data, size_t n)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s%s", root->path, name);
	for (char *slash = path + strlen(root->path) + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		mkdir(path, 0755);
		*slash = '/';
	}
	FILE *out = fopen(path, "wb");
	assert_non_null(out);
	assert_int_equal(fwrite(data, 1, n, out), n);
	fclose(out);
}

static inline void root_text(const struct root *root, const char *name, const char *text)
{
	root_write(root, name, text, strlen(text));
}

#endif

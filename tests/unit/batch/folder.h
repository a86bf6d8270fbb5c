/**
 * @file A temporary folder for tests.
 */
#ifndef PD_TESTS_UNIT_BATCH_FOLDER_H
#define PD_TESTS_UNIT_BATCH_FOLDER_H

#include "tests/unit/test.h"

#include <fcntl.h>
#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

struct folder {
	char path[64];
	int dir;
};

static inline struct folder folder_make(void)
{
	struct folder ret = { .path = "/tmp/pdconv-test-XXXXXX" };

	assert_non_null(mkdtemp(ret.path));
	ret.dir = open(ret.path, O_RDONLY | O_DIRECTORY);
	assert_true(ret.dir >= 0);
	return ret;
}

/** Write a file, and make the folders above it. */
static inline void folder_write(const struct folder *folder, const char *path, const char *text)
{
	char copy[256];

	snprintf(copy, sizeof(copy), "%s", path);
	for (char *at = copy; (at = strchr(at, '/')); *at++ = '/') {
		*at = '\0';
		mkdirat(folder->dir, copy, 0777);
	}
	int fd = openat(folder->dir, path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

static inline int folder_remove_entry(
	const char *path, const struct stat *st, int type, struct FTW *where)
{
	(void)st;
	(void)type;
	(void)where;
	return remove(path);
}

static inline void folder_remove(struct folder *folder)
{
	close(folder->dir);
	assert_int_equal(nftw(folder->path, folder_remove_entry, 8, FTW_DEPTH | FTW_PHYS), 0);
}

#endif

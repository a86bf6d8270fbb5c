/* Tarballs, as tar(1) and zstd(1) read them. */
#include "tests/unit/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/io/tar.h"

/* Run @p command, and compare what it prints with @p expected. */
static void prints(const char *command, const char *expected)
{
	char text[8192];
	FILE *out = popen(command, "r");

	assert_non_null(out);
	text[fread(text, 1, sizeof(text) - 1, out)] = 0;
	assert_int_equal(pclose(out), 0);
	assert_string_equal(text, expected);
}

static void add(struct base_tar *tar, const char *path, const char *text, size_t size)
{
	assert_ok(base_tar_begin(
		tar, &(struct base_tar_member){ .path = path, .mtime = 1000000000, .size = size }));
	assert_ok(base_tar_put(tar, text, strlen(text)));
	assert_ok(base_tar_end(tar));
}

static void add_link(struct base_tar *tar, const char *path, const char *target)
{
	assert_ok(base_tar_begin(
		tar, &(struct base_tar_member){ .path = path, .target = target, .mtime = 1 }));
	assert_ok(base_tar_end(tar));
}

/* Fill @p buffer with a path of @p len characters. */
static char *path_of(char *buffer, char c, size_t len)
{
	memset(buffer, c, len);
	buffer[len] = 0;
	for (size_t i = 50; i + 1 < len; i += 50)
		buffer[i] = '/';
	return buffer;
}

static void tar_reads_what_is_written(void **state)
{
	/* Names at the limit of the header, and on either side of lengths with another digit. */
	static const size_t lengths[] = { 99, 100, 101, 990, 991, 992 };
	char file[] = "/tmp/pdconv-tar-XXXXXX", command[4096], expected[8192], path[1024];
	struct base_tar *tar;
	size_t n = 0;

	(void)state;
	if (system("tar --version >/dev/null 2>&1 && zstd --version >/dev/null 2>&1") != 0)
		skip();
	int fd = mkstemp(file);
	assert_true(fd >= 0);
	FILE *out = fdopen(fd, "w");
	assert_ok(base_tar_create(out, file, &tar));
	add(tar, "a/b", "text\n", 5);
	add(tar, "short", "x", 3);
	add(tar, "empty", "", 0);
	/* Names are bytes, whatever the locale is. */
	add(tar, "latin1-\xe9", "", 0);
	for (size_t i = 0; i < PD_ARRAY_LEN(lengths); i++) {
		add(tar, path_of(path, 'p', lengths[i]), "", 0);
		n += (size_t)snprintf(expected + n, sizeof(expected) - n, "%s\n", path);
	}
	add_link(tar, "link", path_of(path, 't', 101));
	add_link(tar, "b", "a/b");
	assert_ok(base_tar_finish(tar));
	base_tar_destroy(tar);
	assert_int_equal(fclose(out), 0);

	snprintf(command, sizeof(command), "tar --zstd -xOf %s a/b", file);
	prints(command, "text\n");
	snprintf(command, sizeof(command), "tar --zstd --quoting-style=literal -tf %s | grep -a ^l",
		file);
	prints(command, "latin1-\xe9\nlink\n");
	snprintf(command, sizeof(command), "zstd -dcq %s | tar xOf - short | od -An -c | tr -d ' '",
		file);
	prints(command, "x\\0\\0\n");
	snprintf(command, sizeof(command), "zstd -dcq %s | tar tf - | grep ^p", file);
	prints(command, expected);
	snprintf(command, sizeof(command), "zstd -dcq %s | tar tvf - | sed -n 's/^l.* link -> //p'",
		file);
	snprintf(expected, sizeof(expected), "%s\n", path_of(path, 't', 101));
	prints(command, expected);
	snprintf(command, sizeof(command),
		"zstd -dcq %s | TZ=UTC tar tvf - | sed -n '1p;$p' | tr -s ' '", file);
	prints(command, "-rw-r--r-- 0/0 5 2001-09-09 01:46 a/b\n"
			"lrwxrwxrwx 0/0 0 1970-01-01 00:00 b -> a/b\n");
	unlink(file);
}

static void failed_writes_are_reported(void **state)
{
	static char zeros[1 << 16];
	struct base_tar *tar;
	FILE *out = fopen("/dev/full", "w");
	struct pd_error *err = NULL;

	(void)state;
	if (!out)
		skip();
	setvbuf(out, NULL, _IONBF, 0);
	assert_ok(base_tar_create(out, "full", &tar));
	assert_ok(base_tar_begin(
		tar, &(struct base_tar_member){ .path = "x", .size = sizeof(zeros) }));
	err = base_tar_put(tar, zeros, sizeof(zeros));
	if (!err)
		err = base_tar_end(tar);
	assert_error(err ? err : base_tar_finish(tar), PD_ERROR_OS);
	base_tar_destroy(tar);
	fclose(out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tar_reads_what_is_written),
		cmocka_unit_test(failed_writes_are_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

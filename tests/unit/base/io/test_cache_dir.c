#include "tests/unit/test.h"

#include <glob.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utime.h>

#include "base/array.h"
#include "base/io/cache_dir.h"

static char root[64] = "/tmp/pdconv-test-XXXXXX";
static char dir[128];

static int make_root(void **state)
{
	(void)state;
	if (!mkdtemp(root))
		return -1;
	snprintf(dir, sizeof(dir), "%s/some/cache", root);
	return 0;
}

static int remove_root(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf '%s'", root);
	return system(command);
}

static const char *path_of(const char *name)
{
	static char path[256];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return path;
}

static size_t count_files(void)
{
	glob_t found;
	size_t n = glob(path_of("*"), GLOB_PERIOD, NULL, &found) ? 0 : found.gl_pathc;

	globfree(&found);
	return n > 2 ? n - 2 : 0;
}

static void write_bytes(const char *name, size_t size, time_t used)
{
	char bytes[1000] = "";
	const struct iovec parts[] = { { bytes, size } };
	struct utimbuf times = { used, used };

	assert_true(base_cache_dir_write(dir, name, parts, PD_ARRAY_LEN(parts)));
	assert_int_equal(utime(path_of(name), &times), 0);
}

static void test_write_and_read(void **state)
{
	const struct iovec parts[] = { { (void *)"two ", 4 }, { NULL, 0 }, { (void *)"parts", 5 } };
	struct stat st;
	size_t size = 0;

	(void)state;
	assert_null(base_cache_dir_read(dir, "a.names", 100, &size));
	assert_true(base_cache_dir_write(dir, "a.names", parts, PD_ARRAY_LEN(parts)));
	assert_true(base_cache_dir_write(dir, "a.names", parts, PD_ARRAY_LEN(parts)));
	assert_int_equal(count_files(), 1);
	assert_int_equal(stat(path_of("a.names"), &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_int_equal(stat(dir, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0700);
	uint8_t *bytes = base_cache_dir_read(dir, "a.names", 9, &size);
	assert_non_null(bytes);
	assert_int_equal(size, 9);
	assert_memory_equal(bytes, "two parts", 9);
	free(bytes);
	assert_null(base_cache_dir_read(dir, "a.names", 8, &size));
	base_cache_dir_remove(dir, "a.names");
	assert_int_equal(count_files(), 0);
	assert_false(base_cache_dir_write("/proc/none", "a.names", parts, PD_ARRAY_LEN(parts)));
}

/* Only regular files are read: a pipe would block, and a link may lead anywhere. */
static void test_other_files(void **state)
{
	size_t size;

	(void)state;
	assert_int_equal(mkfifo(path_of("pipe.names"), 0600), 0);
	assert_int_equal(symlink("/etc/passwd", path_of("link.names")), 0);
	assert_null(base_cache_dir_read(dir, "pipe.names", 1 << 20, &size));
	assert_null(base_cache_dir_read(dir, "link.names", 1 << 20, &size));
	base_cache_dir_remove(dir, "pipe.names");
	base_cache_dir_remove(dir, "link.names");
}

/* Others could have written what they own or may write. */
static void test_distrust(void **state)
{
	static const char *const suffixes[] = { ".names" };
	const mode_t modes[] = { 0620, 0602 };
	size_t size;

	(void)state;
	assert_null(base_cache_dir_distrust("/nonexistent"));
	write_bytes("a.names", 1000, 1000);
	assert_null(base_cache_dir_distrust(dir));
	for (size_t i = 0; i < PD_ARRAY_LEN(modes); i++) {
		assert_int_equal(chmod(dir, modes[i] | 0111), 0);
		assert_string_equal(base_cache_dir_distrust(dir), "other users can write it");
		assert_int_equal(chmod(path_of("a.names"), modes[i]), 0);
		assert_null(base_cache_dir_read(dir, "a.names", 1000, &size));
	}
	assert_int_equal(chmod(dir, 0700), 0);
	assert_int_equal(base_cache_dir_trim(dir, suffixes, 1, 1 << 20), 1);
	assert_int_equal(access(path_of("a.names"), F_OK), -1);
	assert_int_equal(base_cache_dir_trim(dir, suffixes, 1, 1 << 20), 0);
	if (geteuid())
		return;
	write_bytes("a.names", 1000, 1000);
	assert_int_equal(chown(path_of("a.names"), 65534, 65534), 0);
	assert_null(base_cache_dir_read(dir, "a.names", 1000, &size));
	assert_int_equal(chown(dir, 65534, 65534), 0);
	assert_string_equal(base_cache_dir_distrust(dir), "it belongs to another user");
	assert_int_equal(chown(dir, 0, 0), 0);
	assert_int_equal(base_cache_dir_trim(dir, suffixes, 1, 1 << 20), 1);
}

static void test_trim(void **state)
{
	static const char *const suffixes[] = { ".names", ".index" };
	struct utimbuf long_ago = { 1000, 1000 };
	size_t size;

	(void)state;
	write_bytes("1.names", 1000, 1001);
	write_bytes("2.index", 1000, 1002);
	write_bytes("3.names", 1000, 1000);
	write_bytes("somebody's", 1000, 1000);
	write_bytes(".new-abcdef", 1000, 1000);
	assert_int_equal(utime(path_of(".new-abcdef"), &long_ago), 0);
	base_cache_dir_trim(dir, suffixes, 2, 3000);
	assert_int_equal(count_files(), 4);
	base_cache_dir_trim(dir, suffixes, 2, 2000);
	assert_int_equal(count_files(), 3);
	assert_int_not_equal(access(path_of("3.names"), F_OK), 0);
	/* Reading a file makes it the most recently used one. */
	free(base_cache_dir_read(dir, "1.names", 1000, &size));
	base_cache_dir_trim(dir, suffixes, 2, 1999);
	assert_int_equal(access(path_of("1.names"), F_OK), 0);
	assert_int_not_equal(access(path_of("2.index"), F_OK), 0);
	base_cache_dir_trim(dir, suffixes, 2, 0);
	assert_int_equal(count_files(), 1);
	base_cache_dir_trim("/nonexistent", suffixes, 2, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_write_and_read),
		cmocka_unit_test(test_other_files),
		cmocka_unit_test(test_distrust),
		cmocka_unit_test(test_trim),
	};

	return cmocka_run_group_tests(tests, make_root, remove_root);
}

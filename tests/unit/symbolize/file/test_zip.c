#include "tests/unit/symbolize/fixture.h"

#include <fcntl.h>

#include "symbolize/file/zip.h"

static const char MAKE[] = "import zipfile\n"
			   "with zipfile.ZipFile('made.apk', 'w') as z:\n"
			   "    z.writestr('a', 'x' * 1000)\n"
			   "    z.writestr('lib/b.so', 'y' * 2000)\n"
			   "    z.writestr('packed', 'z' * 3000, zipfile.ZIP_DEFLATED)\n"
			   "    z.comment = b'PK and a comment'\n";

static int open_file(const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	return fd;
}

static void test_members(void **state)
{
	struct sym_zip_member a, b, found;
	char byte;

	(void)state;
	_cleanup_close_ int fd = open_file("made.apk");
	assert_true(sym_zip_find_name(fd, "a", &a));
	assert_true(sym_zip_find_name(fd, "lib/b.so", &b));
	assert_int_equal(a.size, 1000);
	assert_int_equal(b.size, 2000);
	assert_int_equal(pread(fd, &byte, 1, (off_t)b.offset), 1);
	assert_int_equal(byte, 'y');
	assert_true(sym_zip_find_at(fd, b.offset + 1999, &found));
	assert_string_equal(found.name.text, "lib/b.so");
	assert_false(sym_zip_find_at(fd, b.offset + 2000, &found));
	assert_false(sym_zip_find_at(fd, b.offset - 1, &found));
	assert_false(sym_zip_find_at(fd, UINT64_MAX, &found));
	assert_false(sym_zip_find_name(fd, "packed", &found));
	assert_false(sym_zip_find_name(fd, "b.so", &found));
	assert_false(sym_zip_find_name(fd, "", &found));
}

static void test_packages(void **state)
{
	(void)state;
	assert_true(sym_zip_is_package("/data/app/base.apk"));
	assert_false(sym_zip_is_package("/data/app/base.apk!/lib/x.so"));
	assert_false(sym_zip_is_package(".apk"));
	assert_false(sym_zip_is_package("/data/app/base.apk (deleted)"));
}

/* Members of damaged archives lie within them, whatever else they are. */
static void test_damaged(void **state)
{
	uint32_t random = 1;
	size_t size;

	(void)state;
	_cleanup_free_ char *bytes = read_all("made.apk", &size);
	for (int round = 0; round < 2000; round++) {
		_cleanup_free_ char *copy = malloc(size);
		struct sym_zip_member found;
		size_t len = round % 4 ? size : size - (size_t)(round / 4 % 300);

		assert_non_null(copy);
		memcpy(copy, bytes, size);
		for (int i = 0; i < 4; i++) {
			random = random * 1103515245 + 12345;
			copy[size - 1 - (random >> 8) % 300] = (char)(random >> 3);
		}
		write_file("damaged", copy, len);
		_cleanup_close_ int fd = open_file("damaged");
		if (sym_zip_find_name(fd, "lib/b.so", &found))
			assert_true(found.offset <= len && found.size <= len - found.offset);
		if (sym_zip_find_at(fd, 1500, &found))
			assert_true(found.offset <= 1500 && found.size <= len - found.offset);
	}
}

static int build_archive(void **state)
{
	if (make_dir(state))
		return -1;
	write_text("make.py", MAKE);
	return sh("python3 make.py");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_members),
		cmocka_unit_test(test_packages),
		cmocka_unit_test(test_damaged),
	};

	return cmocka_run_group_tests(tests, build_archive, remove_dir);
}

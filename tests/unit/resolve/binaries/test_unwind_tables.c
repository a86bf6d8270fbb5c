/* Tables of running binaries: what a program will have mapped, and the cache of tables. */
#include "tests/unit/test.h"

#include <fcntl.h>
#include <glob.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/format.h"
#include "resolve/binaries/unwind_tables.h"
#include "symbolize/find/needed.h"

/* Offset of the code that this process has mapped of @p path. Returns false if it has none. */
static bool find_mapping(const char *path, uint64_t *offset_ret)
{
	_cleanup_fclose_ FILE *maps = fopen("/proc/self/maps", "re");
	char line[512], perms[8], name[256];
	unsigned long offset;

	while (maps && fgets(line, sizeof(line), maps)) {
		if (sscanf(line, "%*s %7s %lx %*s %*s %255s", perms, &offset, name) == 3 &&
			perms[2] == 'x' && strcmp(name, path) == 0) {
			*offset_ret = offset;
			return true;
		}
	}
	return false;
}

/* The forecast for this program has all code that it has mapped. */
static void test_needed(void **state)
{
	_cleanup_(sym_needed_deinit) struct sym_needed needed = { 0 };
	char self[256] = { 0 };
	size_t n_mapped = 0;

	(void)state;
	assert_true(readlink("/proc/self/exe", self, sizeof(self) - 1) > 0);
	assert_ok(sym_needed_find(self, &needed));
	assert_true(needed.list.n >= 3);
	assert_string_equal(needed.list.data[0].path, self);
	for (size_t i = 0; i < needed.list.n; i++) {
		const struct sym_needed_code *code = &needed.list.data[i];
		_cleanup_free_ char *path = realpath(code->path, NULL);
		uint64_t offset;

		assert_non_null(path);
		assert_true(code->size > 0);
		if (!find_mapping(path, &offset))
			continue;
		assert_int_equal(offset, code->offset);
		n_mapped++;
	}
	/* The program, the C library and the dynamic linker at least; sanitizers load more. */
	assert_true(n_mapped >= 3);
}

static bool has_file(const struct sym_needed *needed, const char *part)
{
	for (size_t i = 0; i < needed->paths.n; i++) {
		if (strstr(needed->paths.data[i], part))
			return true;
	}
	return false;
}

/* A script needs its interpreter. Other files, and missing ones, need nothing. */
static void test_needed_by_scripts(void **state)
{
	char script[] = "/tmp/pdconv-script-XXXXXX";
	static const struct {
		const char *text;
		bool has_shell;
	} cases[] = {
		{ "#!/bin/sh\n", true },
		{ "#! /usr/bin/env sh -x\n", true },
		{ "#!/nowhere/interpreter\n", false },
		{ "#!\n", false },
		{ "text", false },
		{ "", false },
	};

	(void)state;
	int fd = mkstemp(script);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		_cleanup_(sym_needed_deinit) struct sym_needed needed = { 0 };

		assert_int_equal(ftruncate(fd, 0), 0);
		assert_int_equal(pwrite(fd, cases[i].text, strlen(cases[i].text), 0),
			(ssize_t)strlen(cases[i].text));
		assert_ok(sym_needed_find(script, &needed));
		assert_int_equal(needed.list.n > 0, cases[i].has_shell);
		assert_int_equal(has_file(&needed, "/libc.so"), cases[i].has_shell);
	}
	close(fd);
	unlink(script);
	_cleanup_(sym_needed_deinit) struct sym_needed none = { 0 };
	assert_ok(sym_needed_find("/nowhere/program", &none));
	assert_ok(sym_needed_find("no-program-has-this-name", &none));
	assert_int_equal(none.list.n, 0);
	assert_ok(sym_needed_find("sh", &none));
	assert_true(none.list.n > 0 && has_file(&none, "/sh"));
}

/* The cache. */

static struct unw_table *open_table(const char *dir, const struct sym_needed_code *code)
{
	const struct sym_search search = { .is_here = true, .cache_dir = dir };
	struct unw_table *table;
	uint64_t delta;
	struct stat st;

	assert_int_equal(stat(code->path, &st), 0);
	const struct sym_recorded recorded = {
		.name = code->path,
		.pid = (uint32_t)getpid(),
		.maj = major(st.st_dev),
		.min = minor(st.st_dev),
		.ino = st.st_ino,
		.offset = code->offset,
		.size = code->size,
	};
	assert_ok(resolve_table_open(&search, pd_arch_of_machine(), &recorded, &table, &delta));
	return table;
}

static void expect_equal(const struct unw_table *a, const struct unw_table *b)
{
	assert_non_null(a);
	assert_non_null(b);
	assert_int_equal(a->base, b->base);
	assert_int_equal(a->rows.n, b->rows.n);
	assert_memory_equal(a->rows.data, b->rows.data, a->rows.n * sizeof(a->rows.data[0]));
}

static const struct sym_needed_code *find_libc(const struct sym_needed *needed)
{
	for (size_t i = 0; i < needed->list.n; i++) {
		if (strstr(needed->list.data[i].path, "/libc.so"))
			return &needed->list.data[i];
	}
	return NULL;
}

/* Change byte @p at of the file; a negative one counts from its end. */
static void change_byte(const char *path, off_t at)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);
	off_t where = lseek(fd, at, at < 0 ? SEEK_END : SEEK_SET);
	uint8_t byte;

	assert_true(where >= 0);
	assert_int_equal(pread(fd, &byte, 1, where), 1);
	byte ^= 1;
	assert_int_equal(pwrite(fd, &byte, 1, where), 1);
	close(fd);
}

static void set_inode_and_age(const char *path, ino_t *inode_ret)
{
	const struct timespec old[2] = { { .tv_sec = 1000 }, { .tv_sec = 1000 } };
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(utimensat(AT_FDCWD, path, old, 0), 0);
	*inode_ret = st.st_ino;
}

/* Whether the file was used since, and not replaced. */
static bool is_used(const char *path, ino_t inode)
{
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	return st.st_ino == inode && st.st_mtim.tv_sec > 1000;
}

/* A table from the cache is the one that was made. A file that was changed is not used. */
static void test_cache(void **state)
{
	_cleanup_(sym_needed_deinit) struct sym_needed needed = { 0 };
	char dir[] = "/tmp/pdconv-rows-XXXXXX";
	glob_t found;

	(void)state;
	assert_ok(sym_needed_find("sh", &needed));
	const struct sym_needed_code *libc = find_libc(&needed);
	assert_non_null(libc);
	assert_non_null(mkdtemp(dir));
	struct unw_table *made = open_table(NULL, libc);
	if (!made)
		skip();
	_cleanup_free_ char *pattern = base_format("%s/*.rows", dir);
	assert_int_equal(glob(pattern, 0, NULL, &found), GLOB_NOMATCH);
	struct unw_table *kept = open_table(dir, libc);
	expect_equal(made, kept);
	/* A C library without a build id is not kept. */
	if (glob(pattern, 0, NULL, &found) == 0) {
		static const off_t changed[] = { 0, 8, 20, 60, 68, 80, 120, -1 };
		const char *path = found.gl_pathv[0];
		ino_t inode;

		for (size_t i = 0; i < sizeof(changed) / sizeof(changed[0]); i++) {
			struct unw_table *loaded;

			set_inode_and_age(path, &inode);
			loaded = open_table(dir, libc);
			expect_equal(made, loaded);
			/* It was read, and not written again. */
			assert_true(is_used(path, inode));
			unw_table_destroy(loaded);
			change_byte(path, changed[i]);
			loaded = open_table(dir, libc);
			expect_equal(made, loaded);
			assert_false(is_used(path, inode));
			unw_table_destroy(loaded);
		}
		assert_int_equal(truncate(path, 100), 0);
		struct unw_table *loaded = open_table(dir, libc);
		expect_equal(made, loaded);
		unw_table_destroy(loaded);
		unlink(path);
		globfree(&found);
	}
	rmdir(dir);
	unw_table_destroy(made);
	unw_table_destroy(kept);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_needed),
		cmocka_unit_test(test_needed_by_scripts),
		cmocka_unit_test(test_cache),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

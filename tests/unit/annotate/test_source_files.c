/* Where source files are looked for. */
#include "tests/unit/test.h"

#include <sys/stat.h>
#include <unistd.h>

#include "annotate/source_files.h"
#include "symbolize/file/trouble.h"

static const struct pd_build_id no_id;
static char root[] = "/tmp/pdconv-sources-XXXXXX";

/* Create a file below the root, with its folders. */
static void create(const char *path, const char *text)
{
	char full[512];

	snprintf(full, sizeof(full), "%s/%s", root, path);
	for (char *p = full + strlen(root) + 1; (p = strchr(p, '/')); p++) {
		*p = '\0';
		mkdir(full, 0700);
		*p = '/';
	}
	FILE *file = fopen(full, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static int set_up(void **state)
{
	(void)state;
	assert_non_null(mkdtemp(root));
	create("src/lib/a.c", "lib a\n\nthird");
	create("src/a.c", "plain a\n");
	create("other/lib/a.c", "other a\n");
	create("sys/work/a.c", "sys a\n");
	return 0;
}

static int tear_down(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", root);
	return system(command);
}

static void expect(
	const struct ann_sources_opts *opts, const char *file, uint32_t line, const char *expected)
{
	struct ann_sources *sources;
	const char *text;

	assert_ok(ann_sources_create(opts, &sources));
	/* A second question is answered from memory. */
	for (int i = 0; i < 2; i++) {
		assert_ok(ann_sources_line(sources, file, &no_id, line, &text));
		if (expected)
			assert_string_equal(text, expected);
		else
			assert_null(text);
	}
	if (expected)
		assert_true(ann_sources_n_lines(sources, file) >= line);
	else if (line)
		assert_true(ann_sources_n_lines(sources, file) < line);
	assert_true(!ann_sources_path(sources, file) == (!expected && line == 1));
	ann_sources_destroy(sources);
}

static void the_longest_path_below_a_directory(void **state)
{
	char dir[256], dirs[600];
	const char *list[] = { dir };
	struct sym_search search = { 0 };
	struct ann_sources_opts opts = { .search = &search, .dirs = list, .n_dirs = 1 };

	(void)state;
	snprintf(dir, sizeof(dir), "%s/src", root);
	expect(&opts, "/build/lib/a.c", 1, "lib a");
	expect(&opts, "/build/lib/a.c", 2, "");
	expect(&opts, "/build/lib/a.c", 3, "third");
	expect(&opts, "/build/lib/a.c", 4, NULL);
	expect(&opts, "/build/lib/a.c", 0, NULL);
	expect(&opts, "/build/a.c", 1, "plain a");
	expect(&opts, "a.c", 1, "plain a");
	expect(&opts, "/build/b.c", 1, NULL);
	/* Directories are tried in their order, as long as the same parts of the path are there. */
	snprintf(dirs, sizeof(dirs), "%s/other:%s/src", root, root);
	list[0] = dirs;
	expect(&opts, "/build/lib/a.c", 1, "other a");
	expect(&opts, "/build/a.c", 1, "plain a");
}

static void path_maps_and_symfs(void **state)
{
	char to[256], symfs[256];
	const struct pd_path_map map = { "/build", to };
	struct sym_search search = { .path_maps = &map, .n_path_maps = 1, .symfs = symfs };
	struct ann_sources_opts opts = { .search = &search };

	(void)state;
	snprintf(to, sizeof(to), "%s/src", root);
	snprintf(symfs, sizeof(symfs), "%s/sys", root);
	expect(&opts, "/build/lib/a.c", 1, "lib a");
	expect(&opts, "/building/lib/a.c", 1, NULL);
	expect(&opts, "/work/a.c", 1, "sys a");
	/* The paths in debug information do not lead out of the directories. */
	expect(&opts, "/build/lib/../lib/./a.c", 1, "lib a");
	expect(&opts, "/../work/../../work/a.c", 1, "sys a");
	expect(&opts, "/work/../../src/a.c", 1, NULL);
	expect(&opts, "/build/../src/a.c", 1, NULL);
}

/* Devices and folders are not read, nor very large files. */
static void only_regular_files(void **state)
{
	struct sym_search search = { 0 };
	struct ann_sources_opts opts = { .search = &search };
	char large[256];

	(void)state;
	expect(&opts, "/dev/zero", 1, NULL);
	expect(&opts, "/tmp", 1, NULL);
	create("large.c", "x\n");
	snprintf(large, sizeof(large), "%s/large.c", root);
	assert_int_equal(truncate(large, 1 << 30), 0);
	expect(&opts, large, 1, NULL);
}

static void a_large_file_is_reported(void **state)
{
	struct sym_trouble *trouble;
	char dir[256], path[300];
	const char *list[] = { dir };

	(void)state;
	assert_ok(sym_trouble_create(&trouble));
	const struct sym_search search = { .trouble = trouble };
	const struct ann_sources_opts opts = { .search = &search, .dirs = list, .n_dirs = 1 };
	snprintf(dir, sizeof(dir), "%s/large", root);
	snprintf(path, sizeof(path), "%s/b.c", dir);
	create("large/b.c", "first\n");
	assert_int_equal(truncate(path, PD_LIMIT_SOURCE_BYTES), 0);
	expect(&opts, "/work/b.c", 1, "first");
	assert_true(sym_trouble_is_empty(trouble));
	assert_int_equal(truncate(path, PD_LIMIT_SOURCE_BYTES + 1), 0);
	expect(&opts, "/work/b.c", 1, NULL);

	struct pd_diag *diag = pd_diag_create();
	sym_trouble_report(trouble, diag);
	assert_int_equal(pd_diag_n(diag), 1);
	char *text = pd_error_string(pd_diag_get(diag, 0).first);
	assert_non_null(
		strstr(text, "b.c: SOURCE_BYTES: it is not shown: the limit for a source file"));
	free(text);
	pd_diag_destroy(diag);
	sym_trouble_destroy(trouble);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_large_file_is_reported),
		cmocka_unit_test(the_longest_path_below_a_directory),
		cmocka_unit_test(path_maps_and_symfs),
		cmocka_unit_test(only_regular_files),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}

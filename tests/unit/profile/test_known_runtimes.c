/* Language runtimes, by their files and functions. */
#include "tests/unit/test.h"

#include "profile/known_runtimes.h"

static const struct {
	const char *path;
	enum prof_runtime runtime;
	uint32_t version;
} files[] = {
	{ "/usr/bin/python3.11", PROF_RUNTIME_CPYTHON, 311 },
	{ "/opt/lib/libpython3.13t.so.1.0", PROF_RUNTIME_CPYTHON, 313 },
	{ "/usr/lib/libpython3.so", PROF_RUNTIME_CPYTHON, 0 },
	{ "/usr/bin/php8.2", PROF_RUNTIME_PHP, 802 },
	{ "/usr/lib/libruby-3.1.so.3.1.7", PROF_RUNTIME_RUBY, 301 },
	{ "/usr/lib/libperl.so.5.36", PROF_RUNTIME_PERL, 0 },
	{ "/usr/lib/jvm/java-17/lib/server/libjvm.so", PROF_RUNTIME_JAVA, 0 },
	{ "/usr/lib/libluajit-5.1.so.2.1.0", PROF_RUNTIME_LUAJIT, 0 },
	{ "/usr/bin/lua5.4", PROF_RUNTIME_LUA, 504 },
	{ "/usr/lib/libR.so", PROF_RUNTIME_GNU_R, 0 },
	{ "/usr/bin/python", PROF_N_RUNTIMES, 0 },
	{ "/home/u/python3.11/server", PROF_N_RUNTIMES, 0 },
	{ "/home/u/notnode", PROF_N_RUNTIMES, 0 },
	{ "/home/u/nodes", PROF_N_RUNTIMES, 0 },
	{ "//anon", PROF_N_RUNTIMES, 0 },
	{ "", PROF_N_RUNTIMES, 0 },
};

static void test_files(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		uint32_t version = 1;

		assert_int_equal(prof_runtime_of_file(files[i].path, &version), files[i].runtime);
		assert_int_equal(version, files[i].version);
	}
}

static void test_functions(void **state)
{
	(void)state;
	assert_int_equal(prof_runtime_of_function("_PyEval_EvalFrameDefault.cold", "/opt/blender"),
		PROF_RUNTIME_CPYTHON);
	assert_int_equal(
		prof_runtime_of_function("lua_pcall", "/usr/bin/luajit"), PROF_RUNTIME_LUAJIT);
	assert_int_equal(prof_runtime_of_function("lua_pcall", "/usr/bin/vim"), PROF_RUNTIME_LUA);
	assert_int_equal(prof_runtime_of_function("main", "/usr/bin/php8.2"), PROF_N_RUNTIMES);
	assert_int_equal(prof_runtime_of_function("", ""), PROF_N_RUNTIMES);
	assert_int_equal(prof_runtime_of_script("py::f:/a.py"), PROF_RUNTIME_CPYTHON);
	assert_int_equal(prof_runtime_of_script("python"), PROF_N_RUNTIMES);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_files),
		cmocka_unit_test(test_functions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

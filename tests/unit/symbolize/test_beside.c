/* Files with debug information next to the recorded path of a binary that was found in a cache. */
#include "tests/unit/symbolize/fixture.h"

#include "base/arena.h"
#include "base/array.h"
#include "symbolize/binary_names.h"
#include "symbolize/table/ranges.h"

#define HEX "0123456789abcdef0123456789abcdef01234567"
#define REST "23456789abcdef0123456789abcdef01234567"

static const struct pd_build_id ID = { 20,
	{ 0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef, 0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd,
		0xef, 0x01, 0x23, 0x45, 0x67 } };

static int build_program(void **state)
{
	if (make_dir(state))
		return -1;
	write_text("program.c", "int work(int x)\n{\n\treturn x + 1;\n}\n"
				"int main(int argc, char **argv)\n{\n\t(void)argv;\n"
				"\treturn work(argc);\n}\n");
	return sh("gcc -g -Wl,--build-id=0x" HEX " -o program program.c && "
		  "objcopy --only-keep-debug program program.debug && "
		  "objcopy --strip-all --add-gnu-debuglink=program.debug program stripped");
}

/* Put @p name into perf's build-id cache, like a recording does. */
static void put_into_cache(const char *name)
{
	assert_int_equal(sh("rm -rf .debug && mkdir -p .debug/.build-id/01/" REST
			    " && cp %s .debug/.build-id/01/" REST "/elf",
				 name),
		0);
}

/*
 * Whether the line of work() is known in the binary with the recorded path @p path, and no file
 * that its debug information refers to is missing.
 */
static bool is_line_known(const struct sym_search *search, const char *path)
{
	struct sym_binary *binary = open_with(search, path, &ID);
	struct base_arena arena = { 0 };
	struct sym_names names;
	unsigned long addr;
	char *missing;
	size_t size;

	assert_int_equal(sh("nm program | awk '$3 == \"work\" { print $1 }' >address"), 0);
	_cleanup_free_ char *text = read_all("address", &size);
	assert_int_equal(sscanf(text, "%lx", &addr), 1);
	uint64_t vaddr = addr;
	assert_int_equal(sym_binary_status(binary), SYM_FOUND);
	assert_non_null(strstr(sym_binary_path(binary), "/elf"));
	assert_null(sym_binary_names(binary, NULL, &vaddr, 1, &arena, &names));
	bool is_known = names.n == 1 && names.names[0].line == 2 &&
			strcmp(names.names[0].function, "work") == 0;
	assert_null(sym_ranges_missing(sym_binary_ranges(binary), &missing));
	is_known = is_known && !missing;
	free(missing);
	base_arena_deinit(&arena);
	sym_binary_destroy(binary);
	return is_known;
}

/* Expect that names of files below in/ are found, for each way in which a path may lead there. */
static void expect_found(void)
{
	struct sym_search search = { 0 };
	char path[256], in[256], to[256];
	struct pd_path_map map = { .from = "/build", .to = to };

	snprintf(in, sizeof(in), "%s/in", dir);
	snprintf(path, sizeof(path), "%s/in/opt/program", dir);
	snprintf(to, sizeof(to), "%s/in", dir);
	assert_true(is_line_known(&search, path));
	assert_false(is_line_known(&search, "/build/opt/program"));
	search.no_own_paths = true;
	assert_false(is_line_known(&search, path));
	search.path_maps = &map;
	search.n_path_maps = 1;
	assert_true(is_line_known(&search, "/build/opt/program"));
	search = (struct sym_search){ .symfs = in };
	assert_true(is_line_known(&search, "/opt/program"));
	assert_false(is_line_known(&search, "/usr/bin/program"));
	assert_int_equal(sh("rm -r in"), 0);
}

static void test_debug_link(void **state)
{
	static const char *const paths[] = { "in/opt/program.debug",
		"in/opt/.debug/program.debug" };

	(void)state;
	put_into_cache("stripped");
	for (size_t i = 0; i < PD_ARRAY_LEN(paths); i++) {
		assert_int_equal(
			sh("mkdir -p $(dirname %s) && cp program.debug %s", paths[i], paths[i]), 0);
		expect_found();
	}
	/* Another file with that name is not the debug file. */
	assert_int_equal(sh("mkdir -p in/opt && gcc -g -DX=1 -Wl,--build-id=0x77 -o "
			    "in/opt/program.debug program.c"),
		0);
	char path[256];
	snprintf(path, sizeof(path), "%s/in/opt/program", dir);
	assert_false(is_line_known(&(struct sym_search){ 0 }, path));
	assert_int_equal(sh("rm -r in"), 0);
}

/* The link to the file is by build id, and the debug file is next to the file. */
static void test_behind_a_link(void **state)
{
	(void)state;
	assert_int_equal(sh("rm -rf .debug && mkdir -p .debug/.build-id/01/" REST " real && "
			    "cp stripped real/elf && cp program.debug real/ && "
			    "ln -s ../../../../real/elf .debug/.build-id/01/" REST "/elf"),
		0);
	assert_true(is_line_known(&(struct sym_search){ 0 }, "/nowhere/program"));
	assert_int_equal(sh("rm -r real"), 0);
}

/* Make program.dwz and common.dwz of @p file, which name each other by the relative @p name. */
static void make_supplement(const char *file, const char *name)
{
	assert_int_equal(sh("cp %s a && cp %s b && dwz -M %s -m common.dwz a b && "
			    "readelf -S a | grep -q gnu_debugaltlink && mv a program.dwz",
				 file, file, name),
		0);
}

static void test_supplement(void **state)
{
	(void)state;
	if (!can_build("dwz"))
		skip();
	make_supplement("program", "../lib/common.dwz");
	put_into_cache("program.dwz");
	assert_int_equal(sh("mkdir -p in/opt in/lib && cp common.dwz in/lib/"), 0);
	expect_found();
}

/* perf's cache has a copy of the system's debug file as well. */
static void test_supplement_of_debug(void **state)
{
	struct sym_search search = { 0 };
	char in[256];

	(void)state;
	if (!can_build("dwz"))
		skip();
	snprintf(in, sizeof(in), "%s/in", dir);
	search.symfs = in;
	make_supplement("program.debug", "../../.dwz/common.dwz");
	put_into_cache("stripped");
	assert_int_equal(sh("cp program.dwz .debug/.build-id/01/" REST "/debug"), 0);
	assert_false(is_line_known(&search, "/opt/program"));
	assert_int_equal(sh("mkdir -p in/usr/lib/debug/.dwz in/usr/lib/debug/.build-id/01 && "
			    "cp common.dwz in/usr/lib/debug/.dwz/"),
		0);
	assert_true(is_line_known(&search, "/opt/program"));
	assert_int_equal(sh("rm -r in"), 0);
}

/* Split units: in a package, and in the file that the compiler wrote. */
static void test_split(void **state)
{
	/* Binutils 2.44 and newer are packaged without dwp. */
	const char *dwp = can_build("dwp") ? "dwp" : "llvm-dwp";

	(void)state;
	if (!can_build(dwp))
		skip();
	assert_int_equal(
		sh("mkdir -p in/opt split && cd split && "
		   "gcc -gdwarf-4 -gsplit-dwarf -fdebug-prefix-map=$PWD=. -c ../program.c && "
		   "gcc -Wl,--build-id=0x" HEX " -o program program.o && "
		   "%s -e program -o program.dwp",
			dwp),
		0);
	put_into_cache("split/program");
	assert_int_equal(sh("cp program kept && cp split/program program && "
			    "cp split/program.dwp in/opt/"),
		0);
	expect_found();
	assert_int_equal(sh("mkdir -p in/opt && cp split/program.dwo in/opt/"), 0);
	expect_found();
	assert_int_equal(sh("mv kept program"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_debug_link),
		cmocka_unit_test(test_behind_a_link),
		cmocka_unit_test(test_supplement),
		cmocka_unit_test(test_supplement_of_debug),
		cmocka_unit_test(test_split),
	};

	return cmocka_run_group_tests(tests, build_program, remove_dir);
}

/* Binaries that are not here, while their debug files are. */
#include "tests/unit/symbolize/fixture.h"

#include <gelf.h>

#include "base/arena.h"
#include "base/array.h"
#include "symbolize/binary_files.h"
#include "symbolize/binary_names.h"

static const char PROGRAM[] =
	"int work(int x)\n{\n\treturn x + 1;\n}\n"
	"int main(int argc, char **argv)\n{\n\t(void)argv;\n\treturn work(argc);\n}\n";

static const struct pd_build_id ID = { 20,
	{ 0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef, 0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd,
		0xef, 0x01, 0x23, 0x45, 0x67 } };
static const struct pd_build_id OTHER_ID = { 20, "\x77" };
#define HEX "0123456789abcdef0123456789abcdef01234567"
#define HEX_END "0123456789abcdef01234567"

static int build_program(void **state)
{
	if (make_dir(state))
		return -1;
	write_text("program.c", PROGRAM);
	return sh("gcc -g -Wl,--build-id=0x" HEX " -o program program.c && "
		  "objcopy --only-keep-debug program debug && strip -o stripped program && "
		  "gcc -Wl,--build-id=0x77 -o other program.c");
}

/* Virtual address of the function @p name of the program. */
static uint64_t address_of(const char *name)
{
	unsigned long addr;
	size_t size;

	assert_int_equal(sh("nm program | awk '$3 == \"%s\" { print $1 }' >address", name), 0);
	_cleanup_free_ char *text = read_all("address", &size);
	assert_int_equal(sscanf(text, "%lx", &addr), 1);
	return addr;
}

/* Expect that the debug file at the end of @p path is used, which names work(). */
static void expect_debug(struct sym_binary *binary, const char *path)
{
	struct base_arena arena = { 0 };
	struct sym_section section;
	struct sym_names names;
	uint64_t addr = address_of("work");
	size_t len = strlen(path);

	assert_int_equal(sym_binary_status(binary), SYM_FOUND);
	assert_true(sym_binary_is_debug_only(binary));
	assert_false(sym_binary_is_mismatched(binary));
	const char *used = sym_binary_path(binary);
	assert_true(strlen(used) > len);
	assert_string_equal(used + strlen(used) - len, path);
	assert_false(sym_binary_section(binary, ".eh_frame", &section));
	assert_false(sym_binary_text(binary, &section));
	assert_null(sym_binary_names(binary, NULL, &addr, 1, &arena, &names));
	assert_int_equal(names.n, 1);
	assert_string_equal(names.names[0].function, "work");
	assert_int_equal(names.names[0].line, 2);
	base_arena_deinit(&arena);
	sym_binary_destroy(binary);
}

static void expect(struct sym_binary *binary, enum sym_status status)
{
	assert_int_equal(sym_binary_status(binary), status);
	assert_false(sym_binary_is_debug_only(binary));
	sym_binary_destroy(binary);
}

/* Copy the debug file to @p path, search in the directory, and remove the copy. */
static void expect_at(
	struct sym_search *search, const char *name, const struct pd_build_id *id, const char *path)
{
	bool is_path = name[1] != 'm';

	assert_int_equal(sh("mkdir -p $(dirname %s) && cp debug %s", path, path), 0);
	expect_debug(open_with(search, name, id), path);
	assert_int_equal(sh("rm -r in"), 0);
	expect(open_with(search, name, id), is_path ? SYM_NO_FILE : SYM_NO_IMAGE);
}

static void test_places(void **state)
{
	struct sym_search search = { 0 };
	char in[256];

	(void)state;
	snprintf(in, sizeof(in), "%s/in", dir);
	search.debug_dirs = in;
	expect_at(&search, "/opt/prog", &ID, "in/.build-id/01/23456789abcdef" HEX_END ".debug");
	expect_at(&search, "/opt/prog", &ID, "in/prog");
	expect_at(&search, "/opt/prog", NULL, "in/prog");
	expect_at(&search, "/opt/prog", &ID, "in/opt/prog");
	expect_at(&search, "/opt/prog", &ID, "in/prog.debug");
	search.debug_dirs = NULL;
	search.buildid_dir = in;
	expect_at(&search, "/opt/prog", &ID, "in/.build-id/01/23456789abcdef" HEX_END "/debug");
	search.buildid_dir = NULL;
	search.symfs = in;
	expect_at(&search, "/opt/prog", &ID,
		"in/usr/lib/debug/.build-id/01/23456789abcdef" HEX_END ".debug");
	expect_at(&search, "/opt/prog", &ID, "in/usr/lib/debug/opt/prog.debug");
	expect_at(&search, "/opt/prog", &ID, "in/usr/lib/debug/opt/prog");
	expect_at(&search, "/memfd:prog (deleted)", &ID,
		"in/usr/lib/debug/.build-id/01/23456789abcdef" HEX_END ".debug");
}

/* A debug file of another build, and one without debug information, name nothing. */
static void test_refused(void **state)
{
	struct sym_search search = { 0 };
	char in[256];

	(void)state;
	snprintf(in, sizeof(in), "%s/in", dir);
	search.debug_dirs = in;
	assert_int_equal(sh("mkdir -p in && cp debug in/prog"), 0);
	expect(open_with(&search, "/opt/prog", &OTHER_ID), SYM_NO_FILE);
	assert_int_equal(sh("objcopy --only-keep-debug stripped in/prog"), 0);
	expect(open_with(&search, "/opt/prog", &ID), SYM_NO_FILE);
	assert_int_equal(sh("rm -r in"), 0);
}

/* The binary itself is better than its debug file, and that than a binary of another build. */
static void test_order(void **state)
{
	struct sym_search search = { .force_mismatch = true };
	char in[256];

	(void)state;
	snprintf(in, sizeof(in), "%s/in", dir);
	search.debug_dirs = in;
	assert_int_equal(sh("mkdir -p in && cp other in/prog && cp debug in/prog.debug"), 0);
	expect_debug(open_with(&search, "/opt/prog", &ID), "in/prog.debug");
	assert_int_equal(sh("cp stripped in/prog"), 0);
	struct sym_binary *binary = open_with(&search, "/opt/prog", &ID);
	assert_int_equal(sym_binary_status(binary), SYM_FOUND);
	assert_false(sym_binary_is_debug_only(binary));
	assert_string_equal(sym_binary_debug_path(binary), strcat(in, "/prog.debug"));
	sym_binary_destroy(binary);
	assert_int_equal(sh("rm -r in"), 0);
}

/* Expect that the mappings of code of the binary @p name are understood by its debug file alone. */
static void compare_segments(const char *name, const char *debug)
{
	struct sym_binary *binary = open_here(name), *alone = open_here(debug);
	size_t n_code = 0, n = 0;
	GElf_Phdr phdr;

	assert_int_equal(sym_binary_status(binary), SYM_FOUND);
	assert_true(sym_binary_is_debug_only(alone));
	assert_int_equal(elf_getphdrnum(binary->main->elf, &n), 0);
	for (size_t i = 0; i < n; i++) {
		struct sym_segment want, have;
		uint64_t offset;

		assert_non_null(gelf_getphdr(binary->main->elf, (int)i, &phdr));
		if (phdr.p_type != PT_LOAD || !(phdr.p_flags & PF_X))
			continue;
		n_code++;
		for (uint64_t page = 4096; page <= phdr.p_align && page <= 65536; page *= 4) {
			uint64_t start = phdr.p_offset & ~(page - 1);
			uint64_t size =
				((phdr.p_offset + phdr.p_filesz + page - 1) & ~(page - 1)) - start;

			assert_true(sym_binary_segment(binary, start, size, &want));
			assert_true(sym_binary_segment(alone, start, size, &have));
			assert_int_equal(have.vaddr - have.offset, want.vaddr - want.offset);
			assert_true(have.is_executable);
		}
		assert_true(sym_binary_offset(alone, phdr.p_vaddr, &offset));
		assert_int_equal(offset, phdr.p_offset);
	}
	assert_true(n_code > 0);
	assert_false(sym_binary_segment(alone, 1 << 24, 1 << 24, &(struct sym_segment){ 0 }));
	sym_binary_destroy(binary);
	sym_binary_destroy(alone);
}

/* Copy the program headers of @p name to @p debug, as eu-strip leaves them. */
static void keep_headers(const char *name, const char *debug)
{
	size_t size, debug_size;
	_cleanup_free_ char *from = read_all(name, &size);
	_cleanup_free_ char *to = read_all(debug, &debug_size);
	Elf64_Ehdr ehdr;

	memcpy(&ehdr, from, sizeof(ehdr));
	memcpy(to + ehdr.e_phoff, from + ehdr.e_phoff, (size_t)ehdr.e_phnum * ehdr.e_phentsize);
	write_file(debug, to, debug_size);
}

/* Linkers place segments in different ways, and tools forget the places in different ways. */
static void test_segments(void **state)
{
	static const char *const builds[] = {
		"gcc",
		"gcc -no-pie",
		"gcc -Wl,-z,noseparate-code",
		"gcc -no-pie -Wl,-z,max-page-size=0x200000",
		"gcc -shared -fPIC -Wl,-z,max-page-size=65536",
		"gcc -fuse-ld=gold",
		"gcc -fuse-ld=gold -no-pie",
		"clang -fuse-ld=lld",
		"clang -fuse-ld=lld -no-pie",
		"clang -fuse-ld=lld -Wl,-z,separate-code",
		"aarch64-linux-gnu-gcc",
		"aarch64-linux-gnu-gcc -nostdlib -static -Wl,-e,main",
		"arm-linux-gnueabihf-gcc",
	};
	static const char *const tools[] = { "objcopy", "llvm-objcopy" };

	(void)state;
	for (size_t i = 0; i < PD_ARRAY_LEN(builds); i++) {
		if (!can_build(builds[i]))
			continue;
		assert_int_equal(sh("%s -g -o built program.c", builds[i]), 0);
		for (size_t k = 0; k < PD_ARRAY_LEN(tools); k++) {
			bool is_foreign = strstr(builds[i], "-linux-gnu") != NULL;

			if ((is_foreign && k == 0) || !can_build(tools[k]))
				continue;
			assert_int_equal(sh("%s --only-keep-debug built built.debug", tools[k]), 0);
			compare_segments("built", "built.debug");
		}
	}
	if (!can_build("clang -fuse-ld=lld"))
		return;
	assert_int_equal(sh("clang -fuse-ld=lld -g -o built program.c && "
			    "objcopy --only-keep-debug built built.debug"),
		0);
	keep_headers("built", "built.debug");
	compare_segments("built", "built.debug");
}

/* A tool has moved the segments of the binary: the size of the mapping decides. */
static void test_moved(void **state)
{
	struct sym_segment segment;

	(void)state;
	struct sym_binary *alone = open_here("debug");
	assert_true(sym_binary_segment(alone, 0x5000, 0x1000, &segment));
	assert_int_equal(segment.vaddr - segment.offset, 0x1000 - 0x5000);
	/* Neither the size nor the offset is that of code. */
	assert_false(sym_binary_segment(alone, 0x5000, 0x3000, &segment));
	sym_binary_destroy(alone);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_places),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_segments),
		cmocka_unit_test(test_moved),
	};

	return cmocka_run_group_tests(tests, build_program, remove_dir);
}

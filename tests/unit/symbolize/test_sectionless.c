/* Files without section headers, of each class and byte order, against the same files with them. */
#include "tests/unit/symbolize/fixture.h"

#include <gelf.h>

#include "base/arena.h"
#include "base/array.h"
#include "symbolize/binary_files.h"
#include "symbolize/binary_names.h"

static const char PROGRAM[] =
	"int counter = 3;\n"
	"static __attribute__((noinline)) int hidden(int x)\n"
	"{ return x * counter; }\n"
	"int work(int x) { return hidden(x) + 1; }\n"
	"int more(int x) { return work(x) * 3; }\n"
	"int main(int argc, char **argv) { (void)argv; return more(argc); }\n";

/* Commands that build `whole` from program.c. */
static const char *const BUILDS[] = {
	"gcc -rdynamic",
	"gcc -rdynamic -Wl,--hash-style=sysv",
	"gcc -rdynamic -Wl,--hash-style=gnu",
	"gcc -rdynamic -no-pie",
	"gcc -rdynamic -Wl,-z,noseparate-code",
	"gcc -shared -fPIC -nostdlib",
	"clang -rdynamic -fuse-ld=lld",
	"i686-linux-gnu-gcc -rdynamic",
	"aarch64-linux-gnu-gcc -rdynamic",
	"arm-linux-gnueabihf-gcc -rdynamic -fno-asynchronous-unwind-tables -fexceptions",
	"s390x-linux-gnu-gcc -rdynamic -Wl,--hash-style=sysv",
	"s390x-linux-gnu-gcc -rdynamic -Wl,--hash-style=gnu",
	"powerpc64-linux-gnu-gcc -rdynamic",
	"powerpc64le-linux-gnu-gcc -rdynamic",
	("clang --target=powerpc64-linux-gnu -mabi=elfv2 -shared -fPIC -nostdlib -fuse-ld=lld "
	 "-Wl,--eh-frame-hdr"),
	"clang --target=powerpc-linux-gnu -shared -fPIC -nostdlib -fuse-ld=lld -Wl,--eh-frame-hdr",
	"clang --target=mips-linux-gnu -shared -fPIC -nostdlib -fuse-ld=lld -Wl,--eh-frame-hdr",
};

static int build_program(void **state)
{
	if (make_dir(state))
		return -1;
	write_text("program.c", PROGRAM);
	return 0;
}

static void build(const char *command)
{
	assert_int_equal(
		sh("set -- %s && cc=$1 && shift && $cc -O1 -fasynchronous-unwind-tables "
		   "\"$@\" -Wl,--build-id -o whole program.c && llvm-objcopy --strip-all whole stripped && "
		   "llvm-objcopy --strip-sections whole bare",
			command),
		0);
}

/* Expect that both have the section, with the same bytes, up to the end mark of an .eh_frame. */
static void compare_section(struct sym_binary *whole, struct sym_binary *bare, const char *name)
{
	struct sym_section want, have;

	if (!sym_binary_section(whole, name, &want)) {
		assert_false(sym_binary_section(bare, name, &have));
		return;
	}
	assert_true(sym_binary_section(bare, name, &have));
	assert_int_equal(have.vaddr, want.vaddr);
	assert_true(have.size >= want.size && have.size <= want.size + 4);
	assert_memory_equal(have.data, want.data, want.size);
}

/* Expect equal names at all addresses of code, and return the number of those that have one. */
static size_t compare_names(struct sym_binary *whole, struct sym_binary *bare)
{
	struct base_arena arena = { 0 };
	struct sym_section text;
	size_t n_named = 0;

	assert_true(sym_binary_text(whole, &text));
	size_t n = (text.size + 3) / 4;
	_cleanup_free_ uint64_t *addrs = calloc(n, sizeof(*addrs));
	_cleanup_free_ struct sym_names *wants = calloc(n, sizeof(*wants));
	_cleanup_free_ struct sym_names *haves = calloc(n, sizeof(*haves));
	assert_true(addrs && wants && haves);
	for (size_t i = 0; i < n; i++)
		addrs[i] = text.vaddr + 4 * i;
	assert_null(sym_binary_names(whole, NULL, addrs, n, &arena, wants));
	assert_null(sym_binary_names(bare, NULL, addrs, n, &arena, haves));
	for (size_t i = 0; i < n; i++) {
		struct sym_names want = wants[i], have = haves[i];

		/* Relocations of the PLT are not looked for without section headers. */
		if (want.n && strstr(want.names[0].function, "@plt"))
			want.n = 0;
		assert_int_equal(have.n, want.n);
		for (uint32_t k = 0; k < want.n; k++)
			assert_string_equal(have.names[k].function, want.names[k].function);
		n_named += want.n;
	}
	base_arena_deinit(&arena);
	return n_named;
}

static void compare(const char *command)
{
	build(command);
	struct sym_binary *whole = open_here("stripped"), *bare = open_here("bare");
	struct sym_section text, code;

	assert_int_equal(sym_binary_status(bare), SYM_FOUND);
	assert_false(sym_binary_is_debug_only(bare));
	assert_true(pd_build_id_equal(sym_binary_build_id(bare), sym_binary_build_id(whole)));
	/* Only the header leads to .eh_frame. Crt files of ARM have an empty one. */
	if (sym_binary_section(whole, ".eh_frame_hdr", &text))
		compare_section(whole, bare, ".eh_frame");
	compare_section(whole, bare, ".eh_frame_hdr");
	compare_section(whole, bare, ".ARM.exidx");
	compare_section(whole, bare, ".dynamic");
	assert_true(sym_binary_text(whole, &text));
	assert_true(sym_binary_text(bare, &code));
	assert_true(text.vaddr >= code.vaddr && text.vaddr + text.size <= code.vaddr + code.size);
	assert_memory_equal(text.data, code.data + (text.vaddr - code.vaddr), text.size);
	assert_true(compare_names(whole, bare) > 3);
	sym_binary_destroy(whole);
	sym_binary_destroy(bare);
}

static void test_builds(void **state)
{
	(void)state;
	for (size_t i = 0; i < PD_ARRAY_LEN(BUILDS); i++) {
		if (!can_build(BUILDS[i]))
			continue;
		print_message("%s\n", BUILDS[i]);
		compare(BUILDS[i]);
	}
}

/* Go's table of functions is found in the data, also where the dynamic linker relocates it. */
static void test_go(void **state)
{
	static const char *const modes[] = { "exe", "pie" };

	(void)state;
	if (sh("go version"))
		skip();
	write_text("main.go",
		"package main\n\n//go:noinline\nfunc work(x int) int { return x * 3 }\n\n"
		"func main() { println(work(4)) }\n");
	for (size_t i = 0; i < PD_ARRAY_LEN(modes); i++) {
		assert_int_equal(
			sh("cache=$(getent passwd $(id -u) | cut -d: -f6)/.cache/go-build && "
			   "GOCACHE=${GOCACHE:-$cache} go build -buildmode=%s -o whole main.go && "
			   "llvm-objcopy --strip-all whole stripped && "
			   "llvm-objcopy --strip-sections whole bare",
				modes[i]),
			0);
		struct sym_binary *whole = open_here("stripped"), *bare = open_here("bare");
		const struct base_pclntab *want, *have;
		assert_null(sym_binary_go_functions(whole, &want));
		assert_null(sym_binary_go_functions(bare, &have));
		assert_non_null(want);
		assert_non_null(have);
		assert_int_equal(have->n_funcs, want->n_funcs);
		assert_int_equal(have->text, want->text);
		assert_true(compare_names(whole, bare) > 1000);
		sym_binary_destroy(whole);
		sym_binary_destroy(bare);
	}
}

/* The debug file is found by the build id in the program headers. */
static void test_debug_file(void **state)
{
	struct sym_search search = { 0 };
	char path[256], in[256];

	(void)state;
	build("gcc -g -rdynamic");
	assert_int_equal(sh("id=$(readelf -n whole | awk '/Build ID/ { print $3 }') && "
			    "d=in/.build-id/$(echo $id | cut -c1-2) && mkdir -p $d && "
			    "objcopy --only-keep-debug whole $d/$(echo $id | cut -c3-).debug"),
		0);
	snprintf(path, sizeof(path), "%s/bare", dir);
	snprintf(in, sizeof(in), "%s/in", dir);
	search.debug_dirs = in;
	struct sym_binary *bare = open_with(&search, path, NULL), *whole = open_here("whole");
	assert_non_null(strstr(sym_binary_debug_path(bare), ".debug"));
	assert_true(compare_names(whole, bare) > 3);
	sym_binary_destroy(bare);
	sym_binary_destroy(whole);
}

/* Any result is fine for damaged tables, except for a crash or a hang. */
static void test_damaged(void **state)
{
	size_t size;

	(void)state;
	build("gcc -rdynamic");
	_cleanup_free_ char *bytes = read_all("bare", &size);
	uint32_t random = 1;
	for (int round = 0; round < 300; round++) {
		_cleanup_free_ char *copy = malloc(size);
		struct base_arena arena = { 0 };
		struct sym_names names;
		uint64_t addr = 0x1140;

		assert_non_null(copy);
		memcpy(copy, bytes, size);
		for (int i = 0; i < 40; i++) {
			random = random * 1103515245 + 12345;
			/* Program headers, hash table and symbols in turn. */
			size_t range = i % 2 ? 0x2d8 : 0x400;
			copy[64 + (random >> 8) % range] = (char)(random >> 3);
		}
		write_file("damaged", copy, size);
		struct sym_binary *binary = open_here("damaged");
		assert_null(sym_binary_names(binary, NULL, &addr, 1, &arena, &names));
		base_arena_deinit(&arena);
		sym_binary_destroy(binary);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_builds),
		cmocka_unit_test(test_go),
		cmocka_unit_test(test_debug_file),
		cmocka_unit_test(test_damaged),
	};

	return cmocka_run_group_tests(tests, build_program, remove_dir);
}

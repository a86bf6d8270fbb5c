#include "tests/unit/symbolize/fixture.h"

#include <sys/stat.h>
#include <utime.h>

#include <xxhash.h>

#include "symbolize/cache.h"
#include "symbolize/binary_names.h"

static const char PROGRAM[] =
	"static inline int inner(int x)\n"
	"{\n"
	"	volatile int sum = 0;\n"
	"	for (int i = 0; i < 9; i++) sum += x;\n"
	"	return sum;\n"
	"}\n"
	"__attribute__((noinline)) int work(int x)\n"
	"{\n"
	"	return inner(x) + 1;\n"
	"}\n"
	"int main(int argc, char **argv) { (void)argv; return work(argc); }\n";

static const char KEPT[] = "cache/0123456789abcdef0123456789abcdef01234567.names";

static struct sym_search search;
static char cache_dir[256];

static int build_program(void **state)
{
	if (make_dir(state))
		return -1;
	write_text("program.c", PROGRAM);
	snprintf(cache_dir, sizeof(cache_dir), "%s/cache", dir);
	search.cache_dir = cache_dir;
	/* A copy with damaged debug information: names from it can only come from the cache. */
	return sh(
		"gcc -g -O2 -gz=none -Wl,--build-id=0x0123456789abcdef0123456789abcdef01234567 -o good "
		"program.c && cp good bad && objcopy -O binary --only-section=.debug_info --set-section-flags "
		".debug_info=alloc good info && head -c $(stat -c %%s info) /dev/zero >zeros && "
		"objcopy --update-section .debug_info=zeros good bad && "
		"[ $(stat -c %%s good) = $(stat -c %%s bad) ]");
}

/* "function file:line", inlined functions first, of each 4th address of work(). */
static char *names_of(const struct sym_search *how, const char *program)
{
	struct base_arena arena = { 0 };
	struct sym_names names[4096];
	uint64_t addrs[4096];
	char path[256], *text = NULL;
	size_t len;

	snprintf(path, sizeof(path), "%s/%s", dir, program);
	struct sym_binary *binary = open_with(how, path, NULL);
	for (size_t i = 0; i < 4096; i++)
		addrs[i] = 0x1000 + i;
	FILE *out = open_memstream(&text, &len);
	assert_non_null(out);
	assert_null(sym_binary_names(binary, NULL, addrs, 4096, &arena, names));
	for (size_t i = 0; i < 4096; i++) {
		for (uint32_t k = 0; k < names[i].n; k++)
			fprintf(out, "%s %s:%u\n", names[i].names[k].function,
				names[i].names[k].file ? names[i].names[k].file : "?",
				names[i].names[k].line);
	}
	fclose(out);
	base_arena_deinit(&arena);
	sym_binary_destroy(binary);
	return text;
}

static void expect(const char *program, const struct sym_search *how, const char *want)
{
	_cleanup_free_ char *have = names_of(how, program);

	assert_string_equal(have, want);
}

static bool is_kept(void)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/%s", dir, KEPT);
	return access(path, F_OK) == 0;
}

static void test_kept(void **state)
{
	_cleanup_free_ char *good = names_of(NULL, "good");
	_cleanup_free_ char *bad = names_of(NULL, "bad");

	(void)state;
	assert_non_null(strstr(good, "inner"));
	assert_string_not_equal(good, bad);
	assert_false(is_kept());
	expect("good", &search, good);
	assert_true(is_kept());
	/* Size and build id are the same, so the table is used for this file. */
	expect("bad", &search, good);
	expect("good", &search, good);
	assert_int_equal(sh("rm -r cache"), 0);
	expect("bad", &search, bad);
	expect("good", &search, bad);
	assert_int_equal(sh("rm -r cache"), 0);
}

/* A file with any byte changed, or of any length, is not used but replaced. */
static void test_damaged(void **state)
{
	_cleanup_free_ char *good = names_of(NULL, "good");
	_cleanup_free_ char *bad = names_of(NULL, "bad");
	size_t size;

	(void)state;
	expect("good", &search, good);
	_cleanup_free_ char *bytes = read_all(KEPT, &size);
	for (size_t i = 0; i < size; i += i < 256 ? 1 : 211) {
		bytes[i] ^= 0x10;
		write_file(KEPT, bytes, size);
		bytes[i] ^= 0x10;
		expect("bad", &search, bad);
		assert_true(is_kept());
	}
	for (size_t len = 0; len < size; len += 97) {
		write_file(KEPT, bytes, len);
		expect("bad", &search, bad);
	}
	write_file(KEPT, bytes, size);
	expect("bad", &search, good);
	/*
	 * Without the cache, because its path is a directory or not writable, names are the same.
	 */
	assert_int_equal(sh("rm %s && mkdir %s", KEPT, KEPT), 0);
	expect("good", &search, good);
	assert_int_equal(sh("rm -r cache && : >cache"), 0);
	expect("good", &search, good);
	assert_int_equal(sh("rm cache"), 0);
}

/* Make the file one that its writer would have written: with the checksum of its contents. */
static void write_sound(char *bytes, size_t size)
{
	enum { AT_CHECKSUM = 8, AT_CONTENTS = 16 };
	uint64_t checksum = XXH3_64bits(bytes + AT_CONTENTS, size - AT_CONTENTS);

	memcpy(bytes + AT_CHECKSUM, &checksum, sizeof(checksum));
	write_file(KEPT, bytes, size);
}

/* The file of another build of the same version is not used, even if it is sound. */
static void test_other_build(void **state)
{
	static const uint32_t element_bytes[] = {
#define BYTES(member) SYM_CACHE_ELEMENT_BYTES(member),
		SYM_CACHE_LISTS(BYTES)
#undef BYTES
	};
	_cleanup_free_ char *good = names_of(NULL, "good");
	_cleanup_free_ char *bad = names_of(NULL, "bad");
	size_t size;

	(void)state;
	assert_int_equal(strlen(sym_cache_code()), SYM_CACHE_CODE_LEN);
	expect("good", &search, good);
	_cleanup_free_ char *bytes = read_all(KEPT, &size);
	write_sound(bytes, size);
	expect("bad", &search, good);
	char *const places[] = {
		memmem(bytes, size, sym_cache_code(), SYM_CACHE_CODE_LEN),
		memmem(bytes, size, element_bytes, sizeof(element_bytes)),
	};
	for (size_t i = 0; i < 2; i++) {
		assert_non_null(places[i]);
		places[i][0] ^= 1;
		write_sound(bytes, size);
		places[i][0] ^= 1;
		expect("bad", &search, bad);
		assert_int_equal(sh("rm -r cache"), 0);
		expect("good", &search, good);
	}
	assert_int_equal(sh("rm -r cache"), 0);
}

/* The file of another program under this one's name is not used. */
static void test_foreign(void **state)
{
	_cleanup_free_ char *good = names_of(NULL, "good");
	_cleanup_free_ char *other = NULL;

	(void)state;
	assert_int_equal(sh("gcc -g -O2 -Wl,--build-id=0x99990000 -o other program.c"), 0);
	other = names_of(&search, "other");
	assert_int_equal(sh("mv cache/99990000.names %s", KEPT), 0);
	expect("good", &search, good);
	assert_int_equal(sh("rm -r cache"), 0);
}

/* A table is not used after a debug file appeared, changed or disappeared. */
static void test_debug_file(void **state)
{
	_cleanup_free_ char *good = names_of(NULL, "good");

	(void)state;
	assert_int_equal(
		sh("objcopy --only-keep-debug good kept.debug && strip -g good -o stripped && "
		   "objcopy --add-gnu-debuglink=kept.debug stripped && mv kept.debug away"),
		0);
	_cleanup_free_ char *without = names_of(NULL, "stripped");
	assert_string_not_equal(without, good);
	expect("stripped", &search, without);
	expect("stripped", &search, without);
	assert_int_equal(sh("mv away kept.debug"), 0);
	expect("stripped", &search, good);
	expect("stripped", &search, good);
	assert_int_equal(sh("mv kept.debug away"), 0);
	expect("stripped", &search, without);
	assert_int_equal(sh("rm -r cache"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kept),
		cmocka_unit_test(test_damaged),
		cmocka_unit_test(test_foreign),
		cmocka_unit_test(test_other_build),
		cmocka_unit_test(test_debug_file),
	};

	return cmocka_run_group_tests(tests, build_program, remove_dir);
}

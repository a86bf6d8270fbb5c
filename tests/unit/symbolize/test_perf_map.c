#include "tests/unit/symbolize/fixture.h"

#include "tests/unit/test.h"

#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "symbolize/kernel/kallsyms.h"
#include "symbolize/perf_map.h"

static const char *path_of(const char *name)
{
	static char path[256];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return path;
}

/* Read the file @p name of the directory of the test. */
static struct sym_perf_map *read_file(const char *name)
{
	struct sym_perf_map_file file = {
		.path = (char *)path_of(name),
		.fd = open(path_of(name), O_RDONLY | O_CLOEXEC | O_NONBLOCK),
	};
	struct sym_perf_map *map;

	assert_null(sym_perf_map_read(&file, (struct sym_access){ 0 }, &map));
	close(file.fd);
	return map;
}

static struct sym_perf_map *read_map(const char *text)
{
	write_text("map", text);
	return read_file("map");
}

static void assert_name(const struct sym_perf_map *map, uint64_t addr, const char *wanted)
{
	struct sym_perf_map_code code;
	const char *name = sym_perf_map_lookup(map, addr, &code) ? code.name : NULL;

	if (name)
		assert_true(code.start <= addr && addr - code.start < code.size);
	if (!wanted)
		assert_null(name);
	else if (!name || strcmp(name, wanted))
		fail_msg("%#llx is %s, not %s", (unsigned long long)addr, name, wanted);
}

static void test_lines(void **state)
{
	struct sym_perf_map *map = read_map("7f0000001000 20 plain\n"
					    "0x7f0000002000 0x10 with 0x and spaces\n"
					    "7F0000003000 A0 UPPER\r\n"
					    "\n"
					    "nonsense\n"
					    "7f0000004000\n"
					    "7f0000004000 10\n"
					    "7f0000004000 10 \n"
					    "7f0000005000 0 empty\n"
					    "ffffffffffffff00 200 beyond the end\n"
					    "7f0000006000 10 unfinished");

	(void)state;
	assert_name(map, 0x7f0000000fff, NULL);
	assert_name(map, 0x7f0000001000, "plain");
	assert_name(map, 0x7f000000101f, "plain");
	assert_name(map, 0x7f0000001020, NULL);
	assert_name(map, 0x7f000000200f, "with 0x and spaces");
	assert_name(map, 0x7f000000309f, "UPPER");
	assert_name(map, 0x7f0000004000, NULL);
	assert_name(map, 0x7f0000005000, NULL);
	assert_name(map, 0xffffffffffffff80, NULL);
	assert_name(map, 0x7f0000006001, "unfinished");
	sym_perf_map_destroy(map);
	map = read_map("");
	assert_name(map, 0, NULL);
	sym_perf_map_destroy(map);
	sym_perf_map_destroy(NULL);
}

/* The later of two lines that overlap is valid. */
static void test_overlaps(void **state)
{
	struct sym_perf_map *map = read_map("1000 100 first\n"
					    "1040 20 inside\n"
					    "2000 100 old\n"
					    "1f80 100 new\n"
					    "3000 10 small\n"
					    "2ff0 100 large\n"
					    "4000 10 once\n"
					    "4000 10 again\n");

	(void)state;
	assert_name(map, 0x1000, "first");
	assert_name(map, 0x103f, "first");
	assert_name(map, 0x1040, "inside");
	assert_name(map, 0x105f, "inside");
	assert_name(map, 0x1060, "first");
	assert_name(map, 0x10ff, "first");
	assert_name(map, 0x1f80, "new");
	assert_name(map, 0x207f, "new");
	assert_name(map, 0x2080, "old");
	assert_name(map, 0x20ff, "old");
	assert_name(map, 0x3008, "large");
	assert_name(map, 0x4008, "again");
	sym_perf_map_destroy(map);
}

static void assert_reused(const struct sym_perf_map *map, uint64_t addr, bool is_reused)
{
	struct sym_perf_map_code code;

	assert_true(sym_perf_map_lookup(map, addr, &code));
	assert_int_equal(code.is_reused, is_reused);
}

/* Where other code was before, the name of earlier samples is another one. */
static void test_reused_addresses(void **state)
{
	struct sym_perf_map *map = read_map("1000 100 old\n"
					    "1080 100 new\n"
					    "2000 100 same\n"
					    "3000 100 between\n"
					    "2000 100 same\n"
					    "4000 10 first\n"
					    "4010 10 second\n"
					    "5000 10 once\n"
					    "5000 10 again\n");

	(void)state;
	assert_reused(map, 0x107f, false);
	assert_reused(map, 0x1080, true);
	assert_reused(map, 0x10ff, true);
	assert_reused(map, 0x1100, false);
	/* A map that is written again has the same lines. */
	assert_reused(map, 0x2080, false);
	assert_reused(map, 0x400f, false);
	assert_reused(map, 0x4010, false);
	assert_reused(map, 0x5008, true);
	sym_perf_map_destroy(map);
}

enum { N_LINES = 2000, SPAN = 1 << 14 };

/* Compare random lines with a table into which they are written one after the other. */
static void test_against_table(void **state)
{
	static char text[64 * N_LINES];
	static int table[SPAN];
	uint64_t seed = 88172645463325252;
	size_t len = 0;

	(void)state;
	memset(table, -1, sizeof(table));
	for (int i = 0; i < N_LINES; i++) {
		seed ^= seed << 13;
		seed ^= seed >> 7;
		seed ^= seed << 17;
		unsigned start = seed % SPAN, size = 1 + (seed >> 20) % 300;

		len += (size_t)snprintf(
			text + len, sizeof(text) - len, "%x %x line %d\n", start, size, i);
		for (unsigned k = start; k < start + size && k < SPAN; k++)
			table[k] = i;
	}
	struct sym_perf_map *map = read_map(text);
	for (uint64_t addr = 0; addr < SPAN; addr++) {
		char name[32];

		snprintf(name, sizeof(name), "line %d", table[addr]);
		assert_name(map, addr, table[addr] < 0 ? NULL : name);
	}
	sym_perf_map_destroy(map);
}

/* Arbitrary bytes are read to their end. */
static void test_garbage(void **state)
{
	static const char alphabet[] = "0123456789abcdefx \t\n\r\0\xff[]TtX";
	static char text[1 << 16];
	uint64_t seed = 2463534242;

	(void)state;
	for (size_t i = 0; i < sizeof(text); i++) {
		seed ^= seed << 13;
		seed ^= seed >> 7;
		seed ^= seed << 17;
		text[i] = alphabet[seed % (sizeof(alphabet) - 1)];
	}
	for (size_t from = 0; from < sizeof(text); from += 997) {
		struct sym_kallsyms *kallsyms;
		struct sym_kernel_symbol symbol;

		write_file("garbage", text + from, sizeof(text) - from);
		struct sym_perf_map *map = read_file("garbage");
		sym_perf_map_lookup(map, seed, &(struct sym_perf_map_code){ 0 });
		sym_perf_map_destroy(map);
		char *copy = strndup(text + from, sizeof(text) - from);
		assert_non_null(copy);
		assert_null(sym_kallsyms_create(copy, "_text", &kallsyms));
		sym_kallsyms_find(kallsyms, seed, &symbol);
		sym_kallsyms_destroy(kallsyms);
	}
}

static void assert_found(const struct sym_search *search, uint32_t pid, const char *wanted)
{
	_cleanup_(sym_perf_map_file_deinit) struct sym_perf_map_file file = { .fd = -1 };

	assert_null(sym_perf_map_find(search, pid, &file));
	assert_int_equal(file.fd >= 0, wanted != NULL);
	if (!wanted)
		assert_null(file.path);
	else if (!file.path || !strstr(file.path, wanted))
		fail_msg("found %s, not %s", file.path, wanted);
}

static void test_directories(void **state)
{
	const struct sym_search given = { .perf_map_dir = dir }, symfs = { .symfs = dir },
				dirs = { .symfs = "/nonexistent", .debug_dirs = dir };

	(void)state;
	assert_int_equal(
		sh("mkdir -p tmp && touch perf-41.map tmp/perf-42.map && mkfifo perf-43.map"), 0);
	assert_found(&given, 41, "/perf-41.map");
	assert_found(&dirs, 41, "/perf-41.map");
	assert_found(&symfs, 41, NULL);
	assert_found(&symfs, 42, "/tmp/perf-42.map");
	assert_found(&given, 42, NULL);
	assert_found(&given, 43, NULL);
	/* A file that cannot be read names nothing. */
	assert_int_equal(sh("mkdir perf-44.map"), 0);
	struct sym_perf_map *map = read_file("perf-44.map");
	assert_name(map, 0, NULL);
	sym_perf_map_destroy(map);
}

/* The test itself is the recorded process. */
static void test_here(void **state)
{
	struct sym_search here = { .is_here = true, .ended_at = time(NULL) };
	const struct sym_search elsewhere = { .is_here = false };
	const struct sym_search said = { .is_here = true, .symfs = "/nonexistent" };
	uint32_t pid = (uint32_t)getpid();
	char name[64], through[96];

	(void)state;
	needs_linux();
	snprintf(name, sizeof(name), "/tmp/perf-%u.map", pid);
	snprintf(through, sizeof(through), "/proc/%u/root%s", pid, name);
	assert_found(&here, pid, NULL);
	assert_int_equal(sh("echo 1000 10 f >%s", name), 0);
	assert_found(&here, pid, through);
	assert_found(&elsewhere, pid, NULL);
	assert_found(&said, pid, NULL);
	/* The recording ended before this process began, so it is another one. */
	here.ended_at = 1;
	assert_found(&here, pid, name);
	/* A map of another user, or a link, is not used. */
	if (geteuid() == 0) {
		assert_int_equal(sh("chown 12345 %s", name), 0);
		assert_found(&here, pid, NULL);
	}
	assert_int_equal(
		sh("rm %s && echo 1000 10 f >target && ln -s %s/target %s", name, dir, name), 0);
	assert_found(&here, pid, NULL);
	assert_int_equal(sh("rm %s", name), 0);
}

static void test_names_of_memory(void **state)
{
	static const char *const memory[] = { "//anon", "", "[heap]", "[anon:v8]", "[stack:7]",
		"/memfd:doublemapper (deleted)", "/anon_hugepage", "/dev/zero" };
	static const char *const others[] = { "[vdso]", "[vvar]", "[vsyscall]", "[uprobes]",
		"/bin/true", "anon" };

	(void)state;
	for (size_t i = 0; i < PD_ARRAY_LEN(memory); i++)
		assert_true(sym_may_be_generated(memory[i]));
	for (size_t i = 0; i < PD_ARRAY_LEN(others); i++)
		assert_false(sym_may_be_generated(others[i]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_overlaps),
		cmocka_unit_test(test_reused_addresses),
		cmocka_unit_test(test_against_table),
		cmocka_unit_test(test_garbage),
		cmocka_unit_test(test_directories),
		cmocka_unit_test(test_here),
		cmocka_unit_test(test_names_of_memory),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}

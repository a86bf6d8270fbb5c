#include "tests/unit/symbolize/fixture.h"

#include <sys/stat.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/system/base_machine.h"
#include "symbolize/binary_names.h"

static const char PROGRAM[] =
	"int work(int x) { return x + 1; }\n"
	"int main(int argc, char **argv) { (void)argv; return work(argc); }\n";

static const struct pd_build_id ID = { 20,
	{ 0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef, 0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd,
		0xef, 0x01, 0x23, 0x45, 0x67 } };
static const struct pd_build_id OTHER_ID = { 20, "\x77" };

static int build_program(void **state)
{
	if (make_dir(state))
		return -1;
	write_text("program.c", PROGRAM);
	return sh("gcc -g -Wl,--build-id=0x0123456789abcdef0123456789abcdef01234567 -o program "
		  "program.c");
}

static struct sym_binary *open_id(const char *name, const struct pd_build_id *id)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return open_with(NULL, path, id);
}

static void expect(struct sym_binary *binary, enum sym_status status)
{
	assert_int_equal(sym_binary_status(binary), status);
	assert_int_equal(sym_binary_path(binary) != NULL, status == SYM_FOUND);
	if (status != SYM_FOUND) {
		assert_non_null(sym_binary_why(binary));
		assert_null(sym_binary_arch(binary));
	}
	sym_binary_destroy(binary);
}

static void test_found(void **state)
{
	struct sym_binary *binary = open_id("program", &ID);
	struct sym_section section;

	(void)state;
	assert_true(pd_build_id_equal(sym_binary_build_id(binary), &ID));
	assert_non_null(sym_binary_arch(binary));
	assert_string_equal(sym_binary_path(binary), sym_binary_debug_path(binary));
	assert_true(sym_binary_section(binary, ".eh_frame", &section));
	assert_int_not_equal(section.vaddr, 0);
	assert_false(sym_binary_section(binary, ".bss", &section));
	assert_false(sym_binary_section(binary, ".absent", &section));
	expect(binary, SYM_FOUND);
	expect(open_id("program", NULL), SYM_FOUND);
	expect(open_id("program (deleted)", &ID), SYM_FOUND);
}

static void test_wrong_build_id(void **state)
{
	struct sym_binary *binary = open_id("program", &OTHER_ID);

	(void)state;
	assert_non_null(strstr(sym_binary_why(binary), "0123456789abcdef01234567"));
	assert_non_null(strstr(sym_binary_why(binary), "7700000000000000"));
	expect(binary, SYM_WRONG_BUILD_ID);
	assert_int_equal(sh("gcc -Wl,--build-id=none -o noid program.c"), 0);
	expect(open_id("noid", &ID), SYM_WRONG_BUILD_ID);
	expect(open_id("noid", NULL), SYM_FOUND);
}

static void test_failures(void **state)
{
	(void)state;
	expect(open_id("absent", &ID), SYM_NO_FILE);
	expect(open_id("program.c", NULL), SYM_NOT_ELF);
	expect(open_id("program/under", NULL), SYM_NO_FILE);
	expect(open_id("", NULL), SYM_NOT_ELF);
	assert_int_equal(sh("mkfifo fifo"), 0);
	expect(open_id("fifo", NULL), SYM_NOT_ELF);
	expect(open_with(NULL, "/dev/null", NULL), SYM_NOT_ELF);
	expect(open_with(NULL, "/proc/self/exe", NULL), SYM_NO_FILE);
	if (geteuid() != 0) {
		assert_int_equal(sh("cp program secret && chmod 0 secret"), 0);
		expect(open_id("secret", NULL), SYM_UNREADABLE);
	}
	sym_binary_destroy(NULL);
}

static void test_no_image(void **state)
{
	static const char *const names[] = { "//anon", "[heap]", "[stack]", "[stack:12]",
		"/dev/zero (deleted)", "/SYSV00000000 (deleted)", "anon_inode:[perf_event]",
		"[anon:libc_malloc]", "/memfd:jit (deleted)", "[vsyscall]", "/anon_hugepage", "" };

	size_t size;

	(void)state;
	for (size_t i = 0; i < PD_ARRAY_LEN(names); i++)
		expect(open_with(NULL, names[i], NULL), SYM_NO_IMAGE);
	expect(open_with(NULL, "[vdso]", NULL), SYM_NO_FILE);
	expect(open_with(NULL, "[vdso]", &ID),
		base_machine_vdso(&size) ? SYM_WRONG_BUILD_ID : SYM_NO_FILE);
}

/*
 * A program that ran from memory is found by the name that it had there, without its prefix, in a
 * directory that the user gave, or by a path map.
 */
static void test_memfd(void **state)
{
	static const char *const names[] = { "/memfd:tool (deleted)",
		"/memfd:a:/proc/self/tool (deleted)" };
	char path[256], file[256];
	struct pd_path_map map = { .from = "/memfd:tool", .to = file };
	struct sym_search search = { .debug_dirs = path };

	(void)state;
	snprintf(path, sizeof(path), "%s/copies", dir);
	snprintf(file, sizeof(file), "%s/program", dir);
	for (size_t i = 0; i < PD_ARRAY_LEN(names); i++) {
		expect(open_with(&search, names[i], NULL), SYM_NO_IMAGE);
		assert_int_equal(sh("mkdir -p copies && cp program copies/tool"), 0);
		expect(open_with(&search, names[i], NULL), SYM_FOUND);
		assert_int_equal(sh("mkdir -p copies && cp program.c copies/tool"), 0);
		expect(open_with(&search, names[i], NULL), SYM_NO_IMAGE);
		assert_int_equal(sh("rm -r copies"), 0);
	}
	search = (struct sym_search){ .path_maps = &map, .n_path_maps = 1 };
	expect(open_with(&search, "/memfd:tool (deleted)", NULL), SYM_FOUND);
	expect(open_with(&search, "/memfd:tools (deleted)", NULL), SYM_NO_IMAGE);
	expect(open_with(&search, "/memfd:jit (deleted)", NULL), SYM_NO_IMAGE);
}

static void test_build_id_cache(void **state)
{
	struct sym_search search = { 0 };
	char path[256];

	(void)state;
	assert_int_equal(sh("d=.debug/.build-id/01/23456789abcdef0123456789abcdef01234567; mkdir "
			    "-p $d && cp program $d/elf"),
		0);
	struct sym_binary *binary = open_with(NULL, "/usr/bin/gone", &ID);
	assert_non_null(strstr(sym_binary_path(binary), "/.debug/.build-id/01/"));
	expect(binary, SYM_FOUND);
	/* In old versions of perf the link led to the file itself. */
	assert_int_equal(sh("mkdir -p old/.build-id/01 && ln -s ../../../program "
			    "old/.build-id/01/23456789abcdef0123456789abcdef01234567"),
		0);
	snprintf(path, sizeof(path), "%s/old", dir);
	search.buildid_dir = path;
	expect(open_with(&search, "/usr/bin/gone", &ID), SYM_FOUND);
	expect(open_with(&search, "/usr/bin/gone", &OTHER_ID), SYM_NO_FILE);
	assert_int_equal(sh("rm -r .debug"), 0);
}

static void test_directories(void **state)
{
	struct sym_search search = { 0 };
	char path[256], list[600];

	(void)state;
	assert_int_equal(sh("mkdir -p root/usr/bin more && cp program root/usr/bin/tool && cp "
			    "program more/other"),
		0);
	snprintf(path, sizeof(path), "%s/root", dir);
	search.symfs = path;
	expect(open_with(&search, "/usr/bin/tool", &ID), SYM_FOUND);
	/* Files of this machine are not used instead of those of the recording machine. */
	expect(open_with(&search, "/bin/sh", NULL), SYM_NO_FILE);
	snprintf(list, sizeof(list), "%s/nowhere::%s/more", dir, dir);
	search.symfs = NULL;
	search.debug_dirs = list;
	expect(open_with(&search, "/opt/lib/other", &ID), SYM_FOUND);
	expect(open_with(&search, "/opt/lib/other", &OTHER_ID), SYM_WRONG_BUILD_ID);
}

/* Whether one of the dependencies has @p text in its path. */
static bool depends_on(struct sym_deps *deps, const char *text)
{
	uint8_t *bytes;
	size_t size;

	assert_null(sym_deps_encode(deps, &bytes, &size));
	assert_non_null(bytes);
	bool result = memmem(bytes, size, text, strlen(text));
	free(bytes);
	return result;
}

/* Open the recorded path @p path, and name its code, which searches for all of its files. */
static enum sym_status open_and_name(const struct sym_search *search, const char *path)
{
	struct sym_binary *binary = open_with(search, path, &ID);
	const struct pd_name_opts opts = { 0 };
	struct base_arena arena = { 0 };
	struct sym_section text;
	struct sym_names names[8];
	uint64_t addrs[8];
	enum sym_status status = sym_binary_status(binary);

	if (sym_binary_section(binary, ".text", &text)) {
		for (size_t i = 0; i < PD_ARRAY_LEN(addrs); i++)
			addrs[i] = text.vaddr + i * text.size / PD_ARRAY_LEN(addrs);
		assert_null(
			sym_binary_names(binary, &opts, addrs, PD_ARRAY_LEN(addrs), &arena, names));
	}
	base_arena_deinit(&arena);
	sym_binary_destroy(binary);
	return status;
}

/* Without own paths, no file is looked for where a recording or a binary says that it is. */
static void test_no_own_paths(void **state)
{
	struct sym_search search = { .is_here = true };
	char tool[256], told[256], given[256];

	(void)state;
	assert_int_equal(
		sh("mkdir -p told given && cd told && cp ../program.c . &&"
		   "gcc -g -gsplit-dwarf -Wl,--build-id=0x%s program.c -o tool && ls *.dwo &&"
		   "cp tool ../given",
			"0123456789abcdef0123456789abcdef01234567"),
		0);
	/* In a list of dependencies, these digits precede a path that is not below a root. */
	snprintf(told, sizeof(told), "0000%s/told", dir);
	snprintf(tool, sizeof(tool), "%s/told/tool", dir);
	snprintf(given, sizeof(given), "%s/given", dir);
	usleep(80000);
	/* Without options; without own paths; with a directory that has the binary, but no .dwo. */
	for (int i = 0; i < 3; i++) {
		search.no_own_paths = i > 0;
		search.debug_dirs = i == 2 ? given : NULL;
		assert_null(sym_deps_create(&search.deps));
		assert_int_equal(open_and_name(&search, tool), i == 1 ? SYM_NO_FILE : SYM_FOUND);
		assert_int_equal(depends_on(search.deps, told), i == 0);
		sym_deps_destroy(search.deps);
	}
}

/* Neither a recorded path nor a link in the root leads out of it. */
static void test_contained(void **state)
{
	struct sym_search search = { 0 };
	char path[256], climbing[512];

	(void)state;
	assert_int_equal(sh("mkdir -p jail/opt jail/real/bin && cp program jail/real/bin/inside &&"
			    "ln -s %s/program jail/opt/outside && ln -s /real/bin jail/opt/bin &&"
			    "ln -s ../../program jail/opt/climbing",
				 dir),
		0);
	snprintf(path, sizeof(path), "%s/jail", dir);
	search.symfs = path;
	expect(open_with(&search, "/opt/outside", &ID), SYM_NO_FILE);
	expect(open_with(&search, "/opt/climbing", &ID), SYM_NO_FILE);
	expect(open_with(&search, "/opt/bin/inside", &ID), SYM_FOUND);
	expect(open_with(&search, "/../../opt/bin/inside", &ID), SYM_FOUND);
	snprintf(climbing, sizeof(climbing), "/../../../../../../..%s/program", dir);
	expect(open_with(&search, climbing, &ID), SYM_NO_FILE);
	/* Links in directories of the user lead where the user wants, but names stay below them. */
	search.symfs = "/nonexistent";
	search.debug_dirs = path;
	expect(open_with(&search, "/opt/outside", &ID), SYM_FOUND);
	expect(open_with(&search, "/opt/../../program", &ID), SYM_NO_FILE);
	expect(open_with(&search, "/opt/../real/./bin/inside", &ID), SYM_FOUND);
}

/* The name of the debug file in a binary of another machine does not lead out of its root. */
static void test_contained_debug(void **state)
{
	/* These names have the length of the one that is replaced. */
	static const char written[] = "name-of-the-debug-file";
	static const char *const names[] = { "../../debug-file.debug", "linked-to-a-file.debug",
		"debug-in-the-root.file" };
	struct sym_search search = { 0 };
	char path[256];
	size_t size;

	(void)state;
	assert_int_equal(sh("gcc -g -Wl,--build-id=none -o split program.c && mkdir -p cell/bin &&"
			    "objcopy --only-keep-debug split debug-file.debug &&"
			    "cp debug-file.debug %s && cp debug-file.debug cell/bin/%s &&"
			    "ln -s %s/debug-file.debug cell/bin/%s &&"
			    "objcopy --strip-all --add-gnu-debuglink=%s split cell/bin/split",
				 written, names[2], dir, names[1], written),
		0);
	snprintf(path, sizeof(path), "%s/cell", dir);
	search.symfs = path;
	_cleanup_free_ char *bytes = read_all("cell/bin/split", &size);
	char *name = memmem(bytes, size, written, sizeof(written));
	assert_non_null(name);
	for (size_t i = 0; i < PD_ARRAY_LEN(names); i++) {
		memcpy(name, names[i], sizeof(written));
		write_file("cell/bin/split", bytes, size);
		struct sym_binary *binary = open_with(&search, "/bin/split", NULL);
		assert_int_equal(sym_binary_debug_path(binary) != NULL, i == 2);
		expect(binary, SYM_FOUND);
	}
}

static struct sym_binary *open_recorded(
	const struct sym_search *search, const struct sym_recorded *recorded)
{
	struct sym_binary *binary = NULL;

	assert_null(sym_binary_open(search, recorded, &binary));
	return binary;
}

/* Without a build id, size, inode and time exclude files that are not the recorded one. */
static void test_without_build_id(void **state)
{
	struct sym_search search = { 0 };
	struct sym_recorded recorded = { 0 };
	struct stat st;
	char path[256];

	(void)state;
	snprintf(path, sizeof(path), "%s/program", dir);
	assert_int_equal(stat(path, &st), 0);
	recorded.name = path;
	recorded.offset = (uint64_t)st.st_size - 1;
	expect(open_recorded(&search, &recorded), SYM_FOUND);
	recorded.offset++;
	expect(open_recorded(&search, &recorded), SYM_WRONG_BUILD_ID);
	recorded.offset = 0;
	recorded.ino = st.st_ino + 1;
	/* On another machine the inode may differ. */
	expect(open_recorded(&search, &recorded), SYM_FOUND);
	search.is_here = true;
	expect(open_recorded(&search, &recorded), SYM_WRONG_BUILD_ID);
	recorded.ino = st.st_ino;
	expect(open_recorded(&search, &recorded), SYM_FOUND);
	search.ended_at = st.st_mtime;
	expect(open_recorded(&search, &recorded), SYM_FOUND);
	search.ended_at--;
	expect(open_recorded(&search, &recorded), SYM_WRONG_BUILD_ID);
	recorded.id = ID;
	expect(open_recorded(&search, &recorded), SYM_FOUND);
}

/* A build id that was recorded with the path is of the file that was there at the end. */
static void test_build_id_of_path(void **state)
{
	struct sym_search search = { .is_here = true };
	struct sym_recorded recorded = { .id = ID, .id_origin = PD_ID_OF_PATH };
	struct sym_binary *binary;
	struct stat st;
	char path[256];

	(void)state;
	snprintf(path, sizeof(path), "%s/program", dir);
	assert_int_equal(stat(path, &st), 0);
	recorded.name = path;
	recorded.ino = st.st_ino + 1;
	search.ended_at = st.st_ctime;
	binary = open_recorded(&search, &recorded);
	assert_true(sym_binary_is_id_refuted(binary));
	expect(binary, SYM_WRONG_BUILD_ID);
	/* The file that the user gives may be a copy of what ran, of the same build or another. */
	search.debug_dirs = dir;
	binary = open_recorded(&search, &recorded);
	assert_true(sym_binary_is_id_refuted(binary));
	expect(binary, SYM_FOUND);
	search.debug_dirs = NULL;
	/* A file that came after the recording says nothing about the one that was there before. */
	search.ended_at = st.st_ctime - 1;
	binary = open_recorded(&search, &recorded);
	assert_false(sym_binary_is_id_refuted(binary));
	expect(binary, SYM_FOUND);
	search.ended_at = st.st_ctime;
	recorded.ino = st.st_ino;
	expect(open_recorded(&search, &recorded), SYM_FOUND);
	/* Then the file is certain, even if others of that path were mapped in the same way. */
	recorded.id_origin = PD_ID_OF_TWIN;
	expect(open_recorded(&search, &recorded), SYM_FOUND);
	search.is_here = false;
	expect(open_recorded(&search, &recorded), SYM_WRONG_BUILD_ID);
	recorded.id_origin = PD_ID_OF_MAPPING;
	expect(open_recorded(&search, &recorded), SYM_FOUND);
}

static struct sym_segment code_of(const char *path)
{
	const struct sym_search search = { 0 };
	struct sym_binary *binary = open_with(&search, path, NULL);
	struct sym_segment segment;

	assert_true(sym_binary_segment(binary, 0, UINT64_MAX, &segment));
	assert_true(segment.is_executable);
	sym_binary_destroy(binary);
	return segment;
}

/* Files without code where code was mapped are refused. */
static void test_mapped_code(void **state)
{
	const uint64_t page = 4096;
	const struct sym_search search = { 0 };
	struct sym_recorded recorded = {
		.id = ID, .id_origin = PD_ID_OF_PATH, .is_code = true, .ino = 1
	};
	char path[256];

	(void)state;
	snprintf(path, sizeof(path), "%s/program", dir);
	struct sym_segment code = code_of(path);
	uint64_t end = (code.offset + code.file_size + page - 1) & ~(page - 1);
	recorded.name = path;
	recorded.offset = code.offset & ~(page - 1);
	recorded.size = end - recorded.offset;
	expect(open_recorded(&search, &recorded), SYM_FOUND);
	recorded.id_origin = PD_ID_OF_NAMESAKE;
	expect(open_recorded(&search, &recorded), SYM_FOUND);
	/* Programs change the protection of a part of their code. */
	recorded.offset += page;
	recorded.size = page;
	expect(open_recorded(&search, &recorded), SYM_WRONG_BUILD_ID);
	recorded.id_origin = PD_ID_OF_PATH;
	expect(open_recorded(&search, &recorded), SYM_FOUND);
	recorded.size = 1 << 20;
	expect(open_recorded(&search, &recorded), SYM_WRONG_BUILD_ID);
	recorded.id.len = 0;
	expect(open_recorded(&search, &recorded), SYM_WRONG_BUILD_ID);
	recorded.is_code = false;
	expect(open_recorded(&search, &recorded), SYM_FOUND);
}

static void test_forced(void **state)
{
	struct sym_search search = { .force_mismatch = true };
	struct sym_binary *binary;
	char path[256];
	size_t n;

	(void)state;
	snprintf(path, sizeof(path), "%s/program", dir);
	binary = open_with(&search, path, &OTHER_ID);
	assert_true(sym_binary_is_mismatched(binary));
	assert_non_null(sym_binary_attempts(binary, &n));
	assert_true(n > 1);
	expect(binary, SYM_FOUND);
	binary = open_with(&search, path, &ID);
	assert_false(sym_binary_is_mismatched(binary));
	expect(binary, SYM_FOUND);
	/* A file that is not a binary is not used even with force_mismatch. */
	snprintf(path, sizeof(path), "%s/program.c", dir);
	expect(open_with(&search, path, &OTHER_ID), SYM_NOT_ELF);
}

/* The paths of a process in a container lead to other files than on this machine. */
static void test_process_root(void **state)
{
	struct sym_search search = { .is_here = true };
	struct sym_recorded recorded = { .name = "/inner/tool", .id = ID };
	const struct sym_attempt *attempts;
	size_t n;
	int pid;

	(void)state;
	if (geteuid() != 0)
		skip();
	assert_int_equal(
		sh("mkdir -p cage/inner && cp program cage/inner/tool && cp $(command -v "
		   "sleep) cage/ && ldd cage/sleep | grep -o '/[^ ]*' | xargs -I{} cp --parents {} cage && "
		   "{ chroot cage /sleep 60 & echo $! >pid; }"),
		0);
	_cleanup_free_ char *text = read_all("pid", &n);
	assert_int_equal(sscanf(text, "%d", &pid), 1);
	recorded.pid = (uint32_t)pid;
	struct sym_binary *binary = NULL;
	/* Wait until the process has changed its root. */
	for (int tries = 0; tries < 100; tries++) {
		sym_binary_destroy(binary);
		binary = open_recorded(&search, &recorded);
		if (sym_binary_status(binary) == SYM_FOUND)
			break;
		usleep(20000);
	}
	attempts = sym_binary_attempts(binary, &n);
	assert_int_equal(attempts[n - 1].search_path, SYM_SEARCH_PROC_ROOT);
	expect(binary, SYM_FOUND);
	search.is_here = false;
	expect(open_recorded(&search, &recorded), SYM_NO_FILE);
	search.is_here = true;
	recorded.id = (struct pd_build_id){ 0 };
	expect(open_recorded(&search, &recorded), SYM_WRONG_BUILD_ID);
	assert_int_equal(sh("kill %d", pid), 0);
}

static void test_segments(void **state)
{
	struct sym_binary *binary = open_id("program", &ID);
	struct sym_section text;
	struct sym_segment segment;
	bool found = false;

	(void)state;
	assert_true(sym_binary_section(binary, ".text", &text));
	for (uint64_t offset = 0; offset < 0x4000 && !found; offset += 0x1000) {
		if (!sym_binary_segment(binary, offset, 0x1000, &segment))
			continue;
		found = text.vaddr >= segment.vaddr &&
			text.vaddr < segment.vaddr + segment.mem_size;
	}
	assert_true(found);
	assert_false(sym_binary_segment(binary, UINT64_MAX, 0x1000, &segment));
	sym_binary_destroy(binary);
}

/* The linker puts .fast and .fini after .text, and PLTs before it. */
static void test_code(void **state)
{
	struct sym_section code, text, fast, fini, plt;

	(void)state;
	assert_int_equal(sh("echo 'int twice(int n) { return 2 * n; }'"
			    "'__attribute__((section(\".fast\"))) int fast(void) { return 1; }'"
			    "'int main(void) { return fast() - twice(0); }' | "
			    "cc -x c -o sections - && objcopy -R .text sections no-text"),
		0);
	struct sym_binary *binary = open_id("sections", NULL);
	assert_true(sym_binary_section(binary, ".text", &text));
	assert_true(sym_binary_section(binary, ".fast", &fast));
	assert_true(sym_binary_section(binary, ".fini", &fini));
	assert_true(sym_binary_section(binary, ".plt", &plt));
	assert_true(sym_binary_text(binary, &code));
	assert_true(code.vaddr <= text.vaddr && plt.vaddr + plt.size <= code.vaddr);
	assert_int_equal(code.vaddr + code.size, fini.vaddr + fini.size);
	assert_memory_equal(code.data + (text.vaddr - code.vaddr), text.data, text.size);
	assert_memory_equal(code.data + (fini.vaddr - code.vaddr), fini.data, fini.size);
	assert_memory_equal(code.data + (fast.vaddr - code.vaddr), fast.data, fast.size);
	sym_binary_destroy(binary);
	binary = open_id("no-text", NULL);
	assert_false(sym_binary_text(binary, &code));
	assert_null(code.data);
	sym_binary_destroy(binary);
}

static void test_own_vdso(void **state)
{
	struct pd_build_id id = { 0 };
	struct sym_section section;
	size_t size;
	const char *vdso = base_machine_vdso(&size);

	(void)state;
	if (!vdso)
		skip();
	/* The build id note is near the start of the file. */
	for (size_t i = 0; i < size - 32 && !id.len; i++) {
		if (memcmp(vdso + i, "\x14\0\0\0\x03\0\0\0GNU", 12) == 0) {
			id.len = 20;
			memcpy(id.bytes, vdso + i + 12, 20);
		}
	}
	if (!id.len)
		skip();
	struct sym_binary *binary = open_with(NULL, "[vdso]", &id);
	assert_string_equal(sym_binary_path(binary), "[vdso]");
	assert_true(sym_binary_section(binary, ".eh_frame", &section));
	expect(binary, SYM_FOUND);
	/*
	 * Without a build id it is that of this host, if the recording is of its kernel, and most
	 * programs have this one.
	 */
	const struct sym_search here = { .is_here = true };
	const struct sym_search other = { .is_here = true, .symfs = dir };
	expect(open_with(&here, "[vdso]", NULL), sizeof(void *) == 8 ? SYM_FOUND : SYM_NO_FILE);
	expect(open_with(&here, "[vdso32]", NULL), SYM_NO_FILE);
	expect(open_with(&here, "[vdso]", &OTHER_ID), SYM_WRONG_BUILD_ID);
	expect(open_with(&other, "[vdso]", NULL), SYM_NO_FILE);
	expect(open_with(NULL, "[vdso]", NULL), SYM_NO_FILE);
}

/* Truncate the file at many lengths: any result is fine except for a crash. */
static void test_truncated(void **state)
{
	struct pd_name_opts opts = { 0 };
	struct sym_section section;
	size_t size;

	(void)state;
	_cleanup_free_ char *bytes = read_all("program", &size);
	for (size_t len = 0; len < size; len += len < 1024 ? 13 : 509) {
		struct base_arena arena = { 0 };
		uint64_t addrs[64];
		struct sym_names names[64];

		write_file("cut", bytes, len);
		struct sym_binary *binary = open_id("cut", NULL);
		for (size_t i = 0; i < 64; i++)
			addrs[i] = 0x1000 + 16 * i;
		assert_null(sym_binary_names(binary, &opts, addrs, 64, &arena, names));
		sym_binary_section(binary, ".eh_frame", &section);
		assert_int_equal(sym_binary_status(binary), SYM_NOT_ELF);
		base_arena_deinit(&arena);
		sym_binary_destroy(binary);
	}
}

/* Number of functions with the name that is looked for, and the last of them. */
struct visited {
	const char *name;
	int n;
	uint64_t start;
	uint64_t end;
};

static void visit(void *ctx, const char *name, uint64_t start, uint64_t end)
{
	struct visited *visited = ctx;

	if (strcmp(name, visited->name) != 0)
		return;
	visited->n++;
	visited->start = start;
	visited->end = end;
}

static struct visited visit_functions(const char *file, const char *name)
{
	struct visited ret = { .name = name };
	struct sym_binary *binary = open_id(file, NULL);

	sym_binary_visit_functions(binary, visit, &ret);
	sym_binary_destroy(binary);
	return ret;
}

static void test_functions(void **state)
{
	(void)state;
	struct visited work = visit_functions("program", "work");
	assert_int_equal(work.n, 1);
	assert_true(work.start && work.end > work.start && work.end - work.start < 100);
	/* Neither objects nor functions of other binaries are visited. */
	assert_int_equal(visit_functions("program", "__dso_handle").n, 0);
	assert_int_equal(visit_functions("program", "__libc_start_main").n, 0);
	assert_int_equal(sh("objcopy --only-keep-debug program stripped.debug && "
			    "objcopy --strip-all --add-gnu-debuglink=stripped.debug program "
			    "stripped && strip -o bare program"),
		0);
	assert_int_equal(visit_functions("stripped", "work").start, work.start);
	assert_int_equal(visit_functions("bare", "work").n, 0);
	assert_int_equal(visit_functions("absent", "work").n, 0);
}

/* Overwrite bytes of the headers, so that section and segment tables are wrong. */
static void test_damaged_headers(void **state)
{
	struct pd_name_opts opts = { 0 };
	struct sym_section section;
	size_t size;
	uint32_t random = 7;

	(void)state;
	_cleanup_free_ char *bytes = read_all("program", &size);
	for (int round = 0; round < 150; round++) {
		_cleanup_free_ char *copy = malloc(size);
		struct base_arena arena = { 0 };
		struct sym_names names[64];
		uint64_t addrs[64];

		assert_non_null(copy);
		memcpy(copy, bytes, size);
		for (int i = 0; i < 20; i++) {
			random = random * 1103515245 + 12345;
			/*
			 * Choose ELF and program headers, or section headers at the end of the
			 * file.
			 */
			size_t pos = i % 2 ? (random >> 8) % 800 : size - 1 - (random >> 8) % 2200;
			copy[pos < 20 ? pos + 20 : pos] = (char)(random >> 3);
		}
		write_file("damaged", copy, size);
		struct sym_binary *binary = open_id("damaged", NULL);
		for (size_t i = 0; i < 64; i++)
			addrs[i] = 0x1000 + 16 * i;
		assert_null(sym_binary_names(binary, &opts, addrs, 64, &arena, names));
		sym_binary_section(binary, ".eh_frame", &section);
		sym_binary_section(binary, ".debug_frame", &section);
		struct visited visited = { .name = "work" };
		sym_binary_visit_functions(binary, visit, &visited);
		base_arena_deinit(&arena);
		sym_binary_destroy(binary);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_found),
		cmocka_unit_test(test_wrong_build_id),
		cmocka_unit_test(test_failures),
		cmocka_unit_test(test_no_image),
		cmocka_unit_test(test_memfd),
		cmocka_unit_test(test_build_id_cache),
		cmocka_unit_test(test_directories),
		cmocka_unit_test(test_no_own_paths),
		cmocka_unit_test(test_contained),
		cmocka_unit_test(test_contained_debug),
		cmocka_unit_test(test_without_build_id),
		cmocka_unit_test(test_build_id_of_path),
		cmocka_unit_test(test_mapped_code),
		cmocka_unit_test(test_forced),
		cmocka_unit_test(test_process_root),
		cmocka_unit_test(test_code),
		cmocka_unit_test(test_segments),
		cmocka_unit_test(test_own_vdso),
		cmocka_unit_test(test_functions),
		cmocka_unit_test(test_truncated),
		cmocka_unit_test(test_damaged_headers),
	};

	return cmocka_run_group_tests(tests, build_program, remove_dir);
}

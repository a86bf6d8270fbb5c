#include "tests/unit/symbolize/fixture.h"

#include "base/arena.h"
#include "base/array.h"
#include "symbolize/find/binary_archive.h"
#include "symbolize/kernel/module.h"

#define RELEASE "6.6.6-made"

static const char SOURCE[] =
	"volatile int sink;\n"
	"static inline __attribute__((always_inline)) void inner(int x)\n"
	"{\n"
	"	sink = x;\n"
	"}\n"
	"void first(void)\n"
	"{\n"
	"	sink++;\n"
	"}\n"
	"void work(int x)\n"
	"{\n"
	"	inner(x);\n"
	"}\n"
	"void __attribute__((section(\".init.text\"))) once(void)\n"
	"{\n"
	"	sink--;\n"
	"}\n"
	"void __attribute__((section(\".text.unlikely\"), aligned(64))) rare(void)\n"
	"{\n"
	"	sink = 3;\n"
	"}\n"
	"const char info[] __attribute__((section(\".modinfo\"), used)) = \"vermagic=" RELEASE
	" SMP\";\n";

static struct pd_build_id build_id;

/* Build a module with the compiler and linker that have the prefix @p prefix. */
static int compile(const char *prefix, const char *flags, const char *ko)
{
	return sh("%sgcc -g -O2 -fno-pic %s -c -o %s.o made.c && "
		  "%sld -r --build-id=sha1 -o %s %s.o",
		prefix, flags, ko, prefix, ko, ko);
}

static int build(void **state)
{
	if (make_dir(state))
		return -1;
	write_text("made.c", SOURCE);
	if (compile("", "", "made.ko") ||
		sh("objcopy --only-keep-debug made.ko made.ko.debug && "
		   "objcopy --strip-debug made.ko bare.ko && "
		   "objcopy --compress-debug-sections=zlib made.ko packed.ko && "
		   "gzip -k made.ko && xz -k made.ko"))
		return -1;
	struct sym_binary *binary = open_here("made.ko");
	build_id = *sym_binary_build_id(binary);
	sym_binary_destroy(binary);
	return build_id.len ? 0 : -1;
}

static const char *path_of(const char *name)
{
	static char path[256];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return path;
}

static struct sym_module *open_module(
	const char *name, const struct pd_build_id *id, const char *release)
{
	static const struct sym_search search = { .symfs = "/nonexistent", .debug_dirs = dir };
	struct sym_module_identity identity = { .name = name, .release = release };
	struct sym_module *module;

	if (id)
		identity.build_id = *id;
	assert_null(sym_module_open(&search, &identity, &module));
	return module;
}

enum { SPAN = 4096 };

/* Offset of the first byte whose innermost function is @p name; SPAN if there is none. */
static uint64_t find(struct sym_module *module, const char *wanted)
{
	struct base_arena arena = { 0 };
	static struct sym_names names[SPAN];
	static uint64_t offsets[SPAN];
	uint64_t found = SPAN;

	for (uint64_t i = 0; i < SPAN; i++)
		offsets[i] = i;
	assert_null(sym_module_names(module, NULL, offsets, SPAN, &arena, names));
	for (uint64_t i = 0; i < SPAN && found == SPAN; i++) {
		char text[256] = "";

		for (uint32_t k = 0; k < names[i].n; k++) {
			const struct sym_name *name = &names[i].names[k];

			snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s:%u",
				k ? " < " : "", name->function, name->line);
		}
		if (strcmp(text, wanted) == 0)
			found = i;
	}
	base_arena_deinit(&arena);
	return found;
}

static void assert_named(struct sym_module *module)
{
	if (!sym_module_path(module))
		fail_msg("%s", sym_module_why(module));
	assert_int_not_equal(find(module, "inner:4 < work:12"), SPAN);
	assert_true(find(module, "first:8") < find(module, "inner:4 < work:12"));
	/*
	 * Sections follow each other, except for those loaded elsewhere. The function is aligned to
	 * 64 bytes.
	 */
	uint64_t rare = find(module, "rare:20");
	assert_int_not_equal(rare, SPAN);
	if ((rare + 1) % 64 > 16)
		fail_msg("rare begins at %#lx of %s", rare + 1, sym_module_path(module));
	assert_true(rare > find(module, "inner:4 < work:12"));
	assert_int_equal(find(module, "once:16"), SPAN);
	sym_module_destroy(module);
}

static void test_files(void **state)
{
	static const char *const files[] = { "made.ko", "made.ko.gz", "made.ko.xz", "made.ko.debug",
		"packed.ko" };

	(void)state;
	for (size_t i = 0; i < PD_ARRAY_LEN(files); i++) {
		char at[256];

		snprintf(at, sizeof(at), "lib/modules/" RELEASE "/kernel/%s", files[i]);
		assert_int_equal(
			sh("mkdir -p root/$(dirname %s) && cp %s root/%s", at, files[i], at), 0);
		const struct sym_search search = { .symfs = path_of("root") };
		char name[300];
		snprintf(name, sizeof(name), "/%s", at);
		struct sym_module_identity identity = { .name = name, .build_id = build_id };
		struct sym_module *module;
		assert_null(sym_module_open(&search, &identity, &module));
		assert_named(module);
		assert_int_equal(sh("rm -r root"), 0);
	}
}

/* Without debug information there are still functions. */
static void test_bare(void **state)
{
	struct sym_module *module = open_module("/lib/modules/x/bare.ko.zst", &build_id, NULL);

	(void)state;
	assert_non_null(sym_module_path(module));
	assert_int_not_equal(find(module, "work:0"), SPAN);
	assert_int_not_equal(find(module, "rare:0"), SPAN);
	sym_module_destroy(module);
}

static void assert_refused(struct sym_module *module, const char *why)
{
	assert_null(sym_module_path(module));
	if (!strstr(sym_module_why(module), why))
		fail_msg("\"%s\" does not say \"%s\"", sym_module_why(module), why);
	sym_module_destroy(module);
}

static void test_other(void **state)
{
	struct pd_build_id other = build_id;
	char hex[PD_BUILD_ID_HEX_MAX];

	(void)state;
	other.bytes[0] ^= 1;
	pd_build_id_hex(&other, hex);
	assert_refused(open_module("/lib/modules/x/made.ko", &other, RELEASE), hex);
	assert_named(open_module("/lib/modules/x/made.ko", NULL, RELEASE));
	assert_refused(open_module("/lib/modules/x/made.ko", NULL, "6.6.6"), "recorded was 6.6.6");
	assert_refused(open_module("/lib/modules/x/made.ko", NULL, NULL), "no release");
	assert_refused(open_module("/lib/modules/x/absent.ko", &build_id, RELEASE), "no such file");
	assert_refused(open_module("/lib/modules/x/made.c", &build_id, RELEASE), "no such file");
	assert_refused(open_module("[made]/../x", &build_id, RELEASE), "no such file");
	assert_refused(open_module("", &build_id, RELEASE), "no such file");
	assert_int_equal(sh("cc -shared -o lib.ko -x c /dev/null"), 0);
	assert_refused(open_module("/lib.ko", NULL, RELEASE), "is not a kernel module");
}

/* Archives of perf archive have paths PATH/ID/elf. */
static void test_archive(void **state)
{
	const struct sym_module_identity identity = { "/lib/modules/x/kernel/packed.ko.xz",
		build_id, NULL };
	struct sym_archive *archive;
	struct sym_module *module;
	char hex[PD_BUILD_ID_HEX_MAX];

	(void)state;
	pd_build_id_hex(&build_id, hex);
	assert_int_equal(sh("mkdir -p in/x.ko.xz/%s && cp made.ko.xz in/x.ko.xz/%s/elf && "
			    "tar -C in -cf modules.tar x.ko.xz",
				 hex, hex),
		0);
	assert_null(sym_archive_create(path_of("modules.tar"), NULL, &archive));
	const struct sym_search search = {
		.symfs = "/nonexistent", .archives = &archive, .n_archives = 1
	};
	assert_null(sym_module_open(&search, &identity, &module));
	assert_named(module);
	sym_archive_destroy(archive);
}

/* A name without a path is looked up in modules.dep, or is the name of the file. */
static void test_bare_name(void **state)
{
	static const char at[] = "root/lib/modules/" RELEASE "/kernel/x";

	(void)state;
	assert_named(open_module("[made]", &build_id, RELEASE));
	assert_int_equal(sh("mkdir -p %s && cp made.ko.xz %s/so-made.ko.xz", at, at), 0);
	assert_int_equal(sh("printf '%%s\\n' 'kernel/y.ko:' 'kernel/x/so-made.ko.xz: kernel/y.ko' "
			    ">%s/../../modules.dep",
				 at),
		0);
	const struct sym_search search = { .symfs = path_of("root") };
	const struct sym_module_identity identity = { "[so_made]", build_id, RELEASE };
	struct sym_module *module;
	assert_null(sym_module_open(&search, &identity, &module));
	assert_named(module);
	assert_int_equal(sh("rm -r root"), 0);
}

/* Relocations of other machines whose compilers are installed. */
static void test_machines(void **state)
{
	static const struct {
		const char *prefix;
		const char *flags;
	} machines[] = {
		{ "i686-linux-gnu-", "" },
		{ "aarch64-linux-gnu-", "" },
		{ "arm-linux-gnueabihf-", "" },
		/* Modules are built with this option, so that the linker moves no code. */
		{ "riscv64-linux-gnu-", "-mno-relax" },
		{ "s390x-linux-gnu-", "" },
		{ "powerpc64-linux-gnu-", "" },
		{ "powerpc64le-linux-gnu-", "" },
	};

	(void)state;
	assert_int_equal(sh("mkdir other"), 0);
	for (size_t i = 0; i < PD_ARRAY_LEN(machines); i++) {
		if (sh("command -v %sgcc", machines[i].prefix))
			continue;
		assert_int_equal(
			compile(machines[i].prefix, machines[i].flags, "other/other.ko"), 0);
		const struct sym_search search = { .symfs = path_of("other") };
		const struct sym_module_identity identity = { .name = "/other.ko",
			.release = RELEASE };
		struct sym_module *module;
		assert_null(sym_module_open(&search, &identity, &module));
		assert_named(module);
	}
}

/* A truncated or damaged file is refused, or used as far as it is intact. */
static void try_damaged(const char *name)
{
	size_t size;
	_cleanup_free_ char *bytes = read_all(name, &size);
	const size_t n = 96;

	for (size_t i = 0; i < n; i++) {
		size_t at = size * i / n;
		char old = bytes[at];

		write_file("damaged.ko", bytes, at);
		struct sym_module *module = open_module("/damaged.ko", NULL, RELEASE);
		if (sym_module_path(module))
			find(module, "");
		sym_module_destroy(module);
		bytes[at] ^= (char)0xff;
		write_file("damaged.ko", bytes, size);
		bytes[at] = old;
		module = open_module("/damaged.ko", NULL, RELEASE);
		if (sym_module_path(module))
			find(module, "");
		sym_module_destroy(module);
	}
}

static void test_damaged(void **state)
{
	(void)state;
	try_damaged("made.ko");
	try_damaged("packed.ko");
	try_damaged("made.ko.xz");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_files),
		cmocka_unit_test(test_bare),
		cmocka_unit_test(test_other),
		cmocka_unit_test(test_archive),
		cmocka_unit_test(test_bare_name),
		cmocka_unit_test(test_machines),
		cmocka_unit_test(test_damaged),
	};

	return cmocka_run_group_tests(tests, build, remove_dir);
}

#include "tests/unit/symbolize/fixture.h"

#include <sys/stat.h>

#include "base/arena.h"
#include "base/array.h"
#include "symbolize/kernel/kernel.h"

#define RELEASE "6.6.6-made"

static const char SOURCE[] =
	"volatile int sink;\n"
	"static inline __attribute__((always_inline)) void inner(int x)\n"
	"{\n"
	"	sink = x;\n"
	"}\n"
	"void do_work(int x)\n"
	"{\n"
	"	inner(x);\n"
	"}\n"
	"void other(void)\n"
	"{\n"
	"	sink++;\n"
	"}\n"
	"const char linux_banner[] = \"Linux version " RELEASE " (made) #1\";\n";

/* Address at which the kernel is linked, and at which it runs. */
static const uint64_t LINKED = 0xffffffff81000000, MOVED = 0xffffffff9f400000;

static struct pd_build_id build_id;

static int build(void **state)
{
	struct sym_binary *binary;

	if (make_dir(state))
		return -1;
	write_text("kernel.c", SOURCE);
	if (sh("cc -g -O2 -fno-pic -no-pie -static -nostdlib -ffreestanding -fno-stack-protector "
	       "-fcf-protection=none -Wl,--build-id=sha1,-Ttext=0xffffffff81000000,-e0 "
	       "-mcmodel=kernel -Wl,--defsym=_text=0xffffffff81000000 -o vmlinux kernel.c "
	       "&& nm vmlinux >symbols"))
		return -1;
	binary = open_here("vmlinux");
	build_id = *sym_binary_build_id(binary);
	sym_binary_destroy(binary);
	return build_id.len ? 0 : -1;
}

static struct sym_kernel_identity identity(void)
{
	return (struct sym_kernel_identity){
		.ref_symbol = "_text",
		.ref_addr = MOVED,
		.build_id = build_id,
		.release = RELEASE,
	};
}

/* Address of @p name while the kernel ran. */
static uint64_t address_of(const char *name)
{
	size_t size;
	_cleanup_free_ char *symbols = read_all("symbols", &size);
	char line[64];

	snprintf(line, sizeof(line), " T %s\n", name);
	const char *at = strstr(symbols, line);
	assert_non_null(at);
	return strtoull(at - 16, NULL, 16) - LINKED + MOVED;
}

static const char *path_of(const char *name)
{
	static char path[256];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return path;
}

/* "FUNCTION FILE:LINE < FUNCTION FILE:LINE", innermost first; "-" if the address has no name. */
static const char *name_of(struct sym_kernel *kernel, uint64_t addr)
{
	static char text[512];
	struct base_arena arena = { 0 };
	struct sym_names names;
	size_t len = 0;

	assert_null(sym_kernel_names(kernel, NULL, &addr, 1, &arena, &names));
	snprintf(text, sizeof(text), "-");
	for (uint32_t i = 0; i < names.n; i++) {
		const struct sym_name *name = &names.names[i];
		const char *slash = name->file ? strrchr(name->file, '/') : NULL;

		len += (size_t)snprintf(
			text + len, sizeof(text) - len, "%s%s", i ? " < " : "", name->function);
		if (name->line)
			len += (size_t)snprintf(text + len, sizeof(text) - len, " %s:%u",
				slash ? slash + 1 : name->file, name->line);
	}
	base_arena_deinit(&arena);
	return text;
}

static struct sym_kernel *open_kernel(const struct sym_kernel_identity *of,
	const struct sym_search *search, const struct sym_kernel_opts *opts)
{
	static const struct sym_kernel_opts none;
	struct sym_kernel *kernel = NULL;

	assert_null(sym_kernel_open(of, search, opts ? opts : &none, &kernel));
	return kernel;
}

static struct sym_kernel *open_vmlinux(const struct sym_kernel_identity *of, const char *path)
{
	static const struct sym_search nowhere = { .symfs = "/nonexistent" };
	const struct sym_kernel_opts opts = { .vmlinux = path };

	return open_kernel(of, &nowhere, &opts);
}

static void assert_refused(
	struct sym_kernel *kernel, enum sym_kernel_status status, const char *why)
{
	assert_int_equal(sym_kernel_status(kernel), status);
	if (!strstr(sym_kernel_why(kernel), why))
		fail_msg("\"%s\" does not say \"%s\"", sym_kernel_why(kernel), why);
	assert_string_equal(name_of(kernel, address_of("do_work")), "-");
	sym_kernel_destroy(kernel);
}

static void test_moved(void **state)
{
	struct sym_kernel_identity of = identity();
	struct sym_kernel *kernel = open_vmlinux(&of, path_of("vmlinux"));

	(void)state;
	assert_int_equal(sym_kernel_status(kernel), SYM_KERNEL_FOUND);
	assert_string_equal(sym_kernel_vmlinux_path(kernel), path_of("vmlinux"));
	assert_string_equal(
		name_of(kernel, address_of("do_work")), "inner kernel.c:4 < do_work kernel.c:8");
	assert_string_equal(name_of(kernel, address_of("other")), "other kernel.c:12");
	/* Interrupted before the first instruction of the function. */
	assert_string_equal(name_of(kernel, address_of("do_work") - 1),
		"inner kernel.c:4 < do_work kernel.c:8");
	assert_string_equal(name_of(kernel, MOVED - 0x1000), "-");
	assert_string_equal(name_of(kernel, LINKED), "-");
	assert_string_equal(name_of(kernel, 1), "-");
	assert_string_equal(name_of(kernel, UINT64_MAX), "-");
	sym_kernel_destroy(kernel);
}

/* Distributions ship debug information separately, and kernels without it. */
static void test_parts(void **state)
{
	struct sym_kernel_identity of = identity();
	struct sym_kernel *kernel;

	(void)state;
	assert_int_equal(sh("objcopy --only-keep-debug vmlinux apart && "
			    "objcopy --strip-debug vmlinux bare && "
			    "objcopy --strip-all vmlinux stripped"),
		0);
	kernel = open_vmlinux(&of, path_of("apart"));
	assert_string_equal(
		name_of(kernel, address_of("do_work")), "inner kernel.c:4 < do_work kernel.c:8");
	sym_kernel_destroy(kernel);
	kernel = open_vmlinux(&of, path_of("bare"));
	assert_string_equal(name_of(kernel, address_of("do_work")), "do_work");
	sym_kernel_destroy(kernel);
	assert_refused(open_vmlinux(&of, path_of("stripped")), SYM_KERNEL_OTHER, "no symbol _text");
}

static void test_other_build(void **state)
{
	struct sym_kernel_identity of = identity();
	char hex[PD_BUILD_ID_HEX_MAX];

	(void)state;
	of.build_id.bytes[0] ^= 1;
	assert_refused(open_vmlinux(&of, path_of("vmlinux")), SYM_KERNEL_OTHER,
		pd_build_id_hex(&of.build_id, hex));
	assert_refused(open_vmlinux(&of, path_of("vmlinux")), SYM_KERNEL_OTHER,
		pd_build_id_hex(&build_id, hex));
	assert_int_equal(sh("objcopy -R .note.gnu.build-id vmlinux no-id"), 0);
	assert_refused(
		open_vmlinux(&of, path_of("no-id")), SYM_KERNEL_OTHER, "no-id has no build id");
}

/* If no build id was recorded, the release is compared. */
static void test_release(void **state)
{
	struct sym_kernel_identity of = identity();

	(void)state;
	of.build_id.len = 0;
	struct sym_kernel *kernel = open_vmlinux(&of, path_of("vmlinux"));
	assert_string_equal(name_of(kernel, address_of("other")), "other kernel.c:12");
	sym_kernel_destroy(kernel);
	of.release = "6.6.6";
	assert_refused(open_vmlinux(&of, path_of("vmlinux")), SYM_KERNEL_OTHER,
		"is Linux " RELEASE ", recorded was 6.6.6");
	/* Without a release the user has to give the file. */
	of.release = "";
	kernel = open_vmlinux(&of, path_of("vmlinux"));
	assert_int_equal(sym_kernel_status(kernel), SYM_KERNEL_FOUND);
	sym_kernel_destroy(kernel);
	const struct sym_search search = { .symfs = "/nonexistent", .debug_dirs = dir };
	kernel = open_kernel(&of, &search, NULL);
	assert_null(sym_kernel_vmlinux_path(kernel));
	assert_string_equal(name_of(kernel, address_of("other")), "-");
	sym_kernel_destroy(kernel);
}

static void test_reference(void **state)
{
	struct sym_kernel_identity of = identity();

	(void)state;
	of.ref_addr = MOVED + 0x10;
	assert_refused(open_vmlinux(&of, path_of("vmlinux")), SYM_KERNEL_OTHER, "ffffffff9f400010");
	of.ref_addr = 0;
	assert_refused(open_vmlinux(&of, path_of("vmlinux")), SYM_KERNEL_HIDDEN, "kptr_restrict");
	of = identity();
	of.ref_symbol = "_stext";
	assert_refused(open_vmlinux(&of, path_of("vmlinux")), SYM_KERNEL_OTHER, "symbol _stext");
}

static void test_no_vmlinux(void **state)
{
	struct sym_kernel_identity of = identity();

	(void)state;
	assert_refused(open_vmlinux(&of, "/nonexistent"), SYM_KERNEL_NO_FILE, "/nonexistent");
	assert_refused(
		open_vmlinux(&of, path_of("kernel.c")), SYM_KERNEL_NO_FILE, "is not an ELF file");
	assert_refused(open_vmlinux(&of, "/dev/zero"), SYM_KERNEL_NO_FILE, "is not a regular file");
}

/* Paths at which a vmlinux is found without being given. %s is the build id as xx/yyy. */
static void test_candidates(void **state)
{
	static const struct {
		const char *path;
		/** Root of the path. */
		enum { CACHE, SYMFS, DIR } root;
	} candidates[] = {
		{ ".build-id/%s/vmlinux", CACHE },
		{ ".build-id/%s/elf", CACHE },
		{ ".build-id/%s.debug", DIR },
		{ "vmlinux", DIR },
		{ "vmlinux-" RELEASE, DIR },
		{ "usr/lib/debug/.build-id/%s.debug", SYMFS },
		{ "usr/lib/debug/boot/vmlinux-" RELEASE, SYMFS },
		{ "usr/lib/debug/lib/modules/" RELEASE "/vmlinux", SYMFS },
		{ "usr/lib/debug/boot/vmlinux-" RELEASE ".debug", SYMFS },
		{ "usr/lib/debug/usr/lib/modules/" RELEASE "/vmlinux.debug", DIR },
		{ "lib/modules/" RELEASE "/build/vmlinux", SYMFS },
		{ "usr/lib/modules/" RELEASE "/vmlinux", SYMFS },
		{ "boot/vmlinux-" RELEASE, DIR },
		{ "boot/vmlinux", SYMFS },
	};
	struct sym_kernel_identity of = identity();
	char hex[PD_BUILD_ID_HEX_MAX], id[PD_BUILD_ID_HEX_MAX + 1], root[256], path[256];

	(void)state;
	pd_build_id_hex(&build_id, hex);
	snprintf(id, sizeof(id), "%.2s/%s", hex, hex + 2);
	snprintf(root, sizeof(root), "%s/root", dir);
	for (size_t i = 0; i < PD_ARRAY_LEN(candidates); i++) {
		const struct sym_search search = {
			.buildid_dir = candidates[i].root == CACHE ? root : NULL,
			.symfs = candidates[i].root == SYMFS ? root : "/nonexistent",
			.debug_dirs = candidates[i].root == DIR ? root : NULL,
		};

		snprintf(path, sizeof(path), candidates[i].path, id);
		assert_int_equal(
			sh("rm -rf root && mkdir -p $(dirname root/%s) && cp vmlinux root/%s", path,
				path),
			0);
		struct sym_kernel *kernel = open_kernel(&of, &search, NULL);
		if (sym_kernel_status(kernel) != SYM_KERNEL_FOUND)
			fail_msg("not found in %s: %s", path, sym_kernel_why(kernel));
		assert_string_equal(name_of(kernel, address_of("other")), "other kernel.c:12");
		sym_kernel_destroy(kernel);
	}
	assert_int_equal(sh("rm -rf root"), 0);
}

/*
 * A kallsyms file found by build id may be from another boot, in which modules were at other
 * addresses.
 */
static void test_cached_kallsyms(void **state)
{
	static const char TEXT[] = "ffffffff81000000 T _text\n"
				   "ffffffff81000200 T do_work\n"
				   "ffffffff82000000 B _end\n"
				   "ffffffffc0000000 t mod_init\t[nf_nat]\n"
				   "ffffffffc0000100 t mod_exit\t[nf_nat]\n";
	struct sym_kernel_identity of = identity();
	char hex[PD_BUILD_ID_HEX_MAX];

	(void)state;
	pd_build_id_hex(&build_id, hex);
	const struct sym_search search = { .symfs = "/nonexistent" };
	write_text("kallsyms", TEXT);
	/* HOME is the test's directory. */
	assert_int_equal(
		sh("mkdir -p .debug/.build-id/%.2s/%s && cp kallsyms .debug/.build-id/%.2s/%s/",
			hex, hex + 2, hex, hex + 2),
		0);
	struct sym_kernel *kernel = open_kernel(&of, &search, NULL);
	assert_int_equal(sym_kernel_status(kernel), SYM_KERNEL_FOUND);
	assert_string_equal(name_of(kernel, MOVED + 0x210), "do_work");
	assert_string_equal(name_of(kernel, 0xffffffffc0000010), "-");
	sym_kernel_destroy(kernel);
	of.ref_addr = LINKED;
	kernel = open_kernel(&of, &search, NULL);
	assert_string_equal(name_of(kernel, LINKED + 0x210), "do_work");
	assert_string_equal(name_of(kernel, 0xffffffffc0000010), "mod_init");
	sym_kernel_destroy(kernel);
	/* In addition to a vmlinux, kallsyms has the functions of modules. */
	const struct sym_kernel_opts opts = { .vmlinux = path_of("vmlinux"),
		.wants_modules = true };
	kernel = open_kernel(&of, &search, &opts);
	assert_string_equal(
		name_of(kernel, address_of("other") - MOVED + LINKED), "other kernel.c:12");
	assert_string_equal(name_of(kernel, 0xffffffffc0000010), "mod_init");
	sym_kernel_destroy(kernel);
	assert_int_equal(sh("rm -rf .debug"), 0);
}

static void test_ignored(void **state)
{
	struct sym_kernel_identity of = identity();
	const struct sym_search search = { .symfs = "/nonexistent", .debug_dirs = dir };
	const struct sym_kernel_opts opts = { .ignore_vmlinux = true };
	struct sym_kernel *kernel = open_kernel(&of, &search, &opts);

	(void)state;
	assert_null(sym_kernel_vmlinux_path(kernel));
	sym_kernel_destroy(kernel);
}

/* A truncated file is refused, or used as far as it is intact. */
static void test_damaged(void **state)
{
	struct sym_kernel_identity of = identity();
	size_t size;
	_cleanup_free_ char *bytes = read_all("vmlinux", &size);

	(void)state;
	for (size_t i = 0; i < 64; i++) {
		size_t at = size * i / 64;
		char old = bytes[at];

		write_file("damaged", bytes, at);
		struct sym_kernel *kernel = open_vmlinux(&of, path_of("damaged"));
		name_of(kernel, address_of("do_work"));
		sym_kernel_destroy(kernel);
		bytes[at] ^= (char)0xff;
		write_file("damaged", bytes, size);
		bytes[at] = old;
		kernel = open_vmlinux(&of, path_of("damaged"));
		name_of(kernel, address_of("do_work"));
		sym_kernel_destroy(kernel);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_moved),
		cmocka_unit_test(test_parts),
		cmocka_unit_test(test_other_build),
		cmocka_unit_test(test_release),
		cmocka_unit_test(test_reference),
		cmocka_unit_test(test_no_vmlinux),
		cmocka_unit_test(test_candidates),
		cmocka_unit_test(test_cached_kallsyms),
		cmocka_unit_test(test_ignored),
		cmocka_unit_test(test_damaged),
	};

#ifndef __x86_64__
	return 0; /* The kernel of these tests is built for x86-64. */
#endif
	return cmocka_run_group_tests(tests, build, remove_dir);
}

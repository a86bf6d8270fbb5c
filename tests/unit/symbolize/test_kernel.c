#include "tests/unit/symbolize/fixture.h"

#include "base/arena.h"
#include "base/array.h"
#include "symbolize/kernel/kallsyms.h"
#include "symbolize/file/image.h"
#include "symbolize/kernel/kernel.h"

static const char KALLSYMS[] = "ffffffff81000000 T _text\n"
			       "ffffffff81000000 T _stext\n"
			       "ffffffff81000000 D not_code\n"
			       "ffffffff81000100 t .Llabel\n"
			       "ffffffff81000180 T first_name\n"
			       "ffffffff81000200 T do_work\n"
			       "ffffffff81000200 t alias\n"
			       "garbage\n"
			       "\n"
			       "ffffffff81000150 W early\n"
			       "ffffffff81000180 T last_name\n"
			       "ffffffff81000180 D not_code_either\n"
			       "ffffffff81f00000 D data\n"
			       "ffffffffc0000000 t mod_init\t[nf_nat]\n"
			       "ffffffffc0000100 t mod_exit\t[nf_nat]\n"
			       "ffffffffc0000200 t bpf_prog_6deef7357e7b4530\t[bpf]\n"
			       "ffffffffc0000300 t last\t[bpf]\n"
			       "ffffffffc0000400";

static struct sym_kernel *open_with_opts(const struct sym_kernel_identity *identity,
	const struct sym_search *search, const struct sym_kernel_opts *opts)
{
	static const struct sym_search nowhere = { .symfs = "/nonexistent" };
	struct sym_kernel *kernel = NULL;

	assert_null(sym_kernel_open(identity, search ? search : &nowhere, opts, &kernel));
	return kernel;
}

static struct sym_kernel *open_kallsyms(
	const char *path, const struct sym_kernel_identity *identity)
{
	const struct sym_kernel_opts opts = { .kallsyms = path };

	return open_with_opts(identity, NULL, &opts);
}

static struct sym_kernel *open_kernel(const char *text, const struct sym_kernel_identity *identity)
{
	char path[256];

	write_text("kallsyms", text);
	snprintf(path, sizeof(path), "%s/kallsyms", dir);
	return open_kallsyms(path, identity);
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

static void test_kallsyms(void **state)
{
	static const struct {
		uint64_t addr;
		const char *name;
		const char *module;
	} cases[] = {
		{ 0xffffffff81000000, "_stext", NULL },
		{ 0xffffffff81000120, "_stext", NULL },
		{ 0xffffffff8100014f, "_stext", NULL },
		{ 0xffffffff81000150, "early", NULL },
		{ 0xffffffff81000180, "last_name", NULL },
		{ 0xffffffff81000200, "alias", NULL },
		{ 0xffffffffc0000000, "mod_init", "nf_nat" },
		{ 0xffffffffc00001ff, "mod_exit", "nf_nat" },
		{ 0xffffffffc0000201, "bpf_prog_6deef7357e7b4530", "bpf" },
		{ 0xffffffff80ffffff, NULL, NULL },
		/* Data follows the code, and has no function names. */
		{ 0xffffffff82000000, NULL, NULL },
		{ UINT64_MAX, NULL, NULL },
	};
	struct sym_kallsyms *kallsyms;
	struct sym_kernel_symbol symbol;

	(void)state;
	assert_null(sym_kallsyms_create(strdup(KALLSYMS), "_text", &kallsyms));
	assert_int_equal(sym_kallsyms_ref_addr(kallsyms), 0xffffffff81000000);
	for (size_t i = 0; i < PD_ARRAY_LEN(cases); i++) {
		assert_int_equal(
			sym_kallsyms_find(kallsyms, cases[i].addr, &symbol), cases[i].name != NULL);
		if (!cases[i].name)
			continue;
		assert_string_equal(symbol.name, cases[i].name);
		assert_int_equal(symbol.module != NULL, cases[i].module != NULL);
		if (symbol.module)
			assert_string_equal(symbol.module, cases[i].module);
	}
	sym_kallsyms_destroy(kallsyms);
}

static void test_find(void **state)
{
	struct sym_kernel_identity identity = { .ref_symbol = "_stext",
		.ref_addr = 0xffffffff81000000 };
	struct sym_kernel *kernel = open_kernel(KALLSYMS, &identity);

	(void)state;
	assert_int_equal(sym_kernel_status(kernel), SYM_KERNEL_FOUND);
	assert_non_null(strstr(sym_kernel_kallsyms_path(kernel), "kallsyms"));
	assert_string_equal(name_of(kernel, 0xffffffff8100014f), "_stext");
	assert_string_equal(name_of(kernel, 0xffffffffc00001ff), "mod_exit");
	assert_string_equal(name_of(kernel, 0xffffffff80ffffff), "-");
	sym_kernel_destroy(kernel);
}

/*
 * No call returns into padding: an interrupt arrived at the start of the function that follows it.
 */
static void test_padding(void **state)
{
	struct sym_kernel_identity identity = { .ref_symbol = "_text",
		.ref_addr = 0xffffffff81000000 };
	struct sym_kernel *kernel = open_kernel("ffffffff81000000 T _text\n"
						"ffffffff81000010 t __pfx_work\n"
						"ffffffff81000020 T work\n"
						"ffffffff81000040 T last\n",
		&identity);

	(void)state;
	assert_string_equal(name_of(kernel, 0xffffffff8100000f), "_text");
	assert_string_equal(name_of(kernel, 0xffffffff8100001f), "work");
	sym_kernel_destroy(kernel);
}

static void test_other_kernel(void **state)
{
	struct sym_kernel_identity identity = { .ref_symbol = "_text",
		.ref_addr = 0xffffffffa0000000 };
	struct sym_kernel *kernel = open_kernel(KALLSYMS, &identity);

	(void)state;
	assert_int_equal(sym_kernel_status(kernel), SYM_KERNEL_OTHER);
	assert_non_null(strstr(sym_kernel_why(kernel), "ffffffffa0000000"));
	assert_string_equal(name_of(kernel, 0xffffffff81000000), "-");
	sym_kernel_destroy(kernel);
	identity.ref_symbol = "_absent";
	kernel = open_kernel(KALLSYMS, &identity);
	assert_int_equal(sym_kernel_status(kernel), SYM_KERNEL_OTHER);
	sym_kernel_destroy(kernel);
}

static void test_hidden(void **state)
{
	struct sym_kernel_identity identity = { .ref_symbol = "_text",
		.ref_addr = 0xffffffff81000000 };
	struct sym_kernel *kernel =
		open_kernel("0000000000000000 T _text\n0000000000000000 T _stext\n", &identity);

	(void)state;
	assert_int_equal(sym_kernel_status(kernel), SYM_KERNEL_HIDDEN);
	sym_kernel_destroy(kernel);
}

/* The symbols of the running kernel are not those of a recording of another release. */
static void test_other_release(void **state)
{
	const struct sym_kernel_identity identity = {
		.release = "0.1-of-no-machine", .ref_symbol = "", .ref_addr = 0
	};
	struct sym_kernel *kernel = open_kallsyms("/proc/kallsyms", &identity);

	(void)state;
	if (sym_kernel_status(kernel) != SYM_KERNEL_HIDDEN) {
		assert_int_equal(sym_kernel_status(kernel), SYM_KERNEL_OTHER);
		assert_non_null(strstr(sym_kernel_why(kernel), "0.1-of-no-machine"));
	}
	sym_kernel_destroy(kernel);
}

static void test_no_file(void **state)
{
	struct sym_kernel_identity identity = { .ref_symbol = "_text",
		.ref_addr = 0xffffffff81000000 };
	struct sym_kernel *kernel;

	(void)state;
	kernel = open_kallsyms("/nonexistent/kallsyms", &identity);
	assert_int_equal(sym_kernel_status(kernel), SYM_KERNEL_NO_FILE);
	assert_non_null(sym_kernel_why(kernel));
	sym_kernel_destroy(kernel);
	kernel = open_kallsyms(dir, &identity);
	assert_int_equal(sym_kernel_status(kernel), SYM_KERNEL_NO_FILE);
	sym_kernel_destroy(kernel);
	kernel = open_kernel("", &identity);
	assert_int_equal(sym_kernel_status(kernel), SYM_KERNEL_NO_FILE);
	sym_kernel_destroy(kernel);
}

/* Look for the kernel on this machine, or, unless @p symfs is NULL, on that of the symfs. */
static struct sym_kernel *open_running(
	const struct sym_kernel_identity *identity, const char *symfs)
{
	const struct sym_search search = { .symfs = symfs, .buildid_dir = "/nonexistent" };
	const struct sym_kernel_opts opts = { .ignore_vmlinux = true };

	return open_with_opts(identity, &search, &opts);
}

/* A recording of another kernel is never named from the running one. */
static void test_running(void **state)
{
	struct sym_kernel_identity identity = { .ref_symbol = "",
		.build_id = { .len = 20, .bytes = { 1, 2, 3 } } };
	struct sym_kernel *kernel;

	(void)state;
	kernel = open_running(&identity, NULL);
	assert_int_not_equal(sym_kernel_status(kernel), SYM_KERNEL_FOUND);
	sym_kernel_destroy(kernel);
	identity.build_id.len = 0;
	kernel = open_running(&identity, NULL);
	assert_int_not_equal(sym_kernel_status(kernel), SYM_KERNEL_FOUND);
	sym_kernel_destroy(kernel);
	sym_kernel_destroy(NULL);
}

/*
 * With the recorded build id it is the same kernel, at whatever address. With a symfs, nothing of
 * this machine is used.
 */
static void test_running_by_id(void **state)
{
	struct sym_kernel_identity identity = { .ref_symbol = "_text" };
	static uint8_t notes[4096];
	unsigned long long addr = 0;
	_cleanup_fclose_ FILE *f = fopen("/sys/kernel/notes", "r");
	FILE *kallsyms = popen("grep -m1 ' T _text$' /proc/kallsyms", "r");

	(void)state;
	assert_non_null(kallsyms);
	bool has_addr = fscanf(kallsyms, "%llx", &addr) == 1 && addr;
	pclose(kallsyms);
	if (!f || !has_addr ||
		!sym_build_id_of_notes(
			notes, fread(notes, 1, sizeof(notes), f), false, &identity.build_id))
		skip();
	identity.ref_addr = addr;
	struct sym_kernel *kernel = open_running(&identity, NULL);
	assert_int_equal(sym_kernel_status(kernel), SYM_KERNEL_FOUND);
	sym_kernel_destroy(kernel);
	kernel = open_running(&identity, "/nonexistent");
	assert_int_not_equal(sym_kernel_status(kernel), SYM_KERNEL_FOUND);
	sym_kernel_destroy(kernel);
}

/* Without address randomization, any kernel may have the reference symbol at that address. */
static void test_unrandomized(void **state)
{
	struct sym_kernel_identity identity = {
		.ref_symbol = "_text",
		.ref_addr = 0xffffffff81000000,
	};
	const char *const releases[] = { NULL, "", "2.6.31-never-here" };
	struct sym_kernel *kernel;

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		identity.release = releases[i];
		kernel = open_running(&identity, NULL);
		assert_int_not_equal(sym_kernel_status(kernel), SYM_KERNEL_FOUND);
		sym_kernel_destroy(kernel);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kallsyms),
		cmocka_unit_test(test_other_release),
		cmocka_unit_test(test_find),
		cmocka_unit_test(test_padding),
		cmocka_unit_test(test_other_kernel),
		cmocka_unit_test(test_hidden),
		cmocka_unit_test(test_no_file),
		cmocka_unit_test(test_running),
		cmocka_unit_test(test_running_by_id),
		cmocka_unit_test(test_unrandomized),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}

#include "test_sym_fixture.h"

#include "symbolize/kernel.h"

static const char KALLSYMS[] = "ffffffff81000000 T _text\n"
			       "ffffffff81000000 T _stext\n"
			       "ffffffff81000000 D not_code\n"
			       "ffffffff81000100 t .Llabel\n"
			       "ffffffff81000200 T do_work\n"
			       "ffffffff81000200 t alias\n"
			       "garbage\n"
			       "\n"
			       "ffffffff81000150 W early\n"
			       "ffffffffc0000000 t mod_init\t[nf_nat]\n"
			       "ffffffffc0000100 t mod_exit\t[nf_nat]\n"
			       "ffffffffc0000200 t bpf_prog_6deef7357e7b4530\t[bpf]\n"
			       "ffffffffc0000300 t last\t[bpf]\n"
			       "ffffffffc0000400";

static struct sym_kernel *open_kernel(const char *text, const struct sym_kernel_identity *identity)
{
	struct sym_kernel *kernel = NULL;
	char path[256];

	write_text("kallsyms", text);
	snprintf(path, sizeof(path), "%s/kallsyms", dir);
	assert_null(sym_kernel_open(identity, path, &kernel));
	return kernel;
}

static void test_find(void **state)
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
		{ 0xffffffff81000200, "do_work", NULL },
		{ 0xffffffffc0000000, "mod_init", "nf_nat" },
		{ 0xffffffffc00001ff, "mod_exit", "nf_nat" },
		{ 0xffffffffc0000201, "bpf_prog_6deef7357e7b4530", "bpf" },
	};
	struct sym_kernel_identity identity = { .ref_symbol = "_stext",
		.ref_addr = 0xffffffff81000000 };
	struct sym_kernel *kernel = open_kernel(KALLSYMS, &identity);
	struct sym_kernel_symbol symbol;

	(void)state;
	assert_int_equal(sym_kernel_status(kernel), SYM_KERNEL_FOUND);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_true(sym_kernel_find(kernel, cases[i].addr, &symbol));
		assert_string_equal(symbol.name, cases[i].name);
		assert_int_equal(symbol.module != NULL, cases[i].module != NULL);
		if (symbol.module)
			assert_string_equal(symbol.module, cases[i].module);
	}
	assert_false(sym_kernel_find(kernel, 0xffffffff80ffffff, &symbol));
	assert_false(sym_kernel_find(kernel, UINT64_MAX, &symbol));
	sym_kernel_destroy(kernel);
}

static void test_other_kernel(void **state)
{
	struct sym_kernel_identity identity = { .ref_symbol = "_text",
		.ref_addr = 0xffffffffa0000000 };
	struct sym_kernel *kernel = open_kernel(KALLSYMS, &identity);
	struct sym_kernel_symbol symbol;

	(void)state;
	assert_int_equal(sym_kernel_status(kernel), SYM_KERNEL_OTHER);
	assert_non_null(strstr(sym_kernel_why(kernel), "ffffffffa0000000"));
	assert_false(sym_kernel_find(kernel, 0xffffffff81000000, &symbol));
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

static void test_no_file(void **state)
{
	struct sym_kernel_identity identity = { .ref_symbol = "_text",
		.ref_addr = 0xffffffff81000000 };
	struct sym_kernel *kernel;

	(void)state;
	assert_null(sym_kernel_open(&identity, "/nonexistent/kallsyms", &kernel));
	assert_int_equal(sym_kernel_status(kernel), SYM_KERNEL_NO_FILE);
	assert_non_null(sym_kernel_why(kernel));
	sym_kernel_destroy(kernel);
	assert_null(sym_kernel_open(&identity, dir, &kernel));
	assert_int_equal(sym_kernel_status(kernel), SYM_KERNEL_NO_FILE);
	sym_kernel_destroy(kernel);
	kernel = open_kernel("", &identity);
	assert_int_equal(sym_kernel_status(kernel), SYM_KERNEL_NO_FILE);
	sym_kernel_destroy(kernel);
}

/* A recording of another kernel is never named from the one that runs here. */
static void test_running(void **state)
{
	struct sym_kernel_identity identity = { .ref_symbol = "",
		.build_id = { .len = 20, .bytes = { 1, 2, 3 } } };
	struct sym_kernel *kernel;

	(void)state;
	assert_null(sym_kernel_open(&identity, NULL, &kernel));
	assert_int_not_equal(sym_kernel_status(kernel), SYM_KERNEL_FOUND);
	sym_kernel_destroy(kernel);
	identity.build_id.len = 0;
	assert_null(sym_kernel_open(&identity, NULL, &kernel));
	assert_int_not_equal(sym_kernel_status(kernel), SYM_KERNEL_FOUND);
	sym_kernel_destroy(kernel);
	sym_kernel_destroy(NULL);
}

/* Where addresses are not randomized, the place of a symbol is that of any kernel. */
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
		assert_null(sym_kernel_open(&identity, NULL, &kernel));
		assert_int_not_equal(sym_kernel_status(kernel), SYM_KERNEL_FOUND);
		sym_kernel_destroy(kernel);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_find),
		cmocka_unit_test(test_other_kernel),
		cmocka_unit_test(test_hidden),
		cmocka_unit_test(test_no_file),
		cmocka_unit_test(test_running),
		cmocka_unit_test(test_unrandomized),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}

/* Names of variables. */
#include "tests/unit/symbolize/fixture.h"

#include "base/array.h"
#include "symbolize/binary_names.h"

/*
 * Variables in all kinds of sections. The thread-local one has an offset, which is not an address,
 * and the label in .data is not an object.
 */
static const char PROGRAM[] = "namespace ns {\n"
			      "int filled[4] = { 1, 2, 3, 4 };\n"
			      "static int zeroed[4];\n"
			      "struct Base { virtual ~Base(); virtual int f(); };\n"
			      "Base::~Base() {}\n"
			      "int Base::f() { return zeroed[filled[1]]++; }\n"
			      "}\n"
			      "extern \"C\" {\n"
			      "extern const int fixed[4] = { 5, 6, 7, 8 };\n"
			      "extern int alias_of_filled[4]\n"
			      "	__attribute__((weak, alias(\"_ZN2ns6filledE\")));\n"
			      "__thread int of_thread = 9;\n"
			      "}\n"
			      "__asm__(\".data\\nlabel: .quad 1\\n.text\\n\");\n"
			      "int main() { ns::Base b; return b.f() + fixed[2] + of_thread; }\n";

static const struct object {
	const char *linkage;
	const char *name;
	uint64_t size;
} objects[] = {
	{ "_ZN2ns6filledE", "ns::filled", 16 },
	{ "_ZN2nsL6zeroedE", "ns::zeroed", 16 },
	{ "fixed", "fixed", 16 },
	{ "_ZTVN2ns4BaseE", "vtable for ns::Base", 5 * sizeof(void *) },
};

static int build_program(void **state)
{
	if (make_dir(state))
		return -1;
	write_text("program.cpp", PROGRAM);
	return sh("g++ -g -o program program.cpp && nm program > symbols &&"
		  " objcopy --only-keep-debug program program.debug &&"
		  " strip -o stripped program &&"
		  " objcopy --add-gnu-debuglink=program.debug stripped");
}

/* Address of a symbol as nm prints it. */
static uint64_t address_of(const char *linkage)
{
	size_t size;
	_cleanup_free_ char *symbols = read_all("symbols", &size);
	char line[256];

	snprintf(line, sizeof(line), " %s\n", linkage);
	char *at = strstr(symbols, line);
	assert_non_null(at);
	while (at > symbols && at[-1] != '\n')
		at--;
	return strtoull(at, NULL, 16);
}

static struct sym_binary *open_program(const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return open_with(NULL, path, NULL);
}

/* Name one address. Returns NULL if it has no name. */
static const char *name_at(struct sym_binary *binary, uint64_t vaddr, struct base_arena *arena)
{
	struct sym_names names;

	assert_null(sym_binary_name_data(binary, NULL, &vaddr, 1, arena, &names));
	assert_int_equal(names.has_symbol, names.n);
	return names.n ? names.names[0].function : NULL;
}

static void check(struct sym_binary *binary, const struct object *object)
{
	uint64_t start = address_of(object->linkage);
	struct base_arena arena = { 0 };

	assert_string_equal(name_at(binary, start, &arena), object->name);
	assert_string_equal(name_at(binary, start + object->size - 1, &arena), object->name);
	const char *after = name_at(binary, start + object->size, &arena);
	assert_true(!after || strcmp(after, object->name) != 0);
	base_arena_deinit(&arena);
}

/* A stripped program has the symbols of its variables in the debug file, as those of its code. */
static void variables_have_names(void **state)
{
	static const char *const programs[] = { "program", "stripped" };

	(void)state;
	for (size_t i = 0; i < PD_ARRAY_LEN(programs); i++) {
		struct sym_binary *binary = open_program(programs[i]);

		for (size_t k = 0; k < PD_ARRAY_LEN(objects); k++)
			check(binary, &objects[k]);
		sym_binary_destroy(binary);
	}
}

static void other_symbols_name_no_data(void **state)
{
	struct sym_binary *binary = open_program("program");
	struct base_arena arena = { 0 };

	(void)state;
	assert_null(name_at(binary, address_of("main"), &arena));
	assert_null(name_at(binary, address_of("label"), &arena));
	assert_null(name_at(binary, address_of("of_thread"), &arena));
	base_arena_deinit(&arena);
	sym_binary_destroy(binary);
}

static void names_have_the_wanted_form(void **state)
{
	const struct pd_name_opts opts = { .form = PD_NAME_FORM_MANGLED };
	struct sym_binary *binary = open_program("program");
	uint64_t vaddrs[] = { address_of("_ZN2ns6filledE") + 4 };
	struct base_arena arena = { 0 };
	struct sym_names names;

	(void)state;
	assert_null(sym_binary_name_data(binary, &opts, vaddrs, 1, &arena, &names));
	assert_string_equal(names.names[0].function, "_ZN2ns6filledE");
	assert_int_equal(names.symbol_start, vaddrs[0] - 4);
	base_arena_deinit(&arena);
	sym_binary_destroy(binary);
}

/* The mapping of data may begin in the page in which other segments end. */
static void segments_of_data_are_found(void **state)
{
	struct sym_binary *binary = open_program("program");
	uint64_t filled = address_of("_ZN2ns6filledE");
	uint64_t zeroed = address_of("_ZN2nsL6zeroedE");
	struct sym_segment code, data;
	uint64_t offset;

	(void)state;
	assert_true(sym_binary_offset(binary, filled, &offset));
	assert_true(sym_binary_data_segment(binary, offset & ~(uint64_t)4095, &data));
	assert_true(filled >= data.vaddr && filled - data.vaddr < data.file_size);
	assert_int_equal(filled - data.vaddr + data.offset, offset);
	assert_true(sym_binary_offset(binary, address_of("main"), &offset));
	assert_true(sym_binary_segment(binary, offset, 1, &code));
	assert_int_not_equal(code.vaddr, data.vaddr);
	assert_false(sym_binary_data_segment(binary, (uint64_t)1 << 40, &data));

	assert_true(sym_binary_is_zeroed(binary, zeroed));
	assert_false(sym_binary_is_zeroed(binary, filled));
	assert_false(sym_binary_is_zeroed(binary, data.vaddr + data.mem_size));
	assert_false(sym_binary_is_zeroed(binary, 0));
	sym_binary_destroy(binary);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(variables_have_names),
		cmocka_unit_test(other_symbols_name_no_data),
		cmocka_unit_test(names_have_the_wanted_form),
		cmocka_unit_test(segments_of_data_are_found),
	};

	return cmocka_run_group_tests(tests, build_program, remove_dir);
}

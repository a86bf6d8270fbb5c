#include "tests/unit/symbolize/fixture.h"

#include <dwarf.h>
#include <inttypes.h>

#include "base/array.h"
#include "symbolize/binary_names.h"

enum { MAX_ADDRS = 1 << 20 };

/* Inlined calls two levels deep, a template, a clone, aliases, and a call through the PLT. */
static const char PROGRAM[] =
	"#include <stdio.h>\n"
	"#include <stdlib.h>\n"
	"namespace ns {\n"
	"template <class T> static inline __attribute__((always_inline)) T twice(T x)\n"
	"{\n"
	"	volatile T y = x;\n"
	"	return y * 2;\n"
	"}\n"
	"static inline __attribute__((always_inline)) long four(long x)\n"
	"{\n"
	"	return twice(x) + twice(x + 1);\n"
	"}\n"
	"__attribute__((noinline)) long outer(long x)\n"
	"{\n"
	"	if (x > 100)\n"
	"		abort();\n"
	"	return four(x) +\n"
	"		four(x + 7);\n"
	"}\n"
	"}\n"
	"extern \"C\" __attribute__((noinline)) long plain(long x)\n"
	"{\n"
	"	volatile long y = x;\n"
	"	return y;\n"
	"}\n"
	"extern \"C\" long __plain_alias(long) __attribute__((alias(\"plain\")));\n"
	"extern \"C\" long weak_alias_with_a_long_name(long)\n"
	"	__attribute__((weak, alias(\"plain\")));\n"
	"int main(int argc, char **argv)\n"
	"{\n"
	"	printf(\"%ld %ld\\n\", ns::outer(argc), plain(argc));\n"
	"	puts(argv[0]);\n"
	"	return 0;\n"
	"}\n";

/*
 * A C program, for which addr2line names all frames right, because linkage names are plain names.
 */
static const char C_PROGRAM[] = "static inline __attribute__((always_inline)) int leaf(int x)\n"
				"{\n"
				"	volatile int y = x;\n"
				"	return y + 1;\n"
				"}\n"
				"static inline __attribute__((always_inline)) int middle(int x)\n"
				"{\n"
				"	return leaf(x) *\n"
				"		leaf(x + 3);\n"
				"}\n"
				"__attribute__((noinline)) int plain(int x)\n"
				"{\n"
				"	return middle(x) - middle(2 * x);\n"
				"}\n"
				"int main(int argc, char **argv)\n"
				"{\n"
				"	(void)argv;\n"
				"	return plain(argc) + leaf(argc);\n"
				"}\n";

static const char NESTED[] = "int outer(int x)\n"
			     "{\n"
			     "	__attribute__((noinline)) int inner(int y)\n"
			     "	{\n"
			     "		return x * y;\n"
			     "	}\n"
			     "	return inner(2) + inner(x);\n"
			     "}\n"
			     "int main(int argc, char **argv)\n"
			     "{\n"
			     "	(void)argv;\n"
			     "	return outer(argc);\n"
			     "}\n";

static uint64_t addrs[MAX_ADDRS];

static void build(const char *name, const char *flags)
{
	write_text("program.cc", PROGRAM);
	assert_int_equal(sh("g++ -O2 %s -o %s program.cc", flags, name), 0);
}

static struct sym_names *names_of(struct sym_binary *binary, const struct pd_name_opts *opts,
	size_t n, struct base_arena *arena)
{
	struct sym_names *names = calloc(n + 1, sizeof(*names));

	assert_non_null(names);
	assert_null(sym_binary_names(binary, opts, addrs, n, arena, names));
	return names;
}

/* Take every @p step-th address of the code. */
static size_t take_text(struct sym_binary *binary, uint64_t step)
{
	struct sym_section text;
	size_t n = 0;

	assert_true(sym_binary_section(binary, ".text", &text));
	for (uint64_t i = 0; i < text.size && n < MAX_ADDRS; i += step)
		addrs[n++] = text.vaddr + i;
	return n;
}

/* Print in the format of addr2line -a -i -f. */
static void print(const char *name, const struct sym_names *names, size_t n)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	_cleanup_fclose_ FILE *f = fopen(path, "w");
	assert_non_null(f);
	for (size_t i = 0; i < n; i++) {
		fprintf(f, "0x%0*" PRIx64 "\n", (int)(2 * sizeof(void *)), addrs[i]);
		if (!names[i].n)
			fprintf(f, "??\n??:0\n");
		for (uint32_t k = 0; k < names[i].n; k++) {
			const struct sym_name *name_ = &names[i].names[k];

			fprintf(f, "%s\n%s:%u\n", name_->linkage ? name_->linkage : "??",
				name_->file ? name_->file : "??", name_->line);
		}
	}
}

/*
 * Compare functions of the program itself: addr2line guesses names of code without DWARF. It also
 * gives functions without a linkage name, which exist in C++, that of their caller, so @p filter
 * keeps what is comparable.
 */
static void compare_with_addr2line(const char *name, const char *filter)
{
	struct base_arena arena = { 0 };
	struct pd_name_opts opts = { 0 };
	size_t n = 0;

	if (sh("addr2line --version"))
		skip();
	assert_int_equal(
		sh("objdump -d --no-show-raw-insn %s | awk '/^[0-9a-f]+ </ { keep = "
		   "/main>|outer|plain/ && !/cold/ } "
		   "keep && !/nop|xchg|data16/ && /^ +[0-9a-f]+:/ { sub(/:.*/, \"\"); print $1 }' | sort >%s.addrs",
			name, name),
		0);
	size_t size;
	_cleanup_free_ char *text = NULL;
	char file[64];
	snprintf(file, sizeof(file), "%s.addrs", name);
	text = read_all(file, &size);
	for (char *p = text, *end; (addrs[n] = strtoull(p, &end, 16)), end != p; p = end)
		n++;
	assert_true(n > 20);
	struct sym_binary *binary = open_here(name);
	_cleanup_free_ struct sym_names *names = names_of(binary, &opts, n, &arena);
	print("ours", names, n);
	assert_int_equal(sh("addr2line -a -i -f -e %s <%s.addrs | sed 's/ (discriminator.*//; "
			    "s/:?$/:0/' | grep -E '%s' >theirs; "
			    "grep -E '%s' ours | diff theirs -",
				 name, name, filter, filter),
		0);
	base_arena_deinit(&arena);
	sym_binary_destroy(binary);
}

static void compare_all(const char *name, const char *flags)
{
	build(name, flags);
	compare_with_addr2line(name, "^0x|:[0-9]+$");
	write_text("program.c", C_PROGRAM);
	assert_int_equal(sh("gcc -O2 %s -o %s program.c", flags, name), 0);
	compare_with_addr2line(name, "");
}

static void test_dwarf5(void **state)
{
	(void)state;
	compare_all("five", "-gdwarf-5");
}

static void test_dwarf4(void **state)
{
	(void)state;
	compare_all("four", "-gdwarf-4");
}

static void test_dwarf3(void **state)
{
	(void)state;
	compare_all("three", "-gdwarf-3 -gstrict-dwarf");
}

static void test_compressed(void **state)
{
	(void)state;
	compare_all("zlib", "-g -gz");
	compare_all("zdebug", "-gdwarf-4 -gz=zlib-gnu");
	build("zstd", "-g");
	/* Not all versions of binutils support zstd. */
	if (sh("objcopy --compress-debug-sections=zstd zstd && readelf -t zstd | grep -q ZSTD") ==
		0)
		compare_with_addr2line("zstd", "^0x|:[0-9]+$");
}

static uint64_t address_of(const char *program, const char *symbol)
{
	size_t size;

	assert_int_equal(
		sh("nm %s | awk '$3 == \"%s\" { print $1 }' >address", program, symbol), 0);
	_cleanup_free_ char *text = read_all("address", &size);
	return strtoull(text, NULL, 16);
}

/* Names of one address. */
static struct sym_names name_one(struct sym_binary *binary, const struct pd_name_opts *opts,
	uint64_t addr, struct base_arena *arena)
{
	struct sym_names names;

	addrs[0] = addr;
	assert_null(sym_binary_names(binary, opts, addrs, 1, arena, &names));
	return names;
}

static void test_known_lines(void **state)
{
	struct base_arena arena = { 0 };
	struct pd_name_opts opts = { 0 }, no_inline = { .no_inline = true },
			    no_lines = { .no_lines = true };
	bool seen = false;

	(void)state;
	build("known", "-g");
	struct sym_binary *binary = open_here("known");
	uint64_t start = address_of("known", "_ZN2ns5outerEl");
	for (uint64_t addr = start; addr < start + 64 && !seen; addr++) {
		struct sym_names all = name_one(binary, &opts, addr, &arena);

		if (all.n != 3 || all.names[2].line != 18)
			continue;
		seen = true;
		assert_string_equal(all.names[0].function, "ns::twice<long int>");
		assert_string_equal(all.names[1].function, "ns::four");
		assert_string_equal(all.names[2].function, "ns::outer");
		assert_string_equal(all.names[2].linkage, "_ZN2ns5outerEl");
		assert_int_equal(all.names[1].line, 11);
		assert_int_equal(all.names[0].start_line, 4);
		assert_int_equal(all.names[1].start_line, 9);
		assert_int_equal(all.names[2].start_line, 13);
		assert_int_equal(all.names[0].file[0], '/');
		assert_non_null(strstr(all.names[0].file, "/program.cc"));
		assert_int_equal(all.symbol_start, start);
		struct sym_names one = name_one(binary, &no_inline, addr, &arena);
		assert_int_equal(one.n, 1);
		assert_string_equal(one.names[0].function, "ns::outer");
		assert_int_equal(one.names[0].line, 18);
		struct sym_names bare = name_one(binary, &no_lines, addr, &arena);
		assert_int_equal(bare.n, 3);
		assert_null(bare.names[0].file);
		assert_int_equal(bare.names[1].line, 0);
	}
	assert_true(seen);
	base_arena_deinit(&arena);
	sym_binary_destroy(binary);
}

static void test_aliases_and_plt(void **state)
{
	struct base_arena arena = { 0 };
	struct pd_name_opts opts = { 0 };
	struct sym_section plt;
	bool has_puts = false;

	(void)state;
	build("aliases", "-g0 -fcf-protection=none");
	struct sym_binary *binary = open_here("aliases");
	uint64_t addr = address_of("aliases", "plain");
	struct sym_names names = name_one(binary, &opts, addr + 1, &arena);
	assert_int_equal(names.n, 1);
	assert_string_equal(names.names[0].function, "plain");
	assert_int_equal(names.symbol_start, addr);
	assert_null(names.names[0].file);
	assert_true(sym_binary_section(binary, ".plt", &plt));
	for (uint64_t pos = 16; pos < plt.size; pos += 16) {
		names = name_one(binary, &opts, plt.vaddr + pos + 6, &arena);
		assert_int_equal(names.n, 1);
		assert_int_equal(names.symbol_start, plt.vaddr + pos);
		has_puts |= strcmp(names.names[0].function, "puts@plt") == 0;
	}
	assert_true(has_puts);
	/* An address that no symbol covers has no name. */
	assert_int_equal(name_one(binary, &opts, 0, &arena).n, 0);
	assert_int_equal(name_one(binary, &opts, UINT64_MAX, &arena).n, 0);
	base_arena_deinit(&arena);
	sym_binary_destroy(binary);
}

/* Names of a function: exported and hidden ones, and the one that is shown. */
static const struct alias_case {
	const char *names[4];
	const char *shown;
	/** The name without a debug file, if it is another one. */
	const char *alone;
} ALIASES[] = {
	{ { "G __send", "W send", "H __GI___send", "H __libc_send" }, "send", "send" },
	/* The usual name is not weak, and not the shortest. */
	{ { "W idx", "G strchr", "H __GI_strchr" }, "strchr", "strchr" },
	{ { "G alphasort64", "G alphasort" }, "alphasort", "alphasort" },
	{ { "G beta", "G zeta" }, "beta", "beta" },
	/* A better name that debug files alone have would not be the same without them. */
	{ { "H copy", "G __copy_chk" }, "__copy_chk", "__copy_chk" },
	{ { "H __GI___clone3", "H __clone3", "H clone3" }, "clone3", NULL },
	{ { "H __GI___libc_alloca", "H __libc_alloca" }, "__libc_alloca", NULL },
	{ { "V __tls_address", "H __GI___tls_address" }, "__tls_address", "__tls_address" },
	{ { "G _ZN2ns5thingC2Ev", "G _ZN2ns5thingC1Ev" }, "_ZN2ns5thingC1Ev", "_ZN2ns5thingC1Ev" },
};

static void write_alias(FILE *out, const char *name, size_t function)
{
	static const struct {
		char kind;
		const char *binding;
	} bindings[] = { { 'G', ".globl" }, { 'W', ".weak" }, { 'V', ".globl" },
		{ 'H', ".hidden" } };
	const char *suffix = name[0] == 'V' ? "_new" : "";

	for (size_t i = 0; i < PD_ARRAY_LEN(bindings); i++) {
		if (bindings[i].kind == name[0])
			fprintf(out, "%s %s%s\n", bindings[i].binding, name + 2, suffix);
	}
	fprintf(out, ".type %s%s, @function\n.set %s%s, f%zu\n.size %s%s, 16\n", name + 2, suffix,
		name + 2, suffix, function, name + 2, suffix);
	if (name[0] == 'V')
		fprintf(out, ".symver %s_new, %s@@V_2.27\n", name + 2, name + 2);
}

/* Write the functions, and their names in this order or in the reverse one. */
static void write_aliases(bool is_reverse)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/aliases.s", dir);
	_cleanup_fclose_ FILE *out = fopen(path, "w");
	assert_non_null(out);
	fprintf(out, ".text\n");
	for (size_t i = 0; i < PD_ARRAY_LEN(ALIASES); i++) {
		fprintf(out, ".balign 16\nf%zu: .skip 16, 0x90\n", i);
		for (size_t k = 0; k < 4; k++) {
			const char *name = ALIASES[i].names[is_reverse ? 3 - k : k];

			if (name)
				write_alias(out, name, i);
		}
	}
}

static void expect_aliases(const char *library, bool has_symtab)
{
	struct pd_name_opts opts = { 0 };
	struct base_arena arena = { 0 };
	struct sym_binary *binary = open_here(library);
	struct sym_section text;

	assert_true(sym_binary_section(binary, ".text", &text));
	for (size_t i = 0; i < PD_ARRAY_LEN(ALIASES); i++) {
		struct sym_names names = name_one(binary, &opts, text.vaddr + 16 * i + 3, &arena);
		const char *want = has_symtab ? ALIASES[i].shown : ALIASES[i].alone;

		assert_int_equal(names.n, want != NULL);
		if (want)
			assert_string_equal(names.names[0].linkage, want);
	}
	base_arena_deinit(&arena);
	sym_binary_destroy(binary);
}

/* The name of an exported function is the same with and without a debug file. */
static void test_aliases_of_library(void **state)
{
	(void)state;
	write_text("aliases.map", "V_2.27 { __tls_address; };\n");
	for (int is_reverse = 0; is_reverse < 2; is_reverse++) {
		write_aliases(is_reverse);
		assert_int_equal(sh("gcc -shared -nostdlib -Wl,--version-script=aliases.map "
				    "-o aliases.so aliases.s && "
				    "objcopy --only-keep-debug aliases.so aliases.debug && "
				    "strip -o bare.so aliases.so && "
				    "objcopy --add-gnu-debuglink=aliases.debug bare.so linked.so"),
			0);
		expect_aliases("aliases.so", true);
		expect_aliases("linked.so", true);
		expect_aliases("bare.so", false);
	}
}

/* Assemble NAME.s, and expect the names of code of 8 bytes each from the symbol @p first on. */
static void expect_every_8_bytes(
	const char *name, const char *first, const char *const *expected, size_t n)
{
	struct base_arena arena = { 0 };
	struct pd_name_opts opts = { 0 };

	assert_int_equal(sh("gcc -nostdlib -static -o %s %s.s", name, name), 0);
	struct sym_binary *binary = open_here(name);
	uint64_t start = address_of(name, first);
	for (size_t i = 0; i < n; i++) {
		struct sym_names names = name_one(binary, &opts, start + 8 * i + 4, &arena);

		assert_int_equal(names.n, 1);
		assert_string_equal(names.names[0].function, expected[i]);
	}
	base_arena_deinit(&arena);
	sym_binary_destroy(binary);
}

/*
 * Local names of an assembler file lose to others at the same address, even to those with more
 * underscores. In a program hardly any name is exported.
 */
static void test_local_aliases(void **state)
{
	static const char *const expected[] = { "__global", "weak_one", "sized" };

	(void)state;
	write_text("locals.s", ".text\n"
			       ".globl _start, __global, unsized\n"
			       ".weak weak_one\n"
			       ".type a, @function\n"
			       ".type b, @function\n"
			       ".type __global, @function\n"
			       ".type weak_one, @function\n"
			       ".type sized, @function\n"
			       ".type unsized, @function\n"
			       "a: __global: .skip 8, 0x90\n"
			       ".size a, 8\n"
			       ".size __global, 8\n"
			       "b: weak_one: .skip 8, 0x90\n"
			       ".size b, 8\n"
			       ".size weak_one, 8\n"
			       "sized: unsized: .skip 8, 0x90\n"
			       ".size sized, 8\n"
			       "_start: .skip 8, 0x90\n");
	expect_every_8_bytes("locals", "__global", expected, PD_ARRAY_LEN(expected));
}

/* Global labels within functions are names, those local to an assembler file are not. */
static void test_labels(void **state)
{
	static const char *const expected[] = { "whole", "whole", "middle", "middle", "after" };

	(void)state;
	write_text("labels.s", ".text\n"
			       ".globl whole, middle, after, _start\n"
			       ".type whole, @function\n"
			       "_start:\n"
			       "whole: .skip 8, 0x90\n"
			       "local: .skip 8, 0x90\n"
			       "middle: .skip 8, 0x90\n"
			       "other: .skip 8, 0x90\n"
			       ".size whole, . - whole\n"
			       ".type after, @function\n"
			       "after: .skip 8, 0x90\n"
			       ".size after, . - after\n");
	expect_every_8_bytes("labels", "whole", expected, PD_ARRAY_LEN(expected));
}

/* The assembler nasm gives functions no size, and leaves labels of functions and macros in the table. */
static void test_labels_of_nasm(void **state)
{
	static const char *const expected[] = { "first", "first", "first", "first.part", "second" };

	(void)state;
	write_text("nasm.s", ".text\n"
			     ".globl _start, first, first.part, second\n"
			     "_start:\n"
			     "first: .skip 8, 0x90\n"
			     "first.loop: .skip 8, 0x90\n"
			     "\"..@2.top\": .skip 8, 0x90\n"
			     "first.part: .skip 8, 0x90\n"
			     "second: .skip 8, 0x90\n");
	expect_every_8_bytes("nasm", "first", expected, PD_ARRAY_LEN(expected));
}

/*
 * A symbol without a size ends at the next one of any type. Objects name code that is in no
 * function, such as that of Poly/ML.
 */
static void test_objects(void **state)
{
	static const char *const expected[] = {
		"stretched",
		"area",
		"sized",
		"sized",
		"sized",
		"table",
		NULL,
		"last",
	};
	struct base_arena arena = { 0 };
	struct pd_name_opts opts = { 0 };

	(void)state;
	write_text("objects.s", ".text\n"
				".globl sized\n"
				".type stretched, @function\n"
				".type area, @object\n"
				".type inner, @object\n"
				".type table, @object\n"
				".type sized, @function\n"
				".type last, @function\n"
				"stretched: .skip 8, 0x90\n"
				"area: .skip 8, 0x90\n"
				"sized: .skip 8, 0x90\n"
				"inner: .skip 8, 0x90\n"
				".size inner, . - inner\n"
				".skip 8, 0x90\n"
				".size sized, . - sized\n"
				"table: .skip 8, 0x90\n"
				".size table, . - table\n"
				".skip 8, 0x90\n"
				"last: .skip 8, 0x90\n"
				".size last, 4096\n"
				".section .other, \"ax\"\n"
				".skip 8, 0x90\n");
	assert_int_equal(sh("gcc -nostdlib -static -Wl,-e,sized -o objects objects.s"), 0);
	struct sym_binary *binary = open_here("objects");
	uint64_t start = address_of("objects", "sized") - 16;
	for (size_t i = 0; i < PD_ARRAY_LEN(expected); i++) {
		struct sym_names names = name_one(binary, &opts, start + 8 * i + 4, &arena);

		assert_int_equal(names.n, expected[i] != NULL);
		if (expected[i])
			assert_string_equal(names.names[0].function, expected[i]);
	}
	/* A symbol does not extend past its section, whatever its size. */
	assert_int_equal(name_one(binary, &opts, start + 8 * 8 + 4, &arena).n, 0);
	base_arena_deinit(&arena);
	sym_binary_destroy(binary);
}

/*
 * A symbol without a size ends where the code of a unit begins in which it does not start. GHC
 * writes no symbols for local functions, but lines.
 */
static void test_limits_by_units(void **state)
{
	static const struct {
		const char *name;
		uint32_t line;
	} expected[] = {
		{ "stretched", 0 },
		{ NULL, 2 },
		{ "own", 4 },
		{ "own", 5 },
		{ "sized", 0 },
		{ "sized", 1 },
	};
	/* 8 instructions in one line. Unlike .skip, they have a row in the line table. */
	static const char nops[] = "nop; nop; nop; nop; nop; nop; nop; nop\n";
	struct base_arena arena = { 0 };
	struct pd_name_opts opts = { 0 };
	char text[256];

	(void)state;
	write_text("bare.s", ".text\n"
			     "stretched: .skip 8, 0x90\n"
			     ".section .init\n"
			     ".globl _init\n"
			     "_init: .skip 8, 0x90\n");
	snprintf(text, sizeof(text), ".text\n%s.globl own\nown: %s%s.section .init\n%s", nops, nops,
		nops, nops);
	write_text("lines.s", text);
	write_text("large.s", ".text\n"
			      ".globl sized\n"
			      "sized: .skip 8, 0x90\n"
			      ".size sized, 16\n");
	write_text("inside.s", nops);
	assert_int_equal(sh("for i in bare large; do as -o $i.o $i.s || exit 1; done; "
			    "for i in lines inside; do as -g -o $i.o $i.s || exit 1; done; "
			    "ld -e own -o limits bare.o lines.o large.o inside.o"),
		0);
	struct sym_binary *binary = open_here("limits");
	uint64_t start = address_of("limits", "own") - 16;
	for (size_t i = 0; i < PD_ARRAY_LEN(expected); i++) {
		struct sym_names names = name_one(binary, &opts, start + 8 * i + 4, &arena);

		assert_int_equal(names.n, 1);
		assert_int_equal(names.names[0].line, expected[i].line);
		if (expected[i].name)
			assert_string_equal(names.names[0].function, expected[i].name);
		else
			assert_null(names.names[0].function);
	}
	/* Linkers make one function of the pieces of .init in several files. */
	addrs[0] = address_of("limits", "_init") + 12;
	assert_string_equal(name_one(binary, &opts, addrs[0], &arena).names[0].function, "_init");
	base_arena_deinit(&arena);
	sym_binary_destroy(binary);
}

/* Names of functions are those of the language of their unit, or else of the binary. */
static void test_languages(void **state)
{
	static const struct {
		/** DW_LANG_*, or 0 without debug information. */
		unsigned language;
		const char *solve, *feed;
	} cases[] = {
		{ 0, "solve_", "zoo.feed" },
		{ DW_LANG_C11, "solve_", "zoo__feed" },
		{ DW_LANG_Ada95, "solve_", "zoo.feed" },
		{ DW_LANG_Fortran08, "solve", "zoo__feed" },
	};
	struct base_arena arena = { 0 };
	struct pd_name_opts opts = { 0 };

	(void)state;
	write_text("solve.c", "int solve(int) __asm__(\"solve_\");\n"
			      "int solve(int x) { return x + 1; }\n"
			      "int zoo__feed(int x) { return x + 2; }\n"
			      "void __gnat_install(void) {}\n"
			      "int main(void) { return solve(0) + zoo__feed(1); }\n");
	for (size_t i = 0; i < PD_ARRAY_LEN(cases); i++) {
		unsigned language = cases[i].language;

		assert_int_equal(
			sh("gcc -g%d -O0 -dA -S -o solve.s solve.c && "
			   "sed -i 's/0x[0-9a-f]*\\(.# DW_AT_language\\)/0x%x\\1/' solve.s "
			   "&& gcc -o solve solve.s",
				language ? 2 : 0, language),
			0);
		struct sym_binary *binary = open_here("solve");
		uint64_t solve = address_of("solve", "solve_") + 4;
		uint64_t feed = address_of("solve", "zoo__feed") + 4;
		struct sym_names names = name_one(binary, &opts, solve, &arena);

		assert_string_equal(names.names[0].function, cases[i].solve);
		assert_string_equal(names.names[0].linkage, "solve_");
		names = name_one(binary, &opts, feed, &arena);
		assert_string_equal(names.names[0].function, cases[i].feed);
		assert_string_equal(names.names[0].linkage, "zoo__feed");
		sym_binary_destroy(binary);
	}
	base_arena_deinit(&arena);
}

static void test_nested_functions(void **state)
{
	struct base_arena arena = { 0 };
	struct pd_name_opts opts = { 0 };

	(void)state;
	write_text("nested.c", NESTED);
	assert_int_equal(sh("gcc -O1 -g -o nested nested.c && nm nested | sed -n "
			    "'s/ t \\(inner\\.[0-9]*\\)$/ t inner/p' | cut -d' ' -f1 >address"),
		0);
	size_t size;
	_cleanup_free_ char *text = read_all("address", &size);
	struct sym_binary *binary = open_here("nested");
	struct sym_names names = name_one(binary, &opts, strtoull(text, NULL, 16), &arena);
	assert_int_equal(names.n, 1);
	assert_int_equal(names.names[0].start_line, 3);
	base_arena_deinit(&arena);
	sym_binary_destroy(binary);
}

/*
 * GHC gives a function only the code of its first block, and lists the other blocks as children,
 * each with a name and separate code. Local functions have no symbols.
 */
static void test_blocks_of_haskell(void **state)
{
	static const char BLOCKS[] =
		".text\n.globl _start\n_start: .skip 16, 0x90\n"
		"feed: .skip 16, 0x90\nblock: .skip 16, 0x90\nother: .skip 16, 0x90\nend:\n"
		".section .debug_abbrev\n"
		"unit_abbrev: .uleb128 1, 0x11, 1\n" /* DW_TAG_compile_unit */
		".uleb128 0x03, 0x08, 0x13, 0x0b, 0x11, 0x01, 0x12, 0x01, 0, 0\n"
		".uleb128 2, 0x2e, 1\n" /* DW_TAG_subprogram: name, linkage name, addresses */
		".uleb128 0x03, 0x08, 0x2007, 0x08, 0x11, 0x01, 0x12, 0x01, 0, 0\n"
		".uleb128 3, 0x0b, 0\n" /* DW_TAG_lexical_block */
		".uleb128 0x03, 0x08, 0x11, 0x01, 0x12, 0x01, 0, 0, 0\n"
		".section .debug_info\n"
		".long info_end - info\ninfo: .short 3\n.long unit_abbrev\n.byte high - low\n"
		".uleb128 1\n.asciz \"zoo.hs\"\n.byte 0x18\n"
		"low: .dc.a feed\nhigh: .dc.a end\n"
		".uleb128 2\n.asciz \"zooFeed\"\n.asciz \"r2MV_info\"\n.dc.a feed, block\n"
		".uleb128 3\n.asciz \"_c2Q0\"\n.dc.a block, other\n.byte 0\n"
		".uleb128 2\n.asciz \"c2Ry\"\n.asciz \"Main_zdwgo9_info\"\n"
		".dc.a other, end\n.byte 0\n.byte 0\ninfo_end:\n";
	static const char *const EXPECTED[] = { "zooFeed", "zooFeed", "Main.$wgo9" };
	struct base_arena arena = { 0 };
	struct pd_name_opts opts = { 0 };

	(void)state;
	write_text("haskell.s", BLOCKS);
	assert_int_equal(sh("gcc -nostdlib -static -o haskell haskell.s && strip -g -w "
			    "-N feed -N block -N other -N end --keep-section='.debug*' haskell"),
		0);
	struct sym_binary *binary = open_here("haskell");
	uint64_t start = address_of("haskell", "_start");
	for (size_t i = 0; i < PD_ARRAY_LEN(EXPECTED); i++) {
		/* Ask in a new binary each time, so that no function was read before. */
		struct sym_names names = name_one(binary, &opts, start + 16 * (i + 1) + 4, &arena);

		assert_int_equal(names.n, 1);
		assert_string_equal(names.names[0].function, EXPECTED[i]);
		sym_binary_destroy(binary);
		binary = open_here("haskell");
	}
	sym_binary_destroy(binary);
	base_arena_deinit(&arena);
}

/* Check the symbol "plain" and the inlined calls in ns::outer of a binary with separate DWARF. */
static void check_separate(const char *name, const char *program, bool has_dwarf)
{
	struct base_arena arena = { 0 };
	struct pd_name_opts opts = { 0 };
	struct sym_binary *binary = open_here(name);
	struct sym_names names =
		name_one(binary, &opts, address_of(program, "_ZN2ns5outerEl"), &arena);

	assert_int_equal(sym_binary_debug_path(binary) != NULL, has_dwarf);
	assert_int_equal(names.n, 1);
	assert_string_equal(names.names[0].function, "ns::outer");
	assert_int_equal(names.names[0].line > 0, has_dwarf);
	names = name_one(binary, &opts, address_of(program, "main"), &arena);
	assert_int_equal(names.n, 1);
	assert_string_equal(names.names[0].function, "main");
	base_arena_deinit(&arena);
	sym_binary_destroy(binary);
}

static void test_debuglink(void **state)
{
	(void)state;
	build("linked.full", "-g -Wl,--build-id=none");
	assert_int_equal(sh("objcopy --only-keep-debug linked.full linked.dbg && strip -o linked "
			    "linked.full && objcopy --add-gnu-debuglink=linked.dbg linked"),
		0);
	check_separate("linked", "linked.full", true);
	/* A file with that name but another checksum is not used. */
	assert_int_equal(sh("echo x >>linked.dbg"), 0);
	struct sym_binary *binary = open_here("linked");
	assert_null(sym_binary_debug_path(binary));
	sym_binary_destroy(binary);
	assert_int_equal(
		sh("objcopy --only-keep-debug linked.full linked.dbg && mkdir -p .debug && "
		   "mv linked.dbg .debug"),
		0);
	check_separate("linked", "linked.full", true);
}

static void test_debug_by_id(void **state)
{
	(void)state;
	build("byid.full", "-g -Wl,--build-id=0x0123456789abcdef0123456789abcdef01234567");
	assert_int_equal(sh("d=.cache/debuginfod_client/0123456789abcdef0123456789abcdef01234567; "
			    "strip -o byid byid.full && mkdir -p $d && "
			    "objcopy --only-keep-debug byid.full $d/debuginfo"),
		0);
	check_separate("byid", "byid.full", true);
	assert_int_equal(sh("d=.debug/.build-id/01/23456789abcdef0123456789abcdef01234567; "
			    "mkdir -p $d && mv .cache/debuginfod_client/*/debuginfo $d/debug"),
		0);
	check_separate("byid", "byid.full", true);
}

static void test_minidebug(void **state)
{
	(void)state;
	if (sh("xz --version"))
		skip();
	build("mini.full", "-g0");
	assert_int_equal(sh("objcopy --only-keep-debug mini.full mini.dbg && xz -k mini.dbg && "
			    "strip -o mini mini.full && "
			    "objcopy --add-section .gnu_debugdata=mini.dbg.xz mini"),
		0);
	check_separate("mini", "mini.full", false);
}

/* A table that becomes implausibly large is not used: zeros compress by a factor of thousands. */
static void test_inflated_minidebug(void **state)
{
	static const struct {
		const char *zeros;
		bool is_used;
	} cases[] = { { "8M", true }, { "40M", false } };
	struct pd_name_opts opts = { 0 };

	(void)state;
	if (sh("xz --version"))
		skip();
	build("large.full", "-g0");
	uint64_t addr = address_of("large.full", "plain");
	for (size_t i = 0; i < PD_ARRAY_LEN(cases); i++) {
		struct base_arena arena = { 0 };

		assert_int_equal(sh("objcopy --only-keep-debug large.full large.dbg && "
				    "head -c %s /dev/zero >>large.dbg && xz -0 -f large.dbg && "
				    "strip -o large large.full && "
				    "objcopy --add-section .gnu_debugdata=large.dbg.xz large",
					 cases[i].zeros),
			0);
		struct sym_binary *binary = open_here("large");
		struct sym_names names = name_one(binary, &opts, addr, &arena);
		assert_int_equal(names.has_symbol, cases[i].is_used);
		sym_binary_destroy(binary);
		base_arena_deinit(&arena);
	}
}

/*
 * Check that the names at the start of ns::outer, and of functions inlined there, equal those in @p
 * like.
 */
static void check_split(const char *name, struct sym_binary *like, bool is_complete)
{
	struct base_arena arena = { 0 };
	struct pd_name_opts opts = { 0 };
	struct sym_binary *binary = open_here(name);
	uint64_t start = address_of(name, "_ZN2ns5outerEl");
	uint32_t deepest = 0;
	char *missing;

	for (uint64_t addr = start; addr < start + 64; addr++) {
		struct sym_names names = name_one(binary, &opts, addr, &arena);
		struct sym_names whole = name_one(like, &opts, addr, &arena);

		assert_string_equal(names.names[names.n - 1].function, "ns::outer");
		assert_int_equal(names.n, is_complete ? whole.n : 1);
		assert_int_equal(names.names[0].line, whole.names[0].line);
		assert_string_equal(names.names[0].file, whole.names[0].file);
		for (uint32_t i = 0; is_complete && i < names.n; i++) {
			assert_string_equal(names.names[i].function, whole.names[i].function);
			assert_int_equal(names.names[i].line, whole.names[i].line);
			assert_int_equal(names.names[i].start_line, whole.names[i].start_line);
		}
		deepest = whole.n > deepest ? whole.n : deepest;
	}
	assert_int_equal(deepest, 3);
	assert_null(sym_ranges_missing(sym_binary_ranges(binary), &missing));
	assert_int_equal(missing == NULL, is_complete);
	assert_true(is_complete || strstr(missing, ".dwo"));
	free(missing);
	base_arena_deinit(&arena);
	sym_binary_destroy(binary);
}

/*
 * Check .dwo files as the compiler left them, in another directory, missing, of another build, and
 * a pipe.
 */
static void check_split_files(const char *flags)
{
	build("whole", flags);
	struct sym_binary *like = open_here("whole");

	assert_int_equal(
		sh("g++ -O2 %s -gsplit-dwarf -c program.cc && g++ -o split program.o", flags), 0);
	check_split("split", like, true);
	assert_int_equal(sh("rm -rf away && mkdir away && cp split program.dwo away && "
			    "rm program.dwo"),
		0);
	check_split("split", like, false);
	check_split("away/split", like, true);
	assert_int_equal(sh("g++ -O1 %s -gsplit-dwarf -c -o other.o program.cc && "
			    "mv other.dwo program.dwo",
				 flags),
		0);
	check_split("split", like, false);
	assert_int_equal(sh("rm program.dwo && mkfifo program.dwo"), 0);
	check_split("split", like, false);
	assert_int_equal(sh("rm program.dwo && head -c 900 away/program.dwo >program.dwo"), 0);
	check_split("split", like, false);
	sym_binary_destroy(like);
}

static void test_split_dwarf(void **state)
{
	(void)state;
	check_split_files("-gdwarf-5");
	check_split_files("-gdwarf-4");
}

/* Check a package next to the binary, which may be stripped. dwp supports version 4 only. */
static void test_package(void **state)
{
	(void)state;
	if (sh("dwp --version"))
		skip();
	build("whole", "-gdwarf-4");
	struct sym_binary *like = open_here("whole");

	assert_int_equal(sh("g++ -O2 -gdwarf-4 -gsplit-dwarf -c program.cc && "
			    "g++ -Wl,--build-id -o packed program.o && "
			    "dwp -e packed -o packed.dwp && rm program.dwo"),
		0);
	check_split("packed", like, true);
	assert_int_equal(sh("mv packed.dwp gone.dwp && mkfifo packed.dwp"), 0);
	check_split("packed", like, false);
	sym_binary_destroy(like);
}

/*
 * A linkage name that cannot be demangled, as newer compilers write them: DWARF has a readable name
 * of functions and of those inlined into them.
 */
static void test_unknown_mangling(void **state)
{
	static const char unknown[] = "_ZN1a1fITk1cXsr1bE1dEEEvv";
	struct pd_name_opts opts = { 0 }, mangled = { .form = PD_NAME_FORM_MANGLED };
	struct base_arena arena = { 0 };

	(void)state;
	write_text("unknown.cc",
		"namespace a {\n"
		"struct s { template <class T> int in(T x) __asm__(\"_ZN1a2inITk1cXsr1bE1dEEEvv\"); };\n"
		"template <class T> inline __attribute__((always_inline)) int s::in(T x)\n"
		"{ volatile int y = x; return y * 2; }\n"
		"int f(int) __asm__(\"_ZN1a1fITk1cXsr1bE1dEEEvv\");\n"
		"int f(int x) { return s().in(x) + 1; }\n"
		"}\n"
		"int main(int argc, char **) { return a::f(argc); }\n");
	assert_int_equal(
		sh("g++ -g -O1 -fno-inline -o unknown unknown.cc && strip -g -o bare unknown"), 0);
	struct sym_binary *binary = open_here("unknown"), *bare = open_here("bare");
	uint64_t start = address_of("unknown", unknown);
	uint32_t deepest = 0;
	for (uint64_t addr = start; addr < start + 12; addr++) {
		struct sym_names names = name_one(binary, &opts, addr, &arena);

		assert_string_equal(names.names[names.n - 1].function, "a::f");
		assert_string_equal(names.names[names.n - 1].linkage, unknown);
		if (names.n == 2)
			assert_string_equal(names.names[0].function, "a::s::in<int>");
		deepest = names.n > deepest ? names.n : deepest;
	}
	assert_int_equal(deepest, 2);
	struct sym_names raw = name_one(binary, &mangled, start, &arena);
	assert_string_equal(raw.names[raw.n - 1].function, unknown);
	assert_string_equal(name_one(bare, &opts, start, &arena).names[0].function, unknown);
	base_arena_deinit(&arena);
	sym_binary_destroy(binary);
	sym_binary_destroy(bare);
}

/* Check a supplementary file that two programs share, that is missing, or that is a pipe. */
static void test_supplement(void **state)
{
	static const char *const changes[] = { "true", "rm common.debug", "mkfifo common.debug" };
	struct pd_name_opts opts = { 0 };

	(void)state;
	if (sh("dwz --version"))
		skip();
	build("shared", "-g");
	build("shared2", "-g -O1");
	assert_int_equal(sh("dwz -m common.debug shared shared2"), 0);
	for (size_t i = 0; i < PD_ARRAY_LEN(changes); i++) {
		struct base_arena arena = { 0 };

		assert_int_equal(sh("%s", changes[i]), 0);
		struct sym_binary *binary = open_here("shared");
		struct sym_names names =
			name_one(binary, &opts, address_of("shared", "_ZN2ns5outerEl"), &arena);
		assert_int_equal(names.n, 1);
		assert_string_equal(names.names[0].function, "ns::outer");
		assert_int_equal(names.names[0].line, 14);
		size_t n = take_text(binary, 1);
		free(names_of(binary, &opts, n, &arena));
		base_arena_deinit(&arena);
		sym_binary_destroy(binary);
	}
}

/* Overwrite bytes of the debug information: any result is fine except for a crash or a hang. */
static void test_damaged(void **state)
{
	struct pd_name_opts opts = { 0 };
	size_t size;

	(void)state;
	build("sound", "-g");
	_cleanup_free_ char *bytes = read_all("sound", &size);
	uint32_t random = 1;
	for (int round = 0; round < 60; round++) {
		_cleanup_free_ char *copy = malloc(size);
		struct base_arena arena = { 0 };

		assert_non_null(copy);
		memcpy(copy, bytes, size);
		for (int i = 0; i < 400; i++) {
			random = random * 1103515245 + 12345;
			size_t pos = 4096 + (random >> 8) % (size - 4096);
			copy[pos] = (char)(random >> 3);
		}
		write_file("damaged", copy, size);
		struct sym_binary *binary = open_here("damaged");
		size_t n = 0;
		for (uint64_t addr = 0x1000; addr < 0x1400; addr += 2)
			addrs[n++] = addr;
		free(names_of(binary, &opts, n, &arena));
		base_arena_deinit(&arena);
		sym_binary_destroy(binary);
	}
}

/* A large program that is always installed. */
static void test_installed(void **state)
{
	static const char *const candidates[] = { "/lib/x86_64-linux-gnu/libc.so.6",
		"/lib64/libc.so.6", "/usr/lib/libc.so.6" };
	struct base_arena arena = { 0 };
	struct pd_name_opts opts = { 0 };
	size_t named = 0;

	(void)state;
	for (size_t i = 0; i < PD_ARRAY_LEN(candidates); i++) {
		struct sym_binary *binary = open_with(NULL, candidates[i], NULL);

		if (sym_binary_status(binary) == SYM_FOUND) {
			size_t n = take_text(binary, 16);
			_cleanup_free_ struct sym_names *names = names_of(binary, &opts, n, &arena);

			for (size_t k = 0; k < n; k++)
				named += names[k].n > 0;
			assert_true(named > n / 8);
			sym_binary_destroy(binary);
			break;
		}
		sym_binary_destroy(binary);
	}
	base_arena_deinit(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_dwarf5),
		cmocka_unit_test(test_dwarf4),
		cmocka_unit_test(test_dwarf3),
		cmocka_unit_test(test_compressed),
		cmocka_unit_test(test_known_lines),
		cmocka_unit_test(test_aliases_and_plt),
		cmocka_unit_test(test_aliases_of_library),
		cmocka_unit_test(test_local_aliases),
		cmocka_unit_test(test_labels),
		cmocka_unit_test(test_labels_of_nasm),
		cmocka_unit_test(test_objects),
		cmocka_unit_test(test_limits_by_units),
		cmocka_unit_test(test_languages),
		cmocka_unit_test(test_nested_functions),
		cmocka_unit_test(test_blocks_of_haskell),
		cmocka_unit_test(test_debuglink),
		cmocka_unit_test(test_debug_by_id),
		cmocka_unit_test(test_minidebug),
		cmocka_unit_test(test_inflated_minidebug),
		cmocka_unit_test(test_split_dwarf),
		cmocka_unit_test(test_package),
		cmocka_unit_test(test_unknown_mangling),
		cmocka_unit_test(test_supplement),
		cmocka_unit_test(test_damaged),
		cmocka_unit_test(test_installed),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}

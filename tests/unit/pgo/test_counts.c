/* Counts of source locations, and the text that LLVM reads. */
#include "tests/unit/test.h"

#include "pgo/autofdo.h"
#include "pgo/counts.h"
#include "pgo/discriminator.h"

static uint32_t add_name(struct pgo_counts *counts, const char *name)
{
	return base_intern_str(&counts->names, name);
}

static uint32_t add_function(struct pgo_counts *counts, const char *name)
{
	const struct pgo_node node = { .outer = PGO_NO_NODE, .name = add_name(counts, name) };

	return pgo_counts_node(counts, &node);
}

static uint32_t add_call(
	struct pgo_counts *counts, uint32_t outer, struct pgo_place place, const char *name)
{
	const struct pgo_node node = { outer, place, add_name(counts, name) };

	return pgo_counts_node(counts, &node);
}

static uint32_t add_line(struct pgo_counts *counts, uint32_t node, uint32_t offset, uint64_t n)
{
	const struct pgo_line line = { node, { offset, 0 } };

	counts->node_counts.data[node].total += n;
	return pgo_counts_line(counts, &line, n);
}

static void add_target(struct pgo_counts *counts, uint32_t line, const char *name, uint64_t n)
{
	const struct pgo_target target = { line, add_name(counts, name) };

	assert_true(pgo_counts_add_target(counts, &target, n));
}

static void expect_text(struct pgo_counts *counts, const char *expected)
{
	char *text;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	assert_non_null(out);
	assert_true(pgo_counts_sum(counts));
	assert_ok(pgo_autofdo_write(counts, out));
	fclose(out);
	assert_string_equal(text, expected);
	free(text);
	pgo_counts_deinit(counts);
}

/* Examples of DILocation::encodeDiscriminator in LLVM: base, duplication factor, copy. */
static void test_discriminators(void **state)
{
	static const struct {
		uint32_t code, block, copies;
	} cases[] = {
		{ 0x0, 0, 1 },
		{ 0x2, 1, 1 },
		{ 0x3e, 0x1f, 1 },
		{ 0x1 | 4 << 2, 0, 4 },
		{ 0x2 | 0x8 << 7, 1, 4 },
		/* 12 bits: 5 below bit 6, which is set, and 7 above it. */
		{ 0x40 | 1 << 7, 0x20, 1 },
		{ 0x40 | 0x7f << 7 | 0x3e, 0xfff, 1 },
		{ 0x40 | 1 << 7 | 0x4 << 14, 0x20, 2 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint32_t code = cases[i].code;

		assert_int_equal(pgo_discriminator_block(code, PGO_CODING_LLVM), cases[i].block);
		assert_int_equal(pgo_discriminator_copies(code, PGO_CODING_LLVM), cases[i].copies);
		assert_int_equal(pgo_discriminator_block(code, PGO_CODING_GCC), code);
		assert_int_equal(pgo_discriminator_copies(code, PGO_CODING_GCC), 1);
	}
}

static void test_text(void **state)
{
	struct pgo_counts counts = { .nodes.width = sizeof(struct pgo_node) };
	uint32_t cold = add_function(&counts, "cold"), hot = add_function(&counts, "hot");
	uint32_t inner = add_call(&counts, hot, (struct pgo_place){ 4, 2 }, "inner");
	uint32_t innermost = add_call(&counts, inner, (struct pgo_place){ 1, 0 }, "innermost");

	(void)state;
	add_line(&counts, innermost, 3, 50);
	add_line(&counts, inner, 2, 0);
	add_line(&counts, hot, 9, 10);
	/* The instruction of a line that ran most often counts. */
	uint32_t calling = add_line(&counts, hot, 2, 7);
	add_line(&counts, hot, 2, 5);
	add_target(&counts, calling, "cold", 1);
	add_target(&counts, calling, "inner", 4);
	add_line(&counts, cold, 1, 1);
	counts.node_counts.data[hot].head = 6;
	expect_text(&counts, "hot:72:6\n 2: 7 inner:4 cold:1\n 9: 10\n 4.2: inner:50\n  2: 0\n"
			     "  1: innermost:50\n   3: 50\ncold:1:0\n 1: 1\n");
}

/* A line ran at least as often as it called something. */
static void test_calls(void **state)
{
	struct pgo_counts counts = { 0 };
	uint32_t function = add_function(&counts, "f");

	(void)state;
	add_target(&counts, add_line(&counts, function, 1, 3), "g", 5);
	add_target(&counts, add_line(&counts, function, 2, 9), "g", 5);
	expect_text(&counts, "f:12:0\n 1: 5 g:5\n 2: 9 g:5\n");
}

/* Functions that did not run, have no lines, or would be read as something else are left out. */
static void test_left_out(void **state)
{
	struct pgo_counts counts = { 0 };

	(void)state;
	add_line(&counts, add_function(&counts, "never"), 1, 0);
	counts.node_counts.data[add_function(&counts, "lineless")].head = 5;
	add_line(&counts, add_function(&counts, "# comment"), 1, 7);
	add_line(&counts, add_function(&counts, " 1: 2"), 1, 7);
	uint32_t line = add_line(&counts, add_function(&counts, "f"), 1, 7);
	add_target(&counts, line, "3d", 1);
	add_target(&counts, line, "-[Class method: with:]", 1);
	add_target(&counts, line, "ok", 1);
	expect_text(&counts, "f:7:0\n 1: 7 ok:1\n");
}

/* Inlined calls of any depth are written without recursion. */
static void test_depth(void **state)
{
	enum { DEPTH = 2000 };
	struct pgo_counts counts = { 0 };
	uint32_t node = add_function(&counts, "f");
	char *text;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	(void)state;
	for (uint32_t i = 0; i < DEPTH; i++)
		node = add_call(&counts, node, (struct pgo_place){ 1, 0 }, "f");
	add_line(&counts, node, 1, 1);
	assert_true(pgo_counts_sum(&counts));
	assert_ok(pgo_autofdo_write(&counts, out));
	fclose(out);
	assert_true(len > (size_t)DEPTH * DEPTH / 2);
	free(text);
	pgo_counts_deinit(&counts);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_discriminators),
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_calls),
		cmocka_unit_test(test_left_out),
		cmocka_unit_test(test_depth),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Table of ranges: merging, lookup, and names from a table that was stored. */
#include "tests/unit/symbolize/fixture.h"

#include <inttypes.h>

#include "base/array.h"
#include "symbolize/dwarf/claims.h"
#include "symbolize/binary_names.h"

static const char PROGRAM[] = "static inline __attribute__((always_inline)) int leaf(int x)\n"
			      "{\n"
			      "	volatile int y = x;\n"
			      "	return y + 1;\n"
			      "}\n"
			      "__attribute__((noinline)) int first(int x)\n"
			      "{\n"
			      "	return leaf(x) * leaf(x + 3);\n"
			      "}\n"
			      "__attribute__((noinline)) int second(int x)\n"
			      "{\n"
			      "	return leaf(x) - 7;\n"
			      "}\n"
			      "int main(int argc, char **argv)\n"
			      "{\n"
			      "	(void)argv;\n"
			      "	return first(argc) + second(argc);\n"
			      "}\n";

/* Merge locations given as "start-end:line". */
static void merge(struct sym_ranges *ranges, const char *locations)
{
	struct sym_new_ranges fresh = { 0 };
	struct sym_location_range location = { .scope = SYM_NONE };
	int len;

	for (; sscanf(locations, "%" SCNu64 "-%" SCNu64 ":%u %n", &location.start, &location.end,
		       &location.line, &len) == 3;
		locations += len)
		assert_true(pd_vec_push(&fresh.locations, location));
	assert_int_equal(*locations, '\0');
	assert_null(sym_ranges_merge(ranges, &fresh));
	assert_true(sym_ranges_are_sound(ranges));
	sym_new_ranges_deinit(&fresh);
}

static void check_locations(const struct sym_ranges *ranges, const char *expected)
{
	char text[512] = "";
	size_t len = 0;

	for (size_t i = 0; i < ranges->locations.n; i++) {
		const struct sym_location_range *p = &ranges->locations.data[i];

		len += (size_t)snprintf(text + len, sizeof(text) - len,
			"%s%" PRIu64 "-%" PRIu64 ":%u", i ? " " : "", p->start, p->end, p->line);
	}
	assert_string_equal(text, expected);
}

static void test_merge(void **state)
{
	struct sym_ranges ranges = { 0 };

	(void)state;
	merge(&ranges, "30-40:3 10-20:1");
	check_locations(&ranges, "10-20:1 30-40:3");
	/* Existing ranges stay as they are; a new range is added around them. */
	merge(&ranges, "0-100:9");
	check_locations(&ranges, "0-10:9 10-20:1 20-30:9 30-40:3 40-100:9");
	merge(&ranges, "5-35:7");
	check_locations(&ranges, "0-10:9 10-20:1 20-30:9 30-40:3 40-100:9");
	merge(&ranges, "200-300:4 250-350:5 90-110:6 345-347:8");
	check_locations(
		&ranges, "0-10:9 10-20:1 20-30:9 30-40:3 40-100:9 100-110:6 200-300:4 300-350:5");
	merge(&ranges, "");
	assert_int_equal(ranges.locations.n, 8);
	sym_ranges_deinit(&ranges);
}

/* Compare the lookup of all addresses with a separate lookup of each. */
static void test_find(void **state)
{
	enum { N = 700 };
	struct sym_ranges ranges = { 0 };
	uint64_t addrs[N];
	struct sym_covering found[N];
	uint32_t random = 3;

	(void)state;
	for (uint64_t start = 5; start < 600; start += 3 + (random >> 8) % 9) {
		struct sym_location_range location = { start, start + 1 + (random >> 16) % 3,
			SYM_NONE, 0, 1, 0 };

		random = random * 1103515245 + 12345;
		assert_true(pd_vec_push(&ranges.locations, location));
	}
	assert_true(sym_ranges_are_sound(&ranges));
	for (uint64_t stride = 1; stride < 60; stride += 7) {
		size_t n = 0;

		for (uint64_t addr = 0; addr < N; addr += stride)
			addrs[n++] = addr;
		assert_int_equal(sym_ranges_find(&ranges, addrs, n, found), n);
		for (size_t i = 0; i < n; i++) {
			uint32_t expected = SYM_NONE;

			for (uint32_t k = 0; k < ranges.locations.n; k++) {
				if (addrs[i] >= ranges.locations.data[k].start &&
					addrs[i] < ranges.locations.data[k].end)
					expected = k;
			}
			assert_int_equal(found[i].location, expected);
			assert_int_equal(found[i].symbol, SYM_NONE);
		}
	}
	sym_ranges_deinit(&ranges);
}

static void test_strings(void **state)
{
	struct sym_ranges ranges = { 0 };
	uint32_t one, two, again;

	(void)state;
	assert_null(sym_ranges_string(&ranges, "", &one));
	assert_int_equal(one, 0);
	assert_null(sym_ranges_string(&ranges, "one", &one));
	assert_null(sym_ranges_string(&ranges, "two", &two));
	assert_int_not_equal(one, two);
	/* A table that was read from a file has no map either. */
	base_map_deinit(&ranges.texts);
	assert_null(sym_ranges_string(&ranges, "two", &again));
	assert_int_equal(again, two);
	assert_string_equal(sym_ranges_text(&ranges, one), "one");
	assert_null(sym_ranges_text(&ranges, 0));
	assert_int_equal(ranges.strings.n, 9);
	sym_ranges_deinit(&ranges);
}

/* Corrupt each kind of reference, one at a time. */
static void test_soundness(void **state)
{
	struct sym_ranges ranges = { 0 };
	struct sym_range_scope outer = { 0, SYM_NONE, 0, 0, 0 }, inner = { 0 };
	struct sym_range_function function = { 0 };
	struct sym_location_range location = { 1, 9, 1, 0, 0, 0 };
	uint32_t text;

	(void)state;
	assert_null(sym_ranges_string(&ranges, "f", &text));
	assert_true(pd_vec_push(&ranges.scopes, outer) && pd_vec_push(&ranges.scopes, inner) &&
		    pd_vec_push(&ranges.functions, function) &&
		    pd_vec_push(&ranges.locations, location));
	assert_true(sym_ranges_are_sound(&ranges));
	uint32_t *const references[] = { &ranges.scopes.data[0].outer, &ranges.scopes.data[1].outer,
		&ranges.scopes.data[1].function, &ranges.scopes.data[1].call_file,
		&ranges.functions.data[0].linkage, &ranges.functions.data[0].qualified,
		&ranges.functions.data[0].file, &ranges.locations.data[0].scope,
		&ranges.locations.data[0].file };
	for (size_t i = 0; i < PD_ARRAY_LEN(references); i++) {
		uint32_t right = *references[i];

		*references[i] = i ? 3 : 0;
		assert_false(sym_ranges_are_sound(&ranges));
		*references[i] = right;
	}
	assert_true(sym_ranges_are_sound(&ranges));
	ranges.locations.data[0].end = 1;
	assert_false(sym_ranges_are_sound(&ranges));
	ranges.locations.data[0].end = 9;
	ranges.strings.data[ranges.strings.n - 1] = 'x';
	assert_false(sym_ranges_are_sound(&ranges));
	sym_ranges_deinit(&ranges);
}

static void check_pieces(struct sym_claims *claims, const char *expected)
{
	char text[512] = "";
	size_t len = 0;

	sym_claims_finish(claims);
	assert_false(claims->nomem);
	for (size_t i = 0; i < claims->done.n; i++) {
		const struct sym_piece *p = &claims->done.data[i];

		len += (size_t)snprintf(text + len, sizeof(text) - len,
			"%s%" PRIu64 "-%" PRIu64 ":%d", i ? " " : "", p->start, p->end,
			(int)p->scope);
	}
	assert_string_equal(text, expected);
}

static void test_claims(void **state)
{
	static const uint64_t addrs[] = { 15, 55, 70, 95 };
	static const struct sym_extent code[] = { { 5, 100 }, { 5, 100 }, { 5, 100 }, { 5, 100 } };
	static const struct sym_extent first = { 10, 30 }, call = { 12, 25 }, sibling = { 20, 40 },
				       inner = { 14, 16 }, cold = { 30, 40 },
				       folded[] = { { 50, 60 }, { 8, 12 } };
	struct sym_claims claims;

	(void)state;
	assert_true(sym_claims_init(&claims, 100, addrs, code, 4));
	assert_true(sym_claims_is_hit(&claims, &first, 1));
	sym_claims_take(&claims, &first, 1, 0);
	assert_true(sym_claims_paint(&claims, &call, 1, 0, 1));
	assert_true(sym_claims_paint(&claims, &inner, 1, 1, 2));
	assert_false(sym_claims_paint(&claims, &inner, 1, 1, 3));
	/*
	 * An overlapping sibling gets what is left; code outside of the function is not given away.
	 */
	assert_true(sym_claims_paint(&claims, &sibling, 1, 0, 3));
	sym_claims_close(&claims);
	/* The function is not wanted, but it limits the gap around wanted addresses. */
	assert_false(sym_claims_is_hit(&claims, &cold, 1));
	assert_true(sym_claims_is_hit(&claims, folded, 2));
	sym_claims_take(&claims, folded, 2, 4);
	assert_true(sym_claims_are_missing(&claims));
	check_pieces(&claims, "8-10:4 10-12:0 12-14:1 14-16:2 16-25:1 25-30:3 50-60:4 60-100:-1");
	sym_claims_deinit(&claims);
}

/* All addresses of the text section: the first one, and their number. */
static size_t list_text(struct sym_binary *binary, uint64_t *addrs, size_t max)
{
	struct sym_section text;
	size_t n = 0;

	assert_true(sym_binary_section(binary, ".text", &text));
	for (; n < text.size && n < max; n++)
		addrs[n] = text.vaddr + n;
	return n;
}

static void check_same(const struct sym_names *a, const struct sym_names *b)
{
	assert_int_equal(a->n, b->n);
	assert_int_equal(a->symbol_start, b->symbol_start);
	for (uint32_t i = 0; i < a->n; i++) {
		const struct sym_name *x = &a->names[i], *y = &b->names[i];

		assert_string_equal(x->function ? x->function : "", y->function ? y->function : "");
		assert_string_equal(x->file ? x->file : "", y->file ? y->file : "");
		assert_int_equal(x->line, y->line);
		assert_int_equal(x->start_line, y->start_line);
	}
}

/*
 * A table made from one address of each function answers for all addresses, even in a binary
 * without symbols and DWARF. Addresses named one at a time get the same names as all at once.
 */
static void test_kept_table(void **state)
{
	enum { MAX = 4096 };
	static uint64_t addrs[MAX];
	static struct sym_names all[MAX], kept[MAX];
	const struct pd_name_opts opts = { 0 };
	struct base_arena arena = { 0 };

	(void)state;
	write_text("kept.c", PROGRAM);
	assert_int_equal(sh("gcc -O2 -g -o kept kept.c && strip -o bare kept"), 0);
	struct sym_binary *whole = open_here("kept"), *single = open_here("kept"),
			  *bare = open_here("bare");
	size_t n = list_text(whole, addrs, MAX);
	assert_null(sym_binary_names(whole, &opts, addrs, n, &arena, all));
	struct sym_ranges *table = sym_binary_ranges(single);
	for (size_t i = 0; i < n; i++) {
		struct sym_names one;
		struct sym_covering covering;
		size_t had = table->functions.n;
		bool is_missing = sym_ranges_find(table, &addrs[i], 1, &covering);

		assert_null(sym_binary_names(single, &opts, &addrs[i], 1, &arena, &one));
		check_same(&all[i], &one);
		/*
		 * Covered addresses are not read again, and addresses that were looked up are
		 * covered.
		 */
		assert_true(is_missing || table->functions.n == had);
		assert_int_equal(sym_ranges_find(table, &addrs[i], 1, &covering), 0);
	}
	assert_true(sym_ranges_are_sound(table));
	assert_true(table->files.n >= 1 && table->files.data[0].is_found);
	*sym_binary_ranges(bare) = *table;
	*table = (struct sym_ranges){ 0 };
	assert_null(sym_binary_names(bare, &opts, addrs, n, &arena, kept));
	for (size_t i = 0; i < n; i++)
		check_same(&all[i], &kept[i]);
	sym_binary_destroy(whole);
	sym_binary_destroy(single);
	sym_binary_destroy(bare);
	base_arena_deinit(&arena);
}

/* A table of the cache may list a missing file without a path. */
static void test_missing_without_path(void **state)
{
	struct sym_ranges ranges = { 0 };
	const struct sym_range_file source = { .kind = SYM_RANGE_FILE_SPLIT };
	char *missing;

	(void)state;
	assert_true(pd_vec_push(&ranges.files, source));
	assert_true(sym_ranges_are_sound(&ranges));
	assert_null(sym_ranges_missing(&ranges, &missing));
	assert_string_equal(missing, "file without a name: no such split debug file found");
	free(missing);
	sym_ranges_deinit(&ranges);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_merge),
		cmocka_unit_test(test_find),
		cmocka_unit_test(test_strings),
		cmocka_unit_test(test_soundness),
		cmocka_unit_test(test_claims),
		cmocka_unit_test(test_kept_table),
		cmocka_unit_test(test_missing_without_path),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}

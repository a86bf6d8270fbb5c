/* Versions of sorted mappings: each compared with a model, and with what it costs. */
#include "tests/unit/test_recording.h"

#include <malloc.h>

#include "parse/space/range_tree.h"

enum { PAGES = 3000, VERSIONS = 24 };

/* A version of the tree, and the number of the mapping in each page, or -1. */
struct version {
	struct parse_range_node *root;
	int pages[PAGES];
};

static const struct parse_mapping mappings[64];

static void expect_version(const struct version *v)
{
	uint32_t n = 0;
	uint64_t at = 0;

	for (uint64_t page = 0; page < PAGES; page++) {
		const struct parse_maps_entry *entry = parse_range_tree_find(v->root, page);
		bool is_mapped = entry && entry->start <= page;

		assert_int_equal(
			is_mapped ? entry->mapping - mappings : (ptrdiff_t)-1, v->pages[page]);
	}
	for (const struct parse_maps_entry *e; (e = parse_range_tree_find(v->root, at));
		at = e->end) {
		assert_true(e->start >= at && e->start < e->end && e->end <= PAGES);
		n++;
	}
	assert_int_equal(parse_range_tree_n(v->root), n);
}

static void replace(struct version *v, uint64_t start, uint64_t end, int number)
{
	const struct parse_maps_entry put = { start, end, number < 0 ? NULL : &mappings[number] };

	assert_true(parse_range_tree_replace(&v->root, &put));
	for (uint64_t page = start; page < end; page++)
		v->pages[page] = number;
}

/* Replace a random range: mostly a few pages, sometimes half of them. A quarter are removals. */
static void replace_random(struct version *v, uint64_t *random)
{
	uint64_t r = random_next(random);
	uint64_t start = r % PAGES;
	uint64_t n = 1 + (r >> 20) % (r >> 40 & 127 ? 4 : PAGES / 2);
	int number = r >> 50 & 3 ? (int)(r >> 52) % 64 : -1;

	replace(v, start, start + n < PAGES ? start + n : PAGES, number);
}

/*
 * Each step changes one of several versions, or forks another one from it. All are compared with
 * their models from time to time, so a change that reaches another version is seen.
 */
static void versions_do_not_change_each_other(void **state)
{
	struct version *versions = calloc(VERSIONS, sizeof(*versions));
	uint64_t random = 88172645463325252U;

	(void)state;
	assert_non_null(versions);
	for (size_t i = 0; i < VERSIONS; i++)
		memset(versions[i].pages, -1, sizeof(versions[i].pages));
	for (int step = 1; step <= 60000; step++) {
		struct version *v = &versions[random_next(&random) >> 8 & 3];

		if (step % 50 == 0) {
			struct version *other = &versions[random_next(&random) % VERSIONS];
			struct parse_range_node *old = other->root;

			memmove(other->pages, v->pages, sizeof(v->pages));
			other->root = parse_range_tree_ref(v->root);
			parse_range_tree_unref(old);
		}
		replace_random(v, &random);
		for (size_t i = 0; step % 4000 == 0 && i < VERSIONS; i++)
			expect_version(&versions[i]);
	}
	for (size_t i = 0; i < VERSIONS; i++)
		parse_range_tree_unref(versions[i].root);
	free(versions);
}

/* Entries that only touch stay two, in leaves that are full and in those that are not. */
static void entries_fill_the_whole_space(void **state)
{
	struct version v = { 0 };

	(void)state;
	for (int i = 0; i < PAGES; i++)
		replace(&v, (uint64_t)i, (uint64_t)i + 1, i % 64);
	expect_version(&v);
	assert_int_equal(parse_range_tree_n(v.root), PAGES);
	replace(&v, 1, PAGES - 1, 5);
	expect_version(&v);
	assert_int_equal(parse_range_tree_n(v.root), 3);
	replace(&v, 0, PAGES, -1);
	assert_null(v.root);
	const struct parse_maps_entry whole = { 0, UINT64_MAX, &mappings[1] };
	const struct parse_maps_entry nothing = { 0, UINT64_MAX, NULL };
	assert_true(parse_range_tree_replace(&v.root, &whole));
	assert_ptr_equal(parse_range_tree_find(v.root, UINT64_MAX - 1)->mapping, &mappings[1]);
	assert_null(parse_range_tree_find(v.root, UINT64_MAX));
	assert_true(parse_range_tree_replace(&v.root, &nothing));
	assert_null(v.root);
}

/* A version of 20,000 entries has 600 KB. One that differs in one entry takes a few nodes more. */
static void a_version_takes_little_memory(void **state)
{
	enum { ENTRIES = 20000, KEPT = 1000, MAX_BYTES = 6000 };
	struct parse_range_node *root = NULL;
	struct parse_range_node *kept[KEPT];
	size_t before = mallinfo2().uordblks;

	(void)state;
	for (uint64_t i = 0; i < ENTRIES; i++) {
		const struct parse_maps_entry put = { 2 * i, 2 * i + 1, &mappings[i % 64] };

		assert_true(parse_range_tree_replace(&root, &put));
	}
	size_t full = mallinfo2().uordblks;
	for (size_t i = 0; i < KEPT; i++) {
		uint64_t at = i * 7919 % ENTRIES * 2;
		const struct parse_maps_entry put = { at, at + 1, &mappings[i % 63] };

		kept[i] = parse_range_tree_ref(root);
		assert_true(parse_range_tree_replace(&root, &put));
	}
	/* Sanitizers have an allocator of their own, which counts nothing here. */
	if (full > before) {
		assert_true(full - before < ENTRIES * 100);
		assert_uint_in_range(mallinfo2().uordblks - full, 1, KEPT * MAX_BYTES);
	}
	for (size_t i = 0; i < KEPT; i++)
		parse_range_tree_unref(kept[i]);
	parse_range_tree_unref(root);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(versions_do_not_change_each_other),
		cmocka_unit_test(entries_fill_the_whole_space),
		cmocka_unit_test(a_version_takes_little_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

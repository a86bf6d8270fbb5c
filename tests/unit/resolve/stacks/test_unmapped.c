/*
 * Addresses are unmapped if and only if no mapping has them, whatever the bitmap of regions says.
 * Keys of call chains are the same only if their frames are.
 */
#include "resolve/stacks/unmapped.h"

#include "base/array.h"
#include "parse/space/snapshot.h"
#include "resolve/batch/tally_chain.h"
#include "tests/unit/test.h"

static const struct parse_mapping mapping;

static const uint64_t start = 0x555500001000, end = 0x555500402000;

static struct parse_maps *create_maps(void)
{
	struct parse_maps *maps = parse_maps_create(1);

	assert_non_null(maps);
	assert_true(parse_maps_replace(&maps, 2, start, end, &mapping));
	assert_true(parse_maps_replace(&maps, 3, 0x7f0000001000, 0x7f0000002000, &mapping));
	return maps;
}

static bool is_unmapped(
	struct resolve_unmapped *unmapped, const struct parse_maps *maps, uint64_t addr)
{
	return resolve_is_unmapped(resolve_mapped_regions(unmapped, maps), maps, addr);
}

static void knows_what_is_mapped(void **state)
{
	struct resolve_unmapped unmapped = { 0 };
	struct parse_maps *maps = create_maps();

	(void)state;
	for (uint64_t at = start; at < end; at += 0x1000)
		assert_false(is_unmapped(&unmapped, maps, at));
	assert_false(is_unmapped(&unmapped, maps, end - 1));
	assert_false(is_unmapped(&unmapped, maps, 0x7f0000001fff));
	assert_true(is_unmapped(&unmapped, maps, start - 1));
	assert_true(is_unmapped(&unmapped, maps, end));
	assert_true(is_unmapped(&unmapped, maps, 0));
	assert_true(is_unmapped(&unmapped, maps, UINT64_MAX));
	/* Other snapshots, one of them in the same place of the cache. */
	assert_true(parse_maps_replace(&maps, 4, 0, 0x1000, &mapping));
	assert_false(is_unmapped(&unmapped, maps, 0));
	assert_true(parse_maps_replace(
		&maps, 4 + RESOLVE_UNMAPPED_SNAPSHOTS, UINT64_MAX - 1, UINT64_MAX, &mapping));
	assert_false(is_unmapped(&unmapped, maps, UINT64_MAX - 1));
	assert_true(parse_maps_replace(&maps, 5, start, end, NULL));
	assert_true(is_unmapped(&unmapped, maps, start));
	parse_maps_unref(maps);
}

static void knows_large_mappings(void **state)
{
	struct resolve_unmapped unmapped = { 0 };
	struct parse_maps *maps = parse_maps_create(1);

	(void)state;
	assert_true(parse_maps_replace(&maps, 2, 0x1000, UINT64_MAX, &mapping));
	assert_true(is_unmapped(&unmapped, maps, 0xfff));
	assert_false(is_unmapped(&unmapped, maps, UINT64_MAX / 3));
	for (uint64_t i = 0; i < 1000; i++)
		assert_true(parse_maps_replace(&maps, 3 + i, i << 21, (i << 21) + 0x1000, NULL));
	assert_true(is_unmapped(&unmapped, maps, 999 << 21));
	assert_false(is_unmapped(&unmapped, maps, (999 << 21) + 0x1000));
	parse_maps_unref(maps);
}

/* Generated code need not be mapped. */
static void knows_generated_code(void **state)
{
	struct resolve_unmapped unmapped = { 0 };
	struct parse_maps *maps = create_maps();

	(void)state;
	assert_true(parse_maps_set_jit(&maps, 4, (const struct parse_jit *)&mapping, 1));
	assert_false(is_unmapped(&unmapped, maps, end));
	parse_maps_unref(maps);
}

struct chain {
	uint64_t entries[4];
	uint16_t cpumode;
};

/* Read a chain. Its result must be valid, and refer to nothing that is gone. */
static bool read_chain(
	const struct parse_maps *maps, const struct chain *chain, struct resolve_tally_chain *ret)
{
	struct resolve_unmapped unmapped = { 0 };
	const struct pd_view links = {
		.data = (const uint8_t *)chain->entries,
		.elem_size = 8,
		.n = PD_ARRAY_LEN(chain->entries),
	};

	return resolve_tally_chain_read(ret, links, chain->entries[1], chain->cpumode,
		resolve_mapped_regions(&unmapped, maps), maps);
}

static bool are_same(const struct parse_maps *maps, const struct chain *a, const struct chain *b)
{
	struct resolve_tally_chain x, y;

	assert_true(read_chain(maps, a, &x));
	assert_true(read_chain(maps, b, &y));
	return x.n == y.n && x.ip == y.ip && memcmp(x.bytes, y.bytes, x.n * 8) == 0;
}

static void compares_chains(void **state)
{
	struct parse_maps *maps = create_maps();
	const struct chain base = { { PD_CONTEXT_USER, start, 7, start + 8 }, PD_MISC_USER };
	struct chain other = base;

	(void)state;
	other.entries[2] = end + 1;
	assert_true(are_same(maps, &base, &other));
	/* The byte before a return address is in the mapping. */
	other.entries[2] = end;
	assert_false(are_same(maps, &base, &other));
	other = base;
	other.entries[3] = start + 16;
	assert_false(are_same(maps, &base, &other));
	other = base;
	other.entries[3] = 7;
	assert_false(are_same(maps, &base, &other));
	/* Addresses of the upper half have frames of their own. */
	other = base;
	other.entries[2] = UINT64_C(1) << 63;
	assert_false(are_same(maps, &base, &other));
	/* The instruction pointer itself is not mapped. */
	other.entries[1] = 9;
	struct chain another = other;
	another.entries[1] = 10;
	assert_true(are_same(maps, &other, &another));
	parse_maps_unref(maps);
}

static void keeps_what_is_no_user_address(void **state)
{
	struct parse_maps *maps = create_maps();
	const struct chain kernel = { { PD_CONTEXT_KERNEL, 1, 2, 3 }, PD_MISC_KERNEL };
	struct chain other = kernel;

	(void)state;
	other.entries[2] = 4;
	assert_false(are_same(maps, &kernel, &other));
	/* Without a link, the instruction pointer is the frame. */
	const struct chain markers = {
		{ PD_CONTEXT_USER, PD_CONTEXT_USER, PD_CONTEXT_USER, PD_CONTEXT_USER }, PD_MISC_USER
	};
	struct resolve_tally_chain chain;
	assert_true(read_chain(maps, &markers, &chain));
	assert_int_equal(chain.ip, PD_CONTEXT_USER);
	/* Code at the number that stands for all unmapped addresses. */
	assert_true(parse_maps_replace(&maps, 4, 0, 0x1000, &mapping));
	const struct chain zero = { { PD_CONTEXT_USER, 0, start, start }, PD_MISC_USER };
	assert_false(read_chain(maps, &zero, &chain));
	parse_maps_unref(maps);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(knows_what_is_mapped),
		cmocka_unit_test(knows_large_mappings),
		cmocka_unit_test(knows_generated_code),
		cmocka_unit_test(compares_chains),
		cmocka_unit_test(keeps_what_is_no_user_address),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Tests of capture/bpf/bpf_files.h: which table is dropped for another one. */
#include "tests/unit/test.h"

#include <bpf/bpf.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "capture/bpf/bpf_files.h"
#include "capture/bpf/bpf_state.h"

enum { EIGHTH = 2 << 20, MEMORY = 8 * EIGHTH };

static int create_array(enum bpf_map_type type, size_t n, const struct bpf_map_create_opts *opts)
{
	size_t bytes = type == BPF_MAP_TYPE_ARRAY ? sizeof(union bw_page) : sizeof(uint32_t);

	return bpf_map_create(type, "test", sizeof(uint32_t), (uint32_t)bytes, (uint32_t)n, opts);
}

/* Create the map of slabs as the program has it. Negative: the kernel does not let this user. */
static int create_slabs(void)
{
	LIBBPF_OPTS(bpf_map_create_opts, mapped, .map_flags = BPF_F_MMAPABLE);
	int slab = create_array(BPF_MAP_TYPE_ARRAY, BW_SLAB_PAGES, &mapped);

	if (slab < 0)
		return slab;
	LIBBPF_OPTS(bpf_map_create_opts, opts, .inner_map_fd = (uint32_t)slab);
	int slabs = create_array(BPF_MAP_TYPE_ARRAY_OF_MAPS, cap_pool_slabs(MEMORY), &opts);
	base_close(&slab);
	return slabs;
}

/* Give @p file, a number, a table of so many eighths of the memory. Returns whether it fits. */
static bool add_table(struct cap_bpf *bpf, size_t file, size_t eighths)
{
	struct cap_loaded loaded = { .number = file, .with_table = true };

	loaded.pages.n_rows = eighths * EIGHTH / sizeof(union bw_page);
	assert_true(pd_vec_reserve(&loaded.pages.list, loaded.pages.n_rows));
	loaded.pages.list.n = loaded.pages.n_rows;
	memset(loaded.pages.list.data, 0, eighths * EIGHTH);
	cap_bpf_take_table(bpf, &loaded);
	return cap_bpf_has_live_table(&bpf->files.data[file]);
}

/* All tables are in use. Large ones make room for small ones, and do not come back. */
static void small_tables_come_first(void **state)
{
	enum { LARGE, N_FILES = 5 };
	struct cap_bpf bpf = { 0 };
	int slabs = create_slabs();

	(void)state;
	if (slabs < 0)
		skip();
	assert_ok(cap_pool_create(slabs, MEMORY, &bpf.pool));
	bpf.tables = calloc(BW_MAX_TABLES, sizeof(*bpf.tables));
	assert_non_null(bpf.tables);
	for (size_t i = 0; i < BW_MAX_TABLES; i++)
		bpf.tables[i].number = BW_NO_TABLE;
	for (size_t i = 0; i < N_FILES; i++)
		assert_true(pd_vec_push(
			&bpf.files, ((struct cap_bpf_file){ .main = i, .table = BW_NO_TABLE })));
	assert_true(add_table(&bpf, LARGE, 6));
	assert_true(add_table(&bpf, 1, 1));
	assert_true(add_table(&bpf, 2, 1));
	/* Six eighths are not more than four times two. */
	assert_false(add_table(&bpf, 3, 2));
	assert_true(add_table(&bpf, 4, 1));
	assert_false(cap_bpf_has_live_table(&bpf.files.data[LARGE]));
	assert_true(bpf.files.data[LARGE].wanted_from > 0);
	assert_false(add_table(&bpf, LARGE, 6));
	assert_int_equal(bpf.n_tables, 3);
	assert_int_equal(bpf.counts.n_dropped, 1);
	assert_int_equal(bpf.counts.n_refused, 2);
	for (size_t i = 0; i < N_FILES; i++)
		free(bpf.files.data[i].pages);
	pd_vec_deinit(&bpf.files);
	free(bpf.tables);
	cap_pool_destroy(bpf.pool);
	base_close(&slabs);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(small_tables_come_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

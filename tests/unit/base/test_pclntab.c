#include "tests/unit/test.h"

#include "tests/unit/made_go_table.h"

static struct base_pclntab read_table(const struct go_table *t)
{
	struct base_pclntab tab;

	assert_true(base_pclntab_init(t->bytes.buf.data, t->bytes.buf.n, t->bytes.swap, &tab));
	return tab;
}

static void check_value(
	struct base_go_values *values, uint64_t addr, int32_t value, uint64_t start, uint64_t end)
{
	assert_true(base_go_values_seek(values, GO_TEXT + addr));
	assert_int_equal(values->value, value);
	assert_int_equal(values->start, GO_TEXT + start);
	assert_int_equal(values->end, GO_TEXT + end);
}

static void check_outer(const struct go_table *t, const struct base_pclntab *tab)
{
	int32_t first = t->layout == PD_GO_1_2 ? 1 : 0;
	struct base_go_func func;
	uint64_t data;

	assert_true(base_pclntab_find(tab, GO_TEXT + 0x3f, &func));
	assert_int_equal(func.start, GO_TEXT);
	assert_int_equal(func.end, GO_TEXT + GO_OUTER_END);
	assert_string_equal(func.name, "main.outer");
	assert_int_equal(func.line, t->layout == PD_GO_1_20 ? 9 : 0);
	assert_int_equal(func.flags, t->layout == PD_GO_1_2 ? 0 : PD_GO_TOP_FRAME);
	struct base_go_values frames = base_go_values_init(tab, &func, func.frame_table);
	check_value(&frames, 0, 0, 0, 4);
	check_value(&frames, 4, GO_FRAME, 4, 0x30);
	check_value(&frames, 0x37, 0, 0x30, GO_CODE_END);
	assert_false(base_go_values_seek(&frames, GO_TEXT + GO_CODE_END));
	struct base_go_values files = base_go_values_init(tab, &func, func.file_table);
	check_value(&files, 0x1f, first + 1, 0x10, 0x20);
	assert_string_equal(base_go_file(tab, &func, first), "outer.go");
	assert_string_equal(base_go_file(tab, &func, first + 1), "inner.go");
	assert_null(base_go_file(tab, &func, first - 1));
	assert_null(base_go_file(tab, &func, INT32_MAX));
	struct base_go_values calls = base_go_values_init(tab, &func, base_go_table(tab, &func, 2));
	check_value(&calls, 0x10, 0, 0x10, 0x18);
	assert_int_equal(base_go_table(tab, &func, 3), 0);
	assert_true(base_go_funcdata(tab, &func, func.n_funcdata - 1, &data));
	assert_int_equal(data, t->layout >= PD_GO_1_18 ? GO_TREE : GO_DATA + GO_TREE);
	assert_false(base_go_funcdata(tab, &func, 0, &data));
	assert_false(base_go_funcdata(tab, &func, func.n_funcdata, &data));
}

static void check_leaf(const struct base_pclntab *tab)
{
	struct base_go_func func;

	assert_true(base_pclntab_find(tab, GO_TEXT + GO_OUTER_END, &func));
	assert_string_equal(func.name, "main.leaf");
	struct base_go_values lines = base_go_values_init(tab, &func, func.line_table);
	check_value(&lines, GO_OUTER_END, 30, GO_OUTER_END, GO_LEAF_END);
	/* An offset of 0 stands for an empty table. */
	struct base_go_values frames = base_go_values_init(tab, &func, func.frame_table);
	assert_false(base_go_values_next(&frames));
}

static void check_outside(const struct base_pclntab *tab)
{
	struct base_go_func func;

	assert_false(base_pclntab_find(tab, GO_TEXT - 1, &func));
	assert_int_equal(func.start, 0);
	assert_int_equal(func.end, GO_TEXT);
	assert_false(base_pclntab_find(tab, GO_TEXT + GO_LEAF_END, &func));
	assert_int_equal(func.start, GO_TEXT + GO_LEAF_END);
	assert_int_equal(func.end, UINT64_MAX);
}

static void check_form(struct go_table *t)
{
	struct base_pclntab tab = read_table(t);

	assert_int_equal(tab.layout, t->layout);
	assert_int_equal(tab.word, t->word);
	assert_int_equal(tab.n_funcs, 2);
	check_outer(t, &tab);
	check_leaf(&tab);
	check_outside(&tab);
}

static void test_layouts(void **state)
{
	(void)state;
	go_for_each_form(check_form);
}

static void read_everything(const struct base_pclntab *tab)
{
	struct base_go_func func;
	uint64_t data;

	for (uint64_t i = 0; i < tab->n_funcs && i < 8; i++) {
		if (!base_pclntab_func(tab, i, &func))
			continue;
		const uint32_t tables[] = { func.frame_table, func.file_table, func.line_table,
			base_go_table(tab, &func, 2) };
		for (int k = 0; k < 4; k++) {
			struct base_go_values values = base_go_values_init(tab, &func, tables[k]);

			while (base_go_values_next(&values)) {
				assert_true(values.start < values.end && values.end <= func.end);
				base_go_file(tab, &func, values.value);
				base_go_name(tab, (uint32_t)values.value);
			}
		}
		for (uint32_t k = 0; k < func.n_funcdata; k++)
			base_go_funcdata(tab, &func, k, &data);
	}
	for (uint64_t addr = GO_TEXT - 1; addr <= GO_TEXT + GO_LEAF_END; addr++) {
		base_pclntab_find(tab, addr, &func);
		assert_true(func.start <= addr && addr < func.end);
	}
}

/* Each byte in turn has values that make offsets and counts too large. */
static void damage_form(struct go_table *t)
{
	static const uint8_t values[] = { 0x00, 0x7f, 0x80, 0xff };
	size_t size = t->bytes.buf.n;
	struct base_pclntab tab;

	for (size_t i = 0; i < 4 * size; i++) {
		/* A copy of the exact size, so that a tool notices reads past the end. */
		uint8_t *bytes = malloc(size);

		memcpy(bytes, t->bytes.buf.data, size);
		bytes[i / 4] = values[i % 4];
		if (base_pclntab_init(bytes, size, t->bytes.swap, &tab))
			read_everything(&tab);
		free(bytes);
	}
}

static void truncate_form(struct go_table *t)
{
	struct base_pclntab tab;

	for (size_t size = 0; size < t->bytes.buf.n; size++) {
		uint8_t *bytes = malloc(size + 1);

		memcpy(bytes, t->bytes.buf.data, size);
		if (base_pclntab_init(bytes, size, t->bytes.swap, &tab))
			read_everything(&tab);
		free(bytes);
	}
}

static void test_damage(void **state)
{
	(void)state;
	go_for_each_form(damage_form);
	go_for_each_form(truncate_form);
}

/* A range of no length would make a table endless. */
static void test_empty_range(void **state)
{
	static const uint8_t header[PD_PCLNTAB_HEADER_MAX];
	static const uint8_t bytes[] = { 0, 2, 4, 2, 0, 2, 4 };
	struct base_pclntab tab = { .data = bytes, .size = sizeof(bytes), .quantum = 1 };
	const struct base_go_func func = { .start = 0x10, .end = 0x20 };

	(void)state;
	struct base_go_values values = base_go_values_init(&tab, &func, 1);
	assert_true(base_go_values_next(&values));
	assert_int_equal(values.value, 0);
	assert_false(base_go_values_next(&values));
	/* Other data is not a table. */
	assert_false(base_pclntab_init(header, sizeof(header), false, &tab));
	assert_false(base_pclntab_init(NULL, 0, false, &tab));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_layouts),
		cmocka_unit_test(test_damage),
		cmocka_unit_test(test_empty_range),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

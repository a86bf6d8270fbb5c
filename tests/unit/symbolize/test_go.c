#include "tests/unit/test.h"

#include "symbolize/go/go_names.h"
#include "tests/unit/made_go_table.h"

/* Table with the tree of main.outer in a section. */
struct fixture {
	struct sym_go_table table;
	struct sym_ranges ranges;
	struct sym_new_ranges fresh;
	struct sym_go_reader reader;
};

/* Detect trees with the right base after a wrong one. */
static void set_up(struct fixture *f, const struct go_table *t)
{
	static const uint64_t bases[] = { GO_DATA + 4, GO_DATA };
	const struct sym_section data = { t->data.buf.data, t->data.buf.n, GO_DATA };

	*f = (struct fixture){ .table = { .swap = t->bytes.swap } };
	assert_true(base_pclntab_init(
		t->bytes.buf.data, t->bytes.buf.n, t->bytes.swap, &f->table.functions));
	assert_true(pd_vec_push(&f->table.data, data));
	sym_go_trees_detect(&f->table, bases, 2);
	sym_go_reader_init(&f->table, &f->ranges, &f->fresh, &f->reader);
}

static void tear_down(struct fixture *f)
{
	sym_go_reader_deinit(&f->reader);
	sym_new_ranges_deinit(&f->fresh);
	sym_ranges_deinit(&f->ranges);
	sym_go_table_deinit(&f->table);
}

/* Text of the location at @p addr: "inner inner.go:200 < middle inner.go:100 < outer.go:10". */
static const char *locate(struct fixture *f, uint64_t addr)
{
	static char text[256];
	uint64_t start = 0, end = UINT64_MAX;
	size_t n = 0;

	assert_ok(sym_go_read_location(&f->reader, GO_TEXT + addr, &start, &end));
	assert_true(start <= GO_TEXT + addr && GO_TEXT + addr < end);
	const struct sym_location_range *location =
		&f->fresh.locations.data[f->fresh.locations.n - 1];
	uint32_t file = location->file, line = location->line, i = location->scope;

	text[0] = '\0';
	for (; i != SYM_NONE; i = f->ranges.scopes.data[i].outer) {
		const struct sym_range_scope *scope = &f->ranges.scopes.data[i];
		const struct sym_range_function *function =
			&f->ranges.functions.data[scope->function];
		const char *path = sym_ranges_text(&f->ranges, file);

		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%s %s:%u", n ? " < " : "",
			sym_ranges_text(&f->ranges, function->linkage), path ? path : "?", line);
		file = scope->call_file;
		line = scope->call_line;
	}
	return text;
}

static void check_form(struct go_table *t)
{
	struct fixture f;

	set_up(&f, t);
	assert_non_null(f.table.tree_format);
	assert_string_equal(locate(&f, 0x00), "main.outer outer.go:10");
	assert_string_equal(locate(&f, 0x10), "main.middle inner.go:100 < main.outer outer.go:10");
	assert_string_equal(locate(&f, 0x18),
		"main.inner inner.go:200 < main.middle inner.go:100 < main.outer outer.go:10");
	assert_string_equal(locate(&f, 0x20), "main.outer outer.go:12");
	/* Padding, another function, and code outside of the table. */
	assert_string_equal(locate(&f, GO_CODE_END), "");
	assert_string_equal(locate(&f, GO_OUTER_END), "main.leaf ?:30");
	assert_string_equal(locate(&f, GO_LEAF_END), "");
	tear_down(&f);
}

static void test_inlined_calls(void **state)
{
	(void)state;
	go_for_each_form(check_form);
}

/* Without the tree, the file and line of an inlined call do not belong to the function. */
static void check_without_tree(struct go_table *t)
{
	struct fixture f;

	memset(t->data.buf.data, 0xff, t->data.buf.n);
	set_up(&f, t);
	assert_null(f.table.tree_format);
	assert_string_equal(locate(&f, 0x00), "main.outer outer.go:10");
	assert_string_equal(locate(&f, 0x10), "main.outer ?:0");
	assert_string_equal(locate(&f, 0x18), "main.outer ?:0");
	tear_down(&f);
}

static void test_without_tree(void **state)
{
	(void)state;
	go_for_each_form(check_without_tree);
}

/* Damage in one tree, found when it is read: an inlined call within itself. */
static void check_loop(struct go_table *t)
{
	enum { CALL = 16, PARENT_PC = 8 };
	struct fixture f;

	if (t->layout != PD_GO_1_20)
		return;
	set_up(&f, t);
	/* The second call claims to be called from its own code. */
	struct pd_bytes b = { .swap = t->data.swap };
	pd_bytes_u32(&b, 0x18);
	memcpy(t->data.buf.data + GO_TREE + CALL + PARENT_PC, b.buf.data, 4);
	pd_bytes_deinit(&b);
	assert_string_equal(locate(&f, 0x18), "main.outer ?:0");
	assert_string_equal(locate(&f, 0x10), "main.middle inner.go:100 < main.outer outer.go:10");
	tear_down(&f);
}

static void test_loop(void **state)
{
	(void)state;
	go_for_each_form(check_loop);
}

static void check_symbols(struct go_table *t)
{
	struct sym_symbol symbol;
	struct fixture f;

	set_up(&f, t);
	sym_go_find_symbol(&f.reader, GO_TEXT + 0x37, &symbol);
	assert_string_equal(symbol.name, "main.outer");
	assert_int_equal(symbol.start, GO_TEXT);
	assert_int_equal(symbol.end, GO_TEXT + GO_CODE_END);
	sym_go_find_symbol(&f.reader, GO_TEXT + GO_CODE_END, &symbol);
	assert_null(symbol.name);
	assert_int_equal(symbol.start, GO_TEXT + GO_CODE_END);
	assert_int_equal(symbol.end, GO_TEXT + GO_OUTER_END);
	tear_down(&f);
}

static void test_symbols(void **state)
{
	(void)state;
	go_for_each_form(check_symbols);
}

/* Each byte of the table and of the tree in turn has values that make offsets too large. */
static void damage_form(struct go_table *t)
{
	static const uint8_t values[] = { 0x00, 0x80, 0xff };
	size_t n = t->bytes.buf.n + t->data.buf.n;
	struct fixture f;

	for (size_t i = 0; i < 3 * n; i++) {
		uint8_t *byte = i / 3 < t->bytes.buf.n
					? t->bytes.buf.data + i / 3
					: t->data.buf.data + (i / 3 - t->bytes.buf.n);
		uint8_t before = *byte;
		struct base_pclntab tab;

		*byte = values[i % 3];
		if (base_pclntab_init(t->bytes.buf.data, t->bytes.buf.n, t->bytes.swap, &tab)) {
			set_up(&f, t);
			for (uint64_t addr = 0; addr <= GO_LEAF_END; addr += 8)
				locate(&f, addr);
			assert_ok(sym_ranges_merge(&f.ranges, &f.fresh));
			assert_true(sym_ranges_are_sound(&f.ranges));
			tear_down(&f);
		}
		*byte = before;
	}
}

static void test_damage(void **state)
{
	(void)state;
	go_for_each_form(damage_form);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_inlined_calls),
		cmocka_unit_test(test_without_tree),
		cmocka_unit_test(test_loop),
		cmocka_unit_test(test_symbols),
		cmocka_unit_test(test_damage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

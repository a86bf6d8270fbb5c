/* Tables: every cell is what its column promises, and the tree has the stacks of the profile. */
#include "tests/unit/made_profile.h"

#include <string.h>

#include "base/utf8.h"
#include "tables/tables.h"

/* Three frames of binaries a, b and c; two stacks that share a root, one within another, and none. */
static struct profile *make(void)
{
	struct profile *profile;

	assert_ok(prof_create(&profile));
	const struct prof_event_id event = made_event(profile, "cycles", "count");
	const struct prof_frame_id a = made_frame(profile, "a"), b = made_frame(profile, "b"),
				   c = made_frame(profile, "c");
	const struct prof_frame_id stacks[][3] = { { c, b, a }, { b, a }, { c, a } };
	const struct prof_thread thread = made_thread(profile, 1, 2, "x\xff\x1b");

	for (size_t i = 0; i < 4; i++) {
		const struct prof_sample sample = {
			.stack = i < 3 ? prof_add_stack(profile, stacks[i], i ? 2 : 3)
				       : prof_add_stack(profile, NULL, 0),
			.thread = prof_add_thread(profile, &thread),
			.event = event,
			.end = PD_N_UNWIND_ENDS,
			.tags = prof_no_tags(),
		};

		assert_ok(prof_add_sample(profile, &sample, 10u << i, NULL));
	}
	return profile;
}

static const struct tab_column *column_of(const struct tab_table *table, const char *name)
{
	for (size_t i = 0; i < table->n_columns; i++) {
		if (strcmp(table->columns[i].name, name) == 0)
			return &table->columns[i];
	}
	fail_msg("%s has no column %s", table->name, name);
	return NULL;
}

static struct tab_cell cell_of(
	struct tab_source *source, const char *table, const char *column, size_t row)
{
	const struct tab_table *found = tab_find(table);
	struct tab_cell ret;

	assert_non_null(found);
	assert_ok(tab_get(source, found, column_of(found, column), row, &ret));
	return ret;
}

static int64_t number_of(
	struct tab_source *source, const char *table, const char *column, size_t row)
{
	struct tab_cell cell = cell_of(source, table, column, row);

	assert_false(cell.is_null);
	return cell.integer;
}

static void assert_cell(struct tab_source *source, const struct tab_table *table,
	const struct tab_column *column, size_t row)
{
	struct tab_cell cell;

	assert_ok(tab_get(source, table, column, row, &cell));
	if (cell.is_null) {
		if (!column->may_be_null)
			fail_msg("%s.%s is NULL", table->name, column->name);
		return;
	}
	if (column->refers_to)
		assert_in_range(
			cell.integer, 0, tab_n_rows(source, tab_find(column->refers_to)) - 1);
	for (size_t at = 0; column->type == TAB_TEXT && at < cell.len;) {
		uint32_t character;
		size_t n =
			base_utf8_decode((const char *)cell.bytes + at, cell.len - at, &character);

		assert_true(n > 0 && character);
		at += n;
	}
}

static void cells_are_what_their_columns_promise(void **state)
{
	size_t n_tables, n_cells = 0;
	const struct tab_table *const *tables = tab_tables(&n_tables);
	struct profile *profile = make();
	struct tab_source *source;

	(void)state;
	assert_ok(tab_source_create(profile, tab_all_needs(), &source));
	for (size_t t = 0; t < n_tables; t++) {
		assert_ptr_equal(tab_find(tables[t]->name), tables[t]);
		assert_true(!tables[t]->has_id || strcmp(tables[t]->columns[0].name, "id") == 0);
		for (size_t row = 0; row < tab_n_rows(source, tables[t]); row++) {
			for (size_t i = 0; i < tables[t]->n_columns; i++, n_cells++)
				assert_cell(source, tables[t], &tables[t]->columns[i], row);
		}
	}
	assert_true(n_cells > 300);
	assert_null(tab_find("nothing"));
	tab_source_destroy(source);
	prof_destroy(profile);
}

static void stacks_are_a_tree(void **state)
{
	struct profile *profile = make();
	struct tab_source *source;

	(void)state;
	assert_ok(tab_source_create(profile, tab_all_needs(), &source));
	/* c < b < a, b < a, c < a, none, and the root a, with which no stack ends. */
	assert_int_equal(tab_n_rows(source, tab_find("stacks")), 5);
	assert_int_equal(number_of(source, "stacks", "parent", 0), 1);
	assert_int_equal(number_of(source, "stacks", "parent", 1), 4);
	assert_int_equal(number_of(source, "stacks", "parent", 2), 4);
	assert_true(cell_of(source, "stacks", "frame", 3).is_null);
	assert_true(cell_of(source, "stacks", "parent", 4).is_null);
	assert_int_equal(number_of(source, "stacks", "depth", 0), 3);
	assert_int_equal(number_of(source, "stacks", "frame", 0), 2);
	assert_int_equal(number_of(source, "stacks", "frame", 4), 0);
	assert_true(cell_of(source, "sample_groups", "stack", 3).is_null);
	/* Sums of the root, of b, and of samples without a stack. */
	assert_int_equal(tab_n_rows(source, tab_find("stack_totals")), 5);
	assert_int_equal(number_of(source, "stack_totals", "period", 4), 70);
	assert_int_equal(number_of(source, "stack_totals", "self_period", 4), 0);
	assert_int_equal(number_of(source, "stack_totals", "period", 1), 30);
	assert_int_equal(number_of(source, "stack_totals", "self_period", 1), 20);
	assert_int_equal(number_of(source, "stack_totals", "samples", 3), 1);
	tab_source_destroy(source);
	prof_destroy(profile);
}

static void names_are_utf8(void **state)
{
	static const char expected[] = "x\xf4\x8f\xbb\xbf\x1b";
	struct profile *profile = make();
	struct tab_source *source;

	(void)state;
	assert_ok(tab_source_create(profile, 0, &source));
	struct tab_cell cell = cell_of(source, "threads", "comm", 0);
	assert_int_equal(cell.len, sizeof(expected) - 1);
	assert_memory_equal(cell.bytes, expected, cell.len);
	tab_source_destroy(source);
	prof_destroy(profile);
}

static void tables_that_need_more_are_empty(void **state)
{
	size_t n;
	const struct tab_table *const *tables = tab_tables(&n);
	struct profile *profile = make();
	struct prof_request request = { 0 };
	struct tab_source *source;

	(void)state;
	assert_ok(tab_source_create(profile, 0, &source));
	for (size_t i = 0; i < n; i++)
		assert_true(!tables[i]->needs || !tab_n_rows(source, tables[i]));
	assert_int_equal(tab_n_rows(source, tab_find("sample_groups")), 4);
	tab_source_destroy(source);
	tab_request(0, &request);
	assert_true(request.no_names && !request.rows && !request.phases);
	tab_request(tab_find("samples")->needs | tab_find("frames")->needs, &request);
	assert_true(request.rows);
	prof_destroy(profile);
}

static void folded_stacks_have_names(void **state)
{
	struct profile *profile = make();
	struct tab_source *source;
	struct tab_cell cell;

	(void)state;
	assert_ok(tab_source_create(profile, tab_folded.needs, &source));
	assert_int_equal(tab_n_rows(source, &tab_folded), 4);
	for (size_t row = 0; row < 4; row++) {
		for (size_t i = 0; i < tab_folded.n_columns; i++)
			assert_cell(source, &tab_folded, &tab_folded.columns[i], row);
	}
	assert_ok(tab_get(source, &tab_folded, column_of(&tab_folded, "stack"), 0, &cell));
	assert_int_equal(cell.len, strlen("work;work;work"));
	assert_memory_equal(cell.bytes, "work;work;work", cell.len);
	assert_ok(tab_get(source, &tab_folded, column_of(&tab_folded, "stack"), 3, &cell));
	assert_int_equal(cell.len, 0);
	assert_ok(tab_get(source, &tab_folded, column_of(&tab_folded, "function"), 3, &cell));
	assert_true(cell.is_null);
	assert_ok(tab_get(source, &tab_folded, column_of(&tab_folded, "binary"), 0, &cell));
	assert_memory_equal(cell.bytes, "c", cell.len);
	assert_ok(tab_get(source, &tab_folded, column_of(&tab_folded, "period"), 2, &cell));
	assert_int_equal(cell.integer, 40);
	tab_source_destroy(source);
	/* It is not one of the tables of databases. */
	assert_null(tab_find("folded"));
	prof_destroy(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cells_are_what_their_columns_promise),
		cmocka_unit_test(stacks_are_a_tree),
		cmocka_unit_test(names_are_utf8),
		cmocka_unit_test(tables_that_need_more_are_empty),
		cmocka_unit_test(folded_stacks_have_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

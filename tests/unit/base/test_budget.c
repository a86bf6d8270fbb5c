/* Budgets: counting, refusing, giving back, and what the error says. */
#include "tests/unit/test.h"

#include <pdconv/file.h>
#include <pdconv/reader.h>

#include "base/arena.h"
#include "base/budget.h"
#include "base/containers/intern.h"
#include "base/pool.h"
#include "base/io/spill.h"

enum { KIB = 1024, MIB = 1024 * KIB };

static void assert_text(struct pd_error *err, const char *text)
{
	assert_int_equal(err->code, PD_ERROR_NOMEM);
	assert_string_equal(err->message, text);
	pd_error_destroy(err);
}

static void what_exceeds_the_limit_is_refused(void **state)
{
	struct pd_budget *budget = pd_budget_create(100);
	struct base_account *stacks = base_budget_account(budget, PD_MEMORY_STACKS);
	struct base_account *texts = base_budget_account(budget, PD_MEMORY_TEXTS);

	(void)state;
	assert_true(base_account_charge(stacks, 60));
	assert_false(base_account_charge(texts, 41));
	assert_int_equal(pd_budget_used(budget), 60);
	assert_true(base_account_charge(texts, 40));
	base_account_release(stacks, 60);
	assert_int_equal(pd_budget_used(budget), 40);
	assert_true(base_account_charge(texts, 60));
	assert_false(base_account_charge(texts, 1));
	pd_budget_destroy(budget);
}

static void without_a_budget_there_is_no_limit(void **state)
{
	(void)state;
	assert_null(base_budget_account(NULL, PD_MEMORY_STACKS));
	assert_true(base_account_charge(NULL, SIZE_MAX));
	base_account_release(NULL, SIZE_MAX);
	assert_true(pd_budget_limit(NULL) == UINT64_MAX);
	assert_ptr_equal(pd_budget_error(NULL, "x"), &pd_enomem);
}

static void the_error_names_what_took_most(void **state)
{
	struct pd_budget *budget = pd_budget_create(256 * (uint64_t)MIB);
	struct base_account *stacks = base_budget_account(budget, PD_MEMORY_STACKS);

	(void)state;
	assert_true(base_account_charge(stacks, 180 * MIB));
	assert_text(pd_budget_error(budget, NULL), "out of memory: 256 MiB are allowed");
	assert_false(base_account_charge(stacks, 100 * MIB));
	base_account_release(stacks, 180 * MIB);
	assert_text(pd_budget_error(budget, NULL),
		"out of memory: call stacks take 180 MiB of the 256 MiB that are allowed");
	pd_budget_destroy(budget);
}

static void sets_give_back_what_they_took(void **state)
{
	struct pd_budget *budget = pd_budget_create(4 * (uint64_t)MIB);
	struct base_intern set = { 0 };
	uint32_t n = 0;

	(void)state;
	assert_int_equal(base_intern_str(&set, "before the set has an account"), 0);
	set.arena.account = base_budget_account(budget, PD_MEMORY_STACKS);
	while (base_intern_add(&set, &n, sizeof(n)) != PD_INTERN_NONE)
		n++;
	/* All of the budget is used, except for less than what a table needs to grow. */
	assert_true(n > 10000);
	assert_true(pd_budget_used(budget) > 1 * MIB);
	assert_true(pd_budget_used(budget) <= 4 * MIB);
	/* Values that were interned before can still be found. */
	for (uint32_t i = 0; i < n; i++)
		assert_int_equal(base_intern_find(&set, &i, sizeof(i)), i + 1);
	base_intern_deinit(&set);
	assert_int_equal(pd_budget_used(budget), 0);
	pd_budget_destroy(budget);
}

static void arrays_move_to_a_file_when_the_budget_is_used_up(void **state)
{
	PD_SPILL_VEC(uint64_t) v = { .spill.max_bytes = 64 * MIB };

	(void)state;
	needs_linux();
	struct pd_budget *budget = pd_budget_create(MIB);
	v.spill.account = base_budget_account(budget, PD_MEMORY_ROWS);
	for (uint64_t i = 0; i < MIB; i++)
		assert_ok(base_spill_push(&v, i));
	assert_non_null(v.spill.file.bytes);
	assert_int_equal(pd_budget_used(budget), 0);
	for (uint64_t i = 0; i < MIB; i++)
		assert_int_equal(v.data[i], i);
	base_spill_deinit(&v);
	pd_budget_destroy(budget);
}

enum { N_ITEMS = 1000, ITEM_BYTES = 1000 };

static void charge_item(void *ctx, size_t worker, size_t item)
{
	struct pd_budget *budget = ctx;
	struct base_account *account = base_budget_account(budget, PD_MEMORY_FRAMES);

	(void)worker;
	for (size_t i = 0; i < 100; i++) {
		assert_true(base_account_charge(account, ITEM_BYTES));
		base_account_release(account, item % 2 ? ITEM_BYTES : 0);
	}
}

static void threads_share_a_budget(void **state)
{
	struct pd_budget *budget = pd_budget_create(UINT32_MAX);
	struct base_pool *pool;

	(void)state;
	assert_ok(base_pool_create(4, &pool));
	base_pool_run(pool, N_ITEMS, charge_item, budget);
	assert_int_equal(pd_budget_used(budget), N_ITEMS / 2 * 100 * ITEM_BYTES);
	base_pool_destroy(pool);
	pd_budget_destroy(budget);
}

static size_t read_all(struct pd_file *file)
{
	struct pd_reader *reader;
	struct pd_record rec;
	size_t n = 0;

	assert_ok(pd_reader_create(file, PD_ORDER_TIME, &reader));
	for (assert_ok(pd_reader_next(reader, &rec)); rec.bytes;
		assert_ok(pd_reader_next(reader, &rec)))
		n++;
	pd_reader_destroy(reader);
	return n;
}

/* Two recordings in one process have a budget each, which is free again when they were read. */
static void readers_have_the_budget_of_their_file(void **state)
{
	struct pd_budget *budgets[2] = { pd_budget_create(MIB), pd_budget_create(64 * MIB) };
	size_t n[3];

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct pd_file *file;

		assert_ok(pd_file_open("testdata/compressed/perf.data", NULL, &file));
		if (i < 2)
			pd_file_set_budget(file, budgets[i]);
		n[i] = read_all(file);
		pd_file_close(file);
	}
	assert_int_equal(n[0], n[2]);
	assert_int_equal(n[1], n[2]);
	for (size_t i = 0; i < 2; i++) {
		assert_true(budgets[i]->accounts[PD_MEMORY_RECORDS].peak > 0);
		assert_int_equal(pd_budget_used(budgets[i]), 0);
		pd_budget_destroy(budgets[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_exceeds_the_limit_is_refused),
		cmocka_unit_test(without_a_budget_there_is_no_limit),
		cmocka_unit_test(the_error_names_what_took_most),
		cmocka_unit_test(sets_give_back_what_they_took),
		cmocka_unit_test(arrays_move_to_a_file_when_the_budget_is_used_up),
		cmocka_unit_test(threads_share_a_budget),
		cmocka_unit_test(readers_have_the_budget_of_their_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

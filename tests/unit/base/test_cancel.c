#include "base/cancel.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <cmocka.h>

#include "base/pool.h"

/* Answers of the caller: the one with this number is an error. */
struct caller {
	size_t n_asked;
	size_t refuses_at;
};

static struct pd_error refusal = { .code = PD_ERROR_USAGE };

static struct pd_error *answer(void *ctx)
{
	struct caller *caller = ctx;

	return ++caller->n_asked == caller->refuses_at ? &refusal : NULL;
}

static void sleep_ms(long ms)
{
	nanosleep(&(struct timespec){ .tv_nsec = ms * 1000000 }, NULL);
}

static void nothing_is_cancelled_without_an_operation(void **state)
{
	(void)state;
	assert_false(base_is_cancelled());
	assert_false(base_cancel_ask());
	assert_null(base_cancel_current());
}

static void the_caller_is_asked_now_and_then(void **state)
{
	struct caller caller = { .refuses_at = 3 };
	struct base_cancel cancel = { .ask = answer, .ctx = &caller };

	(void)state;
	struct base_cancel_scope before =
		base_cancel_enter((struct base_cancel_scope){ &cancel, .can_ask = true });
	for (int i = 0; i < 1000; i++)
		assert_false(base_is_cancelled());
	assert_true(caller.n_asked == 1 || caller.n_asked == 2);
	caller.n_asked = 1;
	assert_false(base_cancel_ask());
	sleep_ms(PD_CANCEL_MS + 1);
	assert_true(base_is_cancelled());
	assert_ptr_equal(cancel.err, &refusal);
	assert_true(base_cancel_ask() && base_is_cancelled());
	assert_int_equal(caller.n_asked, 3);
	assert_ptr_equal(base_cancel_enter(before).cancel, &cancel);
	assert_false(base_is_cancelled());
}

/* Works until it is cancelled. Only the first items belong to the caller's thread. */
static void work(void *ctx, size_t worker, size_t item)
{
	(void)ctx;
	(void)worker;
	(void)item;
	while (!base_is_cancelled())
		sleep_ms(1);
}

/* With one worker the caller's thread works and asks, with several it asks while it waits, too. */
static void pools_end_when_the_caller_refuses(void **state)
{
	(void)state;
	for (size_t n = 1; n <= 4; n++) {
		struct caller caller = { .refuses_at = 2 };
		struct base_cancel cancel = { .ask = answer, .ctx = &caller };
		struct base_pool *pool;

		struct base_cancel_scope before =
			base_cancel_enter((struct base_cancel_scope){ &cancel, .can_ask = true });
		assert_null(base_pool_create(n, &pool));
		base_pool_run(pool, 100, work, NULL);
		base_pool_destroy(pool);
		base_cancel_enter(before);
		assert_ptr_equal(cancel.err, &refusal);
		assert_int_equal(caller.n_asked, 2);
	}
}

/* Sleeps, except on the caller's thread, which then has to wait. */
static void sleep_elsewhere(void *ctx, size_t worker, size_t item)
{
	atomic_bool *has_begun = ctx;

	(void)item;
	if (worker)
		atomic_store(has_begun, true);
	for (int i = 0; worker && i < 2000 && !base_is_cancelled(); i++)
		sleep_ms(1);
}

static void the_caller_is_asked_while_others_work(void **state)
{
	struct caller caller = { .refuses_at = 3 };
	struct base_cancel cancel = { .ask = answer, .ctx = &caller };
	atomic_bool has_begun = false;
	struct base_pool *pool;

	(void)state;
	struct base_cancel_scope before =
		base_cancel_enter((struct base_cancel_scope){ &cancel, .can_ask = true });
	assert_null(base_pool_create(2, &pool));
	base_pool_start(pool, 2, sleep_elsewhere, &has_begun);
	/* The other thread takes an item before this one helps. */
	while (!atomic_load(&has_begun))
		sleep_ms(1);
	base_pool_finish(pool);
	base_pool_destroy(pool);
	base_cancel_enter(before);
	assert_ptr_equal(cancel.err, &refusal);
	assert_int_equal(caller.n_asked, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_cancelled_without_an_operation),
		cmocka_unit_test(the_caller_is_asked_now_and_then),
		cmocka_unit_test(pools_end_when_the_caller_refuses),
		cmocka_unit_test(the_caller_is_asked_while_others_work),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

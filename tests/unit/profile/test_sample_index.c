/* The index of samples: equal samples have one id, also after the table grew. */
#include "profile/sample_index.h"

#include "base/array.h"
#include "base/budget.h"
#include "profile/profile.h"
#include "tests/unit/test.h"

enum { N_SAMPLES = 20000, N_STACKS = 50 };

static struct prof_sample sample_of(uint32_t i)
{
	return (struct prof_sample){
		.stack = { i % N_STACKS }, .end = 1, .tags = { i / N_STACKS }
	};
}

static void check_all(struct prof_sample_index *index, struct prof_sample *samples, bool is_first)
{
	for (uint32_t i = 0; i < N_SAMPLES; i++) {
		const struct prof_sample sample = sample_of(i);
		uint32_t next = is_first ? i : N_SAMPLES, id = UINT32_MAX;

		assert_true(prof_sample_index_add(index, samples, &sample, next, &id));
		assert_int_equal(id, i);
		if (is_first)
			samples[i] = sample;
	}
	assert_int_equal(index->n, N_SAMPLES);
}

static void finds_equal_samples(void **state)
{
	(void)state;
	struct prof_sample *samples = calloc(N_SAMPLES, sizeof(*samples));
	struct prof_sample_index index = { 0 };

	assert_non_null(samples);
	check_all(&index, samples, true);
	check_all(&index, samples, false);
	prof_sample_index_deinit(&index);
	assert_int_equal(index.n, 0);
	free(samples);
}

static void counts_its_table(void **state)
{
	enum { FIRST_TABLE = 64 * 8 };
	struct pd_budget *budget = pd_budget_create(4 * FIRST_TABLE);
	struct prof_sample samples[128] = { 0 };
	struct prof_sample_index index = { .account =
						   base_budget_account(budget, PD_MEMORY_SAMPLES) };
	uint32_t id = 0, n = 0;

	(void)state;
	/* The third table would be added to the second one, until that is freed. */
	for (; n < PD_ARRAY_LEN(samples); n++) {
		samples[n] = sample_of(n);
		if (!prof_sample_index_add(&index, samples, &samples[n], n, &id))
			break;
	}
	assert_int_equal(n, 2 * 128 / 3 + 1);
	assert_int_equal(pd_budget_used(budget), 2 * FIRST_TABLE);
	prof_sample_index_deinit(&index);
	assert_int_equal(pd_budget_used(budget), 0);
	pd_budget_destroy(budget);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_equal_samples),
		cmocka_unit_test(counts_its_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

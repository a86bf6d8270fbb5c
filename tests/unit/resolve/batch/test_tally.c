/*
 * The table of a tally finds what was added, also after it grew, and keeps to its limits. Fields of
 * samples are read where the event says, and from samples of the right size only.
 */
#include "resolve/batch/tally_table.h"

#include "base/array.h"
#include "resolve/batch/plain_layout.h"
#include "tests/unit/test.h"

enum { N_KEYS = 5000 };

/* Keys that differ in one of their parts. */
static struct resolve_tally_key key_of(uint32_t i)
{
	return (struct resolve_tally_key){ i / 8, i % 8 };
}

static bool add(struct resolve_tally_table *table, uint32_t i)
{
	return resolve_tally_add(table, key_of(i), resolve_tally_hash(key_of(i))) !=
	       RESOLVE_TALLY_NO_ROW;
}

static struct resolve_tally_row *find(const struct resolve_tally_table *table, uint32_t i)
{
	uint32_t row = resolve_tally_find(table, key_of(i), resolve_tally_hash(key_of(i)));

	return row == RESOLVE_TALLY_NO_ROW ? NULL : &table->rows[row];
}

static void finds_all(const struct resolve_tally_table *table, uint32_t n)
{
	assert_int_equal(table->n, n);
	for (uint32_t i = 0; i < n; i++)
		assert_int_equal(find(table, i)->period, i);
	assert_null(find(table, n));
}

static void finds_what_was_added(void **state)
{
	enum { N = 1 << 18 };
	struct resolve_tally_table table = { 0 };

	(void)state;
	for (uint32_t i = 0; i < N; i++) {
		size_t n_slots = table.slots.n;

		assert_null(find(&table, i));
		assert_true(add(&table, i));
		assert_int_equal(find(&table, i)->n_samples, 0);
		find(&table, i)->period = i;
		/* A table that grows moves what it has. */
		if (table.slots.n != n_slots)
			finds_all(&table, i + 1);
	}
	finds_all(&table, N);
	resolve_tally_table_deinit(&table);
	assert_null(find(&table, 0));
}

static void keeps_to_its_limit(void **state)
{
	struct resolve_tally_table table = { .max_slots = 2048 };
	uint32_t n = 0;

	(void)state;
	while (n < N_KEYS && add(&table, n))
		n++;
	assert_int_equal(n, 2 * 2048 / 3 + 1);
	assert_int_equal(table.slots.n, 2048);
	assert_non_null(find(&table, n - 1));
	resolve_tally_table_deinit(&table);
	assert_true(add(&table, 0));
	resolve_tally_table_deinit(&table);
}

static void counts_its_slots(void **state)
{
	size_t second = resolve_tally_bytes(2048);
	struct pd_budget *budget = pd_budget_create(second);
	struct resolve_tally_table table = {
		.account = base_budget_account(budget, PD_MEMORY_SAMPLES),
	};
	uint32_t n = 0;

	(void)state;
	while (n < N_KEYS && add(&table, n))
		n++;
	assert_int_equal(n, 2 * 2048 / 3 + 1);
	assert_int_equal(pd_budget_used(budget), second);
	resolve_tally_table_deinit(&table);
	assert_int_equal(pd_budget_used(budget), 0);
	pd_budget_destroy(budget);
}

static struct pd_event event_of(uint64_t sample_type)
{
	struct pd_event event = { .attr = { .sample_type = sample_type, .sample_period = 7 } };

	pd_plan_compile(&event.attr, &event.plan);
	return event;
}

#define BIT(name) (UINT64_C(1) << PD_SAMPLE_##name)

static bool is_plain(uint64_t sample_type)
{
	const struct pd_event event = event_of(sample_type);

	return resolve_plain_layout_of(&event).is_plain;
}

static void knows_simple_layouts(void **state)
{
	const uint64_t flat = BIT(IP) | BIT(TID);

	(void)state;
	assert_true(is_plain(flat));
	assert_true(is_plain(flat | BIT(IDENTIFIER) | BIT(TIME) | BIT(CPU) | BIT(PERIOD)));
	assert_true(is_plain(flat | BIT(CALLCHAIN)));
	assert_false(is_plain(BIT(IP)));
	assert_false(is_plain(BIT(TID)));
	assert_false(is_plain(flat | BIT(READ)));
	assert_false(is_plain(flat | BIT(RAW)));
	assert_false(is_plain(flat | BIT(STACK_USER)));
	assert_false(is_plain(flat | BIT(BRANCH_STACK)));
	/* A field after the call chain. */
	assert_false(is_plain(flat | BIT(CALLCHAIN) | BIT(DATA_SRC)));
	/* A field that is not known. */
	assert_false(is_plain(flat | UINT64_C(1) << 62));
}

/* Read @p n words after a header as a sample of @p sample_type. */
static bool read_words(uint64_t sample_type, uint64_t *words, size_t n, size_t n_bytes,
	struct resolve_plain_fields *ret)
{
	const struct pd_event event = event_of(sample_type);
	const struct resolve_plain_layout layout = resolve_plain_layout_of(&event);
	const struct pd_record rec = {
		.type = PD_RECORD_SAMPLE,
		.size = (uint32_t)n_bytes,
		.bytes = (const uint8_t *)words,
	};

	assert_true(n_bytes <= n * sizeof(*words));
	return resolve_plain_read(&layout, &rec, ret);
}

static void reads_fields(void **state)
{
	const uint64_t type = BIT(IP) | BIT(TID) | BIT(TIME) | BIT(PERIOD);
	uint32_t ids[] = { 11, 12 };
	uint64_t words[] = { 0, 0x1234, 0, 99, 5 };
	struct resolve_plain_fields fields;

	(void)state;
	memcpy(&words[2], ids, sizeof(ids));
	assert_true(read_words(type, words, PD_ARRAY_LEN(words), sizeof(words), &fields));
	assert_int_equal(fields.ip, 0x1234);
	assert_int_equal(fields.pid, 11);
	assert_int_equal(fields.tid, 12);
	assert_int_equal(fields.period, 5);
	assert_int_equal(fields.n, 0);
	assert_false(read_words(type, words, PD_ARRAY_LEN(words), sizeof(words) - 8, &fields));
	/* Without a period, it is that of the event; one word is too many. */
	assert_false(read_words(
		BIT(IP) | BIT(TID) | BIT(TIME), words, PD_ARRAY_LEN(words), 40, &fields));
	assert_true(read_words(
		BIT(IP) | BIT(TID) | BIT(TIME), words, PD_ARRAY_LEN(words), 32, &fields));
	assert_int_equal(fields.period, 7);
}

static void reads_chains(void **state)
{
	const uint64_t type = BIT(IP) | BIT(TID) | BIT(CALLCHAIN);
	uint64_t words[] = { 0, 1, 0, 3, PD_CONTEXT_USER, 0x10, 0x20 };
	struct resolve_plain_fields fields;

	(void)state;
	assert_true(read_words(type, words, PD_ARRAY_LEN(words), sizeof(words), &fields));
	assert_int_equal(fields.n, 3);
	assert_ptr_equal(fields.chain, &words[4]);
	/* Bytes are left, the entries are cut, or their number is absurd. */
	words[3] = 2;
	assert_false(read_words(type, words, PD_ARRAY_LEN(words), sizeof(words), &fields));
	words[3] = 4;
	assert_false(read_words(type, words, PD_ARRAY_LEN(words), sizeof(words), &fields));
	words[3] = UINT64_C(3) | UINT64_C(1) << 61;
	assert_false(read_words(type, words, PD_ARRAY_LEN(words), sizeof(words), &fields));
	words[3] = 3;
	assert_false(read_words(type, words, PD_ARRAY_LEN(words), sizeof(words) - 4, &fields));
	/* The rest of the chain is recorded later. */
	words[5] = PD_CONTEXT_USER_DEFERRED;
	assert_false(read_words(type, words, PD_ARRAY_LEN(words), sizeof(words), &fields));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_what_was_added),
		cmocka_unit_test(keeps_to_its_limit),
		cmocka_unit_test(counts_its_slots),
		cmocka_unit_test(knows_simple_layouts),
		cmocka_unit_test(reads_fields),
		cmocka_unit_test(reads_chains),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

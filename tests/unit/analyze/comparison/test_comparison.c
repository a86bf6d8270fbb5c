/* Comparisons of recordings whose true difference is known. */
#include "tests/unit/analyze/synthetic.h"

#include "analyze/comparison/comparison.h"

enum { N = 20 };

/* Milliseconds that each function takes: 20 to 400, 3.5 s in all. */
static void fill_usual(double ms[static N])
{
	for (int i = 0; i < N; i++)
		ms[i] = 20 + 16 * i;
}

static void compare(struct synthetic *s, struct ana_diff *ret)
{
	const struct ana_diff_opts opts = { .sides = &s->sides, .least_share = 0.005 };

	/* Tags that samples have added need a recording, too. */
	struct prof_string_id labels[SYNTHETIC_MAX_RECORDINGS];
	size_t n_before = s->sides.n[ANA_BEFORE], n_after = s->sides.n[ANA_AFTER];

	for (size_t r = 0; r < n_before + n_after; r++)
		labels[r] = s->tags[r].input;
	ana_sides_deinit(&s->sides);
	assert_ok(ana_sides_create(s->profile, labels, n_before, n_after, &s->sides));
	assert_ok(ana_diff_create(s->profile, &s->symbols, &opts, ret));
}

static void fill_sides(struct synthetic *s, const double *before, const double *after, double noise)
{
	for (size_t r = 0; r < ana_n_recordings(&s->sides); r++)
		synthetic_fill(
			s, r, ana_side_of(&s->sides, r) == ANA_BEFORE ? before : after, N, noise);
}

static const struct ana_change *find(const struct synthetic *s, const struct ana_diff *diff,
	enum ana_column_kind kind, const char *name)
{
	for (size_t i = 0; i < diff->changes.n; i++) {
		const struct ana_change *change = &diff->changes.data[i];

		if (change->column.kind == kind &&
			strcmp(ana_symbol_name(&s->symbols, change->column.symbol), name) == 0)
			return change;
	}
	return NULL;
}

static size_t count_changed(const struct ana_diff *diff, enum ana_column_kind kind)
{
	size_t n = 0;

	for (size_t i = 0; i < diff->changes.n; i++)
		n += diff->changes.data[i].is_changed && diff->changes.data[i].column.kind == kind;
	return n;
}

/* Compare @p n_pairs of equal sides, and return how often anything is found to be changed. */
static int count_false_alarms(size_t n_recordings, int n_pairs)
{
	double ms[N];
	int n = 0;

	fill_usual(ms);
	for (int i = 0; i < n_pairs; i++) {
		struct synthetic s;
		struct ana_diff diff;

		synthetic_init(&s, N, n_recordings, n_recordings, (uint64_t)i + 1);
		fill_sides(&s, ms, ms, 0.02);
		compare(&s, &diff);
		n += count_changed(&diff, ANA_COLUMN_SELF) ||
		     count_changed(&diff, ANA_COLUMN_TOTAL) || diff.common.is_changed;
		ana_diff_deinit(&diff);
		synthetic_deinit(&s);
	}
	return n;
}

/* One in twenty is expected. More than these have a probability of less than one percent. */
static void equal_recordings_are_equal(void **state)
{
	(void)state;
	assert_uint_in_range(count_false_alarms(1, 20), 0, 4);
	assert_uint_in_range(count_false_alarms(4, 8), 0, 2);
}

/* The interval of each function, from a recording on each side, contains the true change. */
static void intervals_cover_the_truth(void **state)
{
	double before[N], after[N];
	int n_in = 0, n = 0;

	(void)state;
	fill_usual(before);
	fill_usual(after);
	after[10] *= 1.5;
	for (uint64_t i = 0; i < 25; i++) {
		struct synthetic s;
		struct ana_diff diff;

		synthetic_init(&s, N, 1, 1, 1000 + i);
		fill_sides(&s, before, after, 0.025);
		compare(&s, &diff);
		for (size_t k = 0; k < diff.changes.n; k++) {
			const struct ana_change *change = &diff.changes.data[k];
			const char *name = ana_symbol_name(&s.symbols, change->column.symbol);
			double truth = strcmp(name, "f10") == 0 ? 1.5 : 1;

			if (change->column.kind != ANA_COLUMN_SELF)
				continue;
			n_in += change->ratio.low <= truth && truth <= change->ratio.high;
			n++;
		}
		ana_diff_deinit(&diff);
		synthetic_deinit(&s);
	}
	assert_true(n_in > 0.90 * n && n_in < 0.98 * n);
}

/* A function that grows does not make others shrink, although it reduces their share. */
static void only_what_changed_is_found(void **state)
{
	double before[N], after[N];
	struct synthetic s;
	struct ana_diff diff;

	(void)state;
	fill_usual(before);
	fill_usual(after);
	after[19] *= 4;
	synthetic_init(&s, N, 1, 1, 7);
	fill_sides(&s, before, after, 0);
	compare(&s, &diff);
	assert_int_equal(count_changed(&diff, ANA_COLUMN_SELF), 1);
	const struct ana_change *grown = find(&s, &diff, ANA_COLUMN_SELF, "f19");
	assert_true(grown->is_changed && grown->ratio.low < 4 && grown->ratio.high > 4);
	assert_true(fabs(grown->difference - 3 * 324e6) < grown->margin);
	assert_true(find(&s, &diff, ANA_COLUMN_TOTAL, "main")->is_changed);
	/* The total of a leaf function would say the same as its self. */
	assert_null(find(&s, &diff, ANA_COLUMN_TOTAL, "f19"));
	assert_true(fabs(diff.common.ratio.value - 1) < 0.05);
	assert_false(diff.common.has_interval);
	assert_int_equal(diff.paths.n, 1);
	uint32_t n;
	const uint32_t *path = ana_path(&diff.columns, diff.paths.data[0].column.path, &n);
	assert_int_equal(n, 2);
	assert_string_equal(ana_symbol_name(&s.symbols, path[0]), "f19");
	assert_string_equal(ana_symbol_name(&s.symbols, path[1]), "main");
	ana_diff_deinit(&diff);
	synthetic_deinit(&s);
}

static void a_uniform_change_is_reported_once(void **state)
{
	double before[N], after[N];
	struct synthetic s;
	struct ana_diff diff;

	(void)state;
	fill_usual(before);
	for (int i = 0; i < N; i++)
		after[i] = before[i] * 1.09;
	after[15] *= 1.4;
	synthetic_init(&s, N, 5, 5, 3);
	fill_sides(&s, before, after, 0.01);
	compare(&s, &diff);
	assert_true(diff.common.is_changed && diff.common.has_interval);
	assert_true(diff.common.ratio.low < 1.09 && diff.common.ratio.high > 1.09);
	assert_true(diff.common.ratio.high - diff.common.ratio.low < 0.04);
	assert_int_equal(count_changed(&diff, ANA_COLUMN_SELF), 1);
	const struct ana_change *grown = find(&s, &diff, ANA_COLUMN_SELF, "f15");
	assert_true(grown->is_changed && grown->ratio.low < 1.4 && grown->ratio.high > 1.4);
	ana_diff_deinit(&diff);
	synthetic_deinit(&s);
}

static void functions_appear_and_vanish(void **state)
{
	double before[N], after[N];
	struct synthetic s;
	struct ana_diff diff;

	(void)state;
	fill_usual(before);
	fill_usual(after);
	before[4] = 0;
	after[9] = 0;
	synthetic_init(&s, N, 1, 2, 11);
	fill_sides(&s, before, after, 0);
	compare(&s, &diff);
	const struct ana_change *appeared = find(&s, &diff, ANA_COLUMN_SELF, "f4");
	const struct ana_change *vanished = find(&s, &diff, ANA_COLUMN_SELF, "f9");
	assert_true(appeared->is_changed && isinf(appeared->ratio.value));
	assert_int_equal(appeared->samples[ANA_BEFORE], 0);
	assert_true(vanished->is_changed && vanished->ratio.value == 0);
	assert_int_equal(vanished->samples[ANA_AFTER], 0);
	assert_int_equal(count_changed(&diff, ANA_COLUMN_SELF), 2);
	ana_diff_deinit(&diff);
	synthetic_deinit(&s);
}

/* Recordings with nothing in common are compared by shares of the whole. */
static void strangers_are_compared_as_wholes(void **state)
{
	double before[N] = { 0 }, after[N] = { 0 };
	struct synthetic s;
	struct ana_diff diff;

	(void)state;
	before[0] = before[1] = 1000;
	after[2] = 3000;
	synthetic_init(&s, N, 1, 1, 5);
	fill_sides(&s, before, after, 0);
	compare(&s, &diff);
	assert_int_equal(count_changed(&diff, ANA_COLUMN_SELF), 3);
	assert_true(fabs(diff.common.ratio.value - 1.5) < 1e-9);
	ana_diff_deinit(&diff);
	synthetic_deinit(&s);
}

static void an_empty_side_is_no_error(void **state)
{
	double ms[N];
	struct synthetic s;
	struct ana_diff diff;

	(void)state;
	fill_usual(ms);
	synthetic_init(&s, N, 1, 1, 2);
	synthetic_fill(&s, ANA_AFTER, ms, N, 0);
	compare(&s, &diff);
	assert_int_equal(diff.sums[ANA_BEFORE].samples, 0);
	assert_true(diff.sums[ANA_AFTER].samples > 3000);
	ana_diff_deinit(&diff);
	synthetic_deinit(&s);
	synthetic_init(&s, N, 1, 1, 2);
	compare(&s, &diff);
	assert_int_equal(diff.changes.n, 0);
	ana_diff_deinit(&diff);
	synthetic_deinit(&s);
}

static void the_same_input_gives_the_same_result(void **state)
{
	/* Bytes that pad the end have no value. */
	enum { BYTES = offsetof(struct ana_change, is_changed) + sizeof(bool) };
	double ms[N];
	struct ana_diff diffs[2];
	struct synthetic s;

	(void)state;
	fill_usual(ms);
	synthetic_init(&s, N, 1, 1, 9);
	fill_sides(&s, ms, ms, 0);
	compare(&s, &diffs[0]);
	compare(&s, &diffs[1]);
	assert_int_equal(diffs[0].changes.n, diffs[1].changes.n);
	for (size_t i = 0; i < diffs[0].changes.n; i++)
		assert_memory_equal(&diffs[0].changes.data[i], &diffs[1].changes.data[i], BYTES);
	ana_diff_deinit(&diffs[0]);
	ana_diff_deinit(&diffs[1]);
	synthetic_deinit(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_recordings_are_equal),
		cmocka_unit_test(intervals_cover_the_truth),
		cmocka_unit_test(only_what_changed_is_found),
		cmocka_unit_test(a_uniform_change_is_reported_once),
		cmocka_unit_test(functions_appear_and_vanish),
		cmocka_unit_test(strangers_are_compared_as_wholes),
		cmocka_unit_test(an_empty_side_is_no_error),
		cmocka_unit_test(the_same_input_gives_the_same_result),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

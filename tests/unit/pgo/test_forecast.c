/* Forecast: what is counted for which function. */
#include "tests/unit/test.h"

#include <inttypes.h>

#include "pgo/forecast.h"
#include "pgo/new_build.h"

enum { N_FUNCTIONS = 3, SIZE = 0x100 };

/* A program of three functions of SIZE bytes; the last one has no debug information. */
struct fixture {
	struct profile *profile;
	struct prof_binary_id binary;
	struct prof_function_id functions[N_FUNCTIONS];
	struct prof_event_id event;
};

static void add_function(struct fixture *f, size_t i)
{
	static const char *const names[N_FUNCTIONS] = { "first", "second", "third" };
	const struct prof_function function = {
		.name = prof_add_string(f->profile, names[i]),
		.linkage = prof_add_string(f->profile, names[i]),
		.start_line = i < 2 ? 10 : 0,
		.binary = f->binary,
	};
	const struct prof_line line = { .function = prof_add_function(f->profile, &function) };

	f->functions[i] = line.function;
	/* Two pieces each. */
	for (uint64_t k = 0; k < 2; k++) {
		const struct prof_code code = {
			.start = 0x1000 + i * SIZE + k * SIZE / 2,
			.end = 0x1000 + i * SIZE + (k + 1) * SIZE / 2,
			.binary = f->binary,
		};
		struct prof_lines lines = { (uint32_t)f->profile->lines.n, 1 };

		assert_true(pd_vec_push(&f->profile->lines, line));
		assert_ok(prof_add_code(f->profile, &code, lines));
	}
}

static struct fixture set_up_fixture(void)
{
	struct fixture f;

	assert_ok(prof_create(&f.profile));
	const struct prof_binary binary = {
		.name = prof_add_string(f.profile, "program"),
		.has_image = true,
		.is_found = true,
	};
	const struct prof_event event = { .name = prof_add_string(f.profile, "cycles") };
	f.binary = prof_add_binary(f.profile, &binary);
	f.event = prof_add_event(f.profile, &event);
	for (size_t i = 0; i < N_FUNCTIONS; i++)
		add_function(&f, i);
	return f;
}

/* Add a frame at an address of function @p i. */
static struct prof_frame_id at(struct fixture *f, size_t i, uint64_t offset)
{
	const struct prof_frame frame = { .addr = 0x1000 + i * SIZE + offset, .binary = f->binary };
	const struct prof_frame_offset in = { .in_symbol = offset, .has_symbol = true };
	const struct prof_line line = { .function = f->functions[i] };
	const struct prof_lines lines = { (uint32_t)f->profile->lines.n, 1 };
	struct prof_frame_id id = prof_add_frame(f->profile, &frame);

	if (id.i < f->profile->frame_offsets.n)
		return id;
	assert_true(pd_vec_push(&f->profile->frame_offsets, in));
	assert_true(pd_vec_push(&f->profile->frame_lines, lines));
	assert_true(pd_vec_push(&f->profile->lines, line));
	return id;
}

static void add_run(
	struct fixture *f, struct prof_frame_id start, struct prof_frame_id end, uint64_t n)
{
	const struct prof_edge edge = { end, start, end, 0 };
	const struct prof_edge_count count = { n, 0 };

	assert_ok(prof_add_edge(f->profile, &edge, &count));
	f->profile->stats.branches.n_branches += n;
}

static void add_sample(struct fixture *f, struct prof_frame_id frame, uint64_t n)
{
	const struct prof_sample sample = {
		.stack = prof_add_stack(f->profile, &frame, 1),
		.event = f->event,
		.end = PD_N_UNWIND_ENDS,
		.tags = prof_no_tags(),
	};
	const struct prof_value value = { n, 10 * n };

	assert_ok(prof_add_samples(f->profile, &sample, PD_NO_TIME, &value, NULL));
}

static void test_functions(void **state)
{
	struct fixture f = set_up_fixture();
	struct pgo_flow flow;
	struct pgo_forecast forecast;

	(void)state;
	/* 16 bytes of the first function, the end of it and the start of the next, and backwards. */
	add_run(&f, at(&f, 0, 0), at(&f, 0, 15), 100);
	add_run(&f, at(&f, 0, SIZE - 8), at(&f, 1, 7), 10);
	add_run(&f, at(&f, 1, 32), at(&f, 1, 16), 5);
	add_run(&f, at(&f, 2, 0), at(&f, 2, 3), 50);
	assert_ok(pgo_flow_create(f.profile, f.event, &flow));
	assert_ok(pgo_forecast_create(&flow, f.event, &forecast));
	assert_int_equal(forecast.functions.n, N_FUNCTIONS);
	const struct pgo_function *list = forecast.functions.data;
	assert_int_equal(list[0].end - list[0].start, SIZE);
	assert_int_equal(list[0].executed, 1600 + 80);
	assert_int_equal(list[0].n_runs, 110);
	assert_int_equal(list[0].n_misfits, 10);
	assert_int_equal(list[1].executed, 80);
	assert_int_equal(list[1].n_runs, 5);
	assert_int_equal(list[1].n_misfits, 5);
	assert_true(list[1].has_lines && !list[2].has_lines);
	const struct pgo_image_forecast *image = &forecast.images[0];
	assert_int_equal(image->executed, 1680 + 80 + 200);
	assert_int_equal(image->executed_with_lines, 1680 + 80);
	assert_int_equal(image->n_misfits, 15);
	/* The second function is the least dense, and the others are less than 99 % of the code. */
	assert_true(image->density == 80.0 / SIZE);
	pgo_forecast_deinit(&forecast);
	pgo_flow_deinit(&flow);
	prof_destroy(f.profile);
}

static void add_new(struct pgo_new_build *build, const char *name, uint64_t size)
{
	char key[64];

	snprintf(key, sizeof(key), "%s %" PRIu64, name, size);
	base_intern_str(&build->names, name);
	base_intern_str(&build->functions, key);
}

/* Functions are the same if name and size are. */
static void test_new_build(void **state)
{
	struct fixture f = set_up_fixture();
	struct pgo_new_build build = { .name = "program" };
	struct pgo_flow flow;
	struct pgo_forecast forecast;
	struct pgo_staleness stale;

	(void)state;
	for (size_t i = 0; i < N_FUNCTIONS; i++)
		add_run(&f, at(&f, i, 0), at(&f, i, 9), i + 1);
	add_new(&build, "first", SIZE);
	add_new(&build, "second", SIZE + 4);
	add_new(&build, "other", SIZE);
	assert_ok(pgo_flow_create(f.profile, f.event, &flow));
	assert_ok(pgo_forecast_create(&flow, f.event, &forecast));
	assert_int_equal(pgo_new_build_find(&build, &flow), 0);
	assert_ok(pgo_new_build_compare(&build, &flow, &forecast, 0, &stale));
	assert_int_equal(stale.same, 10);
	assert_int_equal(stale.changed, 20);
	assert_int_equal(stale.gone, 30);
	assert_false(stale.is_same_build);
	build.name = "another";
	assert_int_equal(pgo_new_build_find(&build, &flow), PROF_NONE);
	pgo_new_build_deinit(&build);
	pgo_forecast_deinit(&forecast);
	pgo_flow_deinit(&flow);
	prof_destroy(f.profile);
}

static void test_samples(void **state)
{
	struct fixture f = set_up_fixture();
	struct pgo_flow flow;
	struct pgo_forecast forecast;
	const struct prof_frame unknown = { .binary = prof_no_binary() };

	(void)state;
	add_sample(&f, at(&f, 0, 4), 6);
	add_sample(&f, at(&f, 2, 4), 3);
	struct prof_frame_id id = prof_add_frame(f.profile, &unknown);
	assert_true(pd_vec_push(&f.profile->frame_lines, (struct prof_lines){ 0 }));
	assert_true(pd_vec_push(&f.profile->frame_offsets, (struct prof_frame_offset){ 0 }));
	add_sample(&f, id, 1);
	assert_ok(pgo_flow_create(f.profile, f.event, &flow));
	assert_ok(pgo_forecast_create(&flow, f.event, &forecast));
	assert_int_equal(forecast.whole.period, 100);
	assert_int_equal(forecast.covered.period, 90);
	assert_int_equal(forecast.with_lines.period, 60);
	assert_int_equal(forecast.images[0].executed, 9);
	assert_true(forecast.images[0].density == 0);
	pgo_forecast_deinit(&forecast);
	pgo_flow_deinit(&flow);
	prof_destroy(f.profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_functions),
		cmocka_unit_test(test_new_build),
		cmocka_unit_test(test_samples),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Call graphs of stacks whose costs are known: recursion, inlined functions, events and threads. */
#include "tests/unit/test.h"

#include <string.h>

#include "analyze/call_graph.h"
#include "profile/profile.h"

enum { MAX_DEPTH = 8 };

/* Add a frame of the function @p letter at line @p i + 1. */
static struct prof_frame_id add_frame(struct profile *profile, char letter, size_t i)
{
	const char name[] = { letter, '\0' };
	const struct prof_function function = {
		.name = prof_add_string(profile, name),
		.binary = prof_no_binary(),
	};
	const struct prof_frame frame = { .addr = (uint64_t)letter << 8 | i,
		.binary = prof_no_binary() };
	const struct prof_line line = { prof_add_function(profile, &function), (uint32_t)i + 1, 0 };
	const struct prof_lines lines = { (uint32_t)profile->lines.n, 1 };
	struct prof_frame_id id = prof_add_frame(profile, &frame);

	if (id.i < profile->frame_lines.n)
		return id;
	assert_true(pd_vec_push(&profile->lines, line));
	assert_true(pd_vec_push(&profile->frame_lines, lines));
	return id;
}

/* Add a sample whose stack has a function for each letter, root first, at lines 1, 2 and so on. */
static void add_sample(struct profile *profile, const char *path, const char *comm, uint32_t event,
	uint64_t period)
{
	struct prof_frame_id frames[MAX_DEPTH];
	size_t n = strlen(path);

	for (size_t i = 0; i < n; i++)
		frames[n - 1 - i] = add_frame(profile, path[i], i);
	const struct prof_thread thread = { 1, 1, prof_add_string(profile, comm) };
	const struct prof_sample sample = {
		.stack = prof_add_stack(profile, frames, n),
		.thread = prof_add_thread(profile, &thread),
		.event = { event },
		.tags = prof_no_tags(),
	};
	assert_ok(prof_add_sample(profile, &sample, period, NULL));
}

struct graph {
	struct profile *profile;
	struct ana_locations locations;
	struct ana_call_graph calls;
};

static struct graph begin(void)
{
	struct graph g = { 0 };
	const struct prof_event event = { .has_stacks = true };

	assert_ok(prof_create(&g.profile));
	for (int i = 0; i < 2; i++)
		assert_int_equal(prof_add_event(g.profile, &event).i, i);
	return g;
}

static void finish(struct graph *g)
{
	assert_ok(ana_locations_create(g->profile, &g->locations));
	assert_ok(ana_call_graph_create(g->profile, &g->locations, &g->calls));
}

static void destroy(struct graph *g)
{
	ana_call_graph_deinit(&g->calls);
	ana_locations_deinit(&g->locations);
	prof_destroy(g->profile);
}

/* Name of a function, or of a thread. */
static const char *name_of(const struct graph *g, uint32_t function)
{
	const struct prof_string_id *comm;

	if (function < g->calls.n_functions)
		return ana_function_name(&g->locations, function);
	comm = base_intern_bytes(&g->calls.comms, function - g->calls.n_functions);
	return prof_string(g->profile, *comm);
}

static const char *caller_of(const struct graph *g, const struct ana_call *call)
{
	const struct ana_location *line = base_intern_bytes(&g->calls.lines, call->line);

	return name_of(g, line->function);
}

/* Sum of the costs of the calls of @p callee, from any caller if @p caller is NULL. */
static uint64_t cost(const struct graph *g, const char *caller, const char *callee, size_t event)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < g->calls.calls.n; i++) {
		const struct ana_call *call = &g->calls.calls.data[i];

		if (strcmp(name_of(g, call->callee), callee) == 0 &&
			(!caller || strcmp(caller_of(g, call), caller) == 0))
			sum += g->calls.call_costs.data[i * g->calls.n_events + event];
	}
	return sum;
}

static uint64_t samples(const struct graph *g, const char *caller, const char *callee)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < g->calls.calls.n; i++) {
		const struct ana_call *call = &g->calls.calls.data[i];

		if (strcmp(name_of(g, call->callee), callee) == 0 &&
			strcmp(caller_of(g, call), caller) == 0)
			sum += call->samples;
	}
	return sum;
}

static uint64_t self(const struct graph *g, const char *name, size_t event)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < g->calls.lines.n; i++) {
		const struct ana_location *line = base_intern_bytes(&g->calls.lines, i);

		if (strcmp(name_of(g, line->function), name) == 0)
			sum += g->calls.line_costs.data[i * g->calls.n_events + event];
	}
	return sum;
}

static void sums_calls_and_lines(void **state)
{
	struct graph g = begin();

	(void)state;
	add_sample(g.profile, "mab", "x", 0, 5);
	add_sample(g.profile, "ma", "x", 0, 7);
	add_sample(g.profile, "mab", "y", 1, 11);
	finish(&g);
	assert_int_equal(cost(&g, "x", "m", 0), 12);
	assert_int_equal(cost(&g, "m", "a", 0), 12);
	assert_int_equal(cost(&g, "a", "b", 0), 5);
	assert_int_equal(cost(&g, "a", "b", 1), 11);
	assert_int_equal(cost(&g, "y", "m", 1), 11);
	assert_int_equal(cost(&g, "y", "m", 0), 0);
	assert_int_equal(self(&g, "a", 0), 7);
	assert_int_equal(self(&g, "b", 0), 5);
	assert_int_equal(self(&g, "b", 1), 11);
	assert_int_equal(samples(&g, "a", "b"), 2);
	destroy(&g);
}

/* However often a function is called in a stack, it has the cost of the sample once. */
static void counts_recursion_once(void **state)
{
	struct graph g = begin();

	(void)state;
	add_sample(g.profile, "mfffv", "x", 0, 10);
	add_sample(g.profile, "mfgfh", "x", 0, 100);
	finish(&g);
	assert_int_equal(cost(&g, NULL, "f", 0), 110);
	assert_int_equal(cost(&g, "m", "f", 0), 110);
	assert_int_equal(cost(&g, "f", "f", 0), 0);
	assert_int_equal(samples(&g, "f", "f"), 2);
	assert_int_equal(cost(&g, NULL, "v", 0), 10);
	assert_int_equal(cost(&g, NULL, "g", 0), 100);
	assert_int_equal(cost(&g, "g", "f", 0), 0);
	assert_int_equal(samples(&g, "g", "f"), 1);
	assert_int_equal(cost(&g, NULL, "h", 0), 100);
	assert_int_equal(self(&g, "h", 0), 100);
	destroy(&g);
}

/* A sample without frames is a cost of its thread. */
static void keeps_empty_stacks(void **state)
{
	struct graph g = begin();

	(void)state;
	add_sample(g.profile, "", "x", 0, 3);
	finish(&g);
	assert_int_equal(self(&g, "x", 0), 3);
	assert_int_equal(g.calls.calls.n, 0);
	destroy(&g);
}

/* Without events nothing has costs. */
static void works_without_events(void **state)
{
	struct graph g = { 0 };

	(void)state;
	assert_ok(prof_create(&g.profile));
	add_frame(g.profile, 'f', 0);
	finish(&g);
	assert_int_equal(g.calls.line_costs.n, 0);
	assert_int_equal(g.calls.calls.n, 0);
	destroy(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sums_calls_and_lines),
		cmocka_unit_test(counts_recursion_once),
		cmocka_unit_test(keeps_empty_stacks),
		cmocka_unit_test(works_without_events),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

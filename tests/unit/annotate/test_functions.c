/* Functions and source lines of a profile by their own samples. */
#include "tests/unit/test.h"

#include "annotate/functions.h"
#include "annotate/line_samples.h"
#include "base/array.h"

enum { N_EVENTS = 2 };

/* A leaf: its address, the start of its symbol (0: none), its function, and a function inlined there. */
struct leaf {
	uint64_t addr;
	uint64_t start;
	const char *function;
	uint32_t line;
	const char *inlined;
	uint32_t inlined_line;
	/* Samples of each event. */
	unsigned samples[N_EVENTS];
};

static const struct leaf leaves[] = {
	{ 0x1004, 0x1000, "ns::Type<int>::run(int)", 10, "step", 3, { 5, 0 } },
	{ 0x1010, 0x1000, "ns::Type<int>::run(int)", 11, NULL, 0, { 2, 1 } },
	{ 0x2000, 0x2000, "helper", 20, NULL, 0, { 4, 0 } },
	/* Another function of that name. */
	{ 0x3008, 0x3000, "helper", 30, NULL, 0, { 1, 9 } },
	{ 0x4000, 0, NULL, 0, NULL, 0, { 3, 0 } },
};

static void add_line(struct profile *profile, const char *name, uint32_t line)
{
	const struct prof_function function = {
		.name = prof_add_string(profile, name),
		.linkage = prof_add_string(profile, name),
		.file = prof_add_string(profile, strcmp(name, "step") ? "/src/a.c" : "/src/b.h"),
	};
	const struct prof_line entry = { prof_add_function(profile, &function), line, 0 };

	assert_true(pd_vec_push(&profile->lines, entry));
}

static struct prof_frame_id add_leaf(struct profile *profile, const struct leaf *leaf)
{
	const struct prof_frame frame = { .addr = leaf->addr, .binary = { 0 } };
	const struct prof_frame_offset offset = {
		.has_symbol = leaf->start,
		.in_symbol = leaf->addr - leaf->start,
	};
	struct prof_lines lines = { .first = (uint32_t)profile->lines.n };

	if (leaf->inlined)
		add_line(profile, leaf->inlined, leaf->inlined_line);
	if (leaf->function)
		add_line(profile, leaf->function, leaf->line);
	lines.n = (uint32_t)profile->lines.n - lines.first;
	assert_true(pd_vec_push(&profile->frame_lines, lines));
	assert_true(pd_vec_push(&profile->frame_offsets, offset));
	return prof_add_frame(profile, &frame);
}

static struct profile *make_profile(void)
{
	const struct prof_binary binary = { .has_image = true };
	struct profile *profile;

	assert_ok(prof_create(&profile));
	prof_add_binary(profile, &binary);
	for (unsigned i = 0; i < N_EVENTS; i++)
		prof_add_event(profile, &(struct prof_event){ .is_wanted = true });
	for (size_t i = 0; i < PD_ARRAY_LEN(leaves); i++) {
		const struct prof_frame_id frame = add_leaf(profile, &leaves[i]);

		for (uint32_t event = 0; event < N_EVENTS; event++) {
			const struct prof_sample sample = {
				.stack = prof_add_stack(profile, &frame, 1),
				.event = { event },
				.tags = prof_no_tags(),
			};

			for (unsigned k = 0; k < leaves[i].samples[event]; k++)
				assert_ok(prof_add_sample(profile, &sample, 10, NULL));
		}
	}
	return profile;
}

static void hottest_functions_come_first(void **state)
{
	struct profile *profile = make_profile();
	struct ann_functions functions;

	(void)state;
	assert_ok(ann_functions_create(profile, &functions));
	assert_int_equal(functions.list.n, 3);
	assert_int_equal(functions.list.data[0].start, 0x1000);
	assert_int_equal(functions.list.data[1].start, 0x2000);
	assert_int_equal(functions.list.data[2].start, 0x3000);
	assert_int_equal(ann_values(&functions, functions.list.data[0].values)[0].samples, 7);
	assert_int_equal(ann_values(&functions, functions.list.data[0].values)[1].period, 10);
	assert_int_equal(functions.list.data[0].n, 2);
	/* Samples without a function are in the totals. */
	assert_int_equal(functions.totals.data[0].samples, 15);
	assert_int_equal(functions.totals.data[1].samples, 10);
	assert_int_equal(ann_functions_unnamed(&functions, 0).samples, 3);
	assert_int_equal(ann_functions_unnamed(&functions, 0).period, 30);
	assert_int_equal(ann_functions_unnamed(&functions, 1).samples, 0);
	ann_functions_deinit(&functions);
	prof_destroy(profile);
}

static void functions_are_found_by_name(void **state)
{
	static const struct {
		const char *name;
		uint64_t start;
		size_t n;
		bool is_inlined;
	} cases[] = {
		{ "ns::Type<int>::run(int)", 0x1000, 1, false },
		{ "ns::Type<int>::run", 0x1000, 1, false },
		{ "run", 0x1000, 1, false },
		{ "ns::run", 0x1000, 1, false },
		{ "ns::Type<...>::run", 0x1000, 1, false },
		{ "/help/", 0x2000, 2, false },
		{ "helper", 0x2000, 2, false },
		{ "step", 0x1000, 1, true },
		{ "helpr", 0, 0, false },
		{ "something else", 0, 0, false },
		{ "", 0, 0, false },
	};
	struct profile *profile = make_profile();
	struct ann_functions functions;

	(void)state;
	assert_ok(ann_functions_create(profile, &functions));
	for (size_t i = 0; i < PD_ARRAY_LEN(cases); i++) {
		struct ann_match match;

		assert_ok(ann_functions_find(&functions, cases[i].name, &match));
		assert_int_equal(match.n, cases[i].n);
		assert_int_equal(match.function ? match.function->start : 0, cases[i].start);
		assert_int_equal(match.is_inlined, cases[i].is_inlined);
	}
	ann_functions_deinit(&functions);
	prof_destroy(profile);
}

/* Lines are those of inlined functions; the sum of all lines is that of all samples. */
static void lines_by_file(void **state)
{
	struct profile *profile = make_profile();
	struct ann_functions functions;
	struct ann_lines lines;
	uint32_t order[8];

	(void)state;
	assert_ok(ann_functions_create(profile, &functions));
	assert_ok(ann_lines_create(&functions, NULL, &lines));
	assert_int_equal(lines.files.n, 2);
	assert_string_equal(lines.files.data[0].file, "/src/a.c");
	assert_int_equal(lines.files.data[0].n, 3);
	assert_int_equal(lines.values.data[lines.files.data[0].values].samples, 7);
	assert_int_equal(lines.list.data[lines.files.data[0].first].line, 20);
	assert_string_equal(lines.files.data[1].file, "/src/b.h");
	assert_int_equal(lines.unknown.data[0].samples, 3);
	ann_lines_by_heat(&functions, &lines, order);
	assert_int_equal(lines.list.data[order[0]].line, 3);
	assert_int_equal(lines.list.data[order[3]].line, 30);
	ann_lines_deinit(&lines);

	assert_ok(ann_lines_create(&functions, functions.list.data, &lines));
	assert_int_equal(lines.list.n, 2);
	assert_int_equal(lines.unknown.data[0].samples, 0);
	ann_lines_deinit(&lines);
	ann_functions_deinit(&functions);
	prof_destroy(profile);
}

static void events_that_are_not_wanted(void **state)
{
	struct profile *profile = make_profile();
	struct ann_functions functions;

	(void)state;
	profile->events.data[0].is_wanted = false;
	assert_ok(ann_functions_create(profile, &functions));
	assert_int_equal(functions.events.n, 1);
	assert_int_equal(functions.list.data[0].start, 0x3000);
	ann_functions_deinit(&functions);
	prof_destroy(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hottest_functions_come_first),
		cmocka_unit_test(functions_are_found_by_name),
		cmocka_unit_test(lines_by_file),
		cmocka_unit_test(events_that_are_not_wanted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Call paths that take most of a tree. */
#include "tests/unit/test.h"

#include <string.h>

#include "analyze/paths.h"
#include "base/array.h"

enum { MAX_FRAMES = 32 };

static struct prof_frame_id add_function(struct profile *profile, const char *name)
{
	const struct prof_function function = {
		.name = prof_add_string(profile, name),
		.binary = prof_no_binary(),
	};
	struct prof_function_id id = prof_add_function(profile, &function);
	const struct prof_frame frame = { .addr = id.i + 1, .binary = prof_no_binary() };
	size_t n_frames = profile->frames.n;
	struct prof_frame_id added = prof_add_frame(profile, &frame);

	if (added.i == n_frames) {
		const struct prof_line line = { id, 0, 0 };
		const struct prof_lines lines = { (uint32_t)profile->lines.n, 1 };

		assert_true(pd_vec_push(&profile->lines, line));
		assert_true(pd_vec_push(&profile->frame_lines, lines));
	}
	return added;
}

/* Add a sample by its stack, root first: "main;run;read". */
static void add_sample(struct profile *profile, const char *folded, uint64_t period)
{
	struct prof_frame_id frames[MAX_FRAMES];
	char text[256], *names[MAX_FRAMES], *state;
	size_t n = 0;

	snprintf(text, sizeof(text), "%s", folded);
	for (char *name = strtok_r(text, ";", &state); name; name = strtok_r(NULL, ";", &state))
		names[n++] = name;
	for (size_t i = 0; i < n; i++)
		frames[i] = add_function(profile, names[n - 1 - i]);
	const struct prof_sample sample = {
		.stack = prof_add_stack(profile, frames, n),
		.tags = prof_no_tags(),
	};
	assert_ok(prof_add_sample(profile, &sample, period, NULL));
}

struct sample {
	const char *stack;
	uint64_t period;
};

/*
 * Write the paths as "name total" after one space per depth, a "-" for a branch, and "(n)" for
 * calls that are left out.
 */
static void expect(const struct sample *samples, size_t n, const struct ana_paths_opts *opts,
	const char *expected)
{
	struct ana_tree_opts tree_opts = { .direction = ANA_TO_CALLEES };
	struct prof_event event = { .fields = 0 };
	struct profile *profile;
	struct ana_symbols symbols;
	struct ana_call_tree tree;
	struct ana_paths paths;
	char text[1024] = "";
	size_t len = 0;

	assert_ok(prof_create(&profile));
	tree_opts.event = prof_add_event(profile, &event);
	for (size_t i = 0; i < n; i++)
		add_sample(profile, samples[i].stack, samples[i].period);
	assert_ok(ana_symbols_create(profile, &symbols));
	assert_ok(ana_call_tree_create(profile, &symbols, &tree_opts, &tree));
	assert_ok(ana_paths_find(&tree, &symbols, opts, &paths));
	for (size_t i = 0; i < paths.rows.n; i++) {
		const struct ana_path_row *row = &paths.rows.data[i];
		const struct ana_node *node = &tree.nodes.data[row->node];

		len += (size_t)snprintf(text + len, sizeof(text) - len, "%*s%s", (int)row->depth,
			"", row->is_branch ? "-" : "");
		if (row->n_left_out)
			len += (size_t)snprintf(
				text + len, sizeof(text) - len, "(%zu) ", row->n_left_out);
		len += (size_t)snprintf(text + len, sizeof(text) - len, "%s %d\n",
			ana_symbol_name(&symbols, node->symbol), (int)node->total.period);
	}
	assert_string_equal(text, expected);
	ana_paths_deinit(&paths);
	ana_call_tree_deinit(&tree);
	ana_symbols_deinit(&symbols);
	prof_destroy(profile);
}

static void the_heaviest_chains_are_found(void **state)
{
	static const struct sample samples[] = {
		{ "main;run;read;copy", 50 },
		{ "main;run;parse", 30 },
		{ "main;run;parse;copy", 5 },
		{ "main;write", 11 },
		{ "main;exit", 4 },
	};
	struct ana_paths_opts opts = { .max_paths = 1, .min_percent = 5, .max_rows = 20 };

	(void)state;
	expect(samples, PD_ARRAY_LEN(samples), &opts,
		"main 100\n"
		"run 85\n"
		"read 50\n"
		"copy 50\n");
	opts.max_paths = 2;
	expect(samples, PD_ARRAY_LEN(samples), &opts,
		"main 100\n"
		"run 85\n"
		" -read 50\n"
		" copy 50\n"
		" -parse 35\n");
	/* Only these are large enough. */
	opts.max_paths = 10;
	expect(samples, PD_ARRAY_LEN(samples), &opts,
		"main 100\n"
		" -run 85\n"
		"  -read 50\n"
		"  copy 50\n"
		"  -parse 35\n"
		"  copy 5\n"
		" -write 11\n");
}

static void calls_that_keep_their_samples_are_left_out(void **state)
{
	static const struct sample samples[] = {
		{ "main;a;b;c;d;work;leaf", 60 },
		{ "main;a;b;c;d;work", 37 },
		{ "main;a;b", 3 },
	};
	static const struct sample shorter[] = { { "main;a;b", 1 } };
	const struct ana_paths_opts opts = { .max_paths = 3, .min_percent = 5, .max_rows = 20 };

	(void)state;
	expect(samples, PD_ARRAY_LEN(samples), &opts,
		"main 100\n"
		"(4) work 97\n"
		"leaf 60\n");
	expect(shorter, PD_ARRAY_LEN(shorter), &opts, "main 1\na 1\nb 1\n");
}

static void paths_that_have_no_room_are_not_begun(void **state)
{
	static const struct sample samples[] = {
		{ "main;run;read;copy", 50 },
		{ "main;run;parse;match", 30 },
		{ "main;write;flush", 20 },
	};
	struct ana_paths_opts opts = { .max_paths = 3, .min_percent = 5, .max_rows = 8 };

	(void)state;
	expect(samples, PD_ARRAY_LEN(samples), &opts,
		"main 100\n"
		" -run 80\n"
		"  -read 50\n"
		"  copy 50\n"
		"  -parse 30\n"
		"  match 30\n"
		" -write 20\n"
		" flush 20\n");
	opts.max_rows = 7;
	expect(samples, PD_ARRAY_LEN(samples), &opts,
		"main 100\n"
		"run 80\n"
		" -read 50\n"
		" copy 50\n"
		" -parse 30\n"
		" match 30\n");
	opts.max_rows = 5;
	expect(samples, PD_ARRAY_LEN(samples), &opts,
		"main 100\n"
		"run 80\n"
		"read 50\n"
		"copy 50\n");
}

static void scaffolding_is_hidden_unless_it_works_itself(void **state)
{
	static const struct sample samples[] = {
		{ "clone3;start_thread;std::__invoke<f>;run", 50 },
		{ "clone3;start_thread;std::__invoke<g>;walk", 40 },
		{ "clone3;start_thread", 10 },
	};
	struct ana_paths_opts opts = { .max_paths = 2, .min_percent = 5, .max_rows = 20 };

	(void)state;
	expect(samples, PD_ARRAY_LEN(samples), &opts,
		"clone3 100\n"
		"start_thread 100\n"
		" -std::__invoke<f> 50\n"
		" run 50\n"
		" -std::__invoke<g> 40\n"
		" walk 40\n");
	opts.hides_scaffolding = true;
	expect(samples, PD_ARRAY_LEN(samples), &opts,
		"start_thread 100\n"
		" -run 50\n"
		" -walk 40\n");
}

static void profiles_without_stacks_have_no_paths(void **state)
{
	const struct ana_paths_opts opts = { .max_paths = 3, .min_percent = 5, .max_rows = 20 };

	(void)state;
	expect(NULL, 0, &opts, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_heaviest_chains_are_found),
		cmocka_unit_test(calls_that_keep_their_samples_are_left_out),
		cmocka_unit_test(paths_that_have_no_room_are_not_begun),
		cmocka_unit_test(scaffolding_is_hidden_unless_it_works_itself),
		cmocka_unit_test(profiles_without_stacks_have_no_paths),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * Tests of pdconv/diff.h and pdconv/annotate.h: they use the public headers only, like programs
 * that link the library.
 */
#include "tests/unit/test_recording.h"

#include <pdconv/pdconv.h>

#include "base/array.h"

enum { BEFORE, AFTER, N_FILES };

static const char *const dirs[] = { "testdata/shop", "testdata/shop/after" };

/** The two recordings of testdata/shop. The function tax() is slower in the second one. */
struct scene {
	struct pd_file *files[N_FILES];
	struct pd_diff_side sides[N_FILES];
	struct pd_diff_opts opts;
	struct bytes out;
};

static void set_up(struct scene *s)
{
	static const char *const paths[] = { "testdata/shop/before.data",
		"testdata/shop/after.data" };

	*s = (struct scene){ .opts.profile = { .jobs = 1 } };
	s->opts.profile.search.no_own_paths = true;
	s->opts.profile.search.dirs = dirs;
	s->opts.profile.search.n_dirs = PD_ARRAY_LEN(dirs);
	for (size_t i = 0; i < N_FILES; i++) {
		assert_ok(pd_file_open(paths[i], NULL, &s->files[i]));
		s->sides[i] = (struct pd_diff_side){ &s->files[i], 1 };
	}
}

static void tear_down(struct scene *s)
{
	for (size_t i = 0; i < N_FILES; i++)
		pd_file_close(s->files[i]);
	free(s->out.data);
}

static struct pd_error *append(void *ctx, const void *data, size_t size)
{
	bytes_add(ctx, data, size);
	return NULL;
}

static struct pd_error *diff(struct scene *s, const char *format, struct pd_growth *growth)
{
	return pd_diff(
		&s->sides[BEFORE], &s->sides[AFTER], &s->opts, format, append, &s->out, growth);
}

static void expect_text(struct scene *s, const char *text)
{
	bytes_add(&s->out, "", 1);
	assert_non_null(strstr((const char *)s->out.data, text));
}

static void assert_fails(struct pd_error *err, enum pd_error_code code, const char *message)
{
	assert_non_null(err);
	assert_int_equal(err->code, code);
	assert_string_equal(err->message, message);
	pd_error_destroy(err);
}

static void growth_is_found(void **state)
{
	struct pd_growth growth;
	struct scene s;

	(void)state;
	set_up(&s);
	assert_ok(diff(&s, "report", &growth));
	assert_true(growth.n > 0);
	assert_string_equal(growth.name, "tax");
	assert_true(growth.percent > 100 && growth.percent < 200);
	pd_growth_deinit(&growth);
	assert_null(growth.name);
	expect_text(&s, "Changes beyond that, by self");
	/* No growth is more than this. */
	s.opts.growth_limit = 1e9;
	assert_ok(diff(&s, "report", &growth));
	assert_int_equal(growth.n, 0);
	assert_null(growth.name);
	tear_down(&s);
}

enum column { FIRST, SECOND };

/* Sum of the weights before or after the change in lines of folded stacks. */
static double total_of(const struct bytes *folded, enum column column)
{
	double sum = 0;

	for (size_t at = 0, end; at < folded->n; at = end + 1) {
		for (end = at; end < folded->n && folded->data[end] != '\n';)
			end++;
		const char *line = (const char *)folded->data + at;
		size_t len = end - at, spaces = 0;

		while (len && spaces < (column == FIRST ? 2u : 1u))
			spaces += line[--len] == ' ';
		sum += strtod(line + len + 1, NULL);
	}
	return sum;
}

static void folded_stacks_have_both_weights(void **state)
{
	struct pd_profile *profile;
	struct scene s;

	(void)state;
	set_up(&s);
	assert_ok(diff(&s, "folded", NULL));
	for (size_t i = 0; i < N_FILES; i++) {
		assert_ok(pd_profile_create(s.files[i], &s.opts.profile, NULL, &profile));
		struct pd_profile_event event = pd_profile_get_event(profile, 0);

		assert_true(total_of(&s.out, i == BEFORE ? FIRST : SECOND) ==
			    (double)event.total.period);
		pd_profile_destroy(profile);
	}
	tear_down(&s);
}

static void page_has_both_recordings(void **state)
{
	const char *at;
	size_t n = 0;
	struct scene s;

	(void)state;
	set_up(&s);
	assert_ok(diff(&s, "html", NULL));
	bytes_add(&s.out, "", 1);
	at = (const char *)s.out.data;
	while ((at = strstr(at, "class=\"profile\""))) {
		at++;
		n++;
	}
	assert_int_equal(n, N_FILES);
	tear_down(&s);
}

static void what_cannot_be_compared(void **state)
{
	const struct pd_diff_side none = { NULL, 0 };
	struct scene s;

	(void)state;
	set_up(&s);
	const struct pd_diff_side both = { s.files, N_FILES };
	assert_fails(diff(&s, "pprof", NULL), PD_ERROR_USAGE,
		"the format pprof cannot show differences");
	assert_fails(diff(&s, "nonsense", NULL), PD_ERROR_USAGE, "unknown format 'nonsense'");
	assert_fails(pd_diff(&none, &s.sides[AFTER], NULL, "report", append, &s.out, NULL),
		PD_ERROR_USAGE, "there are no recordings before the change");
	assert_fails(pd_diff(&s.sides[BEFORE], &none, NULL, "report", append, &s.out, NULL),
		PD_ERROR_USAGE, "there are no recordings after the change");
	assert_fails(pd_diff(&both, &both, NULL, "html", append, &s.out, NULL), PD_ERROR_USAGE,
		"a page compares two recordings: there are 4");
	assert_int_equal(s.out.n, 0);
	tear_down(&s);
}

static struct pd_error *refuse(void *ctx, const void *data, size_t size)
{
	(void)ctx;
	(void)data;
	(void)size;
	return pd_error_create(PD_ERROR_OS, NULL, "no more");
}

static void errors_of_the_function_come_back(void **state)
{
	static const char *const formats[] = { "report", "folded", "html" };
	struct scene s;

	(void)state;
	set_up(&s);
	for (size_t i = 0; i < PD_ARRAY_LEN(formats); i++)
		assert_fails(pd_diff(&s.sides[BEFORE], &s.sides[AFTER], &s.opts, formats[i], refuse,
				     NULL, NULL),
			PD_ERROR_OS, "no more");
	assert_fails(pd_annotate(s.files[AFTER], &s.opts.profile, NULL, refuse, NULL), PD_ERROR_OS,
		"no more");
	tear_down(&s);
}

static struct pd_error *annotate(struct scene *s, const struct pd_annotate_opts *opts)
{
	s->out.n = 0;
	return pd_annotate(s->files[AFTER], &s->opts.profile, opts, append, &s->out);
}

static void functions_are_annotated(void **state)
{
	struct pd_annotate_opts opts = { .function = "update_stock" };
	struct scene s;

	(void)state;
	set_up(&s);
	/* The hottest function, from its source file on. */
	assert_ok(annotate(&s, NULL));
	expect_text(&s, "tax  (shop)");
	assert_ok(annotate(&s, &opts));
	expect_text(&s, "update_stock");
	opts = (struct pd_annotate_opts){ .lines = true };
	assert_ok(annotate(&s, &opts));
	expect_text(&s, "shop.c");
	opts = (struct pd_annotate_opts){ .function = "taxi" };
	assert_fails(annotate(&s, &opts), PD_ERROR_NOTHING,
		"no samples in a function 'taxi'; functions like it: tax (26.23 %)");
	tear_down(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(growth_is_found),
		cmocka_unit_test(folded_stacks_have_both_weights),
		cmocka_unit_test(page_has_both_recordings),
		cmocka_unit_test(what_cannot_be_compared),
		cmocka_unit_test(errors_of_the_function_come_back),
		cmocka_unit_test(functions_are_annotated),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Entries of the index: when an answer is used, and when not. */
#include "tests/unit/test_recording.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/diag.h"
#include "index/index.h"
#include "profile/sample_filter.h"
#include "resolve/question.h"

static char root[64] = "/tmp/pdconv-test-XXXXXX";
static char cache[128], recording[128];

static int sh(const char *command)
{
	char text[512];

	snprintf(text, sizeof(text), "cd '%s' && %s", root, command);
	return system(text);
}

/* Longer than the age up to which a file counts as just changed. */
static void wait_until_old(void)
{
	usleep(80000);
}

static int make_root(void **state)
{
	(void)state;
	if (!mkdtemp(root))
		return -1;
	snprintf(cache, sizeof(cache), "%s/cache", root);
	snprintf(recording, sizeof(recording), "%s/perf.data", root);
	return sh("echo content >perf.data");
}

static int remove_root(void **state)
{
	(void)state;
	return sh("cd / && rm -rf \"$OLDPWD\"");
}

static struct index_entry *create(const char *question)
{
	struct index_entry *entry;

	assert_ok(index_entry_create(cache, recording, question, strlen(question), &entry));
	return entry;
}

/* Keep a profile with the string @p text as the answer to @p question. */
static void keep(const char *question, const char *text, const struct pd_diag *diag)
{
	struct index_entry *entry = create(question);
	struct sym_deps *deps;
	struct profile *profile;
	bool is_reliable;

	assert_non_null(entry);
	assert_ok(sym_deps_create(&deps));
	assert_ok(prof_create(&profile));
	prof_add_string(profile, text);
	assert_ok(index_entry_conclude(entry, deps, diag, &is_reliable));
	assert_true(is_reliable);
	assert_true(index_entry_save(entry, profile));
	prof_destroy(profile);
	sym_deps_destroy(deps);
	index_entry_destroy(entry);
}

/* Whether @p question has the answer @p text, NULL: none. */
static void expect(const char *question, const char *text)
{
	struct index_entry *entry = create(question);
	struct pd_diag *diag = pd_diag_create();
	struct profile *profile;

	assert_non_null(entry);
	assert_ok(index_entry_load(entry, true, diag, &profile));
	if (text) {
		assert_non_null(profile);
		assert_string_equal(prof_string(profile, (struct prof_string_id){ 1 }), text);
	} else {
		assert_null(profile);
	}
	prof_destroy(profile);
	pd_diag_destroy(diag);
	index_entry_destroy(entry);
}

static void test_entries(void **state)
{
	struct pd_diag *diag = pd_diag_create();

	(void)state;
	wait_until_old();
	expect("question", NULL);
	keep("question", "answer", diag);
	expect("question", "answer");
	expect("another", NULL);
	keep("another", "other", diag);
	expect("question", "answer");
	expect("another", "other");
	keep("question", "replaced", diag);
	expect("question", "replaced");
	assert_int_equal(sh("test $(ls cache | wc -l) = 2"), 0);
	assert_int_equal(sh("touch perf.data"), 0);
	wait_until_old();
	expect("question", NULL);
	pd_diag_destroy(diag);
}

/* A file that is not regular, or was just changed, has no entry. */
static void test_no_entry(void **state)
{
	struct index_entry *entry;

	(void)state;
	assert_int_equal(sh("mkfifo pipe && mkdir folder"), 0);
	assert_ok(index_entry_create(cache, "/nonexistent/perf.data", "", 0, &entry));
	assert_null(entry);
	assert_ok(index_entry_create(cache, root, "", 0, &entry));
	assert_null(entry);
	char path[256];
	snprintf(path, sizeof(path), "%s/pipe", root);
	assert_ok(index_entry_create(cache, path, "", 0, &entry));
	assert_null(entry);
	snprintf(path, sizeof(path), "%s/perf.data", root);
	FILE *out = fopen(path, "a");
	assert_non_null(out);
	fputs("more", out);
	fclose(out);
	assert_null(create("question"));
}

/* A recording or a file that changes while it is read gives no answer. */
static void test_changing(void **state)
{
	struct pd_diag *diag = pd_diag_create();
	struct sym_deps *deps;
	bool is_reliable = true;

	(void)state;
	wait_until_old();
	struct index_entry *entry = create("changing");
	assert_non_null(entry);
	assert_ok(sym_deps_create(&deps));
	assert_int_equal(sh("echo longer >>perf.data"), 0);
	assert_ok(index_entry_conclude(entry, deps, diag, &is_reliable));
	assert_false(is_reliable);
	index_entry_destroy(entry);
	sym_deps_destroy(deps);
	pd_diag_destroy(diag);
}

static void test_reports(void **state)
{
	struct pd_diag *diag = pd_diag_create(), *again = pd_diag_create();
	uint8_t *bytes;
	size_t size;

	(void)state;
	pd_diag_warn(diag, "perf.data", 0x10, "MMAP2", "is %s", "damaged");
	pd_diag_warn(diag, "other", 0x20, "MMAP2", "is %s", "damaged");
	pd_diag_warn(diag, NULL, PD_NO_OFFSET, NULL, "is whole");
	pd_diag_cut(diag, "perf.data", 0x30, "SAMPLE", "is cut");
	assert_ok(index_reports_encode(diag, &bytes, &size));
	assert_true(index_reports_decode(bytes, size, NULL));
	assert_true(index_reports_decode(bytes, size, again));
	for (size_t n = 0; n < size; n++) {
		uint8_t *part = malloc(n + 1);
		assert_non_null(part);
		memcpy(part, bytes, n);
		/* Between two entries nothing is missing. */
		(void)index_reports_decode(part, n, NULL);
		free(part);
	}
	assert_false(index_reports_decode(bytes, size - 1, NULL));
	free(bytes);
	assert_int_equal(pd_diag_n(again), pd_diag_n(diag));
	for (size_t i = 0; i < pd_diag_n(diag); i++) {
		char text[512];

		snprintf(text, sizeof(text), "%s", diag_text(diag, i));
		assert_string_equal(diag_text(again, i), text);
		assert_int_equal(pd_diag_get(again, i).count, pd_diag_get(diag, i).count);
		assert_int_equal(
			pd_diag_get(again, i).first->code, pd_diag_get(diag, i).first->code);
	}
	pd_diag_destroy(diag);
	pd_diag_destroy(again);
}

static void test_kept_reports(void **state)
{
	struct pd_diag *diag = pd_diag_create(), *again = pd_diag_create();
	struct profile *profile;

	(void)state;
	wait_until_old();
	pd_diag_warn(diag, "perf.data", 0x10, NULL, "is damaged");
	keep("question", "answer", diag);
	/* Among several inputs only answers without reports count. */
	expect("question", NULL);
	struct index_entry *entry = create("question");
	assert_ok(index_entry_load(entry, false, again, &profile));
	assert_non_null(profile);
	assert_string_equal(diag_text(again, 0), "perf.data: 0x10: is damaged");
	prof_destroy(profile);
	index_entry_destroy(entry);
	pd_diag_destroy(diag);
	pd_diag_destroy(again);
}

static void test_program(void **state)
{
	uint64_t first, second;

	(void)state;
	assert_true(index_program_id(&first));
	assert_true(index_program_id(&second));
	assert_true(first && first == second);
}

static struct bytes question_of(const struct resolve_opts *opts)
{
	struct bytes b;

	b.data = (void *)resolve_question(opts, &b.n);
	assert_non_null(b.data);
	return b;
}

static void expect_questions(const struct resolve_opts *x, const struct resolve_opts *y, bool same)
{
	struct bytes a = question_of(x), b = question_of(y);

	assert_int_equal(a.n == b.n && memcmp(a.data, b.data, a.n) == 0, same);
	free(a.data);
	free(b.data);
}

static void test_questions(void **state)
{
	const char *name = "name", *other = "other";
	char copy[] = "name";
	const char *copied = copy;
	struct prof_filter filter = { 0 }, equal = { 0 };
	struct resolve_opts plain = { 0 }, opts = { 0 };

	(void)state;
	expect_questions(&plain, &opts, true);
	opts.jobs = 7;
	opts.filter = &filter;
	expect_questions(&plain, &opts, true);
	/* Filters of names are applied to the answer. */
	filter.roots.items.data = &name;
	filter.roots.items.n = 1;
	expect_questions(&plain, &opts, true);
	filter.comms.items.data = &name;
	filter.comms.items.n = 1;
	expect_questions(&plain, &opts, false);
	plain.filter = &equal;
	equal.comms.items.data = &copied;
	equal.comms.items.n = 1;
	expect_questions(&plain, &opts, true);
	equal.comms.items.data = &other;
	expect_questions(&plain, &opts, false);
	plain.filter = opts.filter = NULL;
	opts.search.symfs = "";
	expect_questions(&plain, &opts, false);
	opts.search.symfs = NULL;
	opts.request.rows = true;
	expect_questions(&plain, &opts, false);
	opts.request.rows = false;
	opts.names.no_inline = true;
	expect_questions(&plain, &opts, false);
	opts.names.no_inline = false;
	assert_true(resolve_is_repeatable(&opts));
	opts.list_files = true;
	assert_false(resolve_is_repeatable(&opts));
}

static void test_surroundings(void **state)
{
	const struct resolve_opts opts = { 0 };
	struct bytes before = question_of(&opts);

	(void)state;
	setenv("DEBUGINFOD_CACHE_PATH", "/elsewhere", 1);
	struct bytes after = question_of(&opts);
	assert_false(before.n == after.n && memcmp(before.data, after.data, before.n) == 0);
	unsetenv("DEBUGINFOD_CACHE_PATH");
	free(before.data);
	free(after.data);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_entries),
		cmocka_unit_test(test_no_entry),
		cmocka_unit_test(test_changing),
		cmocka_unit_test(test_reports),
		cmocka_unit_test(test_kept_reports),
		cmocka_unit_test(test_program),
		cmocka_unit_test(test_questions),
		cmocka_unit_test(test_surroundings),
	};

	return cmocka_run_group_tests(tests, make_root, remove_root);
}

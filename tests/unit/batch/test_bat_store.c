/* The store: what is done is known, and what is interrupted leaves nothing that counts. */
#include "tests/unit/test.h"

#include <sys/file.h>

#include "batch/bat_store.h"
#include "tests/unit/batch/folder.h"

static const char ID[] = "0123456789abcdef0123456789abcdef";

static struct bat_store open_store(const struct folder *folder, const char *options)
{
	struct bat_store store;

	assert_ok(bat_store_open(folder->path, "manifest.jsonl", &store));
	bat_digest_text(options, store.options);
	return store;
}

/* Publish an output called "out" of the recording @p id, which is in @p input, at @p to. */
static void publish_as(
	const struct bat_store *store, const char *id, const char *input, const char *to)
{
	struct bat_outputs outputs = { 0 };
	uint64_t bytes;
	char *slot, path[4096];

	assert_ok(bat_store_clear(store, 3, &slot));
	snprintf(path, sizeof(path), "%s/out", slot);
	FILE *out = fopen(path, "w");
	assert_non_null(out);
	fputs("output", out);
	fclose(out);
	assert_true(bat_outputs_add(&outputs, strdup("out"), strdup(to)));
	assert_ok(bat_store_publish(store, 3, &outputs, id, &bytes));
	assert_int_equal(bytes, strlen("output"));
	assert_ok(bat_store_conclude(store, id, input, &outputs));
	bat_outputs_deinit(&outputs);
	free(slot);
}

static void publish(const struct bat_store *store, const char *to)
{
	publish_as(store, ID, "in", to);
}

static bool exists(const struct folder *folder, const char *path)
{
	return faccessat(folder->dir, path, F_OK, 0) == 0;
}

static void what_is_done_is_known(void **state)
{
	struct folder folder = folder_make();
	struct bat_store store = open_store(&folder, "a");

	(void)state;
	assert_false(bat_store_has(&store, ID));
	publish(&store, "t/date=1/x");
	assert_true(bat_store_has(&store, ID));
	bat_store_close(&store);
	store = open_store(&folder, "a");
	assert_true(bat_store_has(&store, ID));
	assert_int_equal(unlinkat(folder.dir, "t/date=1/x", 0), 0);
	assert_false(bat_store_has(&store, ID));
	bat_store_close(&store);
	folder_remove(&folder);
}

static void other_options_replace_outputs(void **state)
{
	struct folder folder = folder_make();
	struct bat_store store = open_store(&folder, "a");

	(void)state;
	publish(&store, "t/date=1/x");
	bat_store_close(&store);
	store = open_store(&folder, "b");
	assert_false(bat_store_has(&store, ID));
	publish(&store, "t/date=2/x");
	assert_true(bat_store_has(&store, ID));
	assert_true(exists(&folder, "t/date=2/x"));
	assert_false(exists(&folder, "t/date=1/x"));
	bat_store_close(&store);
	folder_remove(&folder);
}

static void other_labels_replace_outputs(void **state)
{
	static const char other[] = "ffffffffffffffffffffffffffffffff";
	const struct bat_done before = { "in", 1, ID, "content" };
	const struct bat_done copy = { "copy", 1, ID, "content" };
	const struct bat_done after = { "in", 1, other, "content" };
	const struct bat_done changed = { "in", 2, ID, "other content" };
	struct folder folder = folder_make();
	struct bat_store store = open_store(&folder, "a");

	(void)state;
	publish_as(&store, ID, "in", "t/a/x");
	bat_store_remember(&store, &before);
	publish_as(&store, other, "in", "t/b/x");
	bat_store_remember(&store, &after);
	assert_false(exists(&folder, "t/a/x"));
	assert_true(exists(&folder, "t/b/x"));
	assert_false(bat_store_has(&store, ID));
	assert_true(bat_store_has(&store, other));
	/* Another content under the same path is another recording. */
	publish_as(&store, ID, "in", "t/a/x");
	bat_store_remember(&store, &changed);
	assert_true(exists(&folder, "t/b/x"));
	/* Outputs of another path stay. */
	publish_as(&store, ID, "elsewhere", "t/a/x");
	bat_store_remember(&store, &copy);
	bat_store_remember(&store, &(struct bat_done){ "copy", 1, other, "content" });
	assert_true(exists(&folder, "t/a/x"));
	bat_store_close(&store);
	folder_remove(&folder);
}

static void paths_outside_are_not_removed(void **state)
{
	struct folder folder = folder_make();
	struct bat_store store = open_store(&folder, "a");

	(void)state;
	folder_write(&folder, "victim", "kept");
	folder_write(&folder, ".pdconv/done/01/23456789abcdef0123456789abcdef",
		"options\ninput\n.pdconv/../victim\n../victim\n");
	publish(&store, "t/x");
	assert_true(exists(&folder, "victim"));
	bat_store_close(&store);
	folder_remove(&folder);
}

/* A file of the system, whose last change was not in the last seconds. */
static const char OLD_FILE[] = "/etc/passwd";

static void unchanged_inputs_are_known(void **state)
{
	struct folder folder = folder_make();
	struct bat_store store = open_store(&folder, "a");
	uint64_t old;

	(void)state;
	assert_true(bat_file_state(OLD_FILE, &old));
	assert_false(bat_store_knows(&store, OLD_FILE));
	const struct bat_done other = { OLD_FILE, old + 1, ID, "content" };
	bat_store_remember(&store, &other);
	publish(&store, "t/x");
	assert_false(bat_store_knows(&store, OLD_FILE));
	const struct bat_done done = { OLD_FILE, old, ID, "content" };
	bat_store_remember(&store, &done);
	assert_true(bat_store_knows(&store, OLD_FILE));
	assert_false(bat_store_knows(&store, "/etc/group"));
	bat_digest_text("b", store.options);
	assert_false(bat_store_knows(&store, OLD_FILE));
	bat_digest_text("a", store.options);
	assert_int_equal(unlinkat(folder.dir, "t/x", 0), 0);
	assert_false(bat_store_knows(&store, OLD_FILE));
	bat_store_close(&store);
	folder_remove(&folder);
}

static void files_that_may_still_change_have_no_state(void **state)
{
	struct folder folder = folder_make();
	char path[4096];
	uint64_t ignored;

	(void)state;
	folder_write(&folder, "new", "content");
	snprintf(path, sizeof(path), "%s/new", folder.path);
	assert_false(bat_file_state(path, &ignored));
	assert_false(bat_file_state(folder.path, &ignored));
	assert_false(bat_file_state("/dev/null", &ignored));
	folder_remove(&folder);
}

static void missing_outputs_are_an_error(void **state)
{
	struct folder folder = folder_make();
	struct bat_store store = open_store(&folder, "a");
	struct bat_outputs outputs = { 0 };
	uint64_t bytes;
	char *slot;

	(void)state;
	assert_ok(bat_store_clear(&store, 0, &slot));
	free(slot);
	assert_true(bat_outputs_add(&outputs, strdup("out"), strdup("t/x")));
	assert_error(bat_store_publish(&store, 0, &outputs, ID, &bytes), PD_ERROR_OS);
	assert_false(bat_store_has(&store, ID));
	bat_outputs_deinit(&outputs);
	bat_store_close(&store);
	folder_remove(&folder);
}

static void only_folders_without_a_batch_are_swept(void **state)
{
	struct folder folder = folder_make();
	struct bat_store store = open_store(&folder, "a");

	(void)state;
	folder_write(&folder, ".pdconv/tmp.killed/0/out", "half");
	struct bat_store other = open_store(&folder, "a");
	assert_false(exists(&folder, ".pdconv/tmp.killed"));
	assert_true(exists(&folder, store.temporary_name));
	bat_store_close(&other);
	assert_true(exists(&folder, store.temporary_name));
	publish(&store, "t/x");
	bat_store_close(&store);
	folder_remove(&folder);
}

static void a_cut_line_is_ended(void **state)
{
	struct folder folder = folder_make();
	char text[64] = "";

	(void)state;
	folder_write(&folder, "manifest.jsonl", "{}\n{\"inp");
	struct bat_store store = open_store(&folder, "a");
	assert_ok(bat_store_log(&store, "{}\n", 3));
	bat_store_close(&store);
	int fd = openat(folder.dir, "manifest.jsonl", O_RDONLY);
	assert_int_equal(read(fd, text, sizeof(text)), 12);
	assert_string_equal(text, "{}\n{\"inp\n{}\n");
	close(fd);
	folder_remove(&folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_done_is_known),
		cmocka_unit_test(other_options_replace_outputs),
		cmocka_unit_test(other_labels_replace_outputs),
		cmocka_unit_test(paths_outside_are_not_removed),
		cmocka_unit_test(unchanged_inputs_are_known),
		cmocka_unit_test(files_that_may_still_change_have_no_state),
		cmocka_unit_test(missing_outputs_are_an_error),
		cmocka_unit_test(only_folders_without_a_batch_are_swept),
		cmocka_unit_test(a_cut_line_is_ended),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

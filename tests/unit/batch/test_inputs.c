/* Inputs: recordings are found in folders and lists, and nothing else is. */
#include "tests/unit/test.h"

#include <fcntl.h>
#include <unistd.h>

#include "batch/digest.h"
#include "batch/inputs.h"
#include "tests/unit/batch/folder.h"

static int compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Assert that the names of all inputs are @p expected, in the order of strcmp(). */
static void assert_inputs(struct bat_inputs *inputs, const char *const *expected, size_t n)
{
	struct bat_input input;
	bool is_end = false;
	char *names[32];
	size_t n_found = 0;

	for (;;) {
		assert_ok(bat_inputs_next(inputs, &input, &is_end));
		if (is_end)
			break;
		assert_true(n_found < 32);
		assert_true(strlen(input.path) >= strlen(input.name));
		names[n_found++] = strdup(input.name);
	}
	assert_int_equal(n_found, n);
	qsort(names, n_found, sizeof(*names), compare);
	for (size_t i = 0; i < n; i++) {
		assert_string_equal(names[i], expected[i]);
		free(names[i]);
	}
	bat_inputs_deinit(inputs);
}

static void recordings_of_a_folder_are_found(void **state)
{
	static const char *const expected[] = { "a", "b/c.data", "b/d/x.data.zst", "threads" };
	struct folder folder = folder_make();
	const struct stat none = { 0 };
	struct bat_inputs inputs;
	const char *path = folder.path;

	(void)state;
	folder_write(&folder, "a", "PERFILE2");
	folder_write(&folder, "text", "hello");
	folder_write(&folder, "empty", "");
	folder_write(&folder, ".hidden", "PERFILE2");
	folder_write(&folder, "b/c.data", "2ELIFREP");
	folder_write(&folder, "b/c.data.tar.zst", "\x28\xb5\x2f\xfd....");
	folder_write(&folder, "b/notes.zst", "\x28\xb5\x2f\xfd....");
	folder_write(&folder, "b/d/x.data.zst", "\x28\xb5\x2f\xfd....");
	folder_write(&folder, "threads/data.0", "PERFILE2");
	assert_int_equal(symlinkat("b", folder.dir, "link"), 0);
	assert_int_equal(symlinkat("nowhere", folder.dir, "dangling"), 0);
	assert_int_equal(mkfifoat(folder.dir, "fifo.data", 0666), 0);
	bat_inputs_init(&inputs, &path, 1, NULL, &none);
	assert_inputs(&inputs, expected, 4);
	folder_remove(&folder);
}

static void the_output_is_passed_over(void **state)
{
	static const char *const expected[] = { "a" };
	struct folder folder = folder_make();
	struct bat_inputs inputs;
	const char *path = folder.path;
	struct stat output;

	(void)state;
	folder_write(&folder, "a", "PERFILE2");
	folder_write(&folder, "out/b", "PERFILE2");
	assert_int_equal(fstatat(folder.dir, "out", &output, 0), 0);
	bat_inputs_init(&inputs, &path, 1, NULL, &output);
	assert_inputs(&inputs, expected, 1);
	folder_remove(&folder);
}

static void what_is_given_is_not_judged(void **state)
{
	static const char *const arguments[] = { "nothing", "-", "more" };
	static const char *const expected[] = { "listed", "more", "nothing", "with space" };
	static char text[] = "listed\n\nwith space";
	const struct stat none = { 0 };
	struct bat_inputs inputs;
	FILE *list = fmemopen(text, strlen(text), "r");

	(void)state;
	bat_inputs_init(&inputs, arguments, 3, list, &none);
	assert_inputs(&inputs, expected, 4);
	fclose(list);
}

static void digests_are_of_content(void **state)
{
	struct folder folder = folder_make();
	struct bat_digested a, b;
	char path[4096], text[BAT_DIGEST_SIZE];

	(void)state;
	folder_write(&folder, "a/data.0", "content");
	folder_write(&folder, "b/data.0", "content");
	snprintf(path, sizeof(path), "%s/a/data.0", folder.path);
	assert_ok(bat_digest_path(path, "", &a));
	bat_digest_text("content", text);
	assert_string_equal(a.digest, text);
	assert_int_equal(a.bytes, strlen("content"));
	assert_ok(bat_digest_path(path, "more", &b));
	bat_digest_text("contentmore", text);
	assert_string_equal(b.digest, text);
	assert_false(bat_digest_is_outdated(path, &a));
	folder_write(&folder, "a/data.0", "content and more");
	assert_true(bat_digest_is_outdated(path, &a));
	folder_write(&folder, "a/data.0", "content");

	snprintf(path, sizeof(path), "%s/a", folder.path);
	assert_ok(bat_digest_path(path, "", &a));
	snprintf(path, sizeof(path), "%s/b", folder.path);
	assert_ok(bat_digest_path(path, "", &b));
	assert_string_equal(a.digest, b.digest);
	assert_false(bat_digest_is_outdated(path, &b));
	folder_write(&folder, "b/data.1", "");
	assert_true(bat_digest_is_outdated(path, &b));
	assert_ok(bat_digest_path(path, "", &b));
	assert_string_not_equal(a.digest, b.digest);
	folder_remove(&folder);
	assert_error(bat_digest_path(path, "", &b), PD_ERROR_OS);
	assert_error(bat_digest_path("/dev/null", "", &b), PD_ERROR_USAGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(recordings_of_a_folder_are_found),
		cmocka_unit_test(the_output_is_passed_over),
		cmocka_unit_test(what_is_given_is_not_judged),
		cmocka_unit_test(digests_are_of_content),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Files that could not be read as a whole. */
#include "tests/unit/symbolize/fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "symbolize/file/text_file.h"

static struct sym_trouble *trouble;

static void assert_reported(const char *const *wanted, size_t n)
{
	struct pd_diag *diag = pd_diag_create();

	sym_trouble_report(trouble, diag);
	assert_int_equal(pd_diag_n(diag), n);
	for (size_t i = 0; i < n; i++) {
		char *text = pd_error_string(pd_diag_get(diag, i).first);

		assert_string_equal(text, wanted[i]);
		free(text);
	}
	assert_true(sym_trouble_is_empty(trouble));
	pd_diag_destroy(diag);
}

static void reports_are_sorted_and_distinct(void **state)
{
	static const char *const wanted[] = { "a: cannot be read: Input/output error",
		"b: TEXT_FILE_BYTES: the rest is not read: the limit for kallsyms, perf maps and "
		"other text files is reached" };
	struct base_limit_set set;

	(void)state;
	{
		PD_LIMIT_SCOPE();
		base_limit_reach(PD_LIMIT_ID_TEXT_FILE_BYTES);
		set = base_limit_reached();
	}
	sym_trouble_add_limits(trouble, "b", &set);
	sym_trouble_add(trouble, "a", EIO);
	sym_trouble_add(trouble, "a", EIO);
	assert_false(sym_trouble_is_empty(trouble));
	assert_reported(wanted, 2);
	set = base_limit_reached();
	sym_trouble_add_limits(trouble, "c", &set);
	sym_trouble_add(NULL, "c", EIO);
	assert_true(sym_trouble_is_empty(trouble));
}

/* Files below /proc/PID/root of a process that ends while they are looked for. */
static void processes_may_end(void **state)
{
	const struct sym_access access = { .trouble = trouble };
	struct sym_failure failure;

	(void)state;
	assert_int_equal(sym_open_failed("/proc/1/root/a", access, ESRCH, &failure), -1);
	assert_int_equal(failure.status, SYM_NO_FILE);
	assert_true(sym_trouble_is_empty(trouble));
}

/* Reading a directory fails, as reading a damaged disk does. */
static void text_that_cannot_be_read_is_absent(void **state)
{
	static const char *const wanted[] = { "kallsyms: cannot be read: Is a directory" };
	const struct sym_access access = { .trouble = trouble };
	struct sym_failure failure;
	size_t len = 1;
	char *text = (char *)"";
	int fd = open("/", O_RDONLY);

	(void)state;
	assert_null(sym_text_file_read_fd(fd, "kallsyms", access, &text, &len, &failure));
	assert_null(text);
	assert_int_equal(len, 0);
	assert_int_equal(failure.status, SYM_UNREADABLE);
	assert_string_equal(failure.text, "Is a directory");
	assert_reported(wanted, 1);
	close(fd);
}

/* The file has no blocks, so it takes no space. */
static void long_text_ends_with_a_line_and_is_reported(void **state)
{
	static const char *const wanted[] = {
		"long: TEXT_FILE_BYTES: the rest is not read: the limit for kallsyms, perf maps "
		"and other text files is reached"
	};
	const struct sym_access access = { .trouble = trouble };
	struct sym_failure failure;
	size_t len;
	char *text, path[256];

	(void)state;
	snprintf(path, sizeof(path), "%s/long", dir);
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	assert_int_equal(ftruncate(fd, PD_LIMIT_TEXT_FILE_BYTES), 0);
	assert_int_equal(pwrite(fd, "a line\n", 7, 0), 7);
	assert_null(sym_text_file_read_fd(fd, "long", access, &text, &len, &failure));
	assert_int_equal(len, PD_LIMIT_TEXT_FILE_BYTES);
	free(text);
	assert_true(sym_trouble_is_empty(trouble));
	assert_int_equal(ftruncate(fd, PD_LIMIT_TEXT_FILE_BYTES + 1), 0);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	assert_null(sym_text_file_read_fd(fd, "long", access, &text, &len, &failure));
	assert_int_equal(len, 7);
	assert_string_equal(text, "a line\n");
	free(text);
	assert_reported(wanted, 1);
	close(fd);
}

static void more_files_than_are_listed_are_one_line(void **state)
{
	struct pd_diag *diag = pd_diag_create();
	char path[32];

	(void)state;
	for (int i = 0; i <= PD_LIMIT_REPORTED_FILES; i++) {
		snprintf(path, sizeof(path), "%d", i);
		{
			PD_LIMIT_SCOPE();
			base_limit_reach(PD_LIMIT_ID_DIE_DEPTH);
			sym_trouble_note_limits(trouble, path);
		}
		assert_false(base_limit_is_reached());
	}
	sym_trouble_report(trouble, diag);
	assert_int_equal(pd_diag_n(diag), PD_LIMIT_REPORTED_FILES + 1);
	char *text = pd_error_string(pd_diag_get(diag, PD_LIMIT_REPORTED_FILES).first);
	assert_string_equal(text,
		"other files: REPORTED_FILES: further ones are not listed: the limit for files "
		"that are reported because they could not be read as a whole is reached");
	free(text);
	pd_diag_destroy(diag);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reports_are_sorted_and_distinct),
		cmocka_unit_test(processes_may_end),
		cmocka_unit_test(text_that_cannot_be_read_is_absent),
		cmocka_unit_test(long_text_ends_with_a_line_and_is_reported),
		cmocka_unit_test(more_files_than_are_listed_are_one_line),
	};

	assert_null(sym_trouble_create(&trouble));
	int result = cmocka_run_group_tests(tests, make_dir, remove_dir);
	sym_trouble_destroy(trouble);
	return result;
}

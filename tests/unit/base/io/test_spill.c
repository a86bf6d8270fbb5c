/* Arrays that move to a temporary file: in memory, in a file, and where no file can be made. */
#include "tests/unit/test.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io/spill.h"

typedef PD_SPILL_VEC(uint64_t) numbers;

enum { MANY = 300000, FEW_BYTES = 4096 };

static void push_many(numbers *v)
{
	for (uint64_t i = 0; i < MANY; i++)
		assert_ok(base_spill_push(v, i * i));
}

static void expect_many(const numbers *v)
{
	assert_int_equal(v->n, MANY);
	for (uint64_t i = 0; i < MANY; i++) {
		base_spill_pass(v, i);
		assert_int_equal(v->data[i], i * i);
	}
}

static void without_a_limit_it_stays_in_memory(void **state)
{
	numbers v = { 0 };

	(void)state;
	push_many(&v);
	assert_null(v.spill.file.bytes);
	expect_many(&v);
	base_spill_deinit(&v);
}

static void a_large_one_moves_to_a_file_without_a_name(void **state)
{
	numbers v = { .spill.max_bytes = FEW_BYTES };
	struct stat st;

	(void)state;
	needs_linux();
	for (uint64_t i = 0; i < FEW_BYTES / sizeof(i); i++)
		assert_ok(base_spill_push(&v, i));
	assert_null(v.spill.file.bytes);
	v.n = 0;
	push_many(&v);
	assert_non_null(v.spill.file.bytes);
	assert_int_equal(fstat(v.spill.file.fd, &st), 0);
	assert_int_equal(st.st_nlink, 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	expect_many(&v);
	expect_many(&v); /* what was taken out of memory can be read again */
	base_spill_deinit(&v);
	assert_null(v.spill.file.bytes);
	push_many(&v); /* the limit remains */
	assert_non_null(v.spill.file.bytes);
	base_spill_deinit(&v);
}

static void elements_can_be_changed_in_the_file(void **state)
{
	numbers v = { .spill.max_bytes = FEW_BYTES };

	(void)state;
	for (uint64_t i = 0; i < MANY; i++)
		assert_ok(base_spill_push(&v, i));
	for (uint64_t i = 0; i < MANY; i++) {
		v.data[i] *= i;
		base_spill_pass(&v, i);
	}
	expect_many(&v);
	base_spill_deinit(&v);
}

static void without_a_folder_it_stays_in_memory(void **state)
{
	numbers v = { .spill.max_bytes = FEW_BYTES };
	const char *before = getenv("TMPDIR");
	char *saved = before ? strdup(before) : NULL;

	(void)state;
	setenv("TMPDIR", "/does/not/exist", 1);
	push_many(&v);
	assert_null(v.spill.file.bytes);
	expect_many(&v);
	base_spill_deinit(&v);
	if (saved)
		setenv("TMPDIR", saved, 1);
	else
		unsetenv("TMPDIR");
	free(saved);
}

static void a_full_disk_is_an_error(void **state)
{
	numbers v = { .spill.max_bytes = FEW_BYTES };

	(void)state;
	needs_linux();
	push_many(&v);
	/* A file that cannot grow stands for the full disk. */
	int null = open("/dev/full", O_RDWR | O_CLOEXEC);
	assert_int_equal(dup2(null, v.spill.file.fd), v.spill.file.fd);
	close(null);
	struct pd_error *err = base_spill_reserve(&v, v.cap + 1);
	assert_non_null(err);
	assert_int_equal(err->code, PD_ERROR_OS);
	assert_non_null(strstr(err->message, "cannot write to a temporary file in"));
	pd_error_destroy(err);
	expect_many(&v);
	base_spill_deinit(&v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_a_limit_it_stays_in_memory),
		cmocka_unit_test(a_large_one_moves_to_a_file_without_a_name),
		cmocka_unit_test(elements_can_be_changed_in_the_file),
		cmocka_unit_test(without_a_folder_it_stays_in_memory),
		cmocka_unit_test(a_full_disk_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

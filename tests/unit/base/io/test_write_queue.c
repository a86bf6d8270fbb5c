/* A queue that a thread writes to a pipe. */
#include "tests/unit/test.h"

#include <errno.h>
#include <signal.h>
#include <unistd.h>

#include "base/io/write_queue.h"

/* Bytes that a reader has to see in this order. */
static void fill(char *bytes, size_t size, size_t from)
{
	for (size_t i = 0; i < size; i++)
		bytes[i] = (char)((from + i) * 7 + (from + i) / 251);
}

static void expect_bytes(int fd, size_t from, size_t to)
{
	static char expected[1 << 16], bytes[1 << 16];

	while (from < to) {
		size_t wanted = to - from < sizeof(bytes) ? to - from : sizeof(bytes);
		ssize_t n = read(fd, bytes, wanted);

		assert_true(n > 0);
		fill(expected, (size_t)n, from);
		assert_memory_equal(bytes, expected, n);
		from += (size_t)n;
	}
}

/* Bytes that do not fit the pipe wait, in order, up to the bound. */
static void test_order(void **state)
{
	enum { PIECE = 50000, N = 40, ALL = N * PIECE };
	static char bytes[PIECE];
	int ends[2];

	(void)state;
	assert_int_equal(pipe(ends), 0);
	struct base_write_queue *queue = base_write_queue_create(ends[1], ALL);
	assert_non_null(queue);
	FILE *stream = base_write_queue_open(queue);
	assert_non_null(stream);
	for (size_t i = 0; i < N; i++) {
		fill(bytes, PIECE, i * PIECE);
		assert_int_equal(fwrite(bytes, 1, PIECE, stream), PIECE);
	}
	assert_int_equal(fflush(stream), 0);
	/* Nothing was read, and the pipe holds little. */
	assert_true(base_write_queue_fill(queue) > 0.5 && base_write_queue_fill(queue) <= 1);
	expect_bytes(ends[0], 0, ALL);
	assert_int_equal(fclose(stream), 0);
	base_write_queue_destroy(queue);
	close(ends[1]);
	char byte;
	assert_int_equal(read(ends[0], &byte, 1), 0);
	close(ends[0]);
}

/* A reader that goes away is an error of the stream, which is not waited for. */
static void test_lost_reader(void **state)
{
	static char bytes[1 << 20];
	int ends[2];

	(void)state;
	signal(SIGPIPE, SIG_IGN);
	assert_int_equal(pipe(ends), 0);
	struct base_write_queue *queue = base_write_queue_create(ends[1], sizeof(bytes));
	FILE *stream = base_write_queue_open(queue);
	close(ends[0]);
	bool has_failed = false;
	for (int i = 0; i < 10 && !has_failed; i++)
		has_failed = fwrite(bytes, 1, sizeof(bytes), stream) != sizeof(bytes) ||
			     fflush(stream) != 0;
	assert_true(has_failed);
	assert_int_equal(errno, EPIPE);
	fclose(stream);
	base_write_queue_destroy(queue);
	close(ends[1]);
	base_write_queue_destroy(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_lost_reader),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Streams that write to descriptors. */
#include "tests/unit/test.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

#include "base/io/fd_stream.h"
#include "base/io/temporary.h"

static void interrupt(int signal)
{
	(void)signal;
}

/* Read a pipe to its end, late enough that its writer waits and is interrupted. */
static void *read_late(void *arg)
{
	const int *from = arg;
	char bytes[4096];
	size_t sum = 0;
	ssize_t n;

	usleep(50000);
	while ((n = read(*from, bytes, sizeof(bytes))) > 0)
		sum += (size_t)n;
	return (void *)sum;
}

struct interrupter {
	pthread_t target;
	atomic_bool is_over;
};

static void *interrupt_often(void *arg)
{
	struct interrupter *interrupter = arg;

	while (!interrupter->is_over) {
		pthread_kill(interrupter->target, SIGUSR1);
		usleep(1000);
	}
	return NULL;
}

static void interrupted_writes_are_repeated(void **state)
{
	/* More than a pipe holds. */
	enum { N = 300000 };
	const struct sigaction on_signal = { .sa_handler = interrupt };
	struct interrupter interrupter = { .target = pthread_self() };
	pthread_t reader, signaller;
	void *sum;
	int ends[2], error;

	(void)state;
	assert_int_equal(pipe(ends), 0);
	FILE *out = base_fd_stream_open(ends[1], true, &error);
	assert_non_null(out);
	assert_int_equal(pthread_create(&reader, NULL, read_late, &ends[0]), 0);
	sigaction(SIGUSR1, &on_signal, NULL);
	assert_int_equal(pthread_create(&signaller, NULL, interrupt_often, &interrupter), 0);
	for (int i = 0; i < N; i++)
		assert_int_equal(putc('x', out), 'x');
	assert_int_equal(fclose(out), 0);
	assert_int_equal(error, 0);
	interrupter.is_over = true;
	pthread_join(signaller, NULL);
	pthread_join(reader, &sum);
	assert_int_equal((size_t)sum, N);
	close(ends[0]);
}

static void the_first_failure_is_kept(void **state)
{
	int error;
	FILE *out = base_fd_stream_open(open("/dev/full", O_WRONLY), true, &error);

	(void)state;
	assert_non_null(out);
	assert_true(putc('x', out) >= 0);
	assert_int_equal(fflush(out), EOF);
	assert_true(ferror(out));
	close(open("nonexistent", O_RDONLY));
	fclose(out);
	assert_int_equal(error, ENOSPC);
}

static void files_can_be_sought_in(void **state)
{
	char text[8] = "";
	int error, fd = base_temporary_open();
	FILE *out = base_fd_stream_open(fd, false, &error);

	(void)state;
	assert_non_null(out);
	fputs("abcdef", out);
	assert_int_equal(ftello(out), 6);
	assert_int_equal(fseeko(out, 2, SEEK_SET), 0);
	fputs("CD", out);
	assert_int_equal(fclose(out), 0);
	/* The descriptor is still open. */
	assert_int_equal(pread(fd, text, sizeof(text), 0), 6);
	assert_string_equal(text, "abCDef");
	close(fd);
}

static void appending_streams_cannot_be_sought_in(void **state)
{
	int error, fd = base_temporary_open();

	(void)state;
	fcntl(fd, F_SETFL, O_APPEND);
	FILE *out = base_fd_stream_open(fd, true, &error);
	assert_non_null(out);
	assert_int_equal(fseeko(out, 0, SEEK_SET), -1);
	fclose(out);
}

/* The writer of recordings asks for the position, and writes a stream if there is none. */
static void only_pipes_may_have_no_position(void **state)
{
	int error, fd = base_temporary_open(), ends[2];
	FILE *out = base_fd_stream_open(fd, false, &error);

	(void)state;
	assert_non_null(out);
	close(fd);
	assert_true(ftello(out) < 0);
	assert_int_equal(error, EBADF);
	fclose(out);
	assert_int_equal(pipe(ends), 0);
	out = base_fd_stream_open(ends[1], true, &error);
	assert_non_null(out);
	assert_true(ftello(out) < 0);
	fclose(out);
	assert_int_equal(error, 0);
	close(ends[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(interrupted_writes_are_repeated),
		cmocka_unit_test(the_first_failure_is_kept),
		cmocka_unit_test(files_can_be_sought_in),
		cmocka_unit_test(appending_streams_cannot_be_sought_in),
		cmocka_unit_test(only_pipes_may_have_no_position),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Files that are truncated while the library reads them: see pdconv/file_guard.h. */
#include "parse/open_file.h"
#include "tests/unit/test_recording.h"

#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <pdconv/pdconv.h>

enum { REPEATS = 40, HEADER_DATA = 40, HEADER_BITMAP = 72, BITMAP_WORDS = 4 };

static char dir[] = "/tmp/pdconv-guard-XXXXXX";
static char recording[64], program[64];

static struct bytes read_whole(const char *path)
{
	struct bytes bytes = { 0 };
	char buffer[1 << 16];
	size_t n;
	FILE *in = fopen(path, "r");

	assert_non_null(in);
	while ((n = fread(buffer, 1, sizeof(buffer), in)))
		bytes_add(&bytes, buffer, n);
	fclose(in);
	return bytes;
}

static void write_part(FILE *out, const struct bytes *bytes, uint64_t start, uint64_t end)
{
	assert_int_equal(fwrite(bytes->data + start, 1, end - start, out), end - start);
}

/* Write testdata/nested with its records many times, so that progress is reported in between. */
static void write_recording(void)
{
	struct bytes in = read_whole("testdata/nested/perf.data");
	uint64_t data[2], bitmap[BITMAP_WORDS], place[2];
	FILE *out = fopen(recording, "w");
	int n_features = 0;

	assert_non_null(out);
	memcpy(data, in.data + HEADER_DATA, sizeof(data));
	memcpy(bitmap, in.data + HEADER_BITMAP, sizeof(bitmap));
	for (int i = 0; i < BITMAP_WORDS; i++)
		n_features += __builtin_popcountll(bitmap[i]);
	uint64_t start = data[0], size = data[1], more = (REPEATS - 1) * size;
	data[1] = REPEATS * size;
	memcpy(in.data + HEADER_DATA, data, sizeof(data));
	/* The places of features follow the records. */
	for (int i = 0; i < n_features; i++) {
		uint8_t *at = in.data + start + size + (size_t)i * sizeof(place);

		memcpy(place, at, sizeof(place));
		place[0] += more;
		memcpy(at, place, sizeof(place));
	}
	write_part(out, &in, 0, start);
	for (int i = 0; i < REPEATS; i++)
		write_part(out, &in, start, start + size);
	write_part(out, &in, start + size, in.n);
	assert_int_equal(fclose(out), 0);
	bytes_free(&in);
}

static void write_program(void)
{
	struct bytes in = read_whole("testdata/nested/nested");
	FILE *out = fopen(program, "w");

	assert_non_null(out);
	write_part(out, &in, 0, in.n);
	assert_int_equal(fclose(out), 0);
	bytes_free(&in);
}

static int set_up(void **state)
{
	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(recording, sizeof(recording), "%s/perf.data", dir);
	snprintf(program, sizeof(program), "%s/nested", dir);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	unlink(recording);
	unlink(program);
	return rmdir(dir);
}

/* The handler of the guard. */
static struct sigaction guard;

static void install_guard(void)
{
	for (int i = 0; i < 2; i++) {
		if (pd_file_guard_install())
			abort();
	}
	sigaction(SIGBUS, NULL, &guard);
}

/* Set the handler of the guard in place of that of cmocka, which is set again after each test. */
static void use_guard(void)
{
	assert_int_equal(sigaction(SIGBUS, &guard, NULL), 0);
}

/*
 * Truncation of a file: its new size, and the first call of on_progress that may make it. Binaries
 * are opened by other threads: before that, it would only be taken for another file.
 */
struct moment {
	const char *path;
	off_t size;
	int at_call;
	bool when_mapped;
	bool is_over;
	int n_calls;
};

static bool is_mapped(const char *path)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[1024];
	bool found = false;

	assert_non_null(maps);
	while (!found && fgets(line, sizeof(line), maps))
		found = strstr(line, path);
	fclose(maps);
	return found;
}

static struct pd_error *on_progress(void *ctx, uint64_t done, uint64_t total)
{
	struct moment *moment = ctx;

	(void)done;
	(void)total;
	if (moment->is_over || moment->n_calls++ < moment->at_call ||
		(moment->when_mapped && !is_mapped(moment->path)))
		return NULL;
	assert_int_equal(truncate(moment->path, moment->size), 0);
	moment->is_over = true;
	return NULL;
}

static struct pd_error *append(void *ctx, const void *data, size_t size)
{
	bytes_add(ctx, data, size);
	return NULL;
}

static struct pd_profile_opts options(void)
{
	static const char *const dirs[] = { dir };
	struct pd_profile_opts opts = { .jobs = 1 };

	opts.search.no_own_paths = true;
	opts.search.dirs = dirs;
	opts.search.n_dirs = 1;
	return opts;
}

static void assert_truncated(struct pd_error *err, const char *path)
{
	assert_non_null(err);
	assert_int_equal(err->code, PD_ERROR_OS);
	assert_string_equal(err->path, path);
	assert_string_equal(err->message, "was truncated while it was read");
	pd_error_destroy(err);
}

/* Convert, and truncate meanwhile. Returns the error, and the number of calls of on_progress. */
static struct pd_error *convert(struct moment *moment, unsigned int jobs, const char *format)
{
	struct pd_profile_opts opts = options();
	struct bytes out = { 0 };
	struct pd_file *file;

	write_recording();
	write_program();
	opts.jobs = jobs;
	opts.on_progress = on_progress;
	opts.progress_ctx = moment;
	assert_ok(pd_file_open(recording, NULL, &file));
	struct pd_error *err = pd_convert(file, &opts, format, append, &out, NULL);
	pd_file_close(file);
	bytes_free(&out);
	return err;
}

static void both_are_whole_without_truncation(void **state)
{
	struct moment never = { .at_call = INT_MAX };

	(void)state;
	assert_ok(convert(&never, 1, "folded"));
	/* So there are moments to truncate at while records are read. */
	assert_true(never.n_calls > 3);
}

static void a_truncated_recording_is_an_error(void **state)
{
	static const char *const formats[] = { "folded", "pprof", "script", "perfdata" };

	(void)state;
	use_guard();
	for (int i = 0; i < 12; i++) {
		struct moment moment = {
			.path = recording, .size = i % 2 ? 0 : 4096 * 30, .at_call = i % 3
		};

		assert_truncated(
			convert(&moment, 1 + (unsigned int)i % 2, formats[i % 4]), recording);
	}
}

static void a_truncated_binary_is_an_error(void **state)
{
	(void)state;
	use_guard();
	for (int i = 0; i < 4; i++) {
		struct moment moment = {
			.path = program, .size = i % 2 ? 0 : 4096, .when_mapped = true
		};

		assert_truncated(convert(&moment, 1 + (unsigned int)i % 2, "folded"), program);
	}
}

static void records_end_with_an_error(void **state)
{
	struct pd_file *file;
	struct pd_reader *reader;
	struct pd_record rec;
	struct pd_error *err = NULL;
	int n = 0;

	(void)state;
	use_guard();
	write_recording();
	assert_ok(pd_file_open(recording, NULL, &file));
	assert_ok(pd_reader_create(file, PD_ORDER_FILE, &reader));
	while (!(err = pd_reader_next(reader, &rec)) && rec.bytes) {
		if (n++ == 100)
			assert_int_equal(truncate(recording, 1 << 16), 0);
	}
	assert_truncated(err, recording);
	pd_reader_destroy(reader);
	pd_file_close(file);
	/* The next recording is another one. */
	write_recording();
	assert_ok(pd_file_open(recording, NULL, &file));
	pd_file_close(file);
}

/* Unwind all samples of a recording, and truncate the program before sample @p at. */
static void unwind_all(int at, int *n_errors, int *n_frames_after)
{
	const char *dirs[] = { dir };
	const struct pd_unwinder_opts opts = {
		.is_offline = true,
		.search = { .symfs = "/proc/fs", .dirs = dirs, .n_dirs = 1 },
	};
	struct pd_stack_frames stack = { 0 };
	struct pd_unwinder *unwinder;
	struct pd_reader *reader;
	struct pd_sample sample;
	struct pd_record rec;
	struct pd_file *file;
	const char *field;
	int n = 0;

	write_program();
	assert_ok(pd_file_open("testdata/nested/perf.data", NULL, &file));
	assert_ok(pd_unwinder_create(file->text[PD_FEATURE_ARCH], &opts, &unwinder));
	assert_ok(pd_reader_create(file, PD_ORDER_TIME, &reader));
	for (;;) {
		assert_ok(pd_reader_next(reader, &rec));
		if (!rec.bytes)
			break;
		assert_ok(pd_unwinder_add_record(unwinder, &file->events, &rec));
		if (rec.type != PD_RECORD_SAMPLE)
			continue;
		const struct pd_event *event = pd_events_find(&file->events, &rec);
		assert_int_equal(
			pd_sample_decode(&event->plan, &rec, &sample, &field), PD_SAMPLE_OK);
		if (n++ == at)
			assert_int_equal(truncate(program, 4096), 0);
		struct pd_error *err = pd_unwinder_unwind(unwinder, &sample, rec.misc, &stack);
		if (err) {
			assert_truncated(err, program);
			++*n_errors;
		} else if (*n_errors) {
			*n_frames_after += (int)stack.n;
		}
	}
	pd_stack_frames_deinit(&stack);
	pd_reader_destroy(reader);
	pd_unwinder_destroy(unwinder);
	pd_file_close(file);
}

/* The file is opened again after the error, and is then no program any more. */
static void an_unwinder_reports_it_once(void **state)
{
	int n_errors = 0, n_frames = 0;

	(void)state;
	use_guard();
	unwind_all(-1, &n_errors, &n_frames);
	assert_int_equal(n_errors, 0);
	for (int at = 1; at < 4; at++) {
		n_errors = n_frames = 0;
		unwind_all(at, &n_errors, &n_frames);
		assert_int_equal(n_errors, 1);
		assert_true(n_frames > 0);
	}
}

static void *truncate_later(void *ctx)
{
	const struct moment *moment = ctx;

	usleep((useconds_t)moment->at_call);
	assert_int_equal(truncate(moment->path, moment->size), 0);
	return NULL;
}

/* Any moment: the result is right, or there is the error. */
static void any_moment_is_survived(void **state)
{
	int n_errors = 0;

	(void)state;
	use_guard();
	for (int i = 0; i < 40; i++) {
		struct moment never = { .at_call = INT_MAX };
		struct moment moment = { .path = i % 2 ? program : recording,
			.size = i % 3 * 8192,
			.at_call = i * 300 };
		pthread_t thread;

		write_recording();
		write_program();
		struct pd_profile_opts opts = options();
		struct bytes out = { 0 };
		struct pd_file *file = NULL;
		opts.jobs = 2;
		opts.on_progress = on_progress;
		opts.progress_ctx = &never;
		assert_int_equal(pthread_create(&thread, NULL, truncate_later, &moment), 0);
		struct pd_error *err = pd_file_open(recording, NULL, &file);
		if (!err)
			err = pd_convert(
				file, &opts, i % 4 < 2 ? "pprof" : "html", append, &out, NULL);
		pthread_join(thread, NULL);
		n_errors += err != NULL;
		pd_error_destroy(err);
		if (file)
			pd_file_close(file);
		bytes_free(&out);
	}
	assert_true(n_errors > 0);
}

static sigjmp_buf back;

static void on_own_fault(int number)
{
	(void)number;
	siglongjmp(back, 1);
}

/* Map a file of one page, and truncate it. */
static volatile char *broken_map(void)
{
	char path[] = "/tmp/pdconv-guard-own-XXXXXX";
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, 4096), 0);
	char *map = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
	assert_true(map != MAP_FAILED);
	assert_int_equal(ftruncate(fd, 0), 0);
	close(fd);
	unlink(path);
	return map;
}

/* The guard is installed in a new process, whose handler was @p handler. Returns its status. */
static int status_of_own_fault(void (*handler)(int))
{
	pid_t pid = fork();
	int status;

	assert_true(pid >= 0);
	if (!pid) {
		volatile char *map = broken_map();

		/* The parent has installed the guard, which called the handler before it. */
		if (handler) {
			signal(SIGBUS, handler);
			if (sigsetjmp(back, 1))
				_exit(7);
		}
		_exit(map[0] ? 1 : 2);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

static void other_faults_are_left_to_others(void **state)
{
	(void)state;
	use_guard();
	assert_false(pd_file_guard_handle((void *)(uintptr_t)4096));
	assert_false(pd_file_guard_handle(&back));
	int status = status_of_own_fault(NULL);
#ifdef PD_SANITIZED
	/* The handler of the sanitizer, which was set before, ends the process in its own way. */
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) != 2);
#else
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGBUS);
#endif
	status = status_of_own_fault(on_own_fault);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 7);
}

/* A handler that was set before the guard is called for faults that are not the library's. */
static void the_handler_before_the_guard_is_called(void **state)
{
	(void)state;
	use_guard();
	volatile char *map = broken_map();
	int n = sigsetjmp(back, 1);

	if (!n)
		n = map[0] + 2;
	assert_int_equal(n, 1);
	munmap((void *)map, 4096);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest before[] = {
		cmocka_unit_test(the_handler_before_the_guard_is_called),
	};
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(other_faults_are_left_to_others),
		cmocka_unit_test(both_are_whole_without_truncation),
		cmocka_unit_test(a_truncated_recording_is_an_error),
		cmocka_unit_test(a_truncated_binary_is_an_error),
		cmocka_unit_test(records_end_with_an_error),
		cmocka_unit_test(an_unwinder_reports_it_once),
		cmocka_unit_test(any_moment_is_survived),
	};
	char *const again[] = { argv[0], "chained", NULL };

	/* The guard is installed once in a process, after a handler of the program or without. */
	if (argc > 1) {
		signal(SIGBUS, on_own_fault);
		install_guard();
		return cmocka_run_group_tests(before, set_up, tear_down);
	}
	install_guard();
	int failed = cmocka_run_group_tests(tests, set_up, tear_down);
	if (failed)
		return failed;
	execv(argv[0], again);
	return 1;
}

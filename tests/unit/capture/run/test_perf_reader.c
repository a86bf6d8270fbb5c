/* Groups, counters, losses and defaults of readers and sets, with the running kernel. */
#include "tests/unit/capture/damaged_ring.h"
#include "tests/unit/capture/burn.h"
#include "tests/unit/capture/permitted.h"

#include <sys/wait.h>

#include <pdconv/pdconv.h>

#include "base/array.h"

#define FIELD(name) ((uint64_t)1 << PD_SAMPLE_##name)
#define FLAG(name) ((uint64_t)1 << PD_ATTR_##name)

/* Records that a reader delivered. */
struct seen {
	const struct pd_events *events;
	size_t n_samples;
	/** Samples of each event. */
	size_t n_by_event[2];
	uint64_t n_lost_reported;
	/** Room for the stack in the last sample, in bytes. */
	uint64_t n_stack;
	/** Counters of the last sample. */
	struct pd_count counts[4];
	size_t n_counts;
};

static struct pd_error *see(void *ctx, const struct pd_record *rec, const struct pd_sample *sample)
{
	struct seen *seen = ctx;
	const struct pd_event *event = pd_events_find(seen->events, rec);
	union pd_body body;
	const char *wrong;

	assert_non_null(event);
	if (rec->type == PD_RECORD_LOST) {
		assert_true(pd_events_decode(seen->events, rec, &body, &wrong));
		seen->n_lost_reported += body.lost.lost;
	}
	if (!sample)
		return NULL;
	seen->n_samples++;
	seen->n_by_event[event->index]++;
	seen->n_stack = sample->stack_user.reserved;
	seen->n_counts = pd_sample_counts(
		seen->events, event, sample, seen->counts, PD_ARRAY_LEN(seen->counts));
	return NULL;
}

static void read_all(struct pd_perf_reader *reader, struct seen *seen)
{
	bool has = true;

	seen->events = pd_perf_reader_events(reader);
	while (has)
		assert_ok(pd_perf_reader_next(reader, see, seen, &has));
}

static struct pd_perf_reader *open_own(const struct pd_capture_opts *opts)
{
	struct pd_perf_reader *reader;

	assert_ok(pd_perf_reader_open(opts, 0, -1, &reader));
	return reader;
}

/* Page faults and context switches of this thread while a reader is enabled. */
static void work(struct pd_perf_reader *reader, size_t n_faults, size_t n_switches)
{
	assert_ok(pd_perf_reader_enable(reader, true));
	touch_pages(n_faults);
	for (size_t i = 0; i < n_switches; i++)
		usleep(100);
	assert_ok(pd_perf_reader_enable(reader, false));
}

static void assert_counts(const struct pd_perf_reader *reader, size_t n_faults, size_t n_switches)
{
	struct pd_count counts[2];
	size_t n;

	assert_ok(pd_perf_reader_count(reader, counts, PD_ARRAY_LEN(counts), &n));
	assert_int_equal(n, 2);
	assert_uint_in_range(counts[0].value, n_faults, n_faults + 20);
	assert_uint_in_range(counts[1].value, n_switches, n_switches + 20);
	for (size_t i = 0; i < n; i++) {
		assert_ptr_equal(counts[i].event, &pd_perf_reader_events(reader)->list.data[i]);
		assert_uint_in_range(counts[i].time_enabled, 1, 10000000000);
		assert_int_equal(counts[i].time_running, counts[i].time_enabled);
	}
}

static void samples_of_a_leader_have_the_counters_of_its_group(void **state)
{
	const struct pd_capture_opts opts = { .event = "{page-faults,context-switches}:S",
		.period = 1,
		.stack_bytes = PD_STACK_NONE };
	struct pd_perf_reader *reader = open_own(&opts);
	struct seen seen = { 0 };

	(void)state;
	assert_int_equal(pd_perf_reader_events(reader)->list.n, 2);
	work(reader, 10, 5);
	/* A group that is disabled does not count. */
	touch_pages(100);
	usleep(100);
	work(reader, 10, 0);
	read_all(reader, &seen);
	assert_true(seen.n_by_event[0] >= 20);
	assert_int_equal(seen.n_by_event[1], 0);
	assert_int_equal(seen.n_counts, 2);
	assert_string_equal(seen.counts[0].event->name, "page-faults");
	assert_int_equal(seen.counts[0].value, seen.n_by_event[0]);
	assert_string_equal(seen.counts[1].event->name, "context-switches");
	assert_uint_in_range(seen.counts[1].value, 5, 25);
	assert_counts(reader, seen.n_by_event[0], 5);
	pd_perf_reader_close(reader);
}

static void each_event_of_a_group_samples(void **state)
{
	const struct pd_capture_opts opts = {
		.event = "{page-faults,context-switches}", .period = 1, .stack_bytes = PD_STACK_NONE
	};
	struct pd_perf_reader *reader = open_own(&opts);
	struct seen seen = { 0 };

	(void)state;
	work(reader, 10, 5);
	read_all(reader, &seen);
	assert_true(seen.n_by_event[0] >= 10 && seen.n_by_event[1] >= 5);
	assert_int_equal(seen.n_counts, 0);
	assert_counts(reader, seen.n_by_event[0], seen.n_by_event[1]);
	assert_int_equal(pd_perf_reader_n_lost(reader), 0);
	pd_perf_reader_close(reader);
}

/* The leader counts only, so the group has no samples at all. */
static void attrs_make_a_group_that_counts(void **state)
{
	const struct pd_attr attrs[] = {
		{ .type = PD_TYPE_SOFTWARE,
			.config = 2,
			.read_format =
				PD_READ_GROUP | PD_READ_TIME_ENABLED | PD_READ_TIME_RUNNING },
		{ .type = PD_TYPE_SOFTWARE, .config = 3 },
	};
	const struct pd_capture_opts opts = { .attrs = attrs, .n_attrs = 2 };
	struct pd_perf_reader *reader = open_own(&opts);
	struct seen seen = { 0 };

	(void)state;
	work(reader, 10, 5);
	touch_pages(100);
	read_all(reader, &seen);
	assert_int_equal(seen.n_samples, 0);
	assert_counts(reader, 10, 5);
	pd_perf_reader_close(reader);
}

static void groups_count_on_all_cpus(void **state)
{
	const struct pd_capture_opts opts = { .event = "{page-faults,context-switches}:S",
		.period = 1,
		.stack_bytes = PD_STACK_NONE };
	struct pd_capture_opts inherited = opts;
	struct pd_perf_set *set;
	uint64_t n_faults = 0;
	struct seen seen = { 0 };

	(void)state;
	inherited.inherit = true;
	assert_error(pd_perf_set_open(&inherited, 0, &set), PD_ERROR_USAGE);
	assert_ok(pd_perf_set_open(&opts, 0, &set));
	assert_ok(pd_perf_set_enable(set, true));
	touch_pages(50);
	assert_ok(pd_perf_set_enable(set, false));
	for (size_t i = 0; i < pd_perf_set_n(set); i++) {
		struct pd_perf_reader *reader = pd_perf_set_reader(set, i);
		struct pd_count counts[2];
		size_t n;

		assert_ok(pd_perf_reader_count(reader, counts, PD_ARRAY_LEN(counts), &n));
		assert_int_equal(n, 2);
		n_faults += counts[0].value;
		read_all(reader, &seen);
	}
	assert_true(n_faults >= 50);
	assert_int_equal(seen.n_samples, n_faults);
	assert_int_equal(pd_perf_set_n_lost(set), 0);
	pd_perf_set_close(set);
}

/* Samples with @p opts in a ring that is large enough: bytes of stack of the last one. */
static uint64_t stack_of(const struct pd_capture_opts *opts)
{
	struct pd_perf_reader *reader = open_own(opts);
	struct seen seen = { 0 };

	work(reader, 1, 0);
	read_all(reader, &seen);
	assert_true(seen.n_samples > 0);
	pd_perf_reader_close(reader);
	return seen.n_stack;
}

static void stacks_have_8_kib_unless_something_else_is_said(void **state)
{
	const struct pd_attr attr = {
		.type = PD_TYPE_SOFTWARE, .config = 2, .sample_period = 1, .sample_type = FIELD(IP)
	};
	struct pd_capture_opts opts = { .event = "page-faults:u", .period = 1 };
	const struct pd_capture_opts with_attr = { .attrs = &attr, .n_attrs = 1 };
	struct pd_perf_set *set;

	(void)state;
	assert_int_equal(stack_of(&opts), 8192);
	assert_ok(pd_perf_set_open(&opts, 0, &set));
	assert_int_equal(pd_perf_reader_events(pd_perf_set_reader(set, 0))
				 ->list.data[0]
				 .attr.sample_stack_user,
		8192);
	pd_perf_set_close(set);
	opts.stack_bytes = PD_STACK_NONE;
	assert_int_equal(stack_of(&opts), 0);
	opts.callchain = true;
	assert_int_equal(stack_of(&opts), 0);
	opts.stack_bytes = 0;
	assert_int_equal(stack_of(&opts), 0);
	assert_int_equal(stack_of(&with_attr), 0);
}

/* The smallest ring that is accepted has room for a sample, and smaller ones are refused. */
static void a_ring_without_room_for_a_sample_is_refused(void **state)
{
	static const uint32_t sizes[] = { 8, 3000, 4096, 8192, 16384, 32768, 65528 };
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct pd_perf_reader *reader;
	struct pd_perf_set *set;

	(void)state;
	for (size_t i = 0; i < PD_ARRAY_LEN(sizes); i++) {
		struct pd_capture_opts opts = { .event = "page-faults:u",
			.period = 1,
			.stack_bytes = sizes[i],
			.ring_pages = 1 };

		while (sizes[i] + 100 > opts.ring_pages * page) {
			assert_error(pd_perf_reader_open(&opts, 0, -1, &reader), PD_ERROR_USAGE);
			assert_error(pd_perf_set_open(&opts, 0, &set), PD_ERROR_USAGE);
			opts.ring_pages *= 2;
		}
		assert_true(stack_of(&opts) > 0);
	}
	const struct pd_capture_opts opts = { .event = "page-faults", .ring_pages = 1 };
	struct pd_error *err = pd_perf_reader_open(&opts, 0, -1, &reader);
	if (page > 8192) {
		assert_ok(err);
		pd_perf_reader_close(reader);
		return;
	}
	assert_non_null(err);
	assert_non_null(strstr(err->message, "ring_pages is 1, but a sample of 8"));
	assert_error(err, PD_ERROR_USAGE);
}

/*
 * After a loss, the kernel writes nothing without room for a LOST record as well. The largest sample
 * that is accepted must leave that room.
 */
static void the_largest_samples_go_on_after_a_loss(void **state)
{
	struct pd_capture_opts opts = {
		.event = "page-faults:u", .period = 1, .stack_bytes = 8, .ring_pages = 1
	};
	struct pd_perf_reader *reader;
	struct seen seen = { 0 };
	struct pd_error *err;

	(void)state;
	do {
		opts.stack_bytes += 8;
		err = pd_perf_reader_open(&opts, 0, -1, &reader);
		if (!err)
			pd_perf_reader_close(reader);
	} while (!err);
	assert_error(err, PD_ERROR_USAGE);
	opts.stack_bytes -= 8;
	reader = open_own(&opts);
	for (int i = 1; i <= 5; i++) {
		work(reader, 10, 0);
		read_all(reader, &seen);
		assert_int_equal(seen.n_samples, i);
	}
	assert_true(seen.n_lost_reported > 0);
	pd_perf_reader_close(reader);
}

/*
 * Nothing follows the samples that are lost, so no LOST record reports them. What is read and what
 * the counter says was lost is nevertheless all that happened.
 */
static void losses_are_counted_at_once(void **state)
{
	const struct pd_capture_opts opts = {
		.event = "page-faults:u", .period = 1, .callchain = true, .ring_pages = 1
	};
	struct pd_perf_reader *reader = open_own(&opts);
	struct seen seen = { 0 };
	struct pd_count count;
	size_t n;

	(void)state;
	work(reader, 3000, 0);
	read_all(reader, &seen);
	assert_ok(pd_perf_reader_count(reader, &count, 1, &n));
	if (!(count.event->attr.read_format & PD_READ_LOST)) {
		pd_perf_reader_close(reader);
		skip();
	}
	assert_int_equal(seen.n_lost_reported, 0);
	assert_int_equal(seen.n_samples + pd_perf_reader_n_lost(reader), count.value);
	/* A record that fits is preceded by a LOST record with the losses before it. */
	uint64_t n_first = pd_perf_reader_n_lost(reader);
	work(reader, 1000, 0);
	read_all(reader, &seen);
	assert_int_equal(seen.n_lost_reported, n_first);
	assert_ok(pd_perf_reader_count(reader, &count, 1, &n));
	assert_true(pd_perf_reader_n_lost(reader) > n_first);
	assert_int_equal(seen.n_samples + pd_perf_reader_n_lost(reader), count.value);
	print_message("LOST records: %llu, counter: %llu\n",
		(unsigned long long)seen.n_lost_reported,
		(unsigned long long)pd_perf_reader_n_lost(reader));
	pd_perf_reader_close(reader);
}

static pid_t ended_child(void)
{
	pid_t child = fork();

	if (child == 0)
		_exit(0);
	waitpid(child, NULL, 0);
	return child;
}

static void assert_refused(struct pd_error *err, const char *fmt, int number)
{
	char reason[64];

	snprintf(reason, sizeof(reason), fmt, number);
	assert_non_null(err);
	if (!strstr(err->message, reason))
		fail_msg("'%s' lacks '%s'", err->message, reason);
	assert_error(err, PD_ERROR_OS);
}

static void a_thread_or_cpu_that_does_not_exist_is_named(void **state)
{
	enum { NO_CPU = 4095 };
	const struct pd_capture_opts opts = { .event = "cpu-clock" };
	struct pd_perf_reader *reader;
	struct pd_perf_set *set;
	pid_t child = ended_child();
	size_t n_files = n_open_files();

	(void)state;
	assert_refused(
		pd_perf_reader_open(&opts, child, -1, &reader), "thread %d does not exist", child);
	assert_refused(
		pd_perf_reader_open(&opts, child, 0, &reader), "thread %d does not exist", child);
	assert_refused(pd_perf_set_open(&opts, child, &set), "no process %d", child);
	assert_refused(
		pd_perf_reader_open(&opts, -1, NO_CPU, &reader), "there is no CPU %d", NO_CPU);
	assert_int_equal(n_open_files(), n_files);
}

static struct pd_error *count_records(
	void *ctx, const struct pd_record *rec, const struct pd_sample *sample)
{
	(void)rec;
	*(size_t *)ctx += sample != NULL;
	return NULL;
}

/* Nothing shows where the record after a damaged one begins, so the ring is empty afterwards. */
static void a_record_of_invalid_size_ends_nothing(void **state)
{
	const struct pd_capture_opts opts = {
		.event = "page-faults:u", .period = 1, .stack_bytes = PD_STACK_NONE
	};
	struct pd_perf_reader *reader = open_own(&opts);
	struct pd_perf_set *set;
	size_t n = 0;

	(void)state;
	work(reader, 10, 0);
	assert_true(damage_a_ring(DAMAGE_SIZE));
	assert_error(pd_perf_reader_read(reader, 0, count_records, &n, NULL), PD_ERROR_FORMAT);
	assert_ok(pd_perf_reader_read(reader, 0, count_records, &n, NULL));
	assert_int_equal(n, 0);
	pd_perf_reader_close(reader);

	assert_ok(pd_perf_set_open(&opts, 0, &set));
	assert_ok(pd_perf_set_enable(set, true));
	touch_pages(10);
	assert_ok(pd_perf_set_enable(set, false));
	assert_true(damage_a_ring(DAMAGE_SIZE));
	assert_error(pd_perf_set_read(set, 0, count_records, &n), PD_ERROR_FORMAT);
	assert_ok(pd_perf_set_read(set, 0, count_records, &n));
	pd_perf_set_close(set);
}

static pid_t start_child(double seconds)
{
	pid_t child = fork();

	if (child == 0) {
		usleep(100000);
		burn(seconds);
		_exit(0);
	}
	return child;
}

static void a_read_shows_that_the_thread_has_exited(void **state)
{
	const struct pd_capture_opts opts = { .event = "cpu-clock:u", .frequency = 999 };
	struct pd_perf_reader *reader;
	bool has_exited = false;
	size_t n = 0;
	pid_t child = start_child(0.1);

	(void)state;
	assert_ok(pd_perf_reader_open(&opts, child, -1, &reader));
	assert_ok(pd_perf_reader_enable(reader, true));
	assert_ok(pd_perf_reader_read(reader, 0, count_records, &n, &has_exited));
	assert_false(has_exited);
	while (!has_exited)
		assert_ok(pd_perf_reader_read(reader, 1000, count_records, &n, &has_exited));
	assert_true(n > 20);
	waitpid(child, NULL, 0);
	pd_perf_reader_close(reader);
}

static bool has_events;

static int find_out(void **state)
{
	(void)state;
	has_events = is_permitted("cpu-clock:k", -1, 0);
	return 0;
}

#define RUN_IF_EVENTS(test) RUN_IF(has_events, test)
#define WITH_EVENTS(R) \
	R(samples_of_a_leader_have_the_counters_of_its_group) \
	R(each_event_of_a_group_samples) \
	R(attrs_make_a_group_that_counts) \
	R(groups_count_on_all_cpus) \
	R(stacks_have_8_kib_unless_something_else_is_said) \
	R(a_ring_without_room_for_a_sample_is_refused) \
	R(the_largest_samples_go_on_after_a_loss) \
	R(losses_are_counted_at_once) \
	R(a_record_of_invalid_size_ends_nothing) \
	R(a_read_shows_that_the_thread_has_exited) \
	R(a_thread_or_cpu_that_does_not_exist_is_named)
WITH_EVENTS(RUN_IF_EVENTS)

int main(void)
{
#define UNIT_TEST(test) cmocka_unit_test(test##_here),
	const struct CMUnitTest tests[] = { WITH_EVENTS(UNIT_TEST) };

	return cmocka_run_group_tests(tests, find_out, NULL);
}

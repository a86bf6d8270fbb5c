/* The members of struct pd_capture_opts, with the running kernel. */
#include "tests/unit/capture/burn.h"
#include "tests/unit/capture/permitted.h"

#include <sys/prctl.h>

#include <pdconv/pdconv.h>

#include "base/array.h"

#define FIELD(name) ((uint64_t)1 << PD_SAMPLE_##name)
#define FLAG(name) ((uint64_t)1 << PD_ATTR_##name)

/* Page faults in user space. */
static const struct pd_attr faults = {
	.type = PD_TYPE_SOFTWARE,
	.config = 2,
	.sample_period = 1,
	.sample_type = FIELD(ADDR),
	.flags = FLAG(exclude_kernel),
};

static void contradictions_name_the_members(void **state)
{
	const struct pd_attr clock = { .type = PD_TYPE_SOFTWARE, .sample_period = 1 };
	const struct pd_attr two[] = { faults, faults };
	const struct pd_attr full = {
		.sample_stack_user = 8,
		.sample_regs_user = 1,
		.sample_regs_intr = 1,
		.branch_sample_type = 1,
		.flags = FLAG(use_clockid) | FLAG(exclude_user),
	};
	const struct pd_attr backward = { .type = PD_TYPE_SOFTWARE, .flags = FLAG(write_backward) };
	const struct pd_attr precise = { .flags = FLAG(precise_ip) };
	const struct {
		struct pd_capture_opts opts;
		const char *message;
	} cases[] = {
		{ { .frequency = 1, .period = 1 }, "frequency and period cannot be combined" },
		{ { .attrs = &clock }, "attrs and n_attrs must be set together" },
		{ { .event = "cpu-clock", .n_attrs = 1 },
			"attrs and n_attrs must be set together" },
		{ { .event = "cpu-clock", .attrs = two, .n_attrs = 2 },
			"event and n_attrs > 1 cannot be combined" },
		{ { .event = "cpu-clock", .attrs = &clock, .n_attrs = 1 },
			"event and attrs->type cannot be combined" },
		{ { .event = "cpu-clock:p", .attrs = &precise, .n_attrs = 1 },
			"the modifiers of event and attrs->precise_ip cannot be combined" },
		{ { .attrs = &clock, .n_attrs = 1, .period = 2 },
			"frequency or period and attrs->sample_period cannot be combined" },
		{ { .attrs = &full, .n_attrs = 1, .stack_bytes = 8 },
			"stack_bytes and attrs->sample_stack_user cannot be combined" },
		{ { .attrs = &full, .n_attrs = 1, .sample_regs_user = 1 },
			"sample_regs_user and attrs->sample_regs_user cannot be combined" },
		{ { .attrs = &full, .n_attrs = 1, .sample_regs_intr = 1 },
			"sample_regs_intr and attrs->sample_regs_intr cannot be combined" },
		{ { .attrs = &full, .n_attrs = 1, .branch_sample_type = 1 },
			"branch_sample_type and attrs->branch_sample_type cannot be combined" },
		{ { .attrs = &full, .n_attrs = 1, .use_clockid = true },
			"use_clockid and attrs->use_clockid cannot be combined" },
		{ { .attrs = &full, .n_attrs = 1, .user_only = true },
			"user_only and attrs->exclude_user cannot be combined" },
		{ { .attrs = &backward, .n_attrs = 1 },
			"attrs->write_backward is not possible: ring buffers are read forward" },
		{ { .event = "cpu-clock", .use_clockid = true, .clockid = -1 },
			"invalid clockid -1" },
		{ { .event = "cpu-clock",
			  .stack_bytes = PD_STACK_NONE,
			  .sample_type = FIELD(STACK_USER) },
			"sample_type has STACK_USER, but stack_bytes is 0" },
		{ { .event = "cpu-clock",
			  .stack_bytes = PD_STACK_NONE,
			  .sample_type = FIELD(REGS_USER) },
			"sample_type has REGS_USER, but sample_regs_user is 0" },
		{ { .event = "cpu-clock", .sample_type = FIELD(REGS_INTR) },
			"sample_type has REGS_INTR, but sample_regs_intr is 0" },
		{ { .event = "cpu-clock", .sample_type = FIELD(BRANCH_STACK) },
			"sample_type has BRANCH_STACK, but branch_sample_type is 0" },
		{ { .event = "cpu-clock", .sample_type = FIELD(WEIGHT) | FIELD(WEIGHT_STRUCT) },
			"WEIGHT and WEIGHT_STRUCT in sample_type cannot be combined" },
	};
	struct pd_perf_reader *reader;
	size_t n_files = n_open_files();

	(void)state;
	for (size_t i = 0; i < PD_ARRAY_LEN(cases); i++) {
		struct pd_error *err = pd_perf_reader_open(&cases[i].opts, 0, -1, &reader);

		assert_non_null(err);
		assert_string_equal(err->message, cases[i].message);
		assert_error(err, PD_ERROR_USAGE);
	}
	assert_int_equal(n_open_files(), n_files);
}

/* What the kernel refuses is an error with a reason, and nothing else is opened instead. */
static void refusals_of_the_kernel_are_explained(void **state)
{
	const struct pd_attr odd_stack = {
		.type = PD_TYPE_SOFTWARE,
		.sample_type = FIELD(STACK_USER),
		.sample_stack_user = 9,
	};
	const struct {
		struct pd_capture_opts opts;
		const char *reason;
	} cases[] = {
		{ { .event = "page-faults", .sample_type = (uint64_t)1 << 40 },
			"the kernel may not know the bits 0x10000000000 of sample_type" },
		{ { .event = "page-faults", .branch_sample_type = 8 },
			"branch stacks need hardware (LBR)" },
		{ { .event = "page-faults", .branch_sample_type = 1 },
			"branch_sample_type=0x1 has no kind of branches" },
		{ { .event = "page-faults", .use_clockid = true, .clockid = 42 },
			"events have no clockid=42" },
		{ { .event = "page-faults", .sample_regs_intr = (uint64_t)1 << 40 },
			"the kernel may not support the registers 0x10000000000 of "
			"sample_regs_intr=" },
		{ { .attrs = &odd_stack, .n_attrs = 1 },
			"sample_stack_user=9 is not a multiple of 8 up to 65528" },
	};
	struct pd_perf_reader *reader;

	(void)state;
	for (size_t i = 0; i < PD_ARRAY_LEN(cases); i++) {
		struct pd_error *err = pd_perf_reader_open(&cases[i].opts, 0, -1, &reader);

		assert_non_null(err);
		if (!strstr(err->message, cases[i].reason))
			fail_msg("'%s' lacks '%s'", err->message, cases[i].reason);
		assert_error(err, PD_ERROR_OS);
	}
}

/* The last sample of a reader, with a copy of what is borrowed. */
struct last {
	struct pd_sample sample;
	size_t n;
	uint64_t n_stack, n_regs, n_intr;
	size_t n_chain;
	bool has_user_chain;
	bool has_name;
};

static struct pd_error *keep(void *ctx, const struct pd_record *rec, const struct pd_sample *sample)
{
	struct last *last = ctx;

	last->has_name |= rec->type == PD_RECORD_COMM;
	if (!sample)
		return NULL;
	last->n++;
	last->sample = *sample;
	last->n_stack = sample->stack_user.bytes.n;
	last->n_regs = sample->regs_user.values.n;
	last->n_intr = sample->regs_intr.values.n;
	last->n_chain = sample->callchain.n;
	for (size_t i = 0; i < sample->callchain.n; i++)
		last->has_user_chain |= pd_view_u64(&sample->callchain, i) == PD_CONTEXT_USER;
	return NULL;
}

/* Record this thread while it has page faults, switches and a new name. */
static struct last record(const struct pd_capture_opts *opts)
{
	struct last last = { 0 };
	struct pd_perf_reader *reader;
	bool has = true;

	assert_ok(pd_perf_reader_open(opts, 0, -1, &reader));
	assert_ok(pd_perf_reader_enable(reader, true));
	touch_pages(10);
	usleep(1000);
	prctl(PR_SET_NAME, "renamed");
	assert_ok(pd_perf_reader_enable(reader, false));
	while (has)
		assert_ok(pd_perf_reader_next(reader, keep, &last, &has));
	pd_perf_reader_close(reader);
	return last;
}

static void samples_have_further_fields(void **state)
{
	const struct pd_capture_opts opts = {
		.event = "page-faults:u",
		.period = 1,
		.sample_type = FIELD(ADDR) | FIELD(STREAM_ID),
		.sample_regs_user = 7,
		.sample_regs_intr = 3,
		.stack_bytes = PD_STACK_NONE,
	};
	struct last last = record(&opts);

	(void)state;
	assert_true(last.n >= 10);
	assert_int_not_equal(last.sample.addr, 0);
	assert_int_not_equal(last.sample.stream_id, 0);
	assert_int_equal(last.n_regs, 3);
	assert_int_equal(last.n_intr, 2);
	assert_int_equal(last.n_stack, 0);
	assert_int_equal(last.sample.tid, gettid());
}

static void call_chains_are_recorded_besides_the_stack(void **state)
{
	struct pd_capture_opts opts = { .event = "page-faults:u", .period = 1, .stack_bytes = 512 };
	struct last last = record(&opts);

	(void)state;
	assert_int_equal(last.n_stack, 512);
	assert_false(last.has_user_chain);
	opts.callchain = true;
	last = record(&opts);
	assert_int_equal(last.n_stack, 512);
	assert_true(last.has_user_chain && last.n_chain >= 2);
}

static uint64_t now(clockid_t clock)
{
	struct timespec at;

	clock_gettime(clock, &at);
	return (uint64_t)at.tv_sec * 1000000000 + (uint64_t)at.tv_nsec;
}

/* The clock of perf counts from boot, so a time since 1970 can only be that of CLOCK_REALTIME. */
static void times_are_those_of_the_clock(void **state)
{
	const struct pd_capture_opts opts = {
		.event = "page-faults:u",
		.period = 1,
		.use_clockid = true,
		.clockid = CLOCK_REALTIME,
	};
	uint64_t before = now(CLOCK_REALTIME);
	struct last last = record(&opts);

	(void)state;
	assert_uint_in_range(last.sample.time, before, now(CLOCK_REALTIME));
}

/* The attr of page faults has one field; IDENTIFIER and TIME are always there. */
static void an_attr_is_taken_as_it_is(void **state)
{
	struct pd_attr attr = faults;
	const struct pd_capture_opts opts = { .attrs = &attr, .n_attrs = 1 };
	struct pd_perf_reader *reader;
	struct last last = record(&opts);

	(void)state;
	assert_true(last.n >= 10);
	assert_int_not_equal(last.sample.addr, 0);
	assert_int_not_equal(last.sample.time, 0);
	assert_int_equal(last.sample.ip, 0);
	assert_int_equal(last.sample.tid, 0);
	assert_false(last.has_name);
	assert_ok(pd_perf_reader_open(&opts, 0, -1, &reader));
	const struct pd_event *event = &pd_perf_reader_events(reader)->list.data[0];
	assert_string_equal(event->name, "page-faults:uh");
	assert_int_equal(event->attr.sample_type, FIELD(ADDR) | FIELD(TIME) | FIELD(IDENTIFIER));
	pd_perf_reader_close(reader);
	attr.flags |= FLAG(comm);
	last = record(&opts);
	assert_true(last.has_name);
	attr.sample_period = 0;
	last = record(&opts);
	assert_int_equal(last.n, 0);
}

/* Cycles that do not open become cpu-clock, but not if they were asked for by an attr. */
static void nothing_is_opened_instead_of_an_attr(void **state)
{
	const struct pd_attr cycles = { .type = PD_TYPE_HARDWARE, .sample_period = 1000000 };
	const struct pd_capture_opts opts = { .attrs = &cycles, .n_attrs = 1 };
	const struct pd_capture_opts any = { 0 };
	struct pd_perf_reader *reader;

	(void)state;
	assert_ok(pd_perf_reader_open(&any, 0, -1, &reader));
	bool has_cycles = pd_perf_reader_events(reader)->list.data[0].attr.type == PD_TYPE_HARDWARE;
	pd_perf_reader_close(reader);
	struct pd_error *err = pd_perf_reader_open(&opts, 0, -1, &reader);
	if (!has_cycles) {
		assert_error(err, PD_ERROR_OS);
		return;
	}
	assert_ok(err);
	assert_int_equal(pd_perf_reader_events(reader)->list.data[0].attr.type, PD_TYPE_HARDWARE);
	pd_perf_reader_close(reader);
}

/* The text of an event sets the event, the attr everything else. */
static void an_event_completes_an_attr(void **state)
{
	const struct pd_attr attr = {
		.sample_type = FIELD(CALLCHAIN) | FIELD(TID),
		.sample_max_stack = 1,
		.flags = FLAG(exclude_callchain_user),
	};
	const struct pd_capture_opts opts = {
		.event = "context-switches", .period = 1, .attrs = &attr, .n_attrs = 1
	};
	struct last last = record(&opts);

	(void)state;
	assert_true(last.n >= 1);
	assert_int_equal(last.sample.tid, gettid());
	assert_int_equal(last.sample.ip, 0);
	assert_false(last.has_user_chain);
	/* The marker of the kernel and one frame. */
	assert_int_equal(last.n_chain, 2);
}

static bool has_events;

static int find_out(void **state)
{
	(void)state;
	has_events = is_permitted("cpu-clock:k", 0, -1);
	return 0;
}

#define RUN_IF_EVENTS(test) RUN_IF(has_events, test)
#define WITH_EVENTS(R) \
	R(refusals_of_the_kernel_are_explained) \
	R(samples_have_further_fields) \
	R(call_chains_are_recorded_besides_the_stack) \
	R(times_are_those_of_the_clock) \
	R(an_attr_is_taken_as_it_is) \
	R(nothing_is_opened_instead_of_an_attr) \
	R(an_event_completes_an_attr)
WITH_EVENTS(RUN_IF_EVENTS)

int main(void)
{
#define UNIT_TEST(test) cmocka_unit_test(test##_here),
	const struct CMUnitTest tests[] = { cmocka_unit_test(contradictions_name_the_members),
		WITH_EVENTS(UNIT_TEST) };

	return cmocka_run_group_tests(tests, find_out, NULL);
}

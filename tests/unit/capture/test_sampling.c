/* Sampling options to attrs, and recording targets. */
#include "tests/unit/test.h"

#include <sys/wait.h>
#include <unistd.h>

#include <pdconv/sample.h>

#include "base/array.h"
#include "capture/sampling.h"
#include "capture/target.h"

static bool has(const struct pd_attr *attr, enum pd_sample_bit bit)
{
	return attr->sample_type >> bit & 1;
}

static void user_registers_suffice_for_unwinding(void **state)
{
	struct cap_sampling sampling = { 0 };

	(void)state;
	/* ax to ip and r8 to r15, without flags and segment registers. */
	assert_int_equal(cap_general_regs(&base_arch_x86_64), 0xff01ff);
	/* x0 to x30, sp and pc. */
	assert_int_equal(cap_general_regs(&base_arch_aarch64), 0x1ffffffff);
	assert_ok(cap_sampling_set_regs(&sampling, &base_arch_x86_64, "ip,SP"));
	assert_int_equal(sampling.user_regs, 1 << 8 | 1 << 7);
	assert_error(cap_sampling_set_regs(&sampling, &base_arch_x86_64, "ip,x9"), PD_ERROR_USAGE);
}

static void stack_options_are_those_of_perf(void **state)
{
	static const char *const bad[] = { "dwarf,", "dwarf,70000", "dwarf,x", "fp,8", "lbr,1", "",
		"dwarfs" };
	struct cap_sampling sampling = { 0 };

	(void)state;
	assert_ok(cap_sampling_set_stacks(&sampling, "fp"));
	assert_int_equal(sampling.stacks, CAP_STACKS_FP);
	assert_ok(cap_sampling_set_stacks(&sampling, "dwarf"));
	assert_int_equal(sampling.stack_bytes, 8192);
	assert_ok(cap_sampling_set_stacks(&sampling, "dwarf,1001"));
	assert_int_equal(sampling.stack_bytes, 1008);
	assert_ok(cap_sampling_set_stacks(&sampling, "dwarf,65528"));
	assert_int_equal(sampling.stack_bytes, 65528);
	assert_ok(cap_sampling_set_stacks(&sampling, "lbr"));
	for (size_t i = 0; i < PD_ARRAY_LEN(bad); i++)
		assert_error(cap_sampling_set_stacks(&sampling, bad[i]), PD_ERROR_USAGE);
}

static void apply_all(const struct cap_sampling *sampling, struct cap_event *list, size_t n)
{
	struct cap_events events = { .list = { .data = list, .n = n } };

	for (size_t i = 0; i < n; i++)
		cap_sampling_apply(sampling, &events, i);
}

static void attrs_follow_the_options(void **state)
{
	const struct cap_sampling sampling = {
		.stacks = CAP_STACKS_DWARF,
		.stack_bytes = 4096,
		.user_regs = 0xff01ff,
		.frequency = 99,
		.with_cpu = true,
		.clock = 1,
		.ring_bytes = 4096,
	};
	struct cap_event list[] = {
		{ .attr = { .type = PD_TYPE_SOFTWARE }, .leader = 0 },
		{ .attr = { .type = PD_TYPE_TRACEPOINT, .sample_period = 1 }, .leader = 1 },
	};

	(void)state;
	apply_all(&sampling, list, 2);
	const struct pd_attr first = list[0].attr, second = list[1].attr;
	assert_int_equal(first.size, 128);
	assert_true(has(&first, PD_SAMPLE_IDENTIFIER) && has(&first, PD_SAMPLE_CPU));
	assert_true(has(&first, PD_SAMPLE_REGS_USER) && has(&first, PD_SAMPLE_STACK_USER));
	assert_true(pd_attr_has(&first, PD_ATTR_exclude_callchain_user));
	assert_true(pd_attr_has(&first, PD_ATTR_freq) && first.sample_period == 99);
	assert_true(pd_attr_has(&first, PD_ATTR_mmap2) && pd_attr_has(&first, PD_ATTR_mmap_data));
	assert_true(pd_attr_has(&first, PD_ATTR_use_clockid) && first.clockid == 1);
	assert_false(has(&first, PD_SAMPLE_RAW));
	/* The type of the event does not matter, and only the first event reports mappings. */
	assert_true(has(&second, PD_SAMPLE_RAW) && second.sample_period == 99);
	assert_true(pd_attr_has(&second, PD_ATTR_freq) && !pd_attr_has(&second, PD_ATTR_mmap2));
	/* The recorder reads the time of each sample after identifier, address and thread. */
	struct pd_plan plan;
	pd_plan_compile(&first, &plan);
	assert_int_equal(plan.sample_time_at,
		PD_RECORD_HEADER_BYTES + 8 * (2 + (size_t)has(&first, PD_SAMPLE_IDENTIFIER)));
}

static uint64_t rate(uint64_t frequency, uint64_t period, bool has_own, uint64_t own, bool freq)
{
	const struct cap_sampling sampling = { .frequency = frequency, .period = period };
	struct cap_event event = {
		.attr = { .type = PD_TYPE_TRACEPOINT, .sample_period = own },
		.has_period = has_own,
	};

	apply_all(&sampling, &event, 1);
	assert_int_equal(pd_attr_has(&event.attr, PD_ATTR_freq), freq);
	return event.attr.sample_period;
}

static void rates_come_from_terms_then_the_user_then_the_kind(void **state)
{
	(void)state;
	assert_int_equal(rate(0, 0, false, 0, true), CAP_DEFAULT_FREQUENCY);
	assert_int_equal(rate(0, 0, false, 1, false), 1);
	assert_int_equal(rate(99, 0, false, 1, true), 99);
	assert_int_equal(rate(0, 10, false, 1, false), 10);
	assert_int_equal(rate(99, 10, true, 5, false), 5);
}

/* Only the leader is sampled; enabling it enables the group. */
/* The kernel samples each occurrence of a software event if the period is fixed and in the samples. */
static void periods_are_in_samples_unless_they_are_fixed(void **state)
{
	enum { PAGE_FAULTS = 2 };
	const struct cap_sampling by_period = { .period = 100, .ring_bytes = 4096, .clock = -1 };
	const struct cap_sampling by_frequency = {
		.frequency = 99, .ring_bytes = 4096, .clock = -1
	};
	struct cap_event list[] = {
		{ .attr = { .type = PD_TYPE_SOFTWARE, .config = PAGE_FAULTS }, .leader = 0 },
		{ .attr = { .type = PD_TYPE_TRACEPOINT, .sample_period = 1 }, .leader = 1 },
	};
	struct cap_event same = list[0];

	(void)state;
	apply_all(&by_period, list, 2);
	assert_int_equal(list[0].attr.sample_period, 100);
	assert_false(has(&list[0].attr, PD_SAMPLE_PERIOD));
	assert_true(has(&list[1].attr, PD_SAMPLE_PERIOD));
	apply_all(&by_frequency, &same, 1);
	assert_true(has(&same.attr, PD_SAMPLE_PERIOD));
}

static void groups_are_read_as_a_whole(void **state)
{
	const struct cap_sampling sampling = {
		.frequency = 99, .inherit = true, .enable_on_exec = true
	};
	struct cap_event list[] = {
		{ .attr = { .type = PD_TYPE_SOFTWARE }, .leader = 0, .reads_group = true },
		{ .attr = { .type = PD_TYPE_SOFTWARE }, .leader = 0 },
		{ .attr = { .type = PD_TYPE_SOFTWARE }, .leader = 2 },
	};

	(void)state;
	apply_all(&sampling, list, 3);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(has(&list[i].attr, PD_SAMPLE_READ), i < 2);
		assert_int_equal(!!(list[i].attr.read_format & PD_READ_GROUP), i < 2);
		assert_int_equal(pd_attr_has(&list[i].attr, PD_ATTR_inherit), i == 2);
		assert_int_equal(list[i].attr.sample_period, i == 1 ? 0 : 99);
		assert_int_equal(pd_attr_has(&list[i].attr, PD_ATTR_disabled), i != 1);
		assert_int_equal(pd_attr_has(&list[i].attr, PD_ATTR_enable_on_exec), i != 1);
	}
	assert_int_equal(list[1].attr.sample_type, list[0].attr.sample_type);
}

static void cpus_of_events_are_looked_up(void **state)
{
	(void)state;
	assert_true(cap_cpus_have("0-2,5\n", 0) && cap_cpus_have("0-2,5", 2));
	assert_true(cap_cpus_have("0-2,5\n", 5) && !cap_cpus_have("0-2,5\n", 3));
	assert_false(cap_cpus_have("", 0) || cap_cpus_have("x", 0) || cap_cpus_have("2-1,0", 0));
}

static void cpus_are_lists(void **state)
{
	static const char *const bad[] = { "", "a", "1-", "2-1", "0,,1", "-1", "0-99999999" };
	struct cap_target target;

	(void)state;
	cap_target_init(&target);
	assert_ok(cap_target_set_cpus(&target, "0-2,5\n"));
	assert_int_equal(target.cpus.n, 4);
	assert_int_equal(target.cpus.data[3], 5);
	for (size_t i = 0; i < PD_ARRAY_LEN(bad); i++)
		assert_error(cap_target_set_cpus(&target, bad[i]), PD_ERROR_USAGE);
	assert_ok(cap_target_use_online_cpus(&target));
	assert_true(target.cpus.n > 0);
	cap_target_deinit(&target);
}

static void programs_wait_until_they_are_started(void **state)
{
	char *const good[] = { (char *)"/bin/sh", (char *)"-c", (char *)"exit 9", NULL };
	char *const bad[] = { (char *)"/no/such/program", NULL };
	struct cap_target target;
	int status;

	(void)state;
	cap_target_init(&target);
	assert_ok(cap_target_prepare(&target, good));
	assert_int_equal(waitpid(target.child, &status, WNOHANG), 0);
	assert_ok(cap_target_start(&target));
	assert_int_equal(waitpid(target.child, &status, 0), target.child);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 9);
	cap_target_deinit(&target);

	cap_target_init(&target);
	assert_ok(cap_target_prepare(&target, bad));
	assert_error(cap_target_start(&target), PD_ERROR_OS);
	cap_target_deinit(&target);

	/* The command is recorded only if nothing else is. */
	cap_target_init(&target);
	assert_ok(cap_target_prepare(&target, good));
	assert_true(target.records_child);
	assert_int_equal(target.tids.n, 1);
	cap_target_deinit(&target);
	cap_target_init(&target);
	assert_ok(cap_target_add_process(&target, getpid()));
	size_t n_threads = target.tids.n;
	assert_ok(cap_target_prepare(&target, good));
	assert_false(target.records_child);
	assert_int_equal(target.tids.n, n_threads);
	cap_target_deinit(&target);

	/* A command that is never started exits. */
	cap_target_init(&target);
	assert_ok(cap_target_prepare(&target, good));
	pid_t child = target.child;
	cap_target_deinit(&target);
	assert_int_equal(waitpid(child, &status, WNOHANG), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(user_registers_suffice_for_unwinding),
		cmocka_unit_test(stack_options_are_those_of_perf),
		cmocka_unit_test(attrs_follow_the_options),
		cmocka_unit_test(periods_are_in_samples_unless_they_are_fixed),
		cmocka_unit_test(groups_are_read_as_a_whole),
		cmocka_unit_test(cpus_of_events_are_looked_up),
		cmocka_unit_test(rates_come_from_terms_then_the_user_then_the_kind),
		cmocka_unit_test(cpus_are_lists),
		cmocka_unit_test(programs_wait_until_they_are_started),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

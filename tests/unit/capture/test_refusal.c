/* Messages made from an errno of perf_event_open, an attr and the limits of a machine. */
#include "tests/unit/test.h"

#include <errno.h>
#include <time.h>

#include <pdconv/sample.h>

#include "capture/refusal.h"

#define FLAG(name) ((uint64_t)1 << PD_ATTR_##name)
#define SAMPLE(name) ((uint64_t)1 << PD_SAMPLE_##name)

/* A user without capabilities on a machine with the kernel's defaults. */
static const struct cap_limits user = {
	.paranoid = 2,
	.max_sample_rate = 100000,
	.mlock_kb = 516,
	.max_files = 1024,
};

static const struct cap_limits root = {
	.paranoid = 2,
	.is_capable = true,
	.max_sample_rate = 100000,
	.max_files = 1024,
};

static struct cap_event event(uint32_t type, uint64_t config, const char *name)
{
	return (struct cap_event){
		.attr = {
			.type = type,
			.size = 128,
			.config = config,
			.sample_period = 999,
			.flags = FLAG(freq) | FLAG(exclude_guest),
		},
		.name = (char *)name,
	};
}

static void assert_message(struct pd_error *err, const char *expected)
{
	assert_non_null(err);
	assert_int_equal(err->code, PD_ERROR_OS);
	assert_string_equal(err->message, expected);
	pd_error_destroy(err);
}

/* The message for a thread on any CPU. */
static void assert_reason(const struct cap_event *event, int errnum,
	const struct cap_limits *limits, const char *reason)
{
	const struct cap_refused refused = {
		.event = event, .errnum = errnum, .pid = 0, .cpu = -1
	};
	char expected[512];

	snprintf(expected, sizeof(expected), "cannot open event '%s': %s%s%s", event->name,
		strerror(errnum), reason ? ": " : "", reason ? reason : "");
	assert_message(cap_refusal_error(&refused, limits), expected);
}

static void test_errnos_are_of_kinds(void **state)
{
	(void)state;
	assert_int_equal(cap_refusal(0), CAP_NOT_REFUSED);
	assert_int_equal(cap_refusal(ENOENT), CAP_REFUSED_UNSUPPORTED);
	assert_int_equal(cap_refusal(EOPNOTSUPP), CAP_REFUSED_UNSUPPORTED);
	assert_int_equal(cap_refusal(EACCES), CAP_REFUSED_DENIED);
	assert_int_equal(cap_refusal(ESRCH), CAP_REFUSED_GONE);
	assert_int_equal(cap_refusal(EMFILE), CAP_REFUSED_OTHER);
}

static void test_sample_rate_names_the_limit(void **state)
{
	struct cap_event clock = event(PD_TYPE_SOFTWARE, 0, "cpu-clock");

	(void)state;
	clock.attr.sample_period = 1000000;
	assert_reason(&clock, EINVAL, &root,
		"the kernel rejected sample_freq=1000000 (limit: 100000, see "
		"/proc/sys/kernel/perf_event_max_sample_rate)");
	clock.attr.sample_period = 100000;
	assert_reason(&clock, EINVAL, &root, "this kernel does not support such an event");
	/* A period is not a rate. */
	clock.attr.flags &= ~FLAG(freq);
	clock.attr.sample_period = 1000000;
	assert_reason(&clock, EINVAL, &root, "this kernel does not support such an event");
	clock.attr.sample_period = (uint64_t)1 << 63;
	assert_reason(&clock, EINVAL, &root,
		"the kernel rejected sample_period=9223372036854775808 (limit: 2^63 - 1)");
}

static void test_branch_stacks_need_hardware(void **state)
{
	struct cap_event clock = event(PD_TYPE_SOFTWARE, 0, "cpu-clock");
	struct cap_event cycles = event(PD_TYPE_HARDWARE, 0, "cycles");

	(void)state;
	clock.attr.sample_type = cycles.attr.sample_type = SAMPLE(BRANCH_STACK);
	assert_reason(&clock, EOPNOTSUPP, &root,
		"branch stacks need hardware (LBR), which the software event 'cpu-clock' does not "
		"have");
	assert_reason(&cycles, EOPNOTSUPP, &root,
		"branch stacks need hardware (LBR), which this processor does not have, or a virtual "
		"machine hides");
}

#define NEEDS(present, what, needed) \
	"kernel.perf_event_paranoid is " present ", but " what " needs " needed \
	" or less, or the capability CAP_PERFMON"

static void test_paranoid_names_the_present_and_the_needed_value(void **state)
{
	struct cap_event clock = event(PD_TYPE_SOFTWARE, 0, "cpu-clock");
	struct cap_event switches = event(PD_TYPE_TRACEPOINT, 314, "sched:sched_switch");
	struct cap_limits debian = user;
	const struct cap_refused all = { .event = &clock, .errnum = EACCES, .pid = -1, .cpu = 3 };

	(void)state;
	assert_reason(&clock, EACCES, &user,
		NEEDS("2", "profiling the kernel (without the modifier 'u')", "1"));
	clock.attr.flags |= FLAG(exclude_kernel);
	assert_message(cap_refusal_error(&all, &user),
		"cannot open event 'cpu-clock' on CPU 3: Permission denied: " NEEDS(
			"2", "a system-wide event", "0"));
	debian.paranoid = 3;
	assert_reason(&clock, EACCES, &debian,
		"kernel.perf_event_paranoid is 3, but kernels of some distributions need 2 or less, "
		"or the capability CAP_PERFMON, to profile user space");
	switches.attr.sample_type = SAMPLE(RAW);
	assert_reason(&switches, EPERM, &user, NEEDS("2", "raw data of tracepoints", "-1"));
}

static void test_other_denials(void **state)
{
	struct cap_event clock = event(PD_TYPE_SOFTWARE, 0, "cpu-clock:u");
	const struct cap_refused other = {
		.event = &clock, .errnum = EACCES, .pid = 77, .cpu = -1
	};

	(void)state;
	clock.attr.flags |= FLAG(exclude_kernel);
	assert_message(cap_refusal_error(&other, &user),
		"cannot open event 'cpu-clock:u': Permission denied: profiling process 77 needs the "
		"right to trace it (ptrace), or the capability CAP_PERFMON");
	assert_reason(&clock, EACCES, &user, NULL);
	assert_reason(&clock, EPERM, &root,
		"a security module or a seccomp filter, as of a container, may forbid it");
	clock.attr.flags |= FLAG(namespaces);
	assert_reason(&clock, EACCES, &user, "NAMESPACES records need the capability CAP_PERFMON");
}

static void test_clocks(void **state)
{
	struct cap_event clock = event(PD_TYPE_SOFTWARE, 0, "cpu-clock");
	struct cap_event cycles = event(PD_TYPE_HARDWARE, 0, "cycles");
	struct cap_event tracepoint = event(PD_TYPE_TRACEPOINT, 9, "a:b");

	(void)state;
	clock.attr.flags |= FLAG(use_clockid);
	cycles.attr.flags |= FLAG(use_clockid);
	clock.attr.clockid = 42;
	assert_reason(&clock, EINVAL, &root, "events have no clockid=42");
	cycles.attr.clockid = CLOCK_REALTIME;
	assert_reason(&cycles, EINVAL, &root,
		"only software events can use clockid=0, others CLOCK_MONOTONIC and "
		"CLOCK_MONOTONIC_RAW");
	tracepoint.attr.flags |= FLAG(use_clockid);
	tracepoint.attr.clockid = CLOCK_BOOTTIME;
	assert_reason(&tracepoint, EINVAL, &root,
		"only software events can use clockid=7, others CLOCK_MONOTONIC and "
		"CLOCK_MONOTONIC_RAW");
}

static void test_registers(void **state)
{
	struct cap_event clock = event(PD_TYPE_SOFTWARE, 0, "cpu-clock");
	struct cap_limits limits = root;

	(void)state;
	limits.general_regs = 0xff0fff;
	clock.attr.sample_type = SAMPLE(REGS_USER);
	clock.attr.sample_regs_user = 0x3001;
	assert_reason(&clock, EINVAL, &limits,
		"the kernel may not support the registers 0x3000 of sample_regs_user=0x3001");
}

static void test_events_that_the_machine_lacks(void **state)
{
	struct cap_event cycles = event(PD_TYPE_HARDWARE, 0, "cycles");
	struct cap_event uncore = event(42, 0x304, "uncore_imc/config=0x304/");
	struct cap_event gone = event(PD_TYPE_TRACEPOINT, 314, "a:b");

	(void)state;
	assert_reason(&cycles, ENOENT, &root,
		"this machine has no such hardware counter, or a virtual machine hides it; "
		"cpu-clock works everywhere");
	assert_reason(&uncore, ENOENT, &root, "no PMU has type 42, or it has no event 0x304");
	assert_reason(
		&uncore, EINVAL, &root, "its PMU may not count single processes, or not sample");
	assert_reason(&uncore, EOPNOTSUPP, &root,
		"its PMU has no overflow interrupt: it can count but not sample");
	assert_reason(&gone, ENOENT, &root, "the kernel has no tracepoint of id 314 any more");
	cycles.attr.flags |= 3 * FLAG(precise_ip);
	assert_reason(&cycles, EOPNOTSUPP, &root,
		"the PMU may not support precise_ip=3: fewer modifiers 'p', or 'P' for the highest "
		"that it does");
}

static void test_resources(void **state)
{
	struct cap_event clock = event(PD_TYPE_SOFTWARE, 0, "cpu-clock");
	struct cap_event watch = event(PD_TYPE_BREAKPOINT, 0, "mem:0x11:w");
	const struct cap_refused offline = {
		.event = &clock, .errnum = ENODEV, .pid = -1, .cpu = 9
	};
	const struct cap_refused member = {
		.event = &clock, .errnum = EINVAL, .cpu = -1, .is_group_member = true
	};

	(void)state;
	assert_reason(&clock, EMFILE, &user,
		"an event needs a descriptor for each CPU and thread; RLIMIT_NOFILE is 1024, see "
		"'ulimit -n'");
	assert_reason(&clock, ENFILE, &user,
		"the limit of open files of all processes is reached, see /proc/sys/fs/file-max");
	assert_reason(&clock, EBUSY, &user, "another event has exclusive access to the PMU");
	assert_reason(&clock, ENOSPC, &user, "all counters of the PMU are in use");
	assert_reason(&watch, ENOSPC, &user, "all debug registers of the processor are in use");
	watch.attr.config1 = 0x11;
	watch.attr.config2 = 4;
	assert_reason(&watch, EINVAL, &user,
		"the processor has no breakpoint of bp_len=4 at bp_addr=0x11: most take 1, 2, 4 or "
		"8 bytes at a multiple of that");
	assert_reason(&clock, ENOMEM, &user, NULL);
	clock.attr.sample_type = SAMPLE(CALLCHAIN);
	assert_reason(&clock, ENOMEM, &user,
		"the kernel has no memory for call chains, see "
		"/proc/sys/kernel/perf_event_max_stack");
	clock.attr.size = 136;
	assert_reason(&clock, E2BIG, &user,
		"this kernel knows less than the 136 bytes of perf_event_attr that config3 and "
		"config4 need");
	assert_message(cap_refusal_error(&offline, &root),
		"cannot open event 'cpu-clock' on CPU 9: No such device: CPU 9 is offline, or does "
		"not exist");
	assert_message(cap_refusal_error(&member, &root),
		"cannot open event 'cpu-clock': Invalid argument: the PMU may have too few counters "
		"for the group, or the group has events of different PMUs");
}

static void test_kernels_without_support(void **state)
{
	struct cap_event clock = event(PD_TYPE_SOFTWARE, 0, "cpu-clock");

	(void)state;
	assert_reason(&clock, ENOSYS, &root, "the kernel was built without CONFIG_PERF_EVENTS");
	clock.attr.sample_type = SAMPLE(STACK_USER);
	assert_reason(&clock, ENOSYS, &root,
		"the kernel cannot copy user stacks on this architecture, or has no perf events");
	/* An errno that perf_event_open(2) does not list. */
	assert_reason(&clock, EIO, &root, NULL);
}

static void test_ring_buffers_name_the_limit(void **state)
{
	(void)state;
	assert_message(cap_mmap_error(1 << 20, EPERM, &user),
		"cannot map a ring buffer of 1024 KiB: Operation not permitted: more than "
		"kernel.perf_event_mlock_kb (516) and RLIMIT_MEMLOCK permit; use smaller rings, or "
		"the capability CAP_IPC_LOCK");
	assert_message(cap_mmap_error(1 << 20, ENOMEM, &user),
		"cannot map a ring buffer of 1024 KiB: Cannot allocate memory");
}

static void test_limits_are_those_of_this_machine(void **state)
{
	struct cap_limits limits = cap_limits_read();

	(void)state;
	assert_true(limits.max_files > 0);
	assert_int_equal(
		cap_limits_permit_kernel(&limits), limits.is_capable || limits.paranoid < 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_errnos_are_of_kinds),
		cmocka_unit_test(test_sample_rate_names_the_limit),
		cmocka_unit_test(test_branch_stacks_need_hardware),
		cmocka_unit_test(test_paranoid_names_the_present_and_the_needed_value),
		cmocka_unit_test(test_other_denials),
		cmocka_unit_test(test_clocks),
		cmocka_unit_test(test_registers),
		cmocka_unit_test(test_events_that_the_machine_lacks),
		cmocka_unit_test(test_resources),
		cmocka_unit_test(test_kernels_without_support),
		cmocka_unit_test(test_ring_buffers_name_the_limit),
		cmocka_unit_test(test_limits_are_those_of_this_machine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

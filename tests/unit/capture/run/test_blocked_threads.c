/* Samples of threads that are blocked, made from files in /proc. */
#include "tests/unit/test.h"

#include "capture/run/blocked_threads.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <pdconv/arch.h>
#include <pdconv/record.h>
#include <pdconv/sample.h>

enum { ID = 77, STACK_BYTES = 4096 };

/** Written to by a process that spins. */
static int ready[2];

static const char mark[] = "a word on the stack of a blocked process";

static struct pd_attr copying_attr(void)
{
	const struct pd_arch *arch = pd_arch_of_machine();

	assert_non_null(arch);
	return (struct pd_attr){
		.sample_type = 1 << PD_SAMPLE_IDENTIFIER | 1 << PD_SAMPLE_IP | 1 << PD_SAMPLE_TID |
			       1 << PD_SAMPLE_TIME | 1 << PD_SAMPLE_PERIOD |
			       1 << PD_SAMPLE_CALLCHAIN | 1 << PD_SAMPLE_REGS_USER |
			       1 << PD_SAMPLE_STACK_USER,
		.sample_regs_user =
			(uint64_t)1 << arch->pc | (uint64_t)1 << pd_reg_find(arch, "sp")->perf,
		.sample_stack_user = STACK_BYTES,
		.flags = (uint64_t)1 << PD_ATTR_exclude_callchain_user,
	};
}

/* A child process that runs @p body, and ends with this one at the latest. */
static pid_t start(void (*body)(void))
{
	pid_t child = fork();

	assert_true(child >= 0);
	if (child == 0) {
		alarm(60);
		body();
		_exit(0);
	}
	return child;
}

static void end(pid_t child)
{
	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, NULL, 0), child);
}

static void block(void)
{
	char text[sizeof(mark)];

	memcpy(text, mark, sizeof(mark));
	__asm__ volatile("" : : "r"(text) : "memory");
	pause();
	__asm__ volatile("" : : "r"(text) : "memory");
}

static void spin(void)
{
	if (write(ready[1], "", 1) != 1)
		_exit(1);
	for (;;)
		__asm__ volatile("");
}

static void sample_now(struct cap_blocked *blocked, pid_t tid, struct pd_bytes *out)
{
	struct cap_time_marks marks;

	cap_time_marks_init(&marks, CLOCK_MONOTONIC);
	assert_ok(cap_blocked_sample(blocked, tid, &marks, 1, out));
	cap_time_marks_deinit(&marks);
}

static void decode(const struct pd_attr *attr, const struct pd_bytes *bytes, struct pd_sample *ret)
{
	struct pd_record rec;
	struct pd_plan plan;
	const char *field;

	pd_plan_compile(attr, &plan);
	assert_true(cap_record_read(bytes->buf.data, bytes->buf.n, &rec));
	assert_int_equal(rec.type, PD_RECORD_SAMPLE);
	assert_int_equal(rec.size, bytes->buf.n);
	assert_int_equal(pd_sample_decode(&plan, &rec, ret, &field), PD_SAMPLE_OK);
}

static bool has_mark(const struct pd_sample *sample)
{
	const struct pd_view *stack = &sample->stack_user.bytes;

	return memmem(stack->data, stack->n, mark, sizeof(mark)) != NULL;
}

/* Sample a process until it blocks where the mark is on its stack. False: tracing is not permitted. */
static bool sample_at_mark(struct cap_blocked *blocked, const struct pd_attr *attr, pid_t pid,
	struct pd_bytes *bytes, struct pd_sample *ret)
{
	const struct timespec pause = { 0, 1000000 };

	while (!cap_blocked_counts(blocked).n_refused) {
		bytes->buf.n = 0;
		sample_now(blocked, pid, bytes);
		if (bytes->buf.n) {
			decode(attr, bytes, ret);
			if (has_mark(ret))
				return true;
		}
		/* The alarm of the process ends it after a minute. */
		assert_int_equal(waitpid(pid, NULL, WNOHANG), 0);
		nanosleep(&pause, NULL);
	}
	return false;
}

static void test_blocked_process(void **state)
{
	const struct pd_attr attr = copying_attr();
	struct pd_bytes bytes = { 0 };
	struct cap_blocked *blocked;
	struct pd_sample sample;
	uint64_t pc = 0;

	(void)state;
	pid_t child = start(block);
	assert_ok(cap_blocked_create(&attr, ID, &blocked));
	assert_ok(cap_blocked_learn(blocked, &child, 1));
	bool has_sample = sample_at_mark(blocked, &attr, child, &bytes, &sample);
	end(child);
	if (has_sample) {
		assert_int_equal(sample.id, ID);
		assert_int_equal(sample.pid, child);
		assert_int_equal(sample.tid, child);
		assert_int_equal(sample.period, sample.time - 1);
		assert_true(pd_regs_get(&sample.regs_user, pd_arch_of_machine()->pc, &pc));
		assert_int_equal(pc, sample.ip);
	}
	cap_blocked_destroy(blocked);
	pd_bytes_deinit(&bytes);
	if (!has_sample)
		skip();
}

/* Neither a process that runs nor one that has exited is blocked. */
static void test_others(void **state)
{
	const struct pd_attr attr = copying_attr();
	struct pd_bytes bytes = { 0 };
	struct cap_blocked *blocked;

	(void)state;
	char byte;
	assert_int_equal(pipe(ready), 0);
	pid_t child = start(spin);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	assert_ok(cap_blocked_create(&attr, ID, &blocked));
	sample_now(blocked, child, &bytes);
	end(child);
	assert_ok(cap_blocked_learn(blocked, &child, 1));
	sample_now(blocked, child, &bytes);
	assert_int_equal(bytes.buf.n, 0);
	assert_int_equal(cap_blocked_counts(blocked).n_sampled, 0);
	assert_int_equal(cap_blocked_counts(blocked).n_refused, 0);
	cap_blocked_destroy(blocked);
	pd_bytes_deinit(&bytes);
	close(ready[0]);
	close(ready[1]);
}

/* No sample is made of an event that reads counters: their values are not known. */
static void test_impossible(void **state)
{
	struct pd_attr attr = copying_attr();
	struct pd_bytes bytes = { 0 };
	struct cap_blocked *blocked;

	(void)state;
	attr.sample_type |= 1 << PD_SAMPLE_READ;
	pid_t child = start(block);
	assert_ok(cap_blocked_create(&attr, ID, &blocked));
	sample_now(blocked, child, &bytes);
	assert_int_equal(bytes.buf.n, 0);
	end(child);
	cap_blocked_destroy(blocked);
	pd_bytes_deinit(&bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_blocked_process),
		cmocka_unit_test(test_others),
		cmocka_unit_test(test_impossible),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

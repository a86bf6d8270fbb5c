/* Tasks that live shorter than the sampling period: which are counted, and when a hint is given. */
#include "tests/unit/test_recording.h"

#include "advice/quality.h"
#include "resolve/resolve.h"

enum {
	PARENT = 9,
	/* recording_begin() has a cpu-clock with this period, in ns. */
	PERIOD = 4000,
};

/* Append FORK or EXIT. */
static void add_task(
	struct bytes *b, uint32_t type, uint16_t misc, uint32_t pid, uint32_t tid, uint64_t time)
{
	size_t rec = record_begin(b, type, misc);

	u32(b, pid);
	u32(b, PARENT);
	u32(b, tid);
	u32(b, PARENT);
	u64(b, time);
	tid_time(b, pid, tid, time);
	record_end(b, rec);
}

static void born(struct bytes *b, uint32_t pid, uint32_t tid, uint64_t time)
{
	add_task(b, PD_RECORD_FORK, 0, pid, tid, time);
}

static void dead(struct bytes *b, uint32_t pid, uint32_t tid, uint64_t time)
{
	add_task(b, PD_RECORD_EXIT, 0, pid, tid, time);
}

enum { AT_FLAGS = FILE_HEADER_BYTES + 40 };

/* Begin a recording of a program, whose event is inherited. */
static void begin_recording(struct bytes *b)
{
	recording_begin(b);
	patch64(b, AT_FLAGS, load64(b, AT_FLAGS) | 1 << PD_ATTR_inherit);
}

static struct profile *build(struct bytes *b)
{
	const struct resolve_opts opts = { .jobs = 1 };
	struct pd_diag *diag = pd_diag_create();
	struct profile *profile;

	recording_end(b);
	struct pd_file *file = recording_open(b, diag);
	assert_ok(resolve_profile(file, &opts, &profile));
	pd_file_close(file);
	pd_diag_destroy(diag);
	bytes_free(b);
	return profile;
}

static void test_counts(void **state)
{
	struct bytes b = { 0 };

	(void)state;
	begin_recording(&b);
	/* Existed before the recording, whatever its time is. */
	add_task(&b, PD_RECORD_FORK, PD_MISC_FORK_EXEC, 20, 20, 999);
	born(&b, 10, 10, 1000); /* short */
	born(&b, 11, 11, 1000); /* as long as the period */
	born(&b, 12, 12, 1000); /* short, sampled */
	born(&b, 12, 13, 1000); /* a short thread */
	born(&b, 14, 14, 1000); /* short at first, and long later */
	add_sample(&b, 12, 1500);
	dead(&b, 12, 13, 1600);
	dead(&b, 12, 12, 2000);
	dead(&b, 20, 20, 2000);
	dead(&b, 21, 21, 2000); /* its beginning was not recorded */
	dead(&b, 14, 14, 2000);
	dead(&b, 10, 10, 3000);
	dead(&b, 10, 10, 3001); /* recorded twice */
	add_sample(&b, 11, 4000);
	born(&b, 14, 14, 4000);
	born(&b, 15, 15, 4500); /* does not end */
	add_sample(&b, 14, 4600);
	dead(&b, 11, 11, 1000 + PERIOD);
	dead(&b, 14, 14, 9000);
	struct profile *profile = build(&b);
	const struct prof_short_lives *lives = &profile->stats.short_lives;
	assert_int_equal(lives->n_tasks, 3);
	assert_int_equal(lives->total_ns, 2000 + 1000 + 600);
	assert_int_equal(lives->n_samples, 1);
	assert_int_equal(lives->period_ns, PERIOD);
	prof_destroy(profile);
}

/* An event that counts on a CPU finds short tasks, too. */
static void test_all_cpus(void **state)
{
	struct bytes b = { 0 };

	(void)state;
	recording_begin(&b);
	born(&b, 10, 10, 1000);
	dead(&b, 10, 10, 3000);
	add_sample(&b, PARENT, 4000);
	struct profile *profile = build(&b);
	assert_int_equal(profile->stats.short_lives.n_tasks, 0);
	prof_destroy(profile);
}

/* Record 100 tasks of half a period each, of which every @p every-th has a sample, and a long task. */
static struct profile *record_tasks(uint32_t every, uint64_t n_long_samples)
{
	struct bytes b = { 0 };
	uint64_t time = 1000;

	begin_recording(&b);
	for (uint32_t i = 0; i < 100; i++, time += PERIOD / 2) {
		born(&b, 100 + i, 100 + i, time);
		if (i % every == 0)
			add_sample(&b, 100 + i, time + 1);
		dead(&b, 100 + i, 100 + i, time + PERIOD / 2);
	}
	for (uint64_t i = 0; i < n_long_samples; i++)
		add_sample(&b, PARENT, time += PERIOD);
	return build(&b);
}

static bool has_hint(struct profile *profile)
{
	struct advice_quality quality;
	bool found = false;

	assert_ok(advice_quality_find(profile, false, &quality));
	for (size_t i = 0; i < quality.hints.list.n; i++)
		found |= quality.hints.list.data[i].kind == ADVICE_HINT_SHORT_LIVES;
	advice_quality_deinit(&quality);
	prof_destroy(profile);
	return found;
}

/* The tasks ran for 50 periods. */
static void test_hint(void **state)
{
	struct profile *profile;

	(void)state;
	assert_true(has_hint(record_tasks(10, 0)));
	assert_true(has_hint(record_tasks(10, 100)));
	/* 40 missing samples hardly change a long recording. */
	assert_false(has_hint(record_tasks(10, 2000)));
	/* Every second one has a sample, as is expected. */
	assert_false(has_hint(record_tasks(2, 0)));
	/* Samples that a filter left out are not missing. */
	profile = record_tasks(10, 0);
	profile->stats.filtered[0] = 1;
	assert_false(has_hint(profile));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counts),
		cmocka_unit_test(test_all_cpus),
		cmocka_unit_test(test_hint),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

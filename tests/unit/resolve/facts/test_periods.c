/* Periods that are broken: sums do not overflow, and the wrong periods are named. */
#include "tests/unit/test_recording.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/memstream.h"
#include "output/quality_lines.h"
#include "profile/merge.h"
#include "resolve/resolve.h"

enum {
	PID = 7,
	USUAL = 1000000,
	N_USUAL = 200,
	MS = 1000000,
	AT_ATTR = FILE_HEADER_BYTES,
	AT_TYPE = AT_ATTR,
	AT_PERIOD = AT_ATTR + 16,
	AT_SAMPLE_TYPE = AT_ATTR + 24,
	AT_FLAGS = AT_ATTR + 40,
};

static const uint64_t negative = (uint64_t)-5000;
static const uint64_t ip_tid_time = 1 << PD_SAMPLE_IP | 1 << PD_SAMPLE_TID | 1 << PD_SAMPLE_TIME;

/* Begin a recording of cycles by frequency. */
static void begin(struct bytes *b, uint64_t sample_type)
{
	recording_begin(b);
	b->data[AT_TYPE] = PD_TYPE_HARDWARE;
	patch64(b, AT_PERIOD, 99);
	patch64(b, AT_SAMPLE_TYPE, sample_type);
	patch64(b, AT_FLAGS, load64(b, AT_FLAGS) | 1 << PD_ATTR_freq);
}

static void add(struct bytes *b, uint64_t time, uint64_t period)
{
	size_t rec = record_begin(b, PD_RECORD_SAMPLE, PD_MISC_USER);

	u64(b, 0x401000);
	tid_time(b, PID, PID, time);
	u64(b, period);
	record_end(b, rec);
}

static struct profile *resolve(struct bytes *b)
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

/* Usual periods, and @p n times @p period among them. */
static struct profile *record(uint64_t period, unsigned n)
{
	struct bytes b = { 0 };

	begin(&b, ip_tid_time | 1 << PD_SAMPLE_PERIOD);
	for (unsigned i = 0; i < N_USUAL; i++)
		add(&b, (uint64_t)(1 + i) * MS, USUAL + i);
	for (unsigned i = 0; i < n; i++)
		add(&b, (uint64_t)(1 + N_USUAL) * MS, period);
	return resolve(&b);
}

static uint64_t usual_sum(void)
{
	return (uint64_t)N_USUAL * USUAL + N_USUAL * (N_USUAL - 1) / 2;
}

static void assert_periods(const struct profile *profile, const char *wanted)
{
	char *text;
	size_t size;
	FILE *out = base_memstream_open(&text, &size);

	out_quality_write_periods(profile, out);
	assert_true(base_memstream_close(out, &text));
	assert_string_equal(text, wanted);
	free(text);
}

static uint64_t total_of(const struct profile *profile)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < profile->values.n; i++)
		sum += profile->values.data[i].period;
	assert_int_equal(sum, profile->events.data[0].total.period);
	assert_int_equal(sum, profile->stats.period_sum);
	return sum;
}

static void test_usual(void **state)
{
	struct profile *profile = record(0, 0);

	(void)state;
	assert_int_equal(total_of(profile), usual_sum());
	assert_periods(profile, "");
	prof_destroy(profile);
}

static void test_negative(void **state)
{
	struct profile *profile = record(negative, 1);

	(void)state;
	assert_int_equal(profile->events.data[0].total.samples, N_USUAL + 1);
	assert_int_equal(total_of(profile), usual_sum());
	assert_periods(profile,
		"1 sample of cycles:HG has the impossible period 18446744073709546616, "
		"which counts as 0");
	prof_destroy(profile);
}

/* Each period is possible as a number, but not their sum. */
static void test_sum(void **state)
{
	struct profile *profile = record((uint64_t)1 << 62, 5);

	(void)state;
	assert_int_equal(profile->events.data[0].total.samples, N_USUAL + 5);
	assert_int_equal(total_of(profile), usual_sum() + ((uint64_t)1 << 62));
	assert_int_equal(profile->events.data[0].odd.n_invalid, 4);
	prof_destroy(profile);
}

static void test_huge(void **state)
{
	struct profile *profile = record((uint64_t)1 << 47, 1);

	(void)state;
	assert_int_equal(total_of(profile), usual_sum() + ((uint64_t)1 << 47));
	assert_periods(profile, "1 sample of cycles:HG has a period far above the others, "
				"140737488355328: 100.0 % of the event");
	prof_destroy(profile);
	profile = record((uint64_t)1 << 36, 3);
	assert_periods(profile, "3 samples of cycles:HG have periods far above the others, up to "
				"68719476736: 99.9 % of the event");
	prof_destroy(profile);
}

/* Counters of frequencies begin with short periods. */
static void test_ramp(void **state)
{
	struct bytes b = { 0 };

	(void)state;
	begin(&b, ip_tid_time | 1 << PD_SAMPLE_PERIOD);
	for (unsigned i = 0; i < N_USUAL; i++)
		add(&b, (uint64_t)(1 + i) * MS, 1 + i);
	for (unsigned i = 0; i < 5; i++)
		add(&b, (uint64_t)(1 + N_USUAL + i) * MS, 40 * USUAL);
	struct profile *profile = resolve(&b);
	assert_periods(profile, "");
	prof_destroy(profile);
}

static void test_merged(void **state)
{
	struct profile *profile = record(0, 0);

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		struct profile *more = record((uint64_t)1 << 62, 1);

		assert_ok(prof_merge(profile, more));
		prof_destroy(more);
	}
	assert_int_equal(profile->events.data[0].total.samples, 4 * N_USUAL + 3);
	assert_true(total_of(profile) <= PROF_MAX_PERIODS);
	assert_true(profile->events.data[0].odd.n_invalid > 0);
	prof_destroy(profile);
}

/* Without periods, a frequency is not one. */
static void test_frequency(void **state)
{
	for (unsigned is_clock = 0; is_clock < 2; is_clock++) {
		struct bytes b = { 0 };

		(void)state;
		begin(&b, ip_tid_time);
		if (is_clock)
			b.data[AT_TYPE] = PD_TYPE_SOFTWARE;
		for (unsigned i = 0; i < 40; i++) {
			size_t rec = record_begin(&b, PD_RECORD_SAMPLE, PD_MISC_USER);

			u64(&b, 0x401000);
			tid_time(&b, PID, PID, 1000 + i);
			record_end(&b, rec);
		}
		struct profile *profile = resolve(&b);
		if (is_clock) {
			assert_int_equal(total_of(profile), 40 * (1000000000 / 99));
			assert_periods(profile, "");
		} else {
			assert_int_equal(total_of(profile), 40);
			assert_periods(profile,
				"those of cycles:HG were not recorded: each sample counts as 1");
		}
		prof_destroy(profile);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_usual),
		cmocka_unit_test(test_negative),
		cmocka_unit_test(test_sum),
		cmocka_unit_test(test_huge),
		cmocka_unit_test(test_ramp),
		cmocka_unit_test(test_merged),
		cmocka_unit_test(test_frequency),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

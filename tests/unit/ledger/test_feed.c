/* Ledgers of made recordings: records that are not samples. */
#include "tests/unit/test_recording.h"

#include "resolve/resolve.h"

enum { PROCESS = 10, A = 11, B = 12 };

/* Append FORK or EXIT. */
static void add_task(struct bytes *b, uint32_t type, uint32_t tid, uint64_t time)
{
	size_t rec = record_begin(b, type, 0);

	u32(b, PROCESS);
	u32(b, PROCESS);
	u32(b, tid);
	u32(b, A);
	u64(b, time);
	/* A synthesised record has no trailer with a time. */
	tid_time(b, PROCESS, type == PD_RECORD_FORK ? A : tid, time);
	record_end(b, rec);
}

static void add_comm(struct bytes *b, uint32_t tid, uint64_t time)
{
	size_t rec = record_begin(b, PD_RECORD_COMM, 0);

	u32(b, PROCESS);
	u32(b, tid);
	padded(b, tid == A ? "first" : "second");
	tid_time(b, PROCESS, tid, time);
	record_end(b, rec);
}

static void add_switch(struct bytes *b, uint16_t misc, uint32_t tid, uint64_t time)
{
	size_t rec = record_begin(b, PD_RECORD_SWITCH, misc);

	tid_time(b, PROCESS, tid, time);
	record_end(b, rec);
}

static void add_wide_switch(
	struct bytes *b, uint16_t misc, uint32_t tid, uint32_t other, uint64_t time)
{
	size_t rec = record_begin(b, PD_RECORD_SWITCH_CPU_WIDE, misc);

	u32(b, other ? PROCESS : 0);
	u32(b, other);
	tid_time(b, tid ? PROCESS : 0, tid, time);
	record_end(b, rec);
}

/* The phases of each life follow each other, and add up to its sums. */
static void assert_phases(const struct profile *profile)
{
	size_t n = 0;

	for (uint32_t i = 0; i < profile->ledger_threads.n; i++) {
		uint64_t ns[PROF_N_LEDGER_STATES] = { 0 }, time = 0;

		for (; n < profile->ledger_phases.n && profile->ledger_phases.data[n].life == i;
			n++) {
			const struct prof_ledger_phase *phase = &profile->ledger_phases.data[n];

			assert_true(phase->ns > 0 && phase->begin_ns >= time);
			assert_true(prof_is_none(phase->waker) || phase->is_woken);
			time = phase->begin_ns + phase->ns;
			ns[phase->state] += phase->ns;
		}
		assert_memory_equal(ns, profile->ledger_threads.data[i].ns, sizeof(ns));
	}
	assert_int_equal(n, profile->ledger_phases.n);
}

/* Build a profile of a recording, which is freed. */
static struct profile *resolve(struct bytes *b, const struct resolve_opts *opts)
{
	struct pd_diag *diag = pd_diag_create();
	struct profile *profile;

	struct pd_file *file = recording_open(b, diag);
	assert_ok(resolve_profile(file, opts, &profile));
	pd_file_close(file);
	pd_diag_destroy(diag);
	bytes_free(b);
	assert_phases(profile);
	return profile;
}

static struct profile *build_if(struct bytes *b, bool only_if_known)
{
	const struct resolve_opts opts = {
		.jobs = 1,
		.request.ledger = true,
		.request.ledger_if_known = only_if_known,
		.request.phases = true,
	};

	recording_end(b);
	return resolve(b, &opts);
}

static struct profile *build(struct bytes *b)
{
	struct profile *profile = build_if(b, false);

	assert_int_equal(profile->ledgers.n, 1);
	return profile;
}

static void assert_row(const struct profile *profile, size_t i, const char *comm,
	const uint64_t ns[static PROF_N_LEDGER_STATES])
{
	const struct prof_ledger_thread *row = &profile->ledger_threads.data[i];

	assert_string_equal(prof_string(profile, prof_thread(profile, row->thread)->comm), comm);
	for (size_t k = 0; k < PROF_N_LEDGER_STATES; k++)
		assert_int_equal(row->ns[k], ns[k]);
}

static void switches_of_threads(void **state)
{
	struct bytes b = { 0 };

	(void)state;
	recording_begin(&b);
	add_comm(&b, A, 0);
	add_sample(&b, PROCESS, 1000);
	add_task(&b, PD_RECORD_FORK, B, 1100);
	add_switch(&b, PD_MISC_SWITCH_OUT | PD_MISC_SWITCH_OUT_PREEMPT, A, 1200);
	add_switch(&b, 0, B, 1210);
	add_comm(&b, B, 1250);
	add_switch(&b, PD_MISC_SWITCH_OUT, B, 1300);
	add_switch(&b, 0, A, 1310);
	add_switch(&b, PD_MISC_SWITCH_OUT, A, 1500);
	add_switch(&b, 0, B, 1600);
	add_task(&b, PD_RECORD_EXIT, B, 1700);
	add_sample(&b, PROCESS, 2000);
	struct profile *profile = build(&b);
	assert_int_equal(profile->ledgers.data[0].begin_ns, 1000);
	assert_int_equal(profile->ledgers.data[0].end_ns, 2000);
	assert_int_equal(profile->ledgers.data[0].n_missing, 0);
	assert_true(profile->ledgers.data[0].has_switches);
	assert_false(profile->ledgers.data[0].has_wakes);
	assert_int_equal(profile->ledger_cpus.n, 0);
	assert_int_equal(profile->ledger_threads.n, 2);
	assert_row(profile, 0, "first", (uint64_t[]){ 200 + 190, 110, 500, 0 });
	assert_row(profile, 1, "second", (uint64_t[]){ 90 + 100, 110, 300, 0 });
	assert_true(profile->ledger_threads.data[0].is_older);
	assert_true(profile->ledger_threads.data[0].is_unfinished);
	assert_false(profile->ledger_threads.data[1].is_older);
	assert_false(profile->ledger_threads.data[1].is_unfinished);
	prof_destroy(profile);
}

static void switches_of_cpus(void **state)
{
	struct bytes b = { 0 };

	(void)state;
	recording_begin(&b);
	add_comm(&b, A, 0);
	add_comm(&b, B, 0);
	add_wide_switch(&b, PD_MISC_SWITCH_OUT, 0, A, 1000);
	add_wide_switch(&b, 0, A, 0, 1001);
	add_wide_switch(&b, PD_MISC_SWITCH_OUT, A, 0, 1400);
	add_wide_switch(&b, 0, 0, A, 1401);
	add_sample(&b, 0, 2000);
	struct profile *profile = build(&b);
	assert_int_equal(profile->ledger_threads.n, 2);
	assert_row(profile, 0, "first", (uint64_t[]){ 400, 0, 600, 0 });
	assert_row(profile, 1, "second", (uint64_t[]){ 0, 0, 1000, 0 });
	assert_true(profile->ledgers.data[0].is_of_cpus);
	prof_destroy(profile);
}

/* Without a record of a switch nothing is known. */
static void nothing(void **state)
{
	struct bytes b = { 0 };

	(void)state;
	recording_begin(&b);
	add_comm(&b, A, 0);
	add_sample(&b, A, 1000);
	add_sample(&b, A, 1500);
	struct profile *profile = build(&b);
	assert_false(profile->ledgers.data[0].has_switches);
	assert_row(profile, 0, "first", (uint64_t[]){ 0, 0, 0, 500 });
	prof_destroy(profile);
}

/* A mark, or a record of @p lost samples. */
static void add_lost(struct bytes *b, uint64_t lost, uint64_t time)
{
	size_t rec = record_begin(b, PD_RECORD_LOST_SAMPLES, 0);

	u64(b, lost);
	tid_time(b, 0, 0, time);
	record_end(b, rec);
}

/* Let the event of the recording, which has just begun, record switches. */
static void record_switches(struct bytes *b)
{
	enum { FLAGS_AT = FILE_HEADER_BYTES + 40 };
	uint64_t flags;

	memcpy(&flags, b->data + FLAGS_AT, sizeof(flags));
	flags |= (uint64_t)1 << PD_ATTR_context_switch;
	memcpy(b->data + FLAGS_AT, &flags, sizeof(flags));
}

/* One thread waits between the marks, and leaves no records. */
static void marks(void **state)
{
	struct bytes b = { 0 };

	(void)state;
	recording_begin(&b);
	record_switches(&b);
	add_comm(&b, A, 0);
	add_lost(&b, 0, 1000);
	add_lost(&b, 0, 3000);
	struct profile *profile = build(&b);
	assert_true(profile->ledgers.data[0].has_switches);
	assert_true(profile->ledgers.data[0].has_end);
	assert_row(profile, 0, "first", (uint64_t[]){ 0, 0, 2000, 0 });
	assert_int_equal(profile->stats.n_lost_samples, 0);
	assert_int_equal(profile->stats.begin_ns, 1000);
	assert_int_equal(prof_stats_length(&profile->stats), 2000);
	prof_destroy(profile);
}

/* The recorder was killed, so only the beginning is marked. A record of lost samples is not a mark. */
static void no_end(void **state)
{
	struct bytes b = { 0 };

	(void)state;
	recording_begin(&b);
	add_comm(&b, A, 0);
	add_lost(&b, 0, 1000);
	add_sample(&b, A, 2000);
	add_lost(&b, 3, 2500);
	struct profile *profile = build(&b);
	assert_false(profile->ledgers.data[0].has_switches);
	assert_false(profile->ledgers.data[0].has_end);
	assert_row(profile, 0, "first", (uint64_t[]){ 0, 0, 0, 1500 });
	assert_int_equal(profile->stats.n_lost_samples, 3);
	assert_int_equal(prof_stats_length(&profile->stats), 1500);
	prof_destroy(profile);
}

/* A ledger of which nothing would be known is left out where only a known one is wanted. */
static void nothing_if_known(void **state)
{
	struct bytes b = { 0 };

	(void)state;
	recording_begin(&b);
	add_comm(&b, A, 0);
	add_sample(&b, A, 1000);
	add_sample(&b, A, 1500);
	struct profile *profile = build_if(&b, true);
	assert_int_equal(profile->ledgers.n, 0);
	assert_int_equal(profile->ledger_threads.n, 0);
	prof_destroy(profile);
}

/* Whole recordings and parts of them, with a path only where wakeups were recorded. */
static void phases_of_recordings(void **state)
{
	static const struct {
		const char *name;
		const char *file;
		bool has_path;
	} recordings[] = {
		{ "clock", "perf.data", true },
		{ "paths", "perf.data", true },
		{ "shop", "before.data", false },
	};

	(void)state;
	for (size_t i = 0; i < 2 * PD_ARRAY_LEN(recordings); i++) {
		struct bytes b = testdata_read(recordings[i / 2].name, recordings[i / 2].file);
		struct prof_filter filter = { 0 };
		const struct resolve_opts opts = {
			.jobs = 1,
			.filter = &filter,
			.request.ledger = true,
			.request.phases = true,
			.request.critical_path = "",
			.request.path_if_known = true,
			.no_names = true,
		};

		if (i % 2)
			assert_ok(prof_time_spans_parse(&filter.times, "10%-20%,50%-70%"));
		struct profile *profile = resolve(&b, &opts);
		assert_true(profile->ledger_phases.n > 20);
		assert_int_equal(profile->paths.n, recordings[i / 2].has_path);
		prof_destroy(profile);
		prof_filter_deinit(&filter);
	}
}

/* A wakeup is that of the thread, and the wait before it is over. */
static void phases_have_wakers(void **state)
{
	struct bytes b = testdata_read("paths", "perf.data");
	const struct resolve_opts opts = {
		.jobs = 1,
		.request.ledger = true,
		.request.phases = true,
		.no_names = true,
	};
	struct profile *profile = resolve(&b, &opts);
	uint64_t ns = 0, n = 0, expected_ns = 0, expected_n = 0;

	(void)state;
	for (size_t i = 0; i < profile->ledger_phases.n; i++) {
		const struct prof_ledger_phase *phase = &profile->ledger_phases.data[i];

		if (!phase->is_woken)
			continue;
		assert_int_equal(phase->state, PROF_LEDGER_BLOCKED);
		ns += phase->ns;
		n++;
	}
	for (size_t i = 0; i < profile->ledger_wakers.n; i++) {
		expected_ns += profile->ledger_wakers.data[i].ns;
		expected_n += profile->ledger_wakers.data[i].n;
	}
	assert_int_equal(ns, expected_ns);
	assert_int_equal(n, expected_n);
	prof_destroy(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(switches_of_threads),
		cmocka_unit_test(switches_of_cpus),
		cmocka_unit_test(nothing),
		cmocka_unit_test(nothing_if_known),
		cmocka_unit_test(marks),
		cmocka_unit_test(no_end),
		cmocka_unit_test(phases_of_recordings),
		cmocka_unit_test(phases_have_wakers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Tables of a profile that was made by hand: rows, groups, branches and memory accesses. */
#include "tests/unit/test.h"

#include <string.h>

#include "base/array.h"
#include "analyze/keys/keys.h"
#include "analyze/keys/key_table.h"

enum { MAIN, LOOP, COPY, N_FUNCTIONS };

/* A profile of the stacks main, main loop, and main loop loop copy; copy is in another binary. */
struct made {
	struct profile *profile;
	struct prof_event_id events[2];
	struct prof_frame_id frames[N_FUNCTIONS];
	struct prof_thread_id threads[2];
};

static struct prof_frame_id add_function(
	struct profile *profile, const char *name, struct prof_binary_id binary, uint64_t addr)
{
	const struct prof_function function = {
		.name = prof_add_string(profile, name),
		.file = prof_add_string(profile, "a.c"),
		.binary = binary,
	};
	const struct prof_line line = { prof_add_function(profile, &function), (uint32_t)addr, 0 };
	const struct prof_frame frame = { .addr = addr, .binary = binary };
	const struct prof_lines lines = { (uint32_t)profile->lines.n, 1 };
	struct prof_frame_id id = prof_add_frame(profile, &frame);

	assert_true(pd_vec_push(&profile->lines, line));
	assert_true(pd_vec_push(&profile->frame_lines, lines));
	return id;
}

static void add_sample(struct made *m, size_t event, size_t thread, const int *functions, size_t n,
	uint64_t period)
{
	struct prof_frame_id frames[8];
	struct prof_row row = { .period = period, .pcs = prof_no_pcs() };

	for (size_t i = 0; i < n; i++)
		frames[i] = m->frames[functions[i]];
	const struct prof_sample sample = {
		.stack = prof_add_stack(m->profile, frames, n),
		.thread = m->threads[thread],
		.event = m->events[event],
		.tags = prof_no_tags(),
	};
	assert_ok(prof_add_sample(m->profile, &sample, period, &row.sample));
	assert_true(pd_vec_push(&m->profile->rows, row));
}

static void make(struct made *m)
{
	static const int leaf_main[] = { MAIN };
	static const int leaf_loop[] = { LOOP, MAIN };
	static const int leaf_copy[] = { COPY, LOOP, LOOP, MAIN };
	static const char *const comms[] = { "one", "two" };

	assert_ok(prof_create(&m->profile));
	struct profile *p = m->profile;
	const struct prof_binary program = { .name = prof_add_string(p, "/bin/program") };
	const struct prof_binary kernel = {
		.name = prof_add_string(p, "[kernel.kallsyms]"),
		.is_kernel = true,
	};
	struct prof_binary_id program_id = prof_add_binary(p, &program);
	struct prof_binary_id kernel_id = prof_add_binary(p, &kernel);
	m->frames[MAIN] = add_function(p, "main", program_id, 10);
	m->frames[LOOP] = add_function(p, "loop", program_id, 20);
	m->frames[COPY] = add_function(p, "copy", kernel_id, 30);
	for (size_t i = 0; i < 2; i++) {
		const struct prof_event event = {
			.name = prof_add_string(p, i ? "instructions:u" : "cycles:u"),
			.unit = prof_add_string(p, "count"),
			.fields = PROF_FIELD_BIT(BRANCH_STACK) | PROF_FIELD_BIT(ADDR) |
				  PROF_FIELD_BIT(DATA_SRC) | PROF_FIELD_BIT(WEIGHT) |
				  PROF_FIELD_BIT(TRANSACTION),
		};
		const struct prof_thread thread = {
			.pid = 7,
			.tid = 7 + (uint32_t)i,
			.comm = prof_add_string(p, comms[i]),
		};

		m->events[i] = prof_add_event(p, &event);
		m->threads[i] = prof_add_thread(p, &thread);
	}
	add_sample(m, 0, 0, leaf_main, 1, 1);
	add_sample(m, 0, 0, leaf_loop, 2, 10);
	add_sample(m, 0, 0, leaf_copy, 4, 100);
	add_sample(m, 0, 1, leaf_copy, 4, 1000);
	add_sample(m, 1, 0, leaf_loop, 2, 30);
	add_sample(m, 0, 1, NULL, 0, 10000);
}

static struct ana_keys keys_of(const char *const *names, size_t n)
{
	struct ana_keys keys = { 0 };

	for (size_t i = 0; i < n; i++)
		assert_ok(ana_keys_add(&keys, names[i]));
	return keys;
}

/* Write the table as "text text self/total; " for each row, with ">" for each level. */
static void write_rows(const struct ana_table *table, size_t level, uint32_t group, FILE *out)
{
	char buf[ANA_KEY_TEXT_SIZE];

	for (uint32_t row = ana_table_first(table, level, group); row != PROF_NONE;
		row = ana_table_next(table, level, row)) {
		for (size_t i = 0; i < level; i++)
			fputc('>', out);
		for (size_t i = 0; i < table->levels[level].n_keys; i++)
			fprintf(out, "%s ", ana_table_text(table, level, row, i, buf));
		for (size_t i = 0; i < table->opts.n_columns; i++) {
			struct ana_sums sums = ana_table_sums(table, level, row, i);

			fprintf(out, "%s%d/%d", i ? "," : "", (int)sums.self.period,
				(int)sums.total.period);
		}
		fputs("; ", out);
		if (level + 1 < table->n_levels)
			write_rows(table, level + 1, row, out);
	}
}

static void expect(const struct made *m, struct ana_table_opts opts, const char *const *names,
	size_t n, const char *expected)
{
	static const uint32_t columns[] = { 0, 1 };
	struct ana_table table;
	char text[1024] = "";
	FILE *out = fmemopen(text, sizeof(text), "w");

	opts.keys = keys_of(names, n);
	opts.columns = columns;
	opts.n_columns = 2;
	assert_ok(ana_keys_check(&opts.keys, m->profile));
	assert_ok(ana_table_create(m->profile, &opts, &table));
	write_rows(&table, 0, 0, out);
	fclose(out);
	assert_string_equal(text, expected);
	ana_table_deinit(&table);
}

#define EXPECT(m, opts, expected, ...) \
	do { \
		static const char *const names[] = { __VA_ARGS__ }; \
		expect(m, opts, names, sizeof(names) / sizeof(*names), expected); \
	} while (0)

static void test_rows(void **state)
{
	const struct ana_table_opts opts = { 0 };
	const struct ana_table_opts leaf = { .has_leaf_only = true };
	struct made m;

	(void)state;
	make(&m);
	EXPECT(&m, opts, "two 11000/11000,0/0; one 111/111,30/30; ", "comm");
	/* A recursive function is counted once; what has no stack has a row. */
	EXPECT(&m, opts,
		"[unknown] 10000/10000,0/0; copy 1100/1100,0/0; loop 10/1110,30/30; main "
		"1/1111,0/30; ",
		"sym");
	EXPECT(&m, leaf,
		"[unknown] 10000/10000,0/0; copy 1100/1100,0/0; loop 10/10,30/30; main 1/1,0/0; ",
		"symbol");
	EXPECT(&m, opts,
		"two [unknown] 10000/10000,0/0; two [kernel.kallsyms] 1000/1000,0/0; one "
		"[kernel.kallsyms] 100/100,0/0; one program 11/111,30/30; two program "
		"0/1000,0/0; ",
		"comm", "dso");
	EXPECT(&m, opts,
		"[unknown] 7:two 10000/10000,0/0; [kernel.kallsyms] 7:two 1000/1000,0/0; "
		"[kernel.kallsyms] 7:one 100/100,0/0; program 7:one 11/111,30/30; program 7:two "
		"0/1000,0/0; ",
		"dso", "tgid");
	prof_destroy(m.profile);
}

static void test_groups(void **state)
{
	const struct ana_table_opts one = { .n_groups = 1 };
	const struct ana_table_opts two = { .n_groups = 2 };
	struct made m;

	(void)state;
	make(&m);
	EXPECT(&m, one,
		"[unknown] 10000/10000,0/0; >[unknown] two 10000/10000,0/0; [kernel.kallsyms] "
		"1100/1100,0/0; >[kernel.kallsyms] two 1000/1000,0/0; >[kernel.kallsyms] one "
		"100/100,0/0; program 11/1111,30/30; >program one 11/111,30/30; >program two "
		"0/1000,0/0; ",
		"dso", "comm");
	/* A table may consist of groups. */
	EXPECT(&m, two,
		"two 11000/11000,0/0; >two cycles:u 11000/11000,0/0; one 111/111,30/30; >one "
		"cycles:u 111/111,0/0; >one instructions:u 0/0,30/30; ",
		"comm", "event");
	prof_destroy(m.profile);
}

static void test_sums(void **state)
{
	static const uint32_t columns[] = { 0, PROF_NONE };
	static const char *const names[] = { "overhead_sys", "overhead_us", "comm", "sample" };
	const struct ana_table_opts opts = {
		.keys = keys_of(names, 4),
		.columns = columns,
		.n_columns = 1,
	};
	struct ana_table table;
	struct made m;

	(void)state;
	make(&m);
	assert_int_equal(opts.keys.n, 1);
	assert_int_equal(opts.keys.n_sums, 3);
	assert_ok(ana_table_create(m.profile, &opts, &table));
	uint32_t row = ana_table_first(&table, 0, 0);
	struct ana_sums sums = ana_table_sums(&table, 0, row, 0);
	/* Rows are sorted by the first sum: the kernel's part of thread "two". */
	assert_int_equal(ana_sum_of(ANA_KEY_OVERHEAD_SYS, &sums), 1000);
	assert_int_equal(ana_sum_of(ANA_KEY_OVERHEAD_US, &sums), 10000);
	assert_int_equal(ana_sum_of(ANA_KEY_OVERHEAD, &sums), 11000);
	assert_int_equal(ana_sum_of(ANA_KEY_SAMPLES, &sums), 2);
	assert_int_equal(ana_sum_of(ANA_KEY_OVERHEAD_GUEST_US, &sums), 0);
	assert_int_equal(ana_table_whole(&table, 0), 11111);
	ana_table_deinit(&table);
	prof_destroy(m.profile);
}

static void add_branches(struct made *m)
{
	/* Predicted, mispredicted with 5 cycles, and in a transaction. */
	const struct prof_branch branches[] = {
		{ 20, 30, 2, m->frames[LOOP], m->frames[COPY] },
		{ 20, 30, 1 | 5 << 4, m->frames[LOOP], m->frames[COPY] },
		{ 10, 20, 2 | 4, m->frames[MAIN], prof_no_frame() },
	};
	const struct prof_detail detail = {
		.addr_frame = prof_no_frame(),
		.branches = prof_add_bytes(m->profile, branches, sizeof(branches)),
	};
	const struct prof_detail none = {
		.addr_frame = prof_no_frame(),
		.branches = prof_add_bytes(m->profile, "", 0),
	};

	for (size_t i = 0; i < m->profile->rows.n; i++)
		assert_true(pd_vec_push(&m->profile->details, i ? none : detail));
}

/* The samples of the second thread were taken while four threads were running. */
static void set_parallelism(struct made *m)
{
	for (size_t i = 0; i < m->profile->samples.n; i++) {
		struct prof_sample *sample = &m->profile->samples.data[i];
		const struct prof_tags tags = {
			.cpu = PROF_NONE,
			.labels = prof_no_labels(),
			.parallelism = sample->thread.i == m->threads[1].i ? 4 : 1,
		};

		sample->tags = prof_add_tags(m->profile, &tags);
	}
}

static void test_latency(void **state)
{
	static const uint32_t columns[] = { 0, 1 };
	static const char *const sums_of[] = { "latency", "latency_children", "comm" };
	static const char *const by_number[] = { "parallelism", "comm_nodigit" };
	const struct ana_table_opts opts = { 0 };
	struct ana_table_opts by_latency = { .columns = columns, .n_columns = 2 };
	struct ana_keys keys = keys_of(by_number, 2);
	struct ana_table table;
	struct made m;

	(void)state;
	make(&m);
	by_latency.keys = keys_of(sums_of, 3);
	assert_error(ana_keys_check(&by_latency.keys, m.profile), PD_ERROR_USAGE);
	assert_error(ana_keys_check(&keys, m.profile), PD_ERROR_USAGE);
	set_parallelism(&m);
	assert_ok(ana_keys_check(&by_latency.keys, m.profile));
	assert_ok(ana_table_create(m.profile, &by_latency, &table));
	assert_int_equal(ana_table_whole_latency(&table, 0), ANA_LATENCY_UNITS * (111 + 11000 / 4));
	uint32_t row = ana_table_first(&table, 0, 0);
	struct ana_sums sums = ana_table_sums(&table, 0, row, 0);
	assert_int_equal(ana_sum_of(ANA_KEY_LATENCY, &sums), ANA_LATENCY_UNITS * 11000 / 4);
	assert_int_equal(ana_sum_of(ANA_KEY_OVERHEAD, &sums), 11000);
	row = ana_table_next(&table, 0, row);
	sums = ana_table_sums(&table, 0, row, 0);
	assert_int_equal(ana_sum_of(ANA_KEY_LATENCY, &sums), ANA_LATENCY_UNITS * 111);
	assert_int_equal(ana_sum_of(ANA_KEY_LATENCY_CHILDREN, &sums), ANA_LATENCY_UNITS * 111);
	ana_table_deinit(&table);
	EXPECT(&m, opts, "4 two 11000/11000,0/0; 1 one 111/111,30/30; ", "parallelism", "comm");
	prof_destroy(m.profile);
}

static void test_names_without_digits(void **state)
{
	const struct ana_table_opts opts = { 0 };
	struct made m;

	(void)state;
	make(&m);
	for (size_t i = 0; i < 2; i++) {
		struct prof_thread thread = *prof_thread(m.profile, m.threads[i]);

		thread.comm = prof_add_string(m.profile, i ? "kworker/12:0-mm" : "kworker/3:17-mm");
		m.threads[i] = prof_add_thread(m.profile, &thread);
	}
	for (size_t i = 0; i < m.profile->samples.n; i++)
		m.profile->samples.data[i].thread = m.threads[i % 2];
	EXPECT(&m, opts, "kworker/<N>:<N>-mm 11111/11111,30/30; ", "comm_nodigit");
	prof_destroy(m.profile);
}

static void test_branches(void **state)
{
	const struct ana_table_opts opts = { 0 };
	struct made m;

	(void)state;
	make(&m);
	add_branches(&m);
	EXPECT(&m, opts,
		"loop copy N - . 1/1,0/0; loop copy Y 5 . 1/1,0/0; main [unknown] N - T 1/1,0/0; ",
		"sym_from", "sym_to", "mispredict", "cycles", "in_tx");
	/* Frames are the targets. */
	EXPECT(&m, opts,
		"one copy [kernel.kallsyms] program 0x14 2/2,0/0; one [unknown] [unknown] program "
		"0xa 1/1,0/0; ",
		"comm", "sym", "dso_to", "dso_from", "addr_from");
	EXPECT(&m, opts, "a.c:20 a.c:30 . 2/2,0/0; a.c:10 [unknown] . 1/1,0/0; ", "srcline_from",
		"srcline_to", "abort");
	prof_destroy(m.profile);
}

static void add_accesses(struct made *m)
{
	for (size_t i = 0; i < m->profile->rows.n; i++) {
		const struct prof_detail detail = {
			.addr = 0x1000 + 40 * i,
			.addr_frame = i ? prof_no_frame() : m->frames[COPY],
			/* A load that hit the first-level cache, and one that missed. */
			.data_src = i % 2 ? 2 | 1 << 7 | 1 << 11 : 2 | 1 << 6 | 1 << 8,
			.weight = i == 5 ? 0 : 7,
			.transaction = i ? 0 : 2 | 4 | (uint64_t)0x1f << 32,
		};

		assert_true(pd_vec_push(&m->profile->details, detail));
	}
}

static void test_accesses(void **state)
{
	const struct ana_table_opts opts = { 0 };
	struct made m;

	(void)state;
	make(&m);
	add_accesses(&m);
	/* Accesses count by their weight, and by 1 without; callers are not counted. */
	EXPECT(&m, opts, "L3 miss No 15/15,0/0; L1 hit No 14/14,7/7; ", "mem", "locked");
	EXPECT(&m, opts,
		"copy 0x1040 14/14,0/0; main 0x1000 7/7,0/0; loop 0x1000 7/7,0/0; [unknown] 0x10c0 "
		"1/1,0/0; loop 0x1080 0/0,7/7; ",
		"sym", "dcacheline");
	EXPECT(&m, opts,
		"copy [kernel.kallsyms] 7/7,0/0; 0x1028 [unknown] 7/7,0/0; 0x1050 [unknown] "
		"7/7,0/0; 0x1078 [unknown] 7/7,0/0; 0x10c8 [unknown] 1/1,0/0; 0x10a0 [unknown] "
		"0/0,7/7; ",
		"symbol_daddr", "dso_daddr");
	/* The weight of a row is that of all its samples; the weight of one sample is a separate key. */
	EXPECT(&m, opts, "0 0 10000/10000,0/0; 35 7 1111/1111,30/30; ", "weight", "local_weight");
	EXPECT(&m, opts, " 11110/11110,30/30; TX SYNC :1f 1/1,0/0; ", "transaction");
	prof_destroy(m.profile);
}

static void expect_error(struct pd_error *err, const char *message)
{
	assert_non_null(err);
	assert_string_equal(err->message, message);
	pd_error_destroy(err);
}

/* A name that is not a key may be that of a field. Only the recording shows whether it is. */
static void test_fields(void **state)
{
	static const struct {
		const char *key;
		const char *event;
		bool is_of;
	} cases[] = {
		{ "prev_comm", "sched:sched_switch", true },
		{ "sched_switch.prev_comm", "sched:sched_switch", true },
		{ "sched:sched_switch.prev_comm", "sched:sched_switch", true },
		{ "sched_switch.prev_comm/raw", "sched:sched_switch", true },
		{ "sched_swit.prev_comm", "sched:sched_switch", false },
		{ "sched.prev_comm", "sched:sched_switch", false },
		{ "sched_switch.prev_comm", "sched:sched_wakeup", false },
		{ "a.b.prev_comm", "a.b", true },
	};
	struct ana_keys wrong = { 0 };
	struct made m;

	(void)state;
	for (size_t i = 0; i < PD_ARRAY_LEN(cases); i++) {
		struct ana_keys keys = { 0 };

		assert_ok(ana_keys_add(&keys, cases[i].key));
		assert_int_equal(keys.list[0], ANA_KEY_FIELD);
		assert_int_equal(keys.fields[0].name_len, strlen("prev_comm"));
		assert_int_equal(ana_field_is_of(&keys.fields[0], cases[i].event), cases[i].is_of);
		assert_string_equal(ana_keys_name(&keys, 0), cases[i].key);
		assert_true(ana_keys_need_rows(&keys));
	}
	make(&m);
	assert_ok(ana_keys_add(&wrong, "dsp"));
	expect_error(
		ana_keys_check(&wrong, m.profile), "cannot sort by 'dsp': did you mean 'dso'?");
	prof_destroy(m.profile);
}

static void test_errors(void **state)
{
	struct ana_keys keys = { 0 };
	struct made m;

	(void)state;
	expect_error(ana_keys_add(&keys, "d sp"), "cannot sort by 'd sp'");
	expect_error(ana_keys_add(&keys, "ipc_lbr"),
		"cannot sort by 'ipc_lbr': it needs the code of the program");
	assert_ok(ana_keys_add(&keys, "mem"));
	expect_error(ana_keys_add(&keys, "in_tx"),
		"cannot sort by 'in_tx': branches and memory accesses need a table each");
	make(&m);
	assert_ok(ana_keys_check(&keys, m.profile));
	assert_ok(ana_keys_add(&keys, "phys_daddr"));
	expect_error(ana_keys_check(&keys, m.profile),
		"cannot sort by 'phys_daddr': the samples were recorded without "
		"PERF_SAMPLE_PHYS_ADDR");
	for (size_t i = keys.n; i < ANA_MAX_KEYS; i++)
		assert_ok(ana_keys_add(&keys, "comm"));
	expect_error(ana_keys_add(&keys, "comm"), "cannot sort by more than 16 keys");
	prof_destroy(m.profile);
}

static void test_ratios(void **state)
{
	(void)state;
	assert_true(ana_ratio_is_event("cycles", "cycles"));
	assert_true(ana_ratio_is_event("cycles:u", "cycles"));
	assert_true(ana_ratio_is_event("cpu-cycles:ppp", "cycles"));
	assert_true(ana_ratio_is_event("cpu_core/instructions/u", "instructions"));
	assert_true(ana_ratio_is_event("cpu/branch-misses,period=3/", "branch-misses"));
	assert_false(ana_ratio_is_event("bus-cycles", "cycles"));
	assert_false(ana_ratio_is_event("cycles-ct", "cycles"));
	assert_false(ana_ratio_is_event("", "cycles"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_groups),
		cmocka_unit_test(test_sums),
		cmocka_unit_test(test_branches),
		cmocka_unit_test(test_accesses),
		cmocka_unit_test(test_latency),
		cmocka_unit_test(test_names_without_digits),
		cmocka_unit_test(test_fields),
		cmocka_unit_test(test_errors),
		cmocka_unit_test(test_ratios),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

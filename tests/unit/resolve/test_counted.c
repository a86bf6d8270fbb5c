/*
 * Samples that are counted by a tally are those that are resolved one by one: with both, profiles
 * are the same, also if the tally is full and begins anew, if workers join and add the samples, and
 * if there are tags or a row for each of them.
 */
#include "tests/unit/test_writing.h"

#include "base/array.h"
#include "base/budget.h"
#include "resolve/batch/batch.h"
#include "resolve/resolve.h"

enum { N_SAMPLES = 20000, N_THREADS = 7, N_ADDRESSES = 3000, LONGEST = 5 };

struct recording {
	struct pd_plan plan;
	struct pd_writer *writer;
	uint64_t time;
	uint64_t random;
	/** Names of threads and binaries that only one record has. */
	unsigned int n_unique;
};

static uint64_t next_random(struct recording *r, uint64_t n)
{
	r->random = r->random * 6364136223846793005 + 1442695040888963407;
	return (r->random >> 33) % n;
}

static void put_body(struct recording *r, const struct pd_layout *layout, uint16_t misc,
	const union pd_body *body)
{
	const struct pd_sid sid = { .pid = 1, .tid = 1, .time = ++r->time };
	struct pd_bytes trailer = { 0 };
	struct pd_bytes out = { 0 };

	pd_sid_encode(&r->plan, &sid, &trailer);
	assert_true(pd_record_encode(layout, misc, body, trailer.buf.data, trailer.buf.n, &out));
	assert_ok(pd_writer_add_records(r->writer, out.buf.data, out.buf.n));
	pd_bytes_deinit(&trailer);
	pd_bytes_deinit(&out);
}

/* Write a name. Some are new, so that texts enter the profile at any time. */
static struct pd_str name_one(
	struct recording *r, char ret[16], const char *format, uint64_t n_known)
{
	unsigned int i = (unsigned int)next_random(r, n_known);

	if (!next_random(r, 8))
		i = 100 + r->n_unique++;
	snprintf(ret, 16, format, i);
	return (struct pd_str){ .s = ret, .len = (uint32_t)strlen(ret) };
}

static void put_comm(struct recording *r)
{
	uint32_t tid = 1 + (uint32_t)next_random(r, N_THREADS);
	union pd_body body = { .comm = { .pid = 1, .tid = tid } };
	char name[16];

	body.comm.comm = name_one(r, name, "name-%u", 3);
	put_body(r, &pd_layout_comm, 0, &body);
}

static void put_mapping(struct recording *r)
{
	uint64_t start = 0x1000 + 0x100 * next_random(r, 16);
	union pd_body body = { .mmap = { .pid = 1, .tid = 1, .addr = start, .len = 0x400 } };
	char name[16];

	body.mmap.filename = name_one(r, name, "/lib/%u.so", 5);
	put_body(r, &pd_layout_mmap, PD_MISC_USER, &body);
}

static void put_sample(struct recording *r)
{
	uint64_t chain[LONGEST + 1] = { PD_CONTEXT_USER };
	size_t n = 1 + next_random(r, LONGEST);
	struct pd_sample sample = {
		.ip = 0x1000 + next_random(r, N_ADDRESSES),
		.pid = 1,
		.tid = 1 + (uint32_t)next_random(r, N_THREADS),
		.time = ++r->time,
		.cpu = (uint32_t)next_random(r, 4),
		.period = 1 + next_random(r, 9),
	};
	struct pd_bytes out = { 0 };

	/* Some of the addresses are never mapped, as in programs without frame pointers. */
	for (size_t i = 1; i <= n; i++)
		chain[i] = (next_random(r, 4) ? 0x1000 : 0x900000) + 0x100 * next_random(r, 20);
	sample.callchain = (struct pd_view){ .data = (uint8_t *)chain, .n = n, .elem_size = 8 };
	assert_true(pd_sample_encode(&r->plan, PD_MISC_USER, &sample, &out));
	assert_ok(pd_writer_add_records(r->writer, out.buf.data, out.buf.n));
	pd_bytes_deinit(&out);
}

static struct bytes record(uint64_t more_fields)
{
	FILE *out = tmpfile();
	struct pd_attr attr = written_attr();
	struct recording r = { .random = 1 };

	assert_non_null(out);
	attr.sample_type = 1 << PD_SAMPLE_IP | 1 << PD_SAMPLE_TID | 1 << PD_SAMPLE_TIME |
			   1 << PD_SAMPLE_PERIOD | more_fields;
	pd_plan_compile(&attr, &r.plan);
	r.writer = writer_open(out, false, false);
	assert_ok(pd_writer_add_event(r.writer, &attr, NULL, 0));
	for (size_t i = 0; i < N_SAMPLES; i++) {
		if (i % 97 == 0)
			put_comm(&r);
		if (i % 211 == 0)
			put_mapping(&r);
		put_sample(&r);
	}
	writer_close(r.writer);
	return written(out);
}

static struct profile *resolve(const struct bytes *b, struct resolve_opts opts)
{
	struct profile *profile;
	struct pd_file *file;

	assert_ok(pd_file_open_memory("written", b->data, b->n, NULL, &file));
	assert_ok(resolve_profile(file, &opts, &profile));
	assert_true(prof_is_conserved(profile));
	pd_file_close(file);
	return profile;
}

static void ignore(void *ctx, const struct profile *profile, const struct pd_sample *sample,
	const struct resolve_chain *chain)
{
	(void)profile;
	(void)sample;
	(void)chain;
	++*(size_t *)ctx;
}

static void check_sets(const struct base_intern *a, const struct base_intern *b)
{
	assert_int_equal(a->n, b->n);
	for (uint32_t i = 0; i < a->n; i++) {
		assert_int_equal(base_intern_len(a, i), base_intern_len(b, i));
		assert_memory_equal(
			base_intern_bytes(a, i), base_intern_bytes(b, i), base_intern_len(a, i));
	}
}

/* Compare samples. Tags may be numbered in another order. */
static void check_samples(const struct profile *a, const struct profile *b)
{
	assert_int_equal(a->samples.n, b->samples.n);
	assert_int_equal(a->tags.n, b->tags.n);
	for (size_t i = 0; i < a->samples.n; i++) {
		struct prof_sample x = a->samples.data[i], y = b->samples.data[i];
		const struct prof_tags *tags = prof_tags(a, x.tags);

		if (tags)
			assert_memory_equal(tags, prof_tags(b, y.tags), sizeof(*tags));
		x.tags = y.tags;
		assert_memory_equal(&x, &y, sizeof(x));
	}
	assert_memory_equal(a->values.data, b->values.data, a->values.n * sizeof(*a->values.data));
	assert_int_equal(a->times.n, b->times.n);
	for (size_t i = 0; i < a->times.n; i++)
		assert_int_equal(a->times.data[i], b->times.data[i]);
}

static void check_same(const struct profile *a, const struct profile *b)
{
	check_sets(&a->strings, &b->strings);
	check_sets(&a->frames, &b->frames);
	check_sets(&a->stacks, &b->stacks);
	check_sets(&a->threads, &b->threads);
	check_samples(a, b);
	assert_int_equal(a->events.data[0].total.samples, b->events.data[0].total.samples);
	assert_int_equal(a->events.data[0].total.period, b->events.data[0].total.period);
	assert_memory_equal(&a->stats, &b->stats, sizeof(a->stats));
}

static void check_same_rows(const struct profile *a, const struct profile *b)
{
	check_sets(&a->pcs, &b->pcs);
	assert_int_equal(a->rows.n, b->rows.n);
	for (size_t i = 0; i < a->rows.n; i++)
		assert_memory_equal(&a->rows.data[i], &b->rows.data[i], sizeof(*a->rows.data));
	assert_int_equal(a->origins.n, b->origins.n);
	for (size_t i = 0; i < a->origins.n; i++)
		assert_memory_equal(
			&a->origins.data[i], &b->origins.data[i], sizeof(*a->origins.data));
}

static void check_request(const struct bytes *b, const struct prof_request *request)
{
	static const unsigned jobs[] = { 2, 3, 16 };
	size_t n_seen = 0, n_rows = request->rows && !request->only_traces ? N_SAMPLES : 0;
	struct resolve_opts opts = { .request = *request, .on_sample = ignore, .ctx = &n_seen };
	struct profile *one_by_one = resolve(b, opts);

	opts.on_sample = NULL;
	opts.jobs = 1;
	struct profile *counted = resolve(b, opts);
	/* A sixteenth of it holds 5,461 keys. */
	struct pd_budget *budget = pd_budget_create(8 << 20);
	opts.budget = budget;
	struct profile *restarted = resolve(b, opts);

	assert_int_equal(n_seen, N_SAMPLES);
	assert_true(counted->samples.n > 2 * 5461);
	assert_int_equal(counted->rows.n, n_rows);
	assert_int_equal(counted->origins.n, request->origins ? n_rows : 0);
	check_same(one_by_one, counted);
	check_same(one_by_one, restarted);
	check_same_rows(one_by_one, counted);
	check_same_rows(one_by_one, restarted);
	prof_destroy(restarted);
	for (size_t i = 0; i < PD_ARRAY_LEN(jobs); i++) {
		opts.jobs = jobs[i];
		struct profile *parallel = resolve(b, opts);
		check_same(one_by_one, parallel);
		check_same_rows(one_by_one, parallel);
		prof_destroy(parallel);
	}
	prof_destroy(one_by_one);
	prof_destroy(counted);
	assert_int_equal(pd_budget_used(budget), 0);
	pd_budget_destroy(budget);
}

static void check_recording(uint64_t more_fields)
{
	static const struct prof_request requests[] = {
		{ 0 },
		{ .rows = true },
		{ .rows = true, .origins = true, .chains = true },
		{ .rows = true, .only_traces = true },
		{ .tags = 1 << PROF_TAG_TIME },
		{ .tags = 1 << PROF_TAG_TIME | 1 << PROF_TAG_CPU },
		{ .tags = 1 << PROF_TAG_CPU, .rows = true },
	};
	struct bytes b = record(more_fields);

	for (size_t i = 0; i < PD_ARRAY_LEN(requests); i++)
		check_request(&b, &requests[i]);
	bytes_free(&b);
}

static void flat_samples(void **state)
{
	(void)state;
	check_recording(0);
}

static void call_chains(void **state)
{
	(void)state;
	check_recording(1 << PD_SAMPLE_CALLCHAIN);
}

static void cpus(void **state)
{
	(void)state;
	check_recording(1 << PD_SAMPLE_CPU);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(flat_samples),
		cmocka_unit_test(call_chains),
		cmocka_unit_test(cpus),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

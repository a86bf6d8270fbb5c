/*
 * Samples that are unwound while recording: the records of a recording, in the order in which the
 * rings gave them, become those of the format perfdata.
 */
#include "tests/unit/test_recording.h"

#include <pdconv/convert.h>
#include <pdconv/reader.h>

#include "api/live_chains.h"
#include "base/containers/hash.h"
#include "parse/open_file.h"
#include "parse/write/splice.h"

/* A sample with its call chain. */
struct seen {
	uint64_t time;
	uint32_t tid;
	uint64_t n;
	uint64_t hash;
};

struct list {
	PD_VEC(struct seen) seen;
	/** Records that are not samples. */
	size_t n_others;
	/** Time of the last record. */
	uint64_t last_time;
	const struct pd_plan *plan;
};

static void add_seen(struct list *list, const struct pd_sample *sample)
{
	struct seen seen = { .time = sample->time, .tid = sample->tid, .n = sample->callchain.n };

	assert_int_equal(sample->stack_user.reserved, 0);
	for (size_t i = 0; i < sample->callchain.n; i++)
		seen.hash = base_hash_pair(pd_view_u64(&sample->callchain, i), seen.hash);
	assert_true(pd_vec_push(&list->seen, seen));
}

static int compare(const void *a, const void *b)
{
	const struct seen *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return (x->tid > y->tid) - (x->tid < y->tid);
}

static struct pd_error *collect(void *ctx, const void *data, size_t size)
{
	bytes_add(ctx, data, size);
	return NULL;
}

static struct pd_file *open_recording(const char *name, const char **dir, char buf[static 64])
{
	struct pd_file *file;
	char path[80];

	snprintf(path, sizeof(path), "testdata/%s/perf.data", name);
	snprintf(buf, 64, "testdata/%s", strcmp(name, "compressed") ? name : "nested");
	*dir = buf;
	assert_ok(pd_file_open(path, NULL, &file));
	return file;
}

/* Read the chains that the format perfdata writes. */
static void convert(const char *name, struct list *ret)
{
	const char *dir;
	char buf[64];
	struct pd_file *file = open_recording(name, &dir, buf), *written;
	const struct pd_profile_opts opts = {
		.search = { .symfs = "/proc/fs", .dirs = &dir, .n_dirs = 1 },
	};
	struct bytes out = { 0 };
	struct pd_reader *reader;
	struct pd_record rec;

	assert_ok(pd_convert(file, &opts, "perfdata", collect, &out, NULL));
	assert_ok(pd_file_open_memory("written", out.data, out.n, NULL, &written));
	assert_ok(pd_reader_create(written, PD_ORDER_TIME, &reader));
	for (;;) {
		struct pd_sample sample;
		const char *field;

		assert_ok(pd_reader_next(reader, &rec));
		if (!rec.bytes)
			break;
		if (rec.type != PD_RECORD_SAMPLE)
			continue;
		const struct pd_event *event = pd_events_find(&written->events, &rec);
		assert_int_equal(
			pd_sample_decode(&event->plan, &rec, &sample, &field), PD_SAMPLE_OK);
		add_seen(ret, &sample);
	}
	pd_reader_destroy(reader);
	pd_file_close(written);
	pd_file_close(file);
	free(out.data);
}

static struct pd_error *take(void *ctx, const uint8_t *record, size_t size)
{
	struct list *list = ctx;
	struct cap_record_header {
		uint32_t type;
		uint16_t misc;
		uint16_t size;
	} header;
	struct pd_sample sample;
	const char *field;

	memcpy(&header, record, sizeof(header));
	assert_int_equal(header.size, size);
	const struct pd_record rec = {
		.type = header.type, .misc = header.misc, .size = header.size, .bytes = record
	};
	if (rec.type != PD_RECORD_SAMPLE) {
		list->n_others++;
		return NULL;
	}
	assert_int_equal(pd_sample_decode(list->plan, &rec, &sample, &field), PD_SAMPLE_OK);
	assert_true(sample.time >= list->last_time);
	list->last_time = sample.time;
	add_seen(list, &sample);
	return NULL;
}

/* Collect the chains that a recorder would write. Returns the number of records that were read. */
static size_t replay(const char *name, struct list *ret)
{
	const char *dir;
	char buf[64];
	struct pd_file *file = open_recording(name, &dir, buf);
	const struct pd_unwinder_opts opts = {
		.is_offline = true,
		.search = { .symfs = "/proc/fs", .dirs = &dir, .n_dirs = 1 },
	};
	struct pd_attr attr = file->events.list.data[0].attr;
	struct api_live_chains *chains;
	struct cap_unwound *unwound;
	struct pd_reader *reader;
	struct pd_record rec;
	struct pd_plan plan;
	size_t n = 0;

	parse_attr_splice(&attr);
	pd_plan_compile(&attr, &plan);
	ret->plan = &plan;
	assert_ok(api_live_chains_create(&opts, &chains));
	const struct cap_unwinder unwinder = api_live_chains_unwinder(chains);
	assert_ok(cap_unwound_create(&unwinder, &file->events, &unwound));
	assert_ok(pd_reader_create(file, PD_ORDER_FILE, &reader));
	for (;;) {
		assert_ok(pd_reader_next(reader, &rec));
		if (!rec.bytes)
			break;
		if (rec.type == PD_RECORD_FINISHED_ROUND)
			assert_ok(cap_unwound_round(unwound, false, take, ret));
		if (rec.type >= PD_RECORD_FIRST_TOOL)
			continue;
		assert_ok(cap_unwound_add(unwound, rec.bytes, rec.size));
		n++;
	}
	assert_ok(cap_unwound_round(unwound, true, take, ret));
	assert_int_equal(cap_unwound_counts(unwound)->n_left_out, 0);
	pd_reader_destroy(reader);
	cap_unwound_destroy(unwound);
	api_live_chains_destroy(chains);
	pd_file_close(file);
	return n;
}

static void test_chains_are_those_of_perfdata(void **state)
{
	(void)state;
	for (size_t i = 0; i < N_RECORDINGS; i++) {
		const char *name = recording_names[i];
		struct list expected = { 0 }, found = { 0 };

		/* It has no stacks. */
		if (strcmp(name, "fp") == 0)
			continue;
		convert(name, &expected);
		size_t n = replay(name, &found);
		assert_true(expected.seen.n > 10);
		assert_int_equal(found.seen.n, expected.seen.n);
		assert_int_equal(found.seen.n + found.n_others, n);
		qsort(expected.seen.data, expected.seen.n, sizeof(expected.seen.data[0]), compare);
		qsort(found.seen.data, found.seen.n, sizeof(found.seen.data[0]), compare);
		for (size_t k = 0; k < found.seen.n; k++) {
			const struct seen *a = &expected.seen.data[k], *b = &found.seen.data[k];

			assert_int_equal(a->time, b->time);
			assert_int_equal(a->tid, b->tid);
			assert_int_equal(a->n, b->n);
			assert_true(a->hash == b->hash);
		}
		pd_vec_deinit(&expected.seen);
		pd_vec_deinit(&found.seen);
	}
}

/* Damaged samples may hold a stack, so they are not passed on. */
static void test_leaves_out_damage(void **state)
{
	const char *dir;
	char buf[64];
	struct pd_file *file = open_recording("nested", &dir, buf);
	struct api_live_chains *chains;
	struct cap_unwound *unwound;
	struct pd_reader *reader;
	struct list list = { 0 };
	struct pd_record rec;
	uint8_t bytes[1 << 16];

	(void)state;
	assert_ok(
		api_live_chains_create(&(struct pd_unwinder_opts){ .is_offline = true }, &chains));
	const struct cap_unwinder unwinder = api_live_chains_unwinder(chains);
	assert_ok(cap_unwound_create(&unwinder, &file->events, &unwound));
	assert_ok(pd_reader_create(file, PD_ORDER_FILE, &reader));
	do
		assert_ok(pd_reader_next(reader, &rec));
	while (rec.type != PD_RECORD_SAMPLE);
	/* Its stack ends after the record. */
	uint16_t size = (uint16_t)(rec.size - 64);
	memcpy(bytes, rec.bytes, rec.size);
	memcpy(bytes + 6, &size, sizeof(size));
	assert_ok(cap_unwound_add(unwound, bytes, size));
	assert_ok(cap_unwound_round(unwound, true, take, &list));
	assert_int_equal(cap_unwound_counts(unwound)->n_left_out, 1);
	assert_int_equal(list.seen.n + list.n_others, 0);
	/* Bytes that are not records. */
	struct pd_error *err = cap_unwound_add(unwound, bytes, 12);
	assert_non_null(err);
	assert_int_equal(err->code, PD_ERROR_FORMAT);
	pd_error_destroy(err);
	pd_reader_destroy(reader);
	cap_unwound_destroy(unwound);
	api_live_chains_destroy(chains);
	pd_file_close(file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_chains_are_those_of_perfdata),
		cmocka_unit_test(test_leaves_out_damage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

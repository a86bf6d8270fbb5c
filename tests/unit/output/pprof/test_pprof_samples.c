/*
 * Samples and locations of pprof are encoded without protobuf-c: its decoder must read them as they
 * were, and its encoder must make the same bytes.
 */
#include <pdconv/record.h>
#include <zlib.h>

#include "base/array.h"
#include "base/protobuf.h"
#include "output/formats.h"
#include "output/pprof/profile.pb-c.h"
#include "tests/unit/made_profile.h"

enum { N_SAMPLES = 400, N_EVENTS = 3, N_THREADS = 5, LONGEST = 300 };

static struct prof_frame_id frame_at(struct profile *profile, uint64_t addr)
{
	const struct prof_frame frame = {
		.addr = addr,
		.binary = made_binary(profile, "/bin/a"),
		.flags = addr % 3 ? 0 : PROF_FRAME_BY_FP,
	};

	return prof_add_frame(profile, &frame);
}

static struct prof_tags_id tags_of(struct profile *profile, uint32_t i)
{
	const struct prof_tags tags = {
		.cpu = i % 4 ? PROF_NONE : i,
		.cgroup = prof_add_string(profile, i % 5 ? "" : "/slice"),
		.labels = prof_no_labels(),
	};

	return i % 2 ? prof_no_tags() : prof_add_tags(profile, &tags);
}

/* A sample whose parts depend on i, some of them with no or with the largest numbers. */
static void add_sample(struct profile *profile, uint32_t i)
{
	struct prof_frame_id frames[LONGEST];
	uint32_t n = i % LONGEST;
	const struct prof_thread thread = made_thread(profile,
		i % N_THREADS ? i % N_THREADS : UINT32_MAX, i % 2 * 70000, i % 3 ? "comm" : "");
	const struct prof_value value = { i % 7, UINT64_MAX >> i % 64 };

	for (uint32_t k = 0; k < n; k++)
		frames[k] = frame_at(profile, 1 + (i * k) % 500);
	const struct prof_sample sample = {
		.stack = prof_add_stack(profile, frames, n),
		.thread = prof_add_thread(profile, &thread),
		.event = { i % N_EVENTS },
		.end = i % (PD_N_UNWIND_ENDS + 1),
		.tags = tags_of(profile, i),
	};
	uint64_t time = i % 3 ? PD_NO_TIME : (uint64_t)i << 50;
	assert_ok(prof_add_samples(profile, &sample, time, &value, NULL));
}

/* Name the frames: each has up to three functions, some of them with the largest line number. */
static void name_frames(struct profile *profile)
{
	for (uint32_t i = 0; i < profile->frames.n; i++) {
		const struct prof_lines lines = { (uint32_t)profile->lines.n, i % 4 };

		assert_true(pd_vec_push(&profile->frame_lines, lines));
		for (uint32_t k = 0; k < lines.n; k++) {
			const struct prof_function function = {
				.name = prof_add_string(profile, "work"),
				.start_line = i % 200 + k,
			};
			const struct prof_line line = {
				prof_add_function(profile, &function),
				i % 3 ? i : i % 2 * UINT32_MAX,
				0,
			};

			assert_true(pd_vec_push(&profile->lines, line));
		}
	}
}

static struct profile *make(void)
{
	struct profile *profile;

	assert_ok(prof_create(&profile));
	for (unsigned i = 0; i < N_EVENTS; i++)
		made_event(profile, (const char *[]){ "a", "b", "c" }[i], "count");
	for (uint32_t i = 0; i < N_SAMPLES; i++)
		add_sample(profile, i);
	name_frames(profile);
	return profile;
}

/* Write the profile with two labels that all samples have. The caller frees the result. */
static uint8_t *write_plain(const struct profile *profile, size_t *n_ret)
{
	const struct pd_tag labels[] = { { "build", "7" }, { "empty", "" } };
	const struct out_write_opts opts = {
		.event = prof_no_event(),
		.input = "x",
		.jobs = 1,
		.pprof = { .labels = labels, .n_labels = PD_ARRAY_LEN(labels) },
	};
	char *packed = NULL;
	size_t n_packed = 0;
	FILE *out = open_memstream(&packed, &n_packed);
	enum { ROOM = 16 << 20 };
	uint8_t *plain = malloc(ROOM);

	assert_ok(out_format_find("pprof")->write(profile, &opts, out));
	fclose(out);
	z_stream z = { .next_in = (uint8_t *)packed,
		.avail_in = (uInt)n_packed,
		.next_out = plain,
		.avail_out = ROOM };
	assert_int_equal(inflateInit2(&z, 32 + MAX_WBITS), Z_OK);
	assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END);
	inflateEnd(&z);
	free(packed);
	*n_ret = z.total_out;
	return plain;
}

/* Find the label @p key; NULL if the sample does not have it. */
static const Pprof__Label *label(
	const Pprof__Profile *p, const Pprof__Sample *sample, const char *key)
{
	for (size_t i = 0; i < sample->n_label; i++) {
		if (strcmp(p->string_table[sample->label[i]->key], key) == 0)
			return sample->label[i];
	}
	return NULL;
}

static void check_text(
	const Pprof__Profile *p, const Pprof__Sample *sample, const char *key, const char *text)
{
	const Pprof__Label *found = label(p, sample, key);

	assert_int_equal(!found, !*text);
	if (found)
		assert_string_equal(p->string_table[found->str], text);
}

static void check_number(const Pprof__Profile *p, const Pprof__Sample *sample, const char *key,
	bool is_there, int64_t number)
{
	const Pprof__Label *found = label(p, sample, key);

	assert_int_equal(!found, !is_there);
	if (found)
		assert_true(found->num == number && !found->str);
}

static void check_labels(const Pprof__Profile *p, const Pprof__Sample *entry,
	const struct profile *profile, struct prof_sample_id id, uint32_t n_by_fp)
{
	const struct prof_sample *sample = prof_sample(profile, id);
	uint64_t time = prof_sample_time(profile, id);
	const struct prof_thread *thread = prof_thread(profile, sample->thread);
	const struct prof_tags *tags = prof_tags(profile, sample->tags);
	bool has_end = sample->end != PD_N_UNWIND_ENDS && sample->end != PD_UNWIND_END_ROOT;

	assert_string_equal(p->string_table[label(p, entry, "build")->str], "7");
	assert_int_equal(label(p, entry, "empty")->str, 0);
	check_text(p, entry, "comm", prof_string(profile, thread->comm));
	check_number(p, entry, "pid", true, (int32_t)thread->pid);
	check_number(p, entry, "tid", true, (int32_t)thread->tid);
	check_number(p, entry, "cpu", tags && tags->cpu != PROF_NONE, tags ? tags->cpu : 0);
	check_number(p, entry, "time", time != PD_NO_TIME, (int64_t)time);
	check_text(p, entry, "cgroup", tags ? prof_string(profile, tags->cgroup) : "");
	check_text(p, entry, "stack_end",
		has_end ? pd_unwind_end_text((enum pd_unwind_end)sample->end) : "");
	check_number(p, entry, "frames_by_frame_pointer", n_by_fp, n_by_fp);
}

static void check_sample(
	const Pprof__Profile *p, const struct profile *profile, struct prof_sample_id id)
{
	const Pprof__Sample *entry = p->sample[id.i];
	const struct prof_sample *sample = prof_sample(profile, id);
	const struct prof_value *value = prof_value(profile, id);
	uint32_t n, n_by_fp = 0;
	const struct prof_frame_id *frames = prof_stack(profile, sample->stack, &n);

	assert_int_equal(entry->n_location_id, n);
	for (uint32_t i = 0; i < n; i++) {
		/* All frames have samples, so locations have the order of frames. */
		assert_int_equal(entry->location_id[i], frames[i].i + 1);
		n_by_fp += prof_frame(profile, frames[i])->flags == PROF_FRAME_BY_FP;
	}
	assert_int_equal(entry->n_value, 2 * N_EVENTS);
	for (uint32_t i = 0; i < N_EVENTS; i++) {
		bool is_own = i == sample->event.i;

		assert_true((uint64_t)entry->value[2 * i] == (is_own ? value->samples : 0));
		assert_true((uint64_t)entry->value[2 * i + 1] == (is_own ? value->period : 0));
	}
	check_labels(p, entry, profile, id, n_by_fp);
}

static uint64_t read_number(const uint8_t **at)
{
	uint64_t value = 0;

	for (unsigned shift = 0;; shift += 7) {
		uint8_t byte = *(*at)++;

		value |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			return value;
	}
}

static void check_location(
	const Pprof__Profile *p, const struct profile *profile, struct prof_frame_id id)
{
	const Pprof__Location *entry = p->location[id.i];
	uint32_t n;
	const struct prof_line *lines = prof_frame_lines(profile, id, &n);

	assert_int_equal(entry->id, id.i + 1);
	assert_true(entry->address == prof_frame(profile, id)->addr);
	assert_int_equal(entry->mapping_id, 1);
	assert_int_equal(entry->n_line, n);
	for (uint32_t i = 0; i < n; i++) {
		/* All functions have frames, so they have the order of functions. */
		assert_int_equal(entry->line[i]->function_id, lines[i].function.i + 1);
		assert_int_equal(entry->line[i]->line, lines[i].line);
	}
}

/* Compare the bytes of each sample and location with those of protobuf-c. */
static void check_bytes(const Pprof__Profile *p, const uint8_t *plain, size_t n)
{
	enum { SAMPLE_TAG = 2 << 3 | BASE_PROTO_LEN, LOCATION_TAG = 4 << 3 | BASE_PROTO_LEN };
	const uint8_t *at = plain;
	size_t n_seen = 0, n_locations = 0;

	while (at < plain + n) {
		uint64_t tag = read_number(&at);
		uint64_t number = read_number(&at);
		uint8_t packed[16384];

		if ((tag & 7) != BASE_PROTO_LEN)
			continue;
		if (tag == SAMPLE_TAG) {
			const Pprof__Sample *sample = p->sample[n_seen++];

			assert_true(pprof__sample__get_packed_size(sample) <= sizeof(packed));
			assert_int_equal(pprof__sample__pack(sample, packed), number);
			assert_memory_equal(at, packed, number);
		}
		if (tag == LOCATION_TAG) {
			const Pprof__Location *location = p->location[n_locations++];

			assert_true(pprof__location__get_packed_size(location) <= sizeof(packed));
			assert_int_equal(pprof__location__pack(location, packed), number);
			assert_memory_equal(at, packed, number);
		}
		at += number;
	}
	assert_int_equal(n_seen, p->n_sample);
	assert_int_equal(n_locations, p->n_location);
}

static void are_read_by_protobuf(void **state)
{
	struct profile *profile = make();
	size_t n;
	uint8_t *plain = write_plain(profile, &n);
	Pprof__Profile *p = pprof__profile__unpack(NULL, n, plain);

	(void)state;
	assert_non_null(p);
	assert_int_equal(p->n_sample, profile->samples.n);
	for (struct prof_sample_id id = { 0 }; id.i < profile->samples.n; id.i++)
		check_sample(p, profile, id);
	assert_int_equal(p->n_location, profile->frames.n);
	for (struct prof_frame_id id = { 0 }; id.i < profile->frames.n; id.i++)
		check_location(p, profile, id);
	check_bytes(p, plain, n);
	pprof__profile__free_unpacked(p, NULL);
	free(plain);
	prof_destroy(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(are_read_by_protobuf),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

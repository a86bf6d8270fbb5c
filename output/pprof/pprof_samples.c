/*
 * Samples of the Profile message, and their labels.
 *
 * A recording may have millions of samples, so they are encoded here, without the structs of
 * protobuf-c. The fields are those of Sample and Label in output/pprof/profile.proto; a unit test
 * decodes the result with protobuf-c. Numbers that are 0 are left out, as proto3 requires.
 */
#include "output/pprof/pprof_samples.h"

#include <stdlib.h>
#include <string.h>

#include <pdconv/record.h>

#include "base/array.h"
#include "base/prefetch.h"
#include "base/protobuf.h"
#include "profile/ahead.h"

/* Labels that a sample may have: T(key, unit of its number or NULL). */
#define LABELS(T) \
	T(comm, NULL) \
	T(pid, NULL) \
	T(tid, NULL) \
	T(cpu, NULL) \
	T(cgroup, NULL) \
	T(time, "nanoseconds") \
	T(parallelism, NULL) \
	T(input, NULL) \
	T(event, NULL) \
	T(stack_end, NULL) \
	T(frames_by_frame_pointer, NULL)

enum label {
#define LABEL_ENUM(key, unit) LABEL_##key,
	LABELS(LABEL_ENUM)
#undef LABEL_ENUM
		N_LABELS
};

/* Encoded labels of a thread, in samples.encoded. */
struct thread_labels {
	uint32_t offset;
	/** 0: they were not encoded yet. */
	uint32_t size;
};

struct samples {
	struct pprof_writer *w;
	/** String numbers of keys, units and unwind ends. */
	int64_t keys[N_LABELS];
	int64_t units[N_LABELS];
	int64_t ends[PD_N_UNWIND_ENDS];
	/**
	 * Bitmap indexed by frame: found by frame pointer only. Checking all frames of all stacks
	 * is faster in a bitmap than in the frames themselves.
	 */
	uint64_t *is_by_fp;
	/** The bitmap has a bit that is set. */
	bool has_by_fp;
	PD_VEC(uint32_t) locations;
	/** Labels that all samples have, as options give them. */
	PD_VEC(uint8_t) shared;
	/** Labels of threads, which begin with the shared ones; indexed by thread. */
	struct thread_labels *threads;
	PD_VEC(uint8_t) encoded;
	/** Labels of the current sample, after those of its thread. */
	PD_VEC(uint8_t) labels;
	/** Most bytes of these labels. */
	size_t most;
};

/* Numbers of fields, from 1. */
enum {
	PROFILE_SAMPLE = 2,
	SAMPLE_LOCATION_ID = 1,
	SAMPLE_VALUE = 2,
	SAMPLE_LABEL = 3,
	LABEL_KEY_FIELD = 1,
	LABEL_STR_FIELD = 2,
	LABEL_NUM_FIELD = 3,
	LABEL_NUM_UNIT_FIELD = 4,
	/** Most bytes of a label: its tag and size, and four numbers. */
	LABEL_BYTES = 2 + 4 * BASE_PROTO_NUMBER_BYTES,
};

static void name_labels(struct samples *s)
{
	static const char *const keys[] = {
#define LABEL_KEY(key, unit) #key,
		LABELS(LABEL_KEY)
	};
	static const char *const units[] = {
#define LABEL_UNIT(key, unit) unit,
		LABELS(LABEL_UNIT)
	};

	for (size_t i = 0; i < N_LABELS; i++) {
		s->keys[i] = pprof_text(s->w, keys[i]);
		s->units[i] = units[i] ? pprof_text(s->w, units[i]) : 0;
	}
	for (size_t i = 0; i < PD_N_UNWIND_ENDS; i++)
		s->ends[i] = pprof_text(s->w, pd_unwind_end_text((enum pd_unwind_end)i));
}

static bool list_by_fp(struct samples *s)
{
	const struct profile *profile = s->w->profile;

	s->is_by_fp = calloc(profile->frames.n / 64 + 1, sizeof(*s->is_by_fp));
	for (struct prof_frame_id id = { 0 }; s->is_by_fp && id.i < profile->frames.n; id.i++) {
		if (!(prof_frame(profile, id)->flags & PROF_FRAME_BY_FP))
			continue;
		s->is_by_fp[id.i / 64] |= UINT64_C(1) << id.i % 64;
		s->has_by_fp = true;
	}
	return s->is_by_fp;
}

/* Return the largest number of labels that a recording gives to its samples. */
static size_t most_recorded(const struct profile *profile)
{
	size_t most = 0;

	for (struct prof_labels_id id = { 0 }; id.i < profile->labels.n; id.i++) {
		uint32_t n;

		prof_labels(profile, id, &n);
		most = n / 2 > most ? n / 2 : most;
	}
	return most;
}

struct label_fields {
	int64_t key;
	int64_t str;
	int64_t num;
	int64_t num_unit;
};

/* Encode a label at @p to, which has room for LABEL_BYTES. Return its end. */
static uint8_t *encode_label(uint8_t *to, const struct label_fields *label)
{
	uint8_t *start = to + 2, *at = start;

	at = base_proto_int64(at, LABEL_KEY_FIELD, label->key);
	at = base_proto_int64(at, LABEL_STR_FIELD, label->str);
	at = base_proto_int64(at, LABEL_NUM_FIELD, label->num);
	at = base_proto_int64(at, LABEL_NUM_UNIT_FIELD, label->num_unit);
	/* Four numbers take 44 bytes at most, so the size is a single byte. */
	to[0] = base_proto_tag(SAMPLE_LABEL, BASE_PROTO_LEN);
	to[1] = (uint8_t)(at - start);
	return at;
}

/* Append a label to the current list, which has room for it. */
static void add(struct samples *s, const struct label_fields *label)
{
	s->labels.n = (size_t)(encode_label(s->labels.data + s->labels.n, label) - s->labels.data);
}

static void add_number(struct samples *s, enum label label, int64_t num)
{
	add(s, &(struct label_fields){ s->keys[label], .num = num, .num_unit = s->units[label] });
}

/* String 0 is "", which stands for a label that the sample does not have. */
static void add_text(struct samples *s, enum label label, int64_t string)
{
	if (string)
		add(s, &(struct label_fields){
			       s->keys[label], .str = string, .num_unit = s->units[label] });
}

/* Encode the labels that all samples share. */
static bool set_up_shared(struct samples *s)
{
	const struct out_pprof_opts *opts = s->w->opts;

	if (!pd_vec_reserve(&s->shared, opts->n_labels * LABEL_BYTES))
		return false;
	for (size_t i = 0; i < opts->n_labels; i++) {
		const struct label_fields label = {
			.key = pprof_text(s->w, opts->labels[i].key),
			.str = pprof_text(s->w, opts->labels[i].value),
		};
		uint8_t *to = s->shared.data + s->shared.n;

		s->shared.n += (size_t)(encode_label(to, &label) - to);
	}
	return true;
}

static bool set_up(struct samples *s)
{
	const struct profile *profile = s->w->profile;

	name_labels(s);
	s->most = (N_LABELS + most_recorded(profile)) * LABEL_BYTES;
	s->threads = base_calloc_n(profile->threads.n, sizeof(*s->threads));
	return s->threads && list_by_fp(s) && pd_vec_reserve(&s->labels, s->most) &&
	       set_up_shared(s);
}

/* Whether an option sets the label @p key, which overrides the label in the recording. */
static bool is_given(const struct samples *s, const char *key)
{
	const struct out_pprof_opts *opts = s->w->opts;

	for (size_t i = 0; i < opts->n_labels; i++) {
		if (strcmp(opts->labels[i].key, key) == 0)
			return true;
	}
	return false;
}

static void add_recorded(struct samples *s, struct prof_labels_id labels)
{
	const struct profile *profile = s->w->profile;
	uint32_t n;
	const struct prof_string_id *texts = prof_labels(profile, labels, &n);

	/* Keys and values alternate. */
	for (uint32_t i = 0; i < n; i += 2) {
		if (!is_given(s, prof_string(profile, texts[i])))
			add(s, &(struct label_fields){ texts[i].i, .str = texts[i + 1].i });
	}
}

static void add_tags(struct samples *s, struct prof_sample_id id)
{
	const struct prof_tags none = { .cpu = PROF_NONE, .labels = prof_no_labels() };
	const struct profile *profile = s->w->profile;
	const struct prof_tags *tags = prof_tags(profile, prof_sample(profile, id)->tags);
	uint64_t time = prof_sample_time(profile, id);

	tags = tags ? tags : &none;
	if (!prof_is_none(tags->labels))
		add_recorded(s, tags->labels);
	if (tags->cpu != PROF_NONE)
		add_number(s, LABEL_cpu, tags->cpu);
	add_text(s, LABEL_cgroup, tags->cgroup.i);
	if (time != PD_NO_TIME)
		add_number(s, LABEL_time, (int64_t)time);
	if (tags->parallelism)
		add_number(s, LABEL_parallelism, tags->parallelism);
	add_text(s, LABEL_input, tags->input.i);
}

/* Count the frames that were found by frame pointer only. */
static uint32_t count_by_fp(const struct samples *s, const struct prof_frame_id *frames, uint32_t n)
{
	uint32_t n_by_fp = 0;

	for (uint32_t i = 0; i < n && s->has_by_fp; i++)
		n_by_fp += s->is_by_fp[frames[i].i / 64] >> frames[i].i % 64 & 1;
	return n_by_fp;
}

/* Label stacks that are incomplete, or that contain frames found by frame pointer only. */
static void add_quality(struct samples *s, const struct prof_sample *sample,
	const struct prof_frame_id *frames, uint32_t n)
{
	uint32_t n_by_fp = count_by_fp(s, frames, n);

	if (sample->end != PD_N_UNWIND_ENDS && sample->end != PD_UNWIND_END_ROOT)
		add_text(s, LABEL_stack_end, s->ends[sample->end]);
	if (n_by_fp)
		add_number(s, LABEL_frames_by_frame_pointer, n_by_fp);
}

static bool append(struct samples *s, const uint8_t *bytes, size_t n)
{
	if (!pd_vec_reserve(&s->encoded, s->encoded.n + n))
		return false;
	if (n)
		memcpy(s->encoded.data + s->encoded.n, bytes, n);
	s->encoded.n += n;
	return true;
}

/* Encode the labels of a thread when its first sample is written. NULL: no memory. */
static const struct thread_labels *find_thread(struct samples *s, struct prof_thread_id id)
{
	struct thread_labels *labels = &s->threads[id.i];
	const struct prof_thread *thread = prof_thread(s->w->profile, id);

	if (labels->size)
		return labels;
	s->labels.n = 0;
	add_text(s, LABEL_comm, thread->comm.i);
	add_number(s, LABEL_pid, (int32_t)thread->pid);
	add_number(s, LABEL_tid, (int32_t)thread->tid);
	size_t offset = s->encoded.n;
	if (!append(s, s->shared.data, s->shared.n) || !append(s, s->labels.data, s->labels.n) ||
		s->encoded.n > UINT32_MAX)
		return NULL;
	*labels = (struct thread_labels){ (uint32_t)offset, (uint32_t)(s->encoded.n - offset) };
	return labels;
}

/* Encode the labels of a sample after those of its thread. */
static void add_labels(
	struct samples *s, struct prof_sample_id id, const struct prof_frame_id *frames, uint32_t n)
{
	const struct profile *profile = s->w->profile;
	const struct prof_sample *sample = prof_sample(profile, id);

	s->labels.n = 0;
	add_tags(s, id);
	if (s->w->labels_events)
		add_text(s, LABEL_event, prof_event(profile, sample->event)->name.i);
	add_quality(s, sample, frames, n);
}

/* Look up the locations of a stack, and the number of bytes that they take. */
static bool find_locations(
	struct samples *s, const struct prof_frame_id *frames, uint32_t n, size_t *size_ret)
{
	size_t size = 0;

	if (!pd_vec_reserve(&s->locations, n))
		return false;
	for (uint32_t i = 0; i < n; i++) {
		s->locations.data[i] = s->w->location_ids[frames[i].i];
		size += base_varint_size(s->locations.data[i]);
	}
	*size_ret = size;
	return true;
}

static uint8_t *put_locations(uint8_t *at, const struct samples *s, uint32_t n, size_t size)
{
	if (!n)
		return at;
	at = base_proto_len(at, SAMPLE_LOCATION_ID, size);
	for (uint32_t i = 0; i < n; i++)
		at = base_varint(at, s->locations.data[i]);
	return at;
}

/* Number of bytes of the values: all are 0 except for the two of the event of the sample. */
static size_t values_size(const struct pprof_writer *w, const struct prof_value *value)
{
	return w->n_values - 2 + base_varint_size(value->samples) + base_varint_size(value->period);
}

static uint8_t *put_values(
	uint8_t *at, const struct pprof_writer *w, const struct prof_value *value, uint32_t first)
{
	at = base_proto_len(at, SAMPLE_VALUE, values_size(w, value));
	memset(at, 0, first);
	at = base_varint(at + first, value->samples);
	at = base_varint(at, value->period);
	memset(at, 0, w->n_values - 2 - first);
	return at + (w->n_values - 2 - first);
}

static uint8_t *put_bytes(uint8_t *at, const uint8_t *bytes, size_t n)
{
	if (n)
		memcpy(at, bytes, n);
	return at + n;
}

/* Start to load what the samples after @p id need: stacks, and the locations of their leaves. */
static void load_ahead(const struct samples *s, struct prof_sample_id id)
{
	enum { LEAF = 8 };
	const struct profile *profile = s->w->profile;
	const struct prof_frame_id *frames;
	uint32_t n;

	prof_load_stacks_after(profile, id);
	if (profile->samples.n - id.i <= LEAF)
		return;
	frames = prof_stack(profile, profile->samples.data[id.i + LEAF].stack, &n);
	if (n)
		base_prefetch(&s->w->location_ids[frames[0].i]);
}

static bool put_sample(struct samples *s, struct prof_sample_id id)
{
	struct pprof_writer *w = s->w;
	const struct prof_sample *sample = prof_sample(w->profile, id);
	const struct prof_value *value = prof_value(w->profile, id);
	uint32_t n;
	const struct prof_frame_id *frames = prof_stack(w->profile, sample->stack, &n);
	const struct thread_labels *thread = find_thread(s, sample->thread);
	size_t n_locations;

	if (!thread || !find_locations(s, frames, n, &n_locations))
		return false;
	add_labels(s, id, frames, n);
	size_t n_values = values_size(w, value);
	size_t size = (n ? base_proto_len_size(n_locations) : 0) + base_proto_len_size(n_values) +
		      thread->size + s->labels.n;
	if (!pd_vec_reserve(&w->buffer, base_proto_len_size(size)))
		return false;
	uint8_t *at = base_proto_len(w->buffer.data, PROFILE_SAMPLE, size);
	at = put_locations(at, s, n, n_locations);
	at = put_values(at, w, value, w->value_index[sample->event.i]);
	at = put_bytes(at, s->encoded.data + thread->offset, thread->size);
	at = put_bytes(at, s->labels.data, s->labels.n);
	out_gzip_write(w->gzip, w->buffer.data, (size_t)(at - w->buffer.data));
	return true;
}

void pprof_put_samples(struct pprof_writer *w)
{
	struct samples s = { .w = w };

	if (!set_up(&s))
		w->no_memory = true;
	for (struct prof_sample_id id = { 0 }; id.i < w->profile->samples.n && !w->no_memory;
		id.i++) {
		load_ahead(&s, id);
		w->no_memory = !put_sample(&s, id);
	}
	free(s.is_by_fp);
	free(s.threads);
	pd_vec_deinit(&s.locations);
	pd_vec_deinit(&s.shared);
	pd_vec_deinit(&s.encoded);
	pd_vec_deinit(&s.labels);
}

/*
 * Samples of the format otlp. Those with the same stack and attributes are one Sample message with
 * a value, and if known a time, for each of them.
 */
#include <stdlib.h>
#include <string.h>

#include <pdconv/record.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/format.h"
#include "output/otlp/otlp.h"
#include "profile/ahead.h"

/* Attributes of samples: A(name, "key"), semantic conventions 1.37. */
#define ATTRIBUTES(A) \
	A(PID, "process.pid") \
	A(EXECUTABLE_NAME, "process.executable.name") \
	A(EXECUTABLE_PATH, "process.executable.path") \
	A(TID, "thread.id") \
	A(COMM, "thread.name") \
	A(CPU, "cpu.logical_number") \
	A(CGROUP, "process.linux.cgroup") \
	A(CONTAINER, "container.id") \
	A(INPUT, "pdconv.input")

enum attribute {
#define ATTRIBUTE_ENUM(name, key) ATTRIBUTE_##name,
	ATTRIBUTES(ATTRIBUTE_ENUM)
#undef ATTRIBUTE_ENUM
		N_ATTRIBUTES,
};

static const char *const attribute_keys[] = {
#define ATTRIBUTE_KEY(name, key) key,
	ATTRIBUTES(ATTRIBUTE_KEY)
#undef ATTRIBUTE_KEY
};

/* Append the index of an attribute. */
static void put_index(struct otlp_samples *s, uint32_t index)
{
	if (!pd_vec_reserve(&s->encoded, s->encoded.n + BASE_VARINT_BYTES)) {
		s->no_memory = true;
		return;
	}
	uint8_t *end = base_varint(s->encoded.data + s->encoded.n, index);
	s->encoded.n = (size_t)(end - s->encoded.data);
}

static void put_text(struct otlp_samples *s, enum attribute attribute, const char *text)
{
	if (*text)
		put_index(s, otlp_text_attribute(s->dictionary, attribute_keys[attribute], text));
}

/* A number is negative if it is not known. */
static void put_number(struct otlp_samples *s, enum attribute attribute, int64_t number)
{
	if (number >= 0)
		put_index(s, otlp_number_attribute(
				     s->dictionary, attribute_keys[attribute], (uint64_t)number));
}

static void put_thread(struct otlp_samples *s, uint32_t id)
{
	const struct prof_thread *thread = prof_thread(s->profile, (struct prof_thread_id){ id });
	struct prof_binary_id binary = ana_executable(&s->executables, thread);

	put_number(s, ATTRIBUTE_PID, (int32_t)thread->pid);
	if (!prof_is_none(binary)) {
		put_text(s, ATTRIBUTE_EXECUTABLE_NAME, prof_binary_base(s->profile, binary));
		put_text(s, ATTRIBUTE_EXECUTABLE_PATH,
			prof_string(s->profile, prof_binary(s->profile, binary)->name));
	}
	put_number(s, ATTRIBUTE_TID, (int32_t)thread->tid);
	put_text(s, ATTRIBUTE_COMM, prof_string(s->profile, thread->comm));
}

static void put_cpu(struct otlp_samples *s, uint32_t cpu)
{
	put_number(s, ATTRIBUTE_CPU, cpu);
}

static bool is_hex(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

/*
 * Copy the id of the container from the path of its control group: the last 64 hexadecimal digits
 * in a row, as in "/docker/ID" and "/kubepods/.../cri-containerd-ID.scope". False: there is none.
 */
static bool find_container(const char *path, char ret[static 65])
{
	bool is_found = false;

	for (const char *at = path; *at;) {
		size_t n = 0;

		while (is_hex(at[n]))
			n++;
		if (n == 64) {
			memcpy(ret, at, n);
			ret[n] = '\0';
			is_found = true;
		}
		at += n ? n : 1;
	}
	return is_found;
}

static void put_cgroup(struct otlp_samples *s, uint32_t id)
{
	const char *path = prof_string(s->profile, (struct prof_string_id){ id });
	char container[65];

	put_text(s, ATTRIBUTE_CGROUP, path);
	if (find_container(path, container))
		put_text(s, ATTRIBUTE_CONTAINER, container);
}

static void put_input(struct otlp_samples *s, uint32_t id)
{
	put_text(s, ATTRIBUTE_INPUT, prof_string(s->profile, (struct prof_string_id){ id }));
}

static bool is_own_key(const char *key)
{
	for (size_t i = 0; i < N_ATTRIBUTES; i++) {
		if (strcmp(attribute_keys[i], key) == 0)
			return true;
	}
	return false;
}

static bool is_repeated(const struct prof_string_id *texts, uint32_t at)
{
	for (uint32_t i = 0; i < at; i += 2) {
		if (prof_same_string(texts[i], texts[at]))
			return true;
	}
	return false;
}

/* Put labels that the recording gives. Keys of a sample are unique, so the first one counts. */
static void put_labels(struct otlp_samples *s, uint32_t id)
{
	uint32_t n;
	const struct prof_string_id *texts =
		prof_labels(s->profile, (struct prof_labels_id){ id }, &n);

	for (uint32_t i = 0; i < n; i += 2) {
		const char *key = prof_string(s->profile, texts[i]);
		_cleanup_free_ char *other = is_own_key(key) ? base_format("label.%s", key) : NULL;

		if (!is_repeated(texts, i))
			put_index(s, otlp_text_attribute(s->dictionary, other ? other : key,
					     prof_string(s->profile, texts[i + 1])));
	}
}

/* Sources of attributes. */
enum piece { PIECE_THREAD, PIECE_CPU, PIECE_CGROUP, PIECE_INPUT, PIECE_LABELS };

/* Append the attributes of something to the buffer. They are encoded when it is first seen. */
static void add_piece(struct otlp_samples *s, enum piece piece, uint32_t id)
{
	static void (*const puts[])(struct otlp_samples * s, uint32_t id) = {
		[PIECE_THREAD] = put_thread,
		[PIECE_CPU] = put_cpu,
		[PIECE_CGROUP] = put_cgroup,
		[PIECE_INPUT] = put_input,
		[PIECE_LABELS] = put_labels,
	};
	bool is_new;
	/* Offset and number of the bytes. */
	uint64_t *known = base_map_add(&s->pieces, (uint64_t)piece << 32 | id, &is_new);

	if (known && is_new) {
		size_t before = s->encoded.n;

		puts[piece](s, id);
		*known = (uint64_t)before << 32 | (s->encoded.n - before);
	}
	if (!known || s->encoded.n > UINT32_MAX ||
		!pd_vec_reserve(&s->buffer, s->buffer.n + (uint32_t)*known + 1)) {
		s->no_memory = true;
		return;
	}
	if ((uint32_t)*known)
		memcpy(s->buffer.data + s->buffer.n, s->encoded.data + (*known >> 32),
			(uint32_t)*known);
	s->buffer.n += (uint32_t)*known;
}

static void add_attributes(struct otlp_samples *s, const struct prof_sample *sample)
{
	const struct prof_tags *tags = prof_tags(s->profile, sample->tags);

	add_piece(s, PIECE_THREAD, sample->thread.i);
	if (!tags)
		return;
	if (tags->cpu != PROF_NONE)
		add_piece(s, PIECE_CPU, tags->cpu);
	if (tags->cgroup.i)
		add_piece(s, PIECE_CGROUP, tags->cgroup.i);
	if (tags->input.i)
		add_piece(s, PIECE_INPUT, tags->input.i);
	if (!prof_is_none(tags->labels))
		add_piece(s, PIECE_LABELS, tags->labels.i);
}

/* The key of a series is an event, followed by the encoded fields that identify a sample. */
enum { EVENT_BYTES = sizeof(struct prof_event_id) };

static uint32_t find_series(struct otlp_samples *s, const struct prof_sample *sample)
{
	enum { HEAD = EVENT_BYTES + 2 * BASE_PROTO_NUMBER_BYTES };

	s->buffer.n = HEAD;
	if (!pd_vec_reserve(&s->buffer, HEAD)) {
		s->no_memory = true;
		return 0;
	}
	add_attributes(s, sample);
	uint8_t head[BASE_PROTO_NUMBER_BYTES];
	size_t n = (size_t)(base_proto_int64(head, OTLP_SAMPLE_STACK,
				    otlp_stack(s->dictionary, sample->stack)) -
			    head);
	uint8_t *end = s->buffer.data + s->buffer.n, *at = s->buffer.data + HEAD;
	if (at < end)
		at = base_proto_seal(at, end, OTLP_SAMPLE_ATTRIBUTES);
	at -= n;
	memcpy(at, head, n);
	at -= EVENT_BYTES;
	memcpy(at, &sample->event, EVENT_BYTES);
	uint32_t id = base_intern_add(&s->keys, at, (size_t)(end - at));
	s->no_memory |= id == PD_INTERN_NONE;
	return id;
}

/* Append a new series to those of its event. */
static void add_series(struct otlp_samples *s, struct prof_event_id event, uint32_t sample)
{
	uint32_t id = (uint32_t)s->series.n;
	const struct otlp_series series = { event, sample, sample, PROF_NONE };

	if (!pd_vec_push(&s->series, series)) {
		s->no_memory = true;
		return;
	}
	if (s->first_series[event.i] == PROF_NONE)
		s->first_series[event.i] = id;
	else
		s->series.data[s->last_series[event.i]].next = id;
	s->last_series[event.i] = id;
}

static uint64_t time_of(const struct otlp_samples *s, struct prof_sample_id id)
{
	const struct prof_tags *tags = prof_tags(s->profile, prof_sample(s->profile, id)->tags);

	/* Recordings that were merged have a clock each. */
	return s->zero && !(tags && tags->input.i) ? prof_sample_time(s->profile, id) : PD_NO_TIME;
}

static void note_time(struct otlp_samples *s, struct prof_sample_id id)
{
	uint64_t time = time_of(s, id);
	struct prof_event_id event = prof_sample(s->profile, id)->event;

	if (time == PD_NO_TIME) {
		s->has_times[event.i] = false;
		return;
	}
	s->first_time = time < s->first_time ? time : s->first_time;
	s->last_time = time > s->last_time ? time : s->last_time;
}

static void add_sample(struct otlp_samples *s, struct prof_sample_id id)
{
	const struct prof_sample *sample = prof_sample(s->profile, id);
	uint32_t series = find_series(s, sample);

	s->next[id.i] = PROF_NONE;
	if (s->no_memory)
		return;
	note_time(s, id);
	if (series == s->series.n) {
		add_series(s, sample->event, id.i);
		return;
	}
	s->next[s->series.data[series].last] = id.i;
	s->series.data[series].last = id.i;
}

struct pd_error *otlp_samples_init(struct otlp_samples *s, const struct profile *profile,
	struct otlp_range range, struct otlp_dictionary *dictionary)
{
	size_t n = profile->events.n;
	const struct prof_stats *stats = &profile->stats;

	*s = (struct otlp_samples){
		.dictionary = dictionary,
		.profile = profile,
		.first_series = base_calloc_n(n, sizeof(*s->first_series)),
		.last_series = base_calloc_n(n, sizeof(*s->last_series)),
		.has_times = base_calloc_n(n, sizeof(*s->has_times)),
		.next = base_calloc_n(profile->samples.n, sizeof(*s->next)),
		.first_time = UINT64_MAX,
	};
	if (profile->about.start_ns && stats->first_ns)
		s->zero = profile->about.start_ns - stats->first_ns;
	if (!s->first_series || !s->last_series || !s->has_times || !s->next)
		return &pd_enomem;
	struct pd_error *err = ana_executables_init(&s->executables, profile);
	if (err)
		return err;
	for (size_t i = 0; i < n; i++) {
		s->first_series[i] = PROF_NONE;
		s->has_times[i] = true;
	}
	for (struct prof_sample_id id = { range.first }; id.i < range.end && !s->no_memory;
		id.i++) {
		prof_load_stacks_after(profile, id);
		add_sample(s, id);
	}
	return s->no_memory || dictionary->no_memory ? &pd_enomem : NULL;
}

void otlp_samples_deinit(struct otlp_samples *s)
{
	ana_executables_deinit(&s->executables);
	base_intern_deinit(&s->keys);
	pd_vec_deinit(&s->series);
	free(s->first_series);
	free(s->last_series);
	free(s->next);
	free(s->has_times);
	pd_vec_deinit(&s->encoded);
	base_map_deinit(&s->pieces);
	pd_vec_deinit(&s->buffer);
}

/* Encode the sum of a series, for which there is room. */
static uint8_t *put_sum(
	uint8_t *at, const struct otlp_samples *s, uint32_t first, enum otlp_values values)
{
	uint64_t sum = 0;

	for (uint32_t i = first; i != PROF_NONE; i = s->next[i]) {
		const struct prof_value *value = &s->profile->values.data[i];

		sum += values == OTLP_COUNTS ? value->samples : value->period;
	}
	at = base_proto_len(at, OTLP_SAMPLE_VALUES, base_varint_size(sum));
	return base_varint(at, sum);
}

/* Encode the period and the time of each sample of a series of @p n, for which there is room. */
static uint8_t *put_each(uint8_t *at, const struct otlp_samples *s, uint32_t first, size_t n)
{
	size_t size = 0;

	for (uint32_t i = first; i != PROF_NONE; i = s->next[i])
		size += base_varint_size(s->profile->values.data[i].period);
	at = base_proto_len(at, OTLP_SAMPLE_VALUES, size);
	for (uint32_t i = first; i != PROF_NONE; i = s->next[i])
		at = base_varint(at, s->profile->values.data[i].period);
	at = base_proto_len(at, OTLP_SAMPLE_TIMES, 8 * n);
	for (uint32_t i = first; i != PROF_NONE; i = s->next[i])
		at = base_fixed64(at, s->zero + time_of(s, (struct prof_sample_id){ i }));
	return at;
}

/* Encode a series in the buffer. Return its size; 0: no memory. */
static size_t encode(struct otlp_samples *s, uint32_t id, enum otlp_values values)
{
	const struct otlp_series *series = &s->series.data[id];
	size_t identity = base_intern_len(&s->keys, id) - EVENT_BYTES, n = 0;

	for (uint32_t i = series->first; i != PROF_NONE; i = s->next[i])
		n++;
	if (!pd_vec_reserve(&s->buffer,
		    identity + 2 * BASE_PROTO_NUMBER_BYTES + n * (BASE_VARINT_BYTES + 8))) {
		s->no_memory = true;
		return 0;
	}
	uint8_t *at = s->buffer.data;
	const char *key = base_intern_bytes(&s->keys, id);
	if (identity)
		memcpy(at, key + EVENT_BYTES, identity);
	at += identity;
	at = values == OTLP_PERIODS && s->has_times[series->event.i]
		     ? put_each(at, s, series->first, n)
		     : put_sum(at, s, series->first, values);
	return (size_t)(at - s->buffer.data);
}

uint64_t otlp_samples_put(struct otlp_samples *s, struct prof_event_id event,
	enum otlp_values values, struct otlp_out *out)
{
	uint64_t size = 0;

	for (uint32_t id = s->first_series[event.i]; id != PROF_NONE && !s->no_memory;
		id = s->series.data[id].next) {
		size_t n = encode(s, id, values);

		if (out && n)
			otlp_put(out, OTLP_FIELD_PROFILE_SAMPLES, s->buffer.data, n);
		size += base_proto_len_size(n);
	}
	return size;
}

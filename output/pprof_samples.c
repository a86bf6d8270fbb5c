/* Samples of the Profile message, and their labels. */
#include <stdlib.h>
#include <string.h>

#include <pdconv/record.h>

#include "output/pprof_writer.h"

/* Labels that a sample may have: T(key, unit of its number or NULL). */
#define LABELS(T) \
	T(comm, NULL) \
	T(pid, NULL) \
	T(tid, NULL) \
	T(cpu, NULL) \
	T(cgroup, NULL) \
	T(time, "nanoseconds") \
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
	PD_VEC(uint64_t) locations;
	PD_VEC(int64_t) values;
	/** Labels of the current sample. Those that all samples share come first and stay. */
	PD_VEC(Pprof__Label) labels;
	PD_VEC(Pprof__Label *) label_pointers;
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
		if (profile_frame(profile, id)->flags & PROF_FRAME_BY_FP)
			s->is_by_fp[id.i / 64] |= UINT64_C(1) << id.i % 64;
	}
	return s->is_by_fp;
}

/* Return the largest number of labels that a recording gives to its samples. */
static size_t most_recorded(const struct profile *profile)
{
	size_t most = 0;

	for (struct prof_labels_id id = { 0 }; id.i < profile->labels.n; id.i++) {
		uint32_t n;

		profile_labels(profile, id, &n);
		most = n / 2 > most ? n / 2 : most;
	}
	return most;
}

/* Make the labels that all samples share, and reserve room for the others. */
static bool set_up_labels(struct samples *s)
{
	const struct out_pprof_opts *opts = s->w->opts;
	size_t most = opts->n_labels + N_LABELS + most_recorded(s->w->profile);

	if (!pd_vec_reserve(&s->labels, most) || !pd_vec_reserve(&s->label_pointers, most))
		return false;
	for (size_t i = 0; i < most; i++) {
		pprof__label__init(&s->labels.data[i]);
		s->label_pointers.data[i] = &s->labels.data[i];
	}
	for (size_t i = 0; i < opts->n_labels; i++) {
		s->labels.data[i].key = pprof_text(s->w, opts->labels[i].key);
		s->labels.data[i].str = pprof_text(s->w, opts->labels[i].value);
	}
	return true;
}

static bool set_up(struct samples *s)
{
	name_labels(s);
	return list_by_fp(s) && pd_vec_reserve(&s->values, s->w->n_values) && set_up_labels(s);
}

static Pprof__Label *add_label(struct samples *s, enum label label)
{
	Pprof__Label *entry = &s->labels.data[s->labels.n++];

	pprof__label__init(entry);
	entry->key = s->keys[label];
	entry->num_unit = s->units[label];
	return entry;
}

/* String 0 is "", which stands for a label that the sample does not have. */
static void add_text(struct samples *s, enum label label, int64_t string)
{
	if (string)
		add_label(s, label)->str = string;
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
	const struct prof_string_id *texts = profile_labels(profile, labels, &n);

	/* Keys and values alternate. */
	for (uint32_t i = 0; i < n; i += 2) {
		Pprof__Label *entry;

		if (is_given(s, profile_string(profile, texts[i])))
			continue;
		entry = &s->labels.data[s->labels.n++];
		pprof__label__init(entry);
		entry->key = texts[i].i;
		entry->str = texts[i + 1].i;
	}
}

static void add_tags(struct samples *s, const struct prof_tags *tags)
{
	if (!tags)
		return;
	if (!prof_is_none(tags->labels))
		add_recorded(s, tags->labels);
	if (tags->cpu != PROF_NONE)
		add_label(s, LABEL_cpu)->num = tags->cpu;
	add_text(s, LABEL_cgroup, tags->cgroup.i);
	if (tags->time != PD_NO_TIME)
		add_label(s, LABEL_time)->num = (int64_t)tags->time;
	add_text(s, LABEL_input, tags->input.i);
}

/* Count the frames that were found by frame pointer only. */
static uint32_t count_by_fp(const struct samples *s, const struct prof_frame_id *frames, uint32_t n)
{
	uint32_t n_by_fp = 0;

	for (uint32_t i = 0; i < n; i++)
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
		add_label(s, LABEL_frames_by_frame_pointer)->num = n_by_fp;
}

static void add_labels(struct samples *s, const struct prof_sample *sample,
	const struct prof_frame_id *frames, uint32_t n)
{
	const struct profile *profile = s->w->profile;
	const struct prof_thread *thread = profile_thread(profile, sample->thread);

	s->labels.n = s->w->opts->n_labels;
	add_text(s, LABEL_comm, thread->comm.i);
	add_label(s, LABEL_pid)->num = (int32_t)thread->pid;
	add_label(s, LABEL_tid)->num = (int32_t)thread->tid;
	add_tags(s, profile_tags(profile, sample->tags));
	if (s->w->labels_events)
		add_text(s, LABEL_event, profile_event(profile, sample->event)->name.i);
	add_quality(s, sample, frames, n);
}

static bool add_locations(struct samples *s, const struct prof_frame_id *frames, uint32_t n)
{
	if (!pd_vec_reserve(&s->locations, n))
		return false;
	for (uint32_t i = 0; i < n; i++)
		s->locations.data[i] = s->w->location_ids[frames[i].i];
	return true;
}

static void put_sample(struct samples *s, struct prof_sample_id id)
{
	struct pprof_writer *w = s->w;
	const struct prof_sample *sample = profile_sample(w->profile, id);
	const struct prof_value *value = profile_value(w->profile, id);
	uint32_t at = w->value_index[sample->event.i];
	uint32_t n;
	const struct prof_frame_id *frames = profile_stack(w->profile, sample->stack, &n);
	Pprof__Sample entry = PPROF__SAMPLE__INIT;
	Pprof__Profile piece = PPROF__PROFILE__INIT;

	if (!add_locations(s, frames, n)) {
		w->no_memory = true;
		return;
	}
	add_labels(s, sample, frames, n);
	/* A sample has values for all events; only those of its event are not 0. */
	memset(s->values.data, 0, w->n_values * sizeof(*s->values.data));
	s->values.data[at] = (int64_t)value->samples;
	s->values.data[at + 1] = (int64_t)value->period;
	entry.location_id = s->locations.data;
	entry.n_location_id = n;
	entry.value = s->values.data;
	entry.n_value = w->n_values;
	entry.label = s->label_pointers.data;
	entry.n_label = s->labels.n;
	piece.sample = (Pprof__Sample *[]){ &entry };
	piece.n_sample = 1;
	/* An upper bound saves a pass over the message: a varint takes ten bytes at most. */
	pprof_put_within(
		w, &piece, 10 * (entry.n_location_id + entry.n_value + 6 * entry.n_label + 8));
}

void pprof_put_samples(struct pprof_writer *w)
{
	struct samples s = { .w = w };

	if (!set_up(&s))
		w->no_memory = true;
	for (struct prof_sample_id id = { 0 }; id.i < w->profile->samples.n && !w->no_memory;
		id.i++)
		put_sample(&s, id);
	free(s.is_by_fp);
	pd_vec_deinit(&s.locations);
	pd_vec_deinit(&s.values);
	pd_vec_deinit(&s.labels);
	pd_vec_deinit(&s.label_pointers);
}

#include "output/tracks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pdconv/record.h>

#include "base/analyzer.h"
#include "base/array.h"
#include "base/format.h"
#include "base/containers/intern.h"
#include "base/containers/sort.h"

/* Tracks that are being collected. */
struct collector {
	const struct profile *profile;
	struct out_tracks *tracks;
	/** struct out_track_key, in the order of first appearance. */
	struct base_intern keys;
	/** Samples in the order of time. */
	PD_VEC(struct base_keyed) order;
	/** Number of the key of each sample in order. */
	PD_VEC(uint32_t) track_of;
};

static bool sort_samples(struct collector *c)
{
	size_t n = c->profile->samples.n;

	if (!pd_vec_reserve(&c->order, n + 1) || !pd_vec_reserve(&c->track_of, n + 1) ||
		!pd_vec_reserve(&c->tracks->samples, n + 1))
		return false;
	PD_IS_TRUE(c->order.data, "it has room for n + 1 elements");
	for (struct prof_sample_id id = { 0 }; id.i < n; id.i++)
		c->order.data[id.i] = (struct base_keyed){ prof_sample_time(c->profile, id), id.i };
	c->order.n = n;
	return base_sort_keyed(c->order.data, n);
}

static struct out_track_key key_of(const struct profile *profile, const struct prof_sample *sample)
{
	const struct prof_tags *tags = prof_tags(profile, sample->tags);
	const struct prof_thread *thread = prof_thread(profile, sample->thread);

	return (struct out_track_key){
		.event = sample->event,
		.input = tags ? tags->input : (struct prof_string_id){ 0 },
		.pid = thread->pid,
		.tid = thread->tid,
	};
}

/* Count the sample in its track, which is added if it is new. */
static bool count(struct collector *c, size_t i)
{
	const struct prof_sample_id id = { c->order.data[i].index };
	const struct prof_sample *sample = prof_sample(c->profile, id);
	const struct prof_value *value = prof_value(c->profile, id);
	const struct out_track empty = { .key = key_of(c->profile, sample) };
	uint32_t n = base_intern_add(&c->keys, &empty.key, sizeof(empty.key));

	if (n == PD_INTERN_NONE ||
		(n == c->tracks->list.n && !pd_vec_push(&c->tracks->list, empty)))
		return false;
	struct out_track *track = &c->tracks->list.data[n];
	track->thread = sample->thread;
	track->n++;
	track->total.samples += value->samples;
	track->total.period += value->period;
	c->track_of.data[i] = n;
	return true;
}

static int compare_tracks(const void *a, const void *b)
{
	const struct out_track_key *x = &((const struct out_track *)a)->key;
	const struct out_track_key *y = &((const struct out_track *)b)->key;
	int order = base_compare_u32(x->event.i, y->event.i);

	order = order ? order : base_compare_u32(x->input.i, y->input.i);
	order = order ? order : base_compare_u32(x->pid, y->pid);
	return order ? order : base_compare_u32(x->tid, y->tid);
}

/* Give each track its range of samples, and fill the ranges in the order of time. */
static bool distribute(struct collector *c)
{
	struct out_tracks *tracks = c->tracks;
	uint32_t *next = base_calloc_n(tracks->list.n, sizeof(*next));
	uint32_t first = 0;

	if (!next)
		return false;
	if (tracks->list.n)
		qsort(tracks->list.data, tracks->list.n, sizeof(*tracks->list.data),
			compare_tracks);
	for (size_t i = 0; i < tracks->list.n; i++) {
		struct out_track *track = &tracks->list.data[i];

		track->first = first;
		next[base_intern_find(&c->keys, &track->key, sizeof(track->key))] = first;
		first += track->n;
	}
	for (size_t i = 0; i < c->order.n; i++)
		tracks->samples.data[next[c->track_of.data[i]]++] =
			(struct prof_sample_id){ c->order.data[i].index };
	tracks->samples.n = c->order.n;
	free(next);
	return true;
}

struct pd_error *out_tracks_create(const struct profile *profile, struct out_tracks *ret)
{
	struct collector c = { .profile = profile, .tracks = ret };

	*ret = (struct out_tracks){ 0 };
	bool ok = sort_samples(&c);
	for (size_t i = 0; ok && i < c.order.n; i++)
		ok = count(&c, i);
	ok = ok && distribute(&c);
	base_intern_deinit(&c.keys);
	pd_vec_deinit(&c.order);
	pd_vec_deinit(&c.track_of);
	if (ok)
		return NULL;
	out_tracks_deinit(ret);
	return &pd_enomem;
}

void out_tracks_deinit(struct out_tracks *tracks)
{
	pd_vec_deinit(&tracks->list);
	pd_vec_deinit(&tracks->samples);
}

/* Part of the total of its event that a track has. */
static double share(const struct profile *profile, const struct out_track *track)
{
	const struct prof_value *total = &prof_event(profile, track->key.event)->total;

	return total->period ? (double)track->total.period / (double)total->period : 0;
}

size_t out_tracks_main(const struct profile *profile, const struct out_tracks *tracks)
{
	size_t best = 0;

	for (size_t i = 1; i < tracks->list.n; i++) {
		const struct out_track *track = &tracks->list.data[i];
		const struct out_track *other = &tracks->list.data[best];

		/* Events come in the order of the recording: the first one is the main one. */
		if (track->key.event.i == other->key.event.i &&
			share(profile, track) > share(profile, other))
			best = i;
	}
	return best;
}

/* Formats of texts, for writing and for reading. */
#define TEXT_FORK "fork %" PRIu32 " %" PRIu32
#define TEXT_EXIT "exit %" PRIu32 " %" PRIu32
#define TEXT_LOST "lost %" PRIu64

#define TEXT_THROTTLED "throttle"

uint64_t out_note_types(void)
{
	static const uint32_t types[] = { PD_RECORD_FORK, PD_RECORD_EXIT, PD_RECORD_LOST,
		PD_RECORD_LOST_SAMPLES, PD_RECORD_THROTTLE };
	uint64_t ret = 0;

	for (size_t i = 0; i < PD_ARRAY_LEN(types); i++)
		ret |= UINT64_C(1) << types[i];
	return ret;
}

char *out_note_text(const struct pd_record *rec, const union pd_body *body)
{
	switch (rec->type) {
	case PD_RECORD_FORK:
		return base_format(TEXT_FORK, body->fork.pid, body->fork.tid);
	case PD_RECORD_EXIT:
		return base_format(TEXT_EXIT, body->fork.pid, body->fork.tid);
	case PD_RECORD_LOST:
		return base_format(TEXT_LOST, body->lost.lost);
	case PD_RECORD_LOST_SAMPLES:
		return base_format(TEXT_LOST, body->lost_samples.lost);
	default:
		return strdup(TEXT_THROTTLED);
	}
}

struct out_note out_note_read(const char *text)
{
	struct out_note note = { 0 };

	if (sscanf(text, TEXT_FORK, &note.pid, &note.tid) == 2)
		return note;
	note.kind = OUT_NOTE_EXIT;
	if (sscanf(text, TEXT_EXIT, &note.pid, &note.tid) == 2)
		return note;
	note.kind = OUT_NOTE_LOST;
	if (sscanf(text, TEXT_LOST, &note.n) == 1)
		return note;
	note.kind = OUT_NOTE_THROTTLED;
	return note;
}

/*
 * pprof: a gzipped Profile message.
 *
 * Messages that stand one behind the other merge, so the profile is written in pieces, each a
 * Profile with a single element: no more than one of them is in memory.
 */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "output/formats.h"
#include "output/gzip.h"
#include "output/profile.pb-c.h"

struct writer {
	const struct profile *profile;
	struct out_gzip *gzip;
	/** Strings of the profile keep their numbers; those added here follow. */
	struct pd_intern extra;
	/** Of each frame: whether only the frame pointer shows it. A bit each: all stacks are looked at. */
	uint64_t *is_by_fp;
	/** Of an event: place of its two values in a sample, or PROF_NONE if it has no samples. */
	uint32_t *value_index;
	size_t n_values;
	/** Strings: keys of the labels. */
	int64_t comm_key;
	int64_t pid_key;
	int64_t tid_key;
	int64_t by_fp_key;
	PD_VEC(uint8_t) buffer;
	PD_VEC(uint64_t) locations;
	PD_VEC(int64_t) values;
	bool no_memory;
};

static int64_t text(struct writer *w, const char *s)
{
	uint32_t known = pd_intern_find(&w->profile->strings, s, strlen(s));

	if (known != PD_INTERN_NONE)
		return known;
	uint32_t id = pd_intern_str(&w->extra, s);
	if (id == PD_INTERN_NONE)
		w->no_memory = true;
	return (int64_t)w->profile->strings.n + id;
}

/* @p most: bytes that it packs to at most. */
static void put_within(struct writer *w, const Pprof__Profile *piece, size_t most)
{
	if (!pd_vec_reserve(&w->buffer, most)) {
		w->no_memory = true;
		return;
	}
	size_t len = pprof__profile__pack(piece, w->buffer.data);
	out_gzip_write(w->gzip, w->buffer.data, len);
}

static void put(struct writer *w, const Pprof__Profile *piece)
{
	put_within(w, piece, pprof__profile__get_packed_size(piece));
}

static void put_sample_type(struct writer *w, int64_t type, int64_t unit)
{
	Pprof__ValueType value = PPROF__VALUE_TYPE__INIT;
	Pprof__Profile piece = PPROF__PROFILE__INIT;

	value.type = type;
	value.unit = unit;
	piece.sample_type = (Pprof__ValueType *[]){ &value };
	piece.n_sample_type = 1;
	put(w, &piece);
}

/* "samples" for one event, else "EVENT:samples". */
static int64_t count_name(struct writer *w, const char *event, bool is_only)
{
	_cleanup_free_ char *name = NULL;

	if (is_only)
		return text(w, "samples");
	if (asprintf(&name, "%s:samples", event) < 0) {
		w->no_memory = true;
		return 0;
	}
	return text(w, name);
}

/* Two values for each event that has samples: how many, and the sum of their periods. */
static void put_sample_types(struct writer *w)
{
	const struct profile *profile = w->profile;
	Pprof__Profile piece = PPROF__PROFILE__INIT;
	size_t n_events = 0;

	for (size_t i = 0; i < profile->events.n; i++)
		n_events += profile->events.data[i].total.samples > 0;
	for (size_t i = 0; i < profile->events.n; i++) {
		const struct prof_event *event = &profile->events.data[i];

		w->value_index[i] = PROF_NONE;
		if (!event->total.samples)
			continue;
		if (!w->n_values)
			piece.default_sample_type = event->name;
		w->value_index[i] = (uint32_t)w->n_values;
		w->n_values += 2;
		put_sample_type(w,
			count_name(w, profile_string(profile, event->name), n_events == 1),
			text(w, "count"));
		put_sample_type(w, event->name, event->unit);
	}
	put(w, &piece);
}

static void put_head(struct writer *w)
{
	const struct profile *profile = w->profile;
	const struct prof_event *event = NULL;
	Pprof__ValueType period_type = PPROF__VALUE_TYPE__INIT;
	Pprof__Profile piece = PPROF__PROFILE__INIT;
	int64_t command = profile->about.command;

	for (size_t i = 0; i < profile->events.n && !event; i++) {
		if (profile->events.data[i].total.samples)
			event = &profile->events.data[i];
	}
	if (event) {
		period_type.type = event->name;
		period_type.unit = event->unit;
		piece.period_type = &period_type;
		piece.period = (int64_t)(event->total.period / event->total.samples);
	}
	piece.duration_nanos = (int64_t)(profile->stats.last_ns - profile->stats.first_ns);
	piece.comment = &command;
	piece.n_comment = command != 0;
	put(w, &piece);
}

static void put_mapping(struct writer *w, uint32_t id)
{
	const struct prof_binary *binary = &w->profile->binaries.data[id];
	Pprof__Mapping mapping = PPROF__MAPPING__INIT;
	Pprof__Profile piece = PPROF__PROFILE__INIT;
	char hex[PD_BUILD_ID_HEX_MAX];

	mapping.id = id + 1;
	mapping.memory_start = binary->start;
	mapping.memory_limit = binary->limit;
	mapping.file_offset = binary->offset;
	mapping.filename = binary->name;
	mapping.build_id = text(w, pd_build_id_hex(&binary->build_id, hex));
	/* Where there is no file to find, pprof need not look for one. */
	mapping.has_functions = binary->is_found || !binary->has_image;
	mapping.has_filenames = binary->is_kernel ? binary->has_lines : binary->is_found;
	mapping.has_line_numbers = mapping.has_filenames;
	mapping.has_inline_frames = mapping.has_filenames;
	piece.mapping = (Pprof__Mapping *[]){ &mapping };
	piece.n_mapping = 1;
	put(w, &piece);
}

/* pprof takes the first mapping for the program: the user's binary with most samples at the leaf. */
static uint32_t main_binary(const struct profile *profile)
{
	uint64_t most = 0;
	uint32_t found = PROF_NONE;
	_cleanup_free_ uint64_t *samples = calloc(profile->binaries.n + 1, sizeof(*samples));

	for (uint32_t i = 0; samples && i < profile->samples.n; i++) {
		uint32_t n;
		const uint32_t *frames =
			profile_stack(profile, profile_sample(profile, i)->stack, &n);
		uint32_t binary = n ? profile_frame(profile, frames[0])->binary : PROF_NONE;

		if (binary == PROF_NONE || profile->binaries.data[binary].is_kernel)
			continue;
		samples[binary] += profile->values.data[i].samples;
		if (samples[binary] > most) {
			most = samples[binary];
			found = binary;
		}
	}
	return found;
}

static void put_mappings(struct writer *w)
{
	uint32_t first = main_binary(w->profile);

	if (first != PROF_NONE)
		put_mapping(w, first);
	for (uint32_t i = 0; i < w->profile->binaries.n; i++) {
		if (i != first)
			put_mapping(w, i);
	}
}

/* More than inlined functions nest, by the limit of symbolize/. */
enum { MAX_LINES = 512 };

static void put_location(struct writer *w, uint32_t id)
{
	const struct profile *profile = w->profile;
	const struct prof_frame *frame = profile_frame(profile, id);
	Pprof__Location location = PPROF__LOCATION__INIT;
	Pprof__Profile piece = PPROF__PROFILE__INIT;
	Pprof__Line lines[MAX_LINES];
	Pprof__Line *line_pointers[MAX_LINES];
	struct prof_lines range = { 0 };

	if (id < profile->frame_lines.n)
		range = profile->frame_lines.data[id];
	location.id = id + 1;
	location.mapping_id = frame->binary == PROF_NONE ? 0 : frame->binary + 1;
	location.address = frame->addr;
	for (uint32_t i = 0; i < range.n && i < MAX_LINES; i++) {
		const struct prof_line *line = &profile->lines.data[range.first + i];

		pprof__line__init(&lines[i]);
		lines[i].function_id = line->function + 1;
		lines[i].line = line->line;
		line_pointers[i] = &lines[i];
		location.n_line++;
	}
	location.line = line_pointers;
	piece.location = (Pprof__Location *[]){ &location };
	piece.n_location = 1;
	put(w, &piece);
}

static void put_function(struct writer *w, uint32_t id)
{
	const struct prof_function *function = profile_function(w->profile, id);
	Pprof__Function entry = PPROF__FUNCTION__INIT;
	Pprof__Profile piece = PPROF__PROFILE__INIT;

	entry.id = id + 1;
	entry.name = function->name;
	entry.system_name = function->linkage;
	entry.filename = function->file;
	entry.start_line = function->start_line;
	piece.function = (Pprof__Function *[]){ &entry };
	piece.n_function = 1;
	put(w, &piece);
}

static bool fill_sample(struct writer *w, const struct prof_sample *sample)
{
	uint32_t n;
	const uint32_t *frames = profile_stack(w->profile, sample->stack, &n);

	if (!pd_vec_reserve(&w->locations, n) || !pd_vec_reserve(&w->values, w->n_values))
		return false;
	for (uint32_t i = 0; i < n; i++)
		w->locations.data[i] = (uint64_t)frames[i] + 1;
	w->locations.n = n;
	memset(w->values.data, 0, w->n_values * sizeof(*w->values.data));
	return true;
}

static bool list_by_fp(struct writer *w)
{
	const struct profile *profile = w->profile;

	w->is_by_fp = calloc(profile->frames.n / 64 + 1, sizeof(*w->is_by_fp));
	for (uint32_t i = 0; w->is_by_fp && i < profile->frames.n; i++) {
		if (profile_frame(profile, i)->flags & PROF_FRAME_BY_FP)
			w->is_by_fp[i / 64] |= UINT64_C(1) << i % 64;
	}
	return w->is_by_fp;
}

/* Frames that only the frame pointer shows. */
static uint32_t count_by_fp(const struct writer *w, uint32_t stack)
{
	uint32_t n_by_fp = 0;
	uint32_t n;
	const uint32_t *frames = profile_stack(w->profile, stack, &n);

	for (uint32_t i = 0; i < n; i++)
		n_by_fp += w->is_by_fp[frames[i] / 64] >> frames[i] % 64 & 1;
	return n_by_fp;
}

static void put_sample(struct writer *w, uint32_t id)
{
	const struct prof_sample *sample = profile_sample(w->profile, id);
	const struct prof_thread *thread = profile_thread(w->profile, sample->thread);
	const struct prof_value *value = &w->profile->values.data[id];
	Pprof__Label labels[] = { PPROF__LABEL__INIT, PPROF__LABEL__INIT, PPROF__LABEL__INIT,
		PPROF__LABEL__INIT };
	Pprof__Sample entry = PPROF__SAMPLE__INIT;
	Pprof__Profile piece = PPROF__PROFILE__INIT;

	if (!fill_sample(w, sample)) {
		w->no_memory = true;
		return;
	}
	uint32_t at = w->value_index[sample->event];
	w->values.data[at] = (int64_t)value->samples;
	w->values.data[at + 1] = (int64_t)value->period;
	labels[0].key = w->comm_key;
	labels[0].str = thread->comm;
	labels[1].key = w->pid_key;
	labels[1].num = (int32_t)thread->pid;
	labels[2].key = w->tid_key;
	labels[2].num = (int32_t)thread->tid;
	entry.location_id = w->locations.data;
	entry.n_location_id = w->locations.n;
	entry.value = w->values.data;
	entry.n_value = w->n_values;
	labels[3].key = w->by_fp_key;
	labels[3].num = count_by_fp(w, sample->stack);
	entry.label = (Pprof__Label *[]){ &labels[0], &labels[1], &labels[2], &labels[3] };
	entry.n_label = labels[3].num ? 4 : 3;
	piece.sample = (Pprof__Sample *[]){ &entry };
	piece.n_sample = 1;
	/* Of a sample that is known without going through it: numbers take ten bytes at most. */
	put_within(w, &piece,
		10 * (entry.n_location_id + entry.n_value + 6 * entry.n_label + 8));
}

static void put_strings(struct writer *w, const struct pd_intern *strings)
{
	for (uint32_t i = 0; i < strings->n; i++) {
		char *string = (char *)pd_intern_bytes(strings, i);
		Pprof__Profile piece = PPROF__PROFILE__INIT;

		piece.string_table = &string;
		piece.n_string_table = 1;
		put(w, &piece);
	}
}

static void put_all(struct writer *w)
{
	const struct profile *profile = w->profile;

	put_sample_types(w);
	put_head(w);
	put_mappings(w);
	for (uint32_t i = 0; i < profile->functions.n; i++)
		put_function(w, i);
	for (uint32_t i = 0; i < profile->frames.n; i++)
		put_location(w, i);
	w->comm_key = text(w, "comm");
	w->pid_key = text(w, "pid");
	w->tid_key = text(w, "tid");
	w->by_fp_key = text(w, "frames_by_frame_pointer");
	for (uint32_t i = 0; i < profile->samples.n; i++)
		put_sample(w, i);
	/* Last, when all that is said has a number. */
	put_strings(w, &profile->strings);
	put_strings(w, &w->extra);
	out_gzip_finish(w->gzip);
}

static struct pd_error *write_pprof(
	const struct profile *profile, const struct out_write_opts *opts, FILE *out)
{
	struct writer w = { .profile = profile };
	struct pd_error *err = out_gzip_create(out, opts->jobs, &w.gzip);

	if (err)
		return err;
	w.value_index = calloc(profile->events.n + 1, sizeof(*w.value_index));
	w.no_memory = !w.value_index || !list_by_fp(&w);
	if (!w.no_memory)
		put_all(&w);
	out_gzip_destroy(w.gzip);
	free(w.value_index);
	free(w.is_by_fp);
	pd_intern_deinit(&w.extra);
	pd_vec_deinit(&w.buffer);
	pd_vec_deinit(&w.locations);
	pd_vec_deinit(&w.values);
	return w.no_memory ? &pd_enomem : NULL;
}

const struct out_format out_format_pprof = {
	.name = "pprof",
	.suffix = ".pb.gz",
	.is_binary = true,
	.help = "gzipped profile.proto, for `pprof` and `go tool pprof`",
	.write = write_pprof,
};

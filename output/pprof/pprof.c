/*
 * The pprof format: a gzipped Profile message of profile.proto. Its head has sample types,
 * period and time, and comments about the machine and about lost samples.
 */
#include "output/pprof/pprof.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pdconv/attr.h>

#include "analyze/binary_roles.h"
#include "base/array.h"
#include "base/cleanup.h"
#include "base/format.h"
#include "base/limit.h"
#include "base/protobuf.h"
#include "base/utf8.h"
#include "output/event_names.h"
#include "output/loss_defs.h"
#include "output/pprof/pprof_samples.h"
#include "profile/ahead.h"

int64_t pprof_text(struct pprof_writer *w, const char *s)
{
	/*
	 * The profile is const here, so strings that it lacks go to a second table that follows it.
	 */
	uint32_t known = base_intern_find(&w->profile->strings, s, strlen(s));

	if (known != PD_INTERN_NONE)
		return known;
	uint32_t id = base_intern_str(&w->extra, s);
	if (id == PD_INTERN_NONE)
		w->no_memory = true;
	return (int64_t)w->profile->strings.n + id;
}

int64_t pprof_printf(struct pprof_writer *w, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	_cleanup_free_ char *s = base_vformat(fmt, args);
	va_end(args);
	w->no_memory |= !s;
	return s ? pprof_text(w, s) : 0;
}

void pprof_put(struct pprof_writer *w, const Pprof__Profile *piece)
{
	if (!pd_vec_reserve(&w->buffer, pprof__profile__get_packed_size(piece))) {
		w->no_memory = true;
		return;
	}
	size_t len = pprof__profile__pack(piece, w->buffer.data);
	out_gzip_write(w->gzip, w->buffer.data, len);
}

/*
 * Upper limit for events with values of their own. Each sample has the values of all events, so its
 * size grows with their number.
 */
enum { MAX_EVENTS = PD_LIMIT_PPROF_EVENTS };

static void put_sample_type(struct pprof_writer *w, int64_t type, int64_t unit)
{
	Pprof__ValueType value = PPROF__VALUE_TYPE__INIT;
	Pprof__Profile piece = PPROF__PROFILE__INIT;

	value.type = type;
	value.unit = unit;
	piece.sample_type = (Pprof__ValueType *[]){ &value };
	piece.n_sample_type = 1;
	pprof_put(w, &piece);
}

/* Write the two sample types of an event: number of samples, and sum of periods. */
static void put_event(
	struct pprof_writer *w, struct prof_event_id id, const char *name, bool is_only)
{
	const struct prof_event *event = prof_event(w->profile, id);

	w->value_index[id.i] = (uint32_t)w->n_values;
	w->n_values += 2;
	/* Strings are numbered at first use, and compilers evaluate arguments in any order. */
	int64_t count = pprof_text(w, "count");
	int64_t samples = is_only ? pprof_text(w, "samples") : pprof_printf(w, "%s:samples", name);
	put_sample_type(w, samples, count);
	put_sample_type(w, pprof_text(w, name), event->unit.i);
}

static void put_period(struct pprof_writer *w, const struct prof_event *event, const char *name)
{
	Pprof__ValueType type = PPROF__VALUE_TYPE__INIT;
	Pprof__Profile piece = PPROF__PROFILE__INIT;

	type.type = pprof_text(w, name);
	type.unit = event->unit.i;
	piece.default_sample_type = type.type;
	piece.period_type = &type;
	piece.period = out_event_period(event);
	pprof_put(w, &piece);
}

/* Write the two sample types that all events share. */
static void put_shared_values(struct pprof_writer *w)
{
	const struct profile *profile = w->profile;

	pd_diag_note(w->diag, w->input, PD_NO_OFFSET, base_limit_name(PD_LIMIT_ID_PPROF_EVENTS),
		base_limit_text(PD_LIMIT_ID_PPROF_EVENTS));
	w->labels_events = true;
	w->n_values = 2;
	for (size_t i = 0; i < profile->events.n; i++)
		w->value_index[i] = out_event_is_listed(&profile->events.data[i]) ? 0 : PROF_NONE;
	int64_t count = pprof_text(w, "count");
	put_sample_type(w, pprof_text(w, "samples"), count);
	put_sample_type(w, pprof_text(w, "period"), count);
}

static void put_own_values(struct pprof_writer *w, const struct out_event_names *names)
{
	const struct profile *profile = w->profile;
	bool is_only = out_count_listed_events(profile) == 1;
	struct prof_event_id first = out_main_event(profile);

	for (struct prof_event_id id = { 0 }; id.i < profile->events.n; id.i++) {
		w->value_index[id.i] = PROF_NONE;
		if (!out_event_is_listed(prof_event(profile, id)))
			continue;
		const char *name = out_event_name(names, profile, id);
		put_event(w, id, name, is_only);
		if (prof_same_event(id, first))
			put_period(w, prof_event(profile, id), name);
	}
}

static void put_values(struct pprof_writer *w)
{
	struct out_event_names names;

	if (out_count_listed_events(w->profile) > MAX_EVENTS) {
		put_shared_values(w);
		return;
	}
	if (out_event_names_init(&names, w->profile))
		put_own_values(w, &names);
	else
		w->no_memory = true;
	out_event_names_deinit(&names);
}

static void put_comment(struct pprof_writer *w, int64_t text)
{
	Pprof__Profile piece = PPROF__PROFILE__INIT;

	piece.comment = &text;
	piece.n_comment = 1;
	pprof_put(w, &piece);
}

static void put_about(struct pprof_writer *w)
{
	const struct prof_about *about = &w->profile->about;
	const struct {
		const char *label;
		struct prof_string_id text;
	} facts[] = {
		{ "command", about->command },
		{ "host", about->host },
		{ "kernel", about->kernel_release },
		{ "arch", about->arch },
		{ "perf", about->perf_version },
	};

	for (size_t i = 0; i < PD_ARRAY_LEN(facts); i++) {
		if (facts[i].text.i)
			put_comment(w, pprof_printf(w, "%s: %s", facts[i].label,
					       prof_string(w->profile, facts[i].text)));
	}
}

static void put_events(struct pprof_writer *w)
{
	const struct profile *profile = w->profile;

	for (size_t i = 0; i < profile->events.n; i++) {
		const struct prof_event *event = &profile->events.data[i];

		if (out_event_is_listed(event))
			put_comment(
				w, pprof_printf(w, "event: %s: %" PRIu64 " samples, %" PRIu64 " %s",
					   prof_string(profile, event->name), event->total.samples,
					   event->total.period, prof_string(profile, event->unit)));
	}
}

static void put_losses(struct pprof_writer *w)
{
	const struct profile *profile = w->profile;
	const struct prof_stats *stats = &profile->stats;
	const struct {
		const char *text;
		uint64_t n;
	} losses[] = { OUT_LOSSES(OUT_LOSS_ROW) };

	/* profile.proto has no fields for losses. pprof -comments shows comments. */
	for (size_t i = 0; i < PD_ARRAY_LEN(losses); i++) {
		if (losses[i].n)
			put_comment(
				w, pprof_printf(w, "%s: %" PRIu64, losses[i].text, losses[i].n));
	}
}

/* Write the head. Sets value_index and n_values. */
static void put_head(struct pprof_writer *w)
{
	Pprof__Profile piece = PPROF__PROFILE__INIT;
	const struct profile *profile = w->profile;

	put_values(w);
	piece.time_nanos = (int64_t)out_recording_start(profile);
	piece.duration_nanos = (int64_t)prof_stats_length(&profile->stats);
	pprof_put(w, &piece);
	put_about(w);
	put_events(w);
	put_losses(w);
}

static void put_mapping(struct pprof_writer *w, struct prof_binary_id id)
{
	const struct prof_binary *binary = prof_binary(w->profile, id);
	Pprof__Mapping mapping = PPROF__MAPPING__INIT;
	Pprof__Profile piece = PPROF__PROFILE__INIT;
	char hex[PD_BUILD_ID_HEX_MAX];

	mapping.id = w->mapping_ids[id.i];
	mapping.memory_start = binary->start;
	mapping.memory_limit = binary->limit;
	mapping.file_offset = binary->offset;
	mapping.filename = binary->name.i;
	mapping.build_id = pprof_text(w, pd_build_id_hex(&binary->build_id, hex));
	/*
	 * Without a file to find, claim that functions are known, so that pprof does not look for
	 * one. With made names, others may find better ones.
	 */
	mapping.has_functions = (binary->is_found && !binary->has_made_names) || !binary->has_image;
	mapping.has_filenames = binary->is_kernel ? binary->has_lines : binary->is_found;
	mapping.has_line_numbers = mapping.has_filenames;
	mapping.has_inline_frames = mapping.has_filenames;
	piece.mapping = (Pprof__Mapping *[]){ &mapping };
	piece.n_mapping = 1;
	pprof_put(w, &piece);
}

/* Write the mappings, first that of @p first: pprof takes it for the program. */
static void put_mappings(struct pprof_writer *w, struct prof_binary_id first)
{
	if (!prof_is_none(first) && w->mapping_ids[first.i])
		put_mapping(w, first);
	for (struct prof_binary_id id = { 0 }; id.i < w->profile->binaries.n; id.i++) {
		if (!prof_same_binary(id, first) && w->mapping_ids[id.i])
			put_mapping(w, id);
	}
}

/*
 * A recording may have hundreds of thousands of locations, so they are encoded here, without the
 * structs of protobuf-c. The fields are those of Location and Line in output/pprof/profile.proto; a
 * unit test decodes the result with protobuf-c.
 */
enum {
	PROFILE_LOCATION = 4,
	LOCATION_ID = 1,
	LOCATION_MAPPING_ID = 2,
	LOCATION_ADDRESS = 3,
	LOCATION_LINE = 4,
	LINE_FUNCTION_ID = 1,
	LINE_LINE = 2,
	/** Most bytes of a line: its tag and size, and two numbers. */
	LINE_BYTES = 2 + 2 * BASE_PROTO_NUMBER_BYTES,
};

static uint8_t *encode_line(uint8_t *to, const struct pprof_writer *w, const struct prof_line *line)
{
	uint8_t *start = to + 2, *at = start;

	at = base_proto_int64(at, LINE_FUNCTION_ID, w->function_ids[line->function.i]);
	at = base_proto_int64(at, LINE_LINE, line->line);
	/* Two numbers take 22 bytes at most, so the size is a single byte. */
	to[0] = base_proto_tag(LOCATION_LINE, BASE_PROTO_LEN);
	to[1] = (uint8_t)(at - start);
	return at;
}

static void put_location(struct pprof_writer *w, struct prof_frame_id id)
{
	const struct profile *profile = w->profile;
	const struct prof_frame *frame = prof_frame(profile, id);
	uint32_t n;
	const struct prof_line *lines = prof_frame_lines(profile, id, &n);

	if (!pd_vec_reserve(&w->buffer,
		    BASE_PROTO_NUMBER_BYTES + 3 * BASE_PROTO_NUMBER_BYTES + n * LINE_BYTES)) {
		w->no_memory = true;
		return;
	}
	/* Tag and size of the message are written last, so that they end where it begins. */
	uint8_t *body = w->buffer.data + BASE_PROTO_NUMBER_BYTES, *at = body;
	at = base_proto_int64(at, LOCATION_ID, w->location_ids[id.i]);
	if (!prof_is_none(frame->binary))
		at = base_proto_int64(at, LOCATION_MAPPING_ID, w->mapping_ids[frame->binary.i]);
	at = base_proto_int64(at, LOCATION_ADDRESS, (int64_t)frame->addr);
	/* Innermost inlined function first, as profile.proto requires. */
	for (uint32_t i = 0; i < n; i++)
		at = encode_line(at, w, &lines[i]);
	uint8_t *head = base_proto_seal(body, at, PROFILE_LOCATION);
	out_gzip_write(w->gzip, head, (size_t)(at - head));
}

static void put_function(struct pprof_writer *w, struct prof_function_id id)
{
	const struct prof_function *function = prof_function(w->profile, id);
	Pprof__Function entry = PPROF__FUNCTION__INIT;
	Pprof__Profile piece = PPROF__PROFILE__INIT;

	entry.id = w->function_ids[id.i];
	entry.name = prof_function_label(w->profile, id).i;
	entry.system_name = function->linkage.i;
	entry.filename = function->file.i;
	entry.start_line = function->start_line;
	piece.function = (Pprof__Function *[]){ &entry };
	piece.n_function = 1;
	pprof_put(w, &piece);
}

/* Replace the marks in @p ids by consecutive ids from 1. */
static void number(uint32_t *ids, size_t n)
{
	uint32_t id = 0;

	for (size_t i = 0; i < n; i++) {
		if (ids[i])
			ids[i] = ++id;
	}
}

/* Number mappings in the order in which they are written: Parca takes no other one. */
static void number_mappings(struct pprof_writer *w, struct prof_binary_id first)
{
	uint32_t *ids = w->mapping_ids;
	bool has_first = !prof_is_none(first) && ids[first.i];

	if (has_first)
		ids[first.i] = 0;
	number(ids, w->profile->binaries.n);
	for (size_t i = 0; has_first && i < w->profile->binaries.n; i++)
		ids[i] += ids[i] || i == first.i;
}

static void mark_frame(struct pprof_writer *w, struct prof_frame_id frame)
{
	const struct profile *profile = w->profile;
	struct prof_binary_id binary = prof_frame(profile, frame)->binary;
	uint32_t n;
	const struct prof_line *lines = prof_frame_lines(profile, frame, &n);

	if (!prof_is_none(binary))
		w->mapping_ids[binary.i] = 1;
	for (uint32_t i = 0; i < n; i++)
		w->function_ids[lines[i].function.i] = 1;
}

/*
 * Assign ids to everything that samples refer to. A filter may leave frames in the profile that no
 * sample refers to any more; they must not be written.
 */
static bool number_all(struct pprof_writer *w, struct prof_binary_id main_binary)
{
	const struct profile *profile = w->profile;

	w->location_ids = base_calloc_n(profile->frames.n, sizeof(*w->location_ids));
	w->function_ids = base_calloc_n(profile->functions.n, sizeof(*w->function_ids));
	w->mapping_ids = base_calloc_n(profile->binaries.n, sizeof(*w->mapping_ids));
	if (!w->location_ids || !w->function_ids || !w->mapping_ids)
		return false;
	for (struct prof_sample_id id = { 0 }; id.i < profile->samples.n; id.i++) {
		uint32_t n;
		const struct prof_frame_id *frames =
			prof_stack(profile, prof_sample(profile, id)->stack, &n);

		prof_load_stacks_after(profile, id);
		for (uint32_t i = 0; i < n; i++)
			w->location_ids[frames[i].i] = 1;
	}
	for (struct prof_frame_id id = { 0 }; id.i < profile->frames.n; id.i++) {
		if (w->location_ids[id.i])
			mark_frame(w, id);
	}
	/*
	 * Following the order of the profile keeps the output independent of the number of threads.
	 */
	number(w->location_ids, profile->frames.n);
	number(w->function_ids, profile->functions.n);
	number_mappings(w, main_binary);
	return true;
}

static void put_string(struct pprof_writer *w, const char *string)
{
	Pprof__Profile piece = PPROF__PROFILE__INIT;

	piece.string_table = (char *[]){ (char *)string };
	piece.n_string_table = 1;
	pprof_put(w, &piece);
}

/* Write strings in the order of their numbers: their position in the table is their number. */
static void put_strings(struct pprof_writer *w, const struct base_intern *strings)
{
	for (uint32_t i = 0; i < strings->n; i++) {
		_cleanup_free_ char *copy = NULL;
		/* Readers of protocol buffers reject strings that are not UTF-8. */
		const char *string = base_utf8_text(base_intern_bytes(strings, i), &copy);

		w->no_memory |= !string;
		put_string(w, string ? string : "");
	}
}

static void put_all(struct pprof_writer *w, struct prof_binary_id main_binary)
{
	const struct profile *profile = w->profile;

	put_head(w);
	put_mappings(w, main_binary);
	for (struct prof_function_id id = { 0 }; id.i < profile->functions.n; id.i++) {
		if (w->function_ids[id.i])
			put_function(w, id);
	}
	for (struct prof_frame_id id = { 0 }; id.i < profile->frames.n; id.i++) {
		if (w->location_ids[id.i])
			put_location(w, id);
	}
	pprof_put_samples(w);
	/* Writing the parts above has added strings, so the table is complete only now. */
	put_strings(w, &profile->strings);
	put_strings(w, &w->extra);
	out_gzip_finish(w->gzip);
}

static struct pd_error *write_pprof(
	const struct profile *profile, const struct out_write_opts *opts, FILE *out)
{
	struct pprof_writer w = {
		.profile = profile,
		.opts = &opts->pprof,
		.input = opts->input,
		.diag = opts->diag,
	};
	struct prof_binary_id main_binary;
	struct pd_error *err = ana_find_main_binary(profile, &main_binary);

	if (err)
		return err;
	const struct out_gzip_opts gzip = { .jobs = opts->jobs };
	err = out_gzip_create(out, &gzip, &w.gzip);
	if (err)
		return err;
	w.value_index = base_calloc_n(profile->events.n, sizeof(*w.value_index));
	w.no_memory = !number_all(&w, main_binary) || !w.value_index;
	if (!w.no_memory)
		put_all(&w, main_binary);
	/*
	 * put_all() does not stop when an allocation fails: no_memory stays set, and is checked
	 * once at the end.
	 */
	out_gzip_destroy(w.gzip);
	free(w.value_index);
	free(w.location_ids);
	free(w.function_ids);
	free(w.mapping_ids);
	base_intern_deinit(&w.extra);
	pd_vec_deinit(&w.buffer);
	return w.no_memory ? &pd_enomem : NULL;
}

static struct pd_error *prepare(const struct out_write_opts *opts, struct prof_request *request)
{
	request->tags = opts->pprof.tags;
	return NULL;
}

const struct out_format out_format_pprof = {
	.name = "pprof",
	.suffix = ".pb.gz",
	.is_binary = true,
	.help = "gzipped profile.proto, for go tool pprof",
	.prepare = prepare,
	.write = write_pprof,
};

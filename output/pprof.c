/* pprof: a gzipped Profile message. */
#include <stdlib.h>

#include "base/cleanup.h"
#include "output/pprof_writer.h"

static void put_mapping(struct pprof_writer *w, uint32_t id)
{
	const struct prof_binary *binary = &w->profile->binaries.data[id];
	Pprof__Mapping mapping = PPROF__MAPPING__INIT;
	Pprof__Profile piece = PPROF__PROFILE__INIT;
	char hex[PD_BUILD_ID_HEX_MAX];

	mapping.id = w->mapping_ids[id];
	mapping.memory_start = binary->start;
	mapping.memory_limit = binary->limit;
	mapping.file_offset = binary->offset;
	mapping.filename = binary->name;
	mapping.build_id = pprof_text(w, pd_build_id_hex(&binary->build_id, hex));
	/* Where there is no file to find, pprof need not look for one. */
	mapping.has_functions = binary->is_found || !binary->has_image;
	mapping.has_filenames = binary->is_kernel ? binary->has_lines : binary->is_found;
	mapping.has_line_numbers = mapping.has_filenames;
	mapping.has_inline_frames = mapping.has_filenames;
	piece.mapping = (Pprof__Mapping *[]){ &mapping };
	piece.n_mapping = 1;
	pprof_put(w, &piece);
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

static void put_mappings(struct pprof_writer *w)
{
	uint32_t first = main_binary(w->profile);

	if (first != PROF_NONE)
		put_mapping(w, first);
	for (uint32_t i = 0; i < w->profile->binaries.n; i++) {
		if (i != first && w->mapping_ids[i])
			put_mapping(w, i);
	}
}

/* More than inlined functions nest, by the limit of symbolize/. */
enum { MAX_LINES = 512 };

static void put_location(struct pprof_writer *w, uint32_t id)
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
	location.id = w->location_ids[id];
	location.mapping_id = frame->binary == PROF_NONE ? 0 : w->mapping_ids[frame->binary];
	location.address = frame->addr;
	for (uint32_t i = 0; i < range.n && i < MAX_LINES; i++) {
		const struct prof_line *line = &profile->lines.data[range.first + i];

		pprof__line__init(&lines[i]);
		lines[i].function_id = w->function_ids[line->function];
		lines[i].line = line->line;
		line_pointers[i] = &lines[i];
		location.n_line++;
	}
	location.line = line_pointers;
	piece.location = (Pprof__Location *[]){ &location };
	piece.n_location = 1;
	pprof_put(w, &piece);
}

static void put_function(struct pprof_writer *w, uint32_t id)
{
	const struct prof_function *function = profile_function(w->profile, id);
	Pprof__Function entry = PPROF__FUNCTION__INIT;
	Pprof__Profile piece = PPROF__PROFILE__INIT;

	entry.id = w->function_ids[id];
	entry.name = function->name;
	entry.system_name = function->linkage;
	entry.filename = function->file;
	entry.start_line = function->start_line;
	piece.function = (Pprof__Function *[]){ &entry };
	piece.n_function = 1;
	pprof_put(w, &piece);
}

/* Ids from 1 in the order of the numbers for what is marked. */
static void number(uint32_t *ids, size_t n)
{
	uint32_t id = 0;

	for (size_t i = 0; i < n; i++) {
		if (ids[i])
			ids[i] = ++id;
	}
}

static void mark_frame(struct pprof_writer *w, uint32_t frame)
{
	const struct profile *profile = w->profile;
	uint32_t binary = profile_frame(profile, frame)->binary;

	if (binary != PROF_NONE)
		w->mapping_ids[binary] = 1;
	if (frame >= profile->frame_lines.n)
		return;
	struct prof_lines lines = profile->frame_lines.data[frame];
	for (uint32_t i = 0; i < lines.n; i++)
		w->function_ids[profile->lines.data[lines.first + i].function] = 1;
}

/* What samples refer to; a filter may have left more behind. */
static bool number_all(struct pprof_writer *w)
{
	const struct profile *profile = w->profile;

	w->location_ids = calloc(profile->frames.n + 1, sizeof(*w->location_ids));
	w->function_ids = calloc(profile->functions.n + 1, sizeof(*w->function_ids));
	w->mapping_ids = calloc(profile->binaries.n + 1, sizeof(*w->mapping_ids));
	if (!w->location_ids || !w->function_ids || !w->mapping_ids)
		return false;
	for (uint32_t i = 0; i < profile->samples.n; i++) {
		uint32_t n;
		const uint32_t *frames =
			profile_stack(profile, profile_sample(profile, i)->stack, &n);

		for (uint32_t k = 0; k < n; k++)
			w->location_ids[frames[k]] = 1;
	}
	for (uint32_t i = 0; i < profile->frames.n; i++) {
		if (w->location_ids[i])
			mark_frame(w, i);
	}
	number(w->location_ids, profile->frames.n);
	number(w->function_ids, profile->functions.n);
	number(w->mapping_ids, profile->binaries.n);
	return true;
}

static void put_strings(struct pprof_writer *w, const struct pd_intern *strings)
{
	for (uint32_t i = 0; i < strings->n; i++) {
		char *string = (char *)pd_intern_bytes(strings, i);
		Pprof__Profile piece = PPROF__PROFILE__INIT;

		piece.string_table = &string;
		piece.n_string_table = 1;
		pprof_put(w, &piece);
	}
}

static void put_all(struct pprof_writer *w)
{
	const struct profile *profile = w->profile;

	pprof_put_head(w);
	put_mappings(w);
	for (uint32_t i = 0; i < profile->functions.n; i++) {
		if (w->function_ids[i])
			put_function(w, i);
	}
	for (uint32_t i = 0; i < profile->frames.n; i++) {
		if (w->location_ids[i])
			put_location(w, i);
	}
	pprof_put_samples(w);
	/* Last, when all that is said has a number. */
	put_strings(w, &profile->strings);
	put_strings(w, &w->extra);
	out_gzip_finish(w->gzip);
}

static struct pd_error *write_pprof(
	const struct profile *profile, const struct out_write_opts *opts, FILE *out)
{
	struct pprof_writer w = { .profile = profile, .opts = &opts->pprof };
	struct pd_error *err = out_gzip_create(out, opts->jobs, &w.gzip);

	if (err)
		return err;
	w.value_index = calloc(profile->events.n + 1, sizeof(*w.value_index));
	w.no_memory = !number_all(&w) || !w.value_index;
	if (!w.no_memory)
		put_all(&w);
	out_gzip_destroy(w.gzip);
	free(w.value_index);
	free(w.location_ids);
	free(w.function_ids);
	free(w.mapping_ids);
	pd_intern_deinit(&w.extra);
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

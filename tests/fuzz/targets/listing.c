/*
 * Listings of a function: its code, debug information and source, with samples at any address.
 * Input: choices; a piece with source text; a piece with code for x86-64; sections as
 * fuzz_elf_take_sections() takes them.
 */
#include <stdlib.h>

#include "output/annotate/annotate_doc.h"
#include "tests/fuzz/elf.h"

enum { MAX_LEAVES = 8 };

/* Write the binary of the input into a file, and return its path. */
static const char *write_binary(struct fuzz_input *in)
{
	struct fuzz_section sections[FUZZ_MAX_TAKEN];
	struct fuzz_input code = fuzz_piece(in);
	size_t size, n = fuzz_elf_take_sections(in, sections);
	uint8_t *bytes = fuzz_elf_make(sections, n, &size);

	fuzz_elf_put_code(bytes, &code);
	const char *path = fuzz_write("binary", bytes, size);
	free(bytes);
	return path;
}

/* Add a function that is sampled at @p offset from its start, with a line of the source file. */
static struct prof_frame_id add_leaf(struct profile *profile, struct prof_binary_id binary,
	uint32_t line_number, uint64_t addr, uint64_t offset)
{
	const struct prof_function function = {
		.name = prof_add_string(profile, "work"),
		.linkage = prof_add_string(profile, "work"),
		.file = prof_add_string(profile, "source.c"),
		.binary = binary,
	};
	const struct prof_line line = { prof_add_function(profile, &function), line_number, 0 };
	const struct prof_lines lines = { (uint32_t)profile->lines.n, 1 };
	const struct prof_frame frame = { .addr = addr, .binary = binary };
	const struct prof_frame_offset in_function = { .in_symbol = offset, .has_symbol = true };
	struct prof_frame_id id = prof_add_frame(profile, &frame);

	if (id.i == profile->frame_lines.n &&
		(!pd_vec_push(&profile->lines, line) ||
			!pd_vec_push(&profile->frame_lines, lines) ||
			!pd_vec_push(&profile->frame_offsets, in_function)))
		abort();
	return id;
}

static struct profile *make_profile(struct fuzz_input *in, const char *path)
{
	struct profile *profile;
	struct pd_error *err = prof_create(&profile);

	if (err)
		abort();
	const struct prof_event event = {
		.name = prof_add_string(profile, "cpu-clock"),
		.unit = prof_add_string(profile, ""),
		.is_wanted = true,
	};
	const struct prof_thread thread = { .comm = prof_add_string(profile, "fuzz") };
	const struct prof_binary binary = {
		.name = prof_add_string(profile, path),
		.has_image = true,
	};
	struct prof_binary_id id = prof_add_binary(profile, &binary);
	struct prof_sample sample = {
		.thread = prof_add_thread(profile, &thread),
		.event = prof_add_event(profile, &event),
		.tags = prof_no_tags(),
	};
	for (size_t n = 1 + fuzz_choice(in, MAX_LEAVES); n; n--) {
		uint64_t addr = FUZZ_TEXT + fuzz_choice(in, FUZZ_TEXT_END - FUZZ_TEXT);
		uint64_t offset = fuzz_choice(in, FUZZ_TEXT_END - FUZZ_TEXT);
		struct prof_frame_id leaf = add_leaf(profile, id, fuzz_byte(in), addr, offset);

		sample.stack = prof_add_stack(profile, &leaf, 1);
		pd_error_destroy(prof_add_sample(profile, &sample, 1, NULL));
	}
	return profile;
}

/* A listing, and all that it is made of. */
struct work {
	const struct ann_files files;
	const char *source_dir;
	struct ann_functions functions;
	struct ann_code *code;
	struct ann_listing listing;
	struct ann_lines lines;
	struct ann_sources *sources;
};

static struct pd_error *list(struct work *w, const struct profile *profile)
{

	const struct ann_sources_opts sources = { w->files.search, &w->source_dir, 1 };
	struct pd_error *err = ann_functions_create(profile, &w->functions);

	if (err)
		return err;
	const struct ann_function *function = w->functions.list.data;
	err = ann_lines_create(&w->functions, function, &w->lines);
	if (err)
		return err;
	err = ann_sources_create(&sources, &w->sources);
	if (err)
		return err;
	err = ann_code_open(&w->files, profile, function->binary, &w->code);
	return err ? err : ann_listing_create(&w->functions, function, w->code, NULL, &w->listing);
}

static struct pd_error *write_listing(struct fuzz_input *in, const struct work *w)
{
	const struct out_annotation annotation = {
		.functions = &w->functions,
		.match = { .function = w->functions.list.data, .n = 1 },
		.listing = &w->listing,
		.code = w->code,
		.lines = &w->lines,
		.sources = w->sources,
	};
	uint8_t flags = fuzz_byte(in);
	const struct out_annotate_opts opts = {
		.input = "fuzz",
		.limit = fuzz_byte(in),
		.is_whole = flags & 1,
		.no_source = flags & 2,
		.text = { .style = (flags >> 2 & 3) % 3, .width = flags & 16 ? 60 : 0 },
	};

	return out_annotate_write(&annotation, &opts, fuzz_nowhere());
}

void fuzz_target_listing(struct fuzz_input *in)
{
	const struct sym_kernel_opts no_kernel = { 0 };
	/* The file is found at its own path. */
	const struct sym_search search = { .buildid_dir = "/nonexistent" };
	struct work work = { .files = { &search, &no_kernel }, .source_dir = fuzz_dir() };
	struct fuzz_input choices = fuzz_take(in, 64), source = fuzz_piece(in);

	fuzz_write("source.c", source.bytes, source.size);
	struct profile *profile = make_profile(&choices, write_binary(in));
	struct pd_error *err = list(&work, profile);
	if (!err)
		err = write_listing(&choices, &work);
	if (err)
		abort();
	fflush(fuzz_nowhere());
	ann_listing_deinit(&work.listing);
	ann_code_destroy(work.code);
	ann_sources_destroy(work.sources);
	ann_lines_deinit(&work.lines);
	ann_functions_deinit(&work.functions);
	prof_destroy(profile);
}

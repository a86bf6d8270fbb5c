/*
 * Code in the html format: instructions of the hottest functions, and the text of hot source lines
 * with the lines around them.
 */
#include "output/html/html_code.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "annotate/binary_code.h"
#include "annotate/function_listing.h"
#include "annotate/functions.h"
#include "annotate/source_files.h"
#include "base/array.h"
#include "base/cleanup.h"
#include "base/containers/sort.h"
#include "output/html/html_tree.h"

/* Code that is being added to a page. */
struct embedding {
	struct html *h;
	const struct out_html_code *from;
	struct ann_functions functions;
	/* Code of each binary, opened when it is needed. */
	struct ann_code **codes;
	/* Number of the row of the page of each row of a listing; PD_INTERN_NONE: left out. */
	uint32_t *rows;
};

/* The largest share of an event that a function has, from 0 to 1. */
static double share_of(const struct ann_functions *functions, const struct ann_function *function)
{
	const struct prof_value *values = ann_values(functions, function->values);
	double most = 0;

	for (size_t i = 0; i < functions->events.n; i++) {
		double whole = (double)functions->totals.data[i].period;
		double share = whole > 0 ? (double)values[i].period / whole : 0;

		most = share > most ? share : most;
	}
	return most;
}

static struct pd_error *code_of(
	struct embedding *e, const struct ann_function *function, struct ann_code **ret)
{
	struct ann_code **code = &e->codes[function->binary.i];
	struct pd_error *err = NULL;

	if (!*code)
		err = ann_code_open(e->from->files, e->h->profile, function->binary, code);
	*ret = *code;
	return err;
}

static uint32_t add_text(struct html *h, const char *text)
{
	h->n_code_bytes += strlen(text);
	return html_string(h, text, strlen(text));
}

/* Add a function of @p binary by its name, which may be NULL. */
static uint32_t add_function(
	struct html *h, const struct sym_name *name, struct prof_binary_id binary)
{
	const struct prof_binary *entry = prof_binary(h->profile, binary);
	const char *file = name->file ? name->file : "";
	uint32_t text = folded_names_function(
		&h->names, entry, name->function ? name->function : "[unknown]");

	if (text == PD_INTERN_NONE) {
		h->no_memory = true;
		return 0;
	}
	const struct html_function function = {
		.name = html_string(h, base_intern_bytes(&h->names.texts, text),
			base_intern_len(&h->names.texts, text)),
		.file = html_string(h, file, strlen(file)),
		.line = name->start_line,
		.binary = binary.i + 1,
	};
	return html_function(h, &function);
}

/* Want the text of @p line of @p file, a path in the debug information of @p binary. */
static void want_line(struct html *h, const char *file, uint32_t line, struct prof_binary_id binary)
{
	uint32_t path = base_intern_add(&h->source_paths, file, strlen(file));
	const struct html_line entry = { .file = path, .line = line, .binary = binary };

	h->no_memory |= path == PD_INTERN_NONE || !pd_vec_push(&h->lines, entry);
}

/* Add the place of @p names, outermost function first, and want its lines. Returns it plus 1. */
static uint32_t add_place(
	struct html *h, const struct sym_names *names, struct prof_binary_id binary)
{
	uint32_t place = 0;

	for (uint32_t i = names->n; i-- > 0 && !h->no_memory;) {
		const struct sym_name *name = &names->names[i];
		const struct html_place entry = {
			.caller = place,
			.function = add_function(h, name, binary),
			.line = name->line,
		};
		size_t n = h->places.n;
		uint32_t id = base_intern_add(&h->places, &entry, sizeof(entry));

		h->no_memory |= id == PD_INTERN_NONE;
		place = id + 1;
		if (id == n && name->file && name->line)
			want_line(h, name->file, name->line, binary);
	}
	return place;
}

static struct pd_error *put_row(
	struct embedding *e, const struct ann_listing *listing, size_t i, size_t n_skipped)
{
	enum { MNEMONIC_COLUMNS = 7 };
	struct html *h = e->h;
	const struct ann_row *row = &listing->rows.data[i];
	_cleanup_free_ char *text =
		row->text ? ann_insn_text(listing, row, MNEMONIC_COLUMNS) : strdup("");
	uint32_t target = row->text && row->target_row != ANN_NO_ROW ? e->rows[row->target_row]
								     : PD_INTERN_NONE;

	if (!text)
		return &pd_enomem;
	html_put(&h->columns, HTML_INSTRUCTION_OFFSET, row->addr - listing->rows.data[0].addr);
	html_put(&h->columns, HTML_INSTRUCTION_GAP, n_skipped);
	html_put(&h->columns, HTML_INSTRUCTION_TEXT, add_text(h, text));
	html_put(&h->columns, HTML_INSTRUCTION_JUMP,
		target == PD_INTERN_NONE ? 0 : (uint64_t)target + 1);
	html_put(&h->columns, HTML_INSTRUCTION_PLACE,
		add_place(h, &row->names, listing->function->binary));
	return h->no_memory ? &pd_enomem : NULL;
}

/* Number the rows of @p listing that are in the page. Returns how many. */
static uint32_t number_rows(struct embedding *e, const struct ann_listing *listing, bool *is_shown)
{
	uint32_t n = 0;

	ann_excerpt(listing, is_shown);
	for (size_t i = 0; i < listing->rows.n; i++)
		e->rows[i] = is_shown[i] ? n++ : PD_INTERN_NONE;
	return n;
}

static struct pd_error *put_rows(struct embedding *e, const struct ann_listing *listing)
{
	size_t n = listing->rows.n, n_skipped = 0;
	_cleanup_free_ bool *is_shown = base_calloc_n(n, sizeof(*is_shown));

	free(e->rows);
	e->rows = base_calloc_n(n, sizeof(*e->rows));
	if (!is_shown || !e->rows)
		return &pd_enomem;
	html_put(&e->h->columns, HTML_CODE_LENGTH, n);
	html_put(&e->h->columns, HTML_CODE_ROWS, number_rows(e, listing, is_shown));
	for (size_t i = 0; i < n; i++) {
		struct pd_error *err = is_shown[i] ? put_row(e, listing, i, n_skipped) : NULL;

		if (err)
			return err;
		n_skipped = is_shown[i] ? 0 : n_skipped + 1;
	}
	return NULL;
}

/* Refer from the frames of @p function to their instructions, the first of which is @p first. */
static void link_frames(struct embedding *e, const struct ann_listing *listing, uint64_t first)
{
	const struct ann_function *function = listing->function;

	for (size_t i = function->first; i < function->first + function->n; i++) {
		struct prof_frame_id frame = e->functions.leaves.data[i].frame;
		const struct ann_row *row =
			ann_listing_row_at(listing, prof_frame(e->h->profile, frame)->addr);

		if (row)
			e->h->instructions[frame.i] =
				(uint32_t)(first + e->rows[row - listing->rows.data] + 1);
	}
}

/* The reason why instructions are missing or may differ from those that ran, in one line; or "". */
static const char *note_on(const struct ann_listing *listing, const struct ann_code *code)
{
	if (listing->why)
		return listing->why;
	if (ann_code_is_mismatched(code))
		return "the file is of another build: the code may not be what ran";
	return listing->is_cut ? "the function is too long: only its start is shown" : "";
}

static struct pd_error *put_listing(
	struct embedding *e, const struct ann_listing *listing, const struct ann_code *code)
{
	struct html *h = e->h;
	uint64_t first = h->columns.list[HTML_INSTRUCTION_OFFSET].n;
	const struct sym_names *names = &listing->rows.data[0].names;
	const struct prof_function *f = prof_function(h->profile, listing->function->function);
	const struct sym_name outermost = {
		.function = listing->name,
		.file = prof_string(h->profile, f->file),
		.start_line = f->start_line,
	};
	char start[24];

	snprintf(start, sizeof(start), "%" PRIx64, listing->rows.data[0].addr);
	html_put(&h->columns, HTML_CODE_FUNCTION,
		add_function(h, names->n ? &names->names[names->n - 1] : &outermost,
			listing->function->binary));
	html_put(&h->columns, HTML_CODE_START, add_text(h, start));
	html_put(&h->columns, HTML_CODE_NOTE, add_text(h, note_on(listing, code)));
	struct pd_error *err = put_rows(e, listing);
	if (!err)
		link_frames(e, listing, first);
	return err;
}

static struct pd_error *put_function(struct embedding *e, const struct ann_function *function)
{
	struct ann_listing listing;
	struct ann_code *code;
	struct pd_error *err = code_of(e, function, &code);

	if (err)
		return err;
	err = ann_listing_create(&e->functions, function, code, e->from->names, &listing);
	if (err)
		return err;
	if (listing.rows.n)
		err = put_listing(e, &listing, code);
	ann_listing_deinit(&listing);
	return err;
}

static struct pd_error *put_functions(struct embedding *e)
{
	struct pd_error *err = ann_functions_create(e->h->profile, &e->functions);

	for (size_t i = 0; !err && i < e->functions.list.n; i++) {
		const struct ann_function *function = &e->functions.list.data[i];

		if (100 * share_of(&e->functions, function) < HTML_CODE_PERCENT)
			continue;
		if (e->h->n_code_bytes > HTML_MAX_CODE_BYTES)
			e->h->n_left_out++;
		else
			err = put_function(e, function);
	}
	return err;
}

static void put_places(struct html *h)
{
	for (uint32_t i = 0; i < h->places.n; i++) {
		const struct html_place *place = base_intern_bytes(&h->places, i);

		html_put(&h->columns, HTML_PLACE_CALLER, place->caller);
		html_put(&h->columns, HTML_PLACE_FUNCTION, place->function);
		html_put(&h->columns, HTML_PLACE_LINE, place->line);
	}
}

struct pd_error *html_put_code(struct html *h)
{
	struct embedding e = { .h = h, .from = h->opts->html_code };
	struct pd_error *err = &pd_enomem;

	if (!h->opts->format.html.embeds_source)
		return NULL;
	e.codes = base_calloc_n(h->profile->binaries.n, sizeof(*e.codes));
	h->instructions = base_calloc_n(h->profile->frames.n, sizeof(*h->instructions));
	if (e.codes && h->instructions)
		err = put_functions(&e);
	put_places(h);
	for (size_t i = 0; e.codes && i < h->profile->binaries.n; i++)
		ann_code_destroy(e.codes[i]);
	free(e.codes);
	free(e.rows);
	ann_functions_deinit(&e.functions);
	return err;
}

/* Number of lines on either side of a line with code. */
enum { AROUND = 8 };

/* The share of an event that each stack has, from 0 to 1; those of several events are added. */
static double *weigh_stacks(const struct profile *profile)
{
	double *shares = base_calloc_n(profile->stacks.n, sizeof(*shares));

	for (struct prof_sample_id id = { 0 }; shares && id.i < profile->samples.n; id.i++) {
		const struct prof_sample *sample = prof_sample(profile, id);
		double whole = (double)prof_event(profile, sample->event)->total.period;

		if (whole > 0)
			shares[sample->stack.i] += (double)prof_value(profile, id)->period / whole;
	}
	return shares;
}

/* The share of each frame with what it calls. Recursive ones may have more than 1. */
static double *weigh_frames(const struct profile *profile)
{
	_cleanup_free_ double *stacks = weigh_stacks(profile);
	double *frames = base_calloc_n(profile->frames.n, sizeof(*frames));

	for (uint32_t i = 0; stacks && frames && i < profile->stacks.n; i++) {
		uint32_t n;
		const struct prof_frame_id *list =
			prof_stack(profile, (struct prof_stack_id){ i }, &n);

		for (uint32_t k = 0; k < n; k++)
			frames[list[k].i] += stacks[i];
	}
	if (stacks)
		return frames;
	free(frames);
	return NULL;
}

static void want_lines_of(struct html *h, struct prof_frame_id id)
{
	const struct profile *profile = h->profile;
	struct prof_binary_id binary = prof_frame(profile, id)->binary;
	uint32_t n;
	const struct prof_line *lines = prof_frame_lines(profile, id, &n);

	for (uint32_t i = 0; lines && i < n && !prof_is_none(binary); i++) {
		const struct prof_function *function = prof_function(profile, lines[i].function);
		const char *file = prof_string(profile, function->file);

		if (*file && lines[i].line)
			want_line(h, file, lines[i].line, binary);
	}
}

static void want_hot_lines(struct html *h)
{
	_cleanup_free_ double *shares = weigh_frames(h->profile);

	h->no_memory |= !shares;
	for (uint32_t i = 0; shares && i < h->profile->frames.n; i++) {
		if (100 * shares[i] >= HTML_CODE_PERCENT)
			want_lines_of(h, (struct prof_frame_id){ i });
	}
}

/* Put the lines from *@p line up to @p end that exist, and move *@p line after them. */
static struct pd_error *put_range(struct html *h, const struct html_line *wanted, uint32_t *line,
	uint32_t end, uint64_t *n_ret)
{
	const char *file = base_intern_bytes(&h->source_paths, wanted->file);
	const struct pd_build_id *id = &prof_binary(h->profile, wanted->binary)->build_id;
	const char *found;

	for (; *line < end && h->n_code_bytes <= HTML_MAX_CODE_BYTES; ++*line) {
		struct pd_error *err =
			ann_sources_line(h->opts->html_code->sources, file, id, *line, &found);

		if (err || !found)
			return err;
		_cleanup_free_ char *text = ann_source_text(found);
		if (!text)
			return &pd_enomem;
		h->n_code_bytes += strlen(text);
		html_put(&h->columns, HTML_LINE_NUMBER, *line);
		html_put(&h->columns, HTML_LINE_TEXT, html_string(h, text, strlen(text)));
		++*n_ret;
	}
	return NULL;
}

/* Why lines of @p file are not in the page; "": they are. */
static const char *source_note(
	const struct html *h, const char *file, uint32_t last, char *buffer, size_t size)
{
	const struct ann_sources *sources = h->opts->html_code->sources;
	size_t n = ann_sources_n_lines(sources, file);

	if (!ann_sources_path(sources, file))
		return "the file was not found where the page was made";
	if (h->n_code_bytes > HTML_MAX_CODE_BYTES)
		return "lines are left out because the page would become too large";
	if (last <= n)
		return "";
	snprintf(buffer, size, "the file has only %zu lines: it is not the one that was compiled",
		n);
	return buffer;
}

/* Put the lines around those from @p first up to @p end of @p order, all of one file. */
static struct pd_error *put_file(
	struct html *h, const struct base_keyed *order, size_t first, size_t end)
{
	const struct html_line *wanted = &h->lines.data[order[first].index];
	const char *file = base_intern_bytes(&h->source_paths, wanted->file);
	uint32_t next = 1, last = 0;
	uint64_t n = 0;
	char buffer[128];

	for (size_t i = first; i < end; i++) {
		const struct html_line *line = &h->lines.data[order[i].index];
		uint32_t from = line->line > AROUND ? line->line - AROUND : 1;

		last = line->line;
		if (from > next)
			next = from;
		struct pd_error *err = put_range(h, line, &next, last + AROUND + 1, &n);
		if (err)
			return err;
	}
	const char *note = source_note(h, file, last, buffer, sizeof(buffer));
	html_put(&h->columns, HTML_SOURCE_PATH, html_string(h, file, strlen(file)));
	html_put(&h->columns, HTML_SOURCE_NOTE, html_string(h, note, strlen(note)));
	html_put(&h->columns, HTML_SOURCE_ROWS, n);
	return NULL;
}

static struct pd_error *put_files(struct html *h)
{
	size_t n = h->lines.n;
	_cleanup_free_ struct base_keyed *order = base_calloc_n(n, sizeof(*order));

	for (uint32_t i = 0; order && i < n; i++)
		order[i] = (struct base_keyed){
			(uint64_t)h->lines.data[i].file << 32 | h->lines.data[i].line, i
		};
	if (!order || !base_sort_keyed(order, n))
		return &pd_enomem;
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && order[end].key >> 32 == order[i].key >> 32;)
			end++;
		struct pd_error *err = put_file(h, order, i, end);
		if (err)
			return err;
	}
	return NULL;
}

struct pd_error *html_put_sources(struct html *h)
{
	if (!h->opts->format.html.embeds_source)
		return NULL;
	want_hot_lines(h);
	return h->no_memory ? &pd_enomem : put_files(h);
}

/* Instructions of the hottest functions in the html format. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "annotate/binary_code.h"
#include "annotate/functions.h"
#include "annotate/function_listing.h"
#include "base/cleanup.h"
#include "output/code_text.h"
#include "output/html_private.h"

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
		.name = html_string(h, pd_intern_bytes(&h->names.texts, text),
			pd_intern_len(&h->names.texts, text)),
		.file = html_string(h, file, strlen(file)),
		.line = name->start_line,
		.binary = binary.i + 1,
	};
	return html_function(h, &function);
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
		uint32_t id = pd_intern_add(&h->places, &entry, sizeof(entry));

		h->no_memory |= id == PD_INTERN_NONE;
		place = id + 1;
		if (id == n && name->file && name->line)
			html_want_line(h, name->file, name->line, binary);
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
		row->text ? out_insn_text(listing, row, MNEMONIC_COLUMNS) : strdup("");
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
	_cleanup_free_ bool *is_shown = calloc(n + 1, sizeof(*is_shown));

	free(e->rows);
	e->rows = calloc(n + 1, sizeof(*e->rows));
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
		const struct html_place *place = pd_intern_bytes(&h->places, i);

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
	e.codes = calloc(h->profile->binaries.n + 1, sizeof(*e.codes));
	h->instructions = calloc(h->profile->frames.n + 1, sizeof(*h->instructions));
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

#include "profile/name_filter.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/format.h"
#include "profile/function_search.h"
#include "profile/scaffolding.h"

/* Bits of a function or frame: the names and patterns that stand for it. */
enum {
	FOCUSED = 1,
	IGNORED = 2,
	HIDDEN = 4,
	ROOT = 8,
	SELECTED = 16,
};

/* A frame as a root. */
struct root {
	/** Number of its functions up to the outermost one that is a root; 0 if none is. */
	uint32_t n_functions;
	/** The frame with these functions only; none if they are all hidden. */
	struct prof_frame_id frame;
};

/*
 * Filtering of one profile. Arrays are indexed by ids. All stacks are judged before frames change.
 */
struct filtering {
	const struct prof_filter *filter;
	struct profile *profile;
	/** Bits of binaries, functions and frames. */
	uint8_t *binaries;
	uint8_t *functions;
	uint8_t *frames;
	struct root *roots;
	/** The enum prof_filter_kind that leaves out a stack, or PROF_N_FILTERS. */
	uint8_t *verdicts;
	/** Stacks as they are shown; none if that is not known yet. */
	struct prof_stack_id *stacks;
	/** New ids of samples; none if they are left out. */
	struct prof_sample_id *samples;
	PD_VEC(struct prof_frame_id) stack;
	PD_VEC(uint64_t) pcs;
	/** prof_about.name_notes; NULL: there are none. */
	char *notes;
	/** Addresses without a function are selected. */
	bool selects_unknown;
};

static bool matches_any(const struct prof_patterns *list, const char *text)
{
	for (size_t i = 0; i < list->items.n && *text; i++) {
		if (base_pattern_matches(list->items.data[i], text))
			return true;
	}
	return false;
}

static uint8_t bits_of_text(const struct prof_filter *filter, const char *text)
{
	return (uint8_t)((matches_any(&filter->focus, text) ? FOCUSED : 0) |
			 (matches_any(&filter->ignore, text) ? IGNORED : 0) |
			 (matches_any(&filter->hide, text) ? HIDDEN : 0));
}

static void match_binaries(struct filtering *f)
{
	for (struct prof_binary_id id = { 0 }; id.i < f->profile->binaries.n; id.i++) {
		const struct prof_binary *binary = prof_binary(f->profile, id);

		f->binaries[id.i] = bits_of_text(f->filter, prof_string(f->profile, binary->name));
	}
}

static uint8_t bits_of_binary(const struct filtering *f, struct prof_binary_id id)
{
	return prof_is_none(id) ? 0 : f->binaries[id.i];
}

static void match_functions(struct filtering *f)
{
	const struct profile *profile = f->profile;

	for (struct prof_function_id id = { 0 }; id.i < profile->functions.n; id.i++) {
		const struct prof_function *function = prof_function(profile, id);
		const char *name = prof_string(profile, function->name);

		f->functions[id.i] =
			bits_of_text(f->filter, name) |
			bits_of_text(f->filter, prof_function_name(profile, id)) |
			(f->filter->hides_scaffolding &&
						prof_is_scaffolding(prof_pattern_name(profile, id))
					? HIDDEN
					: 0) |
			bits_of_text(f->filter, prof_string(profile, function->file)) |
			bits_of_binary(f, function->binary);
	}
}

/* Append to the notes. Takes over @p text, which may be NULL: no memory. */
static struct pd_error *add_note(struct filtering *f, char *text)
{
	_cleanup_free_ char *before = f->notes;

	f->notes = text && before ? base_format("%s; %s", before, text) : take_ptr(text);
	free(text);
	return f->notes ? NULL : &pd_enomem;
}

/* Note that @p wanted stands for several functions, or which ones are like it if it is none. */
static struct pd_error *note_found(
	struct filtering *f, const char *wanted, const struct prof_found_functions *found)
{
	_cleanup_free_ char *names = NULL;
	struct pd_error *err;

	if (found->n_names == 1)
		return NULL;
	if (found->n_names) {
		err = prof_list_functions(f->profile, found, &names);
		if (err)
			return err;
		return add_note(f, base_format("'%s' stands for %zu functions: %s", wanted,
					   found->n_names, names));
	}
	err = prof_suggest_functions(f->profile, wanted, &names);
	if (err)
		return err;
	return add_note(f,
		base_format("'%s' stands for no function%s%s", wanted, *names ? "; " : "", names));
}

/* Note that all calls of the functions are inlined, so that no sample is in their own code. */
static struct pd_error *note_inlined(
	struct filtering *f, const char *wanted, const struct prof_found_functions *found)
{
	const struct profile *profile = f->profile;

	for (struct prof_frame_id id = { 0 }; id.i < profile->frames.n; id.i++) {
		uint32_t n;
		const struct prof_line *lines = prof_frame_lines(profile, id, &n);

		if (lines && found->is_found[lines[n - 1].function.i])
			return NULL;
	}
	return add_note(f, base_format("'%s' was always inlined", wanted));
}

/* Set @p bit of the functions that @p wanted stands for. */
static struct pd_error *find_functions(struct filtering *f, const char *wanted, uint8_t bit)
{
	_cleanup_(prof_found_functions_deinit) struct prof_found_functions found = { 0 };
	struct pd_error *err = prof_find_functions(f->profile, wanted, NULL, &found);

	if (err)
		return err;
	for (size_t i = 0; i < f->profile->functions.n; i++)
		f->functions[i] |= found.is_found[i] ? bit : 0;
	err = note_found(f, wanted, &found);
	return err || bit != SELECTED || !found.n ? err : note_inlined(f, wanted, &found);
}

static struct pd_error *find_all_functions(
	struct filtering *f, const struct prof_names *names, uint8_t bit)
{
	for (size_t i = 0; i < names->items.n; i++) {
		struct pd_error *err = find_functions(f, names->items.data[i], bit);

		if (err)
			return err;
	}
	return NULL;
}

static bool matches_function(const struct profile *profile, struct prof_function_id id,
	const struct base_pattern *pattern)
{
	const struct prof_function *function = prof_function(profile, id);

	return base_pattern_matches(pattern, prof_string(profile, function->name)) ||
	       base_pattern_matches(pattern, prof_function_name(profile, id)) ||
	       base_pattern_matches(pattern, prof_string(profile, function->file));
}

static bool matches_frame(
	const struct profile *profile, struct prof_frame_id id, const struct base_pattern *pattern)
{
	char buf[256];
	uint32_t n;

	return !prof_frame_lines(profile, id, &n) &&
	       base_pattern_matches(
		       pattern, prof_unnamed(profile, prof_frame(profile, id), buf, sizeof(buf)));
}

static bool matches_anything(const struct profile *profile, const struct base_pattern *pattern)
{
	for (struct prof_binary_id id = { 0 }; id.i < profile->binaries.n; id.i++) {
		const struct prof_binary *binary = prof_binary(profile, id);

		if (base_pattern_matches(pattern, prof_string(profile, binary->name)))
			return true;
	}
	for (struct prof_function_id id = { 0 }; id.i < profile->functions.n; id.i++) {
		if (matches_function(profile, id, pattern))
			return true;
	}
	for (struct prof_frame_id id = { 0 }; id.i < profile->frames.n; id.i++) {
		if (matches_frame(profile, id, pattern))
			return true;
	}
	return false;
}

/* Patterns that match nothing are taken for names. */
static struct pd_error *find_patterns(
	struct filtering *f, const struct prof_patterns *list, uint8_t bit)
{
	for (size_t i = 0; i < list->items.n; i++) {
		const struct base_pattern *pattern = list->items.data[i];

		if (matches_anything(f->profile, pattern))
			continue;
		struct pd_error *err = find_functions(f, base_pattern_text(pattern), bit);
		if (err)
			return err;
	}
	return NULL;
}

static struct pd_error *find_names(struct filtering *f)
{
	const struct prof_filter *filter = f->filter;
	struct pd_error *err = find_all_functions(f, &filter->symbols, SELECTED);

	for (size_t i = 0; i < filter->symbols.items.n; i++)
		f->selects_unknown |= strcmp(filter->symbols.items.data[i], "[unknown]") == 0;
	if (!err)
		err = find_all_functions(f, &filter->roots, ROOT);
	if (!err)
		err = find_patterns(f, &filter->focus, FOCUSED);
	if (!err)
		err = find_patterns(f, &filter->ignore, IGNORED);
	if (!err)
		err = find_patterns(f, &filter->hide, HIDDEN);
	return err;
}

static uint8_t bits_of_frame(const struct filtering *f, struct prof_frame_id id)
{
	const struct prof_frame *frame = prof_frame(f->profile, id);
	uint8_t bits = 0;
	char buf[256];
	uint32_t n;
	const struct prof_line *lines = prof_frame_lines(f->profile, id, &n);

	for (uint32_t i = 0; i < n; i++)
		bits |= f->functions[lines[i].function.i];
	if (lines)
		return bits;
	return bits_of_binary(f, frame->binary) |
	       bits_of_text(f->filter, prof_unnamed(f->profile, frame, buf, sizeof(buf)));
}

/* Return root.n_functions of a frame. */
static uint32_t count_up_to_root(const struct filtering *f, struct prof_frame_id id)
{
	uint32_t n;
	const struct prof_line *lines = prof_frame_lines(f->profile, id, &n);

	for (; n; n--) {
		if (f->functions[lines[n - 1].function.i] & ROOT)
			return n;
	}
	return 0;
}

/* Look at the function at the leaf. Inlined functions come before it in the list of lines. */
static bool is_selected(const struct filtering *f, const struct prof_frame_id *frames, uint32_t n)
{
	const struct prof_line *lines = NULL;
	uint32_t n_lines;

	if (n)
		lines = prof_frame_lines(f->profile, frames[0], &n_lines);
	return lines ? f->functions[lines[n_lines - 1].function.i] & SELECTED : f->selects_unknown;
}

/* Return the filter that leaves out the samples of a stack, or PROF_N_FILTERS. */
static enum prof_filter_kind judge(const struct filtering *f, struct prof_stack_id stack)
{
	const struct prof_filter *filter = f->filter;
	uint8_t bits = 0;
	bool has_root = false;
	uint32_t n;
	const struct prof_frame_id *frames = prof_stack(f->profile, stack, &n);

	if (filter->symbols.items.n && !is_selected(f, frames, n))
		return PROF_FILTER_SYMBOL;
	for (uint32_t i = 0; i < n; i++) {
		bits |= f->frames[frames[i].i];
		has_root |= f->roots[frames[i].i].n_functions > 0;
	}
	if (filter->focus.items.n && !(bits & FOCUSED))
		return PROF_FILTER_FOCUS;
	if (bits & IGNORED)
		return PROF_FILTER_IGNORE;
	return filter->roots.items.n && !has_root ? PROF_FILTER_ROOT : PROF_N_FILTERS;
}

/* Add the lines of @p old that are not hidden to the profile. */
static bool add_visible(const struct filtering *f, struct prof_lines old, struct prof_lines *ret)
{
	struct profile *profile = f->profile;
	struct prof_lines lines = { .first = (uint32_t)profile->lines.n };

	for (uint32_t i = old.first; i < old.first + old.n; i++) {
		struct prof_line line = profile->lines.data[i];

		if (f->functions[line.function.i] & HIDDEN)
			continue;
		if (!pd_vec_push(&profile->lines, line))
			return false;
		lines.n++;
	}
	*ret = lines;
	return true;
}

/* Add a frame like @p id that has only the @p n innermost functions. */
static bool add_root(struct filtering *f, struct prof_frame_id id, uint32_t n)
{
	struct profile *profile = f->profile;
	struct prof_frame frame = *prof_frame(profile, id);
	struct prof_lines lines = profile->frame_lines.data[id.i];

	lines.n = n;
	if (!add_visible(f, lines, &lines))
		return false;
	f->roots[id.i].frame = prof_no_frame();
	if (!lines.n)
		return true;
	frame.flags |= PROF_FRAME_ROOT;
	f->roots[id.i].frame = prof_add_frame(profile, &frame);
	if (prof_is_none(f->roots[id.i].frame) || !pd_vec_push(&profile->frame_lines, lines))
		return false;
	/* Offsets are kept for all frames or for none. */
	if (!profile->frame_offsets.n)
		return true;
	struct prof_frame_offset offset = profile->frame_offsets.data[id.i];
	return pd_vec_push(&profile->frame_offsets, offset);
}

static bool add_roots(struct filtering *f, size_t n_frames)
{
	for (struct prof_frame_id id = { 0 }; id.i < n_frames; id.i++) {
		struct root *root = &f->roots[id.i];

		root->frame = id;
		if (root->n_functions && root->n_functions < f->profile->frame_lines.data[id.i].n &&
			!add_root(f, id, root->n_functions))
			return false;
	}
	return true;
}

/* Remove hidden functions from their frames. Frames of which something is left are not hidden. */
static bool hide_functions(struct filtering *f, size_t n_frames)
{
	for (struct prof_frame_id id = { 0 }; id.i < n_frames; id.i++) {
		struct prof_lines lines;

		if (!(f->frames[id.i] & HIDDEN))
			continue;
		if (!add_visible(f, f->profile->frame_lines.data[id.i], &lines))
			return false;
		f->profile->frame_lines.data[id.i] = lines;
		if (lines.n)
			f->frames[id.i] &= (uint8_t)~HIDDEN;
	}
	return true;
}

/* Number of frames from the leaf up to the outermost root, or all of them. */
static uint32_t count_shown(
	const struct filtering *f, const struct prof_frame_id *frames, uint32_t n)
{
	uint32_t shown = n;

	while (shown && !f->roots[frames[shown - 1].i].n_functions)
		shown--;
	return shown ? shown : n;
}

/*
 * Store the frames of @p stack that are shown in f->stack, and the elements of @p pcs, which may be
 * NULL, at these frames in f->pcs.
 */
static bool show_frames(struct filtering *f, struct prof_stack_id stack, const uint64_t *pcs)
{
	uint32_t n;
	const struct prof_frame_id *frames = prof_stack(f->profile, stack, &n);
	uint32_t n_shown = count_shown(f, frames, n);

	f->stack.n = f->pcs.n = 0;
	for (uint32_t i = 0; i < n_shown; i++) {
		bool is_root = i + 1 == n_shown && f->roots[frames[i].i].n_functions;
		struct prof_frame_id frame = is_root ? f->roots[frames[i].i].frame : frames[i];

		/* A root that is its own frame may be hidden like any other. */
		if (prof_is_none(frame) ||
			(prof_same_frame(frame, frames[i]) && f->frames[frame.i] & HIDDEN))
			continue;
		if (!pd_vec_push(&f->stack, frame) || (pcs && !pd_vec_push(&f->pcs, pcs[i])))
			return false;
	}
	return true;
}

/* Return the stack that is shown for @p id, or none if out of memory. */
static struct prof_stack_id shown_stack(struct filtering *f, struct prof_stack_id id)
{
	if (!prof_is_none(f->stacks[id.i]) || !show_frames(f, id, NULL))
		return f->stacks[id.i];
	f->stacks[id.i] = prof_add_stack(f->profile, f->stack.data, f->stack.n);
	return f->stacks[id.i];
}

static struct pd_error *keep_samples(struct filtering *f, const struct prof_samples *all)
{
	for (uint32_t i = 0; i < all->samples.n; i++) {
		struct prof_sample sample = all->samples.data[i];
		const struct prof_value *value = &all->values.data[i];
		uint64_t time = i < all->times.n ? all->times.data[i] : PD_NO_TIME;
		uint8_t verdict = f->verdicts[sample.stack.i];

		f->samples[i] = prof_no_sample();
		if (verdict != PROF_N_FILTERS) {
			f->profile->stats.filtered[verdict] += value->samples;
			f->profile->stats.filtered_period[verdict] += value->period;
			continue;
		}
		sample.stack = shown_stack(f, sample.stack);
		if (prof_is_none(sample.stack))
			return &pd_enomem;
		struct pd_error *err =
			prof_add_samples(f->profile, &sample, time, value, &f->samples[i]);
		if (err)
			return err;
	}
	return NULL;
}

/* Give @p row, a row of the sample @p old, the addresses of the frames that are shown. */
static bool show_row(struct filtering *f, const struct prof_sample *old, struct prof_row *row)
{
	uint32_t n_pcs;
	uint32_t n;

	if (prof_is_none(row->pcs))
		return true;
	const uint64_t *pcs = prof_pcs(f->profile, row->pcs, &n_pcs);
	prof_stack(f->profile, old->stack, &n);
	if (n_pcs != n)
		return true;
	if (!show_frames(f, old->stack, pcs))
		return false;
	row->pcs = prof_add_pcs(f->profile, f->pcs.data, f->pcs.n);
	return !prof_is_none(row->pcs);
}

/*
 * Remove rows of samples that were left out. Details move with their rows, and notes refer to rows.
 */
static bool keep_rows(struct filtering *f, const struct prof_samples *all)
{
	struct profile *profile = f->profile;
	uint32_t n = 0;
	size_t n_details = 0;
	size_t note = 0;

	/*
	 * Notes are in the order of their rows. A note keeps its position: before the next row that
	 * remains.
	 */
	for (uint32_t i = 0; i < profile->rows.n; i++) {
		struct prof_row row = profile->rows.data[i];
		struct prof_sample_id sample = f->samples[row.sample.i];

		for (; note < profile->notes.n && profile->notes.data[note].row <= i; note++)
			profile->notes.data[note].row = n;
		base_spill_pass(&profile->rows, i);
		base_spill_pass(&profile->details, i);
		base_spill_pass(&profile->origins, i);
		if (prof_is_none(sample))
			continue;
		if (!show_row(f, &all->samples.data[row.sample.i], &row))
			return false;
		row.sample = sample;
		/* Details end with the last row that has any. */
		if (i < profile->details.n)
			profile->details.data[n_details++] = profile->details.data[i];
		if (profile->origins.n)
			profile->origins.data[n] = profile->origins.data[i];
		profile->rows.data[n++] = row;
	}
	for (; note < profile->notes.n; note++)
		profile->notes.data[note].row = n;
	profile->rows.n = n;
	profile->origins.n = profile->origins.n ? n : 0;
	profile->details.n = n_details;
	return true;
}

/* Remove waits of samples that were left out. */
static void keep_waits(const struct filtering *f)
{
	struct profile *profile = f->profile;
	size_t n = 0;

	for (size_t i = 0; i < profile->waits.n; i++) {
		struct prof_wait wait = profile->waits.data[i];

		wait.sample = f->samples[wait.sample.i];
		if (!prof_is_none(wait.sample))
			profile->waits.data[n++] = wait;
	}
	profile->waits.n = n;
}

static bool allocate(struct filtering *f)
{
	const struct profile *profile = f->profile;

	f->binaries = base_calloc_n(profile->binaries.n, sizeof(*f->binaries));
	f->functions = base_calloc_n(profile->functions.n, sizeof(*f->functions));
	f->frames = base_calloc_n(profile->frames.n, sizeof(*f->frames));
	f->roots = base_calloc_n(profile->frames.n, sizeof(*f->roots));
	f->verdicts = base_calloc_n(profile->stacks.n, sizeof(*f->verdicts));
	f->stacks = base_calloc_n(profile->stacks.n, sizeof(*f->stacks));
	f->samples = base_calloc_n(profile->samples.n, sizeof(*f->samples));
	return f->binaries && f->functions && f->frames && f->roots && f->verdicts && f->stacks &&
	       f->samples;
}

static void filtering_deinit(struct filtering *f)
{
	free(f->binaries);
	free(f->functions);
	free(f->frames);
	free(f->roots);
	free(f->verdicts);
	free(f->stacks);
	free(f->samples);
	pd_vec_deinit(&f->stack);
	pd_vec_deinit(&f->pcs);
	free(f->notes);
}

static struct pd_error *judge_all(struct filtering *f)
{
	match_binaries(f);
	match_functions(f);
	struct pd_error *err = find_names(f);
	if (err)
		return err;
	for (struct prof_frame_id id = { 0 }; id.i < f->profile->frames.n; id.i++) {
		f->frames[id.i] = bits_of_frame(f, id);
		f->roots[id.i].n_functions = count_up_to_root(f, id);
	}
	for (struct prof_stack_id id = { 0 }; id.i < f->profile->stacks.n; id.i++) {
		f->verdicts[id.i] = (uint8_t)judge(f, id);
		f->stacks[id.i] = prof_no_stack();
	}
	return NULL;
}

static struct pd_error *keep_notes(const struct filtering *f)
{
	if (!f->notes)
		return NULL;
	f->profile->about.name_notes = prof_add_string(f->profile, f->notes);
	return prof_is_none(f->profile->about.name_notes) ? &pd_enomem : NULL;
}

struct pd_error *prof_filter_by_names(const struct prof_filter *filter, struct profile *profile)
{
	_cleanup_(filtering_deinit) struct filtering f = { .filter = filter, .profile = profile };
	_cleanup_(prof_samples_deinit) struct prof_samples all = { 0 };
	size_t n_frames = profile->frames.n;

	if (!prof_filter_needs_names(filter))
		return NULL;
	if (!allocate(&f))
		return &pd_enomem;
	struct pd_error *err = judge_all(&f);
	if (!err)
		err = keep_notes(&f);
	if (err)
		return err;
	/* Roots are copied with all functions that are shown, so they come first. */
	if (!add_roots(&f, n_frames) || !hide_functions(&f, n_frames))
		return &pd_enomem;
	all = prof_take_samples(profile);
	err = keep_samples(&f, &all);
	if (err)
		return err;
	keep_waits(&f);
	return keep_rows(&f, &all) ? NULL : &pd_enomem;
}

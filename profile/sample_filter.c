/* Filters: those that look at a sample first, then those that look at the names of its frames. */
#include "profile/sample_filter.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "profile/scaffolding.h"

static void deinit_patterns(struct prof_patterns *list)
{
	for (size_t i = 0; i < list->items.n; i++)
		base_pattern_destroy(list->items.data[i]);
	pd_vec_deinit(&list->items);
}

void prof_filter_deinit(struct prof_filter *filter)
{
#define DEINIT_ranges(from) pd_vec_deinit(&(from)->items)
#define DEINIT_times(from) prof_time_spans_deinit(from)
#define DEINIT_names(from) pd_vec_deinit(&(from)->items)
#define DEINIT_patterns(from) deinit_patterns(from)
#define DEINIT_LIST(name, text, type, list, ...) DEINIT_##type(&filter->list);
	PD_FILTERS(DEINIT_LIST)
	PD_FRAME_FILTERS(DEINIT_LIST)
#undef DEINIT_LIST
}

/* Whether the filter has lists of the stage that is named. */
#define LENGTH_ranges(from) ((from)->items.n)
#define LENGTH_times(from) ((from)->list.n)
#define LENGTH_names(from) ((from)->items.n)
#define LENGTH_patterns(from) ((from)->items.n)
enum stage { SAMPLE, NAMES };
static bool has_lists(const struct prof_filter *filter, enum stage wanted)
{
#define HAS_LIST(name, text, type, list, stage) \
	(stage == wanted && LENGTH_##type(&filter->list) > 0) ||
	return PD_FILTERS(HAS_LIST) PD_FRAME_FILTERS(HAS_LIST) false;
#undef HAS_LIST
}

bool prof_filter_is_active(const struct prof_filter *filter)
{
	return has_lists(filter, SAMPLE) || prof_filter_needs_names(filter);
}

/* An empty list contains everything. */
static bool has_number(const struct prof_ranges *list, uint32_t number)
{
	for (size_t i = 0; i < list->items.n; i++) {
		const struct pd_number_range *range = &list->items.data[i];

		if (number >= range->first && number <= range->last)
			return true;
	}
	return !list->items.n;
}

static bool has_name(const struct prof_names *list, const char *name)
{
	for (size_t i = 0; i < list->items.n; i++) {
		if (strcmp(list->items.data[i], name) == 0)
			return true;
	}
	return false;
}

/* Match "cycles" with "cycles:u", but not "sched" with "sched:sched_switch". */
static bool is_without_modifiers(const char *wanted, const char *name)
{
	size_t len = strlen(wanted);

	if (strncmp(wanted, name, len) != 0 || name[len] != ':')
		return false;
	return name[len + 1 + strspn(name + len + 1, "ukhHGpPSDIWeb")] == '\0';
}

bool prof_filter_is_event(const char *wanted, const char *name)
{
	return strcmp(wanted, name) == 0 || is_without_modifiers(wanted, name);
}

enum prof_filter_kind prof_filter_event(const struct prof_filter *filter, const char *name)
{
	for (size_t i = 0; i < filter->events.items.n; i++) {
		if (prof_filter_is_event(filter->events.items.data[i], name))
			return PROF_N_FILTERS;
	}
	return filter->events.items.n ? PROF_FILTER_EVENT : PROF_N_FILTERS;
}

static bool has_dso(const struct prof_filter *filter, const char *dso)
{
	const char *name = dso ? dso : "[unknown]";
	const char *slash = strrchr(name, '/');

	return has_name(&filter->dsos, name) || (slash && has_name(&filter->dsos, slash + 1));
}

bool prof_filter_has_cpu(const struct prof_filter *filter, uint32_t cpu)
{
	return has_number(&filter->cpus, cpu);
}

enum prof_filter_kind prof_filter_sample(const struct prof_filter *filter,
	const struct prof_time_spans *times, const struct prof_filter_sample *sample)
{
	if (!prof_time_spans_contain(times, sample->time))
		return PROF_FILTER_TIME;
	if (filter->cpus.items.n && !(sample->has_cpu && has_number(&filter->cpus, sample->cpu)))
		return PROF_FILTER_CPU;
	if (!has_number(&filter->pids, sample->pid))
		return PROF_FILTER_PID;
	if (!has_number(&filter->tids, sample->tid))
		return PROF_FILTER_TID;
	if (filter->comms.items.n && !has_name(&filter->comms, sample->comm))
		return PROF_FILTER_COMM;
	if (filter->dsos.items.n && !has_dso(filter, sample->dso))
		return PROF_FILTER_DSO;
	return PROF_N_FILTERS;
}

/* Bits of a function or frame: the patterns that match it. */
enum {
	FOCUSED = 1,
	IGNORED = 2,
	HIDDEN = 4,
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
};

bool prof_filter_needs_names(const struct prof_filter *filter)
{
	return has_lists(filter, NAMES) || filter->hides_scaffolding;
}

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
		const struct prof_function *function =
			prof_function(f->profile, lines[n - 1].function);

		if (has_name(&f->filter->roots, prof_string(f->profile, function->name)) ||
			has_name(&f->filter->roots,
				prof_function_name(f->profile, lines[n - 1].function)) ||
			has_name(&f->filter->roots, prof_string(f->profile, function->linkage)))
			return n;
	}
	return 0;
}

/* Match the function at the leaf. Inlined functions come before it in the list of lines. */
static bool has_symbol(const struct filtering *f, const struct prof_frame_id *frames, uint32_t n)
{
	const struct profile *profile = f->profile;
	const struct prof_names *wanted = &f->filter->symbols;
	const struct prof_line *lines = NULL;
	uint32_t n_lines;

	if (n)
		lines = prof_frame_lines(profile, frames[0], &n_lines);
	if (!lines)
		return has_name(wanted, "[unknown]");
	struct prof_function_id id = lines[n_lines - 1].function;
	return has_name(wanted, prof_string(profile, prof_function(profile, id)->name)) ||
	       has_name(wanted, prof_function_name(profile, id));
}

/* Return the filter that leaves out the samples of a stack, or PROF_N_FILTERS. */
static enum prof_filter_kind judge(const struct filtering *f, struct prof_stack_id stack)
{
	const struct prof_filter *filter = f->filter;
	uint8_t bits = 0;
	bool has_root = false;
	uint32_t n;
	const struct prof_frame_id *frames = prof_stack(f->profile, stack, &n);

	if (filter->symbols.items.n && !has_symbol(f, frames, n))
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
		struct pd_error *err = prof_add_samples(f->profile, &sample, value, &f->samples[i]);
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
}

static void judge_all(struct filtering *f)
{
	match_binaries(f);
	match_functions(f);
	for (struct prof_frame_id id = { 0 }; id.i < f->profile->frames.n; id.i++) {
		f->frames[id.i] = bits_of_frame(f, id);
		f->roots[id.i].n_functions = count_up_to_root(f, id);
	}
	for (struct prof_stack_id id = { 0 }; id.i < f->profile->stacks.n; id.i++) {
		f->verdicts[id.i] = (uint8_t)judge(f, id);
		f->stacks[id.i] = prof_no_stack();
	}
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
	judge_all(&f);
	/* Roots are copied with all functions that are shown, so they come first. */
	if (!add_roots(&f, n_frames) || !hide_functions(&f, n_frames))
		return &pd_enomem;
	all = prof_take_samples(profile);
	struct pd_error *err = keep_samples(&f, &all);
	if (err)
		return err;
	keep_waits(&f);
	return keep_rows(&f, &all) ? NULL : &pd_enomem;
}

#include "annotate/line_samples.h"

#include <stdlib.h>
#include <string.h>

#include "base/containers/map.h"
#include "base/system/libc.h"

struct summing {
	const struct ann_functions *functions;
	struct ann_lines *lines;
	/** File (id of its string) << 32 | line -> index in list + 1. */
	struct base_map known;
};

static size_t n_events(const struct ann_functions *functions)
{
	return functions->events.n;
}

static bool add_values(const struct ann_functions *functions, struct ann_lines *lines, size_t *ret)
{
	*ret = lines->values.n;
	for (size_t i = 0; i < n_events(functions); i++) {
		if (!pd_vec_push(&lines->values, (struct prof_value){ 0 }))
			return false;
	}
	return true;
}

static void add(struct prof_value *sums, const struct prof_value *values, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		sums[i].samples += values[i].samples;
		sums[i].period += values[i].period;
	}
}

/* Find or add the line of the innermost function at a frame. NULL: no memory. */
static struct ann_line *get_line(
	struct summing *s, const struct prof_function *function, uint32_t number)
{
	const struct profile *profile = s->functions->profile;
	struct ann_line line = {
		.file = prof_string(profile, function->file),
		.line = number,
		.function = prof_string(profile, function->name),
	};
	uint64_t *known = base_map_add(&s->known, (uint64_t)function->file.i << 32 | number, NULL);

	if (!known)
		return NULL;
	if (!*known) {
		if (!add_values(s->functions, s->lines, &line.values) ||
			!pd_vec_push(&s->lines->list, line))
			return NULL;
		*known = s->lines->list.n;
	}
	return &s->lines->list.data[*known - 1];
}

static struct pd_error *add_leaf(struct summing *s, const struct ann_leaf *leaf)
{
	const struct profile *profile = s->functions->profile;
	const struct prof_value *values = ann_values(s->functions, leaf->values);
	uint32_t n;
	const struct prof_line *lines = prof_frame_lines(profile, leaf->frame, &n);
	const struct prof_function *function = n ? prof_function(profile, lines[0].function) : NULL;

	if (!n || !lines[0].line || !*prof_string(profile, function->file)) {
		add(s->lines->unknown.data, values, n_events(s->functions));
		return NULL;
	}
	const struct ann_line *line = get_line(s, function, lines[0].line);
	if (!line)
		return &pd_enomem;
	add(&s->lines->values.data[line->values], values, n_events(s->functions));
	return NULL;
}

static struct pd_error *sum_leaves(struct summing *s, const struct ann_function *function)
{
	size_t first = function ? function->first : 0;
	size_t n = function ? function->n : s->functions->leaves.n;

	for (size_t i = 0; i < n_events(s->functions); i++) {
		if (!pd_vec_push(&s->lines->unknown, (struct prof_value){ 0 }))
			return &pd_enomem;
	}
	for (size_t i = first; i < first + n; i++) {
		struct pd_error *err = add_leaf(s, &s->functions->leaves.data[i]);

		if (err)
			return err;
	}
	return NULL;
}

/* Order of what is hottest: negative if the values @p a come first. */
static int compare_heat(
	const struct ann_functions *functions, const struct ann_lines *lines, size_t a, size_t b)
{
	for (size_t i = 0; i < n_events(functions); i++) {
		const struct prof_value *x = &lines->values.data[a + i];
		const struct prof_value *y = &lines->values.data[b + i];

		if (x->period != y->period)
			return x->period > y->period ? -1 : 1;
		if (x->samples != y->samples)
			return x->samples > y->samples ? -1 : 1;
	}
	return 0;
}

static int compare_lines(const void *a, const void *b, void *ctx)
{
	const struct ann_line *x = a, *y = b;
	const struct summing *s = ctx;

	/* Texts of the profile are interned: equal ones have one address. */
	if (x->file != y->file)
		return x->file < y->file ? -1 : 1;
	int order = compare_heat(s->functions, s->lines, x->values, y->values);
	return order ? order : (x->line > y->line) - (x->line < y->line);
}

static int compare_files(const void *a, const void *b, void *ctx)
{
	const struct ann_file *x = a, *y = b;
	const struct summing *s = ctx;
	int order = compare_heat(s->functions, s->lines, x->values, y->values);

	return order ? order : strcmp(x->file, y->file);
}

static struct pd_error *group_files(struct summing *s)
{
	struct ann_lines *lines = s->lines;

	if (lines->list.n)
		base_sort_with(lines->list.data, lines->list.n, sizeof(*lines->list.data),
			compare_lines, s);
	for (size_t i = 0; i < lines->list.n; i++) {
		const struct ann_line *line = &lines->list.data[i];
		struct ann_file file = { .file = line->file, .first = i };

		if (!i || line->file != line[-1].file) {
			if (!add_values(s->functions, lines, &file.values) ||
				!pd_vec_push(&lines->files, file))
				return &pd_enomem;
		}
		struct ann_file *last = &lines->files.data[lines->files.n - 1];
		last->n++;
		add(&lines->values.data[last->values], &lines->values.data[line->values],
			n_events(s->functions));
	}
	if (lines->files.n)
		base_sort_with(lines->files.data, lines->files.n, sizeof(*lines->files.data),
			compare_files, s);
	return NULL;
}

struct pd_error *ann_lines_create(const struct ann_functions *functions,
	const struct ann_function *function, struct ann_lines *ret)
{
	struct summing s = { .functions = functions, .lines = ret };

	*ret = (struct ann_lines){ 0 };
	struct pd_error *err = sum_leaves(&s, function);
	if (!err)
		err = group_files(&s);
	base_map_deinit(&s.known);
	if (err)
		ann_lines_deinit(ret);
	return err;
}

void ann_lines_deinit(struct ann_lines *lines)
{
	pd_vec_deinit(&lines->files);
	pd_vec_deinit(&lines->list);
	pd_vec_deinit(&lines->values);
	pd_vec_deinit(&lines->unknown);
}

/* Argument of compare_indexes(). */
struct heat {
	const struct ann_functions *functions;
	const struct ann_lines *lines;
};

static int compare_indexes(const void *a, const void *b, void *ctx)
{
	const struct heat *heat = ctx;
	const struct ann_line *x = &heat->lines->list.data[*(const uint32_t *)a];
	const struct ann_line *y = &heat->lines->list.data[*(const uint32_t *)b];
	int order = compare_heat(heat->functions, heat->lines, x->values, y->values);

	if (order)
		return order;
	order = strcmp(x->file, y->file);
	return order ? order : (x->line > y->line) - (x->line < y->line);
}

void ann_lines_by_heat(
	const struct ann_functions *functions, const struct ann_lines *lines, uint32_t *ret)
{
	struct heat heat = { functions, lines };

	for (uint32_t i = 0; i < lines->list.n; i++)
		ret[i] = i;
	if (lines->list.n)
		base_sort_with(ret, lines->list.n, sizeof(*ret), compare_indexes, &heat);
}

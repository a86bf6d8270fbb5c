/* Functions of a profile: counting their samples first, then finding one by its name. */
#include "annotate/functions.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/names/name_match.h"
#include "base/system/libc.h"
#include "profile/function_search.h"
#include "symbolize/symbols/demangle.h"

static const uint64_t NO_START = UINT64_MAX;

struct counting {
	const struct profile *profile;
	struct ann_functions *functions;
	/** Index in events by event id; PROF_NONE for events that are not shown. */
	uint32_t *columns;
	/** Index in leaves + 1 by frame id. */
	uint32_t *leaf_of_frame;
};

static struct pd_error *list_events(struct counting *c)
{
	struct ann_functions *functions = c->functions;

	c->columns = base_calloc_n(c->profile->events.n, sizeof(*c->columns));
	if (!c->columns)
		return &pd_enomem;
	for (struct prof_event_id id = { 0 }; id.i < c->profile->events.n; id.i++) {
		const struct prof_event *event = prof_event(c->profile, id);

		c->columns[id.i] = PROF_NONE;
		if (!event->total.samples || !event->is_wanted)
			continue;
		c->columns[id.i] = (uint32_t)functions->events.n;
		if (!pd_vec_push(&functions->events, id) ||
			!pd_vec_push(&functions->totals, (struct prof_value){ 0 }))
			return &pd_enomem;
	}
	return NULL;
}

/* Append zeros for each event. */
static bool add_values(struct ann_functions *functions, size_t *ret)
{
	*ret = functions->values.n;
	for (size_t i = 0; i < functions->events.n; i++) {
		if (!pd_vec_push(&functions->values, (struct prof_value){ 0 }))
			return false;
	}
	return true;
}

static void add_value(struct prof_value *sum, const struct prof_value *value)
{
	sum->samples += value->samples;
	sum->period += value->period;
}

static struct ann_leaf describe_leaf(const struct profile *profile, struct prof_frame_id frame)
{
	struct ann_leaf leaf = { .frame = frame, .start = NO_START };
	uint32_t n;

	if (frame.i >= profile->frame_offsets.n || !prof_frame_lines(profile, frame, &n))
		return leaf;
	const struct prof_frame_offset *offset = &profile->frame_offsets.data[frame.i];
	if (offset->has_symbol)
		leaf.start = prof_frame(profile, frame)->addr - offset->in_symbol;
	return leaf;
}

/* Find or add the leaf of @p frame. NULL: no memory. */
static struct ann_leaf *get_leaf(struct counting *c, struct prof_frame_id frame)
{
	struct ann_functions *functions = c->functions;
	uint32_t *number = &c->leaf_of_frame[frame.i];

	if (!*number) {
		struct ann_leaf leaf = describe_leaf(c->profile, frame);

		if (!add_values(functions, &leaf.values) || !pd_vec_push(&functions->leaves, leaf))
			return NULL;
		*number = (uint32_t)functions->leaves.n;
	}
	return &functions->leaves.data[*number - 1];
}

static struct pd_error *count_samples(struct counting *c)
{
	const struct profile *profile = c->profile;

	c->leaf_of_frame = base_calloc_n(profile->frames.n, sizeof(*c->leaf_of_frame));
	if (!c->leaf_of_frame)
		return &pd_enomem;
	for (struct prof_sample_id id = { 0 }; id.i < profile->samples.n; id.i++) {
		const struct prof_sample *sample = prof_sample(profile, id);
		uint32_t column = c->columns[sample->event.i], n;
		const struct prof_frame_id *frames = prof_stack(profile, sample->stack, &n);

		if (column == PROF_NONE)
			continue;
		add_value(&c->functions->totals.data[column], prof_value(profile, id));
		if (!n)
			continue;
		const struct ann_leaf *leaf = get_leaf(c, frames[0]);
		if (!leaf)
			return &pd_enomem;
		add_value(
			&c->functions->values.data[leaf->values + column], prof_value(profile, id));
	}
	return NULL;
}

static int compare_u64(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

/* Order leaves by binary, function and address. */
static int compare_leaves(const void *a, const void *b, void *ctx)
{
	const struct profile *profile = ctx;
	const struct ann_leaf *x = a, *y = b;
	const struct prof_frame *f = prof_frame(profile, x->frame);
	const struct prof_frame *g = prof_frame(profile, y->frame);

	if (f->binary.i != g->binary.i)
		return compare_u64(f->binary.i, g->binary.i);
	if (x->start != y->start)
		return compare_u64(x->start, y->start);
	return compare_u64(f->addr, g->addr);
}

static struct prof_function_id outermost(const struct profile *profile, struct prof_frame_id frame)
{
	uint32_t n;
	const struct prof_line *lines = prof_frame_lines(profile, frame, &n);

	return lines[n - 1].function;
}

/* Whether the values @p a are greater than @p b; the first event decides. */
static int compare_values(const struct ann_functions *functions, size_t a, size_t b)
{
	for (size_t i = 0; i < functions->events.n; i++) {
		const struct prof_value *x = ann_values(functions, a) + i;
		const struct prof_value *y = ann_values(functions, b) + i;

		if (x->period != y->period)
			return compare_u64(x->period, y->period);
		if (x->samples != y->samples)
			return compare_u64(x->samples, y->samples);
	}
	return 0;
}

/* Add the function whose leaves are those from @p first up to @p end. */
static struct pd_error *add_function(struct ann_functions *functions, size_t first, size_t end)
{
	const struct ann_leaf *hottest = &functions->leaves.data[first];
	struct ann_function function = {
		.start = hottest->start, .first = first, .n = end - first
	};

	if (!add_values(functions, &function.values))
		return &pd_enomem;
	for (size_t i = first; i < end; i++) {
		const struct ann_leaf *leaf = &functions->leaves.data[i];

		for (size_t k = 0; k < functions->events.n; k++)
			add_value(&functions->values.data[function.values + k],
				ann_values(functions, leaf->values) + k);
		if (compare_values(functions, leaf->values, hottest->values) > 0)
			hottest = leaf;
	}
	function.binary = prof_frame(functions->profile, hottest->frame)->binary;
	function.function = outermost(functions->profile, hottest->frame);
	return pd_vec_push(&functions->list, function) ? NULL : &pd_enomem;
}

static int compare_functions(const void *a, const void *b, void *ctx)
{
	const struct ann_function *x = a, *y = b;
	int order = compare_values(ctx, y->values, x->values);

	return order ? order : compare_u64(x->first, y->first);
}

static struct pd_error *group_leaves(struct ann_functions *functions)
{
	const struct profile *profile = functions->profile;
	struct ann_leaf *leaves = functions->leaves.data;
	size_t n = functions->leaves.n;

	if (n)
		base_sort_with(leaves, n, sizeof(*leaves), compare_leaves, (void *)profile);
	for (size_t i = 0, end; i < n; i = end) {
		struct prof_binary_id binary = prof_frame(profile, leaves[i].frame)->binary;

		for (end = i + 1;
			end < n && leaves[end].start == leaves[i].start &&
			prof_same_binary(binary, prof_frame(profile, leaves[end].frame)->binary);)
			end++;
		if (leaves[i].start == NO_START || prof_is_none(binary))
			continue;
		struct pd_error *err = add_function(functions, i, end);
		if (err)
			return err;
	}
	if (functions->list.n)
		base_sort_with(functions->list.data, functions->list.n,
			sizeof(*functions->list.data), compare_functions, functions);
	return NULL;
}

struct pd_error *ann_functions_create(const struct profile *profile, struct ann_functions *ret)
{
	struct counting c = { .profile = profile, .functions = ret };

	*ret = (struct ann_functions){ .profile = profile };
	struct pd_error *err = list_events(&c);
	if (!err)
		err = count_samples(&c);
	if (!err)
		err = group_leaves(ret);
	free(c.columns);
	free(c.leaf_of_frame);
	if (err)
		ann_functions_deinit(ret);
	return err;
}

void ann_functions_deinit(struct ann_functions *functions)
{
	pd_vec_deinit(&functions->events);
	pd_vec_deinit(&functions->totals);
	pd_vec_deinit(&functions->leaves);
	pd_vec_deinit(&functions->list);
	pd_vec_deinit(&functions->values);
}

struct prof_value ann_functions_unnamed(const struct ann_functions *functions, size_t event)
{
	struct prof_value value = functions->totals.data[event];

	for (size_t i = 0; i < functions->list.n; i++) {
		const struct prof_value *named =
			ann_values(functions, functions->list.data[i].values) + event;

		value.samples -= named->samples;
		value.period -= named->period;
	}
	return value;
}

const char *ann_function_name(
	const struct ann_functions *functions, const struct ann_function *function)
{
	const struct profile *profile = functions->profile;

	return prof_function_name(profile, function->function);
}

/* Whether the code of the function has inlined calls of functions with @p is_found set. */
static bool has_inlined(const struct ann_functions *functions, const struct ann_function *function,
	const bool *is_found)
{
	const struct profile *profile = functions->profile;

	for (size_t i = function->first; i < function->first + function->n; i++) {
		uint32_t n;
		const struct prof_line *lines =
			prof_frame_lines(profile, functions->leaves.data[i].frame, &n);

		for (uint32_t k = 0; k < n; k++) {
			if (is_found[lines[k].function.i])
				return true;
		}
	}
	return false;
}

/* List the functions that were found, hottest first; @p inlined: those that they are inlined in. */
static void list_found(const struct ann_functions *functions, const bool *is_found, bool inlined,
	struct ann_match *ret)
{
	for (size_t i = 0; i < functions->list.n; i++) {
		const struct ann_function *function = &functions->list.data[i];

		if (!(inlined ? has_inlined(functions, function, is_found)
			      : is_found[function->function.i]))
			continue;
		if (!ret->function)
			ret->function = function;
		else if (!ret->second)
			ret->second = function;
		ret->n++;
	}
	ret->is_inlined = inlined && ret->function;
}

/* Flag the functions that have samples, or with @p inlined also those inlined there. */
static void flag_candidates(const struct ann_functions *functions, bool inlined, bool *ret)
{
	const struct profile *profile = functions->profile;

	for (size_t i = 0; i < functions->list.n; i++)
		ret[functions->list.data[i].function.i] = true;
	for (size_t i = 0; inlined && i < functions->leaves.n; i++) {
		uint32_t n;
		const struct prof_line *lines =
			prof_frame_lines(profile, functions->leaves.data[i].frame, &n);

		for (uint32_t k = 0; lines && k < n; k++)
			ret[lines[k].function.i] = true;
	}
}

struct pd_error *ann_functions_find(
	const struct ann_functions *functions, const char *name, struct ann_match *ret)
{
	const struct profile *profile = functions->profile;
	_cleanup_free_ bool *is_candidate =
		base_calloc_n(profile->functions.n, sizeof(*is_candidate));

	*ret = (struct ann_match){ 0 };
	if (!is_candidate)
		return &pd_enomem;
	for (int inlined = 0; inlined < 2 && !ret->function; inlined++) {
		_cleanup_(prof_found_functions_deinit) struct prof_found_functions found = { 0 };

		flag_candidates(functions, inlined, is_candidate);
		struct pd_error *err = prof_find_functions(profile, name, is_candidate, &found);
		if (err)
			return err;
		list_found(functions, found.is_found, inlined, ret);
	}
	return NULL;
}

char *ann_short_name(const char *name)
{
	char *copy = strdup(name);
	size_t len;

	if (!copy)
		return NULL;
	sym_shorten(copy);
	const char *part = base_last_part(copy, &len);
	memmove(copy, part, len);
	copy[len] = '\0';
	return copy;
}

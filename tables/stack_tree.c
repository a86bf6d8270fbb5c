#include "tables/stack_tree.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/containers/map.h"

/* A node until its number is known. */
struct made {
	uint32_t parent;
	uint32_t frame;
	uint32_t depth;
	/* Number of the node in the result; PROF_NONE: not known yet. */
	uint32_t number;
};

struct maker {
	const struct profile *profile;
	const struct ana_places *places;
	/* Index in made by parent and frame. */
	struct base_map by_call;
	PD_VEC(struct made) made;
	/* Path of the stack before, root first: stacks that follow each other share callers. */
	PD_VEC(uint32_t) path;
	/* Last node of each stack; PROF_NONE: it has no frames. */
	PD_VEC(uint32_t) ends;
};

/* Return the node of @p frame called by @p parent, or PROF_NONE without memory. */
static uint32_t find_node(struct maker *m, uint32_t parent, uint32_t frame, uint32_t depth)
{
	bool is_new;
	uint64_t *index = base_map_add(&m->by_call, (uint64_t)parent << 32 | frame, &is_new);
	const struct made made = { parent, frame, depth, PROF_NONE };

	if (!index || m->made.n == PROF_NONE || (is_new && !pd_vec_push(&m->made, made)))
		return PROF_NONE;
	if (is_new)
		*index = m->made.n - 1;
	return (uint32_t)*index;
}

/* Make node number @p depth of the path, or keep that of the stack before. */
static bool step(struct maker *m, uint32_t frame, uint32_t depth, bool *is_shared)
{
	uint32_t parent = depth ? m->path.data[depth - 1] : PROF_NONE;

	if (*is_shared && depth < m->path.n && m->made.data[m->path.data[depth]].frame == frame)
		return true;
	*is_shared = false;
	uint32_t node = find_node(m, parent, frame, depth + 1);
	m->path.n = depth;
	return node != PROF_NONE && pd_vec_push(&m->path, node);
}

static bool add_stack(struct maker *m, struct prof_stack_id id)
{
	uint32_t n, n_places, depth = 0;
	const struct prof_frame_id *frames = prof_stack(m->profile, id, &n);
	bool is_shared = true;

	for (uint32_t i = n; i > 0; i--) {
		ana_places_at(m->places, frames[i - 1], &n_places);
		uint32_t first = m->places->starts.data[frames[i - 1].i];

		for (uint32_t k = n_places; k > 0; k--, depth++) {
			if (!step(m, first + k - 1, depth, &is_shared))
				return false;
		}
	}
	m->path.n = depth;
	return pd_vec_push(&m->ends, depth ? m->path.data[depth - 1] : PROF_NONE);
}

/* Number the nodes: those that end a stack as the stack, then the others. Returns how many. */
static uint64_t number_nodes(struct maker *m)
{
	uint64_t next = m->ends.n;

	for (uint32_t i = 0; i < m->ends.n; i++) {
		if (m->ends.data[i] != PROF_NONE)
			m->made.data[m->ends.data[i]].number = i;
	}
	for (size_t i = 0; i < m->made.n; i++) {
		if (m->made.data[i].number == PROF_NONE)
			m->made.data[i].number = (uint32_t)next++;
	}
	return next;
}

static struct tab_stack_node numbered(const struct maker *m, uint32_t index)
{
	struct tab_stack_node ret = { PROF_NONE, PROF_NONE, 0 };

	if (index == PROF_NONE)
		return ret;
	const struct made *made = &m->made.data[index];
	ret.frame = made->frame;
	ret.depth = made->depth;
	if (made->parent != PROF_NONE)
		ret.parent = m->made.data[made->parent].number;
	return ret;
}

static bool fill(struct maker *m, struct tab_stack_tree *ret)
{
	uint64_t n = number_nodes(m);

	if (n >= PROF_NONE || !pd_vec_reserve(&ret->nodes, n) ||
		!pd_vec_reserve(&ret->order, m->made.n))
		return false;
	ret->nodes.n = n;
	for (uint32_t i = 0; i < m->ends.n; i++)
		ret->nodes.data[i] = numbered(m, m->ends.data[i]);
	for (uint32_t i = 0; i < m->made.n; i++) {
		uint32_t number = m->made.data[i].number;

		ret->nodes.data[number] = numbered(m, i);
		ret->order.data[ret->order.n++] = number;
	}
	return true;
}

bool tab_stack_tree_create(
	const struct profile *profile, const struct ana_places *places, struct tab_stack_tree *ret)
{
	struct maker m = { .profile = profile, .places = places };
	bool ok = true;

	*ret = (struct tab_stack_tree){ 0 };
	for (struct prof_stack_id id = { 0 }; ok && id.i < profile->stacks.n; id.i++)
		ok = add_stack(&m, id);
	ok = ok && fill(&m, ret);
	base_map_deinit(&m.by_call);
	pd_vec_deinit(&m.made);
	pd_vec_deinit(&m.path);
	pd_vec_deinit(&m.ends);
	if (!ok)
		tab_stack_tree_deinit(ret);
	return ok;
}

void tab_stack_tree_deinit(struct tab_stack_tree *tree)
{
	pd_vec_deinit(&tree->nodes);
	pd_vec_deinit(&tree->order);
}

static void add(struct prof_value *to, const struct prof_value *value)
{
	to->samples += value->samples;
	to->period += value->period;
}

void tab_stack_tree_sum(const struct tab_stack_tree *tree, const struct profile *profile,
	struct prof_event_id event, struct prof_value *self, struct prof_value *total)
{
	for (struct prof_sample_id id = { 0 }; id.i < profile->samples.n; id.i++) {
		const struct prof_sample *sample = prof_sample(profile, id);

		if (prof_same_event(sample->event, event))
			add(&self[sample->stack.i], prof_value(profile, id));
	}
	memcpy(total, self, tree->nodes.n * sizeof(*total));
	for (size_t i = tree->order.n; i > 0; i--) {
		uint32_t node = tree->order.data[i - 1];
		uint32_t parent = tree->nodes.data[node].parent;

		if (parent != PROF_NONE)
			add(&total[parent], &total[node]);
	}
}

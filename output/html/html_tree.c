/*
 * Functions, frames and stacks of the html format. Nodes are numbered so that a caller directly
 * precedes its first callee, which makes the column of callers small. Leaves are numbered from the
 * one with most samples on, because samples refer to them, and small numbers compress well.
 */
#include "output/html/html_tree.h"

#include <stdlib.h>

#include "analyze/binary_roles.h"
#include "analyze/waits/wait_defs.h"
#include "analyze/waits/waits.h"
#include "base/array.h"
#include "base/cleanup.h"
#include "base/printable.h"
#include "base/text.h"

static uint32_t add_string(struct html *h, const char *text, size_t len)
{
	uint32_t id = base_intern_add(&h->strings, text, len);

	h->no_memory |= id == PD_INTERN_NONE;
	return id;
}

uint32_t html_string(struct html *h, const char *text, size_t len)
{
	if (base_printable_run(text, len) == len)
		return add_string(h, text, len);
	_cleanup_free_ char *printable = base_text_dup(text, len, &len);
	h->no_memory |= !printable;
	return printable ? add_string(h, printable, len) : PD_INTERN_NONE;
}

uint32_t html_profile_string(struct html *h, struct prof_string_id id)
{
	return html_string(h, prof_string(h->profile, id), prof_string_len(h->profile, id));
}

uint32_t html_function(struct html *h, const struct html_function *function)
{
	uint32_t id = base_intern_add(&h->functions, function, sizeof(*function));

	h->no_memory |= id == PD_INTERN_NONE;
	return id;
}

/* Add a function whose name is a text of the folded names. */
static uint32_t add_function(struct html *h, uint32_t name, const struct prof_function *function,
	struct prof_binary_id binary)
{
	const struct base_intern *texts = &h->names.texts;
	const struct html_function entry = {
		.name = html_string(
			h, base_intern_bytes(texts, name), base_intern_len(texts, name)),
		.file = function ? html_profile_string(h, function->file) : 0,
		.line = function ? function->start_line : 0,
		.binary = prof_is_none(binary) ? 0 : binary.i + 1,
	};
	return html_function(h, &entry);
}

/*
 * Return the function at @p line of @p frame, whose name is a text of the folded names. Many frames
 * have the same function, which is made once.
 */
static uint32_t function_at(
	struct html *h, const struct prof_frame *frame, const struct prof_line *line, uint32_t name)
{
	const struct prof_function *function = prof_function(h->profile, line->function);

	if (!prof_same_binary(function->binary, frame->binary))
		return add_function(h, name, function, frame->binary);
	uint64_t *known =
		base_map_add(&h->named_functions, (uint64_t)name << 32 | line->function.i, NULL);
	h->no_memory |= !known;
	if (!known)
		return PD_INTERN_NONE;
	if (!*known)
		*known = (uint64_t)add_function(h, name, function, frame->binary) + 1;
	return (uint32_t)(*known - 1);
}

static uint32_t add_frame(struct html *h, const struct html_frame *frame)
{
	uint32_t id = base_intern_add(&h->frames, frame, sizeof(*frame));

	h->no_memory |= id == PD_INTERN_NONE;
	return id;
}

static uint32_t flags_of(const struct prof_frame *frame)
{
	uint32_t flags = 0;

	if (frame->flags & PROF_FRAME_BY_FP)
		flags |= HTML_FRAME_GUESSED;
	if (frame->flags & PROF_FRAME_JOINED)
		flags |= HTML_FRAME_JOINED;
	if (frame->flags & (PROF_FRAME_TRUNCATED | PROF_FRAME_STITCHED))
		flags |= HTML_FRAME_MARK;
	return flags;
}

/* Make the frames at the frame @p id of the profile. */
static struct html_spot make_spot(struct html *h, struct prof_frame_id id)
{
	const struct prof_frame *frame = prof_frame(h->profile, id);
	struct html_spot spot = { .first = (uint32_t)h->spot_frames.n, .is_known = true };
	struct folded_frame names = { 0 };
	uint32_t n_lines;
	const struct prof_line *lines = prof_frame_lines(h->profile, id, &n_lines);

	h->no_memory |= !folded_names_frame(&h->names, id, &names);
	for (uint32_t i = 0; i < names.n && !h->no_memory; i++) {
		uint32_t name = h->names.spelled.data[names.first + i];
		uint32_t inlined = i + 1 < n_lines ? HTML_FRAME_INLINED : 0;
		const struct html_frame made = {
			.function = lines ? function_at(h, frame, &lines[i], name)
					  : add_function(h, name, NULL, frame->binary),
			.line = lines ? lines[i].line : 0,
			.flags = flags_of(frame) | inlined,
			.instruction = h->instructions && i == 0 ? h->instructions[id.i] : 0,
		};

		h->no_memory |= !pd_vec_push(&h->spot_frames, add_frame(h, &made));
	}
	spot.n = (uint32_t)h->spot_frames.n - spot.first;
	spot.is_last = names.is_last;
	return spot;
}

static const struct html_spot *spot_of(struct html *h, struct prof_frame_id id)
{
	struct html_spot *spot = &h->spots[id.i];

	if (!spot->is_known)
		*spot = make_spot(h, id);
	return spot;
}

static void add_mark(struct html *h, const char *text)
{
	uint32_t name = folded_names_mark(&h->names, text);

	h->no_memory |= name == PD_INTERN_NONE;
	if (h->no_memory)
		return;
	const struct html_frame frame = {
		.function = add_function(h, name, NULL, prof_no_binary()),
		.flags = HTML_FRAME_MARK,
	};
	h->no_memory |= !pd_vec_push(&h->path, add_frame(h, &frame));
}

/* Fill the path with the frames that folded stacks have for @p stack. */
static void find_path(struct html *h, struct prof_stack_id stack)
{
	bool is_last = false;
	uint32_t n;
	const struct prof_frame_id *frames = prof_stack(h->profile, stack, &n);

	h->path.n = 0;
	for (uint32_t i = 0; i < n && !is_last && !h->no_memory; i++) {
		const struct html_spot *spot = spot_of(h, frames[i]);

		for (uint32_t k = 0; k < spot->n; k++)
			h->no_memory |=
				!pd_vec_push(&h->path, h->spot_frames.data[spot->first + k]);
		is_last = spot->is_last;
	}
	if (n && !is_last && folded_names_lost_callers(&h->names, frames[n - 1]))
		add_mark(h, FOLDED_CALLERS_LOST);
}

/* Return the node plus 1 of @p frame called by the node @p parent - 1. */
static uint32_t add_node(struct html *h, uint32_t parent, uint32_t frame)
{
	const struct html_node node = { .frame = frame, .parent = parent };
	bool is_new;
	uint64_t *id = base_map_add(&h->node_ids, (uint64_t)parent << 32 | frame, &is_new);

	if (!id || (is_new && !pd_vec_push(&h->nodes, node))) {
		h->no_memory = true;
		return parent;
	}
	if (is_new)
		*id = h->nodes.n;
	return (uint32_t)*id;
}

/*
 * Add the nodes of the path. A stack often begins like the one before it: those nodes are still in
 * the trail and need not be looked up.
 */
static uint32_t add_path(struct html *h)
{
	bool is_common = true;
	uint32_t node = 0;

	for (size_t depth = 0; depth < h->path.n && !h->no_memory; depth++) {
		uint32_t frame = h->path.data[h->path.n - 1 - depth];

		is_common = is_common && depth < h->trail.n &&
			    h->nodes.data[h->trail.data[depth] - 1].frame == frame;
		if (is_common) {
			node = h->trail.data[depth];
			continue;
		}
		node = add_node(h, node, frame);
		h->trail.n = depth;
		h->no_memory |= !pd_vec_push(&h->trail, node);
	}
	return node;
}

void html_add_stack(struct html *h, struct prof_stack_id stack)
{
	find_path(h, stack);
	h->leaves[stack.i] = add_path(h);
}

static void put_binaries(struct html *h)
{
	for (size_t i = 0; i < h->profile->binaries.n; i++) {
		const struct prof_binary *binary = &h->profile->binaries.data[i];

		html_put(&h->columns, HTML_BINARY_NAME, html_profile_string(h, binary->name));
		html_put(&h->columns, HTML_BINARY_KIND, ana_binary_kind(h->profile, binary));
	}
}

static bool has_waits(const struct profile *profile)
{
	for (struct prof_event_id id = { 0 }; id.i < profile->events.n; id.i++) {
		if (ana_wait_has_time(profile, id))
			return true;
	}
	return false;
}

/* Whether a function waits on behalf of its caller, as the report has it. */
static bool is_outside(const struct html *h, const struct html_function *function)
{
	if (!function->binary)
		return false;
	const struct prof_binary *binary = &h->profile->binaries.data[function->binary - 1];
	const char *name = base_intern_bytes(&h->strings, function->name);

	return binary->is_kernel || ana_wait_matches(ANA_WAIT_LIBRARY_FUNCTIONS, name) ||
	       ana_wait_matches(
		       ANA_WAIT_LIBRARIES, base_file_name(prof_string(h->profile, binary->name)));
}

static void put_functions(struct html *h)
{
	bool can_wait = has_waits(h->profile);

	for (uint32_t i = 0; i < h->functions.n; i++) {
		const struct html_function *function = base_intern_bytes(&h->functions, i);

		html_put(&h->columns, HTML_FUNCTION_NAME, function->name);
		html_put(&h->columns, HTML_FUNCTION_FILE, function->file);
		html_put(&h->columns, HTML_FUNCTION_LINE, function->line);
		html_put(&h->columns, HTML_FUNCTION_BINARY, function->binary);
		html_put(&h->columns, HTML_FUNCTION_OUTSIDE, can_wait && is_outside(h, function));
	}
}

static void put_frames(struct html *h)
{
	for (uint32_t i = 0; i < h->frames.n; i++) {
		const struct html_frame *frame = base_intern_bytes(&h->frames, i);

		html_put(&h->columns, HTML_FRAME_FUNCTION, frame->function);
		html_put(&h->columns, HTML_FRAME_LINE, frame->line);
		html_put(&h->columns, HTML_FRAME_FLAGS, frame->flags);
		html_put(&h->columns, HTML_FRAME_INSTRUCTION, frame->instruction);
	}
}

void html_put_tree(struct html *h)
{
	put_binaries(h);
	put_functions(h);
	put_frames(h);
}

/* The tree of nodes. Nodes are referred to by their index plus 1; 0 is the root or none. */
struct tree {
	/** First callee, indexed by caller. */
	uint32_t *child;
	/** Next callee of the same caller, indexed by node. */
	uint32_t *sibling;
	/** Place in the page, from 0 on, indexed by node. */
	uint32_t *place;
};

static void tree_deinit(struct tree *tree)
{
	free(tree->child);
	free(tree->sibling);
	free(tree->place);
}

/* Link callers to their callees, which are in order of frames. False if out of memory. */
static bool link_nodes(const struct html *h, struct tree *tree)
{
	size_t n = h->nodes.n;
	_cleanup_free_ struct base_keyed *order = base_calloc_n(n, sizeof(*order));

	for (uint32_t i = 0; order && i < n; i++)
		order[i] = (struct base_keyed){ h->nodes.data[i].frame, i };
	if (!order || !base_sort_keyed(order, n))
		return false;
	while (n) {
		uint32_t node = order[--n].index;
		uint32_t *first = &tree->child[h->nodes.data[node].parent];

		tree->sibling[node + 1] = *first;
		*first = node + 1;
	}
	return true;
}

/* Put all nodes, callers before their callees, and note their places. */
static void put_nodes(struct html *h, struct tree *tree)
{
	uint32_t n = 0, up = 0;

	for (uint32_t node = tree->child[0]; node; n++) {
		html_put(&h->columns, HTML_NODE_UP, up);
		html_put(&h->columns, HTML_NODE_FRAME, h->nodes.data[node - 1].frame);
		tree->place[node] = n;
		up = 0;
		if (tree->child[node]) {
			node = tree->child[node];
			continue;
		}
		for (up = 1; node && !tree->sibling[node]; up++)
			node = h->nodes.data[node - 1].parent;
		node = tree->sibling[node];
	}
}

/*
 * Put the leaves of @p stacks, and replace their nodes in h->leaves with their numbers. Leaves with
 * equally many samples are in order of their places.
 */
static bool put_leaves(
	struct html *h, const struct tree *tree, const struct base_keyed *stacks, size_t n)
{
	size_t n_leaves = 0;
	_cleanup_free_ uint64_t *counts = base_calloc_n(h->nodes.n, sizeof(*counts));
	_cleanup_free_ uint32_t *numbers = base_calloc_n(h->nodes.n, sizeof(*numbers));
	_cleanup_free_ struct base_keyed *leaves = base_calloc_n(h->nodes.n, sizeof(*leaves));

	if (!counts || !numbers || !leaves)
		return false;
	for (size_t i = 0; i < n; i++) {
		uint32_t node = h->leaves[stacks[i].index];

		if (node)
			counts[tree->place[node]] += UINT64_MAX - stacks[i].key;
	}
	for (uint32_t place = 0; place < h->nodes.n; place++) {
		if (counts[place])
			leaves[n_leaves++] =
				(struct base_keyed){ UINT64_MAX - counts[place], place };
	}
	if (!base_sort_keyed(leaves, n_leaves))
		return false;
	for (uint32_t i = 0; i < n_leaves; i++) {
		html_put(&h->columns, HTML_LEAF_NODE, leaves[i].index);
		numbers[leaves[i].index] = i + 1;
	}
	for (size_t i = 0; i < n; i++) {
		uint32_t *leaf = &h->leaves[stacks[i].index];

		*leaf = *leaf ? numbers[tree->place[*leaf]] : 0;
	}
	return true;
}

void html_put_nodes(struct html *h, const struct base_keyed *stacks, size_t n)
{
	_cleanup_(tree_deinit) struct tree tree = {
		.child = base_calloc_n(h->nodes.n, sizeof(uint32_t)),
		.sibling = base_calloc_n(h->nodes.n, sizeof(uint32_t)),
		.place = base_calloc_n(h->nodes.n, sizeof(uint32_t)),
	};

	if (!tree.child || !tree.sibling || !tree.place || !link_nodes(h, &tree)) {
		h->no_memory = true;
		return;
	}
	put_nodes(h, &tree);
	h->no_memory |= !put_leaves(h, &tree, stacks, n);
}

#include "pgo/autofdo.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/sort.h"
#include "base/system/libc.h"

/* Elements of one owner, as a range of a list that is sorted by owner. */
struct range {
	uint32_t first;
	uint32_t n;
};

/* Nodes, lines and targets in the order in which they are written. */
struct order {
	const struct pgo_counts *counts;
	FILE *out;
	/* Functions, then inlined calls by the node that they are in. */
	uint32_t *nodes;
	uint32_t *lines;
	uint32_t *targets;
	struct range top;
	/* Calls and lines by node, targets by line. */
	struct range *calls_of;
	struct range *lines_of;
	struct range *targets_of;
	/* Next call of a node to write. */
	uint32_t *next;
};

static const char *name(const struct pgo_counts *counts, uint32_t i)
{
	return base_intern_bytes(&counts->names, i);
}

static int compare_names(const struct pgo_counts *counts, uint32_t a, uint32_t b)
{
	return strcmp(name(counts, a), name(counts, b));
}

static int compare_places(const struct pgo_place *a, const struct pgo_place *b)
{
	int order = base_compare_u64(a->offset, b->offset);

	return order ? order : base_compare_u64(a->discriminator, b->discriminator);
}

/* Functions by descending total; calls by the node that they are in, and their place there. */
static int compare_nodes(const void *a, const void *b, void *ctx)
{
	const struct pgo_counts *counts = ctx;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	const struct pgo_node *node_x = pgo_node(counts, x), *node_y = pgo_node(counts, y);
	/* PGO_NO_NODE + 1 is 0: functions come first. */
	int order = base_compare_u64(node_x->outer + 1, node_y->outer + 1);

	if (!order && node_x->outer == PGO_NO_NODE)
		order = base_compare_u64(
			counts->node_counts.data[y].total, counts->node_counts.data[x].total);
	order = order ? order : compare_places(&node_x->call, &node_y->call);
	return order ? order : compare_names(counts, node_x->name, node_y->name);
}

static int compare_lines(const void *a, const void *b, void *ctx)
{
	const struct pgo_line *x = pgo_line(ctx, *(const uint32_t *)a);
	const struct pgo_line *y = pgo_line(ctx, *(const uint32_t *)b);
	int order = base_compare_u64(x->node, y->node);

	return order ? order : compare_places(&x->place, &y->place);
}

/* Targets by line, the most frequent first. */
static int compare_targets(const void *a, const void *b, void *ctx)
{
	const struct pgo_counts *counts = ctx;
	uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
	const struct pgo_target *x = pgo_target(counts, i), *y = pgo_target(counts, k);
	int order = base_compare_u64(x->line, y->line);

	order = order ? order
		      : base_compare_u64(
				counts->target_counts.data[k], counts->target_counts.data[i]);
	return order ? order : compare_names(counts, x->name, y->name);
}

/* Return the numbers below @p n in the order of @p compare_two; NULL: no memory. */
static uint32_t *sorted(size_t n, base_compare_fn *compare_two, const struct pgo_counts *counts)
{
	uint32_t *list = base_calloc_n(n, sizeof(*list));

	for (uint32_t i = 0; list && i < n; i++)
		list[i] = i;
	if (list)
		base_sort_with(list, n, sizeof(*list), compare_two, (void *)counts);
	return list;
}

static void extend(struct range *range, uint32_t at)
{
	if (!range->n++)
		range->first = at;
}

static bool sort_all(struct order *o)
{
	const struct pgo_counts *counts = o->counts;

	o->nodes = sorted(counts->nodes.n, compare_nodes, counts);
	o->lines = sorted(counts->lines.n, compare_lines, counts);
	o->targets = sorted(counts->targets.n, compare_targets, counts);
	o->calls_of = base_calloc_n(counts->nodes.n, sizeof(*o->calls_of));
	o->lines_of = base_calloc_n(counts->nodes.n, sizeof(*o->lines_of));
	o->targets_of = base_calloc_n(counts->lines.n, sizeof(*o->targets_of));
	o->next = base_calloc_n(counts->nodes.n, sizeof(*o->next));
	if (!o->nodes || !o->lines || !o->targets || !o->calls_of || !o->lines_of ||
		!o->targets_of || !o->next)
		return false;
	for (uint32_t i = 0; i < counts->nodes.n; i++) {
		uint32_t outer = pgo_node(counts, o->nodes[i])->outer;

		extend(outer == PGO_NO_NODE ? &o->top : &o->calls_of[outer], i);
	}
	for (uint32_t i = 0; i < counts->lines.n; i++)
		extend(&o->lines_of[pgo_line(counts, o->lines[i])->node], i);
	for (uint32_t i = 0; i < counts->targets.n; i++)
		extend(&o->targets_of[pgo_target(counts, o->targets[i])->line], i);
	return true;
}

static void deinit(struct order *o)
{
	free(o->nodes);
	free(o->lines);
	free(o->targets);
	free(o->calls_of);
	free(o->lines_of);
	free(o->targets_of);
	free(o->next);
}

/* Begin a line of the text at @p depth: " 4.1: ". */
static void write_place(const struct order *o, size_t depth, const struct pgo_place *place)
{
	for (size_t i = 0; i < depth; i++)
		putc_unlocked(' ', o->out);
	fprintf(o->out, "%" PRIu32, place->offset);
	if (place->discriminator)
		fprintf(o->out, ".%" PRIu32, place->discriminator);
	fputs(": ", o->out);
}

/* Whether LLVM can read the name of a target: it ends at a space, and is not taken for a count. */
static bool is_readable(const char *text)
{
	return text[0] && !isdigit((unsigned char)text[0]) && !strpbrk(text, " \n");
}

static void write_targets(const struct order *o, uint32_t line)
{
	const struct range *range = &o->targets_of[line];

	for (uint32_t i = range->first; i < range->first + range->n; i++) {
		uint32_t target = o->targets[i];
		const char *text = name(o->counts, pgo_target(o->counts, target)->name);

		if (is_readable(text))
			fprintf(o->out, " %s:%" PRIu64, text,
				o->counts->target_counts.data[target]);
	}
}

static void write_lines(const struct order *o, uint32_t node, size_t depth)
{
	const struct range *range = &o->lines_of[node];

	for (uint32_t i = range->first; i < range->first + range->n; i++) {
		uint32_t line = o->lines[i];

		write_place(o, depth, &pgo_line(o->counts, line)->place);
		fprintf(o->out, "%" PRIu64, o->counts->line_counts.data[line]);
		write_targets(o, line);
		putc_unlocked('\n', o->out);
	}
}

static void write_call(const struct order *o, uint32_t node, size_t depth)
{
	const struct pgo_node *call = pgo_node(o->counts, node);

	write_place(o, depth, &call->call);
	fprintf(o->out, "%s:%" PRIu64 "\n", name(o->counts, call->name),
		o->counts->node_counts.data[node].total);
	write_lines(o, node, depth + 1);
}

/* Write the calls that were inlined into a function, and into each other: any number of levels. */
static void write_calls(const struct order *o, uint32_t function)
{
	uint32_t node = function;
	size_t depth = 1;

	while (node != PGO_NO_NODE) {
		const struct range *calls = &o->calls_of[node];

		if (o->next[node] == calls->n) {
			node = pgo_node(o->counts, node)->outer;
			depth--;
			continue;
		}
		node = o->nodes[calls->first + o->next[node]++];
		write_call(o, node, depth);
		depth++;
	}
}

static void write_function(const struct order *o, uint32_t node)
{
	const struct pgo_node_counts *counts = &o->counts->node_counts.data[node];
	const char *text = name(o->counts, pgo_node(o->counts, node)->name);
	bool has_run = counts->total || counts->head || counts->calls;
	bool has_places = o->lines_of[node].n || o->calls_of[node].n;

	/* Lines that begin with a space are not functions, and those with a hash are comments. */
	if (!has_run || !has_places || strchr(" #\n", text[0]))
		return;
	fprintf(o->out, "%s:%" PRIu64 ":%" PRIu64 "\n", text, counts->total, counts->head);
	write_lines(o, node, 1);
	write_calls(o, node);
}

struct pd_error *pgo_autofdo_write(const struct pgo_counts *counts, FILE *out)
{
	struct order o = { .counts = counts, .out = out };
	bool ok = sort_all(&o);

	for (uint32_t i = o.top.first; ok && i < o.top.first + o.top.n; i++)
		write_function(&o, o.nodes[i]);
	deinit(&o);
	return ok ? NULL : &pd_enomem;
}

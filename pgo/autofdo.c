#include "pgo/autofdo.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "pgo/pgo_order.h"

struct writing {
	const struct pgo_counts *counts;
	const struct pgo_order *order;
	FILE *out;
};

/* Begin a line of the text at @p depth: " 4.1: ". */
static void write_place(const struct writing *w, size_t depth, const struct pgo_place *place)
{
	for (size_t i = 0; i < depth; i++)
		putc_unlocked(' ', w->out);
	fprintf(w->out, "%" PRIu32, place->offset);
	if (place->discriminator)
		fprintf(w->out, ".%" PRIu32, place->discriminator);
	fputs(": ", w->out);
}

/* Whether LLVM can read the name of a target: it ends at a space, and is not taken for a count. */
static bool is_readable(const char *text)
{
	return text[0] && !isdigit((unsigned char)text[0]) && !strpbrk(text, " \n");
}

static void write_targets(const struct writing *w, uint32_t line)
{
	const struct pgo_range *range = &w->order->targets_of[line];

	for (uint32_t i = range->first; i < range->first + range->n; i++) {
		uint32_t target = w->order->targets[i];
		const char *text = pgo_name(w->counts, pgo_target(w->counts, target)->name);

		if (is_readable(text))
			fprintf(w->out, " %s:%" PRIu64, text,
				w->counts->target_counts.data[target]);
	}
}

static void write_lines(const struct writing *w, uint32_t node, size_t depth)
{
	const struct pgo_range *range = &w->order->lines_of[node];

	for (uint32_t i = range->first; i < range->first + range->n; i++) {
		uint32_t line = w->order->lines[i];

		write_place(w, depth, &pgo_line(w->counts, line)->place);
		fprintf(w->out, "%" PRIu64, w->counts->line_counts.data[line]);
		write_targets(w, line);
		putc_unlocked('\n', w->out);
	}
}

static void write_call(const struct writing *w, uint32_t node, size_t depth)
{
	const struct pgo_node *call = pgo_node(w->counts, node);

	write_place(w, depth, &call->call);
	fprintf(w->out, "%s:%" PRIu64 "\n", pgo_name(w->counts, call->name),
		w->counts->node_counts.data[node].total);
	write_lines(w, node, depth + 1);
}

static void write_function(const struct writing *w, uint32_t node)
{
	const struct pgo_node_counts *counts = &w->counts->node_counts.data[node];
	const char *text = pgo_name(w->counts, pgo_node(w->counts, node)->name);
	struct pgo_walk walk = pgo_walk(node);

	/* Lines that begin with a space are not functions, and those with a hash are comments. */
	if (strchr(" #\n", text[0]))
		return;
	fprintf(w->out, "%s:%" PRIu64 ":%" PRIu64 "\n", text, counts->total, counts->head);
	write_lines(w, node, 1);
	while (pgo_walk_next(w->order, &walk))
		write_call(w, walk.node, walk.depth);
}

struct pd_error *pgo_autofdo_write(const struct pgo_counts *counts, FILE *out)
{
	struct pgo_order order;
	const struct writing w = { counts, &order, out };
	struct pd_error *err = pgo_order_create(counts, &order);

	for (uint32_t i = 0; !err && i < order.n_functions; i++)
		write_function(&w, order.nodes[i]);
	pgo_order_deinit(&order);
	return err;
}

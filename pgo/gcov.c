#include "pgo/gcov.h"

#include <stdint.h>
#include <string.h>

#include "pgo/pgo_order.h"

enum {
	/* "gcda" */
	MAGIC = 0x67636461,
	VERSION = 2,
	TAG_NAMES = 0xaa000000u,
	TAG_FUNCTIONS = 0xac000000u,
	/* An empty list, which GCC has not used since version 5. */
	TAG_MODULES = 0xae000000u,
	/* Readers ignore which kind of histogram the targets of a call are. */
	HISTOGRAM_OF_CALLS = 7,
};

struct writing {
	const struct pgo_order *order;
	/* NULL: only to find the size. */
	FILE *out;
	uint64_t size;
};

static void put_bytes(struct writing *w, const void *bytes, size_t n)
{
	if (w->out)
		fwrite(bytes, 1, n, w->out);
	w->size += n;
}

static void put(struct writing *w, uint32_t word)
{
	put_bytes(w, &word, sizeof(word));
}

static void put_counter(struct writing *w, uint64_t n)
{
	put(w, (uint32_t)n);
	put(w, (uint32_t)(n >> 32));
}

static void put_place(struct writing *w, const struct pgo_place *place)
{
	put(w, place->offset << 16 | (place->discriminator & 0xffff));
}

static void put_names(struct writing *w)
{
	const struct pgo_counts *counts = w->order->counts;

	put(w, (uint32_t)counts->names.n);
	for (uint32_t i = 0; i < counts->names.n; i++) {
		const char *name = pgo_name(counts, i);
		size_t size = strlen(name) + 1;

		put(w, (uint32_t)size);
		put_bytes(w, name, size);
	}
}

static void put_targets(struct writing *w, const struct pgo_range *range)
{
	const struct pgo_counts *counts = w->order->counts;

	for (uint32_t i = range->first; i < range->first + range->n; i++) {
		uint32_t target = w->order->targets[i];

		put(w, HISTOGRAM_OF_CALLS);
		put_counter(w, pgo_target(counts, target)->name);
		put_counter(w, counts->target_counts.data[target]);
	}
}

/* Write a function or an inlined call. The calls that were inlined into it follow. */
static void put_node(struct writing *w, uint32_t node)
{
	const struct pgo_counts *counts = w->order->counts;
	const struct pgo_range *lines = &w->order->lines_of[node];

	put(w, pgo_node(counts, node)->name);
	put(w, lines->n);
	put(w, w->order->calls_of[node].n);
	for (uint32_t i = lines->first; i < lines->first + lines->n; i++) {
		uint32_t line = w->order->lines[i];
		const struct pgo_range *targets = &w->order->targets_of[line];

		put_place(w, &pgo_line(counts, line)->place);
		put(w, targets->n);
		put_counter(w, counts->line_counts.data[line]);
		put_targets(w, targets);
	}
}

static void put_functions(struct writing *w)
{
	const struct pgo_counts *counts = w->order->counts;

	put(w, w->order->n_functions);
	for (uint32_t i = 0; i < w->order->n_functions; i++) {
		struct pgo_walk walk = pgo_walk(w->order->nodes[i]);

		put_counter(w, counts->node_counts.data[walk.node].head);
		put_node(w, walk.node);
		while (pgo_walk_next(w->order, &walk)) {
			put_place(w, &pgo_node(counts, walk.node)->call);
			put_node(w, walk.node);
		}
	}
}

/* Write a section with its size in bytes. */
static void put_section(struct writing *w, uint32_t tag, void (*put_content)(struct writing *))
{
	struct writing measured = { .order = w->order };

	put_content(&measured);
	put(w, tag);
	put(w, (uint32_t)measured.size);
	put_content(w);
}

static void put_no_modules(struct writing *w)
{
	put(w, 0);
}

struct pd_error *pgo_gcov_write(const struct pgo_counts *counts, FILE *out)
{
	struct pgo_order order;
	struct writing w = { .order = &order, .out = out };
	struct pd_error *err = pgo_order_create(counts, &order);

	if (!err) {
		put(&w, MAGIC);
		put(&w, VERSION);
		put(&w, 0);
		put_section(&w, TAG_NAMES, put_names);
		put_section(&w, TAG_FUNCTIONS, put_functions);
		put_section(&w, TAG_MODULES, put_no_modules);
	}
	pgo_order_deinit(&order);
	return err;
}

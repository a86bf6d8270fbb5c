#include "analyze/call_graph.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

struct builder {
	const struct profile *profile;
	const struct ana_locations *locations;
	struct ana_call_graph *graph;
	/** Id of the line of each location, indexed like locations->list. */
	uint32_t *line_of;
	/** Number of a call plus 1, by its line and callee. */
	struct base_map call_ids;
	/** Number + 1 of the last sample with the function in its stack, indexed by function. */
	uint32_t *last_sample;
};

/* The part of a stack from its root to the frame that is being added. */
struct path {
	struct prof_sample_id sample;
	/** Line from which the next function is called. */
	uint32_t line;
};

static bool add_zeros(struct ana_call_graph *g, uint64_t **data, size_t *n, size_t *cap)
{
	/* A profile without events has no array. */
	if (!g->n_events)
		return true;
	if (*n + g->n_events > *cap &&
		!pd_vec_grow((void **)data, cap, *n + g->n_events, sizeof(**data)))
		return false;
	memset(*data + *n, 0, g->n_events * sizeof(**data));
	*n += g->n_events;
	return true;
}

/* Return the id of the line, or PD_INTERN_NONE if memory runs out. */
static uint32_t add_line(struct ana_call_graph *g, uint32_t function, uint32_t line)
{
	const struct ana_location entry = { function, line };
	size_t n = g->lines.n;
	uint32_t id = base_intern_add(&g->lines, &entry, sizeof(entry));

	if (id == n && !add_zeros(g, &g->line_costs.data, &g->line_costs.n, &g->line_costs.cap))
		return PD_INTERN_NONE;
	return id;
}

static bool add_lines(struct builder *b)
{
	b->line_of = malloc((b->locations->list.n + 1) * sizeof(*b->line_of));
	if (!b->line_of)
		return false;
	for (size_t i = 0; i < b->locations->list.n; i++) {
		const struct ana_location *location = &b->locations->list.data[i];

		b->line_of[i] = add_line(b->graph, location->function, location->line);
		if (b->line_of[i] == PD_INTERN_NONE)
			return false;
	}
	return true;
}

/* Return the line of a thread: line 0 of the function that stands for its name. */
static uint32_t add_thread(struct builder *b, struct prof_thread_id id)
{
	struct ana_call_graph *g = b->graph;
	struct prof_string_id comm = prof_thread(b->profile, id)->comm;
	uint32_t number = base_intern_add(&g->comms, &comm, sizeof(comm));

	return number == PD_INTERN_NONE ? number : add_line(g, g->n_functions + number, 0);
}

/* Return the number of the call, or PD_INTERN_NONE if memory runs out. */
static uint32_t add_call(struct builder *b, uint32_t line, uint32_t callee)
{
	struct ana_call_graph *g = b->graph;
	bool is_new;
	uint64_t *id = base_map_add(&b->call_ids, (uint64_t)line << 32 | callee, &is_new);
	const struct ana_call call = { .line = line, .callee = callee };

	if (!id)
		return PD_INTERN_NONE;
	if (!is_new)
		return (uint32_t)*id;
	*id = g->calls.n;
	if (!pd_vec_push(&g->calls, call) ||
		!add_zeros(g, &g->call_costs.data, &g->call_costs.n, &g->call_costs.cap))
		return PD_INTERN_NONE;
	return (uint32_t)(g->calls.n - 1);
}

/* Add the call of the location number @p at from the end of the path, which it then becomes. */
static bool extend(struct builder *b, struct path *path, uint32_t at)
{
	const struct prof_sample *sample = prof_sample(b->profile, path->sample);
	const struct prof_value *value = prof_value(b->profile, path->sample);
	uint32_t callee = b->locations->list.data[at].function;
	uint32_t id = add_call(b, path->line, callee);

	if (id == PD_INTERN_NONE)
		return false;
	path->line = b->line_of[at];
	b->graph->calls.data[id].samples += value->samples;
	if (b->last_sample[callee] == path->sample.i + 1)
		return true;
	b->last_sample[callee] = path->sample.i + 1;
	b->graph->call_costs.data[id * b->graph->n_events + sample->event.i] += value->period;
	return true;
}

static bool add_sample(struct builder *b, struct prof_sample_id id)
{
	const struct prof_sample *sample = prof_sample(b->profile, id);
	struct path path = { id, add_thread(b, sample->thread) };
	uint32_t n;
	const struct prof_frame_id *frames = prof_stack(b->profile, sample->stack, &n);

	if (path.line == PD_INTERN_NONE)
		return false;
	while (n-- > 0) {
		uint32_t start = b->locations->starts.data[frames[n].i];

		/* Locations are innermost first. */
		for (uint32_t at = b->locations->starts.data[frames[n].i + 1]; at-- > start;) {
			if (!extend(b, &path, at))
				return false;
		}
	}
	b->graph->line_costs.data[path.line * b->graph->n_events + sample->event.i] +=
		prof_value(b->profile, id)->period;
	return true;
}

struct pd_error *ana_call_graph_create(const struct profile *profile,
	const struct ana_locations *locations, struct ana_call_graph *ret)
{
	struct builder b = { .profile = profile, .locations = locations, .graph = ret };

	*ret = (struct ana_call_graph){
		.n_functions = (uint32_t)locations->functions.n,
		.n_events = profile->events.n,
	};
	b.last_sample = base_calloc_n(locations->functions.n, sizeof(*b.last_sample));
	bool ok = b.last_sample && add_lines(&b);
	for (struct prof_sample_id id = { 0 }; ok && id.i < profile->samples.n; id.i++)
		ok = add_sample(&b, id);
	free(b.line_of);
	free(b.last_sample);
	base_map_deinit(&b.call_ids);
	if (ok)
		return NULL;
	ana_call_graph_deinit(ret);
	return &pd_enomem;
}

void ana_call_graph_deinit(struct ana_call_graph *graph)
{
	base_intern_deinit(&graph->lines);
	base_intern_deinit(&graph->comms);
	pd_vec_deinit(&graph->line_costs);
	pd_vec_deinit(&graph->calls);
	pd_vec_deinit(&graph->call_costs);
}

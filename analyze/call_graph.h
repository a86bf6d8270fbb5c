/**
 * @file Call graph: what the lines of functions cost, and what the calls from them cost.
 *
 * A sample counts once for each function of its stack, at its outermost call: the costs of the
 * calls to a function add up to its inclusive cost, recursive or not. Further calls of a function
 * in the same stack are in the graph without a cost. The roots of stacks are called by their
 * thread, a function that stands for all threads of one name.
 */
#ifndef PD_ANALYZE_CALL_GRAPH_H
#define PD_ANALYZE_CALL_GRAPH_H

#include <pdconv/error.h>
#include <pdconv/vec.h>

#include "analyze/locations.h"
#include "base/containers/intern.h"
#include "base/containers/map.h"
#include "profile/profile.h"

/** A call. Costs are sums of periods, by event. */
struct ana_call {
	/** Caller: id in ana_call_graph.lines. */
	uint32_t line;
	/** Function that is called. */
	uint32_t callee;
	/** Number of samples in stacks with this call, of all events. */
	uint64_t samples;
};

/** A zeroed one is empty. */
struct ana_call_graph {
	/**
	 * struct ana_location: lines that have a cost or call a function. Functions are those of
	 * the locations, and after them one for each thread name.
	 */
	struct base_intern lines;
	/** struct prof_string_id: names of threads. */
	struct base_intern comms;
	/** Number of functions that are not threads. */
	uint32_t n_functions;
	/** Number of events of the profile. */
	size_t n_events;
	/** Cost of line I in the event E without calls: line_costs[I * n_events + E]. */
	PD_VEC(uint64_t) line_costs;
	PD_VEC(struct ana_call) calls;
	/** Cost of call I in the event E: call_costs[I * n_events + E]. */
	PD_VEC(uint64_t) call_costs;
};

/**
 * Make the call graph of all samples. @p locations are those of @p profile. Errors: NOMEM.
 */
struct pd_error *ana_call_graph_create(const struct profile *profile,
	const struct ana_locations *locations, struct ana_call_graph *ret) pd_must_check;
void ana_call_graph_deinit(struct ana_call_graph *graph);

#endif

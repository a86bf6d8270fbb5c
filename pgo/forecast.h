/**
 * @file Forecast: how much optimizers can do with the flow of a profile.
 */
#ifndef PD_PGO_FORECAST_H
#define PD_PGO_FORECAST_H

#include <stdbool.h>
#include <stdint.h>

#include <pdconv/error.h>
#include <pdconv/vec.h>

#include "pgo/flow.h"

/** Executions of each byte of hot code from which on BOLT does not say that it needs more. */
#define PGO_ENOUGH_DENSITY 60.0

/** Share of the code that ran which is hot, the densest first: that of BOLT and LLVM. */
#define PGO_HOT_SHARE 0.99

/** A function in an image. */
struct pgo_function {
	struct prof_function_id id;
	uint32_t image;
	/** First address, and the one after the last. */
	uint64_t start;
	uint64_t end;
	/** Debug information knows its lines. */
	bool has_lines;
	/** Bytes that ran: the length of each run in it. Without branches: samples. */
	uint64_t executed;
	/** Runs that start in it, and those of them that end before they start, or elsewhere. */
	uint64_t n_runs;
	uint64_t n_misfits;
};

/** Sums of an image. */
struct pgo_image_forecast {
	/** Samples of the event, and their period. */
	struct prof_value value;
	/** Sums of its functions. */
	uint64_t executed;
	uint64_t executed_with_lines;
	uint64_t n_runs;
	uint64_t n_misfits;
	/** Executions of each byte in the hot functions, at least. 0: not known. */
	double density;
};

struct pgo_forecast {
	/** Functions of all images, ordered by image, then by address. */
	PD_VEC(struct pgo_function) functions;
	/** Sums, indexed by image. Owned. */
	struct pgo_image_forecast *images;
	/** Samples of the event, and those of them in images and in functions with lines. */
	struct prof_value whole;
	struct prof_value covered;
	struct prof_value with_lines;
};

/**
 * Judge @p flow, whose profile has code, for the samples of @p event, if that is any. Must be freed
 * after an error, too. Errors: NOMEM.
 */
struct pd_error *pgo_forecast_create(const struct pgo_flow *flow, struct prof_event_id event,
	struct pgo_forecast *ret) pd_must_check;
void pgo_forecast_deinit(struct pgo_forecast *forecast);

#endif

/**
 * @file Lanes of the html format: what each thread did at any moment, and the critical path.
 */
#ifndef PD_OUTPUT_HTML_HTML_LANES_H
#define PD_OUTPUT_HTML_HTML_LANES_H

#include <pdconv/error.h>

#include "output/html/html_state.h"

/** States of a piece in addition to enum prof_ledger_state. */
enum {
	/** Several states, each shorter than the resolution of the page. */
	HTML_PIECE_MIX = PROF_N_LEDGER_STATES,
	/** Time that is not counted. */
	HTML_PIECE_LEFT_OUT,
};

/** Most pieces of threads and of a critical path, unless there are more lanes. */
enum { HTML_MAX_PIECES = 200000, HTML_MAX_STEPS = 20000 };

/**
 * Fill the columns of lanes, when all samples have been put. Threads without samples become rows of
 * the page. Errors: no memory.
 */
struct pd_error *html_put_lanes(struct html *h) pd_must_check;

#endif

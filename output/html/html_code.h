/**
 * @file Instructions and source lines of hot functions in the html format.
 */
#ifndef PD_OUTPUT_HTML_HTML_CODE_H
#define PD_OUTPUT_HTML_HTML_CODE_H

#include "output/html/html_state.h"

/**
 * Smallest share of an event, in percent, of functions whose instructions are in the page, and of
 * frames whose source lines are.
 */
#define HTML_CODE_PERCENT 0.5

/** Limit of the texts of instructions and source lines in a page, in bytes before compression. */
enum { HTML_MAX_CODE_BYTES = 16 << 20 };

/**
 * Fill the columns of code, instructions and places with the hottest functions, and want their
 * source lines. Must precede the samples, whose frames refer to instructions. Errors: NOMEM.
 */
struct pd_error *html_put_code(struct html *h) pd_must_check;
/** Want the source lines of hot frames, and fill the columns of source lines. Errors: NOMEM. */
struct pd_error *html_put_sources(struct html *h) pd_must_check;

#endif

/**
 * @file Where time went, in the JSON of the html format.
 */
#ifndef PD_OUTPUT_HTML_HTML_LEDGER_H
#define PD_OUTPUT_HTML_HTML_LEDGER_H

#include "output/html/html_state.h"
#include "output/ledger_text.h"

/** Whether anything is known about switches and waits, so that a page has a ledger and lanes. */
bool html_has_ledger(const struct profile *profile);

/**
 * Write the member "ledger", unless nothing is known about switches and waits. An error is left in
 * the stream.
 */
void html_write_ledger(
	const struct html *h, const struct out_ledger_notes *notes, struct base_json *json);

/** Write the member "intervals", if the profile has any. An error is left in the stream. */
void html_write_intervals(const struct html *h, struct base_json *json);

#endif

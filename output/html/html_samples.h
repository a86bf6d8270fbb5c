/**
 * @file Samples and threads of the html format, and the events between samples.
 */
#ifndef PD_OUTPUT_HTML_HTML_SAMPLES_H
#define PD_OUTPUT_HTML_HTML_SAMPLES_H

#include "output/html/html_state.h"

/** Add the stacks and threads of all samples, and fill the columns of samples. */
void html_put_samples(struct html *h);

/** Fill the columns of marks, and the life times of threads, from the notes of the profile. */
void html_put_marks(struct html *h);

/** Return the row of the thread @p id, which need not have samples. */
uint32_t html_thread_row(struct html *h, struct prof_thread_id id);

/** Time in the unit of the page of @p time in ns; 0 for times before the first sample. */
uint64_t html_time(const struct html *h, uint64_t time);

#endif

/**
 * @file Samples and threads of the html format, and the events between samples.
 */
#ifndef PD_OUTPUT_HTML_SAMPLES_H
#define PD_OUTPUT_HTML_SAMPLES_H

#include "output/html_state.h"

/** Add the stacks and threads of all samples, and fill the columns of samples. */
void html_put_samples(struct html *h);

/** Fill the columns of marks, and the life times of threads, from the notes of the profile. */
void html_put_marks(struct html *h);

/**
 * Fill the columns of delays: when threads were runnable and had no CPU. If there are very many,
 * the longest ones are enough.
 */
void html_put_delays(struct html *h);

/** Time in the unit of the page of @p time in ns; 0 for times before the first sample. */
uint64_t html_time(const struct html *h, uint64_t time);

#endif

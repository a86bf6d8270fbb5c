/**
 * @file Samples of the pprof format.
 */
#ifndef PD_OUTPUT_PPROF_PPROF_SAMPLES_H
#define PD_OUTPUT_PPROF_PPROF_SAMPLES_H

#include "output/pprof/pprof.h"

/** Write all samples with their labels. Requires the ids and value_index to be set. */
void pprof_put_samples(struct pprof_writer *w);

#endif

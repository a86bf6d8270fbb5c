/**
 * @file Samples of the perfetto format, and the interned data that they refer to.
 */
#ifndef PD_OUTPUT_PERFETTO_PERFETTO_SAMPLES_H
#define PD_OUTPUT_PERFETTO_PERFETTO_SAMPLES_H

#include "output/perfetto/perfetto.h"

/** Write all samples, each after what it refers to. */
void perfetto_put_samples(struct perfetto *p);

#endif

/**
 * @file Events of the scheduler in the perfetto format: which thread is in which state, and has
 * which CPU.
 */
#ifndef PD_OUTPUT_PERFETTO_PERFETTO_SCHED_H
#define PD_OUTPUT_PERFETTO_PERFETTO_SCHED_H

#include "output/perfetto/perfetto.h"

/** Whether the CPUs on which threads ran are known. */
bool perfetto_has_cpus(const struct profile *profile);

/** Write the changes of the ledger: as events if CPUs are known, or else as slices of threads. */
void perfetto_put_sched(struct perfetto *p);

#endif

/**
 * @file Events of the scheduler in the perfetto format: which thread is in which state, and has
 * which CPU.
 */
#ifndef PD_OUTPUT_PERFETTO_SCHED_H
#define PD_OUTPUT_PERFETTO_SCHED_H

#include "output/perfetto.h"

/** Write the changes of the ledger, except for threads whose CPU is not known. */
void perfetto_put_sched(struct perfetto *p);

#endif

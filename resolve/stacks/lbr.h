/**
 * @file Call stacks in last branch records (LBR): perf record --call-graph lbr.
 *
 * The processor adds a record with each call and removes it with the return, so the records are the
 * user stack. If the stack has more calls than the processor has records, the outermost calls are
 * lost.
 */
#ifndef PD_RESOLVE_STACKS_LBR_H
#define PD_RESOLVE_STACKS_LBR_H

#include <stdbool.h>

#include <pdconv/file.h>
#include <pdconv/sample.h>

/** Whether @p sample of @p event has calls in its branch records. */
bool resolve_lbr_has_calls(const struct pd_event *event, const struct pd_sample *sample);

/**
 * Return the number of branch records of the processor: "branches" in HEADER_CPU_PMU_CAPS or
 * HEADER_PMU_CAPS; 0 if not known.
 */
uint64_t resolve_lbr_depth(const struct pd_file *file);

/**
 * Whether all @p depth branch records are in use, so that older calls may be lost. 0: not known.
 */
bool resolve_lbr_is_full(const struct pd_sample *sample, uint64_t depth);

#endif

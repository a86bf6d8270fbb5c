/**
 * @file Calls that the processor keeps in its branch records: perf record --call-graph lbr.
 *
 * A record is added with each call and removed with the return, so that what is there is the stack
 * of user space, as deep as the processor has room for records; of a deeper stack the outermost are
 * lost.
 */
#ifndef PD_RESOLVE_LBR_H
#define PD_RESOLVE_LBR_H

#include <stdbool.h>

#include <pdconv/file.h>
#include <pdconv/sample.h>

/** Whether samples of @p event, of which @p sample is one, have calls, and this one has some. */
bool resolve_lbr_has_calls(const struct pd_event *event, const struct pd_sample *sample);

/**
 * How many records the processor of @p file has room for: HEADER_CPU_PMU_CAPS and HEADER_PMU_CAPS,
 * "branches"; 0 if they do not say.
 */
uint64_t resolve_lbr_depth(const struct pd_file *file);

/** Whether all of them are in use, so that older calls may be lost. @p depth 0: it is not known. */
bool resolve_lbr_is_full(const struct pd_sample *sample, uint64_t depth);

#endif

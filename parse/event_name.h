/**
 * @file The name of an event that the recording does not name, from its attr.
 *
 * What perf would call it: "cycles:u", "LLC-load-misses", "raw 0x1a8", "mem:0x1000:rw". The rules are
 * those of evsel__name() in tools/perf/util/evsel.c of Linux. Where perf has no name but a number,
 * the name of the PMU helps: "uncore_imc_0/config=0x304/".
 */
#ifndef PD_PARSE_EVENT_NAME_H
#define PD_PARSE_EVENT_NAME_H

#include <stddef.h>
#include <stdint.h>

#include <pdconv/attr.h>

/** Room for every name, with its NUL; longer names of PMUs are cut. */
enum { PD_EVENT_NAME_BYTES = 192 };

/**
 * Write the name of @p attr to @p ret. @p pmu is the name of its PMU, NULL if not known. A tracepoint
 * is "unknown tracepoint": what it is called is in the tracing data only.
 */
void pd_event_name(
	const struct pd_attr *attr, const char *pmu, char ret[static PD_EVENT_NAME_BYTES]);

#endif

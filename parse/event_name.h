/**
 * @file Event names that are derived from attrs, for events that the recording does not name.
 *
 * They are the names of perf: "cycles:u", "LLC-load-misses", "raw 0x1a8", "mem:0x1000:rw", by the
 * rules of evsel__name() in tools/perf/util/evsel.c of Linux. Where perf only prints a number, the
 * name of the PMU is used: "uncore_imc_0/config=0x304/".
 */
#ifndef PD_PARSE_EVENT_NAME_H
#define PD_PARSE_EVENT_NAME_H

#include <stddef.h>
#include <stdint.h>

#include <pdconv/attr.h>

/** Size of a buffer for any name, including its NUL. Longer names of PMUs are truncated. */
enum { PD_EVENT_NAME_BYTES = 192 };

/**
 * Write the name of @p attr to @p ret. @p pmu is the name of its PMU, or NULL. A tracepoint becomes
 * "unknown tracepoint", because only the tracing data has its name.
 */
void parse_event_derive_name(
	const struct pd_attr *attr, const char *pmu, char ret[static PD_EVENT_NAME_BYTES]);

#endif

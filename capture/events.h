/**
 * @file The events that a user asks to be recorded.
 *
 * Words are those of `perf record -e`, and so are the names that the events get. What a word says goes
 * into the attr: type, size, config*, bp_type, exclude_*, pinned, exclusive, precise_ip, and period or
 * freq. sample_type, read_format and the rest are for the recorder to fill in.
 *
 * Words, separated by commas:
 *   cycles, cpu-clock, faults ...      events of hardware and software
 *   L1-dcache-load-misses, LLC ...     events of caches: CACHE[-OP][-RESULT]
 *   rNNN, TYPE:CONFIG                  raw, in hexadecimal; a type and config in numbers
 *   PMU/TERM,.../                      TERM: a field of the PMU's format or an event of it
 *                                      (field=N, event), config=N to config3=N, period=N, freq=N,
 *                                      name=TEXT, rNNN. PMUs that differ in a number at their end are
 *                                      meant together (imc for uncore_imc_0 and uncore_imc_1).
 *                                      A later term replaces what an earlier one, or an event, says of
 *                                      the same bits; perf has the bits of both.
 *   EVENT/TERM,.../                    the first three with terms, but those of a PMU
 *   EVENT                              an event of any PMU
 *   SYSTEM:NAME                        a tracepoint; each may be a pattern
 *   mem:ADDR[/LEN][:rwx]               a breakpoint
 *   [NAME]{EVENT,...}[:MODIFIERS]      a group
 * Behind each but groups [:]MODIFIERS, see CAP_MODIFIERS in capture/event_defs.h.
 *
 * Where cores are of two kinds (cpu_core and cpu_atom), events of hardware and caches become one for
 * each of them.
 */
#ifndef PD_CAPTURE_EVENTS_H
#define PD_CAPTURE_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/attr.h>
#include <pdconv/error.h>
#include <pdconv/vec.h>

/** Strings are its own. */
struct cap_event {
	/**
	 * Its sample_period is 0 if neither the user nor the kind of the event says anything: of
	 * tracepoints, breakpoints and bpf-output it is 1.
	 */
	struct pd_attr attr;
	/** As EVENT_DESC has it. */
	char *name;
	/** An expression for PERF_EVENT_IOC_SET_FILTER, or NULL. */
	char *filter;
	/** The PMU that was asked for, or NULL. */
	char *pmu;
	/** The list of CPUs that the PMU counts on ("0-3,8"), or NULL for all. */
	char *cpus;
	/** Name of the group that it leads, or NULL. */
	char *group_name;
	/** Index of its group's leader; its own if it leads one or is in none. */
	size_t leader;
	bool is_tracepoint;
	/** A term says period or freq, which goes before what is said for all events. */
	bool has_period;
	/** 'P': the highest precise_ip that opens. */
	bool is_precise_max;
	/** 'S': samples of the leader hold the counts of its group. */
	bool reads_group;
	/** 'W': if its group does not open, then without a group. */
	bool is_weak;
	/** 'H' or 'G' was said. */
	bool chose_host;
};

/** A zeroed one is empty. */
struct cap_events {
	PD_VEC(struct cap_event) list;
	/** Index of the first event that the last cap_events_parse added. */
	size_t last_first;
	/** Where PMUs are; NULL: /sys/bus/event_source/devices. Borrowed. */
	const char *devices_dir;
	/** Where tracefs is; NULL: where it is mounted. Borrowed. */
	const char *tracing_dir;
};

/** Free the events, and leave it empty. */
void cap_events_deinit(struct cap_events *events);

void cap_event_deinit(struct cap_event *event);

/**
 * Append the events of @p words, which is what one -e has. PD_ERROR_USAGE, with a message that names
 * the word, if they make no sense or there is no such event; then nothing is appended.
 */
struct pd_error *cap_events_parse(struct cap_events *events, const char *words) pd_must_check;

/**
 * Let the events of the last cap_events_parse happen only where @p filter, an expression as the kernel
 * takes it, is true; and what earlier calls said. PD_ERROR_USAGE if one of them is no tracepoint.
 */
struct pd_error *cap_event_set_filter(struct cap_events *events, const char *filter) pd_must_check;

/** The same for one tracepoint. */
struct pd_error *cap_event_add_filter(struct cap_event *event, const char *filter) pd_must_check;

/**
 * Where tracefs is mounted, as @p events or the machine has it; NULL if it is not, or may not be
 * looked into. Static storage, or borrowed from @p events.
 */
const char *cap_tracing_dir(const struct cap_events *events);

/** A PD_ERROR_OS that says why @p dir of tracefs (NULL: none) cannot be used, and what helps. */
struct pd_error *cap_tracing_error(const char *dir, int errnum) pd_must_check;

#endif

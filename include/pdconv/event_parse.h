/**
 * @file Event lists in the syntax of `perf record -e`, as attrs for programs that open events or
 * write recordings themselves:
 *
 *	pd_event_parse("cycles:u,{instructions,cache-misses}:S", NULL, &events);
 *	for (i = 0; i < events.n; i++)
 *		pd_attr_encode(&events.list[i].attr, &bytes);
 *	pd_parsed_events_deinit(&events);
 */
#ifndef PDCONV_EVENT_PARSE_H
#define PDCONV_EVENT_PARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/attr.h>
#include <pdconv/decls.h>
#include <pdconv/error.h>

PD_DECLS_BEGIN

/** An event of a list. */
struct pd_parsed_event {
	/**
	 * Attr with what the words say: type, size, config*, bp_type, exclude_*, pinned, exclusive,
	 * precise_ip, and sample_period or freq. sample_type, read_format and the rest are 0 for
	 * the caller to fill in.
	 */
	struct pd_attr attr;
	/** Name, as perf writes it to a recording. */
	const char *name;
	/** Name of the group that the event leads, or NULL. */
	const char *group_name;
	/** CPUs that the PMU of the event counts on, e.g. "0-3,8"; NULL: all. */
	const char *cpus;
	/** Index of the leader of its group; its own index if it leads one or is in none. */
	size_t leader;
	/** A term sets the period or freq: it takes precedence over those for all events. */
	bool has_period;
	/** Modifier P: the highest precise_ip that opens. The attr has 3. */
	bool is_precise_max;
	/** Modifier S: samples of the leader hold the counts of its group. */
	bool reads_group;
	/** Modifier W: if the group does not open, open its events without a group. */
	bool is_weak;
};

/** The events of a list, in its order. Zero it before first use. */
struct pd_parsed_events {
	const struct pd_parsed_event *list;
	size_t n;
	/** Private. */
	struct pd_parsed_events_state *state;
};

/** The machine that events are of. Zero it, then set members. Strings are borrowed. */
struct pd_event_parse_opts {
	/** Directory of PMUs; NULL: /sys/bus/event_source/devices. */
	const char *devices_dir;
	/** Mount point of tracefs; NULL: the one of this machine. */
	const char *tracing_dir;
	/** Zero. Members of later versions take its place. */
	uint64_t reserved[4];
};

/**
 * Parse @p words, a comma-separated list: hardware, software and cache events, raw configs,
 * PMU/TERMS/, tracepoints and patterns of them, breakpoints (mem:ADDR:rw), and groups in braces,
 * each with modifiers, see perf-list(1). A pattern, a PMU name without its number, and a generic
 * event on a hybrid machine, stand for several events. @p opts may be NULL. What @p ret had before
 * is freed. Errors: USAGE, with the word and its position in bytes from 1, if a word is invalid
 * or its event does not exist on the machine; OS if tracefs cannot be read; NOMEM.
 */
struct pd_error *pd_event_parse(const char *words, const struct pd_event_parse_opts *opts,
	struct pd_parsed_events *ret) pd_must_check;
/** Free the events and their names. @p events is empty afterwards. */
void pd_parsed_events_deinit(struct pd_parsed_events *events);

PD_DECLS_END

#endif

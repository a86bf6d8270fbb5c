/**
 * @file The events that a user asks to be recorded.
 *
 * Words are those of `perf record -e`, and so are the names that the events get. What a word says
 * goes into the attr: type, size, config*, bp_type, exclude_*, pinned, exclusive, precise_ip, and
 * period or freq. sample_type, read_format and the rest are for the recorder to fill in.
 *
 * Words, separated by commas:
 *   cycles, cpu-clock, faults ...      hardware and software events
 *   L1-dcache-load-misses, LLC ...     cache events: CACHE[-OP][-RESULT]
 *   rNNN, TYPE:CONFIG                  a raw config in hexadecimal; type and config as numbers
 *   PMU/TERM,.../                      TERM: a field of the PMU's format or an event of it
 *                                      (field=N, event), config=N to config3=N, period=N, freq=N,
 *                                      name=TEXT, rNNN. A name without its final number stands for
 *                                      all PMUs with one (imc: uncore_imc_0 and uncore_imc_1).
 *                                      A later term replaces the bits set by an earlier one or by
 *                                      an event; perf keeps the bits of both.
 *   EVENT/TERM,.../                    one of the first three with terms, except for PMU fields
 *   EVENT                              an event that any PMU has
 *   SYSTEM:NAME                        a tracepoint; both parts may be patterns
 *   mem:ADDR[/LEN][:rwx]               a breakpoint
 *   [NAME]{EVENT,...}[:MODIFIERS]      a group
 * Each except for groups may be followed by [:]MODIFIERS, see CAP_MODIFIERS in
 * capture/events/event_word_defs.h.
 *
 * On hybrid machines (cpu_core and cpu_atom), a hardware or cache event becomes one event for each
 * kind of core.
 */
#ifndef PD_CAPTURE_EVENTS_EVENT_LIST_H
#define PD_CAPTURE_EVENTS_EVENT_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/attr.h>
#include <pdconv/bytes.h>
#include <pdconv/error.h>
#include <pdconv/vec.h>

/** An event to be recorded. It owns its strings. */
struct cap_event {
	/**
	 * Attr of the event. sample_period is 0 unless the user or the kind of the event sets it:
	 * tracepoints, breakpoints and bpf-output have 1.
	 */
	struct pd_attr attr;
	/** Name, as in EVENT_DESC. */
	char *name;
	/** An expression for PERF_EVENT_IOC_SET_FILTER, or NULL. */
	char *filter;
	/** Name of the PMU that the user wrote, or NULL. */
	char *pmu;
	/** The list of CPUs that the PMU counts on ("0-3,8"), or NULL for all. */
	char *cpus;
	/** Name of the group that the event leads, or NULL. */
	char *group_name;
	/**
	 * Index of the leader of its group. An event that leads a group or is in no group has its
	 * own index.
	 */
	size_t leader;
	bool is_tracepoint;
	/**
	 * A term sets the period or freq, which takes precedence over the options for all events.
	 */
	bool has_period;
	/** Modifier 'P': use the highest precise_ip that opens. */
	bool is_precise_max;
	/** Modifier 'S': samples of the leader hold the counts of its group. */
	bool reads_group;
	/** Modifier 'W': if the group does not open, open its events without a group. */
	bool is_weak;
	/** Modifier 'H' or 'G' is present. */
	bool chose_host;
	/** Nothing that the event counts happens in user space: it is not opened for that alone. */
	bool needs_kernel;
	/**
	 * The caller set the attr: it is only added to, and no other event is opened instead. Flags
	 * and read_format that it had then are not removed on kernels that do not know them.
	 */
	bool is_exact;
	/** Nothing else is counted in its place where it cannot be. */
	bool has_no_substitute;
	/** Samples have no registers, stacks and call chains, unlike those of other events. */
	bool has_no_stacks;
	uint64_t exact_flags;
	uint64_t exact_read_format;
};

/** A zeroed one is empty. */
struct cap_events {
	PD_VEC(struct cap_event) list;
	/** Index of the first event that the last cap_events_parse added. */
	size_t last_first;
	/** Directory of PMUs; NULL: /sys/bus/event_source/devices. Borrowed. */
	const char *devices_dir;
	/** Mount point of tracefs; NULL: the one of this machine. Borrowed. */
	const char *tracing_dir;
};

/** Free all events and leave the list empty. */
void cap_events_deinit(struct cap_events *events);

void cap_event_deinit(struct cap_event *event);

/**
 * Append the events of @p words, a comma-separated list. Errors: USAGE, with a message that names
 * the word, if one is invalid or an event does not exist; then nothing is appended.
 */
struct pd_error *cap_events_parse(struct cap_events *events, const char *words) pd_must_check;

/**
 * Like cap_events_parse(). If there is an error, @p at_ret is the offset of the event or of the
 * character that it is about, in bytes.
 */
struct pd_error *cap_events_parse_at(
	struct cap_events *events, const char *words, size_t *at_ret) pd_must_check;

/**
 * Add @p filter, an expression in the kernel's syntax, to the tracepoints that the last
 * cap_events_parse added. All filters of an event must be true. Errors: USAGE, one of them is not a
 * tracepoint.
 */
struct pd_error *cap_event_set_filter(struct cap_events *events, const char *filter) pd_must_check;

#endif

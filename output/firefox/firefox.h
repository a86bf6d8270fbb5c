/**
 * @file State of the firefox format, for the files that write parts of it: tables of functions and
 * stacks, threads, their markers, and counters.
 */
#ifndef PD_OUTPUT_FIREFOX_FIREFOX_H
#define PD_OUTPUT_FIREFOX_FIREFOX_H

#include <stdbool.h>
#include <stdint.h>

#include <pdconv/record.h>
#include <pdconv/vec.h>

#include "analyze/locations.h"
#include "base/containers/intern.h"
#include "base/json.h"
#include "base/containers/map.h"
#include "output/tracks.h"
#include "profile/profile.h"

/* Categories of frames: C(NAME, "name", "colour"). The first grey one is the default. */
#define FIREFOX_CATEGORIES(C) \
	C(OTHER, "Other", "grey") \
	C(USER, "User", "yellow") \
	C(LIBRARY, "Native library", "blue") \
	C(JIT, "JIT", "green") \
	C(KERNEL, "Kernel", "orange") \
	C(IDLE, "Idle", "transparent")

enum firefox_category {
#define FIREFOX_CATEGORY_ENUM(name, ...) FIREFOX_##name,
	FIREFOX_CATEGORIES(FIREFOX_CATEGORY_ENUM)
#undef FIREFOX_CATEGORY_ENUM
		FIREFOX_N_CATEGORIES
};

/* Kinds of markers: M(NAME, "name", category). Tracepoints have the name of their event. */
#define FIREFOX_MARKERS(M) \
	M(OFF_CPU, "Off-CPU", IDLE) \
	M(WAKEUP, "Wakeup", KERNEL) \
	M(LOST, "Lost", OTHER) \
	M(THROTTLED, "Throttled", OTHER) \
	M(TRACEPOINT, "Tracepoint", KERNEL) \
	M(INTERVAL, "Interval", OTHER)

enum firefox_marker_kind {
#define FIREFOX_MARKER_ENUM(name, ...) FIREFOX_MARKER_##name,
	FIREFOX_MARKERS(FIREFOX_MARKER_ENUM)
#undef FIREFOX_MARKER_ENUM
		FIREFOX_N_MARKERS
};

struct firefox_marker {
	/** Index of the track whose thread shows it. */
	uint32_t track;
	enum firefox_marker_kind kind;
	/** Times in ns. Equal ones are a moment. */
	uint64_t start;
	uint64_t end;
	/** Why the thread was off-CPU: static storage. NULL for other kinds. */
	const char *reason;
	/** Number of what was lost. */
	uint64_t n;
	/** Fields of a tracepoint: "name=value name=value". */
	struct prof_trace_text_id fields;
	/** Event of a tracepoint. */
	struct prof_event_id event;
	/** An interval. Borrowed from the profile. */
	const struct prof_interval *interval;
	/**
	 * The other thread of a wakeup: who ended the time off the CPU, or who was woken. Refers to
	 * nothing: none, or an interrupt.
	 */
	struct prof_thread_id other;
	/** "[irq eth0]": the interrupt that ended the time off the CPU. Refers to nothing: none. */
	struct prof_string_id interrupt;
	/** Number in the order in which they were found. */
	uint32_t number;
	/** Number that connects a wakeup with the time off the CPU that it ends; 0: none. */
	uint32_t flow;
	/** Where it happened; refers to nothing if not known. */
	struct prof_stack_id stack;
};

/** When a thread began and ended, in ns; PD_NO_TIME if that is not in the recording. */
struct firefox_life {
	uint64_t begin;
	uint64_t end;
};

/** A node of the tree of stacks. */
struct firefox_node {
	/** Index of a location. */
	uint32_t frame;
	/** Index of the caller's node plus 1; 0 at a root. */
	uint32_t caller;
};

/** Output in progress. */
struct firefox {
	const struct profile *profile;
	struct ana_locations locations;
	struct out_tracks tracks;
	/** Event whose threads have the markers: the first one with samples. */
	struct prof_event_id event;
	/** Time of the recording that is 0 in the file, in ns. */
	uint64_t base;
	uint64_t limit;
	/** struct prof_string_id: source files. */
	struct base_intern sources;
	/** The string table of the file. */
	struct base_intern strings;
	PD_VEC(struct firefox_node) nodes;
	/** Index of each node, by its caller and frame. */
	struct base_map node_ids;
	/** Node of the leaf of each stack plus 1; 0: not known, or no frames. Indexed by stack. */
	uint32_t *leaves;
	/** Index in lives, by process and thread. */
	struct base_map life_ids;
	PD_VEC(struct firefox_life) lives;
	/** Index of the first track of each thread. */
	struct base_map first_tracks;
	/** Ordered by track and start. */
	PD_VEC(struct firefox_marker) markers;
	struct base_json json;
	/** Number of wakeups that are connected. */
	uint32_t n_flows;
	/** An allocation failed; nothing written after that is valid. */
	bool no_memory;
};

static inline uint64_t firefox_thread_key(uint32_t pid, uint32_t tid)
{
	return (uint64_t)pid << 32 | tid;
}

/** Whether @p event counts the time that threads wait. */
bool firefox_is_off_cpu(const struct firefox *f, struct prof_event_id event);

/** Index of @p text in the string table of the file. */
uint32_t firefox_string(struct firefox *f, const char *text);

/** Write @p ns as milliseconds, with all its digits. */
void firefox_write_ms(struct firefox *f, const char *key, uint64_t ns);
/** Write a time of the recording. */
void firefox_write_time(struct firefox *f, const char *key, uint64_t time);
void firefox_write_null(struct firefox *f, const char *key);

/** Time between two samples in ns: as requested, or else a guess for the graphs. */
uint64_t firefox_interval(const struct firefox *f);

#endif

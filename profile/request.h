/**
 * @file Requests: parts of a profile that only some formats need.
 *
 * The pipeline (resolve/) keeps only what is requested, so a format that does not print single
 * samples spends neither time nor memory on them.
 */
#ifndef PD_PROFILE_REQUEST_H
#define PD_PROFILE_REQUEST_H

#include <stdbool.h>
#include <stdint.h>

#include <pdconv/record.h>

#include "profile/profile.h"

struct pd_file;

/** Parts to keep. Zeros request only the samples and the names of their frames. */
struct prof_request {
	/** Keep every sample by itself: profile.rows. */
	bool rows;
	/** With rows: keep where their records are, profile.origins. */
	bool origins;
	/**
	 * With origins: keep the unwound part of each stack as PERF_SAMPLE_CALLCHAIN has it
	 * (prof_origin.chain) instead of pcs and trace, and list the samples that count for
	 * nothing: profile.uncounted.
	 */
	bool chains;
	/** With rows: keep only those of tracepoints, and no process addresses. */
	bool only_traces;
	/**
	 * With rows and frame_offsets: prof_row.trace is the text that the kernel prints, as far as
	 * its format is known, not the fields.
	 */
	bool printed_traces;
	/** Count the branches in branch stacks, and the code between them: profile.edges. */
	bool edges;
	/**
	 * Keep the locations of all code in functions that frames are in: profile.code. Lines are
	 * kept even if the caller of the pipeline does not ask for them.
	 */
	bool code;
	/** Find times off the CPU by the switches of the scheduler: profile.waits. */
	bool waits;
	/** Find out where the time of threads and CPUs went: profile.ledgers. */
	bool ledger;
	/**
	 * With ledger: only if the recording has switches, waits or other events that say where
	 * time went. Recordings without them take no longer.
	 */
	bool ledger_if_known;
	/** With ledger: keep the states of each thread, profile.ledger_phases. */
	bool phases;
	/** With ledger: keep each change of a thread's state, as profile.ledger_changes. */
	bool ledger_changes;
	/**
	 * Find the times from one event to another: profile.intervals. They are those of the kinds
	 * that are known and those that own_intervals declare. Borrowed.
	 */
	bool intervals;
	const char *const *own_intervals;
	size_t n_own_intervals;
	/**
	 * With ledger: find the critical path of the thread with this number or name, "" for that
	 * of the recorded command: profile.path_steps. Borrowed; NULL: do not.
	 */
	const char *critical_path;
	/**
	 * With critical_path: only if wakeups were recorded, and the thread is in the recording.
	 */
	bool path_if_known;
	/** Keep what was mapped: profile.mappings. */
	bool mappings;
	/**
	 * Keep the file offset and the symbol offset of each named frame: profile.frame_offsets.
	 */
	bool frame_offsets;
	/** Name inlined functions even if the caller of the pipeline does not ask for them. */
	bool inlined;
	/** Keep names in the form of patterns if they are shown in another one: pattern_names. */
	bool pattern_names;
	/** Frames need no names. */
	bool no_names;
	/** Read no samples, only what precedes them. */
	bool no_samples;
	/**
	 * Properties that keep samples apart in addition to stack, thread and event: a bit for each
	 * enum prof_tag. With PROF_TAG_TIME, each sample that has a time is one by itself.
	 */
	unsigned tags;
	/**
	 * With rows: fields to keep for each sample of an event of this kind, as profile.details.
	 */
	uint32_t details[PROF_N_EVENT_KINDS];
	/**
	 * Types of records other than samples that become profile.notes: a bit for each
	 * PD_RECORD_*.
	 */
	uint64_t note_types;
	/**
	 * Return the text of a note, which is allocated; NULL: no memory. Needed if there are
	 * note_types.
	 */
	char *(*note_text)(const struct pd_record *rec, const union pd_body *body);
	/**
	 * Return a description of the recording, which is allocated; NULL: no memory. It becomes
	 * about.description. Called once when all of the recording has been read. NULL: no
	 * description is needed.
	 */
	char *(*describe)(const struct pd_file *file);
};

/** Whether all samples get rows, not only those of tracepoints. */
static inline bool prof_has_all_rows(const struct prof_request *request)
{
	return request->rows && !request->only_traces;
}

/** Whether rows have the process addresses of stacks. */
static inline bool prof_keeps_addresses(const struct prof_request *request)
{
	return prof_has_all_rows(request) && !request->chains;
}

#endif

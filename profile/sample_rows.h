/**
 * @file Single samples and what is between them. A profile has these parts only if requested.
 */
#ifndef PD_PROFILE_SAMPLE_ROWS_H
#define PD_PROFILE_SAMPLE_ROWS_H

#include <stdint.h>

#include "profile/ids.h"

/** Position of a SAMPLE record in the recording. */
struct prof_key {
	/** Members of the same names in struct pd_record. */
	uint64_t offset;
	uint32_t part;
	uint32_t ordinal;
};

/** State of a thread that leaves the CPU. */
enum prof_wait_state {
	/** The thread waits for an event, and signals may end the wait. */
	PROF_WAIT_SLEEPING,
	/** The thread waits for a disk or a lock of the kernel, and signals do not end the wait. */
	PROF_WAIT_DISK,
	/** The thread could go on, but another one got the CPU. */
	PROF_WAIT_RUNNABLE,
	PROF_N_WAIT_STATES,
};

/** Causes of the end of a wait. */
enum prof_woken_by {
	/** Not recorded. */
	PROF_WOKEN_UNKNOWN,
	/** An interrupt: a timer, a device. */
	PROF_WOKEN_BY_INTERRUPT,
	/** The thread of a sample. */
	PROF_WOKEN_BY_SAMPLE,
	PROF_N_WOKEN_BY,
};

/**
 * Waits off the CPU that began at one sample with one state, and that one sample ended. Those whose
 * ends are not known count only in what a ledger has of them.
 */
struct prof_wait {
	struct prof_sample_id sample;
	/** Sample of the wakeup; refers to nothing unless woken_by is PROF_WOKEN_BY_SAMPLE. */
	struct prof_sample_id waker;
	/** enum prof_wait_state, enum prof_woken_by */
	uint32_t state;
	uint32_t woken_by;
	/** With PROF_WOKEN_BY_INTERRUPT: "[irq eth0]"; otherwise "". */
	struct prof_string_id interrupt;
	/** Zero, in place of padding: profiles are stored as bytes (profile/store.h). */
	uint32_t reserved;
	uint64_t n;
	/** Sum of the times off the CPU, in ns. */
	uint64_t total_ns;
	/** Part of total_ns in which the threads could have run, as far as it is known. */
	uint64_t delay_ns;
	/**
	 * With a ledger: the time for which it has the threads as blocked, also in waits whose ends
	 * are not known, and the number of these waits.
	 */
	uint64_t blocked_ns;
	uint64_t n_blocked;
};

/** A single sample. There are as many as samples, so rows are small. */
struct prof_row {
	/** Time in ns; PD_NO_TIME if it was not sampled. */
	uint64_t time;
	uint64_t period;
	/** The sample whose values this row is part of. */
	struct prof_sample_id sample;
	/** CPU number; PROF_NONE if it was not sampled. */
	uint32_t cpu;
	/** Process address of each frame of the stack; refers to nothing if chains are kept. */
	struct prof_pcs_id pcs;
	/** Text of the tracepoint: see prof_request.printed_traces. "" for other events. */
	struct prof_trace_text_id trace;
};

/** Where a row comes from. */
struct prof_origin {
	/**
	 * Record of the sample. A record with the counter values of several events makes several
	 * rows.
	 */
	struct prof_key key;
	/**
	 * User part of the stack as PERF_SAMPLE_CALLCHAIN has it: addresses inside the
	 * instructions, with PD_CONTEXT_USER before the first one, and again before each one that
	 * is not a return address but was interrupted by a signal. Refers to nothing if the stack
	 * was not unwound, or chains are not kept.
	 */
	struct prof_pcs_id chain;
	/** Zero, in place of padding: profiles are stored as bytes (profile/store.h). */
	uint32_t reserved;
};

/** A branch that was taken. */
struct prof_branch {
	uint64_t from;
	uint64_t to;
	/** Parts as in pdconv/bitfield_defs.h. */
	uint64_t flags;
	/** Frames at both addresses. */
	struct prof_frame_id from_frame;
	struct prof_frame_id to_frame;
};

/** Flags of struct prof_edge. */
enum {
	/** The branch begins or ends in the kernel. */
	PROF_EDGE_KERNEL = 1,
};

/**
 * An edge of the control flow: a branch in branch stacks, and the straight run of code after it.
 * Edges with equal bytes are the same edge.
 */
struct prof_edge {
	struct prof_frame_id from;
	struct prof_frame_id to;
	/**
	 * Source of the next branch: the code from `to` to this instruction ran without a branch.
	 * Refers to nothing if the next branch was not recorded. Between branches of user code,
	 * those into the kernel and out of it are left out: the code goes on where it was
	 * interrupted.
	 */
	struct prof_frame_id end;
	/** PROF_EDGE_* */
	uint32_t flags;
};

/** How often an edge was recorded, and how often its branch was mispredicted. */
struct prof_edge_count {
	uint64_t n;
	uint64_t mispredicted;
};

/**
 * Fields of a single sample that its row does not have. Fields that were not requested are zero.
 */
struct prof_detail {
	uint64_t addr;
	uint64_t weight;
	uint64_t data_src;
	uint64_t phys_addr;
	uint64_t data_page_size;
	uint64_t code_page_size;
	uint64_t transaction;
	/** Frame at addr. */
	struct prof_frame_id addr_frame;
	/** Registers as u64: the ABI, the mask and the values. */
	struct prof_bytes_id regs_user;
	struct prof_bytes_id regs_intr;
	/** Array of struct prof_branch. */
	struct prof_bytes_id branches;
	/** Raw data as recorded. */
	struct prof_bytes_id raw;
	/** Zero, in place of padding: profiles are stored as bytes (profile/store.h). */
	uint32_t reserved;
};

/** An event between samples, described in one line of text. */
struct prof_note {
	/** Time in ns; 0 if not recorded. */
	uint64_t time;
	uint32_t pid;
	uint32_t tid;
	uint32_t cpu;
	/** Index of the first row after the note. */
	uint32_t row;
	/** Refers to nothing if the event is not known. */
	struct prof_event_id event;
	/** Name of the thread at that time. */
	struct prof_note_text_id comm;
	/** Text from prof_request.note_text. */
	struct prof_note_text_id text;
	/** Zero, in place of padding: profiles are stored as bytes (profile/store.h). */
	uint32_t reserved;
};

#endif

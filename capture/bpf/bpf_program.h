/**
 * @file Unwinding while recording: the program of bpf/sample.bpf.c, its maps, and what fills them.
 *
 * Tables of binaries are loaded when a process with them is read: a target before the recording
 * begins, any other when a sample of it has missed. A table is shared by all processes that have
 * the file mapped.
 */
#ifndef PD_CAPTURE_BPF_BPF_PROGRAM_H
#define PD_CAPTURE_BPF_BPF_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/error.h>
#include <pdconv/record.h>

#include "capture/bpf/replaced.h"
#include "capture/bpf/unwinding.h"

struct cap_bpf;

struct cap_bpf_opts {
	/** Bytes of tables, at most; those that were not used for longest are dropped. */
	uint64_t memory;
	/** Events are tracepoints or probes, or some are. */
	bool has_traces;
	/** Processes are recorded that have no events of their own. */
	bool is_system_wide;
};

/**
 * Load the programs. Errors: UNSUPPORTED, this build or kernel has no such programs, or it is not
 * permitted; NOMEM, OS.
 */
struct pd_error *cap_bpf_create(const struct cap_table_maker *maker,
	const struct cap_bpf_opts *opts, struct cap_bpf **ret) pd_must_check;
/** Unload the program and free its maps; NULL is fine. Events must have been closed. */
void cap_bpf_destroy(struct cap_bpf *bpf);

/** Programs for PERF_EVENT_IOC_SET_BPF. */
const struct cap_programs *cap_bpf_programs(const struct cap_bpf *bpf);

/** Let the program write to the ring of the CPU @p cpu through the event @p fd. Errors: OS. */
struct pd_error *cap_bpf_add_ring(struct cap_bpf *bpf, int cpu, int fd) pd_must_check;

/** Read the mappings of process @p pid and load the tables of its binaries. Errors: NOMEM, OS. */
struct pd_error *cap_bpf_read_process(struct cap_bpf *bpf, uint32_t pid) pd_must_check;

/**
 * Load the tables of the binaries that the command @p program, and those that it will start, will
 * have mapped. Errors: NOMEM, OS.
 */
struct pd_error *cap_bpf_expect_command(struct cap_bpf *bpf, const char *program) pd_must_check;

/**
 * Wait until the tables of all processes that were read are loaded, but not longer than @p seconds.
 * Errors: NOMEM, OS.
 */
struct pd_error *cap_bpf_wait(struct cap_bpf *bpf, double seconds) pd_must_check;

/** Wait by @p stream for requests of the program, and for tables that were made. Errors: OS. */
struct pd_error *cap_bpf_watch(const struct cap_bpf *bpf, struct cap_stream *stream) pd_must_check;
/**
 * If @p fd, which is readable, is for requests of the program, read the mappings that it has asked
 * for; if it is for tables, load those that were made. Errors: NOMEM, OS.
 */
struct pd_error *cap_bpf_take_ready(struct cap_bpf *bpf, int fd) pd_must_check;

/** Take note of a record that changes mappings. Records of other types are left alone. */
struct pd_error *cap_bpf_note(struct cap_bpf *bpf, const struct pd_record *rec) pd_must_check;
/** Read the mappings that changed since the last call. Errors: NOMEM, OS. */
struct pd_error *cap_bpf_refresh(struct cap_bpf *bpf) pd_must_check;

/** Note that a process has mapped code. Comes before stacks that are taken later. */
void cap_bpf_note_code(struct cap_bpf *bpf, const struct cap_replaced_code *code);
/** Number of the first frames of @p stack, taken at @p time, that are certain. */
uint16_t cap_bpf_n_certain(const struct cap_bpf *bpf, const struct bw_record *stack, uint64_t time);

struct cap_bpf_counts cap_bpf_counts(const struct cap_bpf *bpf);

#endif

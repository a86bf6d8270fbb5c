/**
 * @file Unwinding while recording: the program of bpf/sample.bpf.c, its maps, and what fills them.
 *
 * Tables of binaries are loaded when a process with them is read: a target before the recording
 * begins, any other when a sample of it has missed. A table is shared by all processes that have
 * the file mapped.
 */
#ifndef PD_CAPTURE_BPF_H
#define PD_CAPTURE_BPF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/error.h>
#include <pdconv/record.h>

#include "capture/build_ids.h"
#include "capture/replaced.h"
#include "capture/session.h"
#include "unwind/table.h"

/** Code at @p offset of the file @p path, which has @p size bytes in memory. */
typedef struct pd_error *cap_on_code(void *ctx, const char *path, uint64_t offset, uint64_t size);

/** Where tables come from. The recorder itself reads no ELF files. */
struct cap_table_source {
	/**
	 * Make the table of the file of @p mapping, which process @p pid has mapped. @p id is the
	 * build id of the vdso, else empty. *ret is NULL if the file has no table. @p ret is NULL
	 * if only the other result is wanted. @p delta_ret: a vaddr of the file less its file
	 * offset, at the mapping. Called on another thread, one call at a time. Errors: NOMEM.
	 */
	struct pd_error *(*open)(void *ctx, uint32_t pid, const struct cap_mapping *mapping,
		const struct pd_build_id *id, struct unw_table **ret, uint64_t *delta_ret);
	/**
	 * Call @p fn for each mapping of code that @p program will have when it starts, as far as
	 * that is known. @p is_command: it will be recorded, with programs that it starts. NULL:
	 * nothing is known. Errors: NOMEM, and those of @p fn.
	 */
	struct pd_error *(*list)(
		void *ctx, const char *program, bool is_command, cap_on_code *fn, void *fn_ctx);
	/** Remember the programs that @p command has started, for the next time. May be NULL. */
	void (*keep)(void *ctx, const char *command, const char *const *paths, size_t n);
	void *ctx;
};

struct cap_bpf_counts {
	/** Tables that were loaded, and those of them that were dropped to make room. */
	size_t n_tables;
	size_t n_dropped;
	/** Bytes of the tables that exist now, and the most at any time. */
	uint64_t table_bytes;
	uint64_t most_table_bytes;
	/** Processes whose mappings were read, and how often mappings were read in all. */
	size_t n_processes;
	uint64_t n_reads;
	/** Requests of the program. */
	uint64_t n_misses;
	/** How often a table was not loaded, because all of the memory was in use. */
	uint64_t n_refused;
	/** Runs of the program, and their time in ns. */
	uint64_t n_runs;
	uint64_t run_ns;
};

struct cap_bpf;

/** Whether this build has the program. */
bool cap_bpf_is_built(void);

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
struct pd_error *cap_bpf_create(const struct cap_table_source *source,
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

/** Descriptor that becomes readable when tables were made: call cap_bpf_take_tables(). */
int cap_bpf_table_fd(const struct cap_bpf *bpf);
/** Load the tables that were made. Errors: NOMEM, OS. */
struct pd_error *cap_bpf_take_tables(struct cap_bpf *bpf) pd_must_check;

/** Descriptor that becomes readable when the program asks for mappings. */
int cap_bpf_miss_fd(const struct cap_bpf *bpf);
/** Read the mappings that the program has asked for. Errors: NOMEM, OS. */
struct pd_error *cap_bpf_take_misses(struct cap_bpf *bpf) pd_must_check;

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

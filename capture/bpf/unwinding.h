/**
 * @file Stacks that BPF walks while a session runs: the program, the tables that it reads, the
 * events through which it writes to the rings, and the merging of what it writes into samples. All
 * that the rest of capture/ knows of BPF is in this header.
 *
 * The functions do nothing if BPF is not used, unless they say otherwise.
 */
#ifndef PD_CAPTURE_BPF_UNWINDING_H
#define PD_CAPTURE_BPF_UNWINDING_H

#include <stddef.h>
#include <stdint.h>

#include <pdconv/error.h>
#include <pdconv/record.h>
#include <pdconv/vec.h>

#include "bpf/maps.h"
#include "capture/machine/build_ids.h"
#include "capture/session.h"
#include "capture/stream.h"
#include "unwind/bpf_table.h"

/** Code at @p offset of the file @p path, which has @p size bytes in memory. */
typedef struct pd_error *cap_on_code(void *ctx, const char *path, uint64_t offset, uint64_t size);

/** Where tables come from. The recorder itself reads no ELF files. */
struct cap_table_maker {
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

/** Totals of the stacks that were merged. */
struct cap_chains_counts {
	/** Samples with a user stack that was walked, by end. */
	uint64_t ends[BW_N_ENDS];
	uint64_t n_frames;
	/** Samples of processes that were not known yet, so that they have one user frame only. */
	uint64_t n_unknown;
	/** Samples whose stack was lost, because the ring was full or the program could not run. */
	uint64_t n_lost;
};

/** Unwinding of a session by BPF. A zeroed struct does not use BPF. */
struct cap_unwinding {
	/** NULL: BPF is not used. */
	struct cap_bpf *bpf;
	struct cap_chains *chains;
	/** Events that write to the rings, one for each ring. */
	PD_VEC(int) outputs;
};

/**
 * Load the programs, and let @p session attach them to the events that it will open. @p
 * table_bytes: bytes of all tables, at most; 0: the default. Then load the tables of the processes
 * of its target that exist, and of its command, as far as they are known before it starts. Errors:
 * UNSUPPORTED, this build or kernel has no such programs, or it is not permitted; NOMEM, OS.
 */
struct pd_error *cap_unwinding_init(struct cap_unwinding *unwinding,
	const struct cap_table_maker *maker, uint64_t table_bytes,
	struct cap_session *session) pd_must_check;

/** Connect the program with the rings of @p session, which is open. Errors: NOMEM, OS. */
struct pd_error *cap_unwinding_connect(
	struct cap_unwinding *unwinding, const struct cap_session *session) pd_must_check;

/** Close all. Call it after the session has been closed. */
void cap_unwinding_deinit(struct cap_unwinding *unwinding);

/** Wait by @p stream for requests of the program, and for tables that were made. Errors: OS. */
struct pd_error *cap_unwinding_watch(
	const struct cap_unwinding *unwinding, struct cap_stream *stream) pd_must_check;
/** Serve the descriptor @p fd, which is readable, if it is one of those. Errors: NOMEM, OS. */
struct pd_error *cap_unwinding_take_ready(struct cap_unwinding *unwinding, int fd) pd_must_check;

/** Read the mappings of process @p pid and load the tables of its binaries. Errors: NOMEM, OS. */
struct pd_error *cap_unwinding_read_process(
	struct cap_unwinding *unwinding, uint32_t pid) pd_must_check;
/** Note further ids of event number @p i of the session. Errors: NOMEM. */
struct pd_error *cap_unwinding_add_ids(
	struct cap_unwinding *unwinding, size_t i, const uint64_t *ids, size_t n) pd_must_check;

/**
 * Note the file of code that @p rec says was mapped, if it does. Call it for the records of all
 * rings before those of any are merged.
 */
void cap_unwinding_look_ahead(struct cap_unwinding *unwinding, const struct pd_record *rec);

/** Records after merging, borrowed until the next call. */
struct cap_merged {
	const uint8_t *bytes;
	size_t size;
	/** Size of the input that was used. A stack at its end waits for its sample. */
	size_t used;
};

/**
 * Put stacks into the samples among the @p size bytes of records at @p bytes, which are from one
 * ring and in its order. BPF must be in use. Errors: NOMEM; FORMAT, the bytes are not records.
 */
struct pd_error *cap_unwinding_merge(struct cap_unwinding *unwinding, const uint8_t *bytes,
	size_t size, struct cap_merged *ret) pd_must_check;

/** Read the mappings that changed, as merged records said. Errors: NOMEM, OS. */
struct pd_error *cap_unwinding_refresh(struct cap_unwinding *unwinding) pd_must_check;

/** Get the counts of a recording that ends. */
void cap_unwinding_counts(const struct cap_unwinding *unwinding,
	struct cap_chains_counts *chains_ret, struct cap_bpf_counts *bpf_ret);

#endif

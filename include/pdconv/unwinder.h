/**
 * @file Unwinding and naming of single samples, for programs that watch others while they run.
 *
 * An unwinder knows processes with their mappings, opens the binaries in which frames are, and
 * turns the registers and stack bytes of a sample into frames:
 *
 *	pd_unwinder_create(NULL, NULL, &unwinder);
 *	pd_unwinder_run(unwinder, NULL, pid, seconds * 1000, on_stack, ctx);
 *	pd_unwinder_destroy(unwinder);
 *
 * A program with a loop of its own does the steps of pd_unwinder_run():
 *
 *	pd_perf_set_open(&opts, pid, &set);		opts.tracking and opts.stack_bytes are set
 *	pd_unwinder_create(NULL, NULL, &unwinder);
 *	pd_perf_set_enable(set, true);
 *	pd_unwinder_add_process(unwinder, pid);
 *	again and again:
 *		pd_unwinder_read(unwinder, set, 100, on_stack, ctx);
 *	pd_unwinder_destroy(unwinder);
 *	pd_perf_set_close(set);
 *
 * For records of other origin, such as a recording, there are the steps of pd_unwinder_read():
 *
 *	for each record, in order of time:
 *		if (rec->type != PD_RECORD_SAMPLE)
 *			pd_unwinder_add_record(unwinder, events, rec);
 *		else
 *			pd_unwinder_unwind(unwinder, sample, rec->misc, &stack);
 *			pd_stack_frames_name(&stack);
 *	pd_stack_frames_deinit(&stack);
 *
 * A set defers no call chains unless its attrs do. pd_unwinder_read() passes on a stack whose user
 * frames are deferred without them.
 *
 * All functions that take a struct pd_unwinder may be called by several threads at the same time,
 * except for pd_unwinder_destroy() and pd_unwinder_report(). A struct pd_stack_frames belongs to
 * one thread at a time. Stacks are unwound in parallel, with what was added before the call.
 *
 * After a function that adds something has failed with NOMEM, others may do so until the unwinder
 * is destroyed, and so may naming in a binary after NOMEM there. Errors of another kind, and those
 * of unwinding, leave it as it was.
 *
 * Memory is bounded by the processes that run: from time to time the unwinder forgets processes
 * that have exited, and opens binaries again when they are needed again. It forgets only processes
 * whose EXIT records were added.
 *
 * Generated code has the names in the perf-PID.map of its process. While the process runs on this
 * machine, the file is read again when a name is missing, and a second later when code may have
 * been replaced. Jitdumps are not read. Nothing is fetched from a network unless the options have
 * URLs of debuginfod servers.
 */
#ifndef PDCONV_UNWINDER_H
#define PDCONV_UNWINDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include <pdconv/build_id.h>
#include <pdconv/decls.h>
#include <pdconv/error.h>
#include <pdconv/events.h>
#include <pdconv/profile_opts.h>
#include <pdconv/record.h>
#include <pdconv/sample.h>
#include <pdconv/unwind_end.h>

PD_DECLS_BEGIN

/** Address that is not known. */
#define PD_NO_ADDR UINT64_MAX

/** How a frame was found. */
enum pd_frame_source {
	/** The leaf, or found by call frame information or the instructions of the callee. */
	PD_FRAME_EXACT,
	/** A guess: found by frame pointers or back chain, which may skip callers. */
	PD_FRAME_BY_FRAME_POINTER,
	/** A guess: found by a table that is valid at calls only, away from a call. */
	PD_FRAME_INEXACT,
	/** From the call chain of the sample. Those of user space are frame pointers, too. */
	PD_FRAME_RECORDED
};

/** Binary that has frames. */
struct pd_frame_binary {
	/** Path as it was mapped, or a name such as "[kernel.kallsyms]", "[vdso]" or "//anon". */
	const char *path;
	/** Build id as it was recorded, or that of the file that was found; len 0: not known. */
	struct pd_build_id build_id;
	/** The kernel, one of its modules, or code that it generated. */
	bool is_kernel;
	/**
	 * Memory without a file that has code of a process with a perf-PID.map or, on this machine,
	 * of a process that may write one.
	 */
	bool is_generated;
	/**
	 * Reason why the file is not used, in one line; NULL if it is, and for what has no file.
	 */
	const char *why;
};

/** Function at the address of a frame. */
struct pd_frame_name {
	/** Demangled name; NULL if only file and line are known. */
	const char *function;
	/** Name as the linker knows it. */
	const char *linkage;
	/** Source file, or NULL. */
	const char *file;
	/** Line of the address, or of the call that was inlined there; 0 if it is not known. */
	uint32_t line;
	/** Line of the function's declaration; 0 if it is not known. */
	uint32_t start_line;
};

/** Frame of a stack. */
struct pd_frame {
	/** Process or kernel address where execution is or will return to. */
	uint64_t pc;
	/**
	 * pc is a return address. The addresses in the file, and the names, are those of the byte
	 * before, which is in the call.
	 */
	bool is_return;
	/** The frame is in the kernel. */
	bool is_kernel;
	/** Signal trampoline, which the kernel made to return from a signal handler. */
	bool is_signal;
	enum pd_frame_source source;
	/** Binary; NULL if nothing is mapped at the address. */
	const struct pd_frame_binary *binary;
	/** Virtual address in the ELF file; PD_NO_ADDR if no file was found. */
	uint64_t vaddr;
	/** Offset in the file in bytes; PD_NO_ADDR if the memory is not that of a file. */
	uint64_t offset;
	/**
	 * Functions: inlined ones first, the one that contains them last. n_names is 0 before
	 * pd_stack_frames_name(), and if nothing is known.
	 */
	const struct pd_frame_name *names;
	size_t n_names;
};

/**
 * Frames of one stack, leaf first. Zero it before first use; it can be reused. Frames and all that
 * they refer to are valid until it is used for another stack, even if the unwinder is destroyed.
 */
struct pd_stack_frames {
	const struct pd_frame *frames;
	size_t n;
	/** Number of frames in the kernel, a hypervisor or a guest, which come first. */
	size_t n_kernel;
	/**
	 * Reason why the unwind of the user stack ended. Without registers or stack bytes it is
	 * NO_REGS or NO_STACK, and user frames are those of the call chain.
	 */
	enum pd_unwind_end end;
	/**
	 * The sample has no user stack yet: the kernel writes its user call chain to a later
	 * CALLCHAIN_DEFERRED record of the thread (attr.defer_callchain), for
	 * pd_unwinder_complete().
	 */
	bool is_deferred;
	/** Name of the thread; NULL if it is not known. */
	const char *comm;
	/** Private. */
	struct pd_stack_frames_state *state;
};

/** Free the frames. @p stack is empty afterwards and can be used again. */
void pd_stack_frames_deinit(struct pd_stack_frames *stack);

/** Options of an unwinder. Zero them, then set members. Strings are copied. */
struct pd_unwinder_opts {
	struct pd_unwind_opts unwind;
	struct pd_name_opts names;
	/**
	 * Processes do not run on this machine, or not any more. Their files are only used if their
	 * build ids match or, without build ids, their sizes.
	 */
	bool is_offline;
	/**
	 * Where to look for binaries, debug files and the kernel. While a binary is fetched from a
	 * debuginfod server, threads that meet another new binary wait.
	 */
	struct pd_search_opts search;
	/** Zero. Members of later versions take its place. */
	uint64_t reserved[8];
};

struct pd_perf_set;
struct pd_unwinder;

/**
 * Create an unwinder. @p arch is the architecture of the machine, as `uname -m` prints it or
 * HEADER_ARCH has it; NULL: this machine. 32-bit programs on a 64-bit machine are included. @p opts
 * may be NULL. Errors: UNSUPPORTED for an unknown architecture; USAGE; OS or FORMAT for a list of
 * modules that cannot be read; NOMEM.
 */
struct pd_error *pd_unwinder_create(const char *arch, const struct pd_unwinder_opts *opts,
	struct pd_unwinder **ret) pd_must_check;
/** Free @p unwinder, which may be NULL. Frames stay valid. */
void pd_unwinder_destroy(struct pd_unwinder *unwinder);

/**
 * Note in @p diag what failed so far when files were looked for: files that exist and cannot be
 * read, limits that were reached, archives, servers. No other thread may use the unwinder or its
 * frames meanwhile.
 */
void pd_unwinder_report(const struct pd_unwinder *unwinder, struct pd_diag *diag);

/**
 * Add process @p pid of this machine with its threads, names and mappings, from /proc; 0: the
 * calling process, -1: all that may be read. A process that is known gets the mappings that it has
 * now. If records follow, call this after their events were enabled, so that no mapping is missed.
 * Errors: OS if the process does not exist or must not be read; NOMEM.
 */
struct pd_error *pd_unwinder_add_process(struct pd_unwinder *unwinder, pid_t pid) pd_must_check;

/**
 * Add the running kernel of this machine, its modules and BPF programs. If their addresses are
 * hidden (kernel.kptr_restrict), frames of the kernel have no binary. Errors: OS, NOMEM.
 */
struct pd_error *pd_unwinder_add_kernel(struct pd_unwinder *unwinder) pd_must_check;

/**
 * Apply an MMAP, MMAP2, COMM, FORK, EXIT or KSYMBOL record. Other records are ignored. Records of a
 * process must be added in the order in which they were written. @p events are those that wrote the
 * record, for example pd_perf_reader_events(); NULL: it has no sample id trailer. Samples may
 * follow the EXIT of their process. Errors: FORMAT for an invalid record, NOMEM.
 */
struct pd_error *pd_unwinder_add_record(struct pd_unwinder *unwinder,
	const struct pd_events *events, const struct pd_record *rec) pd_must_check;

/**
 * Unwind @p sample, whose record header has @p misc. Frames of the kernel are those of its call
 * chain. User frames are unwound from its registers and stack bytes; if that ends before the root,
 * those of the call chain follow that continue the last frame. A sample without any of these has
 * one frame, its instruction pointer. A stack that cannot be unwound is a result, not an error.
 * After an error @p ret has no frames. Errors: NOMEM; OS if a binary was truncated, see
 * pdconv/file_guard.h: the next call opens the files again.
 */
struct pd_error *pd_unwinder_unwind(struct pd_unwinder *unwinder, const struct pd_sample *sample,
	uint16_t misc, struct pd_stack_frames *ret) pd_must_check;

/**
 * Replace the user frames of @p stack by those of the CALLCHAIN_DEFERRED record @p rec if they are
 * of the same thread and stack->is_deferred is set, which it is not afterwards. If the record for
 * the stack was lost, which the next one of the thread shows, the frames stay as they are. One
 * record may complete several stacks, so pass it with each of them. Without @p events, which may be
 * NULL, the thread is not compared. Name the frames again. Errors: FORMAT for an invalid record;
 * NOMEM.
 */
struct pd_error *pd_unwinder_complete(struct pd_unwinder *unwinder, const struct pd_events *events,
	const struct pd_record *rec, struct pd_stack_frames *stack) pd_must_check;

/**
 * Set the names of the frames. Debug information is read where frames need it, so the first names
 * in a binary take longest. Threads that name frames of one binary wait for each other. Errors:
 * NOMEM; OS if a binary was truncated.
 */
struct pd_error *pd_stack_frames_name(struct pd_stack_frames *stack) pd_must_check;

/** Callback for stacks, which are named and borrowed during the call. An error ends reading. */
typedef struct pd_error *pd_on_stack(
	void *ctx, const struct pd_sample *sample, const struct pd_stack_frames *stack);

/**
 * Read @p set by pd_perf_set_read(), add its records, and pass the stack of each sample to @p fn,
 * in order of time. The set should have been opened with tracking, and with stack_bytes or
 * callchain. Errors: those of @p fn and of the functions above; the record is consumed
 * nevertheless.
 */
struct pd_error *pd_unwinder_read(struct pd_unwinder *unwinder, struct pd_perf_set *set,
	int timeout_ms, pd_on_stack *fn, void *ctx) pd_must_check;

struct pd_capture_opts;

/**
 * Sample process @p pid with all of its threads (0: the calling process, -1: all processes) for
 * @p milliseconds, or without end if they are negative, and pass the stack of each sample to @p fn,
 * in order of time. @p opts are those of pd_perf_set_open(), and may be NULL; tracking is always
 * set. Call pd_unwinder_add_kernel() before if frames of the kernel shall have names. Errors: those
 * of @p fn and of the functions above.
 */
struct pd_error *pd_unwinder_run(struct pd_unwinder *unwinder, const struct pd_capture_opts *opts,
	pid_t pid, int milliseconds, pd_on_stack *fn, void *ctx) pd_must_check;

/**
 * Write @p stack to @p stream, as folded stacks have it: name of the thread, root, ..., leaf, with
 * ';' between them and without a line feed. A frame without a name is "[BINARY]" or "[unknown]".
 * Names are left out if memory runs out.
 */
void pd_stack_frames_write(const struct pd_stack_frames *stack, FILE *stream);

PD_DECLS_END

#endif

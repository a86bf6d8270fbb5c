/**
 * @file Stack unwinder: turns recorded registers and stack bytes into frames.
 *
 * The unwinder knows nothing of files, processes or names. The caller provides the registers and
 * the part of the stack that a sample captured, and a function that finds the module of an address.
 * The result is the list of frames, leaf first, and the reason why the unwind ended.
 *
 * The program counter and the lookup address of a frame are different things. `pc` is where
 * execution is or will return to. The *lookup address* is inside the instruction of interest: it is
 * pc in the leaf and in a frame that a signal interrupted, but pc - 1 if pc is a return address,
 * because a call that never returns may be the last instruction of its function.
 *
 * A "process address" is one in the recorded process, a "vaddr" is one in the ELF file.
 */
#ifndef PD_UNWIND_UNWIND_H
#define PD_UNWIND_UNWIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/error.h>
#include <pdconv/unwind_end.h>
#include <pdconv/vec.h>

#include "base/arch.h"
#include "unwind/binary_rows.h"

/** Executable mapping of a process. The caller keeps it as long as any walker refers to it. */
struct unw_module {
	/** Process addresses [start, end). */
	uint64_t start;
	uint64_t end;
	/** Process address - vaddr. */
	uint64_t bias;
	/** Binary; NULL if the file is missing or has nothing to unwind by. */
	const struct unw_binary *binary;
	/** Reason why binary is NULL. The unwind ends with it unless frame pointers lead on. */
	enum pd_unwind_end missing;
	/**
	 * Its code was generated, and only its instructions show how to unwind it. Runtimes
	 * generate calls of helpers that change the stack, so where the frame pointer is sure to be
	 * that of the current frame, it is followed instead. The code may have changed after it was
	 * written to a file.
	 */
	bool prefers_chain;
	/**
	 * The module is the vDSO or another page of the kernel, which holds the signal trampolines.
	 */
	bool is_vdso;
	/**
	 * The page in which the kernel executes copies of instructions with uprobes, and to which
	 * functions with return probes return.
	 */
	bool is_uprobes;
};

/** Snapshot of an address space: find() always returns the same module for an address. */
struct unw_space {
	/** Id of the snapshot, unique among all snapshots of all processes; not 0. */
	uint64_t id;
	/** Find the module that contains the process address @p addr, or NULL. Thread-safe. */
	const struct unw_module *(*find)(const struct unw_space *space, uint64_t addr);
};

/** User registers and stack of one thread, as captured in a sample. Borrowed during the call. */
struct unw_input {
	const struct unw_space *space;
	/** Recorded mask of perf's registers. Their values follow in ascending bit order. */
	uint64_t regs_mask;
	/** Register values of 8 bytes each, in the file's byte order. They may be unaligned. */
	const uint8_t *regs;
	/** Stack bytes, starting at the sampled stack pointer. */
	const uint8_t *stack;
	size_t stack_size;
	/** All requested bytes were captured, so the real stack may be larger. */
	bool is_stack_full;
	/** Registers are in the other byte order. The stack is always as it was in memory. */
	bool swap;
};

enum unw_frame_flags {
	UNW_FRAME_RETURN = 1,	/**< pc is a return address: look up pc - 1. */
	UNW_FRAME_SIGNAL = 2,	/**< A signal trampoline; pc is not a return address. */
	UNW_FRAME_BY_FP = 4,	/**< Found by frame pointer or back chain, not by CFI. */
	UNW_FRAME_INEXACT = 8,	/**< Found away from a call, by a table valid at calls only. */
	UNW_FRAME_SYSCALL = 16, /**< Internal: registers are as in a system call before pc. */
	/** No call precedes the return address of this frame or of one nearer to the leaf. */
	UNW_FRAME_UNCALLED = 32,
	UNW_FRAME_GUESSED = UNW_FRAME_BY_FP | UNW_FRAME_INEXACT | UNW_FRAME_UNCALLED,
};

/** Distinct frame that a walker has found. */
struct unw_frame {
	uint64_t space_id;
	/** Process address. */
	uint64_t pc;
	/** Module of the lookup address; NULL if nothing is mapped there. */
	const struct unw_module *module;
	/** enum unw_frame_flags. */
	uint32_t flags;
};

/** Result of an unwind. Zero it before first use; it can be reused for further unwinds. */
struct unw_stack {
	/** Ids of the walker's frames, leaf first: see unw_walker_frame(). */
	PD_VEC(uint32_t) frames;
	/** Stack pointer of each frame, if unw_opts.keep_sps is set. */
	PD_VEC(uint64_t) sps;
	/** Number of frames with a flag of UNW_FRAME_GUESSED. */
	size_t n_by_fp;
	enum pd_unwind_end end;
	/**
	 * Stack pointer of the caller of the last frame, if it is known although the return address
	 * was not captured; else 0.
	 */
	uint64_t caller_sp;
	/** Module of the last frame, or NULL. */
	const struct unw_module *end_module;
};

static inline void unw_stack_deinit(struct unw_stack *stack)
{
	pd_vec_deinit(&stack->frames);
	pd_vec_deinit(&stack->sps);
}

/** Unwinder for one thread. It caches how to unwind from each program counter that it has seen. */
struct unw_walker;

struct unw_opts {
	/** Largest number of frames; 0 means 1024. */
	size_t max_stack;
	/** Use exact information only: no frame has a flag of UNW_FRAME_GUESSED. */
	bool cfi_only;
	/** Return the stack pointer of each frame. */
	bool keep_sps;
};

/** Create a walker. @p opts may be NULL. Errors: NOMEM; UNSUPPORTED for an unknown @p arch. */
struct pd_error *unw_walker_create(const struct pd_arch *arch, const struct unw_opts *opts,
	struct unw_walker **ret) pd_must_check;
void unw_walker_destroy(struct unw_walker *walker);

/** Unwind one stack. Errors: NOMEM. A stack that cannot be unwound is a result, not an error. */
struct pd_error *unw_walk(struct unw_walker *walker, const struct unw_input *input,
	struct unw_stack *ret) pd_must_check;

/** Prefetch the registers and the first bytes of the stack. Call it a few samples ahead. */
void unw_prefetch(const struct unw_input *input);

/**
 * First id of the walker's frames. The ids up to unw_walker_end_frame() - 1 are in use; they have
 * 32 bits and may wrap around. An id keeps its meaning until the frame is removed.
 */
uint32_t unw_walker_first_frame(const struct unw_walker *walker);
/** Id after the last frame. */
uint32_t unw_walker_end_frame(const struct unw_walker *walker);
/** Frame @p id. The pointer is valid until the next unwind. */
const struct unw_frame *unw_walker_frame(const struct unw_walker *walker, uint32_t id);

/** Remove all frames if there are more than @p most, to bound memory over many unwinds. */
void unw_walker_trim(struct unw_walker *walker, size_t most);

#endif

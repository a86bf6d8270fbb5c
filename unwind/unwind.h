/**
 * @file Registers and stack bytes in, frames out.
 *
 * The unwinder knows no files, processes or names. The caller hands it the register values and the
 * slice of the stack that a sample captured, and a way to ask which module covers an address; it
 * returns the frames, leaf first, and the reason why the walk ended.
 *
 * Two addresses are kept apart: `pc` is where execution is or will return to; the *lookup address*
 * is the one inside the instruction of interest: pc itself at the leaf and in a frame that a signal
 * interrupted, pc - 1 behind a return address (a call that never returns may be the last
 * instruction of its function).
 *
 * Address spaces: "process" is an address in the recorded process, "vaddr" one in the ELF file.
 */
#ifndef PD_UNWIND_UNWIND_H
#define PD_UNWIND_UNWIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pdconv/error.h>
#include <pdconv/vec.h>

#include "base/arch.h"
#include "base/unwind_end.h"
#include "unwind/cfi.h"

/** One executable mapping of a process. Owned by the caller; lives as long as any cache. */
struct unw_module {
	/** Process addresses, end not included. */
	uint64_t start;
	uint64_t end;
	/** Process address - vaddr. */
	uint64_t bias;
	/** NULL if the file is not there or has none. */
	const struct unw_cfi *cfi;
	/** With cfi NULL: the reason, which ends a walk that frame pointers cannot carry on. */
	enum pd_unwind_end missing;
	/** The kernel's own pages of code for programs: what handlers return to is in them. */
	bool is_vdso;
};

/** One state of an address space: answers are the same for ever. */
struct unw_space {
	/** Different for every state of every process; not 0. */
	uint64_t id;
	/** The module covering the process address @p addr, or NULL. Called from any thread. */
	const struct unw_module *(*find)(const struct unw_space *space, uint64_t addr);
};

/** What a sample captured of one thread in user space. Borrowed for the call only. */
struct unw_input {
	const struct unw_space *space;
	/** Register mask as recorded: which of perf's registers follow, in ascending bit order. */
	uint64_t regs_mask;
	/** One 8-byte word each, in the file's byte order, not necessarily aligned. */
	const uint8_t *regs;
	/** Stack bytes from the sampled stack pointer upwards. */
	const uint8_t *stack;
	size_t stack_size;
	/** As many bytes were captured as were asked for: the real stack may go on. */
	bool is_stack_full;
	/**
	 * Registers are in the other byte order than this machine; the stack is as it was in
	 * memory.
	 */
	bool swap;
};

enum unw_frame_flags {
	UNW_FRAME_RETURN = 1,  /**< pc is a return address: look up pc - 1. */
	UNW_FRAME_SIGNAL = 2,  /**< A signal trampoline; its pc is never a return address. */
	UNW_FRAME_BY_FP = 4,   /**< Found through frame pointer or back chain, without CFI. */
	UNW_FRAME_INEXACT = 8, /**< Found by a table that holds at calls only, elsewhere. */
	UNW_FRAME_GUESSED = UNW_FRAME_BY_FP | UNW_FRAME_INEXACT,
};

/** A distinct frame seen by one walker. */
struct unw_frame {
	uint64_t space_id;
	/** Process address. */
	uint64_t pc;
	/** NULL if nothing is mapped there. */
	const struct unw_module *module;
	/** enum unw_frame_flags. */
	uint32_t flags;
};

/** The result of a walk. Zero it before first use; reused by further walks. */
struct unw_stack {
	/** Numbers of the walker's frames, leaf first: see unw_walker_frame. */
	PD_VEC(uint32_t) frames;
	/** The stack pointer of each, if unw_opts.keep_sps is set. */
	PD_VEC(uint64_t) sps;
	/** Of the frames, how many are UNW_FRAME_GUESSED. */
	size_t n_by_fp;
	enum pd_unwind_end end;
	/** Where it ended: the module of the last frame, or NULL. */
	const struct unw_module *end_module;
};

static inline void unw_stack_deinit(struct unw_stack *stack)
{
	pd_vec_deinit(&stack->frames);
	pd_vec_deinit(&stack->sps);
}

/** Walks stacks on one thread, and remembers the row of every program counter it met. */
struct unw_walker;

struct unw_opts {
	/** Frames at most; 0 means 1024. */
	size_t max_frames;
	/** Only exact information: no frame pointers, and nothing else that makes UNW_FRAME_GUESSED. */
	bool cfi_only;
	/** Tell the stack pointer of each frame. */
	bool keep_sps;
};

/** @p opts may be NULL. Errors: no memory, and UNSUPPORTED for an unknown @p arch. */
struct pd_error *unw_walker_create(const struct pd_arch *arch, const struct unw_opts *opts,
	struct unw_walker **ret) pd_must_check;
void unw_walker_destroy(struct unw_walker *walker);

/** Walk one stack. Errors: no memory. A stack that cannot be walked is a result, not an error. */
struct pd_error *unw_walk(struct unw_walker *walker, const struct unw_input *input,
	struct unw_stack *ret) pd_must_check;

/** Start bringing registers and the first bytes of the stack into the cache. Call it samples ahead. */
void unw_prefetch(const struct unw_input *input);

/**
 * The distinct frames that the walker remembers are numbered unw_walker_first_frame to
 * unw_walker_end_frame - 1, in 32 bits that may wrap. A number keeps its meaning until it is forgotten.
 */
uint32_t unw_walker_first_frame(const struct unw_walker *walker);
uint32_t unw_walker_end_frame(const struct unw_walker *walker);
/** Frame @p id, which is remembered. Valid until the next walk. */
const struct unw_frame *unw_walker_frame(const struct unw_walker *walker, uint32_t id);

/** Forget all frames if they are more than @p most, so that memory is bounded over many walks. */
void unw_walker_trim(struct unw_walker *walker, size_t most);

#endif

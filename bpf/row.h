/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/**
 * @file Rows of a table: how to get from a frame to its caller, in 16 bytes.
 *
 * A table holds the rows of one binary, sorted by address. unwind/bpf_table.h makes tables from
 * call frame information; bpf/walk.h walks stacks by them. This file is compiled for BPF, too, so
 * it includes nothing else of the project.
 */
#ifndef PD_BPF_ROW_H
#define PD_BPF_ROW_H

#include <stdbool.h>
#include <stdint.h>

#include "bpf/end_defs.h"

#define bw_inline static inline __attribute__((always_inline))

/** Reason why a walk has ended. */
enum bw_end {
#define BW_END_ROW(name, text) BW_END_##name,
	BW_ENDS(BW_END_ROW)
#undef BW_END_ROW
		BW_N_ENDS
};

/** How a row finds the canonical frame address (CFA), which is the caller's stack pointer. */
enum bw_row_kind {
	BW_ROW_SP,	 /**< CFA = sp + cfa_off */
	BW_ROW_FP,	 /**< CFA = fp + cfa_off */
	BW_ROW_FP_DEREF, /**< CFA = *(fp + cfa_off), caller's fp = *fp: a realigned stack */
	BW_ROW_PLT,	/**< CFA = sp + cfa_off, and a word more from byte detail of the entry on */
	BW_ROW_REG,	/**< CFA = register detail + cfa_off: the kept one, others in the leaf */
	BW_ROW_SP_LINK, /**< CFA = sp + cfa_off, the return address is in the link register */
	BW_ROW_FP_LINK, /**< CFA = fp + cfa_off, the return address is in the link register */
	BW_ROW_SIGNAL,	/**< A signal trampoline: the kernel's frame has the caller's registers. */
	BW_ROW_ROOT,	/**< The frame has no caller. */
	BW_ROW_GAP,	/**< Nothing describes the code. */
	BW_ROW_ENTRY,	/**< Like GAP, but at the program's entry point. */
	BW_ROW_END,	/**< The walk ends for the reason in detail. */
	BW_N_ROW_KINDS
};

enum bw_row_flags {
	/** A function begins at the first address of the row, after a gap or a system call. */
	BW_ROW_STARTS = 1,
	/** A system call is the instruction before the first address. */
	BW_ROW_AFTER_SYSCALL = 2,
	/** The caller was interrupted by a signal and has not called. */
	BW_ROW_INTERRUPTED = 4,
	/** The caller's frame pointer is lost. */
	BW_ROW_LOSES_FP = 8,
	/** SIGNAL: only if the frame was returned to. */
	BW_ROW_IF_RETURNED = 16,
	/** The first address is the base of a stack that was made by hand. */
	BW_ROW_BASE = 32,
	/** The caller's kept register is lost. */
	BW_ROW_LOSES_KEPT = 64,
	/** The caller's frame is on another stack. */
	BW_ROW_SWITCHES = 128,
};

/**
 * DWARF number of the kept register: the one that is followed in addition to the stack and frame
 * pointers. On x86-64 the dynamic linker finds its frame by rbx while it resolves a function.
 */
enum { BW_KEPT_X86_64 = 3, BW_KEPT_NONE = 255 };

/** Row for the addresses from its own up to that of the next row. */
struct bw_row {
	/** Distance of the first address from the base of the table, in bytes. */
	uint32_t start;
	/** Distances in bytes, see enum bw_row_kind. */
	int32_t cfa_off;
	/** The caller's frame pointer is at CFA + fp_off; 0: it is unchanged. */
	int16_t fp_off;
	/** The return address is at CFA + ra_off. */
	int16_t ra_off;
	/** enum bw_row_kind. */
	uint8_t kind;
	/** enum bw_row_flags. */
	uint8_t flags;
	/** PLT: first byte after the push; REG: DWARF number; END: enum bw_end; else 0. */
	uint8_t detail;
	/** The caller's kept register is at CFA + 8 * kept_off; 0: it is unchanged. */
	int8_t kept_off;
};

_Static_assert(sizeof(struct bw_row) == 16, "tables of all binaries are in the kernel's memory");

#endif

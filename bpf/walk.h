/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/**
 * @file Walk a stack by tables (bpf/row.h), one frame at a time.
 *
 * This is compiled for BPF and for the host: the includer defines the functions that are declared
 * below, for a struct bw_walk that is a member of its state. This file has no loops and no other
 * state, so it is easy to verify.
 *
 * The rules are those of unwind/unwind.c. Where that would go on with all registers, this ends.
 */
#ifndef PD_BPF_WALK_H
#define PD_BPF_WALK_H

#include "bpf/row.h"

/** Largest number of user frames in a stack: PERF_MAX_STACK_DEPTH of the kernel. */
enum { BW_MAX_FRAMES = 127 };

/** Facts about an architecture that rows do not have. */
struct bw_arch {
	/** Bits of a return address that belong to the address. */
	uint64_t ra_mask;
	/** Calls leave the return address in a register. */
	bool has_link;
	/** A link of the frame-pointer chain shows the caller's stack pointer. */
	bool chain_finds_sp;
	/** Distances of registers in a signal frame from the stack pointer in the trampoline. */
	int16_t signal_pc;
	int16_t signal_sp;
	int16_t signal_fp;
	/** 0 without a link register. */
	int16_t signal_link;
	int16_t signal_kept;
	/** DWARF number of the kept register, or BW_KEPT_NONE. */
	uint8_t kept;
};

/* rt_sigframe of the kernel: see unwind/machines/x86_64.c and unwind/machines/aarch64.c. */
#define BW_ARCH_X86_64 \
	{ \
		.ra_mask = UINT64_MAX, .has_link = false, .chain_finds_sp = true, \
		.signal_pc = 168, .signal_sp = 160, .signal_fp = 120, .signal_link = 0, \
		.signal_kept = 128, .kept = BW_KEPT_X86_64 \
	}
#define BW_ARCH_AARCH64 \
	{ \
		.ra_mask = (UINT64_C(1) << 48) - 1, .has_link = true, .chain_finds_sp = false, \
		.signal_pc = 568, .signal_sp = 560, .signal_fp = 544, .signal_link = 552, \
		.signal_kept = 0, .kept = BW_KEPT_NONE \
	}

/** Result of looking up an address. */
enum bw_found {
	BW_FOUND_NOTHING, /**< No mapping of code covers the address. */
	BW_FOUND_MAPPING, /**< A mapping without a table covers it. */
	BW_FOUND_ROW,	  /**< There is a row. */
};

struct bw_place {
	enum bw_found found;
	/** The row. */
	struct bw_row row;
	/** The address is the first one of the row. */
	bool is_first;
	/** Lowest bits of the address as a vaddr: its place in a PLT entry. */
	uint8_t low_bits;
};

/** How a frame was reached. */
enum bw_how {
	BW_HOW_RETURN = 1, /**< pc is a return address: look up pc - 1. */
	BW_HOW_BY_FP = 2,  /**< Found by the frame pointer, not by a row. */
};

struct bw_walk {
	/** Current frame. */
	uint64_t pc;
	/** Lower bound of the stack pointer; exact if knows_sp. */
	uint64_t sp;
	uint64_t fp;
	/** Link register of a frame that did not call; 0 if it is unknown. */
	uint64_t link;
	/** The kept register. */
	uint64_t kept;
	/** Number of frames so far. */
	uint32_t n;
	/** enum bw_how. */
	uint8_t how;
	bool knows_sp;
	bool knows_fp;
	bool knows_kept;
	/**
	 * All mappings with code are known. If not, nothing is guessed where none is found: the
	 * mapping may be new.
	 */
	bool knows_mappings;
	/** Registers of the leaf are as in a system call that is just before pc. */
	bool is_in_syscall;
	/** The chain of frame pointers began in the leaf, and may have skipped its caller. */
	bool may_have_skipped;
	/** The last link of the chain leads to a higher address, or is the last one. */
	bool leads_up;
	/** enum bw_end: why the walk ends if the last link is not plausible. */
	uint8_t otherwise;
	/** enum bw_end, once the walk has ended. */
	uint8_t end;
	/** Number of frames that were found by frame pointers. */
	uint32_t n_by_fp;
};

/** Read 8 bytes of the process. Returns false if they cannot be read. */
static bool bw_read_word(struct bw_walk *w, uint64_t addr, uint64_t *ret);
/** Read a register of the leaf by its DWARF number, for BW_ROW_REG. */
static bool bw_read_reg(struct bw_walk *w, uint8_t number, uint64_t *ret);
/** Find the row of the process address @p addr. */
static void bw_find(struct bw_walk *w, uint64_t addr, struct bw_place *ret);
/** Add frame number @p i, less than BW_MAX_FRAMES. */
static void bw_add_frame(struct bw_walk *w, uint32_t i, uint64_t pc, bool is_by_fp);

/** End the walk. Returns false, as bw_step() does then. */
bw_inline bool bw_end_with(struct bw_walk *w, uint8_t end)
{
	w->end = end;
	if (end == BW_END_ROOT && w->may_have_skipped)
		w->end = BW_END_ROOT_DOUBTFUL;
	return false;
}

/** Whether there is a row, which says that nothing describes the code. */
bw_inline bool bw_is_gap(const struct bw_place *place)
{
	if (place->found != BW_FOUND_ROW)
		return false;
	return place->row.kind == BW_ROW_GAP || place->row.kind == BW_ROW_ENTRY;
}

/** Whether the address is the first one of its row, which has one of @p flags. */
bw_inline bool bw_begins(const struct bw_place *place, uint8_t flags)
{
	return place->found == BW_FOUND_ROW && place->is_first && place->row.flags & flags;
}

/**
 * Find the row of the current frame. A return address is looked up one byte earlier, unless its
 * function was never called: see unw_binary_is_by_hand(). A leaf in a system call that ends its
 * function is looked up one byte earlier, too: see correct_syscall() in unwind/walk_resolve.c.
 */
bw_inline void bw_look_up(struct bw_walk *w, struct bw_place *place)
{
	bool is_return = w->how & BW_HOW_RETURN;
	struct bw_place other;

	bw_find(w, is_return ? w->pc - 1 : w->pc, place);
	if (place->found == BW_FOUND_MAPPING)
		return;
	if (is_return) {
		if (place->found == BW_FOUND_ROW && !bw_is_gap(place))
			return;
		bw_find(w, w->pc, &other);
		/* A trampoline of the kernel may be first in its mapping. */
		if (place->found == BW_FOUND_NOTHING && other.found == BW_FOUND_ROW &&
			other.row.kind == BW_ROW_SIGNAL)
			*place = other;
		if (!bw_is_gap(place) || !bw_begins(&other, BW_ROW_STARTS | BW_ROW_BASE))
			return;
		*place = other;
		if (other.row.flags & BW_ROW_BASE || other.row.kind == BW_ROW_SP_LINK ||
			other.row.kind == BW_ROW_FP_LINK)
			place->row.kind = BW_ROW_ROOT;
		return;
	}
	if (!bw_begins(place, BW_ROW_AFTER_SYSCALL))
		return;
	if (bw_is_gap(place) || (w->is_in_syscall && w->n == 0))
		bw_find(w, w->pc - 1, place);
}

/** Whether a frame that was reached by a frame pointer is plausible: see unwind/frame_chain.c. */
bw_inline bool bw_is_plausible(const struct bw_walk *w, const struct bw_place *place)
{
	if (place->found == BW_FOUND_NOTHING)
		return false;
	if (place->found == BW_FOUND_MAPPING || bw_is_gap(place) ||
		place->row.kind == BW_ROW_SIGNAL || place->row.kind == BW_ROW_END)
		return w->leads_up;
	return true;
}

/** Make the caller the current frame. */
bw_inline bool bw_enter(struct bw_walk *w, uint64_t pc, uint64_t sp, uint8_t how)
{
	w->pc = pc;
	w->sp = sp;
	w->knows_sp = true;
	w->how = how;
	w->link = 0;
	return true;
}

/** Step along the frame pointers. Without a plausible chain, end with @p otherwise. */
bw_inline bool bw_step_by_chain(struct bw_walk *w, const struct bw_arch *arch, uint8_t otherwise)
{
	bool is_on_chain = w->how & BW_HOW_BY_FP;
	uint64_t base = w->fp, saved, ra;

	/* The ABI marks the root by a frame pointer of zero. */
	if (is_on_chain && w->knows_fp && !base)
		return bw_end_with(w, BW_END_ROOT);
	if (!w->knows_fp || base < w->sp || base % 8 || !bw_read_word(w, base, &saved) ||
		!bw_read_word(w, base + 8, &ra))
		return bw_end_with(w, otherwise);
	ra &= arch->ra_mask;
	if (!ra && !saved && is_on_chain)
		return bw_end_with(w, BW_END_ROOT);
	/* A zero word on its own proves nothing. */
	if (!ra)
		return bw_end_with(w, otherwise);
	w->may_have_skipped |= w->n == 1 && !is_on_chain;
	w->leads_up = !saved || saved > base;
	w->otherwise = otherwise;
	w->fp = saved;
	w->knows_kept = false;
	bw_enter(w, ra, base + 16, BW_HOW_RETURN | BW_HOW_BY_FP);
	w->knows_sp = arch->chain_finds_sp;
	return true;
}

/** Step from a frame of which the row says nothing because a register is unknown. */
bw_inline bool bw_step_without_reg(struct bw_walk *w, const struct bw_arch *arch)
{
	return w->how & BW_HOW_BY_FP ? bw_step_by_chain(w, arch, BW_END_NO_CFI)
				     : bw_end_with(w, BW_END_LOST_REG);
}

/** Step to the frame that a signal interrupted. The handler may run on a separate stack. */
bw_inline bool bw_step_by_signal(struct bw_walk *w, const struct bw_arch *arch)
{
	uint64_t pc, sp, link = 0;

	if (!w->knows_sp)
		return bw_end_with(w, BW_END_LOST_REG);
	uint64_t frame = w->sp;
	if (!bw_read_word(w, frame + arch->signal_pc, &pc) ||
		!bw_read_word(w, frame + arch->signal_sp, &sp))
		return bw_end_with(w, BW_END_MEMORY);
	w->knows_fp = bw_read_word(w, frame + arch->signal_fp, &w->fp);
	w->knows_kept = arch->signal_kept && bw_read_word(w, frame + arch->signal_kept, &w->kept);
	if (arch->signal_link)
		bw_read_word(w, frame + arch->signal_link, &link);
	bw_enter(w, pc & arch->ra_mask, sp, 0);
	w->link = link & arch->ra_mask;
	return true;
}

/** Find the CFA of a row with one. Returns false if the walk has gone on or ended: see @p ret. */
bw_inline bool bw_find_cfa(struct bw_walk *w, const struct bw_arch *arch,
	const struct bw_place *place, uint64_t *cfa, bool *ret)
{
	const struct bw_row *row = &place->row;
	int64_t off = row->cfa_off;

	switch (row->kind) {
	case BW_ROW_PLT:
		off += (place->low_bits & 15) >= row->detail ? 8 : 0;
		/* fall through */
	case BW_ROW_SP:
	case BW_ROW_SP_LINK:
		*cfa = w->sp + off;
		if (w->knows_sp)
			return true;
		break;
	case BW_ROW_FP:
	case BW_ROW_FP_LINK:
	case BW_ROW_FP_DEREF:
		*cfa = w->fp + off;
		if (!w->knows_fp)
			break;
		if (row->kind != BW_ROW_FP_DEREF || bw_read_word(w, *cfa, cfa))
			return true;
		*ret = bw_end_with(w, BW_END_MEMORY);
		return false;
	default:
		*cfa = w->kept + off;
		if (row->detail == arch->kept && w->knows_kept)
			return true;
		if (row->detail != arch->kept && w->n == 1 && bw_read_reg(w, row->detail, cfa)) {
			*cfa += off;
			return true;
		}
		*ret = bw_end_with(w, BW_END_LOST_REG);
		return false;
	}
	*ret = bw_step_without_reg(w, arch);
	return false;
}

/** Restore the caller's frame pointer: see restore_fp() in unwind/unwind.c. */
bw_inline void bw_restore_fp(struct bw_walk *w, const struct bw_row *row, uint64_t cfa)
{
	uint64_t addr = cfa + row->fp_off;

	if (row->flags & BW_ROW_LOSES_FP) {
		w->knows_fp = false;
	} else if (row->kind == BW_ROW_FP_DEREF) {
		w->knows_fp = bw_read_word(w, w->fp, &w->fp);
	} else if (row->fp_off && (addr >= w->sp || w->how & BW_HOW_RETURN)) {
		w->knows_fp = bw_read_word(w, addr, &w->fp);
	}
}

/** Restore the caller's kept register, which is saved like the frame pointer. */
bw_inline void bw_restore_kept(struct bw_walk *w, const struct bw_row *row, uint64_t cfa)
{
	uint64_t addr = cfa + 8 * row->kept_off;

	if (row->flags & BW_ROW_LOSES_KEPT)
		w->knows_kept = false;
	else if (row->kept_off && (addr >= w->sp || w->how & BW_HOW_RETURN))
		w->knows_kept = bw_read_word(w, addr, &w->kept);
}

bw_inline bool bw_step_by_row(
	struct bw_walk *w, const struct bw_arch *arch, const struct bw_place *place)
{
	const struct bw_row *row = &place->row;
	bool is_link = row->kind == BW_ROW_SP_LINK || row->kind == BW_ROW_FP_LINK;
	bool is_interrupted = row->flags & BW_ROW_INTERRUPTED;
	bool may_fall = row->flags & (BW_ROW_INTERRUPTED | BW_ROW_SWITCHES);
	bool has_called = w->how & BW_HOW_RETURN;
	uint64_t cfa = 0, ra = w->link;
	bool ret;

	if (!bw_find_cfa(w, arch, place, &cfa, &ret))
		return ret;
	/* A stack only shrinks towards the root. A frame that has not called may have no size. */
	if (!may_fall && (cfa < w->sp || (cfa == w->sp && (!arch->has_link || has_called))))
		return bw_end_with(w, BW_END_CYCLE);
	/* After a call the link register does not hold the return address of the frame. */
	if (is_link && (has_called || !ra))
		return bw_end_with(w, BW_END_LOST_REG);
	if (!is_link && !bw_read_word(w, cfa + row->ra_off, &ra))
		return bw_end_with(w, BW_END_MEMORY);
	ra &= arch->ra_mask;
	/* Information is often wrong in prologues and epilogues: a zero there proves nothing. */
	if (!ra && !is_interrupted)
		return bw_end_with(w, has_called ? BW_END_ROOT : BW_END_NO_CFI);
	bw_restore_kept(w, row, cfa);
	bw_restore_fp(w, row, cfa);
	return bw_enter(w, ra, cfa, is_interrupted ? 0 : BW_HOW_RETURN);
}

bw_inline bool bw_step_from(
	struct bw_walk *w, const struct bw_arch *arch, const struct bw_place *place)
{
	const struct bw_row *row = &place->row;

	if (place->found == BW_FOUND_NOTHING)
		return w->how & BW_HOW_RETURN || !w->knows_mappings
			       ? bw_end_with(w, BW_END_NO_MAPPING)
			       : bw_step_by_chain(w, arch, BW_END_NO_MAPPING);
	if (place->found == BW_FOUND_MAPPING)
		return bw_step_by_chain(w, arch, BW_END_NO_TABLE);
	switch (row->kind) {
	case BW_ROW_ROOT:
		return bw_end_with(w, BW_END_ROOT);
	case BW_ROW_END:
		return bw_end_with(w, row->detail);
	case BW_ROW_ENTRY:
		/* At the entry point of a program the frame pointer is zero. */
		if (w->knows_fp && !w->fp)
			return bw_end_with(w, BW_END_ROOT);
		return bw_step_by_chain(w, arch, BW_END_NO_CFI);
	case BW_ROW_GAP:
		return bw_step_by_chain(w, arch, BW_END_NO_CFI);
	case BW_ROW_SIGNAL:
		if (row->flags & BW_ROW_IF_RETURNED && !(w->how & BW_HOW_RETURN))
			return bw_step_by_chain(w, arch, BW_END_NO_CFI);
		return bw_step_by_signal(w, arch);
	default:
		return bw_step_by_row(w, arch, place);
	}
}

/**
 * Add the current frame and make its caller the current one. Returns false when the walk has ended,
 * which it also does without adding a frame.
 */
bw_inline bool bw_step(struct bw_walk *w, const struct bw_arch *arch)
{
	struct bw_place place = { 0 };

	if (w->n >= BW_MAX_FRAMES)
		return bw_end_with(w, BW_END_LIMIT);
	bw_look_up(w, &place);
	if (w->how & BW_HOW_BY_FP) {
		if (!bw_is_plausible(w, &place))
			return bw_end_with(w, w->otherwise);
		w->n_by_fp++;
	}
	/* An unmapped return address means that an earlier step was wrong. */
	if (place.found == BW_FOUND_NOTHING && w->how & BW_HOW_RETURN && w->knows_mappings)
		return bw_end_with(w, BW_END_NO_MAPPING);
	bw_add_frame(w, w->n, w->pc, w->how & BW_HOW_BY_FP);
	w->n++;
	return bw_step_from(w, arch, &place);
}

#endif

#include "unwind/unwind.h"

#include <stdlib.h>

#include <pdconv/attr.h>
#include <pdconv/cursor.h>

#include "base/cleanup.h"
#include "base/limit.h"
#include "base/prefetch.h"
#include "unwind/binary_rows.h"
#include "unwind/walk_state.h"

enum {
	DEFAULT_MAX_STACK = PD_LIMIT_FRAMES,
	/** Addresses farther above the captured stack belong to another stack, in bytes. */
	LARGEST_STACK = PD_LIMIT_STACK_BYTES,
	CACHE_LINE = 64,
	/** Most stacks are unwound within these; more would only delay those needed first. */
	PREFETCHED_LINES = 20,
};

static const struct pd_reg *find_reg(const struct pd_arch *arch, uint8_t dwarf)
{
	for (size_t i = 0; i < arch->n_regs; i++) {
		if (arch->regs[i].dwarf == dwarf)
			return &arch->regs[i];
	}
	return NULL;
}

static const struct pd_reg *find_reg_by_bit(const struct pd_arch *arch, uint8_t perf)
{
	for (size_t i = 0; i < arch->n_regs; i++) {
		if (arch->regs[i].perf == perf)
			return &arch->regs[i];
	}
	return NULL;
}

struct pd_error *unw_walker_create(
	const struct pd_arch *arch, const struct unw_opts *opts, struct unw_walker **ret)
{
	const struct unw_arch *unw_arch = unw_arch_find(arch);

	if (!unw_arch)
		return pd_error_create(
			PD_ERROR_UNSUPPORTED, NULL, "unwinding this architecture is not supported");
	struct unw_walker *walker = calloc(1, sizeof(*walker));
	if (!walker)
		return &pd_enomem;
	walker->arch = unw_arch;
	/*
	 * Use perf's number, because the program counter has no DWARF number on some architectures.
	 */
	walker->pc = find_reg_by_bit(arch, arch->pc);
	walker->sp = find_reg(arch, unw_arch->sp);
	walker->fp = find_reg(arch, unw_arch->fp);
	walker->link = unw_arch_has_link(unw_arch) ? find_reg(arch, unw_arch->ra) : NULL;
	if (opts)
		walker->opts = *opts;
	if (!walker->opts.max_stack)
		walker->opts.max_stack = DEFAULT_MAX_STACK;
	*ret = walker;
	return NULL;
}

void unw_walker_destroy(struct unw_walker *walker)
{
	if (!walker)
		return;
	unw_frame_set_deinit(&walker->set);
	pd_error_destroy(walker->peek_err);
	free(walker);
}

uint32_t unw_walker_first_frame(const struct unw_walker *walker)
{
	return walker->set.first_id;
}

uint32_t unw_walker_end_frame(const struct unw_walker *walker)
{
	return walker->set.first_id + (uint32_t)walker->set.frames.n;
}

const struct unw_frame *unw_walker_frame(const struct unw_walker *walker, uint32_t id)
{
	return &walker->set.frames.data[id - walker->set.first_id];
}

void unw_walker_trim(struct unw_walker *walker, size_t most)
{
	if (walker->set.frames.n > most)
		unw_frame_set_clear(&walker->set);
}

void unw_prefetch(const struct unw_input *input)
{
	const uint8_t *regs = input->regs;
	size_t regs_size = 8 * (size_t)__builtin_popcountll(input->regs_mask);
	size_t n = input->stack_size / CACHE_LINE;

	for (size_t at = 0; at < regs_size; at += CACHE_LINE)
		base_prefetch(regs + at);
	if (n > PREFETCHED_LINES)
		n = PREFETCHED_LINES;
	for (size_t i = 0; i < n; i++)
		base_prefetch(input->stack + i * CACHE_LINE);
}

enum unw_progress unw_end_at_zero(struct unw_walk *w)
{
	bool is_sure = w->how & UNW_FRAME_RETURN && !(w->how & UNW_FRAME_INEXACT);

	return unw_walk_end(w, is_sure ? PD_UNWIND_END_ROOT : PD_UNWIND_END_NO_CFI);
}

enum unw_progress unw_end_unreadable(struct unw_walk *w, uint64_t addr)
{
	/*
	 * On another stack than the captured one, an address counts as cut off only if the largest
	 * possible capture would have reached it.
	 */
	uint64_t reach = w->has_left_stack ? PD_STACK_USER_MAX : LARGEST_STACK;
	bool is_above = addr >= w->stack.start && addr - w->stack.start <= reach;

	if (!w->stack.size)
		return unw_walk_end(w, PD_UNWIND_END_NO_STACK);
	if (is_above && w->is_stack_full)
		return unw_walk_end(w, PD_UNWIND_END_STACK_SHORT);
	return unw_walk_end(
		w, w->has_left_stack ? PD_UNWIND_END_OTHER_STACK : PD_UNWIND_END_BAD_MEMORY);
}

enum unw_step_kind unw_peek(const struct unw_walk *w, uint64_t pc, uint32_t how)
{
	const struct unw_frame_key key = { .space_id = w->space->id, .pc = pc, .how = how };
	const struct unw_frame_slot *slot = unw_frame_set_find(&w->walker->set, &key);
	struct unw_frame frame;
	struct unw_step step;

	if (slot)
		return slot->step.kind;
	struct pd_error *err = unw_resolve_frame(w, &key, &frame, &step);
	if (err) {
		if (w->walker->peek_err)
			pd_error_destroy(err);
		else
			w->walker->peek_err = err;
		return UNW_STEP_NO_MAPPING;
	}
	return step.kind;
}

static struct pd_error *add_slot(
	struct unw_walk *w, const struct unw_frame_key *key, const struct unw_frame_slot **ret)
{
	struct unw_frame frame;
	struct unw_step step;

	struct pd_error *err = unw_resolve_frame(w, key, &frame, &step);
	if (err)
		return err;
	*ret = unw_frame_set_add(&w->walker->set, key, &frame, step);
	return *ret ? NULL : &pd_enomem;
}

/** Inline copy of unw_add_frame() for the fast path, which does little else. */
static inline struct pd_error *add_frame(struct unw_walk *w, const struct unw_frame_slot **slot_ret)
{
	const struct unw_frame_key key = { .space_id = w->space->id, .pc = w->pc, .how = w->how };
	const struct unw_frame_slot *slot = unw_frame_set_find(&w->walker->set, &key);

	if (__builtin_expect(!slot, false)) {
		struct pd_error *err = add_slot(w, &key, &slot);
		if (err)
			return err;
	}
	*slot_ret = slot;
	w->ret->n_by_fp += !!(w->how & UNW_FRAME_GUESSED);
	if (w->walker->opts.keep_sps && !pd_vec_push(&w->ret->sps, w->sp))
		return &pd_enomem;
	return pd_vec_push(&w->ret->frames, slot->id) ? NULL : &pd_enomem;
}

struct pd_error *unw_add_frame(struct unw_walk *w, const struct unw_frame_slot **slot_ret)
{
	return add_frame(w, slot_ret);
}

static const struct unw_frame *last_frame(const struct unw_walk *w)
{
	return unw_walker_frame(w->walker, w->ret->frames.data[w->ret->frames.n - 1]);
}

/** Remove the last frame from the result. */
static void drop_frame(struct unw_walk *w)
{
	w->ret->frames.n--;
	w->ret->sps.n -= w->walker->opts.keep_sps;
	w->ret->n_by_fp -= !!(w->how & UNW_FRAME_GUESSED);
}

enum unw_progress unw_step_without_row(struct unw_walk *w, enum unw_step_kind kind)
{
	switch (kind) {
	case UNW_STEP_ROOT:
		return unw_walk_end(w, PD_UNWIND_END_ROOT);
	case UNW_STEP_ENTRY:
		/* At the entry point of a program the frame pointer is zero. */
		if (!w->fp)
			return unw_walk_end(w, PD_UNWIND_END_ROOT);
		return unw_step_by_chain(w, PD_UNWIND_END_NO_CFI);
	case UNW_STEP_NO_CFI:
		return unw_step_by_chain(w, PD_UNWIND_END_NO_CFI);
	case UNW_STEP_NO_FILE:
	case UNW_STEP_SIGNAL:
		return unw_step_by_chain(w, last_frame(w)->module->missing);
	case UNW_STEP_NO_MAPPING:
		/* An unmapped return address means that an earlier step was wrong. */
		if (w->how & UNW_FRAME_RETURN) {
			drop_frame(w);
			return unw_walk_end(w, PD_UNWIND_END_NO_MAPPING);
		}
		return unw_step_by_chain(w, PD_UNWIND_END_NO_MAPPING);
	default:
		return unw_walk_end(w, PD_UNWIND_END_BAD_CFI);
	}
}

/**
 * Restore the caller's frame pointer, saved at @p addr. See unw_arch.has_red_zone. At a call, a
 * slot below the stack pointer was not freed: Go's functions on AArch64 save the register there.
 */
static bool restore_fp(struct unw_walk *w, uint64_t addr)
{
	if (addr < w->sp && !(w->how & UNW_FRAME_RETURN))
		return !w->walker->arch->has_red_zone;
	return unw_read_word(w, addr, &w->fp);
}

/** Make the caller the current frame. Its return address is @p ra. */
static inline enum unw_progress enter_caller(
	struct unw_walk *w, struct unw_step step, uint64_t cfa, uint64_t ra)
{
	w->pc = ra & w->ra_mask;
	if (!w->pc)
		return unw_end_at_zero(w);
	if (step.fp_off && !restore_fp(w, cfa + step.fp_off))
		return UNW_NEEDS_FULL;
	w->sp = cfa - w->cfa_above_sp;
	w->how = UNW_FRAME_RETURN;
	return UNW_STEPPED;
}

/** Step to the caller by a return address in memory. */
static inline enum unw_progress step_to_cfa(struct unw_walk *w, struct unw_step step, uint64_t cfa)
{
	uint64_t ra_addr = cfa + step.ra_off;
	uint64_t sp = cfa - w->cfa_above_sp;
	uint64_t ra;

	/* A stack only shrinks towards the root, which also bounds the loop. */
	if (sp <= w->sp && !(sp == w->sp && unw_may_stay(w)))
		return unw_walk_end(w, PD_UNWIND_END_CYCLE);
	if (!unw_read_word(w, ra_addr, &ra)) {
		if (ra_addr < w->sp)
			return UNW_NEEDS_FULL;
		w->ret->caller_sp = sp;
		return unw_end_unreadable(w, ra_addr);
	}
	return enter_caller(w, step, cfa, ra);
}

/** Step to the caller by a return address that is still in the link register. */
static enum unw_progress step_by_link(struct unw_walk *w, struct unw_step step, uint64_t cfa)
{
	if (cfa - w->cfa_above_sp < w->sp)
		return unw_walk_end(w, PD_UNWIND_END_CYCLE);
	return w->link ? enter_caller(w, step, cfa, w->link) : UNW_NEEDS_FULL;
}

static enum unw_progress step_realigned(struct unw_walk *w, struct unw_step step)
{
	uint64_t cfa;
	uint64_t caller_fp;

	if (!unw_read_word(w, w->fp + step.cfa_off, &cfa) || !unw_read_word(w, w->fp, &caller_fp))
		return UNW_NEEDS_FULL;
	enum unw_progress progress = step_to_cfa(w, step, cfa);
	w->fp = caller_fp;
	return progress;
}

static inline enum unw_progress step_short(struct unw_walk *w, struct unw_step step)
{
	switch (step.kind) {
	case UNW_STEP_SP:
		return step_to_cfa(w, step, w->sp + step.cfa_off);
	case UNW_STEP_FP:
		return step_to_cfa(w, step, w->fp + step.cfa_off);
	case UNW_STEP_FP_DEREF:
		return step_realigned(w, step);
	case UNW_STEP_SP_LINK:
		return step_by_link(w, step, w->sp + step.cfa_off);
	case UNW_STEP_FP_LINK:
		return step_by_link(w, step, w->fp + step.cfa_off);
	default:
		return UNW_NEEDS_FULL;
	}
}

/** Step by a row that may be wrong. A zero return address does not prove that this is the root. */
static enum unw_progress step_inexact(struct unw_walk *w, struct unw_step step)
{
	step.kind &= ~UNW_STEP_INEXACT;
	enum unw_progress progress = step_short(w, step);
	w->how |= UNW_FRAME_INEXACT;
	if (progress == UNW_ENDED && w->ret->end == PD_UNWIND_END_ROOT)
		w->ret->end = PD_UNWIND_END_NO_CFI;
	return progress;
}

/** Whether the frame chain is better than a row that may be wrong. */
static bool has_better_chain(const struct unw_walk *w)
{
	const struct unw_module *module = last_frame(w)->module;

	return module && module->prefers_chain && unw_is_chain_certain(w);
}

/** Whether a system call is just before the frame, which may have looked at its result. */
static bool is_near_syscall(const struct unw_frame *frame)
{
	/* The parent and the child part within these. */
	enum { BYTES = 12 };
	const struct unw_module *module = frame->module;

	for (uint64_t i = 0; module && module->binary && i < BYTES; i++) {
		if (unw_is_after_syscall(
			    unw_binary_code_at(module->binary, frame->pc - module->bias - i)))
			return true;
	}
	return false;
}

/**
 * Whether the current frame is not the caller of the leaf, because the kernel has just made the
 * thread: after the system call, the stack holds the function that the thread will call, which is
 * not a return address. What is known of the code describes the parent.
 */
static bool is_new_thread(const struct unw_walk *w)
{
	struct unw_range at = { 0 };

	/* A signal may have interrupted a function at its first instruction. */
	if (w->ret->frames.n != 1 || !(w->how & UNW_FRAME_RETURN) ||
		!is_near_syscall(last_frame(w)))
		return false;
	const struct unw_module *module = w->space->find(w->space, w->pc);
	if (!unw_has_binary(w, module))
		return false;
	uint64_t pc = w->pc - module->bias;
	/* Out of memory, or no FDE: the instructions decide. */
	pd_error_destroy(unw_binary_find_fde(module->binary, pc, &at));
	return (at.end && at.start == pc) || !unw_binary_may_return_to(module->binary, pc, false);
}

enum unw_progress unw_begin_step(struct unw_walk *w)
{
	if (!(last_frame(w)->flags & UNW_FRAME_UNCALLED))
		return UNW_STEPPED;
	if (w->walker->opts.cfi_only) {
		drop_frame(w);
		return unw_walk_end(w, PD_UNWIND_END_NO_CFI);
	}
	w->ret->n_by_fp += !(w->how & UNW_FRAME_GUESSED);
	w->may_have_skipped = true;
	return UNW_STEPPED;
}

enum unw_progress unw_end_step(struct unw_walk *w, enum unw_progress progress)
{
	if (progress != UNW_STEPPED)
		return progress;
	if (is_new_thread(w))
		return unw_walk_end(w, PD_UNWIND_END_ROOT);
	if (last_frame(w)->flags & UNW_FRAME_UNCALLED)
		w->how |= UNW_FRAME_UNCALLED | UNW_FRAME_INEXACT;
	return UNW_STEPPED;
}

/** Take a step of a kind that is rare or occurs once per unwind. */
static enum unw_progress step_rare(struct unw_walk *w, struct unw_step step)
{
	const struct unw_frame_chain *chain = &w->walker->arch->chain;
	bool is_on_stack = w->pc - w->stack.start < w->stack.size;

	if (step.kind == UNW_STEP_SIGNAL || is_on_stack)
		return UNW_NEEDS_FULL;
	if (step.kind & UNW_STEP_INEXACT) {
		if (!has_better_chain(w))
			return step_inexact(w, step);
		step.kind = UNW_STEP_NO_CFI;
	}
	enum unw_progress progress = unw_step_without_row(w, step.kind);
	/*
	 * A chain that leaves a register unknown needs the full path, which tracks what is known.
	 */
	if (progress == UNW_STEPPED && !(chain->finds_sp && chain->finds_fp))
		return UNW_NEEDS_FULL;
	return progress;
}

/** Take a step that is not short. Kept out of the fast path. */
static enum unw_progress step_otherwise(struct unw_walk *w, struct unw_step step)
{
	enum unw_progress progress = unw_begin_step(w);

	return progress == UNW_STEPPED ? unw_end_step(w, step_rare(w, step)) : progress;
}

static inline enum unw_progress step_fast(struct unw_walk *w, struct unw_step step)
{
	return step.kind <= UNW_STEP_FULL ? step_short(w, step) : step_otherwise(w, step);
}

bool unw_recorded_reg(const struct unw_walk *w, const struct unw_input *input,
	const struct pd_reg *reg, uint64_t *ret)
{
	uint64_t bit = UINT64_C(1) << reg->perf;

	if (!(input->regs_mask & bit))
		return false;
	int word = __builtin_popcountll(input->regs_mask & (bit - 1));
	uint64_t value = pd_load_u64(input->regs + 8 * word, input->swap);
	*ret = w->word == 4 ? (uint32_t)value : value;
	return value != UINT64_MAX;
}

/** Whether registers of the leaf are as in a system call before it. Only few are looked at. */
static bool is_in_syscall(const struct unw_walk *w, const struct unw_input *input)
{
	const struct unw_arch *arch = w->walker->arch;

	if (arch->syscalls.is_in)
		return arch->syscalls.is_in(w, input);
	/* A handler returns to a trampoline by the link register, which keeps its address. */
	return w->link && w->pc - w->link - 1 < UNW_MAX_SIGNAL_CODE;
}

/** Set the stack pointer back to that of the leaf if the kernel was delivering a signal. */
static void undo_delivery(struct unw_walk *w, const struct unw_input *input)
{
	const struct unw_arch *arch = w->walker->arch;
	uint64_t sp;

	if (!arch->signals.interrupted_sp || !arch->signals.interrupted_sp(w, input, &sp))
		return;
	w->has_left_stack = sp - w->sp > PD_STACK_USER_MAX;
	w->sp = sp;
}

/** Start at the leaf. Returns UNW_NEEDS_FULL if the frame pointer is unknown. */
static enum unw_progress start(struct unw_walk *w, const struct unw_input *input)
{
	const struct unw_walker *walker = w->walker;

	w->ret->frames.n = w->ret->sps.n = w->ret->n_by_fp = 0;
	w->has_left_stack = w->may_have_skipped = false;
	w->ret->caller_sp = 0;
	w->how = 0;
	if (!unw_recorded_reg(w, input, walker->pc, &w->pc) ||
		!unw_recorded_reg(w, input, walker->sp, &w->sp))
		return unw_walk_end(w, PD_UNWIND_END_NO_REGS);
	w->stack.start = w->sp;
	if (!walker->link || !unw_recorded_reg(w, input, walker->link, &w->link))
		w->link = 0;
	if (is_in_syscall(w, input))
		w->how = UNW_FRAME_SYSCALL;
	undo_delivery(w, input);
	return unw_recorded_reg(w, input, walker->fp, &w->fp) ? UNW_STEPPED : UNW_NEEDS_FULL;
}

static struct pd_error *walk_fast(struct unw_walk *w, enum unw_progress *progress_ret)
{
	enum unw_progress progress = UNW_STEPPED;
	const struct unw_frame_slot *slot;

	while (progress == UNW_STEPPED) {
		if (w->ret->frames.n == w->walker->opts.max_stack) {
			progress = unw_walk_end(w, PD_UNWIND_END_LIMIT);
			break;
		}
		struct pd_error *err = add_frame(w, &slot);
		if (err)
			return err;
		progress = step_fast(w, slot->step);
	}
	*progress_ret = progress;
	return NULL;
}

static struct pd_error *walk(struct unw_walk *w, const struct unw_input *input)
{
	enum unw_progress progress = start(w, input);
	struct pd_error *err = progress == UNW_STEPPED ? walk_fast(w, &progress) : NULL;

	if (err)
		return err;
	if (progress != UNW_NEEDS_FULL)
		return NULL;
	/* Start again from the leaf: the fast path has not kept the other registers. */
	start(w, input);
	return unw_walk_full(w, input);
}

struct pd_error *unw_walk(
	struct unw_walker *walker, const struct unw_input *input, struct unw_stack *ret)
{
	const struct unw_arch *arch = walker->arch;
	struct unw_walk w = {
		.walker = walker,
		.space = input->space,
		.stack = { .bytes = input->stack,
			.size = input->stack_size,
			.swap = unw_arch_swap(arch) },
		.is_stack_full = input->is_stack_full,
		.word = arch->arch->word,
		.cfa_above_sp = arch->cfa_above_sp,
		.ra_mask = arch->ra_mask,
		.ret = ret,
	};
	struct pd_error *err = walk(&w, input);

	if (!err)
		err = take_ptr(walker->peek_err);
	if (err)
		return err;
	if (ret->end == PD_UNWIND_END_ROOT && w.may_have_skipped)
		ret->end = PD_UNWIND_END_ROOT_DOUBTFUL;
	/* There is no frame if the program counter or the stack pointer was not recorded. */
	ret->end_module = ret->frames.n ? last_frame(&w)->module : NULL;
	return NULL;
}
